"""Tests of statistical power, against the rate at which randomisation tests find a simulated difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.comparison.power import power, smallest_difference
from spokeneval.comparison.randomisation import mean_of_units, randomisation_tests


def test_power_is_how_often_a_difference_is_found():
    # Three systems, the first 0.5 standard deviations of a unit's difference ahead; found where p by swapping is at
    # most 0.05 / 3, Holm's first step.
    rng = np.random.default_rng(12)
    found = 0
    for _ in range(150):
        values = np.stack([rng.normal(0.5, 1, 50), np.zeros(50)])[:, :, None]
        p = randomisation_tests(values, mean_of_units(50), rounds=1000)[0, 1]
        found += p <= 0.05 / 3
    expected = power(0.5, 1.0, 50, 3)
    assert abs(found / 150 - expected) < 4 * math.sqrt(expected * (1 - expected) / 150)
    least = smallest_difference(1.0, 50, 3)
    assert power(least, 1.0, 50, 3) == pytest.approx(0.8, abs=1e-6)
    assert power(5, 1.0, 8, 6) == 0.0  # 8 units cannot tell 6 systems apart
