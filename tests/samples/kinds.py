"""Tasks that parameters declare, and what they count and score of the content of files."""

from __future__ import annotations

from typing import Any

from spokeneval.kinds.declared import KINDS
from spokeneval.metrics.counts import total
from spokeneval.task import Task

Contents = dict[str, bytes]


def make(kind: str, **declared: Any) -> Task:
    return KINDS[kind].read(declared).task("own", "Own")


def csv(**columns: Any) -> bytes:
    """A table of these columns; None is an empty cell."""
    rows = [columns, *zip(*columns.values())]
    return "".join(
        ",".join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    ).encode()


def read(task: Task, reference: Contents, submission: Contents) -> tuple[Any, Any]:
    truth = task.format.read_reference(reference)
    return truth, task.format.read_submission(submission, truth.items)


def scores_of(task: Task, reference: Contents, submission: Contents) -> dict[str, float]:
    counts = {part: total(rows) for part, rows in task.count(*read(task, reference, submission)).items()}
    return {score.key: score.value(task.part(score, counts)) for score in task.scores}
