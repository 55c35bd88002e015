"""The result of a command, warnings, and ways to end early: an error that the organiser can fix, Ctrl-C, or Windows."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

import click
from click.exceptions import Exit

from speechbundles.model.console import wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.sources import installed_root
from speechbundles.model.text import say
from spokeneval.formats.problems import count_of

ROOT = installed_root()

MOST_LINES = 15
"""Most lines of a long answer that are printed if a file has all of it."""


@contextmanager
def reporting(status: int = 1, *, ending: str = "") -> Iterator[None]:
    """Print an error that the organiser can fix, and end the command with this status.

    UnicodeEncodeError is raised for a file name that is not UTF-8.
    """
    try:
        yield
    except (OrganiserError, OSError, UnicodeEncodeError) as error:
        printing = getattr(error, "filename", None) == "standard output"  # of what is done
        refuse(describe(error) + ending * (not printing), status)


def answer(content: object, text: object, *, as_json: bool) -> None:
    """Print the result of a command to standard output, as JSON or as text; nothing if the text is empty."""
    if as_json:
        answer_json(content)
    elif text:
        say(text)


def beginning(lines: Sequence[str], where: object) -> list[str]:
    """Return the first `MOST_LINES` lines, and how many more are in a file that has all."""
    more = [f"... and {count_of(len(lines) - MOST_LINES, 'more line')}, in {where}"] * (
        len(lines) > MOST_LINES
    )
    return [*lines[:MOST_LINES], *more]


def answer_json(content: object) -> None:
    """Print the result of a command to standard output as JSON, in ASCII."""
    say(json.dumps(content, indent=2, default=str))


def report_steps(steps: Iterable[str], *, as_json: bool) -> list[str]:
    """Print each step when it is done, with `--json` to standard error; return all steps."""
    done = []
    for step in steps:
        say(step, error=as_json)
        done.append(step)
    return done


def refuse(message: str, status: int) -> NoReturn:
    """Print why a command ends, with `--json` also as JSON, and end it with this status."""
    warn(message)
    context = click.get_current_context(silent=True)
    if context is not None and context.params.get("as_json"):
        answer_json({"error": message})
    raise Exit(status) from None


def warn(message: str) -> None:
    """Print a message to standard error, wrapped on a terminal. In a log, lines are left whole."""
    say(wrap(message) if sys.stderr.isatty() else message, error=True)


def describe(error: Exception) -> str:
    """Return the message of an error; of an operating system's error, the file and the reason."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def resumable(done: str) -> Iterator[None]:
    """On Ctrl-C, report that finished work is kept, and end the command."""
    try:
        yield
    except KeyboardInterrupt:
        say(f"Stopped. Submissions {done} so far are kept. Run the same command to continue.", error=True)
        raise Exit(130) from None


def refuse_windows() -> None:
    if sys.platform == "win32":
        refuse("Programs are not rehearsed on Windows; run this in WSL, on Linux or on macOS.", 1)
