"""Agreement statistics: worked cases, scikit-learn and scipy as independent implementations, edge cases."""

from __future__ import annotations

import math
import re
from dataclasses import astuple, fields
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pytest

from spokeneval.metrics.agreement import (
    AnnotatorComparisons,
    CorrelationMoments,
    Differences,
    PartialMoments,
    RatingCells,
    SquaredErrors,
    UndefinedCorrelation,
    adjacent,
    advantage,
    annotator_comparisons,
    cohen_kappa,
    correlation,
    correlation_moments,
    difference_counts,
    differences,
    exact,
    kappa,
    krippendorff_alpha,
    mean_shift,
    partial_correlation,
    partial_moments,
    partial_r,
    pearson_r,
    prmse,
    rank_moments,
    rating_cells,
    rmse,
    root_mean_square,
    round_to_scale,
    squared_errors,
    standardised_mean_difference,
    winning_rate,
    within_half,
    within_one,
)
from spokeneval.metrics.counts import by_group, taken, total

EXACT = {"rtol": 0, "atol": 1e-12}
WEIGHTS = [None, "linear", "quadratic"]

# Ten items on the scale 1-5 on which nobody uses 3. By hand, linear: the differences are 1 0 1 1 0 2 0 0 0 0,
# sum 5; over all 100 pairs of a rating of A and one of B, |a - b| sums to 158; kappa = 1 - (5/10)/(158/100)
# = 54/79. Quadratic: squares sum to 7, over all pairs to 410; kappa = 1 - (7/10)/(410/100) = 34/41.
# Between indexes (4 -> 3, 5 -> 4) the sums are 4 and 108, 4 and 190: 17/27 and 15/19.
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
    assert round(54 / 79, 6) == 0.683544
    assert round(34 / 41, 6) == 0.829268
    np.testing.assert_allclose(
        cohen_kappa(UNUSED_A, UNUSED_B, weights=weights, scale=scale), expected, **EXACT
    )


@pytest.mark.parametrize(("weights", "expected"), [("linear", 0.629630), ("quadratic", 0.789474)])
def test_an_index_based_kappa_differs_where_a_rating_is_unused(weights, expected):
    metrics = pytest.importorskip("sklearn.metrics")
    between_indexes = metrics.cohen_kappa_score(UNUSED_A, UNUSED_B, weights=weights)
    assert round(between_indexes, 6) == expected
    assert abs(between_indexes - cohen_kappa(UNUSED_A, UNUSED_B, weights=weights)) > 0.03


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_equals_scikit_learn_on_a_full_label_set(weights):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    for _ in range(100):
        low, points = int(rng.integers(-2, 3)), int(rng.integers(2, 7))
        labels = np.arange(low, low + points)
        a, b = rng.choice(labels, size=(2, int(rng.integers(4, 60))))
        a[:2] = low, low + 1
        expected = metrics.cohen_kappa_score(a, b, labels=labels, weights=weights)
        found = cohen_kappa(a, b, weights=weights, scale=(low, low + points - 1))
        np.testing.assert_allclose(found, expected, **EXACT)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_real_valued_ratings_equals_its_definition(weights):
    rng = np.random.default_rng(2)
    for _ in range(40):
        grid = rng.normal(size=5)
        a, b = rng.choice(grid, size=(2, 9))
        a[:2] = grid[:2]
        expected = brute_force_kappa(a, b, weights)
        np.testing.assert_allclose(cohen_kappa(a, b, weights=weights), expected, **EXACT)


def test_of_two_real_ratings_kappa_is_the_same_with_all_weights_to_the_last_digit():
    p, q = -0.9, -0.8
    a, b = [p, p, q, p, q], [p, q, q, p, p]  # 2 of 5 differ, by chance 12 of 25
    assert {cohen_kappa(a, b, weights=weights) for weights in WEIGHTS} == {1 / 6}


def test_the_lowest_kappa_of_real_ratings_is_exactly_minus_one():
    assert cohen_kappa([-0.9, 0.0] * 3, [0.0, -0.9] * 3, weights="linear") == -1


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_ignores_order_rater_order_shift_and_size(weights):
    rng = np.random.default_rng(3)
    a, b = rng.integers(1, 6, size=(2, 50))
    expected = cohen_kappa(a, b, weights=weights)
    order = rng.permutation(50)
    for x, y in [
        (a[order], b[order]),
        (b, a),
        (a + 1e9, b + 1e9),
        (a * 1e300, b * 1e300),
        (a * 1e-300, b * 1e-300),
    ]:
        np.testing.assert_allclose(cohen_kappa(x, y, weights=weights), expected, **EXACT)


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


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_integer_ratings_is_the_exact_quotient_rounded_once(weights):
    rng = np.random.default_rng(12)
    for _ in range(100):
        a, b = rng.integers(1, 6, size=(2, int(rng.integers(2, 12))))
        a[0], b[0] = 1, 5

        def disagreement(x, y):
            return {None: int(x != y), "linear": abs(x - y), "quadratic": (x - y) ** 2}[weights]

        observed = sum(map(disagreement, a.tolist(), b.tolist()))
        chance = sum(disagreement(x, y) for x, y in product(a.tolist(), b.tolist()))
        expected = float(1 - Fraction(observed * len(a), chance))
        assert cohen_kappa(a, b, weights=weights, scale=(1, 5)) == expected


def drawn_cells(rng, sets, points=5):
    """Tables of ratings, some with no item, some with one and the same rating throughout."""
    tables = rng.integers(0, 4, (sets, points, points)) * rng.integers(0, 2, (sets, points, points))
    tables[:5] = 0
    tables[5:10] = 0
    tables[5:10, 2, 2] = 7
    return RatingCells(tables)


RATES = {
    "exact agreement": exact,
    "adjacent agreement": adjacent,
    "alpha": lambda cells: krippendorff_alpha(cells, raters=2),
    "kappa": kappa,
    "kappa, linear": lambda cells: kappa(cells, weights="linear"),
    "kappa, quadratic": lambda cells: kappa(cells, weights="quadratic"),
}


@pytest.mark.parametrize("name", RATES)
def test_rates_of_many_tables_are_those_of_each(name):
    rate, undefined = RATES[name], f"^{name.partition(',')[0]} is undefined: nothing to divide by$"
    rows = drawn_cells(np.random.default_rng(13), 200)
    found = rate(rows)
    halves = rate(RatingCells(rows.cells.reshape(2, 100, 5, 5)))
    np.testing.assert_array_equal(halves, found.reshape(2, 100))
    assert np.isnan(found).tolist() == [True] * 5 + [False] * 195
    assert found[5:10].tolist() == [1] * 5
    for row, table in enumerate(rows.cells):
        if row < 5:
            with pytest.raises(ValueError, match=undefined):
                rate(RatingCells(table))
        else:
            assert rate(RatingCells(table)) == found[row]
            assert type(rate(RatingCells(table))) is float
    assert rate(RatingCells(rows.cells.astype(float))).tolist()[5:] == found.tolist()[5:]  # a resample's sums


@pytest.mark.parametrize("weights", WEIGHTS)
def test_kappa_of_added_up_cells_is_that_of_the_ratings(weights):
    rng = np.random.default_rng(2)
    for _ in range(100):
        first, second = rng.integers(1, 6, (2, rng.integers(1, 12)))
        cells = rating_cells(first, second, scale=(1, 5))
        assert cells.cells.shape == (len(first), 5, 5)
        expected = cohen_kappa(first, second, weights=weights, scale=(1, 5))
        assert kappa(total(cells), weights=weights) == expected
        halves = (
            rating_cells(first[half], second[half], scale=(1, 5))
            for half in (first < 3, first >= 3)
            if half.any()
        )
        assert (
            kappa(total(RatingCells(np.concatenate([half.cells for half in halves]))), weights=weights)
            == expected
        )
        np.testing.assert_allclose(cohen_kappa(first, second, weights=weights), expected, **EXACT)


def test_kappa_refuses_bad_cells_and_weights():
    with pytest.raises(ValueError, match="weights must be None, 'linear' or 'quadratic', got 'squared'"):
        kappa(RatingCells(np.eye(3)), weights="squared")
    with pytest.raises(ValueError, match="cells is -1"):
        RatingCells(np.array([[1, 0], [-1, 2]]))
    for shape in ((3,), (3, 4), (1, 1), (2, 3, 4), (3, 3, 2), (2, 2, 1, 1)):
        message = f"cells must have shape (..., k, k), k >= 2, not {shape}"
        with pytest.raises(ValueError, match=re.escape(message)):
            RatingCells(np.zeros(shape))
    assert RatingCells(np.zeros((1, 1, 2, 2))).cells.shape == (1, 1, 2, 2)


def test_differences_count_agreement_and_pool():
    first = total(rating_cells([1, 2, 3, 5], [1, 3, 5, 1], scale=(1, 5)))
    second = total(rating_cells([4, 4], [4, 4], scale=(1, 5)))
    assert difference_counts(first).tolist() == [1, 1, 1, 0, 1]
    assert (exact(first), adjacent(first)) == (1 / 4, 2 / 4)
    assert difference_counts(first + second).tolist() == [3, 1, 1, 0, 1]
    assert exact(first + second) == 3 / 6
    both = RatingCells(np.stack([first.cells, second.cells]))
    assert difference_counts(both).tolist() == [[1, 1, 1, 0, 1], [2, 0, 0, 0, 0]]
    with pytest.raises(ValueError, match=r"got 1\.5 at index 1"):
        rating_cells([1, 1.5], [1, 1], scale=(1, 5))
    with pytest.raises(ValueError, match="shape"):
        first + RatingCells(np.zeros((4, 4)))


def test_pearson_r_equals_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(4)
    for n in [3, 4, 20, 500]:
        for _ in range(20):
            x = rng.integers(1, 5, size=n).astype(float)
            x[:2] = 1, 4
            y = 0.3 * x + rng.normal(size=n)
            np.testing.assert_allclose(pearson_r(x, y), stats.pearsonr(x, y).statistic, **EXACT)


def test_pearson_r_by_hand():
    # x - 2.5 = -1.5 -.5 .5 1.5, y - 2.5 = -.5 -1.5 1.5 .5: sum of products 3, of squares 5 and 5.
    np.testing.assert_allclose(pearson_r([1, 2, 3, 4], [2, 1, 4, 3]), 3 / 5, **EXACT)


@pytest.mark.parametrize("size", [1e200, 1e-200, -1e307])
@pytest.mark.parametrize("offset", [0, 1, -8])
def test_correlations_survive_any_size_and_offset(size, offset):
    rng = np.random.default_rng(5)
    x, y, z = rng.integers(1, 5, size=(3, 40)).astype(float)
    moved = (y + offset) * size
    np.testing.assert_allclose(pearson_r(x, moved), np.sign(size) * pearson_r(x, y), **EXACT)
    np.testing.assert_allclose(partial_r(x, moved, z), np.sign(size) * partial_r(x, y, z), **EXACT)
    np.testing.assert_allclose(pearson_r(x, y + 1e9), pearson_r(x, y), **EXACT)


def test_correlations_do_not_depend_on_the_order_of_the_items_even_in_the_last_digit():
    rng = np.random.default_rng(10)
    for _ in range(50):
        scores, words = rng.integers(1, 5, size=100), rng.integers(1, 200, size=100)
        predictions = np.round(scores + rng.normal(size=100), 4)
        order = rng.permutation(100)
        assert pearson_r(scores[order], predictions[order]) == pearson_r(scores, predictions)
        assert partial_r(scores[order], predictions[order], words[order]) == partial_r(
            scores, predictions, words
        )
        assert rmse(scores[order], predictions[order]) == rmse(scores, predictions)


def test_a_perfect_correlation_is_exactly_within_bounds():
    rng = np.random.default_rng(6)
    for _ in range(200):
        x = rng.normal(size=7)
        assert 1 - 1e-12 < pearson_r(x, 3 * x + 1) <= 1
        assert -1 <= pearson_r(x, -x) < -1 + 1e-12


def test_one_outlying_prediction_of_1e200_still_has_a_correlation():
    # Next to 1e200 the other predictions are all the same: r is that with an indicator of the last item,
    # x = 1 2 3 4 against 0 0 0 1: centred products 1.5, squares 5 and 3/4.
    np.testing.assert_allclose(pearson_r([1, 2, 3, 4], [1, 2, 3, 1e200]), 1.5 / np.sqrt(5 * 0.75), **EXACT)


def test_partial_r_equals_the_closed_form():
    rng = np.random.default_rng(7)
    for _ in range(100):
        x, y, z = rng.normal(size=(3, int(rng.integers(5, 80))))
        x, y = x + z, y - 0.5 * z + 0.7 * x
        xy, xz, yz = np.corrcoef([x, y, z])[[0, 0, 1], [1, 2, 2]]
        expected = (xy - xz * yz) / np.sqrt((1 - xz**2) * (1 - yz**2))
        np.testing.assert_allclose(partial_r(x, y, z), expected, **EXACT)


def test_partial_r_by_hand():
    # All sums of squares are 4 about the mean 0: r_xy = 1/2, r_xz = 1/2, r_yz = 0 -> (1/2) / sqrt(3/4).
    x, y, z = [1, 1, -1, -1, 0, 0, 0, 0], [1, 0, 0, -1, 1, -1, 0, 0], [1, 0, -1, 0, -1, 0, 1, 0]
    assert np.dot(x, y) == 2
    assert np.dot(x, z) == 2
    assert np.dot(y, z) == 0
    np.testing.assert_allclose(partial_r(x, y, z), 1 / np.sqrt(3), **EXACT)


def test_identical_variables_correlate_to_exactly_one():
    rng = np.random.default_rng(8)
    for _ in range(100):
        x, z = rng.normal(size=(2, 9))
        assert pearson_r(x, x) == 1.0
        assert partial_r(x, x, z) == 1.0


def groups_of_moments():
    """Moments of 40 speakers, and the items of each; some speakers have one prediction throughout."""
    rng = np.random.default_rng(9)
    speaker = np.repeat(np.arange(40), 6)
    human, words = rng.integers(1, 5, 240), rng.integers(20, 100, 240) * 1.0
    predictions = human + rng.normal(size=240)
    predictions[speaker < 3] = 2.5
    words[(speaker >= 3) & (speaker < 6)] = 50
    return speaker, human, predictions, words


def test_correlations_of_many_sets_are_those_of_each():
    speaker, human, predictions, words = groups_of_moments()
    plain = by_group(correlation_moments(human, predictions), speaker, 40)
    partial = by_group(partial_moments(human, predictions, words), speaker, 40)
    for formula, rows, of_items in (
        (correlation, plain, lambda items: pearson_r(human[items], predictions[items])),
        (
            partial_correlation,
            partial,
            lambda items: partial_r(human[items], predictions[items], words[items]),
        ),
    ):
        found = formula(rows)
        assert found.shape == (40,)
        for row in range(40):
            one = type(rows)(*(field[row].item() for field in astuple(rows)))
            if np.isnan(found[row]):
                with pytest.raises(UndefinedCorrelation):
                    formula(one)
                with pytest.raises(UndefinedCorrelation):
                    of_items(speaker == row)
            else:
                assert formula(one) == found[row]
                assert type(formula(one)) is float
                np.testing.assert_allclose(of_items(speaker == row), found[row], **EXACT)
        assert np.isnan(found[:3]).all()
        assert np.isnan(found[3:6]).all() == (formula is partial_correlation)
        assert not np.isnan(found[6:]).any()


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
    "kind", [CorrelationMoments, PartialMoments, SquaredErrors, Differences, AnnotatorComparisons]
)
def test_plus_pools_two_sets_of_items(kind):
    first = range(len(fields(kind)))
    pooled = kind(*first) + kind(*(10 * number for number in first))
    assert pooled == kind(*(11 * number for number in first))


def test_moments_are_measured_from_their_mean():
    # From 0 to 1 - 2**-53, the last double below 1; no double between 1 and 2 is half way to 1.5 times that.
    ends = np.array([0, 1 - 2.0**-53])
    assert correlation_moments(ends, ends).x.tolist() == [-ends[1] / 2, ends[1] / 2]
    # Their mean, 10/3, is no double; what rounding leaves of it is taken off too.
    assert math.fsum(correlation_moments([0, 1, 9], [0, 1, 9]).x) == 0


def test_moments_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="xx is -1"):
        CorrelationMoments(3, -1, -1, -1, 1, -1)
    with pytest.raises(ValueError, match="xy is nan"):
        CorrelationMoments(3, -1, -1, 1, 1, math.nan)
    with pytest.raises(ValueError, match="zz is -1"):
        PartialMoments(3, -1, -1, -1, 1, 1, -1, -1, -1, -1)
    with pytest.raises(ValueError, match="squared_error is inf"):
        SquaredErrors(1, math.inf)


def test_undefined_correlations_are_refused():
    with pytest.raises(UndefinedCorrelation, match="predictions is constant"):
        pearson_r([1, 2, 3], [2, 2, 2])
    with pytest.raises(UndefinedCorrelation, match="reference is constant"):
        pearson_r([0.1, 0.1], [1, 2])
    with pytest.raises(UndefinedCorrelation, match="control is constant"):
        partial_r([1, 2, 3], [2, 1, 3], [7, 7, 7])
    with pytest.raises(
        UndefinedCorrelation, match="predictions is constant or a linear function of the control"
    ):
        partial_r([1, 2, 2, 4], [0.1, 0.3, 0.7, 0.9], [1, 3, 7, 9])
    with pytest.raises(
        UndefinedCorrelation, match="reference is constant or a linear function of the control"
    ):
        partial_r([1, 2, 3, 4], [1, 5, 2, 2], [40, 30, 20, 10])


def test_rmse():
    np.testing.assert_allclose(rmse([1, 2, 3], [2, 2, 5]), np.sqrt(5 / 3), **EXACT)
    assert rmse([1, 2], [1, 2]) == 0
    np.testing.assert_allclose(rmse([1, 2], [1, 1e200]) / 1e200, np.sqrt(1 / 2), **EXACT)
    np.testing.assert_allclose(rmse([0, 0], [3e-200, 4e-200]) / 1e-200, np.sqrt(25 / 2), **EXACT)
    assert rmse([1.7e308], [0]) == 1.7e308
    with pytest.raises(ValueError, match="overflow"):
        rmse([1.7e308], [-1.7e308])


def test_root_mean_square_of_many_sets_is_that_of_each():
    speaker, human, predictions, _ = groups_of_moments()
    rows = squared_errors(human, predictions)
    assert root_mean_square(total(rows)) == rmse(human, predictions)
    found = root_mean_square(by_group(rows, speaker, 41))
    for row in range(40):
        np.testing.assert_allclose(
            found[row], rmse(human[speaker == row], predictions[speaker == row]), rtol=1e-15
        )
    assert np.isnan(found[40])
    with pytest.raises(ValueError, match="mean squared error is undefined"):
        root_mean_square(SquaredErrors(0, 0.0))
    assert SquaredErrors(1, 4.0) + SquaredErrors(3, 32.0) == SquaredErrors(4, 36.0)
    assert root_mean_square(SquaredErrors(4, 36.0)) == 3.0
    with pytest.raises(ValueError, match="squared_error is inf"):
        squared_errors([1, 2], [1, 1e200])
    assert repr(total(squared_errors([1, 2], [1.5, 4]))) == "SquaredErrors(items=2, squared_error=4.25)"


def test_predictions_are_trimmed_and_rounded_half_to_even():
    predictions = [-1e200, 0.5, 1.49, 1.5, 2.5, 3.5, 3.51, 4.4998, 4.6, 1e200]
    rounded = round_to_scale(predictions, 1, 4)
    assert rounded.tolist() == [1, 1, 1, 2, 2, 4, 4, 4, 4, 4]
    assert rounded.dtype == np.int64
    # As rsmtool does it: trimmed to 0.4998 beyond the ends.
    assert rounded.tolist() == np.rint(np.clip(predictions, 0.5002, 4.4998)).tolist()
    for scale in ((4, 1), (2, 2)):
        with pytest.raises(ValueError, match=re.escape(f"scale must have low < high, got {scale}")):
            round_to_scale([1], *scale)


TWO = [
    cohen_kappa,
    pearson_r,
    rmse,
    squared_errors,
    correlation_moments,
    lambda a, b: rating_cells(a, b, scale=(1, 5)),
    lambda a, b: cohen_kappa(a, b, scale=(1, 5)),
    lambda a, b: partial_r(a, b, [1, 2, 4]),
]


@pytest.mark.parametrize("metric", TWO)
@pytest.mark.parametrize(
    ("a", "b", "complaint"),
    [
        ([1, 2, 3], [1, np.nan, 2], "^hypothesis must be finite, got nan at index 1$"),
        ([1, 2, np.inf], [1, 2, 3], "^reference must be finite, got inf at index 2$"),
        ([1, 2, 3], [1, 2], "3 reference values but 2 hypothesis values"),
        ([], [], "reference is empty"),
        ([[1, 2, 3]], [1, 2, 3], r"shape \(n,\), got \(1, 3\)"),
        (["1", "2", "3"], [1, 2, 3], "reference must be numbers"),
        ([True, False, True], [1, 2, 3], "reference must be numbers"),
    ],
)
def test_malformed_input_is_refused(metric, a, b, complaint):
    with pytest.raises(ValueError, match=complaint):
        metric(a, b)


@pytest.mark.parametrize(
    ("name", "metric"),
    [
        ("control", lambda values: partial_moments([1, 2], [2, 1], values)),
        ("predictions", lambda values: prmse([[1, 2], [3, 4]], values)),
        ("predictions", lambda values: round_to_scale(values, 1, 5)),
        ("system", lambda values: annotator_comparisons([[1, 2], [1, 2]], values)),
        ("a rater", lambda values: annotator_comparisons([[1, 2], values], [1, 2])),
    ],
)
def test_other_values_are_refused_by_their_name(name, metric):
    with pytest.raises(ValueError, match=f"^{name} must be finite, got -inf at index 1$"):
        metric([1, -np.inf])


def test_partial_r_refuses_a_control_of_another_length():
    with pytest.raises(ValueError, match="3 reference values but 2 control values"):
        partial_r([1, 2, 3], [1, 3, 2], [1, 2])


# Three raters and a system on 40 items, drawn at random around common ratings. krippendorff 0.9.0 gives
# alpha(..., value_domain=[1, 2, 3, 4, 5], level_of_measurement="ordinal") without and with the system; the code beside
# the paper on the alternative annotator test (github.com/nitaytech/AltTest, commit 13eada27), with its negative root
# mean square error and a margin of 0.2, a winning rate of 2/3 and an advantage of 0.8666....
RATERS = (
    "2334114532431532431254435235122451335232",
    "2344125423423522332144525233111351235223",
    "3325114542544444531155535135111451425114",
)
SYSTEM = "2335215513441523431153545235121351325332"


def digits(*ratings):
    return np.array([list(map(int, each)) for each in ratings])


def pooled_pairs(raters):
    pairs = [rating_cells(one, other, scale=(1, 5)) for one, other in combinations(raters, 2)]
    return RatingCells(sum(total(cells).cells for cells in pairs))


def test_krippendorffs_alpha_is_that_of_an_independent_library():
    without = krippendorff_alpha(pooled_pairs(digits(*RATERS)), raters=3)
    with_system = krippendorff_alpha(pooled_pairs(digits(*RATERS, SYSTEM)), raters=4)
    np.testing.assert_allclose([without, with_system], [0.750306522627864, 0.7666582564636962], **EXACT)


def test_krippendorffs_alpha_of_raters_who_cannot_disagree_is_one():
    assert krippendorff_alpha(pooled_pairs(digits("3333", "3333", "3333")), raters=3) == 1
    with pytest.raises(ValueError, match="alpha is undefined"):
        krippendorff_alpha(RatingCells(np.zeros((5, 5), dtype=int)), raters=3)


def test_the_alternative_annotator_test_is_that_of_its_authors():
    comparisons = total(annotator_comparisons(digits(*RATERS), digits(SYSTEM)[0]))
    found = winning_rate(comparisons), advantage(comparisons)
    np.testing.assert_allclose(found, [2 / 3, 0.8666666666666666], **EXACT)


def test_the_winning_rate_is_that_of_scipys_tests():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(20250701)
    seen = set()
    for items in [*range(2, 40), 201]:
        common = rng.integers(1, 6, items)
        noise = rng.integers(1, 3, 3)[:, np.newaxis]
        raters = np.clip(common + rng.integers(-noise, noise + 1, (3, items)), 1, 5)
        system = np.clip(common + rng.integers(-1, 2, items), 1, 5)
        tails, shares = [], []
        for rater in range(3):
            others = np.delete(raters, rater, axis=0)
            own, its = (((others - ratings) ** 2).sum(axis=0) for ratings in (raters[rater], system))
            gains = (own <= its).astype(int) - (its <= own)
            if np.ptp(gains):
                tails.append(stats.ttest_1samp(gains, 0.2, alternative="less").pvalue)
            else:
                tails.append(float(gains[0] >= 0.2))
            shares.append((its <= own).mean())
        replaced = stats.false_discovery_control(tails, method="by") <= 0.05
        comparisons = total(annotator_comparisons(raters, system))
        assert winning_rate(comparisons) == pytest.approx(replaced.mean(), rel=0, abs=1e-12)
        assert advantage(comparisons) == pytest.approx(np.mean(shares), rel=0, abs=1e-12)
        seen.add(round(3 * replaced.mean()))
    assert seen == {0, 1, 2, 3}


def test_a_rater_is_replaced_at_a_level_from_the_p_of_scipys_test_on():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 9, (60, 3))
    rows = rows[(rows > 0).sum(axis=1) > 1]
    one_rater = AnnotatorComparisons(*rows.T[:, :, np.newaxis])
    for row, counts in enumerate(rows):
        gains = np.repeat([-1, 0, 1], counts)
        p = stats.ttest_1samp(gains, 0.1, alternative="less").pvalue
        for level, replaced in ((p * (1 - 1e-9), 0), (p * (1 + 1e-9), 1)):
            assert winning_rate(one_rater, margin=0.1, level=level)[row] == replaced


@pytest.mark.parametrize(("name", "rate"), [("omega", winning_rate), ("the advantage", advantage)])
def test_comparisons_of_many_sets_are_those_of_each(name, rate):
    rng = np.random.default_rng(5)
    rows = [rng.multinomial(items, rng.dirichlet(np.ones(3)), size=3).T for items in range(60)]
    many = rate(AnnotatorComparisons(*np.stack(rows, axis=1)))
    with pytest.raises(ValueError, match=f"^{name} is undefined: nothing to divide by$"):
        rate(AnnotatorComparisons(*rows[0]))
    assert np.isnan(many[0])
    assert many[1:].tolist() == [rate(AnnotatorComparisons(*row)) for row in rows[1:]]


def test_of_a_single_item_the_alternative_annotator_test_tells_nothing():
    ones = np.ones(3, dtype=int)
    for level in (0.05, 1):
        assert winning_rate(AnnotatorComparisons(ones[:1], 0 * ones[:1], 0 * ones[:1]), level=level) == 0
    # Two items do: the system is closer both times, so that nothing varies and p is 0.
    for level in (0.05, 0):
        assert winning_rate(AnnotatorComparisons(2 * ones, 0 * ones, 0 * ones), level=level) == 1
    assert winning_rate(AnnotatorComparisons(0 * ones, 0 * ones, 2 * ones)) == 0
    # As close as a rater on both items: not less than the rater without a margin.
    assert winning_rate(AnnotatorComparisons(0 * ones, 2 * ones, 0 * ones)) == 1
    assert winning_rate(AnnotatorComparisons(0 * ones, 2 * ones, 0 * ones), margin=0) == 0


def test_two_raters_are_compared_by_how_close_the_system_is_to_the_other():
    rows = annotator_comparisons([[1], [2]], [2])
    assert (rows.system_closer.tolist(), rows.equal.tolist()) == ([[1, 0]], [[0, 1]])


def test_a_comparison_needs_two_raters_of_integers():
    with pytest.raises(ValueError, match="1 raters; expected at least 2"):
        annotator_comparisons([[1, 2]], [1, 2])
    for raters in ([[1, 2], [1, 2.5]], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="expected 2 integers of every rater"):
            annotator_comparisons(raters, [1, 2])


def test_rank_correlation_and_closeness_as_scipy_and_numpy_compute_them():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(11)
    for _ in range(20):
        human = rng.integers(1, 5, 60)
        predicted = (human + rng.normal(0, 0.8, 60)).round(1)
        expected = stats.spearmanr(human, predicted).statistic
        assert correlation(total(rank_moments(human, predicted))) == pytest.approx(expected, rel=0, abs=1e-12)
        sums = total(differences(human, predicted))
        shift = (predicted.mean() - human.mean()) / human.std(ddof=1)
        apart = abs(predicted - human)
        found = standardised_mean_difference(sums), mean_shift(sums), within_half(sums), within_one(sums)
        expected = shift, abs(shift), (apart <= 0.5).mean(), (apart <= 1).mean()
        np.testing.assert_allclose(found, expected, **EXACT)


def test_a_shift_is_not_measured_against_a_constant():
    for constant in (3, 0, 0.1):
        with pytest.raises(ValueError, match=r"^the standardised mean difference is undefined"):
            standardised_mean_difference(total(differences([constant] * 3, [1, 2, 3])))


def test_differences_by_hand():
    sums = total(differences([1, 2, 3], [1.5, 3, 1]))
    assert repr(astuple(sums)) == "(3, -0.5, 6.0, 14.0, 1, 2)"
    # The mean difference of two negative ratings is 3/2, their standard deviation the root of 2.
    below = total(differences([-3, -1], [-2, 1]))
    np.testing.assert_allclose(standardised_mean_difference(below), 1.5 / math.sqrt(2), **EXACT)
    nothing = Differences(0, 0.0, 0.0, 0.0, 0, 0)
    for share, name in ((within_half, r"agreement within 0\.5"), (within_one, "agreement within 1")):
        with pytest.raises(ValueError, match=f"^{name} is undefined"):
            share(nothing)


def test_prmse_is_that_of_its_formulas_in_rsmtool():
    # The formulas of rsmtool 12.0.0, rsmtool/utils/prmse.py, give 1.3606337271750806: the system errs less than raters.
    nothing = math.nan
    ratings = [[1, 2], [4, 3], [2, nothing], [3, 3], [1, 1], [4, nothing], [2, 4], [3, 2]]
    predicted = [1.5, 3.25, 2.5, 3, 1.25, 3.5, 2.75, 2]
    assert prmse(ratings, predicted) == pytest.approx(1.3606337271750806, rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("ratings", "predicted", "message"),
    [
        ([[1, 2]], [1, 2], r"ratings of shape \(1, 2\); expected \(2, m\)"),
        ([[1, math.nan], [2, math.nan]], [1, 2], "two of some"),
        ([[1, 1], [math.nan, math.nan]], [1, 2], "a rating of every item"),
        ([[1, 3], [3, 1]], [1, 2], "do not vary"),
        ([[2, 2], [2, 2]], [1, 2], "do not vary"),
        ([["a", "b"], ["b", "a"]], [1, 2], "could not convert string to float"),
    ],
)
def test_prmse_is_refused_where_it_does_not_exist(ratings, predicted, message):
    with pytest.raises(ValueError, match=message):
        prmse(ratings, predicted)
