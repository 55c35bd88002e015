"""Ranks of systems, and sets of ranks with simultaneous 95 % confidence for all systems.

Scores that are equal to `DECIMALS` decimals share the better rank. A system's true rank is 1 plus the number of systems
that are truly better. A system is *known to be better* than another if the hypothesis that it is not better is
rejected. The best rank of a system is 1 plus the number of systems known to be better; its worst rank is the number of
systems minus those known to be worse. If no true hypothesis is rejected, all these sets contain the true ranks, so a
single risk of 5 % applies to all systems together.

Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks (Review of Economic Studies 91, 2024), sections 3.2
and 3.3, with the stepdown of Romano and Wolf (Econometrica 73, 2005).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from ..metrics.bootstrap import SEED
from .multiple_comparisons import SIGNIFICANCE

DECIMALS = 10
"""Scores that agree to this many decimals are equal, because platforms store no more decimals."""

LEAST = 10.0**-DECIMALS
"""The smallest difference between two scores."""


def ranks(scores: np.ndarray, *, higher: bool) -> np.ndarray:
    """The ranks of scores along the last axis: 1 plus the number of better scores.

    Parameters
    ----------
    scores : ndarray, shape (..., s)
        The scores of s systems.
    higher
        Whether higher scores are better.

    Returns
    -------
    ndarray of int, shape (..., s)
        The ranks, from 1.

    Examples
    --------
    >>> ranks(np.array([3.0, 5.0, 5.0, 1.0]), higher=True).tolist()
    [3, 1, 1, 4]
    """
    scores = np.round(scores if higher else -scores, DECIMALS)
    places: np.ndarray = 1 + (scores[..., np.newaxis, :] > scores[..., :, np.newaxis]).sum(axis=-1)
    return places


def shared_places(values: Sequence[Hashable]) -> list[tuple[int, bool]]:
    """The ranks of values that are sorted from best to worst, and whether they are shared; equal ones share the better.

    >>> shared_places([5, 3, 3, 1])
    [(1, False), (2, True), (2, True), (4, False)]
    """
    count = Counter(values)
    first: dict[Hashable, int] = {}
    for rank, value in enumerate(values, 1):
        first.setdefault(value, rank)
    return [(first[value], count[value] > 1) for value in values]


def ranks_known(better: np.ndarray) -> list[tuple[int, int]]:
    """The best and the worst rank of each system.

    Parameters
    ----------
    better : ndarray of bool, shape (s, s)
        Whether the row's system is known to be better than the column's.

    Returns
    -------
    list of tuple of int
        The best and the worst rank of each of the s systems.

    Examples
    --------
    >>> ranks_known(np.array([[False, True, True], [False, False, False], [False, False, False]]))
    [(1, 1), (2, 3), (2, 3)]
    """
    best, worst = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return [(int(first), int(last)) for first, last in zip(best, worst)]


def infers_ranks(units: int) -> bool:
    """Whether `rank_sets` infers anything: too few units may all favour one of two equal systems by chance.

    >>> infers_ranks(5), infers_ranks(6)  # 2 / 2**5 = 0.06, 2 / 2**6 = 0.03
    (False, True)
    """
    return 2.0 ** (1 - units) <= SIGNIFICANCE


def rank_sets(
    scores: np.ndarray, resampled: np.ndarray, *, units: int, higher: bool
) -> list[tuple[int, int]]:
    """The best and the worst rank of each system, from a joint bootstrap.

    For every ordered pair of systems, the hypothesis is that the first system is no better than the second. The
    statistic is the lead of the first in score, divided by the standard error of the lead. The critical value is the
    95th percentile of the largest deviation in each resample. It is computed again over the remaining pairs until no
    more hypotheses are rejected.

    - The distribution of a score may be skewed, as for a ratio, and ranks are the same on any scale of the score. So a
      lead is compared with the resamples that fall short of it, and the standard error is that of this side.
    - With few units, a standard error is itself uncertain. So the deviations of a resample are divided by errors that
      vary as those of normal values do (by the root of a chi-squared variable), which gives the percentile the tails of
      Student's t. There are n - 2 degrees of freedom for n units, because a mean and a side are estimated. Errors are
      also widened by sqrt(n / (n - 1)), because a resample varies less than a new sample.

    Parameters
    ----------
    scores : ndarray, shape (s,)
        The scores of the systems.
    resampled : ndarray, shape (r, s)
        The score of each system in each resample of the same units. Resamples in which a score is undefined (NaN) are
        left out.
    units
        The number of units. Nothing is inferred from fewer than six units, because then all units may favour one of two
        equal systems with a probability above 5 %.
    higher
        Whether higher scores are better.

    Returns
    -------
    list of tuple of int
        The best and the worst rank of each system. If nothing can be inferred, these are 1 and s.

    Examples
    --------
    >>> noise = np.random.RandomState(0).normal(size=(200, 3)) / 10
    >>> rank_sets(np.array([3.0, 1.0, 1.05]), np.array([3.0, 1.0, 1.05]) + noise, units=50, higher=True)
    [(1, 1), (2, 3), (2, 3)]
    """
    _, adjusted = lead_p_values(scores, resampled, units=units, higher=higher)
    is_ahead = scores[:, np.newaxis] > scores if higher else scores[:, np.newaxis] < scores
    return ranks_known(is_ahead & (adjusted <= SIGNIFICANCE))


def known_by_bands(scores: np.ndarray, resampled: np.ndarray, *, units: int, higher: bool) -> np.ndarray:
    """Which of many systems are known to be better than which, from simultaneous intervals of their scores.

    A system is known to be better if its interval is above that of the other one. The intervals hold for all systems
    together, as in `rank_sets`: the critical value is the 95th percentile of the largest deviation of a score in each
    resample, on the side that it falls, divided by errors that vary as those of normal values do. What all systems have
    in common in a resample, weighted by their precision, moves no lead and is taken out first. The time grows with the
    number of systems, not with that of pairs; ranges of ranks are 5 to 29 % wider than those of `rank_sets`.

    Parameters
    ----------
    scores, resampled, units, higher
        As for `rank_sets`.

    Returns
    -------
    ndarray of bool, shape (s, s)
        Whether the row's system is known to be better than the column's, for `ranks_known`.

    Examples
    --------
    >>> noise = np.random.RandomState(0).normal(size=(200, 3)) / 10
    >>> found = known_by_bands(np.array([3.0, 1.0, 1.05]), np.array([3.0, 1.0, 1.05]) + noise, units=50, higher=True)
    >>> ranks_known(found)
    [(1, 1), (2, 3), (2, 3)]
    """
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if not len(complete) or not infers_ranks(units):
        return np.zeros((len(scores), len(scores)), dtype=bool)
    sign = 1 if higher else -1
    scores, moves = scores * sign, (complete - scores) * sign
    precision = 1 / np.maximum(moves.var(axis=0), LEAST**2)
    moves -= (moves @ precision / precision.sum())[:, np.newaxis]
    below, above = _one_sided_errors(moves)
    freedom, state = units - 2, np.random.RandomState(SEED)
    largest = [
        np.max(np.abs(move) / np.where(move < 0, below, above) / np.sqrt(varied))
        for move in moves
        for varied in [state.chisquare(freedom, len(scores)) / freedom]
    ]
    critical = math.sqrt(units / (units - 1)) * _percentile(np.array(largest))
    better: np.ndarray = (scores - critical * below)[:, np.newaxis] > scores + critical * above
    return better


def lead_p_values(
    scores: np.ndarray, resampled: np.ndarray, *, units: int, higher: bool
) -> tuple[np.ndarray, np.ndarray]:
    """The p-value of the lead of every two systems, and p after the stepwise correction over all pairs.

    p is the share of resamples that deviate as far as the lead; at least one is counted. A corrected p is at most
    `SIGNIFICANCE` if and only if `rank_sets` takes the system as known to be better.

    Source: Romano and Wolf, Efficient computation of adjusted p-values for resampling-based stepdown multiple testing
    (Statistics and Probability Letters 113, 2016), algorithm 4.1.

    Parameters
    ----------
    scores, resampled, units, higher
        As for `rank_sets`. The memory needed is eight bytes for each pair and resample.

    Returns
    -------
    tuple of two ndarray, shape (s, s)
        The p-values, symmetric, and those after the correction. All are 1 if nothing can be inferred.
    """
    single, adjusted = np.ones((2, len(scores), len(scores)))
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if len(scores) < 2 or not len(complete) or not infers_ranks(units):
        return single, adjusted
    first, second = np.triu_indices(len(scores), 1)
    sign = 1 if higher else -1
    leads = (scores[first] - scores[second]) * sign
    complete = complete * sign
    drawn = complete[:, first]
    drawn -= complete[:, second]
    drawn -= leads
    short, beyond = _one_sided_errors(drawn)
    drawn /= np.where(drawn < 0, short, beyond)
    varied = np.random.RandomState(SEED).chisquare(units - 2, drawn.shape)
    varied /= units - 2
    drawn /= np.sqrt(varied, out=varied)
    drawn *= math.sqrt(units / (units - 1))
    gaps = np.concatenate([leads / short, -leads / beyond])
    found, stepped = np.ones((2, len(gaps)))
    largest = np.zeros(len(complete))
    for place in np.argsort(gaps, kind="stable"):
        falls = -drawn[:, place] if place < len(leads) else drawn[:, place - len(leads)]
        np.maximum(largest, falls, out=largest)
        for p_values, farthest in ((found, falls), (stepped, largest)):
            p_values[place] = np.fmax(1, np.count_nonzero(farthest >= gaps[place])) / len(complete)
    order = np.argsort(-gaps, kind="stable")
    stepped[order] = np.maximum.accumulate(stepped[order])
    for values, matrix in ((found, single), (stepped, adjusted)):
        of_leader = np.where(leads > 0, values[: len(leads)], values[len(leads) :])
        matrix[first, second] = matrix[second, first] = np.where(leads == 0, 1.0, of_leader)
    return single, adjusted


def _percentile(largest: np.ndarray) -> float:
    """The critical value of the largest deviation in each resample."""
    return float(np.sort(largest)[len(largest) - 1 - int(len(largest) * SIGNIFICANCE)])


def _one_sided_errors(moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The standard deviations of normal distributions with either side, from moves of shape (r, pairs)."""
    below: Any = 0.0
    above: Any = 0.0
    for move in moves:  # one by one, because squares of all of them would need as much memory again
        below += np.square(np.minimum(move, 0))
        above += np.square(np.maximum(move, 0))
    short, beyond = (np.maximum(np.sqrt(2 * (squares / len(moves))), LEAST) for squares in (below, above))
    return short, beyond
