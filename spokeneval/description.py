"""Facts about a task for a user: its files, columns, options and scores."""

from __future__ import annotations

from collections.abc import Mapping
from textwrap import fill
from typing import Any, NamedTuple, Optional

from .formats.tables import Layout
from .task import Task


class FileDescription(NamedTuple):
    """A file of a reference or a submission: its name, the column of ids, and the columns that it must and may have."""

    file: str
    id: str
    columns: tuple[str, ...]
    optional: tuple[str, ...]


class ScoreDescription(NamedTuple):
    """A score: key, title, direction (``higher`` or ``lower``), whether it has an interval, and a description."""

    key: str
    title: str
    direction: str
    interval: bool
    description: str


class TaskDescription(NamedTuple):
    """A task. `str()` gives the description that ``python -m spokeneval tasks TASK`` prints.

    Attributes
    ----------
    name
        The name, for `score` and `compare`.
    title
        The title.
    reference
        The files with the labels.
    submission
        The file of a submission; None if its form is not a table.
    options
        The options, ``option -> values``, the default first.
    scores
        The scores, the primary one first.
    """

    name: str
    title: str
    reference: tuple[FileDescription, ...]
    submission: Optional[FileDescription]
    options: Mapping[str, tuple[str, ...]]
    scores: tuple[ScoreDescription, ...]

    def __str__(self) -> str:
        lines = [f"{self.name}: {self.title}"]
        for side, files in (("Reference", self.reference), ("Submission", [self.submission])):
            for file in filter(None, files):
                optional = f"; optional {', '.join(file.optional)}" if file.optional else ""
                text = f"{side}, {file.file}: {', '.join(file.columns)}{optional}"
                lines += ["", fill(text, 100, subsequent_indent="  ")]
        for name, values in self.options.items():
            lines += ["", fill(f"Option {name}: {', '.join(values)}", 100, subsequent_indent="  ")]
        width = max(len(score.key) for score in self.scores)
        lines += ["", "Scores, the primary one first"]
        for score in self.scores:
            text = f"  {score.key:<{width}}  {score.title}, {score.direction} is better: {score.description}"
            lines.append(fill(text, 100, subsequent_indent=" " * (width + 4)))
        return "\n".join(lines)

    def to_dict(self) -> dict[str, Any]:
        """The description as it is written with ``--json``: texts, lists and dictionaries only."""
        return {
            "name": self.name,
            "title": self.title,
            "reference": [_as_json(file) for file in self.reference],
            "submission": _as_json(self.submission) if self.submission else None,
            "options": {name: list(values) for name, values in self.options.items()},
            "scores": [score._asdict() for score in self.scores],
        }


def describe_task(task: Task) -> TaskDescription:
    submission = task.format.submission
    return TaskDescription(
        task.name,
        task.title,
        tuple(map(_describe_file, task.format.layouts)),
        _describe_file(submission) if submission else None,
        {option.name: option.values for option in task.options},
        tuple(
            ScoreDescription(
                score.key, score.heading, score.direction, score.bounds is not None, score.description
            )
            for score in task.scores
        ),
    )


def _describe_file(layout: Layout) -> FileDescription:
    return FileDescription(layout.file, layout.id, tuple(layout.required), tuple(layout.optional))


def _as_json(file: FileDescription) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in file._asdict().items()}
