"""What a test set of another size could tell: the power of a board's comparisons over more or fewer units.

By the normal approximation of the paired difference, at the level of Holm's first step, so for the pair that is
hardest to tell. Over so few units that no test can be significant the power is 0.
"""

import math
from collections.abc import Sequence
from statistics import NormalDist, median

from speechbundles.board import compare
from speechbundles.board.comparison import Pair
from speechbundles.board.table import Table
from speechbundles.model.competition import Column
from speechbundles.platforms.keys import MOST_DECIMALS

POWER = 0.8

SIZES = (0.25, 0.5, 1, 2, 4, 8, 16)
"""Test sets, in times the size of this one."""

_NORMAL = NormalDist()


def power(difference: float, deviation: float, units: int, systems: int) -> float:
    """The chance that a true difference is found among so many systems.

    Parameters
    ----------
    deviation: the standard deviation of the difference over one unit: its standard error times the root of units.
    """
    if units < compare.units_needed(systems):
        return 0.0
    away, critical = abs(difference) * math.sqrt(units) / deviation, _critical(systems)
    return _NORMAL.cdf(away - critical) + _NORMAL.cdf(-away - critical)


def smallest_difference(deviation: float, units: int, systems: int) -> float:
    """The true difference that is found with `POWER` (the chance of finding it the wrong way round neglected)."""
    return (_critical(systems) + _NORMAL.inv_cdf(POWER)) * deviation / math.sqrt(units)


def _critical(systems: int) -> float:
    pairs = systems * (systems - 1) // 2
    return -_NORMAL.inv_cdf(compare.SIGNIFICANCE / pairs / 2)


def power_table(
    pairs: Sequence[Pair], names: Sequence[str], unit: str, units: int, column: Column
) -> list[Table]:
    """A power curve as a table: what differences test sets of other sizes would show; none where nothing is known."""
    neighbours = [pair for pair in pairs if pair.second == pair.first + 1]
    varying = [pair for pair in neighbours if pair.interval.standard_error > 10.0**-MOST_DECIMALS]
    if not varying:
        return []
    deviation = median(pair.interval.standard_error for pair in varying) * math.sqrt(units)
    systems = len(names)
    closest = varying[0]
    rows = []
    for size in SIZES:
        number = round(size * units)
        if number < compare.units_needed(systems):
            rows.append([str(number), "none", "0 %"])
            continue
        found = smallest_difference(deviation, number, systems)
        own = closest.interval.standard_error * math.sqrt(units)
        chance = 100 * power(closest.difference, own, number, systems)
        rows.append([str(number), f"{found:.{column.precision}f}", f"{chance:.0f} %"])
    header = [
        f"{unit.capitalize()}s",
        f"{column.title} apart, found in {100 * POWER:.0f} %",
        f"{names[closest.first]} from {names[closest.second]}",
    ]
    note = (
        f"The smallest true difference that a test set of so many {unit}s shows in {100 * POWER:.0f} of 100 cases "
        f"among {systems} systems, if it varies over {unit}s as that of neighbours here does (the median); and the "
        f"chance of telling {names[closest.first]} from {names[closest.second]} if their true difference is the "
        "observed one."
    )
    return [Table(f"What test sets of other sizes could tell ({units} {unit}s here)", header, rows, note)]
