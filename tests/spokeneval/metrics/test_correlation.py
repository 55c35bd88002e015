"""Tests of correlations: moments and the limits of doubles; the tests of the kind of scores compare them with scipy."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.metrics.agreement import kappa, rating_cells
from spokeneval.metrics.correlation import (
    CorrelationMoments,
    PartialMoments,
    UndefinedCorrelation,
    concordance,
    correlation,
    correlation_moments,
    partial_correlation,
    partial_moments,
    partial_r,
    pearson_r,
    rating_moments,
)
from spokeneval.metrics.counts import taken, total

EXACT = {"rtol": 0, "atol": 1e-12}


@pytest.mark.parametrize("size", [1e200, 1e-200, -1e307])
@pytest.mark.parametrize("offset", [0, 1, -8])
def test_correlations_survive_any_size_and_offset(size, offset):
    rng = np.random.default_rng(5)
    x, y, z = rng.integers(1, 5, size=(3, 40)).astype(float)
    moved = (y + offset) * size
    np.testing.assert_allclose(pearson_r(x, moved), np.sign(size) * pearson_r(x, y), **EXACT)
    np.testing.assert_allclose(partial_r(x, moved, z), np.sign(size) * partial_r(x, y, z), **EXACT)
    np.testing.assert_allclose(pearson_r(x, y + 1e9), pearson_r(x, y), **EXACT)


def test_moments_of_resampled_items_have_the_partial_correlation_of_these_items():
    rng = np.random.default_rng(10)
    for size in (1, 1e-8, 1e9):
        human, words = rng.integers(1, 5, 60), rng.integers(20, 100, 60)
        predictions = size * (7 + human + 0.1 * words + rng.normal(size=60))
        moments = partial_moments(human, predictions, words)
        for _ in range(20):
            drawn = rng.integers(0, 60, 60)
            expected = partial_r(human[drawn], predictions[drawn], words[drawn])
            np.testing.assert_allclose(partial_correlation(total(taken(moments, drawn))), expected, **EXACT)
        words[:6] = 50
        moments = partial_moments(human, predictions, words)
        with pytest.raises(UndefinedCorrelation, match="control is constant"):
            partial_correlation(total(taken(moments, np.arange(6))))


@pytest.mark.parametrize("scale", [1, 1e-8, 1e9])
def test_r_of_moments_is_that_of_the_variables(scale):
    rng = np.random.default_rng(2)
    x, y = rng.integers(1, 5, 40), scale * (7 + rng.normal(size=40))
    y[30:] = y[30]
    moments, swapped = correlation_moments(x, y), correlation_moments(y, x)
    for chosen in (np.arange(40), np.arange(20), rng.integers(0, 40, 40)):
        found = correlation(total(taken(moments, chosen)))
        np.testing.assert_allclose(found, pearson_r(x[chosen], y[chosen]), **EXACT)
    constant = np.arange(30, 40)
    with pytest.raises(UndefinedCorrelation, match="predictions is constant"):
        correlation(total(taken(moments, constant)))
    with pytest.raises(UndefinedCorrelation, match="reference is constant"):
        correlation(total(taken(swapped, constant)))
    with pytest.raises(UndefinedCorrelation, match="predictions is constant"):
        correlation(total(correlation_moments(x, np.full(40, 2.7))))


def test_what_rounding_leaves_of_a_variable_is_set_to_zero():
    words = np.random.default_rng(11).integers(20, 100, 50)
    moments = partial_moments(words / 7, 3 - 0.1 * words, words)
    assert not moments.x.any()
    assert not moments.y.any()
    assert moments.z.any()


@pytest.mark.parametrize(("e", "varies"), [(2e-6, True), (5e-7, False)])
def test_a_variable_varies_where_it_does_by_a_millionth(e, varies):
    # With u = (1, 1, -1, -1) and z = (1, -1, 1, -1): 1 + e u varies by e, and of z + e u the control leaves e u.
    # Their squares sum to 4 (1 + e^2), and their correlations with themselves are 1.
    square = 4 * (1 + e * e)
    for formula, moments in (
        (correlation, CorrelationMoments(4, 4, 4, square, square, square)),
        (partial_correlation, PartialMoments(4, 4, 4, 0, square, square, 4, square, 0, 0)),
        (partial_correlation, PartialMoments(4, 0, 0, 0, square, square, 4, square, 4, 4)),
    ):
        if varies:
            np.testing.assert_allclose(formula(moments), 1, **EXACT)
        else:
            with pytest.raises(UndefinedCorrelation, match="reference is constant"):
                formula(moments)


def test_what_a_control_leaves_is_no_rounding_from_1e_10_of_a_variable_on():
    u, z = np.array([1, 1, -1, -1]), np.array([1, -1, 1, -1])
    assert partial_moments(z + 1e-9 * u, u, z).x.any()
    assert not partial_moments(z + 1e-11 * u, u, z).x.any()


@pytest.mark.parametrize(
    ("formula", "variables", "message"),
    [
        (pearson_r, ([1, 2, 3], [2, 2, 2]), "predictions is constant"),
        (pearson_r, ([0.1, 0.1], [1, 2]), "reference is constant"),
        (partial_r, ([1, 2, 3], [2, 1, 3], [7, 7, 7]), "control is constant"),
        (partial_r, ([1, 2, 2, 4], [0.1, 0.3, 0.7, 0.9], [1, 3, 7, 9]), "predictions is .* of the control"),
        (partial_r, ([1, 2, 3, 4], [1, 5, 2, 2], [40, 30, 20, 10]), "reference is .* of the control"),
    ],
)
def test_undefined_correlations_are_refused(formula, variables, message):
    with pytest.raises(UndefinedCorrelation, match=message):
        formula(*variables)


def test_a_perfect_correlation_is_exactly_within_bounds():
    rng = np.random.default_rng(6)
    for _ in range(200):
        x, z = rng.normal(size=(2, 7))
        assert pearson_r(x, x) == partial_r(x, x, z) == 1
        assert 1 - 1e-12 < pearson_r(x, 3 * x + 1) <= 1
        assert -1 <= pearson_r(x, -x) < -1 + 1e-12


def test_concordance_of_whole_ratings_is_quadratic_kappa_to_the_last_bit():
    rng = np.random.default_rng(6)
    for n in [1, 2, 5, 50, 3000]:
        for _ in range(10):
            first, second = rng.integers(0, rng.integers(1, 31), (2, n))
            cells = total(rating_cells(first, second, scale=(0, 30)))
            found = concordance(total(rating_moments(first, second)))
            assert found == kappa(cells, weights="quadratic")
    assert concordance(total(rating_moments([7, 7], [7, 7]))) == 1
    with pytest.raises(ValueError, match="undefined"):
        concordance(CorrelationMoments(0, 0, 0, 0, 0, 0))
