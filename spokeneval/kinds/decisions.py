"""Decisions: one of two or more classes for each item. Primary score: F1, or its mean over classes; higher is better.

Of two classes one is the positive class: F1, precision, recall and specificity are of that class. Of more classes F1 is
the mean over the classes of the reference. Answers to the recordings of a unit, such as a speaker, can be pooled to one
decision for the unit (see `pooling`).
Source: `metrics.classification`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from typing import Any, Callable, Optional

import numpy as np

from ..formats.format import Answers, Check, Format, sheet_format, with_unit_rows
from ..formats.problems import Problems
from ..formats.speakers import Units
from ..formats.tables import Table, real_numbers, words
from ..metrics import classification as metrics
from ..metrics.shares import f1_of_shares, of_shares
from ..task import AGREEMENT, HIGHER, Score, Task, View
from ..trivial import always, at_random
from .kind import (
    COMMON,
    Kind,
    Parameter,
    ParameterError,
    class_names,
    finite_number,
    one_of,
    one_table,
    text,
    units_by,
)
from .pooling import MEAN, SCORE, VOTE, Pooling

THRESHOLD = 0.5
MOST_TRIVIAL = 10
"""With more classes, no trivial baseline answers one class throughout."""


def decisions(
    name: str,
    title: str,
    *,
    classes: tuple[str, ...],
    positive: str = "",
    id: str = "id",
    item: str = "item",
    unit: str = "speaker",
    truth: str = "label",
    answer: str = "label",
    form: Optional[Callable[..., Format]] = None,
    units: Optional[Callable[[Any], Units]] = None,
) -> Task:
    """Return a task that asks for one of several classes.

    Parameters
    ----------
    classes: names of the classes, in the order of tables.
    positive: of two classes, the one that precision and recall are of.
    id, item, unit: see `kind`.
    truth, answer: the columns with the classes in the reference and in a submission.
    form, units: where the task has files of its own, the function that gives its format for a `check` of references, as
        `sheet_format` does, and the function that gives its units.
    """
    _check_positive(classes, positive)
    labels = words({label: number for number, label in enumerate(classes)})
    reference = one_table("labels.csv", {truth: labels}, id=id, item=item, unit=unit)
    submission = one_table("decisions.csv", {answer: labels}, id=id, item=item)

    form = form or partial(sheet_format, reference, submission, list_file="items.csv")
    number = classes.index(positive) if positive else -1
    other = classes[1 - number] if positive else ""
    expected = f"both {positive} and {other} {item}s" if positive else "two classes or more"

    def sides(reference: Answers, submission: Answers) -> tuple[np.ndarray, np.ndarray]:
        return reference[truth], submission[answer]

    def check(answers: Answers, table: Table, problems: Problems) -> None:
        if not problems and len(set(answers[truth].tolist())) < 2:
            problems.add("one_class", table.file, f"only one kind of {item}; expected {expected}")

    constant = {f"{label} for every {item}": always(answer, n) for n, label in enumerate(classes)}
    return Task(
        name=name,
        title=title,
        format=form(check=check),
        units=units or units_by(item, unit),
        count=partial(_count, sides=sides, classes=len(classes), positive=number),
        scores=two_class_scores(positive, other, item) if positive else many_class_scores(classes, item),
        right=_right,
        labels=lambda reference: reference[truth].tolist(),
        trivial={
            **(constant if len(classes) <= MOST_TRIVIAL else {}),
            "classes at random": at_random(answer, range(len(classes))),
        },
        view=decisions_view(classes, itemgetter(truth), itemgetter(answer)),
    )


def pooled_decisions(
    name: str,
    title: str,
    *,
    classes: tuple[str, ...],
    positive: str = "",
    pool: str = "",
    threshold: float = THRESHOLD,
    id: str = "id",
    item: str = "item",
    unit: str = "speaker",
) -> Task:
    """Return the task of `decisions`; with `pool`, one that scores units, as `pooling` describes.

    Parameters
    ----------
    pool: `vote`, `mean`, or empty to score each item.
    threshold: the least mean score of a positive unit.
    """
    if pool != MEAN and threshold != THRESHOLD:
        message = "the least mean score of a positive unit; declare `pool: mean`, too"
        raise ParameterError("threshold", message)
    if not pool:
        return decisions(name, title, classes=classes, positive=positive, id=id, item=item, unit=unit)
    if pool == MEAN and len(classes) > 2:
        raise ParameterError("pool", f"mean of scores for {len(classes)} classes; expected two, or vote")
    column, number = (
        SCORE if pool == MEAN else "label",
        classes.index(positive) if positive in classes else -1,
    )
    pooling = Pooling(pool, threshold, classes, number, unit, "label", column)
    task = decisions(
        name,
        title,
        classes=classes,
        positive=positive,
        item=unit,
        answer=column,
        form=partial(_pooled_form, pooling, id=id, item=item),
        units=pooling.units,
    )
    scores = {n: threshold + (0.5 if n == number else -0.5) for n in range(2)}
    by_score = {f"{classes[n]} for every {item}": always(column, score) for n, score in scores.items()}
    by_score["classes at random"] = at_random(column, [*scores.values()])
    return replace(
        task,
        count=partial(_count, sides=pooling.sides, classes=len(classes), positive=number),
        labels=lambda answers: pooling.truths(answers).tolist(),
        trivial=by_score if pool == MEAN else task.trivial,
        partly_right=pooling.partly_right if pool == MEAN else None,
        view=task.view._replace(expected=pooling.truths, facts={**task.view.facts, "sides": pooling.sides}),
    )


def _pooled_form(pooling: Pooling, check: Check, *, id: str, item: str) -> Format:
    """The files of pooled items."""
    labels = words({label: number for number, label in enumerate(pooling.classes)})
    reference = one_table("labels.csv", {pooling.truth: labels}, id=id, item=item, unit=pooling.unit)
    cells = real_numbers() if pooling.rule == MEAN else labels
    submission = one_table("decisions.csv", {pooling.answer: cells}, id=id, item=item)

    def both(answers: Answers, table: Table, problems: Problems) -> None:
        pooling.check(answers, table, problems)
        check(answers, table, problems)

    plain = sheet_format(reference, submission, list_file="items.csv", check=both)
    return with_unit_rows(plain, reference, both, lambda ids, texts: texts[pooling.unit])


def _check_positive(classes: tuple[str, ...], positive: str) -> None:
    if positive and positive not in classes:
        raise ParameterError("positive", f"{positive!r} is not one of the classes {', '.join(classes)}")
    if bool(positive) != (len(classes) == 2):
        many = f"{len(classes)} classes have no positive one"
        raise ParameterError("positive", many if positive else "two classes; name the positive one")


def decisions_view(
    classes: Sequence[str],
    expected: Callable[[Any], Any],
    given: Callable[[Any], Any],
    *,
    answers: Sequence[str] = (),
    wanted: Sequence[int] = (),
) -> View:
    """Return what reports show of decisions.

    Parameters
    ----------
    expected, given: take the reference and a submission, and return the numbers of classes and of answers.
    answers, wanted: the answers, and the number of the right one to each class, if answers are not the classes.
    """
    facts = {
        "classes": classes,
        "answers": answers or classes,
        "wanted": wanted or range(len(classes)),
    }
    return View("decisions", expected, given, facts)


def _count(
    reference: Answers, submission: Answers, *, sides: Callable[..., Any], classes: int, positive: int
) -> dict[str, Any]:
    expected, predicted = sides(reference, submission)
    if positive >= 0:
        return {"predictions": metrics.predictions_per_item(expected == positive, predicted == positive)}
    return {"predictions": metrics.decisions_per_item(expected, predicted, classes=classes)}


def _right(rows: Mapping[str, Any]) -> Any:
    counts = rows["predictions"]
    many = hasattr(counts, "hits")  # counts that were read from a file have a class of their own
    return counts.hits.sum(axis=-1) if many else counts.true_positives + counts.true_negatives


# fmt: off
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


# fmt: off
DECISIONS = Kind(
    "decisions",
    "one of two or more classes for each item",
    (
        Parameter("classes", "The classes, two or more, in the order of tables.", class_names, ["healthy", "patient"]),
        Parameter("positive", "The positive class of two, for precision and recall. Leave it out for three classes or "
                  "more.", lambda value: text(value) if value else "", "patient", ""),
        Parameter("pool", "How the answers to the items of one unit become its decision. With vote, the class with "
                  "the most answers wins; in a tie, the first in `classes`. With mean, for two classes, a submission "
                  "has a column `score`, and a unit is positive if its mean is at least `threshold`. Without `pool`, "
                  "each item is scored.", lambda value: one_of(VOTE, MEAN)(value) if value is not None else "", VOTE,
                  None),
        Parameter("threshold", "With `pool: mean`, the least mean score of a positive unit.", finite_number,
                  THRESHOLD, THRESHOLD),
        *COMMON,
    ),
    pooled_decisions,
    "Decide which class each {item} belongs to.",
)
# fmt: on
