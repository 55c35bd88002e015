"""Tests of detection costs, against an independent library, isotonic regression and hand calculations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.metrics.counts import taken, total
from spokeneval.metrics.detection_cost import (
    cllr,
    detection_cost,
    look_like_posteriors,
    minimum_cllr,
    minimum_cllr_interval,
    minimum_detection_cost,
    minimum_detection_cost_interval,
)
from spokeneval.metrics.equal_error_rate import ScoreHistograms
from spokeneval.metrics.jackknife import jackknife_error, jackknife_interval
from spokeneval.metrics.language_identification import difference_histograms, likelihood_ratio_costs


def test_the_costs_of_log_likelihood_ratios_are_those_of_an_independent_library():
    # llreval 0.0.3, tarnon_2_eer_cllr_mincllr, gives 0.8862750440554892 and 0.6853541573750725.
    targets, nontargets = [2.5, 1.0, -0.5, 0.75, 3.0, -2.0, 1.0], [-1.5, 0.5, -3.0, 1.0, -0.25]
    is_english = np.repeat([True, False], [len(targets), len(nontargets)])
    segments = is_english, np.array(targets + nontargets), np.zeros(12), np.arange(12) % 3
    found = (
        cllr(total(likelihood_ratio_costs(*segments))),
        minimum_cllr(total(difference_histograms(*segments))),
    )
    np.testing.assert_allclose(found, [0.8862750440554892, 0.6853541573750725], rtol=0, atol=1e-12)


def test_detection_costs_by_hand():
    # log 9 is 2.197. English 3, 1, 0: missed at 1 none, at 9 two; taken for Mandarin at 1 the tie, at 9 none. Mandarin
    # -3, 2.5: missed at 1 and at 9 one; taken for English at 1 and at 9 one.
    is_english = np.array([True, True, True, False, False])
    scores = np.array([3, 1, 0, -3, 2.5])
    costs = total(likelihood_ratio_costs(is_english, scores, np.zeros(5), np.zeros(5, dtype=int)))
    assert costs.misses.tolist() == [[0, 2], [1, 1]]
    assert costs.false_alarms.tolist() == [[1, 0], [1, 1]]
    english = (0 + 1 / 2) + (2 / 3 + 9 / 2)
    mandarin = (1 / 2 + 1 / 3) + (1 / 2 + 9 * 0)
    np.testing.assert_allclose(detection_cost(costs), (english + mandarin) / 4, rtol=0, atol=1e-12)


def test_the_costs_of_probabilities_end_far_from_0():
    # A perfect system: 1 and 0. Its ratio of e is far from the threshold log 9, so that all is missed there.
    scored = np.array([True, True, False]), np.array([1.0, 1, 0]), np.array([0.0, 0, 1]), np.arange(3)
    costs = total(likelihood_ratio_costs(*scored))
    assert cllr(costs) == pytest.approx(math.log2(1 + math.exp(-1)), rel=1e-12)
    assert (round(cllr(costs), 2), detection_cost(costs)) == (0.45, 0.5)  # as the descriptions state
    assert minimum_cllr(total(difference_histograms(*scored))) == 0


def test_scores_that_look_like_posteriors():
    scores = np.random.default_rng(1).normal(0, 2, (20, 3))
    posteriors = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert look_like_posteriors(posteriors.round(2))
    assert not look_like_posteriors(scores)
    assert not look_like_posteriors(posteriors / 2)
    assert look_like_posteriors([[0.25], [0.5]])
    assert not look_like_posteriors([[0.25], [1.5]])
    assert not look_like_posteriors([[0.0], [0.0]])


def test_costs_of_one_language_are_counted_and_have_no_mean():
    for language in range(2):
        costs = total(likelihood_ratio_costs(np.array([not language]), [0.0], [0.0], [0]))
        assert costs.bits.round(12).tolist() == np.eye(2)[language].tolist()
        for cost in (cllr, detection_cost):
            with pytest.raises(ValueError, match="is undefined"):
                cost(costs)


def test_the_largest_scores_have_finite_costs():
    segments = (
        np.array([True, False]),
        np.array([-1e308, 1e308]),
        np.array([1e308, -1e308]),
        np.zeros(2, dtype=int),
    )
    assert cllr(total(likelihood_ratio_costs(*segments))) == pytest.approx(1e6 / math.log(2), rel=1e-12)
    assert minimum_cllr(total(difference_histograms(*segments))) == 1


def test_two_trials_have_the_least_and_the_greatest_of_minimum_costs():
    for cost in (minimum_cllr, minimum_detection_cost):
        assert cost(ScoreHistograms(np.array([0, 1]), np.array([1, 0]))) == 0
        assert cost(ScoreHistograms(np.array([1, 0]), np.array([0, 1]))) == 1


def test_the_intervals_of_minimum_costs_are_those_of_fitted_costs():
    rng = np.random.default_rng(3)
    is_english, recording = rng.random(200) < 0.6, rng.permutation(np.arange(200) % 8)
    scores = rng.normal(is_english * 1.5, 1)

    def histograms(kept):
        return difference_histograms(is_english[kept], scores[kept], np.zeros(kept.sum()), recording[kept])

    rows = histograms(np.ones(200, bool))
    for formula, interval, times in (
        (minimum_cllr, minimum_cllr_interval, 2),
        (minimum_detection_cost, minimum_detection_cost_interval, 4),
    ):
        cost = formula(total(rows))
        without = np.array([formula(total(taken(rows, np.delete(np.arange(8), unit)))) for unit in range(8)])
        low, high, error = interval(rows)
        expected = jackknife_interval(cost, without, (0, 1), times=times)
        np.testing.assert_allclose([low, high], expected, rtol=1e-12)
        assert high > jackknife_interval(cost, without, (0, 1), times=0)[1]
        assert error == jackknife_error(without)
