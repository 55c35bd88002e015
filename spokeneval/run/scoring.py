"""Scoring a submission: all scores, intervals and reports are computed from one set of counts."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from ..metrics.counts import number_or_array, total
from ..metrics.jackknife import FEWEST_UNITS
from ..task import ENDS, Number, Task
from .interval import Interval, crossed_intervals, score_intervals
from .options import Settings
from .reference import collection_paused
from .statistics import Statistics, by_unit


class Scored(NamedTuple):
    """A submission's scores and the counts from which they are computed.

    Attributes
    ----------
    scores
        Every number to write, at full precision, in the order of the task's columns.
    intervals
        The intervals of all scores that have one, `key -> interval`.
    rows
        The counts, `part -> counts`, one row for each item or unit.
    totals
        The counts added up over all rows, or the task's exact ones, `part -> counts`.
    statistics
        The counts of each unit.
    settings
        The organiser's options as they apply to the reference. With public labels, scores whose decimals nobody chose
        have as many on pages as show two digits of their uncertainty.
    """

    scores: dict[str, Number]
    intervals: Mapping[str, Interval]
    rows: Mapping[str, Any]
    totals: Mapping[str, Any]
    statistics: Statistics
    settings: Settings

    @property
    def shown_intervals(self) -> Mapping[str, Interval]:
        """The intervals, or none with fewer than `FEWEST_UNITS` units."""
        return {} if len(self.statistics.units) < FEWEST_UNITS else self.intervals


@collection_paused()
def score_submission(task: Task, reference: Any, submission: Any, settings: Settings) -> Scored:
    """Score a submission against a reference, both as the task's format returns them.

    Raises
    ------
    SubmissionError
        The submission is refused because of an option.
    """
    rows = task.count(reference, submission)
    totals = {part: total(counts) for part, counts in rows.items()}
    for part in task.exact.keys() & totals.keys():
        totals[part] = task.exact[part](reference, submission, totals[part])
    if task.refuse is not None:
        task.refuse(totals, settings)
    statistics = by_unit(task.units(reference), rows)
    scores: dict[str, Number] = {
        score.key: number_or_array(score.value(task.part(score, totals))) for score in task.scores
    }
    intervals = score_intervals(task, scores, statistics.parts)
    if task.other_units is not None:
        other = by_unit(task.other_units(reference), rows)
        both = [score_intervals(task, scores, parts) for parts in (other.parts, rows)]
        intervals = crossed_intervals(task, scores, intervals, *both)
    key = task.primary.key
    scores[key + ENDS[0]], scores[key + ENDS[1]] = intervals[key].low, intervals[key].high
    decimals = {score.key: score.precision for score in task.scores}
    if settings.labels_public and len(statistics.units) >= FEWEST_UNITS:
        decimals.update(_decimals(intervals))
    settings = replace(settings, decimals={**decimals, **settings.decimals})
    return Scored(scores, intervals, rows, totals, statistics, settings)


def _decimals(intervals: Mapping[str, Interval]) -> dict[str, int]:
    """The decimals that show two digits of half of each interval, from 0 to 4, for pages where nobody chose them."""
    halves = {key: (high - low) / 2 for key, (low, high, _) in intervals.items()}
    return {
        key: min(4, max(0, 1 - math.floor(math.log10(half))))
        for key, half in halves.items()
        if 0 < half < math.inf
    }
