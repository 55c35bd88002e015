"""Functions that both programs share: their folders and options, and the messages for errors."""

from __future__ import annotations

import shutil
import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
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
from ..scoring.options import OPTIONS_FILE, Options, read_options
from ..scoring.output import INTERRUPTED, say, silent


def accepted_report(task: str, items: int) -> str:
    """Return the report that the ingestion program writes for an accepted submission."""
    return f"{task}: structure accepted, {items} items checked.\n"


def own_options() -> Options:
    """Return the organiser's options, from the file beside the running program."""
    return read_options(Path(sys.argv[0]).resolve().with_name(OPTIONS_FILE))


def directories(*names: str) -> Sequence[Path]:
    if len(sys.argv) != len(names) + 1:
        raise _Usage(f"usage: python3 {Path(sys.argv[0]).name} {' '.join(names)}")
    return [Path(argument) for argument in sys.argv[1:]]


class _Usage(Exception):
    """The program was called with the wrong number of folders."""


class Unspoken(Exception):
    """Raised from an error of code that has hidden labels; the error's text may quote them, so it is not shown."""


@contextmanager
def unspoken() -> Iterator[None]:
    """Hide the text of errors in code that has hidden labels, also of those whose text is usually shown."""
    try:
        yield
    except (OSError, SubmissionError) as error:
        raise Unspoken from error


def remove(path: Path) -> None:
    """Remove a file, link or folder, if it exists."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(str(path))
    elif path.exists() or path.is_symlink():
        path.unlink()


def run(
    program: Callable[[], None], refused: Callable[[str, BaseException], None] = lambda words, refusal: None
) -> int:
    """Run a program; report errors on standard error and to `refused`. Return the exit status.

    Only what the program says is printed, nothing that a task's own code prints.
    """
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    with silent():
        try:
            program()
        except _Usage as usage:
            say(str(usage), error=True)
            return 1
        except KeyboardInterrupt:
            return INTERRUPTED
        except (Exception, SystemExit) as error:
            words = describe_error(error)
            say(words, error=True)
            refused(words, error)
            return 1
        return 0


def describe_error(error: BaseException) -> str:
    """Return an error message for the participant, without text from a reference, which may contain labels."""
    if isinstance(error, Unspoken) and error.__cause__:
        return describe_failure(error.__cause__)
    if isinstance(error, SubmissionError):
        return f"{error}\n\n{FREE_ATTEMPT}"
    if isinstance(error, FileProblems):
        kind = "reference data" if isinstance(error, ReferenceFileError) else "input data"
        return (  # only the number of problems, which may quote labels
            f"The organisers' {kind} cannot be used ({count_of(error.total, 'problem')}). Please inform the "
            "organisers: building the bundle lists the problems.\nNothing was scored."
        )
    if isinstance(error, OSError):
        file = Path(str(error.filename or "file")).name
        return f"{name(file)}: {error.strerror}\nNothing was scored."
    return describe_failure(error)


def describe_failure(error: BaseException) -> str:
    """Return a message for a defect in the program: its place in the code, but no values, which may be labels."""
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(
        [
            f"The program failed ({type(error).__name__}). Please send these lines to the organisers:",
            *(f"  {Path(frame.filename).name} line {frame.lineno} in {frame.name}" for frame in frames[-4:]),
            "Nothing was scored.",
        ]
    )
