"""Tests of statistical power, against the rate at which randomisation tests find a simulated difference."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.ranking.multiple_comparisons import holm_level
from spokeneval.ranking.power import power, smallest_difference
from spokeneval.ranking.randomisation import least_p, mean_of_units, randomisation_tests, units_needed


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("units", "systems", "errors"),
    # Few swaps, exact tests, rounds, the tail bound alone, and Student's t. The normal approximation gave 40 % for the
    # first, and Student's t 14 points too much for the third.
    [(12, 10, 3), (8, 4, 4), (20, 10, 4.5), (20, 50, 6), (50, 10, 3), (50, 50, 5), (70, 10, 3.5)],
)
def test_power_is_close_to_what_is_found_with_few_units(units, systems, errors):
    rng = np.random.default_rng(units + systems)
    found, difference, sets = 0, errors / math.sqrt(units), 300
    for _ in range(sets):
        values = np.stack([rng.normal(difference, 1, units), np.zeros(units)])[:, :, None]
        found += randomisation_tests(values, mean_of_units(units))[0, 1] <= holm_level(systems)
    expected = power(difference, 1.0, units, holm_level(systems))
    assert abs(expected - found / sets) < 0.02 + 3 * math.sqrt(expected * (1 - expected) / sets)


def test_power_at_a_level_that_rounds_resolve_is_that_of_the_noncentral_t():
    stats = pytest.importorskip("scipy.stats")
    for units, systems, errors in ((61, 3, 2.0), (200, 10, 4.0), (80, 4, 5.0)):
        level = math.floor(holm_level(systems) * 10_001) / 10_001
        critical = stats.t.isf(level / 2, units - 1)
        expected = stats.nct.sf(critical, units - 1, errors) + stats.nct.cdf(-critical, units - 1, errors)
        assert power(errors / math.sqrt(units), 1.0, units, holm_level(systems)) == pytest.approx(
            expected, abs=1e-4
        )


@pytest.mark.parametrize("units", [14, 15])
def test_a_power_that_no_difference_reaches_is_infinitely_far(units):
    # One of the 10,000 rounds keeps or swaps all 14 (or 15) units, so the smallest p is 2 / 10,001; the level is
    # 0.05 / 435 = 1.15 / 10,000. The search for the difference did not end.
    values = np.stack([np.arange(1.0, units + 1), np.zeros(units)])[:, :, None]
    least = randomisation_tests(values, mean_of_units(units))[0, 1]
    assert least_p(units) == least == 2 / 10_001 > holm_level(30)
    assert smallest_difference(1.0, units, holm_level(30)) == math.inf
    assert power(1e6, 1.0, units, holm_level(30)) == 0
    assert units_needed(30) == 16
