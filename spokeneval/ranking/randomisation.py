"""Differences in score between two systems: paired randomisation tests, and a tail bound of their p values.

- *Paired randomisation* (Noreen 1989; Yeh 2000): in each round, two systems swap their rows of statistics for each unit
  with probability 1/2. The p value is the share of rounds, including the observed one, whose difference in score is at
  least the observed difference. A round in which a score is undefined counts as such a round. If there are no more ways
  to swap than rounds, each way is used once, and p is exact. If the counts of two systems are not on the same scale
  (`Task.shared_scale`), the units' jackknife pseudo-values of the score are swapped instead.
- *Tail bound*: if no round reaches the observed difference, p is smaller than the rounds can resolve. The bound on a
  sum of independent signs then gives an upper limit: 3.178 times the tail of the normal distribution (Bentkus and
  Dzindzalieva, A tight Gaussian bound for weighted sums of Rademacher random variables, Bernoulli 21, 2015), with the
  standard deviation of the rounds. Thus more systems need no more rounds.
- *Studentised bootstrap* (Efron and Tibshirani 1993, chapter 12): swapping takes differences to be symmetric, but one
  system may fail on a few units. With `FEWEST_RESAMPLED` units or more, p is at least that of resampled t.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from functools import cache
from statistics import NormalDist
from typing import Any, Callable

import numpy as np

from ..metrics.bootstrap import SEED, resample_weights
from .multiple_comparisons import SIGNIFICANCE, holm_level
from .ranks import LEAST

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""A function from sums of rows of counts, shape (r, k), to scores, shape (r,); undefined scores are NaN."""

ROUNDS = 10_000
"""The number of random rounds of a test."""

MOST_SWAPPED = 100
"""The largest number of systems that are compared by swapping; more are compared by `known_by_bands`."""

FEWEST_RESAMPLED = 30
"""With fewer units, resamples of t do not show how skewed it is."""

_BATCH = 1000

_CLEAR, _ROUNDS_OF_CLEAR = 5.0, 1000
"""A difference is clear if it exceeds this many standard deviations, and if this many rounds stayed below it. Its p is
then below 2e-6."""

_AT_A_TIME = 1 << 17
"""The number of values to process at a time, so that they fit into the processor's cache."""

_MOST_REPEATED = 64
"""With more units, no round keeps or swaps all of them."""

_SIGNS_TO_NORMAL = 1 / (4 * NormalDist().cdf(-math.sqrt(2)))


def randomisation_tests(
    values: np.ndarray,
    primary: ScoreOfSums,
    *,
    rounds: int = ROUNDS,
    progress: Callable[[str], None] = lambda step: None,
) -> np.ndarray:
    """Two-sided p values of the differences between every two of s systems.

    All pairs share the choice of units in a round, so each system is summed only once per round: after swapping, the
    sum of system A is that of A's kept units and B's swapped units. Random rounds end for a pair as soon as its p is
    above `SIGNIFICANCE` whatever the remaining rounds give, or its difference is clear. Exact tests use all ways for
    each pair.

    Parameters
    ----------
    values : ndarray, shape (s, n, k)
        The statistics of each system: k numbers for each of n units.
    primary
        The formula of the score.
    rounds
        The number of random rounds. If there are at most this many ways to swap, the test is exact.
    progress
        Called with a line about the current round.

    Returns
    -------
    ndarray, shape (s, s)
        The p values, symmetric, with 1 on the diagonal.
    """
    systems, units, columns = values.shape
    exact = _few_ways(units, rounds)
    sums = values.sum(axis=1)
    scores = primary(sums)
    flat = values.transpose(1, 0, 2).reshape(units, systems * columns)
    first, second = np.triu_indices(systems, 1)
    observed = np.abs(scores[first] - scores[second])
    extreme, drawn, squares = np.zeros((3, len(first)))
    most = 2**units if exact else rounds
    for batch, keep in enumerate(_all_ways(units) if exact else _random_ways(units, rounds)):
        progress(f"comparing systems in pairs, round {batch * _BATCH} of {most}")
        kept = np.ascontiguousarray((keep @ flat).reshape(-1, systems, columns).transpose(1, 0, 2))
        moved = sums[:, np.newaxis] - kept
        far = _deviations(observed, squares, drawn) > _CLEAR
        clear = (extreme == 0) & (drawn >= _ROUNDS_OF_CLEAR) & far
        open_pairs = np.flatnonzero(exact | (extreme <= SIGNIFICANCE * (1 + most)) & ~clear)
        for pairs in _pieces(open_pairs, len(keep) * columns):
            one, other = first[pairs], second[pairs]
            swapped = primary((kept[one] + moved[other]).reshape(-1, columns))
            swapped = np.abs(swapped - primary((kept[other] + moved[one]).reshape(-1, columns)))
            swapped = swapped.reshape(len(pairs), len(keep))
            less = swapped < observed[pairs, np.newaxis] - LEAST
            extreme[pairs] += len(keep) - np.count_nonzero(less, axis=1)
            drawn[pairs] += len(keep)
            squares[pairs] += np.square(swapped).sum(axis=1)
    p_values = np.eye(systems)
    deviations = _deviations(observed, squares, drawn)
    p_values[first, second] = p_of_counts(extreme, drawn, deviations, units, exact=exact)
    p_values[second, first] = p_values[first, second]
    return p_values


def studentised_p_values(p_values: np.ndarray, parts: np.ndarray) -> np.ndarray:
    """The p values of swapping, shape (s, s), raised to those of the studentised bootstrap where these are larger.

    Only p values between the smallest of rounds and `SIGNIFICANCE` are; they stay if no resample reaches t.

    Parameters
    ----------
    parts : ndarray, shape (s, n)
        The contribution of each unit to the score, from `pseudo_values`.

    Examples
    --------
    >>> parts = np.stack([np.where(np.arange(30) < 2, 5, -1), np.zeros(30)])  # fails on 2 of 30 units
    >>> studentised_p_values(np.array([[1, 0.045], [0.045, 1]]), parts)[0, 1].round(3).item()
    0.246
    """
    found: np.ndarray = p_values.copy()
    weights = resample_weights(parts.shape[1], resamples=_BATCH) / parts.shape[1]
    open_pairs = np.triu((p_values <= SIGNIFICANCE) & (p_values * (1 + ROUNDS) >= 1), 1)
    for first, second in np.argwhere(open_pairs):
        apart = parts[first] - parts[second]
        mean, apart = apart.mean(), apart - apart.mean()
        means, squares = (weights @ np.stack([apart, apart**2], axis=1)).T
        spread = np.sqrt(np.maximum(squares - means**2, 0))
        beyond = np.sign(mean) * means >= abs(mean) / np.sqrt(np.mean(apart**2)) * spread
        if beyond.any():
            p = 2 * (1 + np.count_nonzero(beyond)) / (1 + len(weights))
            found[first, second] = found[second, first] = max(p, p_values[first, second])
    return found


def signs(units: int) -> np.ndarray:
    """All ways to swap units, or `ROUNDS` random ones, shape (ways, units): 1 to keep, -1 to swap.

    Examples
    --------
    >>> signs(2).tolist()
    [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]]
    """
    exact = _few_ways(units, ROUNDS)
    return 2 * np.concatenate([*(_all_ways(units) if exact else _random_ways(units, ROUNDS))]) - 1


def p_of_counts(
    extreme: np.ndarray, drawn: Any, deviations: np.ndarray, units: int, *, exact: bool
) -> np.ndarray:
    """The p values of the test, shape (s,).

    Parameters
    ----------
    extreme : ndarray, shape (s,)
        In how many rounds, or ways to swap, the difference was at least the observed one.
    drawn
        The number of rounds or ways.
    deviations : ndarray, shape (s,)
        The observed differences in standard deviations of the rounds.
    units
        The number of units.
    exact
        Whether these are all ways to swap.

    Examples
    --------
    >>> p_of_counts(np.array([2]), 2**4, np.array([2.0]), 4, exact=True).tolist()
    [0.125]
    """
    found = extreme / drawn if exact else (1 + extreme) / (1 + drawn)
    bounds = [_tail_bound(z, units) for z in deviations]
    p_values: np.ndarray = np.where(extreme == 0, np.minimum(found, bounds), found)
    return p_values


def _deviations(observed: np.ndarray, squares: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """The observed differences in standard deviations of the rounds."""
    found: np.ndarray = observed / np.sqrt(np.maximum(squares / np.maximum(drawn, 1), LEAST**2))
    return found


def _few_ways(units: int, rounds: int) -> bool:
    """Whether there are no more ways to swap than rounds."""
    return units < 64 and 2**units <= rounds


def _all_ways(units: int) -> Iterator[np.ndarray]:
    """Every choice of units to keep, shape (batch, units): 1 to keep, 0 to swap."""
    ways = np.array(list(itertools.product((1.0, 0.0), repeat=units)))
    for begin in range(0, len(ways), _BATCH):
        yield ways[begin : begin + _BATCH]


def _random_ways(units: int, rounds: int) -> Iterator[np.ndarray]:
    """Random choices of units to keep, shape (batch, units), one per round."""
    state = np.random.RandomState(SEED)
    for begin in range(0, rounds, _BATCH):
        yield state.randint(0, 2, size=(min(_BATCH, rounds - begin), units)).astype(np.float64)


def _pieces(pairs: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """The pairs in pieces of at most `_AT_A_TIME` numbers, with `numbers` of them for each pair."""
    size = max(1, _AT_A_TIME // numbers)
    for begin in range(0, len(pairs), size):
        yield pairs[begin : begin + size]


def _tail_bound(deviations: float, units: int) -> float:
    """An upper bound of the two-sided p of a sum of signs, one per unit, at this many standard deviations from 0.

    The sum is never farther from 0 than the square root of the number of signs, in standard deviations.
    """
    # erfc, because 1 + erf is 0 from 8 standard deviations on
    return min(1.0, _SIGNS_TO_NORMAL * math.erfc(min(deviations, math.sqrt(units)) / math.sqrt(2)))


def least_p(units: int) -> float:
    """The smallest p that a difference between two systems can have with this many units.

    Examples
    --------
    >>> least_p(units=10)  # 2 of 2**10 ways to swap
    0.001953125
    """
    bound = _tail_bound(math.inf, units)
    if _few_ways(units, ROUNDS):
        return 2.0 ** (1 - units)
    repeats = _repeats(units)
    return (1 + repeats) / (1 + ROUNDS) if repeats else min(1 / (1 + ROUNDS), bound)


@cache
def _repeats(units: int) -> int:
    """In how many random rounds all units are kept or all are swapped, which gives the observed difference again."""
    if units > _MOST_REPEATED:
        return 0
    return int(np.count_nonzero(np.abs(signs(units).sum(axis=1)) == units))


def resolved_level(units: int, level: float) -> float:
    """The largest p of swaps or rounds that is at most `level`; 0 if they resolve none.

    Examples
    --------
    >>> resolved_level(units=10, level=0.05 / 15) * 2**10  # 0.05 / 15 of 2**10 ways is 3.4, and ways come in pairs
    2.0
    """
    if _few_ways(units, ROUNDS):
        ways = 2.0 ** (units - 1)
        return math.floor(level * ways) / ways
    return math.floor(level * (1 + ROUNDS)) / (1 + ROUNDS)


def critical_deviations(level: float) -> float:
    """The number of deviations from which the tail bound is at most `level`.

    Examples
    --------
    >>> round(critical_deviations(0.05 / 45), 3)
    3.576
    """
    return -NormalDist().inv_cdf(level / (2 * _SIGNS_TO_NORMAL))


def units_needed(systems: int) -> int:
    """The smallest number of units with which a difference between two of several systems can be significant.

    Examples
    --------
    >>> units_needed(6)  # 15 pairs: 15 * 2 / 2**9 = 0.059, 15 * 2 / 2**10 = 0.029
    10
    """
    level = holm_level(systems)
    return next(units for units in itertools.count(1) if least_p(units) <= level)


def pseudo_values(values: np.ndarray, primary: ScoreOfSums) -> np.ndarray:
    """Jackknife pseudo-values: the contribution of each unit to the score.

    A pseudo-value is n times the score minus n - 1 times the score without the unit; or the score itself if the score
    without the unit is undefined.

    Parameters
    ----------
    values : ndarray, shape (s, n, k)
        The statistics of s systems: k numbers for each of n units.
    primary
        The formula of the score.

    Returns
    -------
    ndarray, shape (s, n, 1)
        The pseudo-values.

    Examples
    --------
    The score is 6 / 4; without the first unit 4 / 3, without the second 2 / 1. The pseudo-values are
    2 * 6/4 - 4/3 = 5/3 and 2 * 6/4 - 2 = 1.

    >>> pseudo_values(np.array([[[2.0, 1.0], [4.0, 3.0]]]), lambda sums: sums[:, 0] / sums[:, 1]).round(6).tolist()
    [[[1.666667], [1.0]]]
    """
    units = values.shape[1]
    found = []
    for system in values:
        total = system.sum(axis=0)
        score, without = primary(total[np.newaxis])[0], primary(total - system)
        found.append(units * score - (units - 1) * np.where(np.isnan(without), score, without))
    return np.stack(found)[:, :, np.newaxis]


def mean_of_units(units: int) -> ScoreOfSums:
    """The formula of a score that is the mean over units of a single column, as for `pseudo_values`.

    Examples
    --------
    >>> mean_of_units(4)(np.array([[6.0], [2.0]])).tolist()
    [1.5, 0.5]
    """
    return lambda sums: sums[:, 0] / units
