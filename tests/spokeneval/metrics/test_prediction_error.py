"""Tests of errors of predictions, against hand calculations, scipy and the formulas of rsmtool."""

from __future__ import annotations

import math
import re
from dataclasses import astuple

import numpy as np
import pytest

from spokeneval.metrics.counts import total
from spokeneval.metrics.prediction_error import (
    differences,
    mean_shift_interval,
    prmse,
    rmse,
    round_to_scale,
    signed_shift_interval,
    squared_errors,
    standardised_mean_difference,
)
from tests.samples.freedom import degrees_of_freedom

EXACT = {"rtol": 0, "atol": 1e-12}


def test_rmse():
    np.testing.assert_allclose(rmse([1, 2, 3], [2, 2, 5]), np.sqrt(5 / 3), **EXACT)
    assert rmse([1, 2], [1, 2]) == 0
    np.testing.assert_allclose(rmse([1, 2], [1, 1e200]) / 1e200, np.sqrt(1 / 2), **EXACT)
    np.testing.assert_allclose(rmse([0, 0], [3e-200, 4e-200]) / 1e-200, np.sqrt(25 / 2), **EXACT)
    assert rmse([1.7e308], [0]) == 1.7e308
    with pytest.raises(ValueError, match="overflow"):
        rmse([1.7e308], [-1.7e308])
    with pytest.raises(ValueError, match="squared_error is inf"):
        squared_errors([1, 2], [1, 1e200])


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


def test_the_interval_of_a_shift_near_0_reaches_0():
    # The ends of the signed interval are Student's, from the shifts without each item.
    stats = pytest.importorskip("scipy.stats")
    human = np.array([1, 2, 3, 4] * 3)
    predicted = human + np.array([0.5, -0.5] * 6)
    predicted[0] += 0.02
    for size in (0, 0.6):
        moved = predicted + size
        without = []
        for item in range(12):
            rest, own = np.delete(human, item), np.delete(moved, item)
            without.append((own - rest).mean() / rest.std(ddof=1))
        squares = (without - np.mean(without)) ** 2
        freedom = degrees_of_freedom(np.array(without))
        half = stats.t.ppf(0.975, freedom) * math.sqrt(11 / 12 * squares.sum())
        shift = (moved - human).mean() / human.std(ddof=1)
        rows = differences(human, moved)
        np.testing.assert_allclose(signed_shift_interval(rows)[:2], [shift - half, shift + half], rtol=1e-9)
        np.testing.assert_allclose(
            signed_shift_interval(differences(-human, -moved))[:2], [-shift - half, half - shift]
        )
        expected = [max(shift - half, 0), shift + half]
        np.testing.assert_allclose(mean_shift_interval(rows)[:2], expected, rtol=1e-9)
        np.testing.assert_allclose(mean_shift_interval(differences(-human, -moved))[:2], expected, rtol=1e-9)
    np.testing.assert_allclose(
        signed_shift_interval(differences(human, predicted))[:2], [-0.285, 0.288], atol=5e-4
    )


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
        ([[1, 1], [math.nan, math.nan]], [1, 2], "one rating of every item"),
        ([[1, 3], [3, 1]], [1, 2], "do not vary"),
        ([[2, 2], [2, 2]], [1, 2], "do not vary"),
        ([["a", "b"], ["b", "a"]], [1, 2], "could not convert string to float"),
    ],
)
def test_prmse_is_refused_where_it_does_not_exist(ratings, predicted, message):
    with pytest.raises(ValueError, match=message):
        prmse(ratings, predicted)
