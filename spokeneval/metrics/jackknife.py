r"""Confidence intervals of scores by the jackknife, over independent units.

A unit was drawn at random as a whole: a speaker, a recording or a call, or a response if no coarser unit is known. The
counts have one row per unit. The score is computed from their sum, and again with each unit left out in turn; the
spread of these values gives the standard error.

A score that resembles the share or the rate of a known number of observations, and each pooled share or rate of
`shares`, has the exact interval of an effective number of them (`ends_of_observations`). It always contains what a set
without errors, or with nothing right, cannot exclude: no score is more certain than a perfect one. For any other score
x with two bounds, p = (x - low) / (high - low) has the exact interval of a share of m = p (1 - p) / v independent
observations, with the squared standard error v; that of a score without an upper bound is the interval of a rate of
m = x / v observations. If no unit differs, m is the number of units. The variance is uncertain, so m is multiplied by
the squared ratio of the normal quantile and Student's. The degrees of freedom follow Satterthwaite, with an unbiased
estimate of the kurtosis: n - 1 for normal values, down to 2 if a single unit determines the spread. They also limit
how many units show errors (`ends_of_observations`), as does the number of observations that count as errors.

The interval of a score without bounds is Student's.

A biased score, such as kappa of few speakers or a cost whose threshold is fitted to the set, is corrected on one side:
the end in the direction of the population's score is moved by twice the jackknife's estimate of the bias. The estimate
finds only a part of the bias of fitted costs, which decreases more slowly than 1 / n. `python -m benchmarks
bench_coverage` and `bench_kinds` measure the coverage and the width.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 11, the jackknife; Satterthwaite, An
approximate distribution of estimates of variance components (Biometrics Bulletin 2, 1946); Joanes and Gill, Comparing
measures of sample skewness and kurtosis (The Statistician 47, 1998), for its G2; Bisani and Ney, Bootstrap estimates
for confidence intervals in ASR performance evaluation (ICASSP 2004), for the units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Callable, Optional

import numpy as np

from .counts import exact_sum, field_arrays, from_matrix, sums, total
from .quantiles import exact_ends, student_quantile, student_t_below

FEWEST_UNITS = 4
"""With fewer units, no interval is shown: an end could be more than 20 times the score."""

FARTHEST = 23.0
"""Largest distance from the middle of the scale. It keeps the ends below 1e10; platforms store no larger numbers."""

PRIOR_UNITS, _CORRELATION = 2.0, 0.1
"""The design effect of few units with errors is drawn to that of this correlation, as if so many units showed it."""

NUMBERS_AT_ONCE = 1 << 18
"""The counts of so many numbers without a unit are computed at a time."""

_ROUNDING = 1e-12  # a smaller standard error, relative to the scale, is that of sums in another order


def units_at_once(*parts: Any) -> int:
    """The number of units to leave out in turn at a time, so that the counts without them fit into memory."""
    widest = max(sum(field[:1].size for field in field_arrays(counts).values()) for counts in parts)
    return max(1, NUMBERS_AT_ONCE // widest)


def leave_out_in_turn(rows: Any, at_once: int = 0) -> Iterator[Any]:
    """The counts of `leave_one_out`, for `at_once` units at a time; by default `units_at_once`.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> [without.true_positives.tolist() for without in leave_out_in_turn(rows, 2)]
    [[3, 4], [5]]
    """
    fields, at_once = field_arrays(rows).values(), at_once or units_at_once(rows)
    whole = np.concatenate([np.asarray(number).ravel() for number in sums(rows).values()])
    for first in range(0, _units(rows), at_once):
        some = [field[first : first + at_once] for field in fields]
        left_out = np.concatenate([part.reshape(len(part), -1) for part in some], axis=1)
        yield from_matrix(rows, whole - left_out)


def leave_one_out(rows: Any) -> Any:
    """The counts with each unit left out in turn. Input and output have fields of shape (n, ...), one row per unit.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> leave_one_out(rows).true_positives.tolist()
    [3, 4, 5]
    """
    (without,) = leave_out_in_turn(rows, _units(rows))
    return without


def _units(rows: Any) -> int:
    return len(next(iter(field_arrays(rows).values())))


def value_and_without(formula: Callable[[Any], Any], rows: Any) -> tuple[float, np.ndarray]:
    """The value of a formula for all units, and its values with each unit left out in turn, shape (n,).

    If the formula is undefined without a unit, this unit counts as one that changes nothing.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts, accuracy
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [1, 0, 1, 2]]).T)
    >>> value, without = value_and_without(accuracy, rows)
    >>> value, without.round(6).tolist()
    (0.8, [0.75, 0.833333])
    """
    value = float(formula(total(rows)))
    without = np.concatenate([np.asarray(formula(others), float) for others in leave_out_in_turn(rows)])
    return value, np.where(np.isnan(without), value, without)


def jackknife_error(without: np.ndarray) -> float:
    """The standard error of a score, from the scores with each unit left out, shape (n,).

    Examples
    --------
    >>> jackknife_error(np.array([2.0, 3.0, 4.0]))  # of a mean: its standard deviation 2 over the root of 3
    1.1547005383792515
    """
    return _error(exact_sum(_squares(without)), len(without))


def jackknife_interval(
    score: float,
    without: np.ndarray,
    bounds: tuple[float, float],
    *,
    whole: Optional[float] = None,
    graded: bool = False,
    bias: float = 2.0,
) -> tuple[float, float]:
    """The 95 % confidence interval of a score.

    Without bounds, an interval of width 0 means that no unit differs, so that the units give no information.

    Parameters
    ----------
    score : float
        The score over all units.
    without : array_like, shape (n,)
        The scores with each unit left out, n >= 2.
    bounds : tuple of float
        The lowest and the highest possible score; infinite if there is no bound.
    whole : float, optional
        The number of observations whose mean the score resembles, if it is known.
    graded : bool
        Whether observations are right by degrees, so that their mean varies less than a share does.
    bias
        The interval of a score with a bound is extended by the estimated bias times this number.

    Examples
    --------
    >>> ends = jackknife_interval(0.8, np.array([0.7, 0.8, 0.85, 0.85]), (0, 1))
    >>> [round(end, 3) for end in ends]
    [0.154, 0.999]
    """
    low, high = bounds
    error, freedom = error_and_freedom(without)
    if low == -math.inf:
        half = student_quantile(freedom) * error if error else 0.0
        return score - half, score + half
    rates, units = high == math.inf, len(without)
    scale = 1.0 if rates else high - low
    share, variance = min(max((score - low) / scale, 0.0), math.inf if rates else 1.0), (error / scale) ** 2
    rarer = share if rates else min(share, 1 - share)
    if variance < (_ROUNDING * max(share, 1.0)) ** 2:
        variance = 0.0
    if whole is not None:
        showing = min(math.inf if graded else rarer * whole, freedom - 1) if variance else 0
        ends = ends_of_observations(share, whole, variance, units, showing, rates=rates, graded=graded)
    else:
        binomial = share if rates else share * (1 - share)
        few = student_quantile(1e6) / student_quantile(freedom)
        size = binomial / variance * few**2 if binomial and variance else units
        ends = exact_ends(share, size, rates=rates)
    moved = bias * (units - 1) * (exact_sum(without) / units - score)
    return max(low, low + scale * ends[0] - max(moved, 0.0)), min(
        high, low + scale * ends[1] - min(moved, 0.0)
    )


def ends_of_observations(
    share: float,
    whole: float,
    variance: float,
    units: float,
    showing: float,
    *,
    rates: bool,
    graded: bool = False,
) -> tuple[float, float]:
    """The 95 % interval of a share or rate of observations in independent units.

    Parameters
    ----------
    whole
        The number of observations.
    variance
        The squared standard error over the units.
    units
        The number of units, or the effective number of units of unequal sizes.
    showing
        How many units have errors; for a share, also how many have something else.
    graded
        As for `jackknife_interval`.
    """
    binomial = share if rates else share * (1 - share)
    effect = variance * whole / binomial if binomial > 0 else 0.0
    usual, least = 1 + max(whole / units - 1, 0) * _CORRELATION, 0.0 if graded else 1.0
    if effect < usual:
        effect = (showing * effect + PRIOR_UNITS * usual) / (showing + PRIOR_UNITS)
    if showing:  # the variance is uncertain with few units
        few = student_quantile(max(units - 1, 1.0)) / student_quantile(max(whole - 1, 1.0))
        effect = max(effect, least) * max(few, 1.0) ** 2
    low, high = exact_ends(share, whole / max(effect, least), rates=rates)
    without_errors = exact_ends(0.0, whole / usual, rates=rates)[1]
    return low if rates else min(low, 1 - without_errors), max(high, without_errors)


def jackknife_p(difference: float, without: np.ndarray) -> float:
    """The two-sided p-value of a difference by Student's t, from the differences without each unit, shape (n,).

    Examples
    --------
    The standard error is 1, and t = 3.182 has p = 0.05 with 3 degrees of freedom.

    >>> without = np.array([0.5, -0.5, 0.5, -0.5]) * 2 / 3**0.5
    >>> round(jackknife_p(3.182446, 3.182446 + without), 6)
    0.05
    """
    error, freedom = error_and_freedom(without)
    if not error:
        return 1.0
    return float(max(0.0, 2 * student_t_below(-abs(difference) / error, freedom)))


def error_and_freedom(values: np.ndarray) -> tuple[float, float]:
    """The standard error, and Satterthwaite's degrees of freedom."""
    squares = _squares(values)
    spread = exact_sum(squares)
    n = len(values)
    if not spread or n <= 3:  # three values always have the same kurtosis
        return _error(spread, n), n - 1.0
    kurtosis = n * exact_sum((squares / spread) ** 2) - 3
    unbiased = (n - 1) * ((n + 1) * kurtosis + 6) / ((n - 2) * (n - 3))
    return _error(spread, n), max(2.0, 2 / (2 / (n - 1) + max(unbiased, 0.0) / n))


def _error(spread: float, units: int) -> float:
    return math.sqrt((units - 1) / units * spread)


def _squares(values: np.ndarray) -> np.ndarray:
    """Squared distances from the mean."""
    squares: np.ndarray = (values - exact_sum(values) / len(values)) ** 2
    return squares
