"""Scoring a submission: counted once, and everything that is written or shown follows from these counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from ..metrics.counts import number_or_array, total
from ..task import ENDS, Number, Task
from .interval import Interval, score_intervals
from .options import Settings
from .statistics import Statistics, by_unit


class Scored(NamedTuple):
    """A submission's scores and what they follow from.

    Attributes
    ----------
    scores: every number that is written, in the order of the task's columns, at full precision.
    intervals: `key -> interval` of every score that has one.
    rows: `part -> counts`, one row an item or a unit.
    totals: `part -> counts` of all rows.
    statistics: the counts by unit.
    settings: the organiser's options as they apply to the reference.
    """

    scores: dict[str, Number]
    intervals: Mapping[str, Interval]
    rows: Mapping[str, Any]
    totals: Mapping[str, Any]
    statistics: Statistics
    settings: Settings


def score_submission(task: Task, reference: Any, submission: Any, settings: Settings) -> Scored:
    """Score a submission, both as the task's format has read them.

    Raises
    ------
    SubmissionError: where an option rules the submission out.
    """
    rows = task.count(reference, submission)
    totals = {part: total(counts) for part, counts in rows.items()}
    if task.refuse is not None:
        task.refuse(totals, settings)
    statistics = by_unit(task.units(reference), rows)
    scores: dict[str, Number] = {
        score.key: number_or_array(score.value(task.part(score, totals))) for score in task.scores
    }
    intervals = score_intervals(task, scores, statistics.parts)
    key = task.primary.key
    scores[key + ENDS[0]], scores[key + ENDS[1]] = intervals[key].low, intervals[key].high
    return Scored(scores, intervals, rows, totals, statistics, settings)
