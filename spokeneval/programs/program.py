"""What both programs share: the folders and options that they are given, and the words for what goes wrong."""

from __future__ import annotations

import shutil
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import Callable

from ..formats.problems import (
    FREE_ATTEMPT,
    FileProblems,
    ReferenceFileError,
    SubmissionError,
    count_of,
    name,
)
from ..run.options import OPTIONS_FILE, Options, read_options


def accepted_report(task: str, items: int) -> str:
    """What the ingestion program leaves beside a submission that it accepts."""
    return f"{task}: structure accepted, {items} items checked.\n"


def own_options() -> Options:
    """The organiser's choices, beside the program that runs."""
    return read_options(Path(sys.argv[0]).resolve().parent / OPTIONS_FILE)


def directories(*names: str) -> Sequence[Path]:
    if len(sys.argv) != len(names) + 1:
        raise _Usage(f"usage: python3 {Path(sys.argv[0]).name} {' '.join(names)}")
    return [Path(argument) for argument in sys.argv[1:]]


class _Usage(Exception):
    """The program was called with the wrong number of folders."""


def remove(path: Path) -> None:
    """Remove whatever has this name, a link or a folder too."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(str(path))
    elif path.exists() or path.is_symlink():
        path.unlink()


def run(
    program: Callable[[], None], refused: Callable[[str, Exception], None] = lambda words, refusal: None
) -> int:
    """Run a program; what goes wrong is said on standard error, and to `refused`."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        program()
    except _Usage as usage:
        print(usage, file=sys.stderr)
        return 1
    except Exception as error:
        words = describe_error(error)
        print(words, file=sys.stderr, flush=True)
        refused(words, error)
        return 1
    return 0


def describe_error(error: Exception) -> str:
    """What went wrong, for the participant: no words of a reference's own, which may be labels."""
    if isinstance(error, SubmissionError):
        return f"{error}\n\n{FREE_ATTEMPT}"
    if isinstance(error, FileProblems):
        return describe_bad_reference(error)
    if isinstance(error, OSError):
        file = Path(str(error.filename or "file")).name
        return f"{name(file)}: {error.strerror}\nNothing was scored."
    return describe_failure(error)


def describe_bad_reference(refusal: FileProblems) -> str:
    """A broken reference or item list: its problems may quote labels, so only their number is told."""
    kind = "reference data" if isinstance(refusal, ReferenceFileError) else "input data"
    return (
        f"The organisers' {kind} cannot be used ({count_of(refusal.total, 'problem')}); building the bundle names "
        "them. Please tell the organisers.\nNothing was scored."
    )


def describe_failure(error: Exception) -> str:
    """A defect in the program: where it is, but no value, because a value may be a label."""
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(
        [
            f"The program failed ({type(error).__name__}). Please tell the organisers:",
            *(f"  {Path(frame.filename).name} line {frame.lineno} in {frame.name}" for frame in frames[-4:]),
            "Nothing was scored.",
        ]
    )
