"""Tests of detection costs, against an independent library, isotonic regression and hand calculations."""

from __future__ import annotations

from functools import partial

import numpy as np

from spokeneval.metrics.counts import taken, total
from spokeneval.metrics.detection_cost import (
    look_like_posteriors,
    minimum_cllr,
    minimum_detection_cost,
)
from spokeneval.metrics.equal_error_rate import ScoreHistograms
from spokeneval.metrics.identification import detection_histograms
from spokeneval.metrics.jackknife import jackknife_error, jackknife_interval
from spokeneval.metrics.shares import interval_of_fitted

WEIGHTS = [(1, 1), (1, 9)]


def test_scores_that_look_like_posteriors():
    scores = np.random.default_rng(1).normal(0, 2, (20, 3))
    posteriors = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    assert look_like_posteriors(posteriors.round(2))
    assert not look_like_posteriors(scores)
    assert not look_like_posteriors(posteriors / 2)
    assert look_like_posteriors([[0.25], [0.5]])
    assert not look_like_posteriors([[0.25], [1.5]])
    assert not look_like_posteriors([[0.0], [0.0]])


def test_two_trials_have_the_least_and_the_greatest_of_minimum_costs():
    for cost in (minimum_cllr, partial(minimum_detection_cost, weights=WEIGHTS)):
        assert cost(ScoreHistograms(np.array([0, 1]), np.array([1, 0]))) == 0
        assert cost(ScoreHistograms(np.array([1, 0]), np.array([0, 1]))) == 1


def test_the_intervals_of_minimum_costs_are_those_of_fitted_costs():
    rng = np.random.default_rng(3)
    labels, recording = (rng.random(200) < 0.4).astype(int), rng.permutation(np.arange(200) % 8)
    scores = rng.normal((1 - labels) * 1.5, 1)
    rows = detection_histograms(labels, np.stack([scores, 0 * scores], axis=1), recording)
    whole = 4 / (1 / rows.targets.sum() + 1 / rows.nontargets.sum())
    for formula, bias in ((minimum_cllr, 2), (partial(minimum_detection_cost, weights=WEIGHTS), 4)):
        cost = formula(total(rows))
        without = np.array([formula(total(taken(rows, np.delete(np.arange(8), unit)))) for unit in range(8)])
        low, high, error = interval_of_fitted(rows, formula=formula, bias=bias)
        expected = jackknife_interval(cost, without, (0, 1), whole=whole, bias=bias)
        np.testing.assert_allclose([low, high], expected, rtol=1e-12)
        assert high > jackknife_interval(cost, without, (0, 1), whole=whole, bias=0)[1]
        assert error == jackknife_error(without)
