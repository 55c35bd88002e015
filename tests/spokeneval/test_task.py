"""Tests of tasks as values: scores from counts, and the columns of the leaderboard."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from spokeneval.challenges import find_task
from spokeneval.formats.format import Format
from spokeneval.formats.speakers import Units
from spokeneval.metrics.counts import ratio
from spokeneval.task import HIGHER, LOWER, POSITIVE, Column, Option, Score, Task


def rate(counts):
    return ratio(counts[0], counts[1], "the rate")


RATE = Score("rate", "Rate", LOWER, rate, "a over b")


def test_a_score_is_its_formulas_value_or_what_is_written_where_it_is_undefined():
    assert RATE.value((1, 4)) == 0.25
    with pytest.raises(ValueError, match="the rate is undefined"):
        RATE.value((1, 0))
    percent = RATE._replace(percent=True, undefined=7.5)
    assert (percent.value((1, 4)), type(percent.value((1, 4)))) == (25, float)
    assert percent.value((1, 0)) == 7.5
    many = np.array([1, 1]), np.array([4, 0])
    assert np.isnan(RATE.value(many)).tolist() == [False, True]
    assert RATE._replace(percent=True).value(many)[0] == 25
    assert RATE._replace(undefined=0.5).value(many).tolist() == [0.25, 0.5]
    assert (RATE.heading, percent.heading) == ("Rate", "Rate (%)")


def test_columns_are_the_scores_then_the_ends_of_the_first_ones_interval():
    scores = (RATE._replace(percent=True), Score("n", "N", HIGHER, len, "all", of="second"))
    task = Task(
        "small",
        "Small",
        Format(*[None] * len(Format._fields)),
        lambda _: Units("call", {}),
        dict,
        scores,
        dict,
        list,
    )
    assert task.columns == (
        Column("rate", "Rate (%)", LOWER, 2, "a over b"),
        Column("n", "N", HIGHER, 4, "all"),
        Column("rate_low", "Rate from (95 %)", LOWER, 2, "lower end of the 95 % confidence interval"),
        Column("rate_high", "Rate to (95 %)", LOWER, 2, "upper end of the 95 % confidence interval"),
    )
    assert task.primary is scores[0]
    assert (scores[0].limits, scores[0]._replace(bounds=POSITIVE).limits) == ((0, 100), (0, math.inf))
    counts = {"first": 1, "second": 2}
    assert [task.part(score, counts) for score in scores] == [1, 2]


def test_a_task_varies_with_its_options():
    options = (Option("words", ("known", "unknown")), Option("times", ("whole", "parts")))
    plain = find_task("psst_correctness")
    task = replace(
        plain, options=options, vary=lambda chosen: replace(plain, title=" ".join(chosen.values()))
    )
    assert task.with_options({}) == replace(plain, title="known whole")
    chosen = {"times": "parts"}
    assert task.with_options(chosen) == replace(plain, title="known parts", chosen=chosen)
    alone = replace(task, vary=None)
    assert alone.with_options({"times": "parts"}) is alone
