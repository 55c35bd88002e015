"""Decisions: one of two or more classes for each item. Primary score: F1, or its mean over classes; higher is better.

Of two classes one is the positive class: F1, precision, recall and specificity are of that class. Of more classes F1 is
the mean over the classes of the reference. Answers to the recordings of a unit, such as a speaker, can be pooled to one
decision for the unit (see `pool`).
Source: `metrics.classification`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Callable, ClassVar

import numpy as np

from ..formats.format import Answers, Format, Items, sheet_format
from ..formats.problems import Problems
from ..formats.speakers import Units
from ..formats.tables import Parser, Table, numbered, real_numbers, words
from ..metrics import agreement, rater_pairs
from ..metrics import classification as metrics
from ..metrics.shares import f1_of_shares, of_shares
from ..task import AGREEMENT, HIGHER, Score, Task
from ..trivial import MOST_TRIVIAL, always, at_random
from .kind import (
    Kind,
    ParameterError,
    class_names,
    finite_number,
    id_parameter,
    item_parameter,
    one_of,
    one_table,
    parameter,
    text,
    unit_parameter,
)

VOTE, MEAN = "vote", "mean"
SCORE = "score"
THRESHOLD = 0.5
PREDICTIONS, ORDER = "predictions", "order"
"""The parts of the counts."""
LINEAR, QUADRATIC = "linear", "quadratic"


@dataclass(frozen=True)
class DecisionsKind(Kind):
    """A task that asks for one of several classes."""

    # fmt: off
    classes: tuple[str, ...] = parameter(
        "The classes, two or more, in the order of tables.", class_names, ["healthy", "patient"])
    positive: str = parameter(
        "The positive class of two, for precision and recall. Leave it out for three classes or more.",
        lambda value: text(value) if value else "", "patient", "")
    pool: str = parameter(
        "How the answers to the items of one unit become its decision. With vote, the class with the most answers "
        "wins; in a tie, the first in `classes`. With mean, for two classes, a submission has a column `score`, and a "
        "unit is positive if its mean is at least `threshold`. Without `pool`, each item is scored.",
        lambda value: one_of(VOTE, MEAN)(value) if value is not None else "", VOTE, None)
    threshold: float = parameter(
        "With `pool: mean`, the least mean score of a positive unit.", finite_number, THRESHOLD, THRESHOLD)
    weights: str = parameter(
        "If `classes` are in order, such as stages of a disease: how a disagreement grows with its distance in κ, "
        "linear or quadratic. κ is then a score, after pooling if answers are pooled.",
        lambda value: one_of(LINEAR, QUADRATIC)(value) if value is not None else "", QUADRATIC, None)
    id: str = id_parameter()
    item: str = item_parameter()
    unit: str = unit_parameter()
    # fmt: on

    name = "decisions"
    description = "one of two or more classes for each item"
    opening = "Decide which class each {item} belongs to."

    truth: ClassVar[str] = "label"
    predicted: ClassVar[str] = "label"
    """The columns with the classes in the reference and in a submission."""
    answers: ClassVar[Sequence[str]] = ()
    wanted: ClassVar[Sequence[int]] = ()
    """For reports, the answers, and the number of the right one to each class, if answers are not the classes."""

    def __post_init__(self) -> None:
        classes, positive = self.classes, self.positive
        if self.pool != MEAN and self.threshold != THRESHOLD:
            message = "the least mean score of a positive unit; declare `pool: mean`, too"
            raise ParameterError("threshold", message)
        if self.pool == MEAN and len(classes) > 2:
            raise ParameterError("pool", f"mean of scores for {len(classes)} classes; expected two, or vote")
        if positive and positive not in classes:
            raise ParameterError("positive", f"{positive!r} is not one of the classes {', '.join(classes)}")
        if bool(positive) != (len(classes) == 2):
            many = f"{len(classes)} classes have no positive one"
            raise ParameterError("positive", many if positive else "two classes; name the positive one")

    @property
    def answer(self) -> str:
        """The column of a submission with its classes, or with scores."""
        return SCORE if self.pool == MEAN else self.predicted

    @property
    def number(self) -> int:
        """The number of the positive class, -1 without one."""
        return self.classes.index(self.positive) if self.positive else -1

    @property
    def asked(self) -> str:
        """What is scored: an item, or the unit that pools items."""
        return self.unit if self.pool else self.item

    @property
    def cells(self) -> tuple[Parser, Parser]:
        """The parsers of the reference's classes and of a submission's answers."""
        labels = words({label: number for number, label in enumerate(self.classes)})
        return labels, real_numbers() if self.pool == MEAN else labels

    def format(self) -> Format:
        labels, given = self.cells
        reference = one_table("labels.csv", {self.truth: labels}, id=self.id, item=self.item, unit=self.unit)
        submission = one_table("decisions.csv", {self.answer: given}, id=self.id, item=self.item)
        names = (lambda ids, texts: texts[self.unit]) if self.pool else None
        return sheet_format(reference, submission, check=self.check, names=names)

    def check(self, answers: Answers, table: Table, problems: Problems) -> None:
        if self.pool:
            self._check_units(answers, table, problems)
        if not problems and len(set(answers[self.truth].tolist())) < 2:
            both = f"both {self.positive} and {self.classes[1 - self.number]} {self.asked}s"
            expected = both if self.positive else "two classes or more"
            problems.add("one_class", table.file, f"only one kind of {self.asked}; expected {expected}")

    def _check_units(self, answers: Answers, table: Table, problems: Problems) -> None:
        """Add the problems of a reference without units, and of units with several classes."""
        units, labels = table.columns.get(self.unit, []), answers[self.truth].tolist()
        if not any(units):
            message = f"no {self.unit!r}, by which `pool` joins items; name the column of units with `unit`"
            problems.add("no_unit", table.file, message)
            return
        first: dict[str, int] = {}
        for row, (unit, label) in enumerate(zip(units, labels)):
            start = first.setdefault(unit, row)
            other = labels[start]
            if not unit:
                message = f"the {self.unit} is empty; expected one in every row"
                table.add_problem(problems, "no_unit", row, message)
            elif label != other and min(label, other) >= 0:
                message = (
                    f"{self.unit} {unit} is {self.classes[label]} here, but {self.classes[other]} on "
                    f"{table.place} {table.lines[start]}; expected one class for each {self.unit}"
                )
                table.add_problem(problems, "several_classes", row, message)

    def label_names(self) -> Sequence[str]:
        return self.classes

    def units_of(self, reference: Answers) -> Units:
        if self.pool:
            return Units(self.unit, {name: name for name in reference.texts[self.unit]})
        return super().units_of(reference)

    def expected(self, reference: Any) -> np.ndarray:
        """The class of each row of the counts: of each item, or of each unit in the order of their first items."""
        labels: np.ndarray = reference[self.truth]
        if not self.pool:
            return labels
        return labels[np.unique(numbered(reference.texts[self.unit])[1], return_index=True)[1]]

    def sides(self, reference: Any, submission: Any) -> tuple[np.ndarray, np.ndarray]:
        """The class and the answer of each row of the counts.

        By `VOTE`, a unit has the class with the most answers; of classes with equally many, the first in their declared
        order. By `MEAN`, it is positive if the mean of its scores is at least the threshold.
        """
        expected, given = self.expected(reference), submission[self.answer]
        if not self.pool:
            return expected, given
        names, row = numbered(reference.texts[self.unit])
        if self.pool == VOTE:
            votes = np.zeros((len(names), len(self.classes)), dtype=np.int64)
            np.add.at(votes, (row, given), 1)
            return expected, votes.argmax(axis=1)
        order, ends = np.argsort(row, kind="stable"), np.cumsum(np.bincount(row))[:-1]
        means = np.array([math.fsum(scores) / len(scores) for scores in np.split(given[order], ends)])
        return expected, np.where(means >= self.threshold, self.number, 1 - self.number)

    def count(self, reference: Answers, submission: Answers) -> dict[str, Any]:
        expected, predicted = self.sides(reference, submission)
        order = {}
        if self.weights:
            sides, scale = (expected[np.newaxis], predicted[np.newaxis]), (0, len(self.classes) - 1)
            order[ORDER] = rater_pairs.pooled_cells(*sides, scale=scale)
        if self.positive:
            positive, found = expected == self.number, predicted == self.number
            return {PREDICTIONS: metrics.predictions_per_item(positive, found), **order}
        of_classes = metrics.decisions_per_item(expected, predicted, classes=len(self.classes))
        return {PREDICTIONS: of_classes, **order}

    def all_scores(self) -> tuple[Score, ...]:
        order = (ordinal_kappa(self.weights, self.asked),) if self.weights else ()
        if self.positive:
            return (*two_class_scores(self.positive, self.classes[1 - self.number], self.asked), *order)
        return (*many_class_scores(self.classes, self.asked), *order)

    def right(self, rows: Mapping[str, Any]) -> Any:
        counts = rows[PREDICTIONS]
        many = hasattr(counts, "hits")  # counts that were read from a file have a class of their own
        return counts.hits.sum(axis=-1) if many else counts.true_positives + counts.true_negatives

    def labels(self, reference: Answers) -> list[int]:
        return list(self.expected(reference).tolist())

    def trivial(self) -> dict[str, Callable[[Items], Answers]]:
        answers: list[Any] = [*range(len(self.classes))]
        if self.pool == MEAN:
            answers = [self.threshold + (0.5 if number == self.number else -0.5) for number in answers]
        each = zip(self.classes, answers) if len(answers) <= MOST_TRIVIAL else ()
        item = self.unit if self.pool == VOTE else self.item
        constant = {f"{label} for every {item}": always(self.answer, value) for label, value in each}
        return {**constant, "classes at random": at_random(self.answer, answers)}

    def task(self, name: str, title: str) -> Task:
        task = super().task(name, title)
        return replace(task, partly_right=self._about_threshold) if self.pool == MEAN else task

    def _about_threshold(self, reference: Answers, right: np.ndarray) -> Answers:
        """Scores on the right side of the threshold for the chosen items, and on the wrong side for the others."""
        positive = (reference[self.truth] == self.number) == right
        return Answers(reference.items, {self.answer: self.threshold + np.where(positive, 0.5, -0.5)})


# fmt: off
def ordinal_kappa(weights: str, item: str) -> Score:
    """Return kappa of classes in order."""
    return Score("kappa", f"{weights.capitalize()} κ", HIGHER, partial(agreement.kappa, weights=weights),
                 f"{weights}ly weighted κ of the classes of {item}s, in their order", of=ORDER, bounds=AGREEMENT)


def two_class_scores(positive: str, other: str, item: str) -> tuple[Score, ...]:
    """Return the scores of two classes."""
    return (
        Score("f1", "F1", HIGHER, metrics.f1, f"harmonic mean of precision and recall for {positive} {item}s", best=1),
        Score("precision", "Precision", HIGHER, metrics.precision,
              f"share of the {item}s predicted {positive} that are {positive}"),
        Score("recall", "Recall", HIGHER, metrics.recall,
              f"share of the {positive} {item}s that are predicted {positive}"),
        Score("accuracy", "Accuracy", HIGHER, metrics.accuracy, f"share of the {item}s with the right prediction"),
        Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.balanced_accuracy,
              f"mean recall of {positive} and {other} {item}s: unweighted average recall (UAR)"),
        Score("matthews", "Matthews correlation", HIGHER, metrics.matthews_correlation,
              "correlation of reference and prediction", bounds=AGREEMENT),
        Score("specificity", "Specificity", HIGHER, metrics.specificity,
              f"share of the {other} {item}s that are predicted {other}"),
    )


def many_class_scores(classes: tuple[str, ...], item: str) -> tuple[Score, ...]:
    """Return the scores of three classes or more."""
    return (
        Score("macro_f1", "Macro F1", HIGHER, metrics.macro_f1, "mean F1 of the classes", best=1),
        Score("accuracy", "Accuracy", HIGHER, metrics.accuracy, f"share of the {item}s with the right prediction"),
        Score("balanced_accuracy", "Balanced accuracy", HIGHER, metrics.balanced_accuracy,
              "mean recall of the classes: unweighted average recall (UAR)"),
        Score("matthews", "Matthews correlation", HIGHER, metrics.matthews_correlation,
              "correlation of reference and prediction (Gorodkin 2004)", bounds=AGREEMENT),
        *(
            Score(f"f1_{n + 1}", f"F1 {label}", HIGHER, partial(_f1_of, number=n), f"F1 of {label}")
            for n, label in enumerate(classes)
        ),
    )
# fmt: on


@of_shares(lambda counts, number: metrics.overlaps(counts, number), f1_of_shares)
def _f1_of(counts: metrics.ClassCounts, *, number: int) -> Any:
    return metrics.class_f1(counts)[..., number]
