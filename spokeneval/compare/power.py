"""Statistical power of a board's comparisons with test sets of another size.

By the normal approximation of the paired difference, at the level of Holm's first step, so for the pair that is hardest
to separate. With so few units that no test can be significant the power is 0. `deviation` is the standard deviation of
a difference over one unit: its standard error times the root of the number of units.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from .multiple_comparisons import holm_level
from .randomisation import units_needed

POWER = 0.8

_NORMAL = NormalDist()


def power(difference: float, deviation: float, units: int, systems: int) -> float:
    """The probability that a true difference is found among so many systems.

    >>> round(power(0.5, 1.0, units=50, systems=3), 3)
    0.873
    """
    if units < units_needed(systems):
        return 0.0
    away, critical = abs(difference) * math.sqrt(units) / deviation, _critical(systems)
    return _NORMAL.cdf(away - critical) + _NORMAL.cdf(-away - critical)


def smallest_difference(deviation: float, units: int, systems: int) -> float:
    """The true difference that is found with probability `POWER`, neglecting the chance of finding it reversed.

    >>> round(smallest_difference(1.0, units=50, systems=3), 3)
    0.458
    """
    return (_critical(systems) + _NORMAL.inv_cdf(POWER)) * deviation / math.sqrt(units)


def _critical(systems: int) -> float:
    return -_NORMAL.inv_cdf(holm_level(systems) / 2)
