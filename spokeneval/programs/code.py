"""The static check of a submission that is a program, before anything of it runs: at the upload and at home.

A submission is a folder with `main.py`, all that it reads, and, where the organiser allows it, `requirements.txt` and
`weights.txt`:

    main.py INPUT_DIR OUTPUT_DIR

Each requirement is pinned by its version and by the SHA-256 of its wheels, and each file of weights by its SHA-256, so
that the same upload is always the same program. Options of pip, addresses and paths are refused.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from pathlib import Path
from re import Match, Pattern
from typing import NamedTuple

from ..formats.problems import Problems, name, quote
from ..formats.submission_folder import JUNK, MAX_FILES, REPORT_FILE, is_platforms_own
from ..formats.submission_zip import MAX_BYTES, MAX_DEPTH
from ..formats.text import read_file

MAIN, REQUIREMENTS, WEIGHTS = "main.py", "requirements.txt", "weights.txt"

OWN = "own"
"""The environment in which a submission may have requirements."""

_MOST_REQUIREMENTS = 1 << 20
_PINNED = re.compile(
    r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?==[0-9][A-Za-z0-9.!+_-]*(?: --hash=sha256:[0-9a-f]{64})+"
)
_WEIGHTS = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._-]{0,99}) sha256:([0-9a-f]{64}) ([1-9][0-9]{0,11}) (https://[!-~]+)"
)
_PLATFORMS = ("metadata", "metadata.yaml")
"""Files from which a platform takes a command to run."""

_JUNK = {*JUNK, "__pycache__", ".git"}
_ADAPTERS = {"model.py": "SAPC2", "setup.sh": "SAPC2", "src/main.py": "On Top of Pasketti"}


def code_accepted(task: str) -> str:
    """Return the report that the ingestion program writes for an accepted program."""
    return f"{task}: program accepted; it was not run here.\n"


def list_code(directory: Path, environment: str, *, after_ingestion: bool = False) -> dict[str, Path]:
    """Return the files of a program, `relative name -> path`, sorted. A single folder around all files is left out.

    Parameters
    ----------
    environment
        `image`, or `own` if a submission may have requirements.
    after_ingestion
        Whether the ingestion program and the platform have written their files beside `main.py`.

    Raises
    ------
    SubmissionError
        The error lists every problem.
    """
    problems = Problems()
    own = after_ingestion and (directory / "metadata").is_file() and is_platforms_own(directory / "metadata")
    left = ([REPORT_FILE] if after_ingestion else []) + ["metadata"] * own
    top = [each.name for each in os.scandir(str(directory)) if each.name not in (*_JUNK, *left)]
    single = directory.joinpath(*top[:1])
    root = single if len(top) == 1 and single.is_dir() and not single.is_symlink() else directory
    files: dict[str, Path] = {}
    size = 0
    for path in _walk(root, problems):
        relative = path.relative_to(root).as_posix()
        if root == directory and relative in left:
            continue
        files[relative] = path
        size += path.stat().st_size
        if len(files) > MAX_FILES or size > MAX_BYTES:
            problems.stop("too_large", "", f"more than {MAX_FILES} files or {MAX_BYTES >> 20} MB")
    for reserved in _PLATFORMS:
        if reserved in files:
            problems.add("metadata_file", reserved, "would make the platform run a command; remove this file")
    if MAIN not in files:
        others = sorted({of for file, of in _ADAPTERS.items() if file in files})
        hint = f"; for the layout of {others[0]}, add the kit's adapter as {MAIN}" if others else ""
        problems.add("missing_file", MAIN, f"is missing; the program starts there{hint}")
    if REQUIREMENTS in files:
        read_requirements(files[REQUIREMENTS], environment, problems)
    if WEIGHTS in files:
        for each in read_weights(files[WEIGHTS], environment, problems):
            if {"weights", f"weights/{each.name}"} & {*files}:
                problems.add(
                    "weights", WEIGHTS, f"weights/{each.name} is in the zip, too; remove one of them"
                )
    problems.raise_if_any()
    return dict(sorted(files.items()))


def read_requirements(path: Path, environment: str, problems: Problems) -> list[str]:
    """Return the pinned requirements of a file, one `name==version --hash=sha256:...` each, sorted."""
    expected = "NAME==VERSION --hash=sha256:DIGEST, as pip-compile --generate-hashes writes it"
    return sorted({match[0] for match in _read_pinned(path, _PINNED, expected, environment, problems)})


class Weights(NamedTuple):
    """A file that a program reads as `weights/NAME`, with its size in bytes, and where it is."""

    name: str
    sha256: str
    size: int
    url: str


def read_weights(path: Path, environment: str, problems: Problems) -> list[Weights]:
    """Return the lines of a file, `NAME sha256:DIGEST BYTES https://...` each."""
    matches = _read_pinned(path, _WEIGHTS, "NAME sha256:DIGEST BYTES https://ADDRESS", environment, problems)
    found = [Weights(match[1], match[2], int(match[3]), match[4]) for match in matches]
    if len({each.name.lower() for each in found}) < len(found):
        problems.add("weights", WEIGHTS, "a name appears twice; expected one line for each file")
    return found


def _read_pinned(
    path: Path, pattern: Pattern[str], expected: str, environment: str, problems: Problems
) -> list[Match[str]]:
    kind = path.stem
    if environment != OWN:
        beside = "the weights" if path.name == WEIGHTS else "pure Python"
        what = "is not used: programs run in the organisers' environment; remove it, or put"
        problems.add(kind, path.name, f"{what} {beside} beside main.py")
        return []
    text = read_file(path, path.name, _MOST_REQUIREMENTS, problems).decode("utf-8", "replace")
    lines = re.sub(r"\\\r?\n", " ", text).splitlines()
    found = [" ".join(re.sub(r"(^|\s)#.*", "", line).split()) for line in lines]
    for number, line in enumerate(found, 1):
        if line and not pattern.fullmatch(line):
            problems.add(kind, path.name, f"{quote(line)}: expected {expected}", line=number)
    return [match for match in map(pattern.fullmatch, found) if match]


def _walk(folder: Path, problems: Problems, depth: int = 1) -> Iterator[Path]:
    """Yield the ordinary files below a folder; everything else is a problem, but for what systems leave behind."""
    with os.scandir(str(folder)) as entries:
        for entry in sorted(entries, key=lambda entry: entry.name):
            shown = "/".join(Path(entry.path).parts[-depth:])
            if entry.name in _JUNK or entry.name.startswith("._"):
                continue
            if not entry.name.isprintable() or "\\" in entry.name:
                problems.add(
                    "name", shown, f"{name(shown)}: this name is not valid on every system; rename the file"
                )
            elif entry.is_symlink():
                problems.add("link", shown, "is a link; expected an ordinary file")
            elif entry.is_dir():
                if depth > MAX_DEPTH:
                    problems.add("depth", shown, f"is nested in more than {MAX_DEPTH} folders")
                else:
                    yield from _walk(Path(entry.path), problems, depth + 1)
            elif not stat.S_ISREG(entry.stat(follow_symlinks=False).st_mode):
                problems.add(
                    "special_file", shown, "is a pipe, a device or a socket; expected an ordinary file"
                )
            else:
                yield Path(entry.path)
