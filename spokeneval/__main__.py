"""Score a submission from the command line::

    python -m spokeneval score TASK --reference PATH --submission PATH [--option NAME=VALUE] [--json]
    python -m spokeneval score --task-file task.json --reference PATH --submission PATH [--json]
    python -m spokeneval tasks

Exit status: 0 if the submission was scored, 1 if a file was refused (all problems are on standard error), 2 for wrong
arguments.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from textwrap import wrap
from typing import Optional

from .formats.problems import FileProblems, ReferenceFileError, count_of
from .formats.speakers import independence_note
from .kinds.declared import read_task
from .kinds.kind import ParameterError
from .run.library import Result, score_files
from .run.options import choose_options
from .run.output import INTERRUPTED, say, score_table
from .task import Task
from .tasks import find_task, task_names


def main(arguments: Optional[Sequence[str]] = None) -> int:
    try:
        return _run(arguments)
    except KeyboardInterrupt:
        return INTERRUPTED


def _run(arguments: Optional[Sequence[str]]) -> int:
    for stream in (sys.stdout, sys.stderr):  # some terminals cannot print all characters, such as κ
        stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    parser = argparse.ArgumentParser(prog="spokeneval", description="Score submissions to speech challenges.")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    scoring = commands.add_parser(
        "score",
        help="score a submission against a reference",
        description="Score a submission against a reference, and print every score at full precision.",
        epilog="Exit status: 0 if the submission was scored; 1 if a file was refused (all problems are on standard "
        "error); 2 for wrong arguments.",
    )
    scoring.add_argument("task", nargs="?", metavar="TASK", help="name of the task; `tasks` lists all names")
    declared = "instead of TASK: the task.json of a declared task, from its bundle or starting kit"
    scoring.add_argument("--task-file", type=Path, metavar="FILE", help=declared)
    reference = "the reference: its file, or the folder with its files"
    scoring.add_argument("--reference", required=True, metavar="PATH", help=reference)
    submission = "the submission: its file, the folder with its files, or a zip of them"
    scoring.add_argument("--submission", required=True, metavar="PATH", help=submission)
    option = "set an option of the task; can be repeated"
    scoring.add_argument("--option", action="append", default=[], metavar="NAME=VALUE", help=option)
    scoring.add_argument("--json", action="store_true", help="print the result as JSON")
    commands.add_parser("tasks", help="list the tasks with their primary scores")
    options = parser.parse_args(arguments)
    if options.command == "tasks":
        say(list_tasks())
        return 0
    try:
        task = _chosen_task(options.task, options.task_file)
    except (ValueError, OSError) as error:
        say(str(error), error=True)
        return 2
    chosen = dict(choice.partition("=")[::2] for choice in options.option)
    try:
        choose_options(task, chosen)
    except ValueError as error:
        say(f"--option: {error}", error=True)
        return 2
    try:
        result = score_files(task, options.reference, options.submission, chosen)
    except FileProblems as refusal:
        side = "reference" if isinstance(refusal, ReferenceFileError) else "submission"
        say(
            f"The {side} {getattr(options, side)} is refused.\n\n{refusal}\n\nNothing was scored.", error=True
        )
        return 1
    except OSError as error:
        say(f"{error.filename}: {error.strerror}", error=True)
        return 2
    say(json.dumps(asdict(result), indent=2) if options.json else format_result(task, result))
    return 0


def _chosen_task(name: Optional[str], file: Optional[Path]) -> Task:
    """Return the task of a name, or of a `task.json`.

    Raises
    ------
    ValueError
        Neither or both are given, there is no such task, or the file does not declare a task.
    OSError
        The file cannot be read.
    """
    if (name is None) == (file is None):
        raise ValueError("Give the name of a task, or --task-file; `tasks` lists the names.")
    if file is None:
        if name not in task_names():
            raise ValueError(f"Unknown task {name}. Choose one of {', '.join(task_names())}.")
        return find_task(str(name))
    try:
        return read_task(file)
    except OSError as error:
        raise OSError(f"{file}: {error.strerror}") from None
    except ParameterError as error:
        raise ValueError(f"{file}: {error}") from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError(f"{file}: not the task.json of a declared task") from None


def list_tasks() -> str:
    """The table of tasks, one line each: name, title and primary score."""
    tasks = [find_task(name) for name in task_names()]
    width = max(len(task.name) for task in tasks)
    return "\n".join(
        f"{task.name:<{width}}  {task.title}: {task.primary.heading}, {task.primary.direction} is better"
        for task in tasks
    )


def format_result(task: Task, result: Result) -> str:
    """The table of scores, one line each, then the signature."""
    units = count_of(result.units, result.unit)
    lines = [f"{task.title}: {count_of(result.items, 'item')}, intervals over {units}", ""]
    lines += score_table(task, result.scores, result.intervals)
    note = independence_note(result.unit, task.declaration)
    return "\n".join([*lines, *(["", *wrap(note, 80)] if note else []), "", result.signature])


if __name__ == "__main__":
    sys.exit(main())
