"""Statistical power of comparisons with test sets of another size.

Power is that of the test of one pair at the level of Holm's first step, which is the strictest, for differences that
are normally distributed over units. It is 0 if there are so few units that no test can be significant. `deviation` is
the standard deviation of the difference for one unit: its standard error times the square root of the number of units.

The distribution of a difference over all swaps of units is close to that of Student's t. So power is that of a t-test,
by the noncentral t distribution, at the largest level that the swaps of so few units, or 10,000 rounds, can resolve. A
smaller level is reached by the tail bound alone, which is converted to t. With few units and many systems, swapping
finds less than a t-test, so these are upper limits: simulated power is up to 14 points lower with 20 units, and up to 5
points with 50.

Source: Noreen, Computer-intensive methods for testing hypotheses (1989), for the test; Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 2 (1995), chapter 31, for noncentral t.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Callable

import numpy as np

from .randomisation import critical_deviations, resolved_level, units_needed

POWER = 0.8
"""The power for which `smallest_difference` is computed."""

_NORMAL = NormalDist()

_NODES = 200


def power(difference: float, deviation: float, units: int, systems: int) -> float:
    """The probability that a true difference between two of several systems is found significant.

    Examples
    --------
    >>> round(power(0.5, 1.0, units=50, systems=3), 3)
    0.85
    """
    if units < units_needed(systems):
        return 0.0
    away, critical = abs(difference) * math.sqrt(units) / deviation, _critical(units, systems)
    return _above(away, critical, units - 1) + _above(-away, critical, units - 1)


def smallest_difference(deviation: float, units: int, systems: int) -> float:
    """The true difference that is found with probability `POWER`, ignoring the chance of finding the reverse.

    There must be at least `units_needed` units.

    Examples
    --------
    >>> round(smallest_difference(1.0, units=50, systems=3), 3)
    0.472
    """
    critical = _critical(units, systems)
    away = _root(lambda away: _above(away, critical, units - 1) - POWER)
    return away * deviation / math.sqrt(units)


def _critical(units: int, systems: int) -> float:
    """The smallest t, of the differences of all units, that is found significant."""
    critical = math.inf
    level = resolved_level(units, systems)
    if level:
        critical = _root(lambda t: level / 2 - _above(0.0, t, units - 1))
    deviations = critical_deviations(systems)
    if deviations**2 < units:
        # A deviation has the mean square of the differences in its denominator, t their variance.
        critical = min(critical, deviations * math.sqrt((units - 1) / (units - deviations**2)))
    return critical


def _above(away: float, critical: float, freedom: int) -> float:
    """The probability that a noncentral t exceeds a value: normal, for each standard deviation by its density."""
    spread = 8 / math.sqrt(2 * freedom)
    deviations = np.linspace(max(1 - spread, 1e-6), 1 + spread, _NODES)
    logs = (freedom - 1) * np.log(deviations) - freedom * deviations**2 / 2
    density = np.exp(logs - logs.max())
    found = [_NORMAL.cdf(away - critical * deviation) for deviation in deviations.tolist()]
    return float(density @ found / density.sum())


def _root(function: Callable[[float], float]) -> float:
    """Where an increasing function is 0, above 0."""
    low, high = 0.0, 1.0
    while function(high) < 0:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high
