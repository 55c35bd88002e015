"""The result of a command, warnings, and ways to end early: an error that the organiser can fix, Ctrl-C, or Windows."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import NoReturn

import click
from click.exceptions import Exit

from speechbundles.model.console import wrap
from speechbundles.model.sources import installed_root
from speechbundles.model.text import say
from spokeneval.formats.problems import count_of

ROOT = installed_root()

JSON = "as_json"
"""The name of the option `--json`, under which the context of a command keeps its value."""

MOST_LINES = 15
"""Most lines of a long answer that are printed if a file has all of it."""


def as_json() -> bool:
    """Return whether the command that is running prints JSON; the option `--json` says so."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(JSON))


def answer(content: object, text: object) -> None:
    """Print the result of a command to standard output, as JSON or as text; nothing if the text is empty."""
    if as_json():
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


def report_steps(steps: Iterable[str]) -> list[str]:
    """Print each step when it is done, with `--json` to standard error; return all steps."""
    done = []
    for step in steps:
        say(step, error=as_json())
        done.append(step)
    return done


def refuse(message: str, status: int) -> NoReturn:
    """Print why a command ends, with `--json` also as JSON, and end it with this status."""
    warn(message)
    if as_json():
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
