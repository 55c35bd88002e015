"""How sure a score is: its bootstrap interval over units, and what comparing systems needs of the same bootstrap."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable, NamedTuple

import numpy as np

from ..metrics.bootstrap import (
    RESAMPLES,
    SEED,
    bootstrap_scores,
    expanded_level,
    percentile_interval,
    resample_weights,
)
from ..metrics.counts import as_matrix, taken
from ..task import Score

__all__ = [
    "RESAMPLES",
    "SEED",
    "Interval",
    "expanded_level",
    "joint_scores",
    "percentile_interval",
    "score_interval",
]


class Interval(NamedTuple):
    """A 95 % interval and the standard error of a score."""

    low: float
    high: float
    standard_error: float


def score_interval(score: Score, rows: Any, value: float) -> Interval:
    """A score's bootstrap interval, rounded to the ten decimals that a platform stores.

    Units are drawn in the order of their counts: an interval does not depend on the order of a reference's rows, and
    so tells nobody which of them is which. Where nothing can be said (a single unit, or no resample with a score), both
    ends are the score itself.

    Parameters
    ----------
    rows: the part of the counts that the score takes, one row a unit.
    value: the score of all rows.
    """
    matrix = as_matrix(rows)
    units = len(matrix)
    scores = bootstrap_scores(taken(rows, np.lexsort(matrix.T)), score.value, resample_weights(units))
    defined = scores[~np.isnan(scores)]
    if units == 1 or not len(defined):
        return Interval(value, value, 0.0)
    low, high = percentile_interval(defined, level=expanded_level(units))
    return Interval(_end(low, value), _end(high, value), float(defined.std()))


def _end(end: float, value: float) -> float:
    """An end to ten decimals; the score itself where the two are the same to ten decimals, so that it is inside."""
    return value if round(end, 10) == round(value, 10) else round(end, 10)


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
