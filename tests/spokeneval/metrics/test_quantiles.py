"""Tests of quantiles and probabilities against scipy's."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.metrics.quantiles import exact_ends, student_quantile, student_t_below


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


@pytest.mark.parametrize("size", [0.5, 1, 2, 24.3, 100, 12345.6, 1e6])
@pytest.mark.parametrize("share", [0.01, 0.3, 0.5, 0.9, 0.9999])
def test_exact_ends_are_quantiles_of_the_beta_and_the_gamma_distribution(size, share):
    stats = pytest.importorskip("scipy.stats")
    errors, right = share * size, (1 - share) * size
    low, high = exact_ends(share, size)
    assert low == pytest.approx(stats.beta.ppf(0.025, errors, right + 1), rel=1e-10, abs=1e-300)
    assert 1 - high == pytest.approx(stats.beta.ppf(0.025, right, errors + 1), rel=1e-10, abs=1e-15)
    ends = stats.gamma.ppf([0.025, 0.975], [errors, errors + 1]) / size
    assert exact_ends(share, size, rates=True) == pytest.approx(ends, rel=1e-10)


@pytest.mark.parametrize("share", [1e-9, 0.5, 1 - 1e-9])
def test_ends_of_any_number_of_observations_are_found_at_once(share):
    for rates in (False, True):
        low, high = exact_ends(share, 1e300, rates=rates)
        assert (low, high) == exact_ends(share, 1e8, rates=rates)
        assert low < share < high < share + 1e-3


def test_without_errors_an_end_is_the_bound():
    # 0 of n: 1 - 0.025^(1/n), and -log(0.025) / n.
    assert exact_ends(0.0, 24) == (0.0, pytest.approx(1 - 0.025 ** (1 / 24), rel=1e-12))
    assert exact_ends(1.0, 24) == (pytest.approx(0.025 ** (1 / 24), rel=1e-12), 1.0)
    assert exact_ends(0.0, 24, rates=True) == (0.0, pytest.approx(-np.log(0.025) / 24, rel=1e-12))


def test_ends_of_a_nearly_perfect_share_are_exact():
    # Clopper and Pearson by scipy 1.17: beta.ppf(.025, x, m - x + 1) with m = 1e7 and x = m - 1.
    assert exact_ends(1 - 1e-7, 1e7)[0] == pytest.approx(1 - 5.571642e-07, abs=1e-12)
