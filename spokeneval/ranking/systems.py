"""Comparison of systems by their statistics: simultaneous rank ranges, clusters, pairwise differences.

For more than `MOST_SWAPPED` systems, clusters are computed from a conservative tail bound on each difference, without a
list of pairs; for more than `MOST_RANKED`, ranks too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Callable, Optional

import numpy as np

from ..run.interval import (
    FEWEST_UNITS,
    RESAMPLES,
    Interval,
    difference_interval,
    ends_beyond,
    joint_scores,
    scores_without,
)
from ..run.statistics import Statistics, primary_of_sums
from ..task import HIGHER, Task
from .multiple_comparisons import SIGNIFICANCE, clusters, holm
from .randomisation import (
    MOST_SWAPPED,
    ScoreOfSums,
    bounded_differences,
    mean_of_units,
    pseudo_values,
    randomisation_tests,
)
from .ranks import MOST_RANKED, rank_sets, ranks, ranks_known

RISK, CONFIDENCE = f"{100 * SIGNIFICANCE:g} %", f"{100 * (1 - SIGNIFICANCE):g} %"


@dataclass(frozen=True)
class Pair:
    """Two systems by their positions on the board, the better ranked first, and their difference in score.

    Attributes
    ----------
    interval
        The jackknife interval of the difference, with its standard error.
    p
        The p-value of the randomisation test.
    adjusted
        p after Holm's correction over all pairs.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    p: float
    adjusted: float


@dataclass(frozen=True)
class Row:
    """A system's rank, its primary score and the uncertainty of both (None: unknown), and all scores with the known
    intervals."""

    rank: int
    tied: bool
    name: str
    score: float
    interval: Optional[tuple[float, float]]
    ranks: Optional[tuple[int, int]]
    cluster: Optional[int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]


@dataclass(frozen=True)
class Order:
    """How certain the order of s systems is.

    Attributes
    ----------
    ranks
        Each system's best and worst rank.
    clusters
        Each system's cluster; 1 is the best.
    pairs
        All pairs of systems, in the board's order; empty for more than `MOST_SWAPPED` systems, and for fewer than
        `FEWEST_UNITS` units, because then a difference has no interval.
    resampled_ranks : ndarray of int, shape (r, s)
        The ranks in each of r resamples; r is 0 without resamples.
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
) -> Order:
    """Compare systems, in the order of the board.

    Parameters
    ----------
    summed
        Each system's statistics.
    values : ndarray, shape (s, n, k)
        The counts that the primary scores are computed from.
    places : ndarray of int, shape (s,)
        The systems' ranks.
    progress
        Called with a line about the current round.
    """
    primary = primary_of_sums(task, summed[0])
    scores = primary(values.sum(axis=1))
    higher = task.primary.direction == HIGHER
    if len(summed) > MOST_SWAPPED:
        better = bounded_differences(pseudo_values(values, primary)[:, :, 0], scores)
        better = better if higher else better.T
        found = clusters(places, better | better.T)
        ranges = ranks_known(better)
        if len(summed) <= MOST_RANKED:
            progress(f"ranking {len(summed)} systems in {RESAMPLES} resamples")
            counts = [task.part(task.primary, statistics.parts) for statistics in summed]
            resampled = joint_scores(task.primary.value, counts)
            ranges = rank_sets(scores, resampled, units=len(values[0]), higher=higher)
        return Order(ranges, found, (), np.empty((0, len(summed)), dtype=np.int64))
    counts = [task.part(task.primary, statistics.parts) for statistics in summed]
    resampled = joint_scores(task.primary.value, counts)
    without = [scores_without(task.primary, score, rows) for score, rows in zip(scores, counts)]
    ends = [ends_beyond(task.primary, score, rows) for score, rows in zip(scores, counts)]
    p_values = randomisation_tests(*_on_one_scale(task, values, primary), progress=progress)
    adjusted = holm(p_values)
    pairs = []
    enough = len(values[0]) >= FEWEST_UNITS
    for first, second in combinations(range(len(summed)), 2) if enough else ():
        both = first, second
        interval = difference_interval(
            task.primary,
            [scores[each] for each in both],
            [without[each] for each in both],
            [known for each in both if (known := ends[each])],
        )
        difference = float(scores[first] - scores[second])
        p, after_holm = float(p_values[first, second]), float(adjusted[first, second])
        pairs.append(Pair(first, second, difference, interval, p, after_holm))
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    return Order(
        rank_sets(scores, resampled, units=len(values[0]), higher=higher),
        clusters(places, adjusted <= SIGNIFICANCE),
        pairs,
        ranks(complete, higher=higher),
    )


def _on_one_scale(task: Task, values: np.ndarray, primary: ScoreOfSums) -> tuple[np.ndarray, ScoreOfSums]:
    if task.shared_scale:
        return values, primary
    return pseudo_values(values, primary), mean_of_units(len(values[0]))


def ordered(scores: Mapping[str, float], *, higher: bool) -> tuple[list[str], np.ndarray]:
    """The names of systems from best to worst, equal scores by name, and their ranks, shape (s,)."""
    places = ranks(np.array(list(scores.values())), higher=higher).tolist()
    placed = sorted(zip(places, scores))
    return [name for _, name in placed], np.array([place for place, _ in placed])


def rows_of(
    key: str,
    names: Sequence[str],
    places: np.ndarray,
    scores: Sequence[Mapping[str, float]],
    intervals: Sequence[Mapping[str, tuple[float, float]]],
    order: Optional[Order],
) -> list[Row]:
    """The rows of systems in the order of their ranks.

    Parameters
    ----------
    key
        The primary score.
    order
        How certain the order is; None if systems could not be compared.
    """
    sharing = Counter(places.tolist())
    return [
        Row(
            rank=place,
            tied=sharing[place] > 1,
            name=names[index],
            score=float(scores[index][key]),
            interval=intervals[index].get(key),
            ranks=order.ranks[index] if order else None,
            cluster=order.clusters[index] if order else None,
            scores=scores[index],
            intervals=intervals[index],
        )
        for index, place in enumerate(places.tolist())
    ]
