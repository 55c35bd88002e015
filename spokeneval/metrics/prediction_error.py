"""Errors of real-valued predictions of ratings: RMSE, closeness, standardised mean difference, PRMSE.

Arrays have shape (n,), one entry per item, in the same order, with the reference first. Those that are empty, of
different lengths, or not of finite numbers raise ValueError. Rates are undefined without items (see `counts`).

Source: ETS's `rsmtool` for the trimming and rounding of predictions, the standardised mean difference and PRMSE.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import finite_numbers, finite_pair
from .correlation import scaled_variance
from .counts import Number, add, check_counts, number_or_array, ratio, total


@dataclass(frozen=True)
class SquaredErrors:
    """Squared differences summed over items.

    Attributes
    ----------
    items: number of items.
    squared_error: sum of squared differences, in the square of the ratings' unit.
    """

    items: Number
    squared_error: Number

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: SquaredErrors) -> SquaredErrors:
        return add(self, other)


@dataclass(frozen=True)
class Differences:
    """Predictions less the reference's ratings, summed over items.

    Attributes
    ----------
    items: number of items.
    difference: sum of the differences.
    reference: sum of the reference's ratings.
    squared_reference: sum of their squares.
    within_half, within_one: items that differ by at most 0.5, and at most 1.
    """

    items: Number
    difference: Number
    reference: Number
    squared_reference: Number
    within_half: Number
    within_one: Number

    def __post_init__(self) -> None:
        check_counts(self, signed=("difference", "reference"))

    def __add__(self, other: Differences) -> Differences:
        return add(self, other)


def squared_errors(reference: Any, predictions: Any) -> SquaredErrors:
    """The squared difference of each item, shape=(n,). A square that exceeds the largest float raises ValueError.

    >>> squared_errors([1, 2, 3], [2, 2, 5]).squared_error.tolist()
    [1.0, 0.0, 4.0]
    """
    reference, predictions = finite_pair(reference, predictions)
    with np.errstate(over="ignore"):
        squares = (reference - predictions) ** 2
    return SquaredErrors(np.ones(len(squares), dtype=np.int64), squares)


def root_mean_square(errors: SquaredErrors) -> Any:
    """Root of the mean squared difference, in the ratings' own unit; lower is better.

    >>> root_mean_square(SquaredErrors(items=2, squared_error=50))
    5.0
    """
    mean = np.sqrt(ratio(errors.squared_error, errors.items, "the mean squared error"))
    return mean if np.ndim(mean) else float(mean)


def rmse(reference: Any, predictions: Any) -> float:
    """`root_mean_square` of two variables' differences, in their own unit; lower is better.

    Computed in units of a power of two near the largest difference, so that no square overflows. ValueError if the
    result exceeds the largest float.

    >>> rmse([0, 0], [1e200, 7e200]) / 1e200
    5.0
    """
    reference, predictions = finite_pair(reference, predictions)
    _, exponent = np.frexp(max(np.abs(reference).max(), np.abs(predictions).max()))
    error = np.ldexp(reference, -exponent) - np.ldexp(predictions, -exponent)
    _, rest = np.frexp(np.abs(error).max())
    error = np.ldexp(error, -rest)
    mantissa, shift = np.frexp(root_mean_square(total(squared_errors(error, np.zeros_like(error)))))
    shift += exponent + rest
    if shift > 1024:
        raise ValueError(f"differences as large as {predictions[np.abs(error).argmax()]!r} overflow")
    return float(np.ldexp(mantissa, shift))


def differences(reference: Any, predictions: Any) -> Differences:
    """The sums of `Differences` for each item, shape=(n,).

    >>> rows = differences([1, 2, 3], [1.5, 3, 1])
    >>> rows.difference.tolist(), rows.within_half.tolist(), rows.within_one.tolist()
    ([0.5, 1.0, -2.0], [1, 0, 0], [1, 1, 0])
    """
    reference, predictions = finite_pair(reference, predictions)
    apart = predictions - reference
    within_half, within_one = ((np.abs(apart) <= most).astype(np.int64) for most in (0.5, 1))
    ones = np.ones(len(apart), dtype=np.int64)
    return Differences(ones, apart, reference, reference**2, within_half, within_one)


def within_half(sums: Differences) -> Any:
    """The share of predictions at most 0.5 from the reference's rating.

    >>> within_half(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.5
    """
    return ratio(sums.within_half, sums.items, "agreement within 0.5")


def within_one(sums: Differences) -> Any:
    """The share of predictions at most 1 from the reference's rating.

    >>> within_one(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.75
    """
    return ratio(sums.within_one, sums.items, "agreement within 1")


def standardised_mean_difference(sums: Differences) -> Any:
    """SMD: the mean difference over the standard deviation (n - 1) of the reference's ratings.

    Positive where predictions are too high on the whole; undefined for a constant reference. Williamson, Xi and Breyer
    (2012), "A framework for evaluation and use of automated scoring", consider more than 0.15 either way too much.
    Source: `rsmtool`, its method "unpooled".

    >>> standardised_mean_difference(total(differences([1, 2, 3], [2, 2, 5])))  # 1 / 1
    1.0
    """
    n = np.asarray(sums.items)
    spread = np.nan_to_num(scaled_variance(n, sums.squared_reference, sums.reference))
    deviation = np.sqrt(spread * n / np.maximum(n - 1, 1))
    return ratio(sums.difference, number_or_array(deviation), "the standardised mean difference")


def mean_shift(sums: Differences) -> Any:
    """The absolute value of the `standardised_mean_difference`: 0 is best.

    >>> mean_shift(total(differences([1, 2, 3], [0, 2, 1])))
    1.0
    """
    return abs(standardised_mean_difference(sums))


def prmse(ratings: Any, predictions: Any) -> float:
    """Proportional reduction in mean squared error, when the true scores behind several ratings are predicted.

    1 - MSE / (variance of the true scores), both less the contribution of the raters' errors. 1 where the raters'
    errors explain the whole error of the system; not bounded below.
    Source: Loukina, Madnani, Cahill et al. (BEA 2020), "Using PRMSE to evaluate automated scoring systems in the
    presence of label noise"; `rsmtool.utils.prmse`.

    Parameters
    ----------
    ratings: shape=(n, m): each item's ratings, NaN where there is none; at least one per item, two of some items.
    predictions: shape=(n,).

    Raises
    ------
    ValueError: no item, lengths that differ, an item without ratings, no item with two, or true scores that do not
        vary.

    Examples
    --------
    The raters never differ. The true scores 1 and 3 have a variance of 2, the mean squared error is 1/2.

    >>> prmse([[1, 1], [3, 3]], [1, 2])
    0.75
    """
    table = np.asarray(ratings, dtype=np.float64)
    predictions = finite_numbers(predictions, "predictions")
    if table.ndim != 2 or len(table) != len(predictions):
        raise ValueError(f"ratings of shape {table.shape}; expected ({len(predictions)}, m)")
    number = (~np.isnan(table)).sum(axis=1)
    if not number.all() or not (number > 1).any():
        raise ValueError("expected a rating of every item and two of some")
    means = np.nansum(table, axis=1) / number
    error = np.nansum((table - means[:, np.newaxis]) ** 2) / (number - 1).sum()
    items, every = len(table), number.sum()
    between = (number * (means - np.nansum(table) / every) ** 2).sum() - (items - 1) * error
    variance = between / (every - (number**2).sum() / every)
    if not variance > 0:
        raise ValueError("the true scores do not vary: no reduction exists")
    return float(1 - ((number * (means - predictions) ** 2).sum() - items * error) / every / variance)


def round_to_scale(predictions: Any, low: int, high: int) -> np.ndarray:
    """Predictions trimmed to the scale from `low` to `high` and rounded, halves to even: int, shape=(n,).

    ETS's `rsmtool` trims to [low - 0.4998, high + 0.4998], which gives the same. ValueError for an empty scale.

    >>> round_to_scale([-7, 0.5, 1.5, 2.5, 4.4998, 9], 1, 4).tolist()
    [1, 1, 2, 2, 4, 4]
    """
    if not low < high:
        raise ValueError(f"scale must have low < high, got ({low}, {high})")
    return np.rint(np.clip(finite_numbers(predictions, "predictions"), low, high)).astype(np.int64)
