"""Tests of a submission's scores and intervals, from its counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import spokeneval
from spokeneval.challenges import find_task
from spokeneval.formats.speakers import Units
from spokeneval.metrics.bootstrap import resample_draws
from spokeneval.metrics.counts import ratio
from spokeneval.metrics.jackknife import jackknife_error, jackknife_interval
from spokeneval.scoring.options import Settings, Signature
from spokeneval.scoring.scored import (
    Interval,
    difference_interval,
    resampled_error,
    score_intervals,
    score_submission,
    scores_without,
)
from spokeneval.task import HIGHER, Score


@dataclass(frozen=True)
class Right:
    """Right answers and items."""

    right: Any
    items: Any


def share(sums: Right) -> Any:
    return ratio(sums.right, sums.items, "a share")


SHARE = Score("share", "Share", HIGHER, share, "", of="all", percent=True)
RIGHT = Score("right", "Right", HIGHER, lambda sums: sums.right, "", of="all", bounds=None)
HARD = Score("hard", "Hard ones", HIGHER, share, "", of="hard")
UNITS = Units("speaker", {"1": "b", "2": "a", "3": "b", "4": "c"})
ROWS = {
    "all": Right(np.array([3, 1, 0, 2]), np.array([4, 4, 2, 3])),
    "hard": Right(np.array([0, 1, 0, 1]), np.array([1, 1, 1, 1])),
}


def task_of(*scores, **changes):
    changes = {"units": lambda reference: UNITS, "count": lambda reference, submission: ROWS, **changes}
    return replace(find_task("psst_recognition"), scores=scores, **changes)


def test_everything_that_is_written_follows_from_the_counts():
    options, seen = Settings({}, False, Signature("psst_recognition")), []
    task = task_of(
        SHARE,
        RIGHT,
        HARD,
        units=lambda reference: UNITS if reference == "reference" else None,
        count=lambda reference, submission: seen.append((reference, submission)) or ROWS,
        refuse=lambda totals, chosen: seen.append((totals, chosen)),
    )
    found = score_submission(task, "reference", "submission", options)
    totals = {"all": Right(6, 13), "hard": Right(2, 4)}
    assert seen == [("reference", "submission"), (totals, options)]
    assert (found.totals, found.rows) == (totals, ROWS)
    assert found.settings == replace(options, decimals={"share": 2, "right": 4, "hard": 4})
    assert (found.statistics.units, found.statistics.items) == (["a", "b", "c"], list(UNITS.of))
    # Without a: 5 of 9; without b: 3 of 7; without c: 4 of 10. Of the hard ones 1 of 3, 2 of 2, 1 of 3.
    low, high = jackknife_interval(600 / 13, np.array([500 / 9, 300 / 7, 40.0]), (0, 100))
    ends = {"share_low": round(low, 10), "share_high": round(high, 10)}
    assert list(found.scores.items()) == list({"share": 600 / 13, "right": 6, "hard": 0.5, **ends}.items())
    assert list(found.intervals) == ["share", "hard"]
    without = np.array([1 / 3, 1, 1 / 3])
    low, high = jackknife_interval(0.5, without, (0, 1))
    error = jackknife_error(without)
    assert found.intervals["hard"] == Interval(round(low, 10), round(high, 10), round(error, 10))


def intervals(score, value, *rows):
    return score_intervals(task_of(RIGHT, score), {score.key: value}, {"all": Right(*map(np.array, rows))})


def test_an_interval_needs_two_units():
    alone = {part: Right(np.array([3]), np.array([4])) for part in ("all", "hard")}
    found = score_intervals(task_of(SHARE, HARD), {"share": 75.0}, alone)
    assert found == {"share": Interval(75.0, 75.0, 0.0)}
    found = intervals(SHARE, 75.0, [3, 3], [3, 5])["share"]
    assert found.low < 75 < found.high


@pytest.mark.parametrize("percent", [False, True])
def test_a_rate_of_0_without_an_upper_bound_has_an_upper_end(percent):
    # A formula that is not known as a share: none of 8 errors, the end of a Poisson mean, -log(0.025) / 8.
    rate = SHARE._replace(percent=percent, bounds=(0.0, np.inf))
    low, high, error = intervals(rate, 0.0, [0] * 8, [5] * 8)["share"]
    assert (low, error) == (0, 0)
    assert high == pytest.approx((100 if percent else 1) * -np.log(0.025) / 8, rel=1e-9)


def test_the_bootstraps_error_leaves_out_resamples_without_a_score():
    rows = np.array([[1, 2], [0, 0], [0, 0], [2, 2]])
    sums = rows[resample_draws(4)].sum(axis=1)
    scores = sums[sums[:, 1] > 0, 0] / sums[sums[:, 1] > 0, 1]
    assert len(scores) < 2000
    assert resampled_error(HARD, Right(*rows.T)) == round(scores.std(), 10)
    assert resampled_error(SHARE, Right(*rows.T)) == round(100 * scores.std(), 10)
    assert resampled_error(SHARE, Right(np.zeros(3), np.zeros(3))) == 0
    assert resampled_error(SHARE, Right(np.ones(3), np.ones(3))) == 0
    alike = np.full(2000, 2 / 3)
    assert alike.std() > 0  # by a last bit
    assert resampled_error(SHARE, Right(np.full(1, 2), np.full(1, 3))) == 0


def test_without_a_unit_a_score_is_that_of_the_others():
    # 6 of 13 are right; without the units 3 of 9, 5 of 9, 6 of 11 and 4 of 10.
    without = scores_without(SHARE, 600 / 13, ROWS["all"])
    np.testing.assert_allclose(without, [300 / 9, 500 / 9, 600 / 11, 40], rtol=1e-15)
    # There is no score without the only unit that has items: that unit counts as one that makes no difference.
    only = scores_without(SHARE, 75.0, Right(np.array([0, 3]), np.array([0, 4])))
    assert only.tolist() == [75.0, 75.0]


def test_a_difference_has_the_jackknife_interval_between_the_bounds_of_differences():
    without = np.array([10.0, 30.0, 25.0, 40.0])
    scale = SHARE._replace(percent=False, bounds=(2.0, 50.0))
    for score, limits in ((SHARE, (-100, 100)), (scale, (-48, 48)), (RIGHT, (-np.inf, np.inf))):
        found = difference_interval(score, (26.0, 0.0), (without, np.zeros(4)))
        low, high = jackknife_interval(26.0, without, limits)
        assert found == Interval(round(low, 10), round(high, 10), round(jackknife_error(without), 10))
    assert difference_interval(SHARE, (26.0, 0.0), (without[:1], np.zeros(1))) == Interval(26.0, 26.0, 0.0)


@pytest.mark.parametrize(
    ("other", "down", "up"),
    [
        ([2.0, 1.0, 3.0, 2.0], (5 - 1) - (4 - 2), (20 - 5) - (2 - 1)),  # a correlation of 1
        ([2.0, 3.0, 1.0, 2.0], (5 - 1) + (4 - 2), (20 - 5) + (2 - 1)),  # -1
        ([2.0, 2.0, 2.0, 2.0], math.hypot(5 - 1, 4 - 2), math.hypot(20 - 5, 2 - 1)),  # no spread
    ],
)
def test_a_difference_has_the_uncertainty_of_both_systems_own_intervals(other, down, up):
    without = np.array([5.0, 4.0, 6.0, 5.0]), np.array(other)
    found = difference_interval(RIGHT, (5.0, 2.0), without, [(1.0, 20.0), (1.0, 4.0)])
    assert found[:2] == (round(3 - down, 10), round(3 + up, 10))


def test_equal_systems_differ_by_nothing_however_wide_their_own_intervals_are():
    without = np.array([5.0, 4.0, 6.0, 5.0])
    ends = [(1.0, 20.0)] * 2
    assert difference_interval(RIGHT, (5.0, 5.0), (without, without), ends) == Interval(0.0, 0.0, 0.0)
    others = without, without[::-1]
    assert difference_interval(RIGHT, (5.0, 5.0), others, ends).high > 1  # equal scores of other answers


def test_pages_show_two_digits_of_the_uncertainty():
    said = [f"{word} b c d" for word in "abcdefghijkl"]
    result = spokeneval.score({"kind": "transcripts"}, said, [*said[:6], *(line[:3] for line in said[6:])])
    low, high = result.intervals["wer"]  # 25 % of the words are missing
    assert 10 < (high - low) / 2 < 99
    assert f"95 % interval {low:.0f} to {high:.0f}" in result.report()
    assert result.answered.scored.settings.decimals["wer"] == 0
