"""From counts to scores, intervals and `statistics.json`: all of them come from one set of counts.

Intervals are over units, by the jackknife unless a score has another. `statistics.json` has the counts, one row per
unit, to compare systems; the joint bootstrap draws them again.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from ..formats.speakers import Units
from ..formats.tables import all_different
from ..metrics.bootstrap import RESAMPLES, bootstrap_scores, resample_weights
from ..metrics.classification import counts_of
from ..metrics.counts import (
    as_matrix,
    by_group,
    exact_sum,
    field_arrays,
    from_matrix,
    number_or_array,
    taken,
    total,
)
from ..metrics.jackknife import FEWEST_UNITS as FEWEST_UNITS
from ..metrics.jackknife import jackknife_error, jackknife_interval, leave_out_in_turn, units_at_once
from ..metrics.shares import interval_of_formula
from ..task import ENDS, Number, Score, Task
from .options import Settings, Signature
from .output import write_file
from .reference import collection_paused

STATISTICS_FILE = "statistics.json"

LARGEST = 1e50
"""The largest number in counts, so that no sum, square or product of counts overflows."""


@dataclass(frozen=True)
class Statistics:
    """The counts of one system.

    Attributes
    ----------
    unit
        The kind of unit: `speaker`, `recording`, `call`, `response`.
    units
        The names of the n units; sorted if units have several items.
    parts
        The counts of the units, `part -> counts`, with fields of shape (n, ...).
    items
        The names of the m items, if units have several items; else empty.
    item_parts
        The counts of the m items, likewise.
    grouped
        The number of units that were grouped at random; 0 if they were not.
    """

    unit: str
    units: Sequence[str]
    parts: Mapping[str, Any]
    items: Sequence[str] = ()
    item_parts: Mapping[str, Any] = field(default_factory=dict)
    grouped: int = 0

    @property
    def rows(self) -> tuple[Sequence[str], Mapping[str, Any]]:
        """The names and the counts of the items; those of the units if each unit is an item."""
        return (self.items, self.item_parts) if self.items else (self.units, self.parts)

    def total(self, part: str) -> Any:
        """The counts of all units."""
        return total(self.parts[part])

    @property
    def columns(self) -> list[str]:
        """The names of the numbers in a row: `part.field` or `part.field.index`."""
        return [column for part, counts in self.parts.items() for column in _column_names(part, counts)]

    @property
    def values(self) -> np.ndarray:
        """The numbers of all units, shape (n, k)."""
        return _matrix(self.parts)


def _matrix(parts: Mapping[str, Any]) -> np.ndarray:
    return np.concatenate([as_matrix(counts) for counts in parts.values()], axis=1)


def by_unit(units: Units, rows: Mapping[str, Any]) -> Statistics:
    """Add up counts of n rows by the unit of each row."""
    names = list(units.of.values())
    if all_different(names):
        return Statistics(units.called, names, rows, grouped=units.grouped)
    different, place = np.unique(names, return_inverse=True)
    parts = {part: by_group(counts, place, len(different)) for part, counts in rows.items()}
    return Statistics(units.called, different.tolist(), parts, list(units.of), rows, units.grouped)


def _column_names(part: str, counts: Any) -> list[str]:
    names = []
    for name, array in field_arrays(counts).items():
        for index in np.ndindex(*array.shape[1:]):
            names.append(".".join([part, name, *map(str, index)]))
    return names


def write_statistics(
    directory: Path,
    signature: Signature,
    statistics: Statistics,
    trivial: Mapping[str, Number],
    declaration: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Write `statistics.json`.

    Its keys are `task`, `signature`, `declaration` (of a declared task), `trivial` (the scores of the trivial
    baselines), `unit`, `grouped` (of units in random groups), `columns`, `units` and `values`; if units have several
    items, also `items` and `item_values`.
    """
    content = {
        "task": signature.task,
        "signature": str(signature),
        **({"declaration": dict(declaration)} if declaration else {}),
        "trivial": dict(trivial),
        "unit": statistics.unit,
        **({"grouped": statistics.grouped} if statistics.grouped else {}),
        "columns": statistics.columns,
        "units": list(statistics.units),
        "values": _numbers(statistics.values),
    }
    if statistics.items:
        content.update(items=list(statistics.items), item_values=_numbers(_matrix(statistics.item_parts)))
    write_file(directory / STATISTICS_FILE, json.dumps(content) + "\n")


def _numbers(matrix: np.ndarray) -> list[list[Number]]:
    """Rows of numbers for JSON, whole numbers without a decimal point."""
    whole = matrix.astype(np.int64)
    if np.array_equal(matrix, whole):
        rows: list[list[Number]] = whole.tolist()
        return rows
    return [[int(value) if value == int(value) else value for value in row] for row in matrix.tolist()]


def parse_statistics(content: Mapping[str, Any]) -> Statistics:
    """The statistics in the parsed content of `statistics.json`, as `write_statistics` writes it.

    Raises
    ------
    ValueError, KeyError, TypeError, OverflowError
        The content is not valid, or a number is not finite.
    """
    columns, units = [str(column) for column in content["columns"]], [str(unit) for unit in content["units"]]
    items = [str(item) for item in content.get("items", ())]
    parts = _parse_parts(columns, units, content["values"])
    item_parts = _parse_parts(columns, items, content["item_values"]) if items else {}
    return Statistics(str(content["unit"]), units, parts, items, item_parts, int(content.get("grouped", 0)))


def _parse_parts(columns: Sequence[str], names: Sequence[str], numbers: Any) -> dict[str, Any]:
    """The counts of each part, from one row of numbers for each name."""
    values = np.array(numbers, dtype=np.float64)
    if not (names and columns) or values.shape != (len(names), len(columns)) or not np.isfinite(values).all():
        raise ValueError(f"expected {len(names)} rows of {len(columns)} finite numbers")
    if np.abs(values).max() > LARGEST:
        raise ValueError(f"expected numbers up to {LARGEST:g}")
    fields: dict[str, dict[str, list[int]]] = {}
    shapes: dict[tuple[str, str], list[int]] = {}
    for place, column in enumerate(columns):
        part, field, *index = column.split(".")
        fields.setdefault(part, {}).setdefault(field, []).append(place)
        shapes[part, field] = [int(place) + 1 for place in index]  # the last index is the largest
    parts = {}
    for part, places in fields.items():
        arrays = {
            field: values[:, place].reshape(len(names), *shapes[part, field])
            for field, place in places.items()
        }
        parts[part] = counts_of(arrays)
    return parts


def primary_matrix(task: Task, statistics: Statistics) -> np.ndarray:
    """The counts from which a task's primary score is computed, one row for each unit, shape (n, k)."""
    return as_matrix(task.part(task.primary, statistics.parts))


def primary_of_sums(task: Task, statistics: Statistics) -> Callable[[np.ndarray], np.ndarray]:
    """Return a function from sums of rows of `primary_matrix`, shape (r, k), to primary scores, shape (r,).

    Undefined scores are NaN.
    """
    rows = task.part(task.primary, statistics.parts)
    return lambda sums: np.asarray(task.primary.value(from_matrix(rows, sums)))


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
    first, second = (scores - exact_sum(scores) / len(scores) for scores in without)
    spread = math.sqrt(exact_sum(first**2) * exact_sum(second**2))
    correlation = exact_sum(first * second) / spread if spread else 0.0
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
    if len(next(iter(field_arrays(rows).values()))) == 1:
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


@dataclass(frozen=True)
class Scored:
    """A submission's scores and the counts from which they are computed; intervals are computed when they are used.

    Attributes
    ----------
    task, labels
        The task, and the reference as its format returns it.
    values
        The task's scores at full precision, `key -> score`.
    rows
        The counts, `part -> counts`, one row for each item or unit.
    totals
        The counts added up over all rows, or the task's exact ones, `part -> counts`.
    chosen
        The organiser's options as they apply to the reference.
    """

    task: Task
    labels: Any
    values: Mapping[str, Number]
    rows: Mapping[str, Any]
    totals: Mapping[str, Any]
    chosen: Settings

    @cached_property
    def statistics(self) -> Statistics:
        """The counts of each unit."""
        return by_unit(self.task.units(self.labels), self.rows)

    @cached_property
    def intervals(self) -> Mapping[str, Interval]:
        """The intervals of all scores that have one, `key -> interval`."""
        intervals = score_intervals(self.task, self.values, self.statistics.parts)
        if self.task.other_units is None:
            return intervals
        other = by_unit(self.task.other_units(self.labels), self.rows)
        both = [score_intervals(self.task, self.values, parts) for parts in (other.parts, self.rows)]
        return crossed_intervals(self.task, self.values, intervals, *both)

    @property
    def shown_intervals(self) -> Mapping[str, Interval]:
        """The intervals, or none with fewer than `FEWEST_UNITS` units."""
        return {} if len(self.statistics.units) < FEWEST_UNITS else self.intervals

    @property
    def scores(self) -> dict[str, Number]:
        """Every number to write, at full precision, in the order of the task's columns."""
        key = self.task.primary.key
        low, high, _ = self.intervals[key]
        return {**self.values, key + ENDS[0]: low, key + ENDS[1]: high}

    @cached_property
    def settings(self) -> Settings:
        """The options. With public labels, scores whose decimals nobody chose have as many on pages as show two digits
        of their uncertainty."""
        decimals = {score.key: score.precision for score in self.task.scores}
        if self.chosen.labels_public:
            decimals.update(_decimals(self.shown_intervals))
        return replace(self.chosen, decimals={**decimals, **self.chosen.decimals})


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
    values: dict[str, Number] = {
        score.key: number_or_array(score.value(task.part(score, totals))) for score in task.scores
    }
    return Scored(task, reference, values, rows, totals, settings)


def score_both_submissions(
    task: Task, reference: Any, submissions: Sequence[Any], settings: Settings
) -> tuple[Scored, Scored]:
    """Score two submissions; the first is the baseline of the second."""
    first = score_submission(task, reference, submissions[0], settings)
    return first, score_submission(task, reference, submissions[1], beside(task, settings, first))


def beside(task: Task, settings: Settings, known: Scored) -> Settings:
    """The settings with the scores of a baseline, as a report of a competition has them."""
    primary = task.primary
    counts = task.part(primary, known.statistics.parts)
    without = tuple(scores_without(primary, known.scores[primary.key], counts).tolist())
    return replace(settings, baseline=known.scores, about=replace(settings.about, baseline_without=without))


def _decimals(intervals: Mapping[str, Interval]) -> dict[str, int]:
    """The decimals that show two digits of half of each interval, from 0 to 4, for pages where nobody chose them."""
    halves = {key: (high - low) / 2 for key, (low, high, _) in intervals.items()}
    return {
        key: min(4, max(0, 1 - math.floor(math.log10(half))))
        for key, half in halves.items()
        if 0 < half < math.inf
    }
