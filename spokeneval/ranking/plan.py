"""How many units, such as speakers, a test set needs to separate two systems, from a pilot study.

The needed number is the smallest that gives a `power` of `POWER`. It follows from the standard deviation of the
difference for one unit, which a pilot with few units shows only roughly: its range is that of a variance with
Satterthwaite's degrees of freedom (`metrics.jackknife`), by the chi-squared distribution.

Source: Cochran, Sampling techniques (1977), chapter 4, for the size of a sample from a pilot.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Optional

from ..formats.problems import count_of
from ..formats.speakers import unit_noun
from ..metrics.jackknife import FEWEST_UNITS, error_and_freedom
from ..metrics.quantiles import LEVEL, gamma_quantile
from ..scoring.scored import scores_without
from .leaderboard import Leaderboard, TextTable
from .multiple_comparisons import SIGNIFICANCE
from .power import POWER, power
from .writers import to_text


@dataclass(frozen=True)
class NeededUnits:
    """The size of a test set that separates two systems. `str()` gives the sentence that the command line prints.

    Attributes
    ----------
    score
        The title of the primary score.
    difference
        The true difference to be found.
    units
        The number of units that find it with a probability of 80 %.
    lowest, highest
        The range of this number that the pilot's own uncertainty gives.
    unit
        What a unit is, such as ``speaker``.
    pilot
        The number of units of the pilot.
    table
        The statistical power of test sets of several sizes, if it was asked for.
    """

    score: str
    difference: float
    units: int
    lowest: int
    highest: int
    unit: str
    pilot: int
    table: Optional[TextTable] = None

    def __str__(self) -> str:
        words = (
            f"A test set needs about {count_of(self.units, self.unit)} to find a difference of {self.difference:.4g} "
            f"in {self.score} between two systems with a probability of {100 * POWER:.0f} %; the "
            f"{count_of(self.pilot, self.unit)} here show only that it is between {self.lowest} and {self.highest}."
        )
        return to_text(words, self.table, [], []) if self.table else words

    def to_dict(self) -> dict[str, Any]:
        """The plan as it is written with ``--json``: numbers, texts, lists and dictionaries only."""
        return asdict(self)


def needed_units(difference: float, deviation: float) -> int:
    """The fewest units that find a true difference between two systems with a probability of `POWER`.

    Parameters
    ----------
    deviation
        The standard deviation of the difference for one unit.

    Examples
    --------
    By the normal distribution, it is ((1.96 + 0.8416) * 10)^2 = 784.9.

    >>> needed_units(1.0, 10.0)
    787
    """
    normal = (1.959964 + 0.841621) * deviation / difference
    units = max(FEWEST_UNITS, math.floor(normal**2))
    while power(difference, deviation, units, SIGNIFICANCE) < POWER:
        units += 1
    return units


def deviation_range(deviation: float, freedom: float) -> tuple[float, float]:
    """The 95 % range of a standard deviation that was estimated with so many degrees of freedom.

    Examples
    --------
    The quantiles of chi-squared with 11 degrees of freedom are 3.816 and 21.920: the roots of 11 / 21.920 and
    11 / 3.816.

    >>> [round(end, 3) for end in deviation_range(1.0, 11)]
    [0.708, 1.698]
    """
    tails = (1 + LEVEL) / 2, (1 - LEVEL) / 2
    low, high = (deviation * math.sqrt(freedom / 2 / gamma_quantile(tail, freedom / 2)) for tail in tails)
    return low, high


def plan_of(board: Leaderboard, difference: float) -> NeededUnits:
    """The `NeededUnits` from a pilot: the systems of a leaderboard, whose neighbours' differences vary between units.

    Raises
    ------
    ValueError
        The pilot shows no variation, or the difference is no positive number.
    """
    if not 0 < difference < math.inf:
        raise ValueError(
            f"difference {difference:g}; expected a number above 0, in the unit of {board.column.title}"
        )
    task, ranked = board.own_task, {row.name for row in board.rows if not row.excluded}
    known = [
        (each.scores, each.statistics) for each in board.systems if each.name in ranked and each.statistics
    ]
    without = [
        scores_without(task.primary, scores[task.primary.key], task.part(task.primary, statistics.parts))
        for scores, statistics in known
    ]
    found = [error_and_freedom(first - second) for first, second in zip(without, without[1:])]
    varying = sorted((error, freedom) for error, freedom in found if error)
    if not varying or len(without[0]) < FEWEST_UNITS:
        raise ValueError(
            f"a pilot of {board.units or 'no units'} whose systems differ in {count_of(len(varying), 'pair')}; "
            f"expected {FEWEST_UNITS} units or more, and systems with different answers"
        )
    error, freedom = varying[(len(varying) - 1) // 2]
    pilot, unit = len(without[0]), unit_noun(known[0][1].unit, task.declaration)
    deviation = error * math.sqrt(pilot)
    units, lowest, highest = (
        needed_units(difference, each) for each in (deviation, *deviation_range(deviation, freedom))
    )
    return NeededUnits(board.column.title, difference, units, lowest, highest, unit, pilot, board.power)
