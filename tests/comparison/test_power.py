"""Tests of statistical power, against the rate at which randomisation tests find a simulated difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.comparison.multiple_comparisons import holm_level
from spokeneval.comparison.power import power, smallest_difference
from spokeneval.comparison.randomisation import mean_of_units, randomisation_tests


@pytest.mark.parametrize(
    ("units", "systems", "errors", "least", "most"),
    # Few swaps, exact tests, rounds, and the tail bound alone. The normal approximation gave 40 % where 13 % are found.
    [
        (12, 10, 3, -0.02, 0.09),
        (12, 5, 5, -0.05, 0.05),
        (20, 10, 3, 0, 0.11),
        (50, 10, 3, -0.03, 0.08),
        (50, 50, 5, -0.12, 0.12),
    ],
)
def test_power_is_close_to_what_is_found_with_few_units(units, systems, errors, least, most):
    rng = np.random.default_rng(units + systems)
    found, difference = 0, errors / math.sqrt(units)
    for _ in range(200):
        values = np.stack([rng.normal(difference, 1, units), np.zeros(units)])[:, :, None]
        found += randomisation_tests(values, mean_of_units(units))[0, 1] <= holm_level(systems)
    assert least < power(difference, 1.0, units, systems) - found / 200 < most


def test_power_at_a_level_that_rounds_resolve_is_that_of_the_noncentral_t():
    stats = pytest.importorskip("scipy.stats")
    for units, systems, errors in ((30, 3, 2.0), (200, 10, 4.0), (14, 4, 5.0)):
        level = math.floor(holm_level(systems) * 10_001) / 10_001
        critical = stats.t.isf(level / 2, units - 1)
        expected = stats.nct.sf(critical, units - 1, errors) + stats.nct.cdf(-critical, units - 1, errors)
        assert power(errors / math.sqrt(units), 1.0, units, systems) == pytest.approx(expected, abs=1e-4)


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
