"""Confidence intervals of scores over units, by the jackknife unless a score has another, and the joint bootstrap for
comparing systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from ..metrics.bootstrap import RESAMPLES, SEED, bootstrap_scores, resample_weights
from ..metrics.counts import as_matrix, field_arrays
from ..metrics.jackknife import FEWEST_UNITS, jackknife_error, jackknife_interval, leave_out_in_turn
from ..task import Number, Score, Task

__all__ = [
    "FEWEST_UNITS",
    "RESAMPLES",
    "SEED",
    "Interval",
    "difference_interval",
    "joint_scores",
    "resampled_error",
    "score_intervals",
    "scores_without",
]


NUMBERS_AT_ONCE = 1 << 22
"""The counts of so many numbers without a unit are computed at a time."""


class Interval(NamedTuple):
    """The 95 % confidence interval and the standard error of a score."""

    low: float
    high: float
    standard_error: float


def score_intervals(
    task: Task, scores: Mapping[str, Number], parts: Mapping[str, Any]
) -> dict[str, Interval]:
    """The intervals of a system's scores with their jackknife standard errors, rounded to ten decimals.

    Platforms store no more decimals. With a single unit no interval can be computed, and both ends are the score
    itself.

    Parameters
    ----------
    scores
        The scores over all units, `key -> score`.
    parts
        The counts, `part -> counts`, one row for each unit.

    Returns
    -------
    dict
        The intervals, `key -> interval`, of the scores that have one.
    """
    chosen = [score for score in task.scores if score.key in scores]
    without: dict[str, list[np.ndarray]] = {
        score.key: [] for score in chosen if score.limits and not score.interval
    }
    for others in zip(*(leave_out_in_turn(counts, _at_once(*parts.values())) for counts in parts.values())):
        for score in chosen:
            if score.key in without:
                part = task.part(score, dict(zip(parts, others)))
                without[score.key].append(_value(score, part, scores[score.key]))
    intervals = {}
    for score in chosen:
        value = scores[score.key]
        if score.interval:
            intervals[score.key] = _own_interval(score, score.interval, value, task.part(score, parts))
        elif score.limits:
            intervals[score.key] = _interval(
                value, np.concatenate(without[score.key]), score.limits, whole=100.0 if score.percent else 1.0
            )
    return intervals


def scores_without(score: Score, value: Number, rows: Any) -> np.ndarray:
    """A system's score with each unit left out in turn, shape (n,).

    Parameters
    ----------
    value
        The score over all units.
    rows
        The part of the counts that the score takes, one row for each unit.
    """
    others = leave_out_in_turn(rows, _at_once(rows))
    return np.concatenate([_value(score, without, value) for without in others])


def difference_interval(score: Score, difference: float, without: np.ndarray) -> Interval:
    """The jackknife interval of the difference between two systems in a score, as in `score_intervals`.

    If the score has two finite bounds, so has the difference. Otherwise its interval is symmetric.

    Parameters
    ----------
    difference
        The score of the first system minus that of the second.
    without : array_like, shape (n,)
        The difference without each unit.
    """
    low, high = score.limits or (-math.inf, math.inf)
    return _interval(difference, without, (low - high, high - low))


def _at_once(*parts: Any) -> int:
    """The number of units to leave out in turn at a time, so that the counts without them fit into memory."""
    widest = max(sum(field[:1].size for field in field_arrays(counts).values()) for counts in parts)
    return max(1, NUMBERS_AT_ONCE // widest)


def _value(score: Score, others: Any, value: Number) -> np.ndarray:
    """Scores with units left out. If the score is then undefined, it counts as unchanged."""
    scores = np.asarray(score.value(others))
    filled: np.ndarray = np.where(np.isnan(scores), value, scores)
    return filled


def _own_interval(score: Score, interval: Callable[[Any], Any], value: Number, rows: Any) -> Interval:
    """The interval by a score's own function, widened to contain the score, which may be of `Task.exact` counts."""
    if len(as_matrix(rows)) == 1:
        return Interval(value, value, 0.0)
    low, high, error = (100 * number if score.percent else number for number in interval(rows))
    return _rounded(value, min(low, value), max(high, value), error)


def _interval(
    value: Number, without: np.ndarray, limits: tuple[float, float], *, whole: float = 1.0
) -> Interval:
    if len(without) == 1:
        return Interval(value, value, 0.0)
    ends = jackknife_interval(value, without, limits, whole=whole)
    return _rounded(value, *ends, jackknife_error(without))


def _rounded(value: Number, low: float, high: float, error: float) -> Interval:
    return Interval(_end(low, value), _end(high, value), round(error, 10))


def _end(end: float, value: float) -> float:
    """An end rounded to ten decimals. If it then equals the score, the exact score is used, so that it is inside."""
    return value if round(end, 10) == round(value, 10) else round(end, 10)


def resampled_error(score: Score, rows: Any) -> float:
    """The standard error of a score by the bootstrap; 0 if no two resamples differ.

    Unlike the jackknife, it also covers variation that no single unit can cause, as in a score that a rule sets to 0
    by a wide margin.

    Parameters
    ----------
    rows
        The part of the counts that the score takes, one row for each unit.
    """
    scores = joint_scores(score.value, [rows])
    defined = scores[~np.isnan(scores)]
    # Rounded, because differences in the last bit are not variation.
    return round(float(defined.std()), 10) if len(defined) else 0.0


def joint_scores(
    formula: Callable[[Any], np.ndarray], systems: Sequence[Any], *, resamples: int = RESAMPLES
) -> np.ndarray:
    """The score of every system in each resample of the same units, shape (resamples, systems).

    Parameters
    ----------
    formula
        Takes counts of many sets, and returns the score of each.
    systems
        The counts of each system that the formula takes, one row for each unit.
    """
    weights = resample_weights(len(as_matrix(systems[0])), resamples=resamples)
    return np.stack([bootstrap_scores(rows, formula, weights) for rows in systems], axis=1)
