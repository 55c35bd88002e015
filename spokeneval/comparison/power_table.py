"""Statistical power by test-set size, as a table; see `power`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from .power import POWER, power, smallest_difference
from .randomisation import units_needed
from .ranks import LEAST
from .systems import Pair
from .tables import Shown, Table

SIZES = (0.25, 0.5, 1, 2, 4, 8, 16)
"""Sizes of test sets, as multiples of this set's."""


def power_table(
    pairs: Sequence[Pair], names: Sequence[str], unit: str, units: int, column: Shown
) -> list[Table]:
    """Return a power curve as a table; none if no two neighbours have a difference that varies."""
    neighbours = [pair for pair in pairs if pair.second == pair.first + 1]
    varying = [pair for pair in neighbours if pair.interval.standard_error > LEAST]
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
        f"Smallest {column.title} difference detected with {100 * POWER:.0f} % power",
        f"Chance of separating {names[closest.first]} from {names[closest.second]}",
    ]
    note = (
        f"Second column: the smallest true difference between two systems that a test set of this size detects with a "
        f"probability of {100 * POWER:.0f} %, if {systems} systems are compared, and if the difference varies between "
        f"{unit}s as much as the differences between neighbours on this leaderboard (median). Last column: the "
        f"probability of detecting that {names[closest.first]} and {names[closest.second]} differ, if the observed "
        "difference is the true one."
    )
    return [Table(f"Statistical power by test-set size ({units} {unit}s here)", header, rows, note)]
