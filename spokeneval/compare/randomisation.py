"""Differences of two systems in score: paired randomisation tests, and a tail bound of their p.

- *Paired randomisation* (Noreen 1989; Yeh 2000): in each round two systems swap their rows of statistics, unit by unit,
  with probability 1/2; p is the share of rounds, the observed one included, whose difference in score is at least the
  observed one. A round without a score counts as one of them. Where there are no more ways to swap than rounds, each
  way is taken once and p is exact. Where the counts of two systems are not on one scale (`Task.shared_scale`), swap
  the units' jackknife pseudo-values of the score instead.
- *Tail bound*: where no round is as far apart as the observation, p is smaller than rounds can resolve. It is then at
  most what the bound on a sum of independent signs gives, 3.178 times the tail of the normal distribution (Bentkus
  and Dzindzalieva, A tight Gaussian bound for weighted sums of Rademacher random variables, Bernoulli 21, 2015), with
  the standard deviation of the rounds. A board of many systems therefore needs no more rounds than one of few. For
  more than `MOST_SWAPPED` systems there are no rounds: every pair has this bound, by the units' pseudo-values.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from statistics import NormalDist
from typing import Callable

import numpy as np

from ..metrics.bootstrap import SEED
from .multiple_comparisons import SIGNIFICANCE, holm_level
from .ranks import LEAST

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""Sums of rows of counts, shape=(r, k), to scores, shape=(r,); NaN where undefined."""

ROUNDS = 10_000

MOST_SWAPPED = 100
"""Most systems that are compared by swapping; with more, each pair has a bound."""

_BATCH = 1000

_CLEAR, _ROUNDS_OF_CLEAR = 5.0, 1000
"""A difference is clear beyond this many standard deviations, after this many rounds that stayed below it: its p is
then below 2e-6."""

_AT_A_TIME = 1 << 17
"""Numbers processed at a time: as many as fit into the processor's cache."""

_SIGNS_TO_NORMAL = 1 / (4 * NormalDist().cdf(-math.sqrt(2)))


def randomisation_tests(
    values: np.ndarray,
    primary: ScoreOfSums,
    *,
    rounds: int = ROUNDS,
    progress: Callable[[str], None] = lambda step: None,
) -> np.ndarray:
    """Two-sided p of the difference of every two systems, shape=(s, s), from statistics of shape=(s, n, k).

    All pairs share a round's choice of units, so each system is summed only once per round: after swapping, the sums of
    A are those of A's kept units and of B's swapped ones. Random rounds end for a pair as soon as its p is above
    `SIGNIFICANCE` whatever the other rounds give, or its difference is clear; exact tests use all ways for each pair.

    Parameters
    ----------
    primary: the formula of the score.
    rounds: number of random rounds; at most this many ways to swap are enumerated.
    progress: is called with a line about the current round.

    Examples
    --------
    The first system is better by 1 on each of four units; 2 of the 16 ways to swap are as far apart.

    >>> values = np.array([[[2.0], [3.0], [1.0], [2.0]], [[1.0], [2.0], [0.0], [1.0]]])
    >>> randomisation_tests(values, mean_of_units(4)).tolist()
    [[1.0, 0.125], [0.125, 1.0]]
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
    begin = 0
    for keep in _all_ways(units) if exact else _random_ways(units, rounds):
        progress(f"comparing systems in pairs, round {begin} of {most}")
        begin += len(keep)
        kept = np.ascontiguousarray((keep @ flat).reshape(-1, systems, columns).transpose(1, 0, 2))
        moved = sums[:, np.newaxis] - kept
        clear = (
            (extreme == 0) & (drawn >= _ROUNDS_OF_CLEAR) & (_deviations(observed, squares, drawn) > _CLEAR)
        )
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
    found = extreme / drawn if exact else (1 + extreme) / (1 + drawn)
    bounds = [_tail_bound(z, units) for z in _deviations(observed, squares, drawn)]
    found = np.where(extreme == 0, np.minimum(found, bounds), found)
    p_values = np.eye(systems)
    p_values[first, second] = p_values[second, first] = found
    return p_values


def _deviations(observed: np.ndarray, squares: np.ndarray, drawn: np.ndarray) -> np.ndarray:
    """Distance of the observed differences from 0, in standard deviations of the rounds."""
    return observed / np.sqrt(np.maximum(squares / np.maximum(drawn, 1), LEAST**2))


def _few_ways(units: int, rounds: int) -> bool:
    """Whether there are no more ways to swap than rounds."""
    return units < 64 and 2**units <= rounds


def _all_ways(units: int) -> Iterator[np.ndarray]:
    """Every choice of units to keep, shape=(batch, units): 1 to keep, 0 to swap."""
    ways = np.array(list(itertools.product((1.0, 0.0), repeat=units)))
    for begin in range(0, len(ways), _BATCH):
        yield ways[begin : begin + _BATCH]


def _random_ways(units: int, rounds: int) -> Iterator[np.ndarray]:
    """Random choices of units to keep, one per round."""
    state = np.random.RandomState(SEED)
    for begin in range(0, rounds, _BATCH):
        yield state.randint(0, 2, size=(min(_BATCH, rounds - begin), units)).astype(np.float64)


def _pieces(pairs: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """Pairs in pieces of at most `_AT_A_TIME` numbers, with `numbers` for each pair."""
    size = max(1, _AT_A_TIME // numbers)
    for begin in range(0, len(pairs), size):
        yield pairs[begin : begin + size]


def _tail_bound(deviations: float, units: int) -> float:
    """Upper bound of the two-sided p of a sum of signs, one per unit, at this many standard deviations from 0.

    A sum is never farther from 0 than the root of its number of signs.
    """
    # erfc, because a distribution function computed as 1 + erf is 0 from 8 deviations on
    return min(1.0, _SIGNS_TO_NORMAL * math.erfc(min(deviations, math.sqrt(units)) / math.sqrt(2)))


def least_p(units: int, systems: int) -> float:
    """The least p that a difference over this many units can have on a board of this many systems.

    >>> least_p(units=10, systems=6)  # 2 of 2**10 ways to swap
    0.001953125
    """
    if systems <= MOST_SWAPPED and _few_ways(units, ROUNDS):
        return 2.0 ** (1 - units)
    bound = _tail_bound(math.inf, units)
    return min(1 / (1 + ROUNDS), bound) if systems <= MOST_SWAPPED else bound


def units_needed(systems: int) -> int:
    """The least number of units with which a difference between two of so many systems can be significant.

    >>> units_needed(6)  # 15 pairs: 15 * 2 / 2**9 = 0.059, 15 * 2 / 2**10 = 0.029
    10
    """
    return next(units for units in itertools.count(1) if least_p(units, systems) <= holm_level(systems))


def pseudo_values(values: np.ndarray, primary: ScoreOfSums) -> np.ndarray:
    """Jackknife pseudo-values, shape=(s, n, 1), from statistics of shape=(s, n, k): each unit's part of the score.

    n times the score less n - 1 times the score of the other units; the score itself where the others have none.

    Sums 6 / 4, without the first unit 4 / 3, without the second 2 / 1: 2 * 6/4 - 4/3 = 5/3 and 2 * 6/4 - 2 = 1.

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
    """The formula of a score that is the mean over units of a single column, such as `pseudo_values`.

    >>> mean_of_units(4)(np.array([[6.0], [2.0]])).tolist()
    [1.5, 0.5]
    """
    return lambda sums: sums[:, 0] / units


def bounded_differences(parts: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Significant differences by the tail bound and Holm's correction over all pairs, without rounds.

    Each pair is tested on the scale of the score and, where both scores are above 0, on that of its logarithm, which
    suits skewed scores such as ratios, each at half the level. Needs two s x s numbers of four bytes.

    Parameters
    ----------
    parts: each unit's contribution to the score, shape=(s, n), from `pseudo_values`.
    scores: shape=(s,).

    Returns
    -------
    bool, shape=(s, s): whether the row's score is significantly higher than the column's.

    Examples
    --------
    Of 400 units the first system wins 300: (300 - 100) / sqrt(400) = 10 standard deviations.

    >>> parts = np.stack([np.arange(400) < 300, np.arange(400) >= 300]).astype(float)
    >>> bounded_differences(parts, parts.mean(axis=1)).tolist()
    [[False, True], [False, False]]
    """
    logs = np.log(scores, out=np.full(len(scores), np.nan), where=scores > 0)
    on_logs = logs[:, np.newaxis] + parts / np.exp(logs)[:, np.newaxis] - 1
    deviations = _deviations_of_means(parts, scores)
    np.fmax(deviations, _deviations_of_means(on_logs, logs), out=deviations)
    pairs = len(scores) * (len(scores) - 1) // 2
    higher = np.zeros(deviations.shape, dtype=bool)
    rejected, found = -1, 0
    while rejected < found < pairs:
        rejected = found
        level = holm_level(len(scores), rejected) / 2
        higher = deviations > -NormalDist().inv_cdf(level / (2 * _SIGNS_TO_NORMAL))
        found = int(np.count_nonzero(higher))
    return higher


def _deviations_of_means(parts: np.ndarray, means: np.ndarray) -> np.ndarray:
    """Lead of each row's mean over each column's, in standard deviations of a sum of signs; NaN where one is NaN."""
    systems, units = parts.shape
    parts = parts - np.nan_to_num(parts).mean(axis=0)
    squares = np.square(parts).sum(axis=1)
    deviations = np.zeros((systems, systems), dtype=np.float32)
    for begin in range(0, systems, _BATCH):
        rows = slice(begin, begin + _BATCH)
        apart = squares[rows, np.newaxis] + squares - 2 * parts[rows] @ parts.T
        leads = means[rows, np.newaxis] - means
        deviations[rows] = units * leads / np.sqrt(np.maximum(apart, (units * LEAST) ** 2))
    return np.minimum(deviations, np.float32(math.sqrt(units)), out=deviations)
