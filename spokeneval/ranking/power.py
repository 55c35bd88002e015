"""Statistical power of comparisons with test sets of another size.

Power is that of the randomisation test of one pair, at the level of a step of Holm's procedure (`holm_level`), for
differences that are normally distributed over units. It is 0 if there are so few units that no test can be significant.
`deviation` is the standard deviation of the difference for one unit: its standard error times the square root of the
number of units.

With many units, the distribution of a difference over all swaps is close to that of Student's t. So power is that of a
t-test, by the noncentral t distribution, at the largest level that 10,000 rounds can resolve. A smaller level is
reached by the tail bound alone, which is converted to t. With `FEW` units or fewer, the power is below that of a
t-test, by up to 14 points, so the test itself is applied to 1,000 simulated sets.

Source: Noreen, Computer-intensive methods for testing hypotheses (1989), for the test; Johnson, Kotz and Balakrishnan,
Continuous univariate distributions, volume 2 (1995), chapter 31, for noncentral t.
"""

from __future__ import annotations

import math
from functools import cache
from statistics import NormalDist
from typing import Callable

import numpy as np

from ..metrics.bootstrap import SEED
from .randomisation import critical_deviations, least_p, p_of_counts, resolved_level, signs
from .ranks import LEAST

POWER = 0.8
"""The power for which `smallest_difference` is computed."""

FEW = 60
"""The largest number of units for which the test is simulated."""

_SETS = 1000
"""The number of simulated sets; power then has a standard error of 1.6 points at most."""

_AT_A_TIME = 64
"""The number of ways to swap to process at a time, so that they fit into the processor's cache."""

_FARTHEST = 2.0**40
"""The largest difference to try, in standard deviations."""

_NORMAL = NormalDist()

_NODES = 200


def power(difference: float, deviation: float, units: int, level: float) -> float:
    """The probability that a true difference between two systems has a p-value of at most `level`.

    Examples
    --------
    >>> round(power(0.5, 1.0, units=50, level=0.05 / 3), 3)
    0.843
    """
    if least_p(units) > level:
        return 0.0
    if units <= FEW:
        return _simulated(units, level)(abs(difference) / deviation)
    away, critical = abs(difference) * math.sqrt(units) / deviation, _critical(units, level)
    return _above(away, critical, units - 1) + _above(-away, critical, units - 1)


def smallest_difference(deviation: float, units: int, level: float) -> float:
    """The true difference that is found with probability `POWER`, ignoring the chance of finding the reverse.

    Infinity if there are so few units that no difference is significant.

    Examples
    --------
    >>> round(smallest_difference(1.0, units=50, level=0.05 / 3), 3)
    0.473
    """
    return deviation * _smallest(units, level)


@cache
def _smallest(units: int, level: float) -> float:
    """The same in standard deviations of a unit. A simulation takes half a second, and each board asks for several."""
    if least_p(units) > level:
        return math.inf
    if units <= FEW:
        found = _simulated(units, level)
        return _root(lambda difference: found(difference) - POWER, steps=8)
    critical = _critical(units, level)
    return _root(lambda away: _above(away, critical, units - 1) - POWER) / math.sqrt(units)


def _simulated(units: int, level: float) -> Callable[[float], float]:
    """A function from a difference in standard deviations of a unit to the share of simulated sets that show it."""
    drawn = np.random.RandomState(SEED + 1).normal(size=(units, _SETS))
    kept = signs(units)
    sums, moved = kept @ drawn, kept.sum(axis=1, keepdims=True)

    def found(difference: float) -> float:
        observed = np.abs(drawn.sum(axis=0) + units * difference)
        extreme = np.zeros(_SETS)
        for begin in range(0, len(kept), _AT_A_TIME):
            ways = slice(begin, begin + _AT_A_TIME)
            swapped = np.abs(sums[ways] + moved[ways] * difference)
            extreme += np.count_nonzero(swapped >= observed - LEAST, axis=0)
        deviations = observed / np.sqrt(np.square(drawn + difference).sum(axis=0))
        exact = len(kept) == 2**units
        return float(np.mean(p_of_counts(extreme, len(kept), deviations, units, exact=exact) <= level))

    return found


def _critical(units: int, level: float) -> float:
    """The smallest t, of the differences of all units, that is found significant."""
    critical = math.inf
    resolved = resolved_level(units, level)
    if resolved:
        critical = _root(lambda t: resolved / 2 - _above(0.0, t, units - 1))
    deviations = critical_deviations(level)
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


def _root(function: Callable[[float], float], steps: int = 50) -> float:
    """Where an increasing function is 0, above 0; infinity if it is below 0 up to `_FARTHEST`."""
    low, high = 0.0, 1.0
    while not function(high) >= 0:
        low, high = high, 2 * high
        if high > _FARTHEST:
            return math.inf
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < 0 else (low, middle)
    return high
