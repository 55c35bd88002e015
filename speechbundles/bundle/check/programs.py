"""Checks what the workers need to start a program: its metadata, its command, and the files that the command names."""

import ast
import posixpath
import re
import shlex
import warnings
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from speechbundles.bundle.check.inspection import DATA, STEPS, CheckedProgram, CheckedTask, Inspection
from speechbundles.competition.own_task import imported_packages
from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.finding import Report

_SHELL = re.compile(r"(?:^|\s)(?:\|\|?|&&?|[12&]?>>?|<|2>&1)(?:\s|$)|;(?:\s|$)|`|\$\(|\*")
"""Characters that only a shell interprets; no worker starts a shell."""
_STARTS_SHELL = re.compile(r"\S*\b(ba|da|z)?sh\s+-\w*c\b")
"""A command that starts a shell itself."""
_PYTHON2 = re.compile(
    r"call to '(print|exec)'|multiple exception types must be parenthesized|leading zeros in decimal"
    r"|inconsistent use of tabs"
)
"""In the error about a script that is Python 2."""

LONGEST_SCRIPT = 1 << 20
"""The most bytes of a script that is parsed."""


@dataclass(frozen=True)
class Launch:
    """How a platform's worker starts programs.

    Attributes
    ----------
    metadata_files: names of the file at a program's root that contains its command; the first existing file counts.
    home: the prefix of a word in the command that names a file of the program.
    words: `(report, where, command, step) -> words`, as the worker splits the command; None, with a finding, if it
        cannot be run.
    paths: checks the paths in a command that can be run.
    unwraps: whether the worker moves the files of a program up if all are in one folder.
    """

    metadata_files: tuple[str, ...]
    home: str
    words: Callable[[Report, str, str, str], list[str] | None]
    paths: Callable[[Report, CheckedProgram, str, CheckedTask], None] = lambda *_: None
    unwraps: bool = False


def check_programs(bundle: Inspection, launch: Launch) -> None:
    """Check every task's programs and data, each zip once."""
    programs: dict[tuple[str, str], CheckedProgram | None] = {}
    for task in bundle.contents.tasks:
        for step, archive in task.parts.items():
            if step in DATA:
                _check_data(bundle.report, archive)
            elif step in STEPS:
                if (step, archive.name) not in programs:
                    programs[step, archive.name] = check_program(bundle.report, archive, step, launch)
                if program := programs[step, archive.name]:
                    launch.paths(bundle.report, program, step, task)
    bundle.contents.programs = {key: program for key, program in programs.items() if program}


def is_plain(report: Report, where: str, command: str, variables: Collection[str]) -> bool:
    """Return whether a command needs no shell and has only known variables; otherwise add a finding."""
    unknown = next((each for each in re.findall(r"\$\w*", command) if each not in variables), None)
    if _SHELL.search(command) and not _STARTS_SHELL.match(command):
        report.add("command-shell", where, f"{command!r} needs a shell")
    elif unknown is not None:
        what = f"{unknown!r} in {command!r}"
        report.add("command-variable-unknown", where, what, word=unknown, known=variables)
    else:
        return True
    return False


def split(report: Report, where: str, command: str) -> list[str] | None:
    """Return the words of a command as a shell splits it; None, with a finding, if a quotation mark is left open."""
    try:
        return shlex.split(command)
    except ValueError as error:
        report.add("command-shell", where, f"{command!r}: {error}")
        return None


def check_program(report: Report, archive: Archive, step: str, launch: Launch) -> CheckedProgram | None:
    """Return the program in an archive, or None if the worker would not find a command to run."""
    names = launch.metadata_files
    wrapping = archive.wrapping_folder
    if wrapping:
        report.add("archive-wrapped", archive.name, f"all files are in the folder {wrapping}/")
        inner = archive.folder(wrapping) if launch.unwraps else None
        if inner is None:
            return None
        archive = replace(inner, name=archive.where(wrapping))
    metadata = next((name for name in names if name in archive.files), None)
    if metadata is None:
        if not archive.refused.intersection(names):
            report.add("program-metadata-missing", archive.name, f"no {' or '.join(names)} at its root")
        return None
    where = archive.where(metadata)
    command = _command(report, where, archive.files[metadata])
    words = None if command is None else launch.words(report, where, command, step)
    if words is None:
        return None
    named = [word.removeprefix(launch.home) for word in words if word.startswith(launch.home)]
    named += [posixpath.normpath(word) for word in words if re.fullmatch(r"[^/$].*\.(py|sh|R)", word)]
    for name in named:
        if name not in archive.files and archive.folder(name) is None and name not in archive.refused:
            what = f"{name!r} is not in {archive.name}"
            report.add("command-file", where, what, word=name, known=archive.files)
            return None
    script = next((name for name in named if name.endswith(".py") and name in archive.files), None)
    if script:
        _check_script(report, archive, script)
    return CheckedProgram(archive, metadata, " ".join(words))


def _command(report: Report, where: str, data: bytes) -> str | None:
    try:
        content = parse_yaml(data)
    except ValueError as error:
        report.add("program-metadata-invalid", where, f"cannot be read: {error}")
        return None
    if not isinstance(content, dict):
        report.add("program-metadata-invalid", where, "contains no 'key: value'")
        return None
    command = content.get("command")
    if isinstance(command, str) and command.strip():
        return command
    known = () if "command" in content else map(str, content)
    what = f"command is {command!r}; expected text"
    report.add("program-command-missing", where, what, word="command", known=known)
    return None


def _check_script(report: Report, archive: Archive, script: str) -> None:
    where, data = archive.where(script), archive.files[script]
    if len(data) > LONGEST_SCRIPT:
        report.add("program-syntax", where, f"larger than {LONGEST_SCRIPT >> 10} kB")
        return
    try:
        tree = parse_script(data)
    except ValueError as error:
        report.add("program-python2" if _PYTHON2.search(str(error)) else "program-syntax", where, str(error))
        return
    imported = (package for _, package in imported_packages(tree))
    if "spokeneval" in imported and "spokeneval/__init__.py" not in archive.files:
        report.add("package-missing", where, f"imports spokeneval, which is not in {archive.name}")


def parse_script(data: bytes | str) -> ast.Module:
    """Parse Python.

    Raises
    ------
    ValueError: it cannot be parsed.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except SyntaxError as error:
        raise ValueError(error) from None
    except (RecursionError, MemoryError):
        raise ValueError("nested too deeply") from None


def _check_data(report: Report, archive: Archive) -> None:
    if not any(archive.files.values()):
        if not archive.refused:
            report.add("data-empty", archive.name, "contains only empty files, or none")
    elif archive.wrapping_folder:
        report.add("data-wrapped", archive.name, f"all files are in the folder {archive.wrapping_folder}/")
