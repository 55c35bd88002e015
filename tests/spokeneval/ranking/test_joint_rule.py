"""Tests of joint scores: a published ranking by ranks, PROCESS's formula by hand, and rules that do not fit."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.challenges import find_task
from spokeneval.ranking.joint_rule import JointRule, joint_scores_of
from spokeneval.ranking.ranks import ranks

SMP = """
1 0.71 1.24  2 0.71 1.27  3 0.70 1.40  4 0.69 1.42  5 0.69 1.48  5 0.67 1.45  5 0.64 1.42  8 0.65 1.46  9 0.52 1.70
"""
"""The leaderboard of the SMP Challenge 2022: final rank, Spearman's rho (higher is better) and mean absolute error
(lower is better). The final rank is by the sum of the two ranks; two errors of 1.42 share a rank."""


def test_the_published_ranks_of_a_challenge_come_out():
    place, *scores = np.array(SMP.split(), dtype=float).reshape(-1, 3).T
    table = np.stack(scores, axis=1)[np.newaxis]
    mean = joint_scores_of(JointRule(), ["rho", "mae"], [True, False], table, np.ones((9, 2), dtype=bool), 0)
    assert ranks(mean[0], higher=False).tolist() == place.tolist()


SCORES = np.array([[0.6, 2.0], [0.5, 3.0], [0.4, np.nan]])
"""Macro F1, and RMSE, in which lower is better. Totals: 1.5, and 5 without the third system."""


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        # F1_k / sum of F1 + 1 - RMSE_k / sum of RMSE; the third system has the baseline's RMSE, 2
        (
            JointRule("normalised_sum", "baseline"),
            [0.4 + 1 - 2 / 7, 1 / 3 + 1 - 3 / 7, 0.4 / 1.5 + 1 - 2 / 7],
        ),
        (
            JointRule("mean_rank", "baseline"),
            [1, 2.5, 2],
        ),  # RMSE: 2, 3 and the baseline's 2, which share rank 1
    ],
)
def test_a_missing_score_can_be_that_of_a_ranked_baseline(rule, expected):
    (found,) = joint_scores_of(rule, ["f1", "rmse"], [True, False], SCORES[np.newaxis], ~np.isnan(SCORES), 0)
    assert found.tolist() == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("rule", "ranked", "baseline"),
    [
        # F1: 0.6, 0.5, 0.4; RMSE: 2, 3, none. The baseline has F1 0.5 and RMSE 1. A missing RMSE counts as declared.
        (JointRule("mean_rank", "worst"), [1, 2, 3], 1.5),  # it shares rank 2 for F1
        (JointRule("mean_rank", "baseline"), [1.5, 2.5, 2], 1.5),  # RMSE: 2, 3 and 1
        (JointRule("normalised_sum", "zero"), [1, 1 / 3 + 0.4, 0.4 / 1.5], 1 / 3 + 0.8),
        (
            JointRule("normalised_sum", "worst"),
            [0.4 + 6 / 8, 1 / 3 + 5 / 8, 0.4 / 1.5 + 5 / 8],
            1 / 3 + 7 / 8,
        ),
        (JointRule("weighted_sum", "worst", weights={"f1": 2, "rmse": 0.1}), [1.0, 0.7, 0.5], 0.9),
    ],
)
def test_the_baseline_counts_in_no_rank_total_or_worst_score(rule, ranked, baseline):
    scores = np.array([*SCORES, [0.5, 1.0]])[np.newaxis]
    found = joint_scores_of(rule, ["f1", "rmse"], [True, False], scores, ~np.isnan(scores[0]), 3, 3)[0]
    assert found.tolist() == pytest.approx([*ranked, baseline], abs=1e-12)


def test_one_kind_of_score_has_a_mean_and_a_positive_weighted_sum():
    rates = np.array([[[10.0, 30.0], [20.0, 40.0]], [[10.0, np.nan], [20.0, 40.0]]])
    there = np.ones((2, 2), dtype=bool)
    mean = joint_scores_of(JointRule("macro_mean"), ["en", "zh"], [False, False], rates, there, 0)
    assert mean.tolist()[0] == [20, 30]
    assert np.isnan(mean[1]).all()  # a resample in which a score is undefined
    weighted = JointRule("weighted_sum", weights={"en": 3, "zh": 1})
    assert joint_scores_of(weighted, ["en", "zh"], [False, False], rates, there, 0)[0].tolist() == [60, 100]


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (JointRule("median"), "rule: 'median' is unknown; expected one of mean_rank,"),
        (JointRule(missing="last"), "missing: 'last' is unknown; expected one of excluded, worst,"),
        (JointRule(compulsory=["c"]), "compulsory: there is no task 'c'; expected one of a, b"),
        (JointRule("weighted_sum", weights={"a": 1, "b": -1}), "weights: b without a weight above 0"),
        (JointRule(weights={"a": 1}), "weights: only the rule weighted_sum has weights"),
        (JointRule(missing="zero"), "missing: zero is for the rule normalised_sum only"),
        (JointRule(missing="baseline"), "baseline: name the baseline if missing is baseline"),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused(rule, words):
    primary = find_task("psst_correctness").primary
    (problem,) = rule.problems({"a": primary, "b": primary})
    assert problem.startswith(words)
    assert JointRule().problems({"a": primary}) == ["expected two tasks or more; found a"]
