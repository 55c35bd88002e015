"""Tests of the jackknife: its standard error, and Student's interval on an unbounded scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.metrics.jackknife import (
    jackknife_error,
    jackknife_interval,
    jackknife_p,
    student_quantile,
    student_t_below,
)
from spokeneval.run.output import LARGEST
from tests.samples.freedom import degrees_of_freedom


def test_the_interval_of_a_mean_is_the_text_book_one():
    # By scipy 1.17: t.interval(0.95, 4, 3.2, sem([1, 2, 3, 4, 6])). Squares about the mean are 4.84, 1.44, 0.04, 0.64
    # and 7.84, in all 14.8; by scipy 1.17, the unbiased kurtosis is -0.022, so there are 4 degrees of freedom.
    values = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    without = (values.sum() - values) / 4
    ends = jackknife_interval(values.mean(), without, (-math.inf, math.inf))
    np.testing.assert_allclose(ends, (0.8116116119, 5.5883883881), rtol=0, atol=1e-9)
    np.testing.assert_allclose(jackknife_error(without), values.std(ddof=1) / math.sqrt(5), rtol=1e-12)


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (2.0, 10.0), (0.0, 1.0)])
def test_an_interval_is_students_on_the_scale_without_ends(bounds):
    # By the formulas, with numpy and scipy's kurtosis.
    low, high = bounds

    def on_scale(x):
        return np.log((x - low) / (high - x))

    def from_scale(z):
        return (low + high * np.exp(z)) / (1 + np.exp(z))

    score, without = (
        low + 0.7,
        low + np.array([0.6, 0.7, 0.75, 0.8, 0.72, 0.71, 0.69, 0.74, 0.7, 0.7, 0.7, 0.72]),
    )
    values = on_scale(without)
    squares = (values - values.mean()) ** 2
    freedom = degrees_of_freedom(values)
    assert 2 < freedom < 11
    half = student_quantile(freedom) * math.sqrt(11 / 12 * squares.sum())
    expected = from_scale(on_scale(score) - half), from_scale(on_scale(score) + half)
    found = jackknife_interval(score, without, bounds, times=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (0.0, 100.0)])
@pytest.mark.parametrize(
    ("share", "without"),
    [
        (0.9, [0.8, 1.0, 0.9]),
        (1.0, [0.9, 0.99, 0.8]),
        (0.1, [0.0, 0.2, 0.1]),
        (0.9, [0.8, 1 + 2**-52, 0.9]),
        (1.0, [1.0] * 9),
        (0.0, [0.0] * 9),
        (0.995, [0.9943] * 7 + [1.0]),
    ],
)
def test_at_a_bound_the_interval_is_wilsons_with_the_effective_sample_size(share, without, bounds):
    # The ends are the shares whose own standard error puts the share t errors away: (share - x)^2 = t^2 x (1 - x) / n.
    low, high = bounds
    without, units = np.array(without), len(without)
    squares = (without - without.mean()) ** 2
    freedom, size = degrees_of_freedom(without), units
    if squares.any() and 0 < share < 1:
        size = share * (1 - share) / ((units - 1) / units * squares.sum())
    square = student_quantile(freedom) ** 2 / size
    roots = sorted(np.roots([1 + square, -2 * share - square, share**2]).real)
    expected = low + (high - low) * np.array(roots)
    found = jackknife_interval(low + (high - low) * share, low + (high - low) * without, bounds, times=0)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7 * (high - low))
    assert found[0] < found[1]


def test_without_an_upper_bound_the_upper_end_is_wilsons_for_rare_errors():
    # The variance of a score x is x times that of the score itself per unit of score, (error^2 / score): the upper end
    # is the larger root of (score - x)^2 = t^2 x (error^2 / score). Lower ends are Student's on the score's own scale.
    for whole, score, without in (
        (1, 0.1, [0.0, 0.2, 0.1]),
        (100, 10, [0.0, 20.0, 10.0]),
        (1, 5.0, [0.0, 7, 6, 7]),
        (1, 0.5, [0.4, 0.45, 0.5, 0.52, 0.56, 0.57]),
    ):
        n, without = len(without), np.array(without)
        freedom = degrees_of_freedom(without)
        error = jackknife_error(without)
        low, high = jackknife_interval(score, without, (0.0, math.inf), whole=whole, times=0)
        t = student_quantile(max(freedom, min(3, n - 1)))
        roots = np.roots([1, -2 * score - (t * error) ** 2 / score, score**2])
        assert low == pytest.approx(max(0.0, score - student_quantile(freedom) * error), rel=1e-9)
        assert high == pytest.approx(max(roots), rel=1e-9)
        moved = jackknife_interval(score - 1, without - 1, (-1.0, math.inf), whole=whole, times=0)
        assert moved == pytest.approx((low - 1, high - 1), rel=1e-9)


def test_a_variance_that_no_unit_shows_widens_the_interval():
    # The errors' squares and the unseen variance add up.
    without, half = np.array([2.0, 2.2, 1.9, 2.4]), []
    for unseen in (0.0, 0.5):
        low, high = jackknife_interval(2.1, without, (-math.inf, math.inf), unseen=unseen)
        np.testing.assert_allclose(high - 2.1, 2.1 - low, rtol=1e-12)
        half.append(high - 2.1)
    squares = (without - without.mean()) ** 2
    t = student_quantile(degrees_of_freedom(without))
    np.testing.assert_allclose(half, t * np.sqrt(3 / 4 * squares.sum() + np.array([0, 0.5])), rtol=1e-12)


@pytest.mark.parametrize("times", [2, 4])
def test_the_end_in_the_direction_of_the_population_is_moved_by_the_bias(times):
    # The bias is 3 (mean - 0.2): -0.03, 0.09 and 0. An end is at most the bound.
    for without, lowered, raised in (
        ([0.16, 0.18, 0.2, 0.22], 0, 0.03 * times),
        ([0.2, 0.22, 0.24, 0.26], 0.09 * times, 0),
        ([0.1, 0.3, 0.15, 0.25], 0, 0),
        ([0.0] * 4, 0, 1),
    ):
        plain, moved = (
            jackknife_interval(0.2, np.array(without), (0.0, 1.0), times=each) for each in (0, times)
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


def test_students_quantile_is_that_of_scipy():
    # By scipy 1.17: t.ppf(.975, freedom).
    expected = {
        1: 12.7062047362,
        1.5: 6.0166631044,
        2: 4.3026527297,
        3.7: 2.8675207072,
        24: 2.0638985616,
        49_238: 1.9600121654,
    }
    for freedom, quantile in expected.items():
        assert student_quantile(freedom) == pytest.approx(quantile, rel=0, abs=5e-10)


@pytest.mark.parametrize("freedom", [1, 2, 2.5, 7.3, 99.9, 200, 201, 999, 1000, 1001, 1002, 20_000, 999_999])
def test_students_t_is_that_of_scipy_for_any_degrees_of_freedom(freedom):
    stats = pytest.importorskip("scipy.stats")
    t = np.concatenate([np.linspace(-12, 12, 481), [20, 50, 200, 1000]])
    found = student_t_below(t, np.full(t.shape, freedom))
    np.testing.assert_allclose(found, stats.t.cdf(t, freedom), rtol=0, atol=3e-14 if freedom != 2.5 else 1e-9)


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
