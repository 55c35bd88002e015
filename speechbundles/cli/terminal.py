"""How a command ends early: by an error that the organiser can cause, by Ctrl-C, or on Windows."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from click.exceptions import Exit

from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import installed_root
from speechbundles.model.text import say

ROOT = installed_root()


@contextmanager
def reporting(status: int = 1, *, ending: str = "") -> Iterator[None]:
    """Print an error that the organiser can cause, and end the command with this status.

    A file's name that is not UTF-8 is a UnicodeEncodeError.
    """
    try:
        yield
    except (OrganiserError, OSError, UnicodeEncodeError) as error:
        message = f"{describe(error)}{ending}"
        say(wrap(message) if sys.stderr.isatty() else message, error=True)  # in a log, lines are left whole
        raise Exit(status) from None


def describe(error: Exception) -> str:
    """The message; of what the system refused, the file first."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def resumable(done: str) -> Iterator[None]:
    """Ctrl-C ends a command that keeps what is done."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Stopped. What was {done} is kept: the same command goes on from here.", error=True)
        raise Exit(130) from None


def refuse_windows() -> None:
    if sys.platform == "win32":
        say("Programs are not rehearsed on Windows; run this in WSL, on Linux or on macOS.", error=True)
        raise Exit(1)
