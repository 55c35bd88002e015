"""Facts about a task or a kind of task for a user: its files, columns, options, parameters and scores."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill
from typing import Any, NamedTuple, Optional

from .formats.tables import Layout
from .kinds.declared import GENERAL, declared_task
from .kinds.kind import REQUIRED, Kind
from .task import Task


class FileDescription(NamedTuple):
    """A file of a reference or a submission: its name, the column of ids, and the columns that it must and may have.

    `instead`: names of files in other formats that may take its place.
    """

    file: str
    id: str
    columns: tuple[str, ...]
    optional: tuple[str, ...]
    instead: tuple[str, ...] = ()


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
                instead = f"; or {', '.join(file.instead)}" if file.instead else ""
                text = f"{side}, {file.file}: {', '.join(file.columns)}{optional}{instead}"
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


class ParameterDescription(NamedTuple):
    """A parameter of a kind: its name, what it sets, its default (`required` if it has none), and an example."""

    name: str
    description: str
    default: Any
    example: Any


class KindDescription(NamedTuple):
    """A kind of task. `str()` gives the description that ``python -m spokeneval tasks KIND`` prints.

    Attributes
    ----------
    name
        The name, for ``{"kind": name}`` and ``--kind``.
    description
        What its tasks ask for.
    parameters
        The parameters.
    example
        The task that the examples of the parameters declare.
    """

    name: str
    description: str
    parameters: tuple[ParameterDescription, ...]
    example: TaskDescription

    def __str__(self) -> str:
        lines = [fill(f"{self.name}: {self.description}", 100, subsequent_indent="  "), "", "Parameters"]
        for each in self.parameters:
            default = f"default {json.dumps(each.default)}" if each.default else "optional"
            example = f" Example: {json.dumps(each.example)}" if each.example else ""
            text = f"  {each.name} ({MANDATORY if each.default == MANDATORY else default}): {each.description}{example}"
            lines.append(fill(text, 100, subsequent_indent="      "))
        return "\n".join([*lines, "", "With the examples, the task is", "", str(self.example)])

    def to_dict(self) -> dict[str, Any]:
        """The description as it is written with ``--json``: texts, lists and dictionaries only."""
        parameters = [parameter._asdict() for parameter in self.parameters]
        return {**self._asdict(), "parameters": parameters, "example": self.example.to_dict()}


MANDATORY = "required"
"""The default of a parameter that must be given."""


def describe_kind(kind: type[Kind]) -> KindDescription:
    parameters = [
        ParameterDescription(
            each.name,
            each.description,
            MANDATORY if each.default is REQUIRED else each.default,
            each.example,
        )
        for each in kind.parameters()
    ]
    parameters += [
        ParameterDescription(name, text, None, None) for name, text in GENERAL.items() if name != "kind"
    ]
    example = {each.name: each.example for each in kind.parameters()}
    task = declared_task(kind.name, {"kind": kind.name, **example})
    return KindDescription(kind.name, kind.description, tuple(parameters), describe_task(task))


def describe_task(task: Task) -> TaskDescription:
    submission, layouts = task.format.submission, task.format.layouts
    return TaskDescription(
        task.name,
        task.title,
        tuple(_describe_file(layout, task.format.other_files, not layouts[1:]) for layout in layouts),
        _describe_file(submission, task.format.other_submissions, True) if submission else None,
        task.choices,
        tuple(
            ScoreDescription(
                score.key, score.heading, score.direction, score.bounds is not None, score.description
            )
            for score in task.scores
        ),
    )


def _describe_file(layout: Layout, others: Sequence[str], alone: bool) -> FileDescription:
    """Describe a file; beside others, its other formats are those of the same name but for the suffix."""
    instead = tuple(other for other in others if alone or Path(other).stem == Path(layout.file).stem)
    columns = layout.columns
    optional = tuple(column for column in layout.optional if column not in columns)
    return FileDescription(layout.file, layout.id, columns, optional, instead)


def _as_json(file: FileDescription) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in file._asdict().items()}
