"""Tests of coarse feedback: steps, grid, and the floor for submissions that are not better."""

import math

import pytest

from spokeneval.run.feedback import (
    choose_step,
    coarse_scores,
    describe_line,
    floored_scores,
    interval_of,
    on_grid,
    shown_scores,
)
from spokeneval.task import HIGHER, LOWER, Score

STEPS = {"f1": 0.01, "recall": 0.02}
FLOOR = {"f1": 0.89, "recall": 0.86, "f1_low": 0.87, "f1_high": 0.92}
F1 = Score("f1", "F1", HIGHER, abs, "")


@pytest.mark.parametrize(
    ("error", "step"),
    # The nearest in ratio: between 1 and 2 they part at the root of 2, between 2 and 5 at that of 10 (3.16), between 5
    # and 10 at that of 50 (7.07).
    [
        (0.0141, 0.01),
        (0.0142, 0.02),
        (3.16, 2),
        (3.17, 5),
        (7.07, 5),
        (7.08, 10),
        (0.3, 0.2),
        (1.2e-7, 1e-7),
        (300, 200),
        (1, 1),
    ],
)
def test_a_step_is_the_nearest_of_1_2_and_5(error, step):
    assert choose_step(error) == step


@pytest.mark.parametrize("error", [0, -0.1, math.inf, math.nan])
def test_nothing_has_no_step(error):
    with pytest.raises(ValueError, match=rf"^a standard error is {error}; expected a number above 0$"):
        choose_step(error)


@pytest.mark.parametrize(
    ("value", "step", "shown"),
    [
        (0.1 + 0.2, 0.1, 0.3),
        (0.149, 0.05, 0.15),  # 3 * 0.05 is 0.15000000000000002
        (0.00014, 5e-5, 0.00015),
        (7.2, 0.5, 7),
        (7.3, 0.5, 7.5),
        (8, 5, 10),
        (131, 20, 140),
        (74_999, 50_000, 50_000),
        (-0.004, 0.01, 0),
        (-31.4, 1, -31),
        (1, 0.2, 1),
    ],
)
def test_a_value_on_the_grid_is_the_nearest_multiple(value, step, shown):
    assert repr(on_grid(value, step)) == repr(float(shown))  # the sign of 0 too


def test_what_is_shown_of_a_set():
    scores = {"f1": 0.896, "recall": 0.75, "precision": 0.5, "f1_low": 0.866, "f1_high": 0.914}
    coarse = {"f1": 0.9, "recall": 0.76, "f1_low": 0.87, "f1_high": 0.91}
    assert coarse_scores(scores, STEPS) == coarse
    assert shown_scores(scores, None, FLOOR, F1) is scores
    assert shown_scores(scores, STEPS, None, F1) == coarse
    assert shown_scores({**scores, "f1": 0.5}, STEPS, FLOOR, F1) == FLOOR
    assert [interval_of(key) for key in ("f1_low", "f1_high", "f1", "low")] == ["f1", "f1", "f1", "low"]


@pytest.mark.parametrize("f1", [0.0, 0.5, 0.88, 0.89, 0.894])
def test_no_better_than_the_baseline_gets_the_baselines_line(f1):
    scores = {"f1": f1, "recall": 1.0, "f1_low": 0.1, "f1_high": 0.99}
    assert floored_scores(scores, STEPS, FLOOR, F1) == FLOOR


def test_better_by_half_a_step_gets_its_own_scores_and_an_interval_of_the_baselines_width():
    scores = {"f1": 0.896, "recall": 0.75, "precision": 0.5, "f1_low": 0.1, "f1_high": 0.99}
    assert floored_scores(scores, STEPS, FLOOR, F1) == {
        "f1": 0.9,
        "recall": 0.76,
        "f1_low": 0.88,  # as far below as the floor's: 0.02
        "f1_high": 0.93,
    }


def test_an_end_without_its_score_is_left_out():
    shown = floored_scores({"f1": 0.896}, STEPS, {"f1": 0.89, "f1_low": 0.87, "recall_low": 0.8}, F1)
    assert shown == {"f1": 0.9, "f1_low": 0.88}


def test_where_lower_is_better_the_floor_is_above():
    error = Score("der", "DER", LOWER, abs, "")
    for der, shown in ((31.0, 30.0), (30.0, 30.0), (29.4, 29.0)):
        assert floored_scores({"der": der}, {"der": 1.0}, {"der": 30.0}, error) == {"der": shown}


@pytest.mark.parametrize(("steps", "floor"), [({"recall": 0.02}, FLOOR), (STEPS, {"recall": 0.86})])
def test_without_a_primary_score_there_is_no_floor(steps, floor):
    scores = {"f1": 0.5, "recall": 0.75}
    assert floored_scores(scores, steps, floor, F1) == coarse_scores(scores, steps)


def test_participants_with_labels_see_what_a_leaderboard_would_show():
    line = {"f1": 0.9, "f1_low": 0.88, "f1_high": 0.925}
    words = "With hidden labels, the leaderboard would show F1 0.9 (0.88 to 0.925), rounded to steps of 0.01."
    assert describe_line(line, STEPS, None, F1) == words
    assert describe_line(line, STEPS, FLOOR, F1) == f"{words} The worst score that it shows is 0.89."
