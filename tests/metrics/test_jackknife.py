"""Tests of the jackknife: its standard error, and Student's interval on an unbounded scale."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.metrics.jackknife import jackknife_error, jackknife_interval, student_quantile
from spokeneval.run.output import LARGEST


def test_the_interval_of_a_mean_is_the_text_book_one():
    # By scipy 1.17: t.interval(0.95, 4, 3.2, sem([1, 2, 3, 4, 6])). Squares about the mean are 4.84, 1.44, 0.04, 0.64
    # and 7.84, in all 14.8; 2 * 14.8**2 / (5/4 * 43.568) = 8.04 is no less than 4 degrees of freedom.
    values = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    without = (values.sum() - values) / 4
    ends = jackknife_interval(values.mean(), without, (-math.inf, math.inf))
    np.testing.assert_allclose(ends, (0.8116116119, 5.5883883881), rtol=0, atol=1e-9)
    np.testing.assert_allclose(jackknife_error(without), values.std(ddof=1) / math.sqrt(5), rtol=1e-12)


@pytest.mark.parametrize("bounds", [(-1.0, 1.0), (-1.0, math.inf), (2.0, 10.0), (0.0, 1.0)])
def test_an_interval_is_students_on_the_scale_without_ends(bounds):
    # By the formulas, with numpy: Satterthwaite's 2 (sum of squares)^2 / (12 times the squares' variance) is below 11.
    low, high = bounds

    def on_scale(x):
        return np.log((x - low) / (high - x)) if high < math.inf else np.log(x - low)

    def from_scale(z):
        return (low + high * np.exp(z)) / (1 + np.exp(z)) if high < math.inf else low + np.exp(z)

    score, without = (
        low + 0.7,
        low + np.array([0.3, 0.7, 0.75, 0.8, 0.72, 0.71, 0.69, 0.74, 0.7, 0.7, 0.7, 0.72]),
    )
    values = on_scale(without)
    squares = (values - values.mean()) ** 2
    freedom = 2 * squares.sum() ** 2 / (12 * squares.var(ddof=1))
    assert freedom < 11
    half = student_quantile(freedom) * math.sqrt(11 / 12 * squares.sum())
    expected = from_scale(on_scale(score) - half), from_scale(on_scale(score) + half)
    np.testing.assert_allclose(jackknife_interval(score, without, bounds), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("score", "without"),
    [(0.9, [0.8, 1.0, 0.9]), (1.0, [0.9, 0.99, 0.8]), (0.1, [0.0, 0.2, 0.1]), (0.9, [0.8, 1 + 2**-52, 0.9])],
)
def test_at_a_bound_the_interval_is_students_on_the_scores_own_scale(score, without):
    # The score may be at a bound, or one of those without a unit, or beyond it by rounding.
    low, high = jackknife_interval(score, np.array(without), (0.0, 1.0))
    least, most = jackknife_interval(score, np.array(without), (-math.inf, math.inf))
    assert (low, high) == (max(0.0, least), min(1.0, most))


def test_where_one_unit_makes_the_difference_there_are_few_degrees_of_freedom():
    # Squares about the mean 1/11 are ten of 1/121 and one of 100/121, in all 110/121, and differ from their own mean,
    # 10/121, by 8910/121**2: 2 * 110**2 / (11/10 * 8910) = 2.4691 degrees. By scipy 1.17 t.ppf(.975, 2.4691) is
    # 3.60683; the error is the root of 10/11 * 110/121, 10/11.
    without = np.append(np.zeros(10), 1.0)
    low, high = jackknife_interval(0.0, without, (-math.inf, math.inf))
    assert high == pytest.approx(3.6068276059 * 10 / 11, rel=1e-9) == -low


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


def test_an_end_is_within_the_bounds_and_small_enough_for_a_platform():
    few = np.array([1e-3, 1e3])
    low, high = jackknife_interval(1.0, few, (0.0, math.inf))
    assert 0 < low < high < LARGEST
    assert jackknife_interval(0.0, np.array([0.0, 0.5]), (0.0, 1.0)) == (0.0, 1.0)
    assert jackknife_interval(1.0, np.ones(12), (0.0, 1.0)) == (1.0, 1.0)
