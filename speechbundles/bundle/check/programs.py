"""Checks what the workers need to start a program: its metadata, its command, and the files that the command names."""

import ast
import posixpath
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from speechbundles.bundle.check.inspection import DATA, STEPS, BuiltTask, Inspection, Program
from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_yaml
from speechbundles.model.finding import Report

SHELL = re.compile(r"(?:^|\s)(?:\|\|?|&&?|[12&]?>>?|<|2>&1)(?:\s|$)|;(?:\s|$)|`|\$\(|\*")
"""Characters that only a shell interprets; no worker starts a shell."""

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
    """

    metadata_files: tuple[str, ...]
    home: str
    words: Callable[[Report, str, str, str], list[str] | None]
    paths: Callable[[Report, Program, str, BuiltTask], None] = lambda *_: None


def check_programs(bundle: Inspection, launch: Launch) -> None:
    """Check every task's programs and data, each zip once."""
    programs = bundle.contents.programs
    done: set[tuple[str, str]] = set()
    for task in bundle.contents.tasks:
        for step in STEPS:
            archive = task.parts.get(step)
            if archive is None:
                continue
            if (step, archive.name) not in done:
                done.add((step, archive.name))
                program = _check_program(bundle.report, archive, step, launch)
                if program:
                    programs[step, archive.name] = program
            if (step, archive.name) in programs:
                launch.paths(bundle.report, programs[step, archive.name], step, task)
        for part in DATA:
            if part in task.parts:
                _check_data(bundle.report, task.parts[part])


def _check_program(report: Report, archive: Archive, step: str, launch: Launch) -> Program | None:
    """Return the program in an archive, or None if the worker would not find a command to run."""
    names = launch.metadata_files
    metadata = next((name for name in names if name in archive.files), None)
    if metadata is None:
        if archive.wrapping_folder:
            report.add(
                "archive-wrapped", archive.name, f"all files are in the folder {archive.wrapping_folder}/"
            )
        elif not archive.refused.intersection(names):
            report.add("program-metadata-missing", archive.name, f"no {' or '.join(names)} at its root")
        return None
    command = _command(report, archive, metadata)
    if command is None:
        return None
    where = archive.where(metadata)
    words = launch.words(report, where, command, step)
    if words is None:
        return None
    named = _files_of_command(report, archive, where, words, launch.home)
    if named is None:
        return None
    script = next((name for name in named if name.endswith(".py")), None)
    return Program(archive, metadata, " ".join(words), script, _parse(report, archive, script))


def _command(report: Report, archive: Archive, metadata: str) -> str | None:
    where = archive.where(metadata)
    try:
        content = parse_yaml(archive.files[metadata])
    except ValueError as error:
        report.add("program-metadata-invalid", where, f"cannot be read: {error}")
        return None
    if not isinstance(content, dict):
        report.add("program-metadata-invalid", where, "contains no 'key: value'")
        return None
    command = content.get("command")
    if not isinstance(command, str) or not command.strip():
        text = f"command is {command!r}; expected text"
        known = () if "command" in content else map(str, content)
        report.add("program-command-missing", where, text, word="command", known=known)
        return None
    return command


def _files_of_command(
    report: Report, archive: Archive, where: str, words: list[str], home: str
) -> list[str] | None:
    """Return the program's own files that its command names, or None if one of them does not exist."""
    named: list[str] = []
    for word in words:
        if word.startswith(home):
            named.append(word[len(home) :])
        elif posixpath.splitext(word)[1] in (".py", ".sh", ".R") and not word.startswith(("/", "$")):
            named.append(posixpath.normpath(word))
    for name in named:
        if name not in archive.files and archive.folder(name) is None and name not in archive.refused:
            text = f"{name!r} is not in {archive.name}"
            report.add("command-file", where, text, word=name, known=archive.files)
            return None
    return named


def _parse(report: Report, archive: Archive, script: str | None) -> ast.Module | None:
    if script is None or script not in archive.files:
        return None
    if len(archive.files[script]) > LONGEST_SCRIPT:
        report.add("program-syntax", archive.where(script), f"larger than {LONGEST_SCRIPT >> 10} kB")
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(archive.files[script])
    except (SyntaxError, ValueError) as error:
        report.add("program-syntax", archive.where(script), f"{error}")
        return None
    except (RecursionError, MemoryError):
        report.add("program-syntax", archive.where(script), "nested too deeply")
        return None
    if "spokeneval" in set(_imported(tree)) and "spokeneval/__init__.py" not in archive.files:
        report.add(
            "package-missing", archive.where(script), f"imports spokeneval, which is not in {archive.name}"
        )
    return tree


def _imported(tree: ast.Module) -> Iterable[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _check_data(report: Report, archive: Archive) -> None:
    if not any(archive.files.values()):
        if not archive.refused:
            report.add("data-empty", archive.name, "contains only empty files, or none")
    elif archive.wrapping_folder:
        report.add("data-wrapped", archive.name, f"all files are in the folder {archive.wrapping_folder}/")
