r"""95 % confidence intervals of pooled shares and rates, and of scores that combine several of them.

A share p = E / M has E errors, or right answers, among M observations, such as words, in n independent units, such as
speakers. Observations of a unit resemble each other, so M of them tell less than M independent ones: their *effective
number* is M / d, with the design effect d = v M / (p (1 - p)) for the variance v over units, and d = v M / p for a rate
without an upper bound.

- No set is better than independent observations: d is at least 1.
- Few units with errors do not show d. With k such units it is at least (k d + 2 d0) / (k + 2), where d0 = 1 + 0.1
  (M / n - 1) is that of an intraclass correlation of 0.1.
- If any unit has errors, v is uncertain: M / d is multiplied by the squared ratio of Student's quantiles for M and n.
- With units of unequal sizes, n is Kish's effective number of them, M^2 over the sum of their squared observations.

The ends of a share are those of Clopper and Pearson with the effective number, which are exact for independent
observations. The ends of a rate are those of a Poisson mean.

The interval of a score that combines several shares, such as a mean of recalls, is recovered from their own intervals:
one share after another is moved to its end, and the squared changes of the score are added up, with the correlation of
the shares over units as far as enough units show it. So a part without errors brings its own uncertainty. The same is
done with any parts, such as the kappas of a mean.

Source: Korn and Graubard, Confidence intervals for proportions with small expected number of positive counts estimated
from survey data (Survey Methodology 24, 1998); Clopper and Pearson, The use of confidence or fiducial limits
(Biometrika 26, 1934); Fay and Feuer, Confidence intervals for directly standardized rates (Statistics in Medicine 16,
1997); Zou and Donner, Construction of confidence limits about effect measures (Statistics in Medicine 27, 2008).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any, Callable, NamedTuple, Optional, TypeVar

import numpy as np

from .jackknife import (
    PRIOR_UNITS,
    ends_of_observations,
    jackknife_error,
    jackknife_interval,
    value_and_without,
)


class Shares(NamedTuple):
    """How a formula combines shares.

    Attributes
    ----------
    counted
        Takes the counts of n units, and returns the numerators and the denominators of the shares: shape (n,) for one,
        (n, k) for k of them; then the numbers of observations, if these are not the denominators.
    combined
        Takes shares, shape (k,), and returns the score.
    rates
        Whether they are rates without an upper bound.
    within
        The formula of the whole that a single share is a part of, such as WER for deletions. The whole is never below
        its part, so the upper end of its interval is the part's highest.
    """

    counted: Callable[..., tuple[Any, ...]]
    combined: Callable[..., Any] = np.nanmean
    rates: bool = False
    within: Optional[Callable[..., Any]] = None


_ROUNDING = 1e-28
"""Smaller sums of squares are of rounding, not of variation."""

_FORMULAS: dict[Any, Shares] = {}
_INTERVALS: dict[Any, Callable[..., tuple[float, float]]] = {}
_OBSERVATIONS: dict[Any, tuple[Callable[..., Any], bool]] = {}

Formula = TypeVar("Formula", bound=Callable[..., Any])


def of_shares(*shares: Any, **facts: Any) -> Callable[[Formula], Formula]:
    """A decorator with the `Shares` of a formula: `counted` takes its keywords too, and `combined` its `weights`."""
    return partial(_marked, _FORMULAS, Shares(*shares, **facts))


def with_interval(interval: Callable[..., tuple[float, float]]) -> Callable[[Formula], Formula]:
    """A decorator with the interval of a formula, from the counts of n units and its keywords; NaN without one."""
    return partial(_marked, _INTERVALS, interval)


def of_observations(numbers: Callable[..., Any], *, graded: bool = False) -> Callable[[Formula], Formula]:
    """A decorator with the numbers of observations of a formula, from the counts of n units and its keywords: shape
    (n,), or (n, k) for k kinds, such as targets and nontargets; `graded` as for `jackknife_interval`."""
    return partial(_marked, _OBSERVATIONS, (numbers, graded))


def _marked(table: dict[Any, Any], known: Any, formula: Formula) -> Formula:
    table[formula] = known
    return formula


def interval_of_formula(
    formula: Callable[..., Any],
    rows: Any,
    bounds: tuple[float, float],
    value: float,
    without: np.ndarray,
) -> tuple[float, float]:
    """The 95 % interval of a formula: its own or that of its shares, or else that of the jackknife.

    Parameters
    ----------
    rows
        The counts of two units or more.
    bounds
        The lowest and the highest value of the formula.
    value, without
        The value over all units, and the values without each, shape (n,).
    """
    name, keywords = _unpacked(formula)
    low, high = math.nan, math.nan
    if name in _INTERVALS:
        low, high = _INTERVALS[name](rows, **keywords)
    elif shares := shares_of(formula):
        low, high = interval_of_shares(shares, rows)
    if math.isnan(low):
        whole, graded = observations(formula, rows)
        low, high = jackknife_interval(value, without, bounds, whole=whole, graded=graded)
    return max(low, bounds[0]), min(high, bounds[1])


def interval_of_fitted(
    rows: Any, *, formula: Callable[..., Any], bias: float = 2.0, highest: float = 1.0
) -> tuple[float, float, float]:
    """The 95 % interval of a cost from 0 to `highest` that is fitted to the set, and its standard error.

    The threshold or calibration is fitted, so the cost is too low (see `metrics.jackknife`). The bias of a minimum
    detection cost, whose threshold depends on a few errors, decreases even more slowly than that of other costs: four
    times the estimated bias gives the promised coverage. All definitions of the EER have the interval of that on the
    hull: they have the same value in the population, but jump from one operating point to the next when a unit is left
    out.

    Parameters
    ----------
    rows
        The counts of two units or more.

    Examples
    --------
    >>> from spokeneval.metrics.equal_error_rate import ScoreHistograms, histogram_eer
    >>> histograms = ScoreHistograms(np.array([[3, 1], [0, 4], [1, 3]]), np.array([[4, 0], [2, 2], [4, 0]]))
    >>> low, high, error = interval_of_fitted(histograms, formula=histogram_eer)
    >>> round(low, 3), round(high, 3)
    (0.0, 0.822)
    """
    cost, without = value_and_without(formula, rows)
    ends = jackknife_interval(cost, without, (0.0, highest), whole=observations(formula, rows)[0], bias=bias)
    return (*ends, jackknife_error(without))


def observations(formula: Callable[..., Any], rows: Any) -> tuple[Optional[float], bool]:
    """How many observations a formula is the mean of, None if it is not known, and whether they are graded.

    Of k kinds, whose rates it averages, the number is k^2 over the sum of the inverse numbers.
    """
    name, keywords = _unpacked(formula)
    if shares := shares_of(formula):
        numbers, graded = shares.counted(rows)[1:][-1], False
    elif name in _OBSERVATIONS:
        counted, graded = _OBSERVATIONS[name]
        numbers = counted(rows, **keywords)
    else:
        return None, False
    sums = np.atleast_1d(np.sum(np.asarray(numbers, dtype=float), axis=0))
    sums = sums[sums > 0]
    return float(len(sums) ** 2 / np.sum(1 / sums)) if len(sums) else None, graded


def beyond_chance(first: np.ndarray, second: np.ndarray) -> Any:
    """The number of items that show agreement beyond chance, from the frequencies of classes for two raters, shape
    (..., k): fewer than all items if nearly all are of one class, because chance agrees on these."""
    items = first.sum(axis=-1)
    return np.minimum(items, 2 * (items - (first * second).sum(axis=-1) / np.maximum(items, 1)))


def shares_of(formula: Callable[..., Any]) -> Optional[Shares]:
    """The shares of a formula, or None if it is not of shares."""
    name, keywords = _unpacked(formula)
    known = _FORMULAS.get(name)
    if known is None or not keywords:
        return known
    weights = {name: keywords[name] for name in keywords if name == "weights"}
    return known._replace(
        counted=partial(known.counted, **keywords), combined=partial(known.combined, **weights)
    )


def _unpacked(formula: Callable[..., Any]) -> tuple[Any, dict[str, Any]]:
    return (formula.func, formula.keywords) if isinstance(formula, partial) else (formula, {})


def interval_of_shares(shares: Shares, rows: Any) -> tuple[float, float]:
    """The 95 % interval of a score, from the counts of two units or more; NaN without observations.

    Examples
    --------
    Independent items, 24 of 24 right: Clopper and Pearson's interval.

    >>> right = Shares(lambda rows: (rows, np.ones(len(rows))))
    >>> [round(end, 3) for end in interval_of_shares(right, np.ones(24))]
    [0.858, 1.0]
    """
    numbers, wholes, *observed = (
        np.asarray(side, dtype=float).reshape(len(side), -1) for side in shares.counted(rows)
    )
    whole = wholes.sum(axis=0)
    if not whole.any():
        return math.nan, math.nan
    units = whole**2 / np.where(whole > 0, (wholes**2).sum(axis=0), 1)
    found = np.where(whole > 0, numbers.sum(axis=0), np.nan) / np.where(whole > 0, whole, 1)
    apart = (numbers - found * wholes) / np.where(whole > 0, whole, 1)
    variance = (apart**2).sum(axis=0) * units / np.maximum(units - 1, 1)
    size = observed[0].sum(axis=0) if observed else whole
    showing = np.count_nonzero(numbers > 0, axis=0)
    if not shares.rates:
        showing = np.minimum(showing, np.count_nonzero(numbers < wholes, axis=0))
    value, moves = float(shares.combined(found)), np.zeros((len(found), 2))
    for place in np.flatnonzero(whole):
        of_one = found[place], size[place], variance[place], units[place], showing[place]
        for side, end in enumerate(ends_of_observations(*map(float, of_one), rates=shares.rates)):
            moved = found.copy()
            moved[place] = end
            moves[place, side] = shares.combined(moved) - value
    low, high = _recovered(value, moves, apart, showing)
    if shares.within:
        high = min(high, interval_of_shares(_FORMULAS[shares.within], rows)[1])
    return low, high


def interval_of_mean(
    values: Sequence[float], without: Any, ends: Sequence[tuple[float, float]], *, alike: float = 0.0
) -> tuple[float, float]:
    """The 95 % interval of a mean of k parts, such as the kappas with several raters, from their own intervals.

    Parameters
    ----------
    without : array_like, shape (n, k)
        The values without each of n units.
    ends
        The parts' intervals.
    alike
        The correlation of two parts as far as the units do not show it.

    Examples
    --------
    Two parts without errors: the distances to their ends add up if they are alike.

    >>> ends = [(0.7, 1.0), (0.6, 1.0)]
    >>> [round(interval_of_mean([1, 1], np.ones((8, 2)), ends, alike=alike)[0], 3) for alike in (0, 1)]
    [0.75, 0.65]
    """
    moves = (np.array(ends) - np.reshape(values, (-1, 1))) / len(values)
    apart = np.asarray(without) - np.mean(without, axis=0)
    showing = np.count_nonzero(apart**2 > _ROUNDING, axis=0)
    return _recovered(float(np.mean(values)), moves, apart, showing, alike)


def _recovered(
    value: float, moves: np.ndarray, apart: np.ndarray, showing: np.ndarray, alike: float = 0.0
) -> tuple[float, float]:
    """The ends of a score of k parts.

    Parameters
    ----------
    moves : shape (k, 2)
        The changes of the score if a part is moved to its ends.
    apart : shape (n, k)
        What each unit contributes to each part.
    showing : shape (k,)
        How many units show the variation of each part.
    """
    squares, rising = (apart**2).sum(axis=0), np.where(moves[:, 1] >= moves[:, 0], 1.0, -1.0)
    scaled = np.where(squares > _ROUNDING, apart * rising / np.sqrt(np.maximum(squares, _ROUNDING)), 0)
    both = np.minimum(showing[:, np.newaxis], showing)
    together = (scaled.T @ scaled * both + PRIOR_UNITS * alike) / (both + PRIOR_UNITS)
    np.fill_diagonal(together, 1)
    down, up = (
        math.sqrt(max(0.0, side @ together @ side)) for side in (moves.min(axis=1), moves.max(axis=1))
    )
    return value - down, value + up


def f1_of_shares(shares: np.ndarray) -> Any:
    """The mean F1, from each class's hits as a share of the items that are of the class or predicted as such."""
    return np.nanmean(2 * shares / (1 + shares))


def cost_shares(
    costs: Any, *, weights: Sequence[Any], sides: Any = (..., ...)
) -> tuple[np.ndarray, np.ndarray]:
    """The misses and false alarms of each class's items at the thresholds of the weights, and their trials, by unit.

    Parameters
    ----------
    sides
        The class whose misses count, and that whose false alarms do; all classes if they are `...`.
    """
    numbers, wholes = [], []
    for errors, trials, side in zip(
        (costs.misses, costs.false_alarms), (1, np.shape(costs.items)[1] - 1), sides
    ):
        numbers.append(errors[:, side, : len(weights)].reshape(len(errors), -1))
        items = np.asarray(costs.items)[:, side].reshape(len(errors), -1) * trials
        wholes.append(np.repeat(items, len(weights), axis=1))
    return np.concatenate(numbers, axis=1), np.concatenate(wholes, axis=1)


def cost_of_shares(shares: np.ndarray, *, weights: Sequence[Any]) -> float:
    """The cost: the mean over classes and weights of the weighted miss and false-alarm rates."""
    by_class = shares.reshape(2, -1, len(weights)).mean(axis=1)
    return float((by_class * np.transpose(weights)).sum() / len(weights))
