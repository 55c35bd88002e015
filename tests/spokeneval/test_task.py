"""Tests of tasks as values: scores from counts, and the columns of the leaderboard."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import numpy as np
import pytest
import yaml

from spokeneval.challenges import find_task, task_names
from spokeneval.formats.events import DetectedEvents
from spokeneval.formats.format import Answers, Format, Items
from spokeneval.formats.meetings import Meetings
from spokeneval.formats.speakers import Units
from spokeneval.formats.turns import Submission
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.counts import ratio
from spokeneval.scoring.reference import read_reference
from spokeneval.task import HIGHER, LOWER, POSITIVE, Column, Option, Score, Task
from tests.samples.declared_tasks import TASKS as DECLARED
from tests.samples.programs import ROOT, encoded


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


def test_another_primary_score_is_first_and_keeps_the_rule_of_eligibility():
    plain = find_task("spoken_call")
    task = plain.with_options({"primary": "recall"})
    assert (task.primary.key, task.chosen) == ("recall", {"primary": "recall"})
    assert [score.key for score in task.scores[1:]] == [s.key for s in plain.scores if s.key != "recall"]
    assert task.eligibility == plain.eligibility._replace(raw="recall")
    assert plain.ranked_by("d_full") is plain
    assert "ca" not in plain.primaries  # a count, which has no interval


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


def test_random_answers_of_a_trivial_baseline_are_warned_of():
    task = find_task("caller_experience")
    items = Items(tuple(map(str, range(10))))
    answers = task.trivial["ratings at random"](items)
    assert task.doubts(answers, items) == [
        "the answers are those of the trivial baseline “ratings at random”. Is it the right file?"
    ]
    answers["rating"][3] = 5 - answers["rating"][3]
    assert task.doubts(answers, items) == []


def honest_answers(values, rng):
    """Answers with errors, from those of a perfect system."""
    n = len(values)
    if values.dtype == object:  # symbols that are missing or of another item
        other = values[rng.permutation(n)]
        made = np.empty(n, dtype=object)
        made[:] = [
            [symbol for symbol in cell if rng.random() > 0.1] if rng.random() < 0.7 else wrong
            for cell, wrong in zip(values, other, strict=True)
        ]
        return made
    if values.dtype.kind == "f":
        noise = rng.normal(0, rng.uniform(0.3, 2) * values.std(), n)
        return np.round(values + noise, rng.integers(1, 5))
    return np.where(rng.random(n) < rng.uniform(0.5, 0.9), values, values[rng.permutation(n)])


def honest(perfect, rng):
    """A submission with errors, from that of a perfect system."""
    if isinstance(perfect, Answers):
        made = {name: honest_answers(values, rng) for name, values in perfect.columns.items()}
        table = np.stack([*perfect.columns.values()], axis=1)
        if table.dtype.kind == "f" and len(made) > 1 and np.allclose(table.sum(axis=1), 1):  # posteriors
            scores = rng.uniform(1, 20) * (table + rng.normal(0, 0.7, table.shape))
            shares = np.exp(scores - scores.max(axis=1, keepdims=True))
            shares = np.round(shares / shares.sum(axis=1, keepdims=True), rng.integers(2, 7))
            made = dict(zip(made, shares.T, strict=True))
        return Answers(perfect.items, made)
    if isinstance(perfect, Meetings):
        return replace(
            perfect,
            speakers=[
                [speaker._replace(spans=jittered(speaker.spans, 2e8, rng)) for speaker in speakers]
                for speakers in perfect.speakers
            ],
        )
    if isinstance(perfect, DetectedEvents):
        found = [
            each._replace(spans=jittered(each.spans, 200, rng), scores=rng.uniform(0.5, 1, len(each.scores)))
            for each in perfect.events
        ]
        return replace(perfect, events=found)
    turns = [
        turns._replace(
            spans=jittered(turns.spans, 200, rng),
            labels=np.where(rng.random(len(turns.labels)) < 0.8, turns.labels, turns.labels[::-1]),
        )
        for turns in perfect.turns
    ]
    return Submission(perfect.names, turns)


def jittered(spans, width, rng):
    ends = np.maximum(spans + rng.normal(0, width, spans.shape), 0)
    return np.sort(ends, axis=1).astype(spans.dtype)


def perfect_system(task, reference):
    if task.partly_right is not None:
        return task.partly_right(reference, np.ones(len(reference.items), dtype=bool))
    if not isinstance(reference, Answers):
        return reference
    columns = next(iter(task.trivial.values()))(reference.items).columns
    first = next(iter(reference.columns.values()))
    return Answers(reference.items, {name: reference.columns.get(name, first) for name in columns})


def set_of(name):
    """A task, and the reference of a set of samples."""
    if name not in DECLARED:
        task = find_task(name)
        return task, read_reference(task, ROOT / "reference_data" / name / "evaluation").labels
    declaration, make = DECLARED[name]
    task = declared_task("own", {"title": "Own", **yaml.safe_load(declaration)})
    return task, task.format.read_reference(encoded(make("evaluation", random.Random(name))))


HONEST = 200


@pytest.mark.default_cases("ratings", "posteriors", "words", "turns")
@pytest.mark.parametrize("name", [*DECLARED, *task_names()])
def test_of_honest_submissions_with_errors_at_most_one_in_a_hundred_is_warned_of(name):
    rng = np.random.default_rng(60)
    task, reference = set_of(name)
    perfect = perfect_system(task, reference)
    warned = [task.doubts(honest(perfect, rng), reference.items) for _ in range(HONEST)]
    assert sum(map(bool, warned)) <= HONEST / 100, [lines for lines in warned if lines][:3]
