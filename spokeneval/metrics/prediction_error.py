"""Errors of real-valued predictions of ratings: RMSE, closeness, standardised mean difference, PRMSE.

Arrays have shape (n,), one entry per item, in the same order, with the reference first. Arrays that are empty, of
different lengths, or contain values that are not finite numbers raise ValueError. Rates are undefined without items
(see `counts`).

Source: `rsmtool` by ETS, for the trimming and rounding of predictions, the standardised mean difference and PRMSE.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arrays import finite_numbers, finite_pair
from .correlation import scaled_variance
from .counts import Counts, Number, number_or_array, ratio, total
from .jackknife import jackknife_error, jackknife_interval, value_and_without
from .shares import of_shares


@dataclass(frozen=True)
class SquaredErrors(Counts):
    """Squared differences summed over items.

    Attributes
    ----------
    items
        The number of items.
    squared_error
        The sum of squared differences, in the square of the ratings' unit.
    """

    items: Number
    squared_error: Number


@dataclass(frozen=True)
class Differences(Counts):
    """Differences between predictions and ratings (prediction minus reference), summed over items.

    Attributes
    ----------
    items
        The number of items.
    difference
        The sum of the differences.
    reference
        The sum of the reference's ratings.
    squared_reference
        The sum of the squares of the reference's ratings.
    within_half
        The number of items that differ by at most 0.5.
    within_one
        The number of items that differ by at most 1.
    """

    items: Number
    difference: Number
    reference: Number
    squared_reference: Number
    within_half: Number
    within_one: Number

    signed: ClassVar[tuple[str, ...]] = ("difference", "reference")


@dataclass(frozen=True)
class TrueScoreErrors(Counts):
    """Sums over items for `proportional_reduction`. Ratings and predictions have the same origin.

    Attributes
    ----------
    items
        The number of items.
    ratings, squared_ratings
        The sums of the items' numbers of ratings, and of the squares of these numbers.
    rating, squared_rating
        The sums of the items' mean ratings and of their squares, each times the item's number of ratings.
    rater_error
        The sum of the squared differences of all ratings from the mean of their item.
    squared_error
        The sum of the squared differences of predictions and mean ratings, each times the item's number of ratings.
    """

    items: Number
    ratings: Number
    squared_ratings: Number
    rating: Number
    squared_rating: Number
    rater_error: Number
    squared_error: Number

    signed: ClassVar[tuple[str, ...]] = ("rating",)


def squared_errors(reference: Any, predictions: Any) -> SquaredErrors:
    """The squared difference of each item, one row per item. A square above the largest float raises ValueError.

    Examples
    --------
    >>> squared_errors([1, 2, 3], [2, 2, 5]).squared_error.tolist()
    [1.0, 0.0, 4.0]
    """
    reference, predictions = finite_pair(reference, predictions)
    with np.errstate(over="ignore"):
        squares = (reference - predictions) ** 2
    return SquaredErrors(np.ones(len(squares), dtype=np.int64), squares)


def root_mean_square(errors: SquaredErrors) -> Any:
    """The root mean square difference, in the ratings' own unit; lower is better.

    Examples
    --------
    >>> root_mean_square(SquaredErrors(items=2, squared_error=50))
    5.0
    """
    mean = np.sqrt(ratio(errors.squared_error, errors.items, "the mean squared error"))
    return mean if np.ndim(mean) else float(mean)


def rmse(reference: Any, predictions: Any) -> float:
    r"""Root mean square error of predictions, in the ratings' own unit; lower is better.

    .. math:: \sqrt{\frac{1}{n} \sum_i (prediction_i - reference_i)^2}

    The differences are scaled by a power of two near the largest one, so that no square overflows. If the result
    exceeds the largest float, ValueError is raised.

    Examples
    --------
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
    """The differences of each item, one row per item.

    Examples
    --------
    >>> rows = differences([1, 2, 3], [1.5, 3, 1])
    >>> rows.difference.tolist(), rows.within_half.tolist(), rows.within_one.tolist()
    ([0.5, 1.0, -2.0], [1, 0, 0], [1, 1, 0])
    """
    reference, predictions = finite_pair(reference, predictions)
    apart = predictions - reference
    within_half, within_one = ((np.abs(apart) <= most).astype(np.int64) for most in (0.5, 1))
    ones = np.ones(len(apart), dtype=np.int64)
    return Differences(ones, apart, reference, reference**2, within_half, within_one)


@of_shares(lambda counts: (counts.within_half, counts.items))
def within_half(sums: Differences) -> Any:
    """The share of predictions that differ from the reference's rating by at most 0.5.

    Examples
    --------
    >>> within_half(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.5
    """
    return ratio(sums.within_half, sums.items, "agreement within 0.5")


@of_shares(lambda counts: (counts.within_one, counts.items))
def within_one(sums: Differences) -> Any:
    """The share of predictions that differ from the reference's rating by at most 1.

    Examples
    --------
    >>> within_one(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.75
    """
    return ratio(sums.within_one, sums.items, "agreement within 1")


def standardised_mean_difference(sums: Differences) -> Any:
    r"""Standardised mean difference, positive if predictions are too high on average.

    .. math:: SMD = \frac{\text{mean of (prediction - reference)}}{\text{standard deviation of the reference}}

    The standard deviation has the denominator n - 1. The SMD is undefined for a constant reference. Williamson, Xi and
    Breyer (2012), "A framework for evaluation and use of automated scoring", consider absolute values above 0.15 too
    large.

    Source: `rsmtool`, its method "unpooled".

    Examples
    --------
    >>> standardised_mean_difference(total(differences([1, 2, 3], [2, 2, 5])))  # 1 / 1
    1.0
    """
    n = np.asarray(sums.items)
    spread = np.nan_to_num(scaled_variance(n, sums.squared_reference, sums.reference))
    deviation = np.sqrt(spread * n / np.maximum(n - 1, 1))
    return ratio(sums.difference, number_or_array(deviation), "the standardised mean difference")


def mean_shift(sums: Differences) -> Any:
    """The absolute value of the `standardised_mean_difference`; 0 is best.

    Examples
    --------
    >>> mean_shift(total(differences([1, 2, 3], [0, 2, 1])))
    1.0
    """
    return abs(standardised_mean_difference(sums))


def signed_shift_interval(rows: Differences) -> tuple[float, float, float]:
    """The 95 % interval and the standard error of the `standardised_mean_difference` over two units or more.

    Examples
    --------
    >>> low, high, error = signed_shift_interval(differences([1, 2, 3, 4], [1.5, 2.5, 2.5, 3.5]))
    >>> round(low, 3), round(high, 3)
    (-0.776, 0.776)
    """
    shift, without = value_and_without(standardised_mean_difference, rows)
    return (*jackknife_interval(shift, without, (-math.inf, math.inf)), jackknife_error(without))


def mean_shift_interval(rows: Differences) -> tuple[float, float, float]:
    """The 95 % interval of the `mean_shift`, the `signed_shift_interval` folded at 0, and the standard error.

    An interval that contains 0 becomes one from 0 to the farther end, because a lower end above 0 would exclude a shift
    of 0. So its coverage is at least that of the signed interval. If no unit differs at all, the upper end is as for a
    score without errors (see `jackknife_interval`), with one standard deviation as the shift of a unit that is all
    wrong.

    Examples
    --------
    >>> low, high, error = mean_shift_interval(differences([1, 2, 3, 4], [1.5, 2.5, 2.5, 3.5]))
    >>> low, round(high, 3)
    (0.0, 0.776)
    """
    low, high, error = signed_shift_interval(rows)
    if low == high == 0:
        _, high = jackknife_interval(0.0, np.zeros(len(rows.items)), (0.0, math.inf))
    return max(low, -high, 0.0), max(-low, high), error


def true_score_errors(ratings: Any, predictions: Any) -> TrueScoreErrors:
    """The terms of PRMSE of each item, one row per item; see `prmse` for the arguments.

    Ratings and predictions are moved by the mean of all ratings, to avoid cancellation in the sums.

    Raises
    ------
    ValueError
        There are no items, the lengths differ, an item has no rating, or no item has two ratings.

    Examples
    --------
    >>> rows = true_score_errors([[1, 1], [3, float("nan")]], [1, 2])
    >>> rows.ratings.tolist(), rows.squared_error.tolist()
    ([2, 1], [0.0, 1.0])
    """
    table = np.asarray(ratings, dtype=np.float64)
    predictions = finite_numbers(predictions, "predictions")
    if table.ndim != 2 or len(table) != len(predictions):
        raise ValueError(f"ratings of shape {table.shape}; expected ({len(predictions)}, m)")
    number = (~np.isnan(table)).sum(axis=1)
    if not number.all() or not (number > 1).any():
        raise ValueError("expected at least one rating of every item, and two of some items")
    origin = np.nanmean(table)
    table, predictions = table - origin, predictions - origin
    means = np.nansum(table, axis=1) / number
    return TrueScoreErrors(
        items=np.ones_like(number),
        ratings=number,
        squared_ratings=number**2,
        rating=number * means,
        squared_rating=number * means**2,
        rater_error=np.nansum((table - means[:, np.newaxis]) ** 2, axis=1),
        squared_error=number * (means - predictions) ** 2,
    )


def true_score_variance(sums: TrueScoreErrors) -> Any:
    """The variance of the true scores behind the ratings: that of the ratings without the raters' errors.

    It is an estimate, and negative if the items differ less than the raters' errors alone would make them differ. It is
    undefined unless an item has two ratings and there are two items.

    Source: as for `prmse`.

    Examples
    --------
    >>> true_score_variance(total(true_score_errors([[1, 1], [3, 3]], [1, 2])))
    2.0
    """
    error = _rater_variance(sums)
    mean = ratio(sums.squared_ratings, sums.ratings, "the variance of the true scores")
    square = ratio(np.square(sums.rating), sums.ratings, "the variance of the true scores")
    between = sums.squared_rating - square - (sums.items - 1) * error
    return ratio(between, sums.ratings - mean, "the variance of the true scores")


def proportional_reduction(sums: TrueScoreErrors) -> Any:
    """PRMSE from its terms; see `prmse`. It is undefined where the true scores do not vary.

    Examples
    --------
    >>> proportional_reduction(total(true_score_errors([[1, 1], [3, 3]], [1, 2])))
    0.75
    """
    variance = np.asarray(true_score_variance(sums))
    squares = ratio(sums.squared_rating, sums.ratings, "PRMSE")
    vary = variance > 1e-12 * squares  # else it is a rounding error
    if vary.ndim == 0 and not vary:
        raise ValueError("the true scores do not vary, so that PRMSE is undefined")
    error = sums.squared_error - sums.items * _rater_variance(sums)
    return 1 - ratio(ratio(error, sums.ratings, "PRMSE"), number_or_array(variance * vary), "PRMSE")


def _rater_variance(sums: TrueScoreErrors) -> Any:
    """The variance of the ratings of an item about its true score."""
    return ratio(sums.rater_error, sums.ratings - sums.items, "the variance of the raters' errors")


def prmse(ratings: Any, predictions: Any) -> float:
    r"""Proportional reduction in mean squared error, for predictions of the true scores behind several ratings.

    .. math:: PRMSE = 1 - \frac{\text{mean squared error}}{\text{variance of the true scores}}

    The contribution of the raters' errors is subtracted from both. PRMSE is 1 if the raters' errors explain the whole
    error of the system. It has no lower bound.

    Source: Loukina, Madnani, Cahill et al. (BEA 2020), "Using PRMSE to evaluate automated scoring systems in the
    presence of label noise"; `rsmtool.utils.prmse`.

    Parameters
    ----------
    ratings : array_like, shape (n, m)
        The ratings of each item by m raters, NaN if there is none. Each item needs a rating, and at least one item two.
    predictions : array_like, shape (n,)
        The predictions.

    Returns
    -------
    float
        PRMSE; higher is better.

    Raises
    ------
    ValueError
        There are no items, the lengths differ, an item has no rating, no item has two ratings, or the true scores do
        not vary.

    Examples
    --------
    The raters agree. The true scores 1 and 3 have a variance of 2, and the mean squared error is 1/2.

    >>> prmse([[1, 1], [3, 3]], [1, 2])
    0.75
    """
    return float(proportional_reduction(total(true_score_errors(ratings, predictions))))


def round_to_scale(predictions: Any, low: int, high: int) -> np.ndarray:
    """Trim predictions to the scale from `low` to `high`, and round them, halves to even: int, shape (n,).

    `rsmtool` trims to [low - 0.4998, high + 0.4998], with the same result. An empty scale raises ValueError.

    Examples
    --------
    >>> round_to_scale([-7, 0.5, 1.5, 2.5, 4.4998, 9], 1, 4).tolist()
    [1, 1, 2, 2, 4, 4]
    """
    if not low < high:
        raise ValueError(f"scale must have low < high, got ({low}, {high})")
    return np.asarray(
        np.rint(np.clip(finite_numbers(predictions, "predictions"), low, high)).astype(np.int64)
    )
