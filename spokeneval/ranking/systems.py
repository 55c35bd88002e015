"""Comparison of systems by their statistics: simultaneous rank ranges, clusters, pairwise differences.

For more than `MOST_SWAPPED` systems, ranks and clusters are from simultaneous intervals of scores, without a list of
pairs.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, Callable, NamedTuple

import numpy as np

from ..formats.speakers import counted_units, unit_noun
from ..metrics.bootstrap import RESAMPLES
from ..metrics.jackknife import FEWEST_UNITS
from ..scoring.scored import (
    Statistics,
    difference_interval,
    ends_beyond,
    joint_scores,
    primary_matrix,
    primary_of_sums,
    scores_without,
)
from ..task import HIGHER, Column, Task
from .leaderboard import UNOFFICIAL, Entry, Leaderboard, Pair, System
from .multiple_comparisons import SIGNIFICANCE, clusters, holm
from .notes import how_compared, one_side
from .power_table import power_table
from .randomisation import (
    FEWEST_RESAMPLED,
    MOST_SWAPPED,
    mean_of_units,
    pseudo_values,
    randomisation_tests,
    studentised_p_values,
)
from .ranks import known_by_bands, rank_sets, ranks, ranks_known, shared_places


def rank_systems(
    task: Task,
    column: Column,
    signature: str,
    systems: Sequence[System],
    *,
    progress: Callable[[str], None] = lambda step: None,
    power: bool = True,
    unofficial: Collection[str] = (),
) -> Leaderboard:
    """Rank systems by their primary scores and, if the counts of all are known, compare them.

    Parameters
    ----------
    systems
        Systems with equal scores are in this order on the board.
    progress
        Called with a line about the current round.
    power
        Whether the statistical power of larger test sets is computed, which takes longer than all else for two systems.
    unofficial
        The names of systems that are not ranked or compared, because they are no official entries.
    """
    barred, excluded = _excluded(task, column, systems, unofficial)
    summed = [system.statistics for system in systems if system.statistics is not None]
    is_known = len(summed) == len(systems)
    unit, number = (summed[0].unit, len(summed[0].units)) if is_known else ("", 0)
    unit = unit_noun(unit, task.declaration)
    units = counted_units(number, unit, summed[0].grouped) if is_known else None
    systems, places = _placed([system for system in systems if system not in barred], column)
    names = [system.name for system in systems]
    summed = [system.statistics for system in systems if system.statistics is not None]
    found = _compare(task, summed, places, progress) if is_known and len(systems) > 1 else None
    rows = [
        Entry(
            rank=rank,
            tied=tied,
            name=system.name,
            score=float(system.scores[column.key]),
            interval=system.intervals.get(column.key),
            ranks=found.ranks[index] if found else None,
            cluster=found.clusters[index] if found else None,
            scores=system.scores,
            intervals=system.intervals,
        )
        for index, ((rank, tied), system) in enumerate(zip(shared_places(places.tolist()), systems))
    ]
    rows, every = [*rows, *excluded], [*systems, *barred]
    ranking = Leaderboard(column, rows, units, definition=task, signature=signature, systems=every)
    if found is None or units is None:
        return ranking
    return replace(
        ranking,
        pairs=found.pairs,
        power=power_table(found.pairs, names, unit, number, column, task.primary.limits) if power else None,
        notes=[*one_side(task), *how_compared(units, unit, len(systems), number)],
        resampled_ranks=found.resampled,
    )


def _placed(systems: Sequence[System], column: Column) -> tuple[list[System], np.ndarray]:
    """The systems from best to worst, and their ranks."""
    scores = np.array([system.scores[column.key] for system in systems])
    placed = ranks(scores, higher=column.direction == HIGHER)
    order = np.argsort(placed, kind="stable")
    return [systems[index] for index in order], placed[order]


def _excluded(
    task: Task, column: Column, systems: Sequence[System], unofficial: Collection[str]
) -> tuple[list[System], list[Entry]]:
    """The systems that are not ranked, and their rows: unofficial ones, then those that a rule excludes.

    The latter are shown by their scores without the rule.
    """
    rule = task.eligibility
    barred = [system for system in systems if rule and system.scores.get(rule.key) == 0]
    late = [system for system in systems if system.name in unofficial and system not in barred]
    rows = _unranked_rows(task, column, late, UNOFFICIAL)
    if rule and barred:
        shown = column._replace(
            key=rule.raw if all(rule.raw in each.scores for each in barred) else column.key
        )
        rows += _unranked_rows(task, shown, [each._replace(intervals={}) for each in barred], rule.broken)
    return late + barred, rows


def _unranked_rows(task: Task, column: Column, systems: Sequence[System], why: str) -> list[Entry]:
    """The rows of systems that are not ranked, from best to worst."""
    kept = [system._replace(statistics=None) for system in systems]
    found = rank_systems(replace(task, eligibility=None), column, "", kept) if kept else None
    return [replace(row, tied=False, excluded=why) for row in found.rows] if found else []


class _Order(NamedTuple):
    """The best and worst rank and the cluster of each system, all pairs, and the ranks in each resample."""

    ranks: Sequence[tuple[int, int]]
    clusters: Sequence[int]
    pairs: Sequence[Pair]
    resampled: np.ndarray


def _compare(
    task: Task, summed: Sequence[Statistics], places: np.ndarray, progress: Callable[[str], None]
) -> _Order:
    """Compare systems, in the order of the board, by their counts; `places` are their ranks, shape (s,)."""
    values = np.stack([primary_matrix(task, statistics) for statistics in summed])
    units = len(values[0])
    primary = primary_of_sums(task, summed[0])
    scores = primary(values.sum(axis=1))
    higher = task.primary.direction == HIGHER
    counts = [task.part(task.primary, statistics.parts) for statistics in summed]
    if len(summed) > MOST_SWAPPED:
        progress(f"ranking {len(summed)} systems in {RESAMPLES} resamples")
        resampled = joint_scores(task.primary.value, counts)
        better = known_by_bands(scores, resampled, units=units, higher=higher)
        none = np.empty((0, len(summed)), dtype=np.int64)
        return _Order(ranks_known(better), clusters(places, better | better.T), (), none)
    resampled = joint_scores(task.primary.value, counts)
    on_one_scale, of_sums = values, primary
    if not task.shared_scale:  # the pseudo-values of systems are on one scale, whatever their counts are
        on_one_scale, of_sums = pseudo_values(values, primary), mean_of_units(units)
    p_values = randomisation_tests(on_one_scale, of_sums, progress=progress)
    if units >= FEWEST_RESAMPLED:
        p_values = studentised_p_values(p_values, pseudo_values(on_one_scale, of_sums)[:, :, 0])
    adjusted = holm(p_values)
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    return _Order(
        rank_sets(scores, resampled, units=units, higher=higher),
        clusters(places, adjusted <= SIGNIFICANCE),
        _pairs(task, scores, counts, p_values, adjusted) if units >= FEWEST_UNITS else (),
        ranks(complete, higher=higher),
    )


def _pairs(
    task: Task, scores: np.ndarray, counts: Sequence[Any], p_values: np.ndarray, adjusted: np.ndarray
) -> list[Pair]:
    """All pairs of systems with the jackknife intervals of their differences."""
    without = [scores_without(task.primary, score, rows) for score, rows in zip(scores, counts)]
    ends = [ends_beyond(task.primary, score, rows) for score, rows in zip(scores, counts)]
    pairs = []
    for both in combinations(range(len(scores)), 2):
        interval = difference_interval(
            task.primary,
            [scores[each] for each in both],
            [without[each] for each in both],
            [known for each in both if (known := ends[each])],
        )
        difference = float(scores[both[0]] - scores[both[1]])
        pairs.append(Pair(*both, difference, interval, float(p_values[both]), float(adjusted[both])))
    return pairs
