"""Which systems differ: ranks, differences of systems in pairs, Holm's correction, clusters.

Conventions: a *unit* is what the statistics are counted by (a speaker, a recording, a call, a response); rank 1 is
the best; equal scores, to the ten decimals that a platform stores, share the better rank.

- *Difference of two systems*: paired randomisation (Noreen 1989; Yeh 2000). In each round the two systems swap
  their rows of statistics, unit by unit, with probability 1/2; p is the share of rounds, the observed one counted
  among them, whose difference in score is at least the observed one. A round without a score counts as one. Where
  there are no more ways to swap than rounds, each way is taken once and p is exact.
  Where the counts of two systems are not on one scale (`Task.shared_scale`), the units' jackknife pseudo-values of
  the score are swapped instead.
- *Tail bound*: where no round is as far apart as what was observed, p is less than rounds can tell. It is then at
  most what the bound on a sum of independent signs gives, 3.178 times the tail of the normal distribution (Bentkus
  and Dzindzalieva, A tight Gaussian bound for weighted sums of Rademacher random variables, Bernoulli 21, 2015), with
  the standard deviation of the rounds. So a board of many systems needs no more rounds than one of few.
  Of more than `MOST_SWAPPED` systems none are swapped: every pair has this bound, by the units' pseudo-values.
- *Holm's correction* (1979) over all pairs: at most 5 % risk that any difference on the board is a chance one.
- *Cluster*: down the board, a new one begins with the first rank at which some system differs significantly from
  the first system of the current cluster. So nobody in a cluster is shown to differ from its first; that two of
  them are equal is not shown either.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from statistics import NormalDist

import numpy as np

from speechbundles.platforms.keys import MOST_DECIMALS
from spokeneval.run.interval import SEED

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""Sums of rows of counts, shape=(r, k), to scores, shape=(r,); NaN where undefined."""

SIGNIFICANCE = 0.05
"""The risk that any of all pairs is wrongly told apart, and any of all systems' ranks wrongly given."""
RISK, CONFIDENCE = f"{100 * SIGNIFICANCE:g} %", f"{100 * (1 - SIGNIFICANCE):g} %"

ROUNDS = 10_000

MOST_SWAPPED = 100
"""Systems that are compared by swapping; of more, each pair has a bound."""

_BATCH = 1000

_CLEAR, _ROUNDS_OF_CLEAR = 5.0, 1000
"""From how many standard deviations on, and after how many rounds none of which came as far, a difference is clear:
its p is then below 2e-6."""

_AT_A_TIME = 1 << 17
"""Numbers worked on at a time: as many as stay in the processor's cache."""

_SIGNS_TO_NORMAL = 1 / (4 * NormalDist().cdf(-math.sqrt(2)))

_LEAST = 10.0**-MOST_DECIMALS


def ranks(scores: np.ndarray, *, higher: bool) -> np.ndarray:
    """Ranks of scores, shape=(..., s), along the last axis: 1 and the number of better ones."""
    scores = np.round(scores if higher else -scores, MOST_DECIMALS)
    better = scores[..., np.newaxis, :] > scores[..., :, np.newaxis]
    places: np.ndarray = 1 + better.sum(axis=-1)
    return places


def randomisation_tests(
    values: np.ndarray,
    primary: ScoreOfSums,
    *,
    rounds: int = ROUNDS,
    seed: int = SEED,
    progress: Callable[[str], None] = lambda step: None,
) -> np.ndarray:
    """Two-sided p of the difference of every two systems, shape=(s, s), from statistics of shape=(s, n, k).

    All pairs share a round's choice of units, so each system is summed but once a round: after swapping, the sums of A
    are those of A's kept units and of B's swapped ones. Of random rounds a pair gets no more whose p is above
    `SIGNIFICANCE` whatever the others bring, or that is `_CLEAR`; of all ways each pair gets all.
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
    for keep in _all_ways(units) if exact else _random_ways(units, rounds, seed):
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
            less = swapped < observed[pairs, np.newaxis] - _LEAST
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
    """How many standard deviations of the rounds the observed differences are from 0."""
    return observed / np.sqrt(np.maximum(squares / np.maximum(drawn, 1), _LEAST**2))


def _few_ways(units: int, rounds: int) -> bool:
    """Whether there are no more ways to swap than rounds."""
    return units < 64 and 2**units <= rounds


def _all_ways(units: int) -> Iterator[np.ndarray]:
    """Every choice of units to keep, shape=(batch, units): 1 to keep, 0 to swap."""
    ways = np.array(list(itertools.product((1.0, 0.0), repeat=units)))
    for begin in range(0, len(ways), _BATCH):
        yield ways[begin : begin + _BATCH]


def _random_ways(units: int, rounds: int, seed: int) -> Iterator[np.ndarray]:
    """Random ones, as many as rounds."""
    state = np.random.RandomState(seed)
    for begin in range(0, rounds, _BATCH):
        yield state.randint(0, 2, size=(min(_BATCH, rounds - begin), units)).astype(np.float64)


def _pieces(pairs: np.ndarray, numbers: int) -> Iterator[np.ndarray]:
    """Pairs, as many at a time as `numbers` numbers each allow."""
    size = max(1, _AT_A_TIME // numbers)
    for begin in range(0, len(pairs), size):
        yield pairs[begin : begin + size]


def _tail_bound(deviations: float, units: int) -> float:
    """The most that the two-sided p of a sum of so many signs can be, so many standard deviations from 0.

    A sum is never more than a root of its number away.
    """
    # erfc, because a distribution function that is made of 1 + erf is 0 from 8 deviations on
    return min(1.0, _SIGNS_TO_NORMAL * math.erfc(min(deviations, math.sqrt(units)) / math.sqrt(2)))


def least_p(units: int, systems: int) -> float:
    """The least p that a difference over so many units can have on a board of so many systems."""
    if systems <= MOST_SWAPPED and _few_ways(units, ROUNDS):
        return 2.0 ** (1 - units)
    bound = _tail_bound(math.inf, units)
    return min(1 / (1 + ROUNDS), bound) if systems <= MOST_SWAPPED else bound


def units_needed(systems: int) -> int:
    """From how many units on a difference between two of so many systems can be significant."""
    pairs = systems * (systems - 1) // 2
    return next(units for units in itertools.count(1) if pairs * least_p(units, systems) <= SIGNIFICANCE)


def pseudo_values(values: np.ndarray, primary: ScoreOfSums) -> np.ndarray:
    """Jackknife pseudo-values, shape=(s, n, 1): what each unit adds to the score, n times the score less n - 1 times
    that of the other units; the score itself for a unit without which there is none.
    """
    units = values.shape[1]
    found = []
    for system in values:
        total = system.sum(axis=0)
        score, without = primary(total[np.newaxis])[0], primary(total - system)
        found.append(units * score - (units - 1) * np.where(np.isnan(without), score, without))
    return np.stack(found)[:, :, np.newaxis]


def mean_of_units(units: int) -> ScoreOfSums:
    return lambda sums: sums[:, 0] / units


def bounded_differences(parts: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Which systems score significantly higher than which, by the tail bound and Holm's correction over all pairs.

    Each pair is tested on the scale of the score and, where both scores are above 0, on that of its logarithm, which
    suits skewed scores such as ratios, either at half the level. Needs two s x s numbers of four bytes, and no rounds.

    Parameters
    ----------
    parts: what each unit adds to the score, shape=(s, n), from `pseudo_values`.
    scores: shape=(s,).

    Returns
    -------
    bool, shape=(s, s): whether the row's score is significantly higher than the column's.
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
        level = SIGNIFICANCE / (pairs - rejected) / 2
        higher = deviations > -NormalDist().inv_cdf(level / (2 * _SIGNS_TO_NORMAL))
        found = int(np.count_nonzero(higher))
    return higher


def _deviations_of_means(parts: np.ndarray, means: np.ndarray) -> np.ndarray:
    """How many standard deviations of a sum of signs each row's mean is above each column's; NaN where one is NaN."""
    systems, units = parts.shape
    parts = parts - np.nan_to_num(parts).mean(axis=0)
    squares = np.square(parts).sum(axis=1)
    deviations = np.zeros((systems, systems), dtype=np.float32)
    for begin in range(0, systems, _BATCH):
        rows = slice(begin, begin + _BATCH)
        apart = squares[rows, np.newaxis] + squares - 2 * parts[rows] @ parts.T
        leads = means[rows, np.newaxis] - means
        deviations[rows] = units * leads / np.sqrt(np.maximum(apart, (units * _LEAST) ** 2))
    return np.minimum(deviations, np.float32(math.sqrt(units)), out=deviations)


def holm(p_values: np.ndarray) -> np.ndarray:
    """Holm's step-down adjustment over all pairs, shape=(s, s), symmetric: the i-th smallest of m times m - i + 1."""
    pairs = np.triu_indices(len(p_values), 1)
    found = p_values[pairs]
    order = np.argsort(found, kind="stable")
    steps = np.arange(len(found), 0, -1)
    adjusted = np.ones_like(p_values)
    stepped = np.empty_like(found)
    stepped[order] = np.minimum(1, np.maximum.accumulate(found[order] * steps))
    adjusted[pairs] = stepped
    return np.minimum(adjusted, adjusted.T)


def clusters(places: np.ndarray, differ: np.ndarray) -> list[int]:
    """Each system's cluster, 1 the best, from ranks, shape=(s,), and significant differences, bool, shape=(s, s)."""
    number, first = 0, None
    found = np.zeros(len(places), dtype=np.int64)
    for rank in np.unique(places):
        tied = np.flatnonzero(places == rank)
        if first is None or differ[first, tied].any():
            number, first = number + 1, tied[0]
        found[tied] = number
    return [int(cluster) for cluster in found]
