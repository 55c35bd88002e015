"""How sure scores are: their jackknife intervals over units, and the joint bootstrap by which systems are compared."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from ..metrics.bootstrap import RESAMPLES, SEED, bootstrap_scores, resample_weights
from ..metrics.counts import as_matrix
from ..metrics.jackknife import jackknife_error, jackknife_interval, leave_one_out
from ..task import Number, Score, Task

__all__ = [
    "RESAMPLES",
    "SEED",
    "Interval",
    "difference_interval",
    "joint_scores",
    "resampled_error",
    "score_intervals",
    "scores_without",
]


class Interval(NamedTuple):
    """A 95 % interval and the standard error of a score."""

    low: float
    high: float
    standard_error: float


def score_intervals(
    task: Task, scores: Mapping[str, Number], parts: Mapping[str, Any]
) -> dict[str, Interval]:
    """The jackknife intervals of a system's scores, rounded to the ten decimals that a platform stores.

    Where nothing can be said (a single unit), both ends are the score itself.

    Parameters
    ----------
    scores: `key -> score` of all units.
    parts: the counts, one row a unit.

    Returns
    -------
    dict: `key -> interval` of the scores that have one.
    """
    without = {part: leave_one_out(counts) for part, counts in parts.items()}
    intervals = {}
    for score in task.scores:
        if score.limits is None or score.key not in scores:
            continue
        value = scores[score.key]
        others = _without(score, task.part(score, without), value)
        intervals[score.key] = _interval(value, others, score.limits)
    return intervals


def scores_without(score: Score, value: Number, rows: Any) -> np.ndarray:
    """A system's score without each unit, shape=(n,).

    Parameters
    ----------
    value: its score of all units.
    rows: the part of the counts that the score takes, one row a unit.
    """
    return _without(score, leave_one_out(rows), value)


def difference_interval(score: Score, difference: float, without: np.ndarray) -> Interval:
    """The jackknife interval of a difference of two systems in a score that has intervals, as in `score_intervals`.

    A difference of scores that have both bounds has bounds, too; one of ratios has none, so its interval is as long
    on either side.

    Parameters
    ----------
    difference: the first system's score less the second's.
    without: shape=(n,): the difference without each unit.
    """
    low, high = score.limits or (-math.inf, math.inf)
    return _interval(difference, without, (low - high, high - low))


def _without(score: Score, others: Any, value: Number) -> np.ndarray:
    """Scores of all units but one; a unit without which there is no score counts as one that makes no difference."""
    scores = np.asarray(score.value(others))
    filled: np.ndarray = np.where(np.isnan(scores), value, scores)
    return filled


def _interval(value: Number, without: np.ndarray, limits: tuple[float, float]) -> Interval:
    if len(without) == 1:
        return Interval(value, value, 0.0)
    low, high = jackknife_interval(value, without, limits)
    return Interval(_end(low, value), _end(high, value), round(jackknife_error(without), 10))


def _end(end: float, value: float) -> float:
    """An end to ten decimals; the score itself where the two are the same to ten decimals, so that it is inside."""
    return value if round(end, 10) == round(value, 10) else round(end, 10)


def resampled_error(score: Score, rows: Any) -> float:
    """The standard error of a score by the bootstrap; 0 where no two resamples differ.

    It tells also of what no single unit can change, as a score that a rule makes 0 with a wide margin.

    Parameters
    ----------
    rows: the part of the counts that the score takes, one row a unit.
    """
    scores = joint_scores(score.value, [rows])
    defined = scores[~np.isnan(scores)]
    return round(float(defined.std()), 10) if len(defined) else 0.0  # a quotient's last bit is no error


def joint_scores(
    formula: Callable[[Any], np.ndarray], systems: Sequence[Any], *, resamples: int = RESAMPLES
) -> np.ndarray:
    """Every system's score in each resample, all systems drawing the same units, shape=(resamples, systems).

    Parameters
    ----------
    formula: counts of many sets -> scores.
    systems: the counts that it takes of each system, one row a unit.
    """
    weights = resample_weights(len(as_matrix(systems[0])), resamples=resamples)
    return np.stack([bootstrap_scores(rows, formula, weights) for rows in systems], axis=1)
