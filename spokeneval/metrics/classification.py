"""Decisions between several classes: macro F1, accuracy, balanced accuracy and the Matthews correlation.

Classes are numbered from 0. Rates are fractions, higher is better. Means over classes are over those of the whole
reference: this set stays the same in resamples and in parts of it, where some of them may not occur. Precision is 0
for a class that is never predicted, F1 is 0 for a class without a right prediction. `counts` documents undefined
results.

Sources: scikit-learn's definitions with `labels=` the classes of the reference and `zero_division=0`; Gorodkin (2004),
Comparing two K-category assignments by a K-category correlation coefficient, equation 8, for the Matthews correlation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .counts import Number, add, check_counts, field_arrays, ratio, total


@dataclass(frozen=True)
class ClassCounts:
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
        In each item's row 1 for every class of the whole reference. Means are over the classes that are not 0 here.

    Raises
    ------
    ValueError
        As all counts; shapes that differ.

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
        check_counts(self)
        shapes = {np.shape(field) for field in field_arrays(self).values()}
        if len(shapes) != 1 or not min(shapes) or min(shapes)[-1] < 2:
            raise ValueError(f"counts of the shapes {sorted(shapes)}; expected one shape (..., k), k >= 2")

    def __add__(self, other: ClassCounts) -> ClassCounts:
        return add(self, other)


def decisions_per_item(reference: Any, prediction: Any, *, classes: int) -> ClassCounts:
    """Return the counts of each item: one row an item.

    Parameters
    ----------
    reference, prediction : int, shape (n,), n > 0
        Classes from 0 to `classes` - 1, in the same order.
    classes
        Number of classes, 2 or more.

    Raises
    ------
    ValueError
        No item, different lengths, or a class that is not one of them.

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
    if len(sides[0]) != len(sides[1]):
        raise ValueError(
            f"{len(sides[0])} reference values and {len(sides[1])} predictions; expected the same number"
        )
    numbers = np.arange(classes)
    items, predictions = ((side[:, None] == numbers).astype(np.int64) for side in sides)
    present = np.tile(items.max(axis=0), (len(items), 1))
    return ClassCounts(items * predictions, items, predictions, present)


def count_decisions(reference: Any, prediction: Any, *, classes: int) -> ClassCounts:
    """Return the rows of `decisions_per_item`, added up.

    >>> count_decisions([0, 0, 1], [0, 1, 1], classes=2).hits.tolist()
    [1, 1]
    """
    return total(decisions_per_item(reference, prediction, classes=classes))


def class_f1(counts: ClassCounts) -> Any:
    """Return the F1 of each class, 2 tp / (2 tp + fp + fn): shape=(..., k), 0 without a right prediction.

    >>> class_f1(count_decisions([0, 0, 1], [0, 1, 1], classes=3)).round(3).tolist()
    [0.667, 0.667, 0.0]
    """
    return 2 * np.asarray(counts.hits) / np.maximum(np.asarray(counts.items) + counts.predictions, 1)


def macro_f1(counts: ClassCounts) -> Number:
    """Return the mean of the F1 of the reference's classes.

    >>> round(macro_f1(count_decisions([0, 0, 1], [0, 1, 1], classes=3)), 3)
    0.667
    """
    present = np.asarray(counts.present) > 0
    return ratio((class_f1(counts) * present).sum(axis=-1), present.sum(axis=-1), "macro F1")


def accuracy(counts: ClassCounts) -> Number:
    """Return the share of items whose class was predicted.

    >>> accuracy(count_decisions([0, 0, 1, 2], [0, 1, 1, 2], classes=3))
    0.75
    """
    return ratio(np.sum(counts.hits, axis=-1), np.sum(counts.items, axis=-1), "accuracy")


def balanced_accuracy(counts: ClassCounts) -> Number:
    """Return the mean recall of the reference's classes; undefined where one of them does not occur.

    >>> balanced_accuracy(count_decisions([0, 0, 1], [0, 1, 1], classes=3))
    0.75
    """
    present, items = np.asarray(counts.present) > 0, np.asarray(counts.items)
    recalls = np.asarray(counts.hits) / np.maximum(items, 1)
    missing = (present & (items == 0)).any(axis=-1)
    classes = np.where(missing, 0, present.sum(axis=-1))
    return ratio((recalls * present).sum(axis=-1), classes, "balanced accuracy")


def matthews_correlation(counts: ClassCounts) -> Number:
    """Return the correlation of classes and predictions (Gorodkin 2004); 0 if either is the same throughout.

    >>> round(matthews_correlation(count_decisions([0, 0, 1, 1], [0, 0, 1, 0], classes=2)), 4)
    0.5774
    """
    truth, predicted = np.asarray(counts.items, float), np.asarray(counts.predictions, float)
    items = truth.sum(axis=-1)
    covariance = np.sum(counts.hits, axis=-1) * items - (truth * predicted).sum(axis=-1)
    spreads = [side.sum(axis=-1) ** 2 - (side**2).sum(axis=-1) for side in (truth, predicted)]
    constant = (spreads[0] == 0) | (spreads[1] == 0)
    norm = np.sqrt(spreads[0] * spreads[1])  # of one product, so that perfect predictions have exactly 1
    norm = np.where(constant, items, norm)  # 0 / n for a constant side, undefined without items
    return ratio(np.where(constant, 0.0, covariance), norm, "Matthews correlation of no items")
