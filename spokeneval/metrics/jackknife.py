r"""Confidence intervals of scores by the jackknife, over independent units.

A unit was drawn at random as a whole: a speaker, a recording or a call, or a response if no coarser unit is known. The
counts have one row per unit. The score is computed from their sum, and again with each unit left out in turn; the
spread of these values gives the standard error.

For a score x with two bounds, the interval is Student's t interval on an unbounded scale:

.. math:: \log \frac{x - low}{high - x}

the logit of a share, and twice Fisher's z of a correlation. The degrees of freedom follow Satterthwaite, with an
unbiased estimate of the kurtosis: n - 1 for normal values, down to 2 if a single unit determines the spread, as happens
with rates near 0 and 1. If the score, or one of the scores with a unit left out, is at a bound, this scale does not
exist. The interval is then Wilson's for the share p = (x - low) / (high - low). The sample size is the effective one, p
(1 - p) divided by the squared standard error. If no unit differs, the size is the number of units, as if each unit were
all right or all wrong.

For a score without an upper bound, such as an error rate, the lower end is Student's on the score's own scale. The
upper end is Wilson's for rare errors, with a variance in proportion to the score instead of p (1 - p):

.. math:: (high - x)^2 = t^2 \, \frac{high - low}{x - low} \, \text{error}^2

With four units or more, it has at least 3 degrees of freedom. If one of four or more equal units has all errors, this
end is 12 times the score; on a logarithmic scale it would be tens of thousands of times the score.

A biased score, such as kappa of few speakers or a cost whose threshold is fitted to the set, is corrected on one side:
the end in the direction of the population's score is moved by twice the jackknife's estimate of the bias. The estimate
finds only a part of the bias of fitted costs, which decreases more slowly than 1 / n. `python -m benchmarks
bench_coverage` and `bench_kinds` measure the coverage and the width.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 11, the jackknife, and section 12.6,
transformations; Satterthwaite, An approximate distribution of estimates of variance components (Biometrics Bulletin 2,
1946); Joanes and Gill, Comparing measures of sample skewness and kurtosis (The Statistician 47, 1998), for its G2;
Wilson, Probable inference, the law of succession, and statistical inference (JASA 22, 1927), with the effective
sample size of Korn and Graubard, Confidence intervals for proportions with small expected number of positive counts
estimated from survey data (Survey Methodology 24, 1998); Bisani and Ney, Bootstrap estimates for confidence intervals
in ASR performance evaluation (ICASSP 2004), for the units.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Callable

import numpy as np

from .counts import field_arrays, from_matrix, sums, total

LEVEL = 0.95

FEWEST_UNITS = 4
"""With fewer units, no interval is shown: an end could be more than 20 times the score."""

FARTHEST = 23.0
"""Largest distance from the middle of the scale. It keeps the ends below 1e10; platforms store no larger numbers."""

_LEAST_FREEDOM = 3.0
"""The fewest degrees of freedom of the upper end of a score without an upper bound, if there are four units or more."""

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)


def leave_out_in_turn(rows: Any, at_once: int) -> Iterator[Any]:
    """The counts of `leave_one_out`, for `at_once` units at a time.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> [without.true_positives.tolist() for without in leave_out_in_turn(rows, 2)]
    [[3, 4], [5]]
    """
    fields = field_arrays(rows).values()
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
    without = np.asarray(formula(leave_one_out(rows)), dtype=np.float64)
    return value, np.where(np.isnan(without), value, without)


def jackknife_error(without: np.ndarray) -> float:
    """The standard error of a score, from the scores with each unit left out, shape (n,).

    Examples
    --------
    >>> jackknife_error(np.array([2.0, 3.0, 4.0]))  # of a mean: its standard deviation 2 over the root of 3
    1.1547005383792515
    """
    return _error(_exact_sum(_squares(without)), len(without))


def jackknife_interval(
    score: float,
    without: np.ndarray,
    bounds: tuple[float, float],
    *,
    unseen: float = 0.0,
    whole: float = 1.0,
    times: float = 2.0,
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
    unseen : float
        For a score without bounds: a variance to add if no unit contains an error of some kind.
    whole : float
        The score of a unit that is all wrong, for a score without an upper bound: 1, or 100 for a score in percent.
    times
        The interval of a score with a bound is extended by the estimated bias times this number.

    Returns
    -------
    low, high : float
        The ends of the interval.

    Examples
    --------
    >>> low, high = jackknife_interval(0.8, np.array([0.7, 0.8, 0.85, 0.85]), (0, 1))
    >>> round(low, 3), round(high, 3)
    (0.294, 0.975)

    Four of four units are right: Wilson's interval with Student's quantile 3.182.

    >>> low, high = jackknife_interval(1.0, np.ones(4), (0, 1))
    >>> round(low, 3), high
    (0.283, 1)
    """
    low, high = bounds
    if low == -math.inf:
        half = _half_width(without, unseen)
        return score - half, score + half
    ends = (
        _upward_ends(score, without, low, whole) if high == math.inf else _inner_ends(score, without, bounds)
    )
    moved = times * (len(without) - 1) * (_exact_sum(without) / len(without) - score)
    return max(low, ends[0] - max(moved, 0.0)), min(high, ends[1] - min(moved, 0.0))


def interval_of_fitted(
    formula: Callable[[Any], Any], rows: Any, *, times: float = 2.0
) -> tuple[float, float, float]:
    """The `jackknife_interval` of a cost from 0 to 1 and its standard error, from the counts of two units or more.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts, accuracy
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> low, high, error = interval_of_fitted(accuracy, rows)
    >>> round(low, 3), round(high, 3), round(error, 3)
    (0.247, 0.997, 0.09)
    """
    cost, without = value_and_without(formula, rows)
    return (*jackknife_interval(cost, without, (0.0, 1.0), times=times), jackknife_error(without))


def student_quantile(freedom: float) -> float:
    r"""The 97.5 % quantile of Student's t distribution, with 1 or more degrees of freedom, integer or not.

    With :math:`t = \sqrt{\nu} \tan a` for :math:`\nu` degrees of freedom, the density of the angle a is proportional to
    :math:`\cos^{\nu - 1} a`. Newton's method finds the angle that bounds the central 95 %. It converges from below,
    because the density decreases.

    Examples
    --------
    >>> round(student_quantile(1), 3), round(student_quantile(10), 3), round(student_quantile(2000), 3)
    (12.706, 2.228, 1.961)
    """
    angle = 0.0
    for _ in range(100):
        step = (LEVEL - _inside(angle, freedom)) / (2 * _at_zero(freedom) * math.cos(angle) ** (freedom - 1))
        angle += step
        if step < 1e-14:
            break
    return math.sqrt(freedom) * math.tan(angle)


def jackknife_p(difference: float, without: np.ndarray) -> float:
    """The two-sided p-value of a difference by Student's t, from the differences without each unit, shape (n,).

    Examples
    --------
    The standard error is 1, and t = 3.182 has p = 0.05 with 3 degrees of freedom.

    >>> without = np.array([0.5, -0.5, 0.5, -0.5]) * 2 / 3**0.5
    >>> round(jackknife_p(3.182446, 3.182446 + without), 6)
    0.05
    """
    error, freedom = _error_and_freedom(without)
    if not error:
        return 1.0
    return float(max(0.0, 2 * student_t_below(-abs(difference) / error, freedom)))


def student_t_below(t: Any, freedom: Any) -> Any:
    """The cumulative distribution function of Student's t, with 1 or more degrees of freedom, integer or not.

    The density is integrated over the angle of `student_quantile` by Gauss's rule; above 200 degrees of freedom up to t
    = 9, beyond which less than 1e-16 remains. Its factor, a ratio of gamma functions, is computed from the series in
    Abramowitz and Stegun, 6.1.47, at `freedom` + 200. The error is below 3e-14; between 1 and 3 degrees of freedom,
    below 1e-5 for t beyond 1,000.

    Parameters
    ----------
    t, freedom : array_like of the same shape

    Examples
    --------
    >>> student_t_below(np.array([0.0, 2.0, -12.706]), np.array([5, 30.5, 1])).round(4).tolist()
    [0.5, 0.9728, 0.025]
    """
    t, freedom = np.asarray(t, dtype=float), np.asarray(freedom, dtype=float)
    far = 1 / (freedom + 200)
    factor = 1 - far / 4 + far**2 / 32 + 5 * far**3 / 128 - 21 * far**4 / 2048 - 399 * far**5 / 8192
    for step in range(0, 200, 2):
        factor = factor * (freedom + step) / (freedom + step + 1)
    angle = np.arctan(np.where(freedom > 200, np.clip(t, -9, 9), t) / np.sqrt(freedom))
    inside = np.zeros(angle.shape)
    for node, weight in zip(*np.polynomial.legendre.leggauss(40)):
        cosine = np.log1p(-(np.sin(angle * (node + 1) / 2) ** 2))
        inside += weight * np.exp((freedom - 1) / 2 * cosine)
    return 0.5 + factor / np.sqrt(2 * math.pi * far) * angle / 2 * inside


def _at_zero(freedom: float) -> float:
    return math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)


def _inside(angle: float, freedom: float) -> float:
    """The probability that the angle of `student_quantile` is at most this, in size."""
    angles = angle / 2 * (1 + _NODES)
    return _at_zero(freedom) * angle * float(_NODE_WEIGHTS @ np.cos(angles) ** (freedom - 1))


_quantile = lru_cache(maxsize=1024)(student_quantile)
"""Kept values: half of a system's intervals have the same degrees of freedom as others of them, such as n - 1."""


def _half_width(values: np.ndarray, unseen: float = 0.0) -> float:
    error, freedom = _error_and_freedom(values)
    error = math.sqrt(error**2 + unseen)
    return _quantile(freedom) * error if error else 0.0


SMALLEST = 1e-6
"""The smallest effective sample size; a smaller one would overflow. Sound data have one of 1 or more."""


def _wilson_interval(share: float, without: np.ndarray) -> tuple[float, float]:
    """Wilson's interval of a share at a bound or near it, from the shares with each unit left out."""
    error, freedom = _error_and_freedom(without)
    share = min(max(share, 0.0), 1.0)
    variance = share * (1 - share)
    size = max(variance / error**2, SMALLEST) if variance and error else len(without)
    square = _quantile(freedom) ** 2 / size
    middle = (share + square / 2) / (1 + square)
    half = math.sqrt(square * variance + square**2 / 4) / (1 + square)
    return middle - half, middle + half


def _inner_ends(score: float, without: np.ndarray, bounds: tuple[float, float]) -> tuple[float, float]:
    """The ends of a score with two bounds: Student's on the unbounded scale; at a bound, Wilson's."""
    low, high = bounds
    with np.errstate(divide="ignore", invalid="ignore"):
        middle, others = _on_scale(np.float64(score), bounds), _on_scale(without, bounds)
    if np.isfinite(middle) and np.isfinite(others).all():
        half = _half_width(others)
        return _from_scale(float(middle) - half, bounds), _from_scale(float(middle) + half, bounds)
    ends = _wilson_interval((score - low) / (high - low), (without - low) / (high - low))
    return min(score, low + (high - low) * ends[0]), max(score, low + (high - low) * ends[1])


def _upward_ends(score: float, without: np.ndarray, low: float, whole: float) -> tuple[float, float]:
    """The ends of a score without an upper bound: Student's, and Wilson's with a variance in proportion to it."""
    error, freedom = _error_and_freedom(without)
    quantile = _quantile(max(freedom, min(_LEAST_FREEDOM, len(without) - 1.0)))
    share = max(score - low, 0.0)
    rise = quantile**2 / 2 * (error**2 / share if share else whole / len(without))
    upper = min(share + rise + math.hypot(rise, quantile * error), math.exp(FARTHEST))
    return score - _quantile(freedom) * error, low + upper


def _error_and_freedom(values: np.ndarray) -> tuple[float, float]:
    """The standard error, and Satterthwaite's degrees of freedom."""
    squares = _squares(values)
    spread = _exact_sum(squares)
    n = len(values)
    if not spread or n <= 3:  # three values always have the same kurtosis
        return _error(spread, n), n - 1.0
    kurtosis = n * _exact_sum((squares / spread) ** 2) - 3
    unbiased = (n - 1) * ((n + 1) * kurtosis + 6) / ((n - 2) * (n - 3))
    return _error(spread, n), max(2.0, 2 / (2 / (n - 1) + max(unbiased, 0.0) / n))


def _error(spread: float, units: int) -> float:
    return math.sqrt((units - 1) / units * spread)


def _squares(values: np.ndarray) -> np.ndarray:
    """Squared distances from the mean."""
    squares: np.ndarray = (values - _exact_sum(values) / len(values)) ** 2
    return squares


def _exact_sum(values: np.ndarray) -> float:
    """The sum with a single rounding, so that it does not depend on the order of the units."""
    return math.fsum(values.tolist())


def _on_scale(values: Any, bounds: tuple[float, float]) -> Any:
    low, high = bounds
    return np.log(values - low) - np.log(high - values)


def _from_scale(value: float, bounds: tuple[float, float]) -> float:
    low, high = bounds
    return low + (high - low) / (1 + math.exp(-max(-FARTHEST, min(value, FARTHEST))))
