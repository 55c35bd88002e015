"""Confidence intervals of scores over units, by the jackknife unless a score has another, and the joint bootstrap for
comparing systems."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ..metrics.bootstrap import RESAMPLES, bootstrap_scores, resample_weights
from ..metrics.counts import as_matrix, field_arrays, taken, total
from ..metrics.jackknife import FEWEST_UNITS as FEWEST_UNITS
from ..metrics.jackknife import jackknife_error, jackknife_interval, leave_out_in_turn, units_at_once
from ..metrics.shares import interval_of_formula
from ..task import Number, Score, Task

_DECIMALS = 9


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
    at_once = units_at_once(*parts.values())
    for others in zip(*(leave_out_in_turn(counts, at_once) for counts in parts.values())):
        for score in chosen:
            if score.key in without:
                part = task.part(score, dict(zip(parts, others)))
                without[score.key].append(_value(score, part, scores[score.key]))
    return {
        score.key: _interval(
            score,
            scores[score.key],
            task.part(score, parts),
            np.concatenate(without[score.key]) if score.key in without else None,
        )
        for score in chosen
        if score.limits or score.interval
    }


def crossed_intervals(
    task: Task,
    scores: Mapping[str, Number],
    one: Mapping[str, Interval],
    other: Mapping[str, Interval],
    both: Mapping[str, Interval],
) -> dict[str, Interval]:
    """The intervals for trials of two sides, such as enrolled speakers and tests, whose units are drawn independently.

    The variance is the sum of those of the sides, without that of the pairs of units, which both of them contain. The
    interval is that of the side with the larger standard error, widened in proportion to the standard errors.

    Parameters
    ----------
    one, other, both
        The intervals over the units of each side, and over the pairs of units as if these were independent.

    Source: Cameron, Gelbach and Miller, Robust inference with multiway clustering (Journal of Business & Economic
    Statistics 29, 2011).
    """
    found = {}
    for key, value in ((key, scores[key]) for key in one):
        wide = max(one[key], other[key], key=lambda side: side.standard_error)
        squares = (side[key].standard_error ** 2 for side in (one, other))
        error = math.sqrt(max(sum(squares) - both[key].standard_error ** 2, wide.standard_error**2))
        factor = error / wide.standard_error if wide.standard_error else 1.0
        low, high = (value + factor * (end - value) for end in wide[:2])
        limits = next(score.limits for score in task.scores if score.key == key) or (-math.inf, math.inf)
        found[key] = _rounded(value, max(low, limits[0]), min(high, limits[1]), error)
    return found


def scores_without(score: Score, value: Number, rows: Any) -> np.ndarray:
    """A system's score with each unit left out in turn, shape (n,).

    Parameters
    ----------
    value
        The score over all units.
    rows
        The part of the counts that the score takes, one row for each unit.
    """
    return np.concatenate([_value(score, others, value) for others in leave_out_in_turn(rows)])


def interval_of_units(score: Score, rows: Any, n: int) -> tuple[float, float]:
    """The interval that a score would have over n units, the present ones taken in turn; infinite below `FEWEST_UNITS`.

    Rounded to `_DECIMALS`: a perfect score differs from its bound by the rounding of sums, which is not variation.

    Parameters
    ----------
    rows : counts with one row for each present unit, shape (u,).
    """
    if n < FEWEST_UNITS:
        return -math.inf, math.inf
    counts = taken(rows, np.arange(n) % len(next(iter(field_arrays(rows).values()))))
    value = round(float(score.value(total(counts))), _DECIMALS)
    return _interval(score, value, counts, np.round(scores_without(score, value, counts), _DECIMALS))[:2]


def difference_interval(
    score: Score,
    values: Sequence[float],
    without: Sequence[np.ndarray],
    ends: Sequence[tuple[float, float]] = (),
) -> Interval:
    """The interval of the difference between two systems in a score, the first minus the second.

    It is that of the jackknife, as in `score_intervals`. If the score has two finite bounds, so has the difference.
    Otherwise its interval is symmetric, unless the systems' own intervals are given: it is then recovered from their
    ends and the correlation of the two scores.

    Parameters
    ----------
    values
        The scores of the two systems.
    without : two of array_like, shape (n,)
        Their scores without each unit.
    ends
        Their intervals, from `ends_beyond`, if they have such intervals.

    Source: Zou and Donner, Construction of confidence limits about effect measures (Statistics in Medicine 27, 2008).
    """
    difference, others = float(values[0] - values[1]), without[0] - without[1]
    error = jackknife_error(others)
    equal = not difference and not error  # such systems differ by 0, however wide their own intervals are
    if equal or not ends:
        low, high = score.limits or (-math.inf, math.inf)
        bounds = (low - high, high - low) if error else (-math.inf, math.inf)
        return _rounded(difference, *jackknife_interval(difference, others, bounds), error)
    first, second = (scores - math.fsum(scores) / len(scores) for scores in without)
    spread = math.sqrt(math.fsum(first**2) * math.fsum(second**2))
    correlation = math.fsum(first * second) / spread if spread else 0.0
    (low, high), (other_low, other_high) = ends
    down = _difference_error(values[0] - low, other_high - values[1], correlation)
    up = _difference_error(high - values[0], values[1] - other_low, correlation)
    return _rounded(difference, difference - down, difference + up, error)


def ends_beyond(score: Score, value: float, rows: Any) -> Optional[tuple[float, float]]:
    """The interval of a score without an upper bound that allows for more than the units show; None for other scores.

    Parameters
    ----------
    rows
        The counts of the score, one row for each unit.
    """
    if score.interval is None or score.limits is None or score.limits[1] < math.inf:
        return None
    return _interval(score, value, rows)[:2]


def _difference_error(error: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, error**2 + other**2 - 2 * correlation * error * other))


def _value(score: Score, others: Any, value: Number) -> np.ndarray:
    """Scores with units left out. If the score is then undefined, it counts as unchanged."""
    scores = np.asarray(score.value(others))
    filled: np.ndarray = np.where(np.isnan(scores), value, scores)
    return filled


def _interval(score: Score, value: Number, rows: Any, without: Optional[np.ndarray] = None) -> Interval:
    """The interval of a score, widened to contain it, as it may be of `Task.exact` counts; of one unit, the score."""
    if len(as_matrix(rows)) == 1:
        return Interval(value, value, 0.0)
    factor, low = 100 if score.percent else 1, math.nan
    if score.interval:
        low, high, error = (factor * number for number in score.interval(rows))
    elif without is not None and score.bounds:
        error, exact = jackknife_error(without), (value / factor, without / factor)
        low, high = (factor * end for end in interval_of_formula(score.formula, rows, score.bounds, *exact))
    return _rounded(value, min(low, value), max(high, value), error)


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
