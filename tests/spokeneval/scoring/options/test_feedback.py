"""Tests of coarse feedback: steps, grid, and the floor for submissions that are not better."""

import math

import pytest

from spokeneval.scoring.options import (
    RELATIVE,
    SetFeedback,
    choose_step,
    coarse_scores,
    describe_line,
    on_grid,
    steps_between,
)
from spokeneval.task import HIGHER, LOWER, Score

STEPS = {"f1": 0.01, "recall": 0.02}
FLOOR = {"f1": 0.89, "recall": 0.86}
FEEDBACK = SetFeedback(STEPS, FLOOR)
F1 = Score("f1", "F1", HIGHER, abs, "")
DER = Score("der", "DER (%)", LOWER, abs, "")


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
        # The published Dfull of five systems of Spoken CALL's Table 1. Between 5 and 6.3 the limit is their geometric
        # mean, 5.61; a large ratio has steps as coarse as a small one.
        (12.327, RELATIVE, 12.5),
        (6.342, RELATIVE, 6.3),
        (5.430, RELATIVE, 5),
        (4.090, RELATIVE, 4),
        (1.665, RELATIVE, 1.6),
        (0.00791, RELATIVE, 0.008),
        (877.27, RELATIVE, 800),
        (0, RELATIVE, 0),
    ],
)
def test_a_value_on_the_grid_is_the_nearest_multiple(value, step, shown):
    assert repr(on_grid(value, step)) == repr(float(shown))  # the sign of 0 too


def test_what_is_shown_of_a_set_has_no_interval():
    scores = {"f1": 0.896, "recall": 0.75, "precision": 0.5, "f1_low": 0.866, "f1_high": 0.914}
    coarse = {"f1": 0.9, "recall": 0.76}
    assert coarse_scores(scores, STEPS) == coarse
    assert SetFeedback(STEPS).shown(scores, F1) == FEEDBACK.shown(scores, F1) == coarse
    assert FEEDBACK.shown({**scores, "f1": 0.5}, F1) == FLOOR


@pytest.mark.parametrize("f1", [0.0, 0.5, 0.88, 0.89, 0.894])
def test_no_better_than_the_baseline_gets_the_baselines_line(f1):
    assert FEEDBACK.shown({"f1": f1, "recall": 1.0, "f1_low": 0.1, "f1_high": 0.99}, F1) == FLOOR


def test_where_lower_is_better_the_floor_is_above():
    feedback = SetFeedback({"der": 1.0}, {"der": 30.0})
    for der, shown, bound in ((31.0, 30.0, "≥ baseline"), (30.0, 30.0, "≥ baseline"), (29.4, 29.0, "")):
        line = feedback.shown({"der": der}, DER)
        assert (line, feedback.bound(line, "der", LOWER)) == ({"der": shown}, bound)


@pytest.mark.parametrize(
    ("one", "other", "step", "apart"),
    [
        (0.9, 0.87, 0.01, 3),
        (4, 6.3, RELATIVE, 2),
        (800, 4, RELATIVE, 23),
        (0, 0, RELATIVE, 0),
        (4, 0, RELATIVE, math.inf),
    ],
)
def test_steps_between_two_scores(one, other, step, apart):
    """From 4 to 800 there are two decades of ten steps, and 4, 5, 6.3 and 8."""
    assert steps_between(one, other, step) == steps_between(other, one, step) == apart


def test_a_system_that_a_rule_excludes_is_among_those_at_the_floor():
    """JJJ of Table 1 breaks the 50 % rule, so its Dfull is 0; it must not look as if it shared the baseline's rank."""
    feedback = SetFeedback({"f1": RELATIVE}, {"f1": 4.0}, broken="breaks 50 % rule")
    line = feedback.shown({"f1": 0.0}, F1)
    assert feedback.bound(line, "f1", HIGHER) == "≤ baseline or breaks 50 % rule"
    assert describe_line(line, feedback, F1).endswith(
        "shown in steps of 25 % for every submission that is not better or breaks 50 % rule."
    )


@pytest.mark.parametrize(("steps", "floor"), [({"recall": 0.02}, FLOOR), (STEPS, {"recall": 0.86})])
def test_without_a_primary_score_there_is_no_floor(steps, floor):
    scores, feedback = {"f1": 0.5, "recall": 0.75}, SetFeedback(steps, floor)
    line = feedback.shown(scores, F1)
    assert (line, feedback.bound(line, "f1", HIGHER)) == (coarse_scores(scores, steps), "")


@pytest.mark.parametrize(
    ("best", "words", "name"),
    [("", "≤ baseline", "the baseline"), ("all", "≤ trivial baseline", "the trivial baseline “all”")],
)
def test_a_score_at_the_floor_names_the_system_that_has_it(best, words, name):
    feedback = SetFeedback(STEPS, FLOOR, {"all": 0.894}, best)
    assert feedback.bound({"f1": 0.9}, "f1", HIGHER) == ""
    assert feedback.bound({"f1": 0.89}, "f1", HIGHER) == words
    said = describe_line({"f1": 0.89}, feedback, F1)
    assert said.startswith(f"F1 0.89, which means {words}: ")
    assert f"score of {name}, shown in steps of 0.01 " in said


def test_a_score_above_the_floor_is_described_by_its_steps():
    assert describe_line({"f1": 0.9}, FEEDBACK, F1) == "F1 0.9, shown in steps of 0.01."


def test_a_whole_score_is_described_as_codabench_shows_it():
    assert describe_line({"f1": 4.0}, FEEDBACK, F1).startswith("F1 4.0, ")
