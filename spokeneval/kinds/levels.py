"""Scores of the means of levels, such as the systems whose speech was rated.

Correlations and the error are computed from the mean of each level's items, whatever the number of items, and the
correlation of these means is the primary score. Levels are the units: an interval allows for other systems.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..formats.format import Answers
from ..formats.problems import Problems, name
from ..formats.speakers import LEVEL, SPEAKER, refuse_empty
from ..formats.tables import Table, numbered
from ..metrics import correlation, prediction_error
from ..metrics.counts import by_group
from ..task import AGREEMENT, HIGHER, LOWER, POSITIVE, Score
from .kind import ParameterError, optional_text, parameter

FEWEST = 3
"""The fewest items, and levels, whose scores can be correlated."""
LEAST_SPREAD = 1 / 1000
"""The least standard deviation of the human scores in widths of the scale, and the least variance of true scores in
variances of the human scores. With less, a score could exceed what a platform can store."""


def level_parameter() -> Any:
    """Return the field of the column of levels."""
    return parameter(
        "The column of the reference by which items are averaged, such as system: the correlation of the means is then "
        "the primary score. Two rank correlations and an error of the means follow, and intervals are over systems.",
        optional_text,
        "system",
        None,
    )


def unit_of_levels(level: str, unit: str, id: str) -> str:
    """The column of units: the level, or the declared column where there is no level."""
    if level and unit not in (SPEAKER, level):
        raise ParameterError(
            "unit", f"{unit!r}, but with `level` the units are those of {level!r}; leave it out"
        )
    if level == id:
        raise ParameterError(LEVEL, f"the column {level!r} is used twice")
    return level or unit


def check_levels(
    level: str, answers: Answers, human: np.ndarray, width: float, table: Table, problems: Problems
) -> None:
    """Check that each item has a level, and that means of human scores, on a scale of this width, differ."""
    if not level:
        return
    if level not in answers.texts:
        problems.stop("no_unit", table.file, f"no column {name(level)}, by which `level` averages items")
    refuse_empty(table, level, answers.texts[level], problems)
    means = _means(level, answers, human)[1]
    if not problems and (len(means) < FEWEST or np.ptp(means) < LEAST_SPREAD * width):
        message = f"{len(means)} means by {level}, from {means.min():g} to {means.max():g}; "
        problems.add("constant_scores", table.file, f"{message}expected at least {FEWEST} that differ")


def _means(level: str, reference: Answers, *values: np.ndarray) -> list[np.ndarray]:
    """The first row of each level, and the means of values over its items."""
    _, row = numbered(reference.texts[level])
    order, ends = np.argsort(row, kind="stable"), np.cumsum(np.bincount(row))[:-1]
    groups = np.split(order, ends)
    means = (np.array([math.fsum(each[group]) / len(group) for group in groups]) for each in values)
    return [np.array([group[0] for group in groups]), *means]


def count_levels(level: str, reference: Answers, human: np.ndarray, predicted: np.ndarray) -> dict[str, Any]:
    """The counts of levels from the scores of n items, each in the row of its first item."""
    if not level:
        return {}
    first, *means = _means(level, reference, human, predicted)
    counted = {
        "means": correlation.correlation_moments(*means),
        "mean_ranks": correlation.rank_moments(*means),
        "mean_orders": correlation.pair_orders(*means),
        "mean_errors": prediction_error.squared_errors(*means),
    }
    return {part: by_group(rows, first, len(reference.items)) for part, rows in counted.items()}


# fmt: off
def level_scores(level: str) -> tuple[Score, ...]:
    """The scores of the means of each level's items; none without a level."""
    means = f"of the {level}s' mean predictions and mean human scores"
    return (
        Score("level_pearson_r", f"Pearson r by {level}", HIGHER, correlation.correlation, f"correlation {means}",
              of="means", undefined=0.0, bounds=AGREEMENT, best=1),
        Score("level_spearman_r", f"Spearman r by {level}", HIGHER, correlation.correlation,
              f"correlation of the ranks {means}", of="mean_ranks", undefined=0.0, bounds=None),
        Score("level_kendall", f"Kendall τ by {level}", HIGHER, correlation.kendall_tau,
              f"rank correlation τ-b {means}", of="mean_orders", undefined=0.0, bounds=None),
        Score("level_rmse", f"RMSE by {level}", LOWER, prediction_error.root_mean_square,
              f"root mean square difference {means}", of="mean_errors", bounds=POSITIVE),
    ) if level else ()
# fmt: on
