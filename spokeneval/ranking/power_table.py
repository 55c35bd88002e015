"""Statistical power by test-set size, as a table; see `power`."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median
from typing import Optional

from ..formats.problems import plural_of
from ..task import Column
from .leaderboard import Pair, TextTable
from .multiple_comparisons import SIGNIFICANCE, holm_level
from .power import POWER, power, smallest_difference
from .ranks import LEAST

SIZES = (0.25, 0.5, 1, 2, 4, 8, 16)
"""Sizes of test sets, as multiples of this set's."""

NOT_REACHED = "not reached"
"""The smallest difference of a test set that detects none, however large, with a probability of `POWER`."""


def power_table(
    pairs: Sequence[Pair],
    names: Sequence[str],
    unit: str,
    units: int,
    column: Column,
    limits: Optional[tuple[float, float]],
) -> Optional[TextTable]:
    """Return a power curve as a table; None if no two neighbours have a difference that varies."""
    neighbours = [pair for pair in pairs if pair.second == pair.first + 1]
    varying = [pair for pair in neighbours if pair.interval.standard_error > LEAST]
    if not varying:
        return None
    deviation = median(pair.interval.standard_error for pair in varying) * math.sqrt(units)
    systems = len(names)
    closest = varying[0]
    own = closest.interval.standard_error * math.sqrt(units)
    largest = limits[1] - limits[0] if limits else math.inf
    rejected = [pair for pair in pairs if pair.adjusted <= SIGNIFICANCE and pair.p < closest.p]
    first_level, level = holm_level(systems), holm_level(systems, len(rejected))
    rows, many = [], plural_of(unit)
    for number in dict.fromkeys(round(size * units) for size in SIZES if size * units >= 1):
        found = smallest_difference(deviation, number, first_level)
        reached = found < math.inf and found <= largest
        chance = 100 * power(closest.difference, own, number, level)
        smallest = f"{found:.{column.precision}f}" if reached else NOT_REACHED
        rows.append([str(number), smallest, f"{chance:.0f} %"])
    header = [
        f"{many[:1].upper()}{many[1:]}",
        f"Smallest {column.title} difference detected with {100 * POWER:.0f} % power",
        f"Chance of separating {names[closest.first]} from {names[closest.second]}",
    ]
    shown = f"{names[closest.first]} and {names[closest.second]}"
    seen = "between neighbours on this leaderboard (median)" if systems > 2 else f"between {shown}"
    note = (
        f"Second column: the smallest true difference between two systems that a test set of this size detects with a "
        f"probability of {100 * POWER:.0f} %, if {systems} systems are compared at the level of Holm's first step "
        f"(p at most {first_level:.2g}), and if the difference varies between {many} as much as the differences "
        f"{seen}. Last column: the probability of detecting that {shown} differ, if the observed difference is the "
        f"true one, at the level that Holm's correction has for this pair here (p at most {level:.2g})."
    )
    if closest.adjusted <= SIGNIFICANCE:
        note += (
            " They differ significantly here. A difference that is only just significant is detected in about half of "
            "all test sets of the same size."
        )
    return TextTable(f"Statistical power by test-set size ({units} {many} here)", header, rows, note)
