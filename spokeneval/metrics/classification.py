"""Decisions between two or more classes: F1, accuracy, balanced accuracy and the Matthews correlation.

Classes are numbered from 0. Rates are fractions; higher is better. Means over classes are over all classes of the whole
reference, also in resamples and parts of it that lack some of them. Precision is 0 for a class that is never predicted,
and F1 is 0 for a class without a correct prediction. `counts` documents undefined results.

Sources: scikit-learn's definitions with `labels=` the classes of the reference and `zero_division=0`; Gorodkin (2004),
Comparing two K-category assignments by a K-category correlation coefficient, equation 8, for the Matthews correlation.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, make_dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .counts import Counts, Number, field_arrays, ratio, total
from .shares import beyond_chance, f1_of_shares, of_observations, of_shares


@dataclass(frozen=True)
class ClassCounts(Counts):
    """Items of k classes, counted by class.

    Attributes
    ----------
    hits : shape (..., k), k >= 2
        Items of each class that were predicted as such.
    items : shape (..., k)
        Items of each class.
    predictions : shape (..., k)
        Items that were predicted as each class.
    present : shape (..., k)
        1 in every item's row for each class of the whole reference. Means are over the classes with a number above 0.

    Raises
    ------
    ValueError
        A number is not finite or is negative, or the shapes differ.

    Examples
    --------
    >>> one = count_decisions([0, 1], [0, 0], classes=2)
    >>> (one + one).predictions.tolist()
    [4, 0]
    """

    hits: Number
    items: Number
    predictions: Number
    present: Number

    def __post_init__(self) -> None:
        super().__post_init__()
        shapes = {np.shape(field) for field in field_arrays(self).values()}
        if len(shapes) != 1 or not min(shapes) or min(shapes)[-1] < 2:
            raise ValueError(f"counts of the shapes {sorted(shapes)}; expected one shape (..., k), k >= 2")


@dataclass(frozen=True)
class BinaryCounts(Counts):
    """Items of two classes, one of them positive, counted against the reference.

    All rates are undefined if only one of the classes occurs in the reference.

    Attributes
    ----------
    true_positives
        TP, the number of positive items predicted positive.
    false_positives
        FP, the number of negative items predicted positive.
    false_negatives
        FN, the number of positive items predicted negative.
    true_negatives
        TN, the number of negative items predicted negative.

    Examples
    --------
    >>> BinaryCounts(1, 0, 1, 2) + BinaryCounts(2, 1, 0, 3) == BinaryCounts(3, 1, 1, 5)
    True
    """

    true_positives: Number
    false_positives: Number
    false_negatives: Number
    true_negatives: Number

    @property
    def f1(self) -> Number:
        """See `f1`."""
        return f1(self)

    @property
    def precision(self) -> Number:
        """See `precision`."""
        return precision(self)

    @property
    def recall(self) -> Number:
        """See `recall`."""
        return recall(self)

    @property
    def accuracy(self) -> Number:
        """See `accuracy`."""
        return accuracy(self)


def counts_of(fields: Mapping[str, Any]) -> Any:
    """Counts with the given fields, such as fields from a file: `BinaryCounts` if these are their names.

    Examples
    --------
    >>> counts_of({"errors": 1, "words": 4}).words
    4
    """
    binary = fields.keys() == BinaryCounts.__dataclass_fields__.keys()
    return (BinaryCounts if binary else _counts_class(tuple(fields)))(**fields)


@lru_cache(maxsize=256)
def _counts_class(names: tuple[str, ...]) -> Any:
    return make_dataclass("Counts", names, namespace={"__reduce__": _reduced})


def _reduced(counts: Any) -> tuple[Any, ...]:
    """What pickle keeps of counts, whose class no module has."""
    return counts_of, (vars(counts),)


AnyCounts = Any
"""`ClassCounts` or `BinaryCounts`, or an object with the fields of one of them, as read from a file."""


def decisions_per_item(reference: Any, prediction: Any, *, classes: int) -> ClassCounts:
    """Return the counts of each item: one row per item.

    Parameters
    ----------
    reference, prediction : int, shape (n,), n > 0
        Classes from 0 to `classes` - 1, in the same order.
    classes
        Number of classes, 2 or more.

    Raises
    ------
    ValueError
        There are no items, the lengths differ, or a class is not from 0 to `classes` - 1.

    Examples
    --------
    >>> rows = decisions_per_item([0, 2], [1, 2], classes=3)
    >>> rows.hits.tolist(), rows.present.tolist()
    ([[0, 0, 0], [0, 0, 1]], [[1, 0, 1], [1, 0, 1]])
    """
    sides = [np.asarray(side) for side in (reference, prediction)]
    for name, side in zip(("reference", "prediction"), sides):
        if side.ndim != 1 or side.size == 0 or not np.issubdtype(side.dtype, np.integer):
            raise ValueError(f"{name} must be integers, shape (n,), n > 0")
        if side.min() < 0 or side.max() >= classes:
            raise ValueError(f"{name} must be classes from 0 to {classes - 1}")
    _check_lengths(*sides)
    numbers = np.arange(classes)
    items, predictions = ((side[:, None] == numbers).astype(np.int64) for side in sides)
    present = np.tile(items.max(axis=0), (len(items), 1))
    return ClassCounts(items * predictions, items, predictions, present)


def _check_lengths(reference: np.ndarray, prediction: np.ndarray) -> None:
    if len(reference) != len(prediction):
        found = f"{len(reference)} reference values and {len(prediction)} predictions"
        raise ValueError(f"{found}; expected the same number")


def count_decisions(reference: Any, prediction: Any, *, classes: int) -> ClassCounts:
    """Return the rows of `decisions_per_item`, added up.

    >>> count_decisions([0, 0, 1], [0, 1, 1], classes=2).hits.tolist()
    [1, 1]
    """
    return total(decisions_per_item(reference, prediction, classes=classes))


def predictions_per_item(reference: Any, prediction: Any) -> BinaryCounts:
    """Return the counts of each item of two classes: one row per item, with 1 in one of the four counts.

    Parameters
    ----------
    reference, prediction : bool, shape (n,), n > 0
        True for positive items, in the same order.

    Raises
    ------
    ValueError
        The arrays have another type or shape, have different lengths, or are empty.

    Examples
    --------
    >>> rows = predictions_per_item([True, False, False], [True, True, False])
    >>> rows.true_positives.tolist(), rows.false_positives.tolist(), rows.true_negatives.tolist()
    ([1, 0, 0], [0, 1, 0], [0, 0, 1])
    """
    sides = np.asarray(reference), np.asarray(prediction)
    for side in sides:
        if side.dtype != bool or side.ndim != 1 or not side.size:
            raise ValueError(f"{side.dtype} of shape {side.shape}; expected booleans of shape (n,), n > 0")
    _check_lengths(*sides)
    positive, predicted = sides
    pairs = positive & predicted, ~positive & predicted, positive & ~predicted, ~positive & ~predicted
    return BinaryCounts(*(pair.astype(np.int64) for pair in pairs))


def count_predictions(reference: Any, prediction: Any) -> BinaryCounts:
    """Return the rows of `predictions_per_item`, added up.

    >>> count_predictions([True, True, False, False], [True, False, True, False]) == BinaryCounts(1, 1, 1, 1)
    True
    """
    return total(predictions_per_item(reference, prediction))


def overlaps(counts: ClassCounts, chosen: Any) -> tuple[Any, Any]:
    """These shares' numerators and denominators, of the chosen classes."""
    either = np.asarray(counts.items) + counts.predictions - counts.hits
    return np.asarray(counts.hits)[:, chosen], either[:, chosen]


@of_shares(
    lambda counts: (
        counts.true_positives,
        counts.true_positives + counts.false_positives + counts.false_negatives,
    ),
    f1_of_shares,
)
def f1(counts: BinaryCounts) -> Number:
    r"""Return F1, the harmonic mean of precision and recall; 0 without a true positive.

    .. math:: F_1 = \frac{2\,TP}{2\,TP + FP + FN}

    >>> f1(BinaryCounts(3, 1, 1, 5))
    0.75
    >>> rows = np.array([[3, 1, 1, 5], [0, 0, 4, 6], [4, 0, 6, 0]])
    >>> f1(BinaryCounts(*rows.T)).tolist()
    [0.75, 0.0, nan]
    """
    twice = 2 * counts.true_positives
    return _rate(counts, twice, twice + counts.false_positives + counts.false_negatives, "F1")


@of_shares(lambda counts: (counts.true_positives, counts.true_positives + counts.false_positives))
def precision(counts: BinaryCounts) -> Number:
    """Return precision, TP / (TP + FP): the share of positive items among those predicted positive; 0 if there are
    none.

    >>> precision(BinaryCounts(3, 1, 1, 5))
    0.75
    """
    predicted = np.maximum(counts.true_positives + counts.false_positives, 1)  # 0 / 1 if there are none
    return _rate(counts, counts.true_positives, predicted, "precision")


@of_shares(lambda counts: (counts.true_positives, counts.true_positives + counts.false_negatives))
def recall(counts: BinaryCounts) -> Number:
    """Return recall, TP / (TP + FN): the share of the positive items that are predicted positive.

    >>> recall(BinaryCounts(3, 1, 1, 5))
    0.75
    """
    return _rate(counts, counts.true_positives, counts.true_positives + counts.false_negatives, "recall")


@of_shares(lambda counts: (counts.true_negatives, counts.true_negatives + counts.false_positives))
def specificity(counts: BinaryCounts) -> Number:
    """Return specificity, TN / (TN + FP): the share of the negative items that are predicted negative.

    >>> specificity(BinaryCounts(3, 1, 2, 4))
    0.8
    """
    return _rate(counts, counts.true_negatives, counts.true_negatives + counts.false_positives, "specificity")


def _by_class(counts: AnyCounts) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the hits, items and predictions of each class, shape (..., k); of two classes the negative one first."""
    if not _is_binary(counts):
        return np.asarray(counts.hits), np.asarray(counts.items), np.asarray(counts.predictions)
    hits, missed, called = (
        np.stack(sides, axis=-1)
        for sides in (
            (counts.true_negatives, counts.true_positives),
            (counts.false_positives, counts.false_negatives),
            (counts.false_negatives, counts.false_positives),
        )
    )
    return hits, hits + missed, hits + called


def _is_binary(counts: AnyCounts) -> bool:
    return hasattr(counts, "true_positives")


def _rate(counts: AnyCounts, numerator: Number, denominator: Number, name: str) -> Number:
    """Return a ratio; that of two classes is undefined if the reference has only one of them."""
    if _is_binary(counts):
        denominator = denominator * (_by_class(counts)[1] > 0).all(axis=-1)
    return ratio(numerator, denominator, name)


def class_f1(counts: ClassCounts) -> Any:
    """Return the F1 of each class, 2 tp / (2 tp + fp + fn), shape (..., k); 0 without a correct prediction.

    >>> class_f1(count_decisions([0, 0, 1], [0, 1, 1], classes=3)).round(3).tolist()
    [0.667, 0.667, 0.0]
    """
    return 2 * np.asarray(counts.hits) / np.maximum(np.asarray(counts.items) + counts.predictions, 1)


@of_shares(lambda counts: overlaps(counts, np.asarray(counts.present).max(axis=0) > 0), f1_of_shares)
def macro_f1(counts: ClassCounts) -> Number:
    """Return the mean of the F1 of the reference's classes.

    >>> round(macro_f1(count_decisions([0, 0, 1], [0, 1, 1], classes=3)), 3)
    0.667
    """
    present = np.asarray(counts.present) > 0
    return ratio((class_f1(counts) * present).sum(axis=-1), present.sum(axis=-1), "macro F1")


@of_shares(lambda counts: tuple(side.sum(axis=-1) for side in _by_class(counts)[:2]))
def accuracy(counts: AnyCounts) -> Number:
    """Return the share of items whose class was predicted.

    >>> accuracy(count_decisions([0, 0, 1, 2], [0, 1, 1, 2], classes=3))
    0.75
    """
    hits, items, _ = _by_class(counts)
    return _rate(counts, hits.sum(axis=-1), items.sum(axis=-1), "accuracy")


@of_shares(lambda counts: _by_class(counts)[:2])
def balanced_accuracy(counts: AnyCounts) -> Number:
    """Return the mean recall of the reference's classes; undefined where one of them does not occur.

    >>> balanced_accuracy(count_decisions([0, 0, 1], [0, 1, 1], classes=3))
    0.75
    """
    hits, items, _ = _by_class(counts)
    present = np.ones(items.shape, dtype=bool) if _is_binary(counts) else np.asarray(counts.present) > 0
    recalls = hits / np.maximum(items, 1)
    missing = (present & (items == 0)).any(axis=-1)
    classes = np.where(missing, 0, present.sum(axis=-1))
    return ratio((recalls * present).sum(axis=-1), classes, "balanced accuracy")


@of_observations(lambda rows: [beyond_chance(*_by_class(total(rows))[1:])])
def matthews_correlation(counts: AnyCounts) -> Number:
    """Return the correlation of classes and predictions (Gorodkin 2004); 0 if all predictions are the same, in
    `ClassCounts` also if all classes are.

    >>> round(matthews_correlation(count_decisions([0, 0, 1, 1], [0, 0, 1, 0], classes=2)), 4)
    0.5774
    """
    hits, *sides = _by_class(counts)
    truth, predicted = (side.astype(float) for side in sides)
    items = truth.sum(axis=-1)
    covariance = hits.sum(axis=-1) * items - (truth * predicted).sum(axis=-1)
    spreads = [side.sum(axis=-1) ** 2 - (side**2).sum(axis=-1) for side in (truth, predicted)]
    constant = (spreads[0] == 0) | (spreads[1] == 0)
    norm = np.sqrt(spreads[0] * spreads[1])  # of one product, so that perfect predictions have exactly 1
    norm = np.where(constant, items, norm)  # 0 / n for a constant side, undefined without items
    return _rate(counts, np.where(constant, 0.0, covariance), norm, "Matthews correlation")
