"""Statistical power of comparisons with test sets of another size.

Power is computed by the normal approximation of the paired difference, at the level of Holm's first step, which is the
strictest. It is 0 if there are so few units that no test can be significant. `deviation` is the standard deviation of
the difference for one unit: its standard error times the square root of the number of units.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from .multiple_comparisons import holm_level
from .randomisation import units_needed

POWER = 0.8
"""The power for which `smallest_difference` is computed."""

_NORMAL = NormalDist()


def power(difference: float, deviation: float, units: int, systems: int) -> float:
    """The probability that a true difference between two of several systems is found significant.

    Examples
    --------
    >>> round(power(0.5, 1.0, units=50, systems=3), 3)
    0.873
    """
    if units < units_needed(systems):
        return 0.0
    away, critical = abs(difference) * math.sqrt(units) / deviation, _critical(systems)
    return _NORMAL.cdf(away - critical) + _NORMAL.cdf(-away - critical)


def smallest_difference(deviation: float, units: int, systems: int) -> float:
    """The true difference that is found with probability `POWER`, ignoring the chance of finding the reverse.

    Examples
    --------
    >>> round(smallest_difference(1.0, units=50, systems=3), 3)
    0.458
    """
    return (_critical(systems) + _NORMAL.inv_cdf(POWER)) * deviation / math.sqrt(units)


def _critical(systems: int) -> float:
    return -_NORMAL.inv_cdf(holm_level(systems) / 2)
