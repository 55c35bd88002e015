"""Tests of the jackknife: its standard error, and its intervals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.metrics.jackknife import (
    jackknife_error,
    jackknife_interval,
    jackknife_p,
)
from spokeneval.scoring.output import LARGEST
from tests.samples.freedom import degrees_of_freedom


def test_the_interval_of_a_mean_is_the_text_book_one():
    # By scipy 1.17: t.interval(0.95, 4, 3.2, sem([1, 2, 3, 4, 6])). Squares about the mean are 4.84, 1.44, 0.04, 0.64
    # and 7.84, in all 14.8; by scipy 1.17, the unbiased kurtosis is -0.022, so there are 4 degrees of freedom.
    values = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    without = (values.sum() - values) / 4
    ends = jackknife_interval(values.mean(), without, (-math.inf, math.inf))
    np.testing.assert_allclose(ends, (0.8116116119, 5.5883883881), rtol=0, atol=1e-9)
    np.testing.assert_allclose(jackknife_error(without), values.std(ddof=1) / math.sqrt(5), rtol=1e-12)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (2.0, 10.0), (0.0, math.inf), (-1.0, math.inf)])
@pytest.mark.parametrize(
    ("share", "without"),
    [
        (0.7, [0.6, 0.7, 0.75, 0.8, 0.72, 0.71, 0.69, 0.74, 0.7, 0.7, 0.7, 0.72]),
        (0.9, [0.8, 1.0, 0.9]),
        (1.0, [0.9, 0.99, 0.8]),
        (0.0, [0.0] * 9),
        (0.5, [0.5] * 9),
        (0.995, [0.9943] * 7 + [1.0]),
    ],
)
def test_an_interval_is_the_exact_one_of_so_many_observations(share, without, bounds):
    # By scipy: Clopper and Pearson's ends, or Garwood's of a Poisson mean, of as many observations as have the variance
    # of the jackknife; fewer by the ratio of the quantiles of the normal distribution and Student's, 1.959965 and t.
    stats = pytest.importorskip("scipy.stats")
    low, high = bounds
    scale, units, without = min(high - low, 1e9) if high < math.inf else 1, len(without), np.array(without)
    one = share if high == math.inf else share * (1 - share)
    variance = (units - 1) / units * ((without - without.mean()) ** 2).sum()
    t = stats.t.ppf(0.975, degrees_of_freedom(without))
    size = one / variance * (stats.norm.ppf(0.975) / t) ** 2 if one and variance else units
    errors, right = share * size, (1 - share) * size
    if high == math.inf:
        expected = stats.gamma.ppf([0.025, 0.975], [errors or 1, errors + 1]) / size * [bool(errors), 1]
    else:
        expected = [stats.beta.ppf(0.025, errors, right + 1), stats.beta.ppf(0.975, errors + 1, right)]
        expected = [expected[0] if errors else 0, expected[1] if right else 1]
    found = jackknife_interval(low + scale * share, low + scale * without, bounds, bias=0)
    np.testing.assert_allclose(found, low + scale * np.array(expected), rtol=1e-5)
    assert found[0] < found[1]


@pytest.mark.parametrize("bias", [2, 4])
def test_the_end_in_the_direction_of_the_population_is_moved_by_the_bias(bias):
    # The bias is 3 (mean - 0.2): -0.03, 0.09 and 0. An end is at most the bound.
    for without, lowered, raised in (
        ([0.16, 0.18, 0.2, 0.22], 0, 0.03 * bias),
        ([0.2, 0.22, 0.24, 0.26], 0.09 * bias, 0),
        ([0.1, 0.3, 0.15, 0.25], 0, 0),
        ([0.0] * 4, 0, 1),
    ):
        plain, moved = (
            jackknife_interval(0.2, np.array(without), (0.0, 1.0), bias=each) for each in (0, bias)
        )
        expected = max(plain[0] - lowered, 0), min(plain[1] + raised, 1)
        np.testing.assert_allclose(moved, expected, rtol=1e-12)


def test_where_one_unit_makes_the_difference_there_are_few_degrees_of_freedom():
    # By scipy 1.17, the unbiased kurtosis is 11, and 2 / (2 / 10 + 11 / 11) degrees are fewer than 2; t.ppf(.975, 2) is
    # 4.30265. The error is the root of 10/11 * 110/121, 10/11.
    without = np.append(np.zeros(10), 1.0)
    low, high = jackknife_interval(0.0, without, (-math.inf, math.inf))
    assert high == pytest.approx(4.3026527297 * 10 / 11, rel=1e-9) == -low


def test_three_units_have_two_degrees_of_freedom_and_two_have_one():
    # Three values always have the same kurtosis, so it shows nothing; t.ppf(.975, 1) is 12.7062.
    _, high = jackknife_interval(0.0, np.array([0.0, 0.0, 3.0]), (-math.inf, math.inf))
    assert high == pytest.approx(4.3026527297 * 2, rel=1e-9)
    _, high = jackknife_interval(0.0, np.array([-1.0, 1.0]), (-math.inf, math.inf))
    assert high == pytest.approx(12.7062047362, rel=1e-9)


def test_p_of_a_large_difference_of_many_units_is_0():
    without = np.tile([1.0, -1.0], 5_000) / 10_000
    assert jackknife_p(200.0, 200 + without) < 3e-14


def test_an_end_is_within_the_bounds_and_small_enough_for_a_platform():
    few = np.array([1e-3, 1e3])
    low, high = jackknife_interval(1.0, few, (0.0, math.inf))
    assert 0 <= low < high < LARGEST
    low, high = jackknife_interval(0.0, np.array([0.0, 0.5]), (0.0, 1.0))
    assert (low, high < 1) == (0.0, True)
    assert jackknife_interval(1e-9, np.array([0.0, 5.0]), (0.0, math.inf))[1] < LARGEST


def test_scores_that_differ_in_rounding_only_do_not_vary():
    thirds = 1 / 3 + 1 / 3 + np.full(11, 1 / 3)
    for score in (1.0, 0.7):
        without = score - thirds * np.array([0.0, 1e-16] * 5 + [0.0])
        assert jackknife_interval(score, without, (0, 1)) == pytest.approx(
            jackknife_interval(score, np.full(11, score), (0, 1)), abs=1e-9
        )
