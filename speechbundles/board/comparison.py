"""Comparison of systems by their statistics: simultaneous rank ranges, clusters, pairwise differences.

For more than `MOST_SWAPPED` systems, ranks and clusters are computed from a conservative tail bound on each difference,
without resamples and without a list of pairs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from spokeneval.compare.multiple_comparisons import SIGNIFICANCE, clusters, holm
from spokeneval.compare.randomisation import (
    MOST_SWAPPED,
    ScoreOfSums,
    bounded_differences,
    mean_of_units,
    pseudo_values,
    randomisation_tests,
)
from spokeneval.compare.ranks import rank_sets, ranks, ranks_known
from spokeneval.run.interval import Interval, difference_interval, joint_scores, scores_without
from spokeneval.run.statistics import Statistics, primary_of_sums
from spokeneval.task import HIGHER, Task

RISK, CONFIDENCE = f"{100 * SIGNIFICANCE:g} %", f"{100 * (1 - SIGNIFICANCE):g} %"


@dataclass(frozen=True)
class Pair:
    """Two systems by their positions on the board, the better ranked first, and their difference in score.

    Attributes
    ----------
    interval: jackknife interval of the difference, with its standard error.
    p: p-value of the randomisation test.
    adjusted: p after Holm's correction over all pairs.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    p: float
    adjusted: float


@dataclass(frozen=True)
class Comparison:
    """How certain the order of s systems is.

    Attributes
    ----------
    ranks: each system's best and worst rank.
    clusters: each system's cluster; 1 is the best.
    pairs: all pairs of systems, in the board's order; empty for more than `MOST_SWAPPED` systems.
    resampled_ranks: int, shape=(r, s), the ranks in each of r resamples; r is 0 without resamples.
    """

    ranks: Sequence[tuple[int, int]]
    clusters: Sequence[int]
    pairs: Sequence[Pair]
    resampled_ranks: np.ndarray


def compare_systems(
    task: Task,
    summed: Sequence[Statistics],
    values: np.ndarray,
    places: np.ndarray,
    *,
    progress: Callable[[str], None],
) -> Comparison:
    """Compare systems, in the order of the board.

    Parameters
    ----------
    summed: each system's statistics.
    values: shape=(s, n, k), the counts that the primary scores are computed from.
    places: shape=(s,), the systems' ranks.
    """
    primary = primary_of_sums(task, summed[0])
    scores = primary(values.sum(axis=1))
    higher = task.primary.direction == HIGHER
    if len(summed) > MOST_SWAPPED:
        better = bounded_differences(pseudo_values(values, primary)[:, :, 0], scores)
        better = better if higher else better.T
        found = clusters(places, better | better.T)
        return Comparison(ranks_known(better), found, (), np.empty((0, len(summed)), dtype=np.int64))
    counts = [task.part(task.primary, statistics.parts) for statistics in summed]
    resampled = joint_scores(task.primary.value, counts)
    without = [scores_without(task.primary, score, rows) for score, rows in zip(scores, counts, strict=True)]
    p_values = randomisation_tests(*_on_one_scale(task, values, primary), progress=progress)
    adjusted = holm(p_values)
    pairs = []
    for first, second in combinations(range(len(summed)), 2):
        difference = float(scores[first] - scores[second])
        interval = difference_interval(task.primary, difference, without[first] - without[second])
        p, after_holm = float(p_values[first, second]), float(adjusted[first, second])
        pairs.append(Pair(first, second, difference, interval, p, after_holm))
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    return Comparison(
        rank_sets(scores, resampled, units=len(values[0]), higher=higher),
        clusters(places, adjusted <= SIGNIFICANCE),
        pairs,
        ranks(complete, higher=higher),
    )


def _on_one_scale(task: Task, values: np.ndarray, primary: ScoreOfSums) -> tuple[np.ndarray, ScoreOfSums]:
    if task.shared_scale:
        return values, primary
    return pseudo_values(values, primary), mean_of_units(len(values[0]))
