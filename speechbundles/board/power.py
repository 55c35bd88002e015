"""Statistical power by test-set size, as a table under the board: see `spokeneval.compare.power`."""

import math
from collections.abc import Sequence
from statistics import median

from speechbundles.board.comparison import Pair
from speechbundles.board.table import Table
from speechbundles.model.competition import Column
from speechbundles.platforms.keys import MOST_DECIMALS
from spokeneval.compare.power import POWER, power, smallest_difference
from spokeneval.compare.randomisation import units_needed

SIZES = (0.25, 0.5, 1, 2, 4, 8, 16)
"""Test sets, in times the size of this one."""


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
        if number < units_needed(systems):
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
