"""Decisions for units of several items: one for each speaker or patient, from the answers to their recordings.

By `VOTE`, a unit has the class with the most answers; of classes with equally many, the first in their declared order.
By `MEAN`, a submission has scores, and a unit is positive if the mean of its scores is at least the threshold.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..formats.format import Answers
from ..formats.problems import Problems
from ..formats.speakers import Units
from ..formats.tables import Table, numbered

VOTE, MEAN = "vote", "mean"
SCORE = "score"


@dataclass(frozen=True)
class Pooling:
    """How items are pooled.

    Attributes
    ----------
    rule: `VOTE` or `MEAN`.
    threshold: the least mean score of a positive unit.
    classes, positive: the classes, and the number of the positive one, for `MEAN`.
    unit, truth, answer: the columns of units, of the reference's classes, and of a submission.
    """

    rule: str
    threshold: float
    classes: Sequence[str]
    positive: int
    unit: str
    truth: str
    answer: str

    def truths(self, reference: Answers) -> np.ndarray:
        """The class of each unit, in the order of their first items."""
        _, row = numbered(reference.texts[self.unit])
        return np.asarray(reference[self.truth][np.unique(row, return_index=True)[1]])

    def sides(self, reference: Answers, submission: Answers) -> tuple[np.ndarray, np.ndarray]:
        """The class of each unit, and the one that a submission gives it."""
        names, row = numbered(reference.texts[self.unit])
        given = submission[self.answer]
        if self.rule == VOTE:
            votes = np.zeros((len(names), len(self.classes)), dtype=np.int64)
            np.add.at(votes, (row, given), 1)
            return self.truths(reference), votes.argmax(axis=1)
        order, ends = np.argsort(row, kind="stable"), np.cumsum(np.bincount(row))[:-1]
        means = np.array([math.fsum(scores) / len(scores) for scores in np.split(given[order], ends)])
        return self.truths(reference), np.where(means >= self.threshold, self.positive, 1 - self.positive)

    def partly_right(self, reference: Answers, right: np.ndarray) -> Answers:
        """Scores on the right side of the threshold for the chosen items, and on the wrong side for the others."""
        positive = (reference[self.truth] == self.positive) == right
        return Answers(reference.items, {self.answer: self.threshold + np.where(positive, 0.5, -0.5)})

    def units(self, reference: Answers) -> Units:
        return Units(self.unit, {name: name for name in reference.texts[self.unit]})

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        """Add the problems of a reference without units, and of units with several classes."""
        units = table.columns.get(self.unit, [])
        if not any(units):
            message = f"no {self.unit!r}, by which `pool` joins items; name the column of units with `unit`"
            problems.add("no_unit", table.file, message)
            return
        first: dict[str, int] = {}
        for row, (unit, label) in enumerate(zip(units, answers[self.truth].tolist())):
            start = first.setdefault(unit, row)
            other = answers[self.truth][start]
            if not unit:
                table.add_problem(
                    problems, "no_unit", row, f"the {self.unit} is empty; expected one in every row"
                )
            elif label != other and min(label, other) >= 0:
                message = (
                    f"{self.unit} {unit} is {self.classes[label]} here, but {self.classes[other]} on "
                    f"{table.place} {table.lines[start]}; expected one class for each {self.unit}"
                )
                table.add_problem(problems, "several_classes", row, message)
