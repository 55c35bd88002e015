"""Agreement of raters: worked cases, the definition in fractions, edge cases; the kind of ratings has scikit-learn."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from spokeneval.metrics.agreement import (
    RatingCells,
    cohen_kappa,
    krippendorff_alpha,
    rating_cells,
)
from spokeneval.metrics.counts import total
from tests.samples.raters import RATERS, SYSTEM, digits

EXACT = {"rtol": 0, "atol": 1e-12}


WEIGHTS = [None, "linear", "quadratic"]


# Ten items on the scale 1-5 on which nobody uses 3. By hand, linear: the differences are 1 0 1 1 0 2 0 0 0 0,
# sum 5; over all 100 pairs of a rating of A and one of B, |a - b| sums to 158; kappa = 1 - (5/10)/(158/100)
# = 54/79. Quadratic: squares sum to 7, over all pairs to 410; kappa = 1 - (7/10)/(410/100) = 34/41.
# Between indexes (4 -> 3, 5 -> 4), as in scikit-learn, the sums are 4 and 108, 4 and 190: 17/27 and 15/19.
UNUSED_A = [1, 5, 2, 5, 4, 4, 2, 4, 1, 2]


UNUSED_B = [2, 5, 1, 4, 4, 2, 2, 4, 1, 2]


def brute_force_kappa(a, b, weights):
    def disagreement(x, y):
        distance = abs(Fraction(x) - Fraction(y))
        return {None: int(distance > 0), "linear": distance, "quadratic": distance**2}[weights]

    observed = Fraction(sum(map(disagreement, a, b)), len(a))
    chance = Fraction(sum(disagreement(x, y) for x, y in product(a, b)), len(a) ** 2)
    return float(1 - observed / chance)


@pytest.mark.parametrize("scale", [(1, 5), None])
@pytest.mark.parametrize(("weights", "expected"), [("linear", 54 / 79), ("quadratic", 34 / 41)])
def test_kappa_measures_between_ratings_where_one_is_unused(weights, expected, scale):
    np.testing.assert_allclose(
        cohen_kappa(UNUSED_A, UNUSED_B, weights=weights, scale=scale), expected, **EXACT
    )


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_real_valued_ratings_equals_its_definition(weights):
    rng = np.random.default_rng(2)
    for _ in range(40):
        grid = rng.normal(size=5)
        a, b = rng.choice(grid, size=(2, 9))
        a[:2] = grid[:2]
        expected = brute_force_kappa(a, b, weights)
        np.testing.assert_allclose(cohen_kappa(a, b, weights=weights), expected, **EXACT)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_integer_ratings_is_the_exact_quotient_rounded_once(weights):
    rng = np.random.default_rng(12)
    for _ in range(100):
        a, b = rng.integers(1, 6, size=(2, int(rng.integers(2, 12)))).tolist()
        a[0], b[0] = 1, 5
        assert cohen_kappa(a, b, weights=weights, scale=(1, 5)) == brute_force_kappa(a, b, weights)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_constant_raters(weights):
    assert cohen_kappa([3, 3, 3], [3, 3, 3], weights=weights, scale=(1, 5)) == 1.0
    for other in ([4, 4, 4], [1, 4, 4]):
        np.testing.assert_allclose(cohen_kappa([3, 3, 3], other, weights=weights, scale=(1, 5)), 0, **EXACT)
    np.testing.assert_allclose(
        cohen_kappa([1, 5, 1, 5], [5, 1, 5, 1], weights=weights, scale=(1, 5)), -1, **EXACT
    )


def test_kappa_refuses_bad_ratings_and_options():
    with pytest.raises(ValueError, match=r"hypothesis must be integers from 1 to 5, got 2\.5 at index 1"):
        cohen_kappa([1, 2], [1, 2.5], scale=(1, 5))
    with pytest.raises(ValueError, match=r"reference must be integers from 1 to 5, got 6 at index 0"):
        cohen_kappa([6, 2], [1, 2], scale=(1, 5))
    with pytest.raises(ValueError, match="weights must be None, 'linear' or 'quadratic', got 'squared'"):
        cohen_kappa([1, 2], [1, 2], weights="squared")
    for scale in ((5, 1), (2, 2), (0.5, 3), (1, 2.5)):
        with pytest.raises(
            ValueError, match=re.escape(f"scale must be two integers low < high, got {scale}")
        ):
            cohen_kappa([1, 2], [1, 2], scale=scale)


def pooled_pairs(raters):
    pairs = [rating_cells(one, other, scale=(1, 5)) for one, other in combinations(raters, 2)]
    return RatingCells(sum(total(cells).cells for cells in pairs))


def test_krippendorffs_alpha_is_that_of_an_independent_library():
    without = krippendorff_alpha(pooled_pairs(digits(*RATERS)), raters=3)
    with_system = krippendorff_alpha(pooled_pairs(digits(*RATERS, SYSTEM)), raters=4)
    np.testing.assert_allclose([without, with_system], [0.750306522627864, 0.7666582564636962], **EXACT)


def test_alpha_of_classes_is_that_of_an_independent_library():
    library = pytest.importorskip("krippendorff")
    expected = library.alpha(digits(*RATERS), level_of_measurement="nominal")
    alpha = krippendorff_alpha(pooled_pairs(digits(*RATERS)), raters=3, ordinal=False)
    assert alpha == pytest.approx(expected, rel=0, abs=1e-12)


def test_cells_are_a_square_table_of_at_least_two_points():
    for shape in ((3,), (3, 4), (1, 1), (2, 3, 4), (3, 3, 2), (2, 2, 1, 1)):
        message = f"cells must have shape (..., k, k), k >= 2, not {shape}"
        with pytest.raises(ValueError, match=re.escape(message)):
            RatingCells(np.zeros(shape))
    with pytest.raises(ValueError, match="shape"):
        RatingCells(np.zeros((5, 5))) + RatingCells(np.zeros((4, 4)))
