"""Differences in score between groups of items, such as dialects, within each system.

The difference of two groups is tested with Student's t from the jackknife over units, which are left out of both
groups: units may be in one group, as speakers of a dialect, or in several, as speakers in two conditions. p-values are
adjusted by Holm's correction over all systems and pairs of groups.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..formats.tables import numbered
from ..metrics.counts import by_group, total
from ..metrics.jackknife import FEWEST_UNITS, jackknife_p
from ..scoring.groups import GroupRows
from ..scoring.scored import Interval, difference_interval, scores_without
from ..task import Column, Task
from .leaderboard import TextTable
from .multiple_comparisons import stepped_down
from .writers import INTERVAL, shown_difference


class GroupPair(NamedTuple):
    """Two groups of a system: their scores, the difference with its interval, p, and p after Holm's correction."""

    system: str
    first: str
    second: str
    scores: tuple[float, float]
    difference: float
    interval: Interval
    p: float
    adjusted: float


def group_pairs(task: Task, systems: Mapping[str, Mapping[str, GroupRows]]) -> list[GroupPair]:
    """Compare every two groups within each system, except groups of few units or without a score.

    A difference that is the same without each unit has no standard error, so no p-value, and is left out, too.

    Parameters
    ----------
    systems
        The counts of each system in each group.
    """
    found = []
    for system, groups in systems.items():
        names, unit = numbered([unit for own in groups.values() for unit in own.units.of.values()])
        scores, without, first = {}, {}, 0
        for group, (units, rows) in groups.items():
            places = unit[first : first + len(units.of)]
            first += len(units.of)
            if len(set(places.tolist())) < FEWEST_UNITS:
                continue
            counts = by_group(task.part(task.primary, rows), places, len(names))
            try:
                scores[group] = float(task.primary.value(total(counts)))
            except ValueError:
                continue
            without[group] = scores_without(task.primary, scores[group], counts)
        for pair in combinations(scores, 2):
            values, others = tuple(map(scores.__getitem__, pair)), [without[group] for group in pair]
            difference = values[0] - values[1]
            differences = others[0] - others[1]
            if difference and not np.ptp(differences):
                continue
            interval = difference_interval(task.primary, values, others)
            p = jackknife_p(difference, differences)
            found.append(GroupPair(system, *pair, (values[0], values[1]), difference, interval, p, 1.0))
    adjusted = stepped_down(np.array([pair.p for pair in found])).tolist() if found else []
    return [pair._replace(adjusted=p) for pair, p in zip(found, adjusted)]


def group_table(pairs: Sequence[GroupPair], column: Column) -> TextTable:
    """The differences between groups, the smallest p first."""
    digits = column.precision
    rows = [
        [
            pair.system,
            f"{pair.first} – {pair.second}",
            *(f"{score:.{digits}f}" for score in pair.scores),
            *shown_difference(pair.difference, pair.interval, pair.p, pair.adjusted, digits),
        ]
        for pair in sorted(pairs, key=lambda pair: pair.p)
    ]
    header = ["System", "Groups", "First", "Second", "Difference", INTERVAL, "p", "p, Holm"]
    return TextTable(f"Differences in {column.title} between groups", header, rows, left=2)
