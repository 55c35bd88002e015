"""How sure a score is: its interval, the statistics it was summed from, and rounding to what they support."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..metrics.bootstrap import (
    ScoreOfSums,
    bootstrap_scores,
    expanded_level,
    percentile_interval,
    resample_weights,
)
from .scores import Score, write_file

STATISTICS_FILE = "statistics.json"


@dataclass(frozen=True)
class Statistics:
    """What the primary score is summed from, one row a unit.

    Attributes
    ----------
    unit: what a unit is: `speaker`, `recording`, `call`, `response`.
    units: n names.
    columns: k names: counts and times.
    values: shape=(n, k).
    """

    unit: str
    units: Sequence[str]
    columns: Sequence[str]
    values: np.ndarray


def summed_by_unit(unit: str, names: Sequence[str], columns: Sequence[str], values: np.ndarray) -> Statistics:
    """Statistics of n items, shape=(n, k), added up by the unit that each one belongs to; units sorted by name."""
    units, place = np.unique(np.asarray(names, dtype=str), return_inverse=True)
    sums = np.zeros((len(units), values.shape[1]), dtype=values.dtype)
    np.add.at(sums, place, values)
    return Statistics(unit, units.tolist(), columns, sums)


@dataclass(frozen=True)
class Interval:
    """A 95 % interval and the standard error of a score."""

    low: float
    high: float
    standard_error: float


def primary_interval(statistics: Statistics, primary: ScoreOfSums, score: float) -> Interval:
    """The primary score's bootstrap interval over units, rounded to the ten decimals that a platform stores.

    Units are drawn in the order of their values: an interval does not depend on the order of a reference's rows,
    and so tells nobody which of them is which. Where nothing can be said (a single unit, or no resample with a
    score), both ends are the score itself.
    """
    values = statistics.values[np.lexsort(statistics.values.T)]
    scores = bootstrap_scores(values, primary, resample_weights(len(values)))
    defined = scores[~np.isnan(scores)]
    if len(values) == 1 or not len(defined):
        return Interval(score, score, 0.0)
    low, high = percentile_interval(defined, level=expanded_level(len(values)))
    return Interval(_end(low, score), _end(high, score), float(defined.std()))


def _end(end: float, score: float) -> float:
    """An end to ten decimals; the score itself where the two are the same to ten decimals, so that it is inside."""
    return score if round(end, 10) == round(score, 10) else round(end, 10)


def rounded(scores: Mapping[str, Score], primary: str, standard_error: float) -> dict[str, Score]:
    """Every score to as many significant digits as the primary one's standard error supports, at least one.

    A board that shows less tells less: nobody can climb it by differences that mean nothing.
    """
    value = abs(scores[primary])
    digits = 1 if not value or not standard_error else max(1, round(math.log10(value / standard_error)) + 1)
    return {key: float(f"{score:.{digits - 1}e}") for key, score in scores.items()}


def write_statistics(directory: Path, task: str, signature: str, statistics: Statistics) -> None:
    """`statistics.json`: what `build_bundle.py rank` compares systems by."""
    values = statistics.values.tolist()
    content = {
        "task": task,
        "signature": signature,
        "unit": statistics.unit,
        "columns": list(statistics.columns),
        "units": list(statistics.units),
        "values": [[int(value) if value == int(value) else value for value in row] for row in values],
    }
    write_file(directory / STATISTICS_FILE, json.dumps(content) + "\n")
