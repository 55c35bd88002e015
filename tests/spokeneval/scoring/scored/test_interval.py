"""Intervals of every task: its statistics sum to its scores, and leaving units out, or drawing them anew, is as a plain
loop does it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from spokeneval.challenges import find_task, task_names
from spokeneval.formats import turns
from spokeneval.formats.format import Answers, take_answers, take_reference
from spokeneval.formats.text import read_folder
from spokeneval.metrics import jackknife
from spokeneval.metrics.bootstrap import resample_draws
from spokeneval.metrics.counts import total
from spokeneval.metrics.shares import interval_of_formula
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Scored, joint_scores, score_submission
from spokeneval.task import Score, Task
from tests.samples.cases import OWN
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, encoded


@dataclass(frozen=True)
class Case:
    """Items of the sample with their units, and a reference and a submission that have them."""

    units: Sequence[Sequence[int]]
    reference: Any
    submission: Any

    def make(self, chosen: np.ndarray) -> tuple[Any, Any]:
        """The reference and the submission of these items, some of them perhaps several times."""
        own, take = self.reference, turns.take
        if isinstance(own, Answers):
            return take_reference(own, chosen), take_answers(self.submission, chosen)
        items = replace(own.items, ids=tuple(own.items.ids[place] for place in chosen))
        parts = ([part[place] for place in chosen] for part in (own.turns, own.regions, own.excluded))
        return turns.TurnReference(items, own.names, *parts), take(self.submission, chosen)

    def all_items(self) -> np.ndarray:
        return np.sort(np.concatenate([np.array(items) for items in self.units]))


def case_of(task: Task, seed: int = 0) -> Case:
    """Up to 12 items of each of 6 units, or of 15 units that are single items."""
    folder = ROOT / "reference_data" / task.name / "evaluation"
    reference = task.format.read_reference(read_folder(folder))
    files = encoded(near_misses(task.name, folder))
    names = list(task.units(reference).of.values())
    if task.name == "merlion_identification":  # the units are already the rows of its counts
        names = reference.texts["recording"]
    rng = np.random.default_rng(seed)
    different = sorted(set(names))
    chosen = rng.choice(different, 15 if len(different) == len(names) > 15 else 6, replace=False)
    rows = ([row for row, name in enumerate(names) if name == unit] for unit in sorted(chosen.tolist()))
    units = [sorted(rng.permutation(some)[:12].tolist()) for some in rows]
    units = units if any(len(unit) > 1 for unit in units) else sorted(units)  # in the order of statistics
    return Case(units, reference, task.format.read_submission(files, reference.items))


def scored(task: Task, case: Case, chosen: np.ndarray) -> Scored:
    options = Settings(choose_options(task, {}), False, Signature(task.name))
    return score_submission(task, *case.make(chosen), options)


def primary_score(task: Task, case: Case, chosen: np.ndarray) -> float:
    """The primary score of some items from their total counts; NaN if it is undefined."""
    try:
        return task.primary.value(total(task.part(task.primary, task.count(*case.make(chosen)))))
    except ValueError:
        return math.nan


@pytest.fixture(params=[name for name in task_names() if name not in OWN])
def task(request) -> Task:
    return find_task(request.param)


def test_resampled_scores_are_those_of_a_loop_over_drawn_units(task):
    case = case_of(task)
    statistics = scored(task, case, case.all_items()).statistics

    @cache
    def score(drawn: tuple[int, ...]) -> float:
        return primary_score(task, case, np.concatenate([np.array(case.units[unit]) for unit in drawn]))

    draws = resample_draws(len(case.units), resamples=200)
    expected = [score(tuple(sorted(drawn))) for drawn in draws.tolist()]
    found = joint_scores(task.primary.value, [task.part(task.primary, statistics.parts)], resamples=200)
    assert len(set(expected)) > 10
    np.testing.assert_allclose(found[:, 0], expected, rtol=0, atol=1e-9)


def expected_interval(score: Score, value: float, without: np.ndarray, rows: Any) -> list[float]:
    """The ends of a score within its bounds; the functions are held against scipy in tests/spokeneval/metrics."""
    factor = 100 if score.percent else 1
    ends = interval_of_formula(score.formula, rows, score.bounds, value / factor, without / factor)
    return [factor * end for end in ends]


def test_an_interval_is_that_of_a_loop_over_left_out_units(task):
    case = case_of(task)
    whole = scored(task, case, case.all_items())
    kept = [
        np.sort(np.concatenate([*case.units[:unit], *case.units[unit + 1 :]]))
        for unit in range(len(case.units))
    ]
    totals = [{part: total(rows) for part, rows in task.count(*case.make(items)).items()} for items in kept]
    with_interval = [score for score in task.scores if score.bounds or score.interval]
    assert [score.key for score in with_interval] == list(whole.intervals)
    for score, (key, found) in zip(with_interval, whole.intervals.items()):
        value = whole.scores[key]
        without = []
        for counts in totals:
            try:
                without.append(score.value(task.part(score, counts)))
            except ValueError:
                without.append(value)
        without = np.array(without, dtype=float)
        if score.interval:  # likewise
            factor = 100 if score.percent else 1
            expected = [factor * each for each in score.interval(task.part(score, whole.statistics.parts))]
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9, err_msg=key)
            continue
        expected = expected_interval(score, value, without, task.part(score, whole.statistics.parts))
        np.testing.assert_allclose([found.low, found.high], expected, rtol=1e-9, atol=1e-9, err_msg=key)
        n = len(without)
        np.testing.assert_allclose(
            found.standard_error, (n - 1) / math.sqrt(n) * without.std(ddof=1), rtol=0, atol=1e-9
        )
        assert found.low <= value <= found.high
    assert whole.intervals[task.primary.key].low < whole.intervals[task.primary.key].high


@pytest.mark.parametrize("numbers", [1, 1000])
def test_no_interval_depends_on_how_many_units_are_left_out_at_a_time(task, numbers, monkeypatch):
    case = case_of(task)
    whole = scored(task, case, case.all_items())
    monkeypatch.setattr(jackknife, "NUMBERS_AT_ONCE", numbers)
    assert scored(task, case, case.all_items()).intervals == whole.intervals


@pytest.mark.parametrize("seed", [0, 1])
def test_no_score_and_no_interval_depends_on_the_order_of_the_rows(task, seed):
    case = case_of(task, seed)
    items = case.all_items()
    first, *others = (
        scored(task, case, order)
        for order in (items, items[::-1], np.random.default_rng(1).permutation(items))
    )
    for other in others:
        assert (other.scores, other.intervals) == (first.scores, first.intervals)
