"""How sure a board can be of its order: ranks by resampling, differences of systems, clusters.

Conventions: a *unit* is what the statistics are counted by (a speaker, a recording, a call, a response); rank 1 is
the best; equal scores, to the ten decimals that a platform stores, share the better rank.

- *Rank interval*: every resample draws the same units for all systems and ranks them anew; from the 2.5th to the
  97.5th percentile of a system's ranks. A resample in which some system has no score is left out.
- *Difference of two systems*: paired randomisation (Noreen 1989; Yeh 2000). In each round the two systems swap
  their rows of statistics, unit by unit, with probability 1/2; p is the share of rounds, the observed one counted
  among them, whose difference in score is at least the observed one. A round without a score counts as one.
  Where the counts of two systems are not on one scale (`Task.shared_scale`), the units' jackknife pseudo-values of
  the score are swapped instead.
- *Holm's correction* (1979) over all pairs: at most 5 % risk that any difference on the board is a chance one.
- *Cluster*: down the board, a new one begins with the first rank at which some system differs significantly from
  the first system of the current cluster. So nobody in a cluster is shown to differ from its first; that two of
  them are equal is not shown either.
"""

from collections.abc import Callable

import numpy as np

from bundling.platforms.keys import MOST_DECIMALS
from spokeneval.run.interval import SEED, percentile_interval

ScoreOfSums = Callable[[np.ndarray], np.ndarray]
"""Sums of rows of counts, shape=(r, k), to scores, shape=(r,); NaN where undefined."""

SIGNIFICANCE = 0.05

ROUNDS = 10_000
ROUNDS_A_PAIR = 40
"""Rounds for each pair on the board, where that is more: p can be no less than 1/rounds, and Holm's correction
multiplies it by the number of pairs."""

_BATCH = 1000


def ranks(scores: np.ndarray, *, higher: bool) -> np.ndarray:
    """Ranks of scores, shape=(..., s), along the last axis: 1 and the number of better ones."""
    scores = np.round(scores if higher else -scores, MOST_DECIMALS)
    better = scores[..., np.newaxis, :] > scores[..., :, np.newaxis]
    places: np.ndarray = 1 + better.sum(axis=-1)
    return places


def rank_percentiles(scores: np.ndarray, *, higher: bool) -> list[tuple[int, int]]:
    """Each system's 95 % interval of ranks, from scores of shape=(r, s).

    From the first to the last rank where no resample has a score of every system.
    """
    complete = scores[~np.isnan(scores).any(axis=1)]
    if not len(complete):
        return [(1, scores.shape[1])] * scores.shape[1]
    intervals = map(percentile_interval, ranks(complete, higher=higher).T.astype(np.float64))
    return [(int(best), int(worst)) for best, worst in intervals]


def randomisation_tests(
    values: np.ndarray,
    primary: ScoreOfSums,
    *,
    rounds: int = ROUNDS,
    seed: int = SEED,
    progress: Callable[[str], None] = lambda step: None,
) -> np.ndarray:
    """Two-sided p of the difference of every two systems, shape=(s, s), from statistics of shape=(s, n, k).

    All pairs share the signs of a round. With signs of 1 (keep) and -1 (swap), the sums of A after swapping are
    (sum A + sum B + signed sum of A - signed sum of B) / 2, so each system is summed but once a round. A pair whose p
    is above `SIGNIFICANCE` whatever its other rounds bring gets no more of them.
    """
    systems, units, columns = values.shape
    sums = values.sum(axis=1)
    scores = primary(sums)
    flat = values.transpose(1, 0, 2).reshape(units, systems * columns)
    pairs = list(zip(*np.triu_indices(systems, 1), strict=True))
    extreme, drawn = np.zeros((2, systems, systems))
    state = np.random.RandomState(seed)
    for begin in range(0, rounds, _BATCH):
        size = min(_BATCH, rounds - begin)
        signs = 2.0 * state.randint(0, 2, size=(size, units)) - 1.0
        signed = (signs @ flat).reshape(size, systems, columns)
        for a, b in pairs:
            progress(f"comparing systems in pairs, round {begin} of {rounds}")
            both, difference = sums[a] + sums[b], signed[:, a] - signed[:, b]
            swapped = np.abs(primary((both + difference) / 2) - primary((both - difference) / 2))
            less = swapped < abs(scores[a] - scores[b]) - 10.0**-MOST_DECIMALS
            extreme[a, b] += np.count_nonzero(~less)
            drawn[a, b] += size
        pairs = [pair for pair in pairs if 1 + extreme[pair] <= SIGNIFICANCE * (1 + rounds)]
    p_values = np.triu((1 + extreme) / (1 + drawn), 1)
    return p_values + p_values.T + np.eye(systems)


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
