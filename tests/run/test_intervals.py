"""Intervals of every task: its statistics sum to its scores, and leaving units out, or drawing them anew, is as a plain
loop does it."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import pytest

from spokeneval.formats import language_turns, segment_scores
from spokeneval.formats.format import Items
from spokeneval.formats.sheets import Answers
from spokeneval.formats.speakers import Units
from spokeneval.metrics import bootstrap
from spokeneval.metrics.bootstrap import (
    bootstrap_scores,
    expanded_level,
    percentile_interval,
    resample_draws,
    resample_weights,
    splitmix64,
)
from spokeneval.metrics.counts import ratio, total
from spokeneval.metrics.jackknife import jackknife_error, jackknife_interval, student_quantile
from spokeneval.metrics.phoneme_recognition import arpabet_features
from spokeneval.run.interval import Interval, joint_scores, score_intervals
from spokeneval.run.options import Options, choose_options, fingerprint
from spokeneval.run.scores import LARGEST
from spokeneval.run.scoring import Scored, score_submission
from spokeneval.run.statistics import by_unit, parse_statistics, primary_matrix, primary_of_sums
from spokeneval.task import LOWER, Score, Task
from spokeneval.tasks import find_task, task_names
from tests.samples.cases import OWN
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_score


@dataclass(frozen=True)
class Case:
    """Items that belong to units, and how a reference and a submission are made of some of them, with repetition."""

    units: Sequence[Sequence[int]]
    make: Callable[[np.ndarray], tuple[Any, Any]]

    def all_items(self) -> np.ndarray:
        return np.sort(np.concatenate([np.array(items) for items in self.units]))


def grouped(names: Sequence[Any]) -> list[list[int]]:
    return [[index for index, other in enumerate(names) if other == name] for name in sorted(set(names))]


def sheets_case(reference, submission, **names: Sequence[str]) -> Case:
    """A case of two sheets' columns, each item a unit; `names`, a column of text, puts items together."""

    def make(chosen):
        items = Items(tuple(map(str, chosen)))
        texts = {column: [values[item] for item in chosen] for column, values in names.items()}
        said, answered = (
            {column: values[chosen] for column, values in sheet.items()} for sheet in (reference, submission)
        )
        return Answers(items, said, texts), Answers(items, answered)

    size = len(next(iter(reference.values())))
    return Case(grouped(next(iter(names.values()), range(size))), make)


def six_speakers(rng: np.random.Generator) -> list[str]:
    return [f"S{number}" for number in rng.permutation(np.arange(15) % 6)]


def spoken_call_case(rng):
    correct = np.arange(12) < 7
    meaningful = correct | (rng.random(12) < 0.5)
    accept = np.where(rng.random(12) < 0.25, ~correct, correct)
    return sheets_case({"language": correct, "meaning": meaningful}, {"Accept": accept})


def caller_experience_case(rng):
    ratings = np.clip(rng.integers(1, 6, 6) + rng.integers(-1, 2, (4, 6)), 1, 5)
    return sheets_case({f"human{place + 1}": ratings[place] for place in range(3)}, {"rating": ratings[3]})


def psst_recognition_case(rng):
    said, heard = np.empty((2, 15), dtype=object)
    for transcripts in (said, heard):
        phones = arpabet_features().phones[:6]
        transcripts[:] = [rng.choice(phones, rng.integers(0, 6)).tolist() for _ in range(15)]
    return sheets_case({"transcript": said}, {"asr_transcript": heard}, session=six_speakers(rng))


def psst_correctness_case(rng):
    correct, predicted = rng.random((2, 15)) < 0.6
    return sheets_case({"correctness": correct}, {"prediction": predicted}, session=six_speakers(rng))


def content_accuracy_case(rng):
    human = rng.integers(1, 5, 15)
    reference = {"human_score": human, "words": rng.integers(20, 100, 15)}
    return sheets_case(reference, {"score": human + rng.normal(0, 1, 15)}, speaker_id=six_speakers(rng))


def merlion_identification_case(rng):
    is_english = rng.random(40) < 0.6
    english, mandarin = rng.normal(is_english * 1.0, 1).round(1), rng.normal(~is_english * 1.0, 1).round(1)
    recording = rng.permutation(np.arange(40) % 6)

    def make(chosen):
        names, numbers = np.unique([f"r{number}.wav" for number in recording[chosen]], return_inverse=True)
        items = Items(tuple(map(str, chosen)))
        return (
            segment_scores.Reference(items, is_english[chosen], numbers, names.tolist()),
            segment_scores.Submission(english[chosen], mandarin[chosen]),
        )

    return Case(grouped(recording), make)


def merlion_diarization_case(rng):
    def turns():
        start = rng.random((2, 3, 1)) * 9000
        return tuple(np.concatenate([start, start + 1 + rng.random((2, 3, 1)) * 3000], axis=2))

    said, claimed = [turns() for _ in range(6)], [turns() for _ in range(6)]
    regions = [np.array([[500.0, 8000 + 500 * item]]) for item in range(6)]

    def make(chosen):
        parts = [
            tuple(values[item] for item in chosen)
            for values in (said, regions, [np.zeros((0, 2))] * 6, [f"{item}.wav" for item in range(6)])
        ]
        reference = language_turns.Reference(Items(tuple(map(str, chosen))), *parts)
        return reference, language_turns.Submission(tuple(claimed[item] for item in chosen))

    return Case([[item] for item in range(6)], make)


def case_of(task: Task, seed: int = 0) -> Case:
    return globals()[f"{task.name}_case"](np.random.default_rng(seed))


def scored(task: Task, case: Case, chosen: np.ndarray) -> Scored:
    options = Options(choose_options(task, {}), labels_public=False, compared_by="")
    return score_submission(task, *case.make(chosen), options)


def primary_score(task: Task, case: Case, chosen: np.ndarray) -> float:
    """The primary score of some items, counted and added up; NaN where it is undefined."""
    try:
        return task.primary.value(total(task.part(task.primary, task.count(*case.make(chosen)))))
    except ValueError:
        return math.nan


@pytest.fixture(params=[name for name in task_names() if name not in OWN])
def task(request) -> Task:
    return find_task(request.param)


@pytest.mark.parametrize("seed", range(3))
def test_statistics_add_up_to_the_score(task, seed):
    case = case_of(task, seed)
    whole = scored(task, case, case.all_items())
    statistics = whole.statistics
    shape = len(case.units), len(statistics.columns)
    assert statistics.values.shape == shape == (len(statistics.units), len(statistics.columns))
    found = primary_of_sums(task, statistics)(primary_matrix(task, statistics).sum(axis=0, keepdims=True))
    expected = primary_score(task, case, case.all_items())
    np.testing.assert_allclose(found, [expected], rtol=0, atol=1e-12)
    assert whole.scores[task.primary.key] == expected


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


def expected_interval(score: Score, value: float, without: np.ndarray) -> tuple[float, float]:
    """Student's interval on the score's scale."""
    low, high = score.limits
    n = len(without)

    def on_scale(x):
        return np.log(x - low) - (np.log(high - x) if high < math.inf else 0)

    with np.errstate(divide="ignore"):
        own_scale = not np.isfinite(on_scale(np.append(without, value))).all()
    others = without if own_scale else on_scale(without)
    squares = (others - others.mean()) ** 2
    if not squares.any():
        return value, value
    variance_of_squares = squares.var(ddof=1)
    freedom = (
        n - 1 if not variance_of_squares else min(n - 1, 2 * squares.sum() ** 2 / n / variance_of_squares)
    )
    error = math.sqrt((n - 1) / n * squares.sum())
    half = student_quantile(freedom) * error
    if own_scale:
        return max(low, value - half), min(high, value + half)
    ends = on_scale(value) - half, on_scale(value) + half
    shares = [1 / (1 + math.exp(-end)) for end in ends]
    return tuple(
        low + math.exp(end) if high == math.inf else low + (high - low) * share
        for end, share in zip(ends, shares)
    )


def test_an_interval_is_that_of_a_loop_over_left_out_units(task):
    case = case_of(task)
    whole = scored(task, case, case.all_items())
    kept = [
        np.sort(np.concatenate([*case.units[:unit], *case.units[unit + 1 :]]))
        for unit in range(len(case.units))
    ]
    totals = [{part: total(rows) for part, rows in task.count(*case.make(items)).items()} for items in kept]
    assert [score.key for score in task.scores if score.bounds] == list(whole.intervals)
    for key, found in whole.intervals.items():
        (score,) = [score for score in task.scores if score.key == key]
        value = whole.scores[key]
        without = []
        for counts in totals:
            try:
                without.append(score.value(task.part(score, counts)))
            except ValueError:
                without.append(value)
        without = np.array(without, dtype=float)
        expected = expected_interval(score, value, without)
        np.testing.assert_allclose([found.low, found.high], expected, rtol=1e-9, atol=1e-9, err_msg=key)
        n = len(without)
        np.testing.assert_allclose(
            found.standard_error, (n - 1) / math.sqrt(n) * without.std(ddof=1), rtol=0, atol=1e-9
        )
        assert found.low <= value <= found.high
    assert whole.intervals[task.primary.key].low < whole.intervals[task.primary.key].high


@pytest.mark.parametrize("seed", [0, 4])
def test_no_score_and_no_interval_depends_on_the_order_of_the_rows(task, seed):
    case = case_of(task, seed)
    items = case.all_items()
    first, *others = (
        scored(task, case, order)
        for order in (items, items[::-1], np.random.default_rng(1).permutation(items))
    )
    for other in others:
        assert (other.scores, other.intervals) == (first.scores, first.intervals)


@pytest.mark.parametrize("task", task_names(), indirect=True)
def test_a_public_reference_gives_statistics_from_which_every_score_follows(task, tmp_path):
    folder = ROOT / "reference_data" / task.name / "evaluation"
    reference = {path.name: path.read_bytes() for path in folder.iterdir()}
    options = {"public_references": [fingerprint(reference)]}
    run = run_score(task.name, tmp_path, reference, near_misses(task.name, folder), options)
    assert run.status == 0, run.stderr
    text = (tmp_path / "output" / "statistics.json").read_text()
    assert len(text) < 500_000
    written = json.loads(text)
    assert (len(written["units"]), len(written["columns"])) == np.shape(written["values"])
    parts = {part: total(counts) for part, counts in parse_statistics(written).parts.items()}
    for score in task.scores:
        found = score.value(task.part(score, parts))
        np.testing.assert_allclose(found, run.scores[score.key], rtol=0, atol=1e-11)


# The parts.


@dataclass(frozen=True)
class Errors:
    """Counts of the smallest kind."""

    errors: Any
    items: Any


@dataclass(frozen=True)
class Values:
    """Counts that are no counts: any numbers, several a row."""

    values: np.ndarray


PERCENT = Score("rate", "Rate", LOWER, lambda sums: ratio(sums.errors, sums.items, "rate"), "", percent=True)


def interval_of(score: Score, rows: Any, value: float) -> Interval:
    task = replace(find_task("psst_recognition"), scores=(score,))
    return score_intervals(task, {score.key: value}, {"rows": rows})[score.key]


def test_the_level_is_that_of_hesterberg():
    assert expanded_level(1) == 1
    # By scipy 1.15: 1 - 2 norm.cdf(-sqrt(n / (n - 1)) t.ppf(.975, n - 1)).
    expected = {5: 0.9980918988, 10: 0.9828987219, 22: 0.9667087089, 41: 0.9592616189, 2000: 0.9501958086}
    for units, level in expected.items():
        assert expanded_level(units) == pytest.approx(level, rel=0, abs=1e-5)
    with pytest.raises(ValueError, match="0 units"):
        expanded_level(0)


def test_the_interval_of_a_mean_is_the_text_book_one():
    # By scipy 1.17: t.interval(0.95, 4, 3.2, sem([1, 2, 3, 4, 6])). Squares about the mean are 4.84, 1.44, 0.04, 0.64
    # and 7.84, in all 14.8; 2 * 14.8**2 / (5/4 * 43.568) = 8.04 is no less than 4 degrees of freedom.
    values = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    without = (values.sum() - values) / 4
    ends = jackknife_interval(values.mean(), without, (-math.inf, math.inf))
    np.testing.assert_allclose(ends, (0.8116116119, 5.5883883881), rtol=0, atol=1e-9)
    np.testing.assert_allclose(jackknife_error(without), values.std(ddof=1) / math.sqrt(5), rtol=1e-12)


def test_where_one_unit_makes_the_difference_there_are_few_degrees_of_freedom():
    # Squares about the mean 1/11 are ten of 1/121 and one of 100/121, in all 110/121, and differ from their own mean,
    # 10/121, by 8910/121**2: 2 * 110**2 / (11/10 * 8910) = 2.4691 degrees. By scipy 1.17 t.ppf(.975, 2.4691) is
    # 3.60683; the error is the root of 10/11 * 110/121, 10/11.
    without = np.append(np.zeros(10), 1.0)
    low, high = jackknife_interval(0.0, without, (-math.inf, math.inf))
    assert high == pytest.approx(3.6068276059 * 10 / 11, rel=1e-9) == -low


def test_students_quantile_is_that_of_scipy():
    # By scipy 1.17: t.ppf(.975, freedom).
    expected = {
        1: 12.7062047362,
        1.5: 6.0166631044,
        2: 4.3026527297,
        3.7: 2.8675207072,
        24: 2.0638985616,
        49_238: 1.9600121654,
    }
    for freedom, quantile in expected.items():
        assert student_quantile(freedom) == pytest.approx(quantile, rel=0, abs=2e-9)


def test_one_unit_gives_the_score_itself():
    one = Errors(np.array([1]), np.array([3]))
    assert interval_of(PERCENT, one, 100 / 3) == Interval(100 / 3, 100 / 3, 0)


def test_an_end_is_within_the_bounds_and_small_enough_for_a_platform():
    few = np.array([1e-3, 1e3])
    low, high = jackknife_interval(1.0, few, (0.0, math.inf))
    assert 0 < low < high < LARGEST
    assert jackknife_interval(0.0, np.array([0.0, 0.5]), (0.0, 1.0)) == (0.0, 1.0)
    assert jackknife_interval(1.0, np.ones(12), (0.0, 1.0)) == (1.0, 1.0)


def test_an_interval_of_no_width_holds_the_score_to_the_last_digit():
    # 110 / 130 has no end in decimals: rounded to ten of them, an end would lie above the score.
    rows = Errors(np.full(5, 110.0), np.full(5, 130.0))
    score = PERCENT.value(total(rows))
    interval = interval_of(PERCENT, rows, score)
    assert (interval.low, interval.high) == (score, score)


def test_rows_add_up_by_unit_in_the_order_of_the_names():
    rows = Errors(np.array([1, 3, 5]), np.array([2, 4, 6]))
    summed = by_unit(Units("speaker", {"1": "b", "2": "a", "3": "b"}), {"rows": rows})
    assert (summed.unit, list(summed.units)) == ("speaker", ["a", "b"])
    assert (summed.columns, summed.values.tolist()) == (["rows.errors", "rows.items"], [[3, 4], [6, 8]])


def test_sums_of_fractions_are_those_of_a_loop_whatever_the_order():
    values = np.random.default_rng(0).random((30, 3))
    weights = resample_weights(30, resamples=50)

    def second(sums: Values) -> np.ndarray:
        return sums.values[:, 1]

    found = bootstrap_scores(Values(values), second, weights)
    for resample in range(50):
        expected = 0.0
        for unit in range(30):
            expected += weights[resample, unit] * values[unit, 1]
        assert abs(found[resample] - expected) < 1e-13
    order = np.random.default_rng(1).permutation(30)
    assert (bootstrap_scores(Values(values[order]), second, weights[:, order]) == found).all()


@pytest.mark.parametrize("at_a_time", [1, 70, 1 << 30])
def test_resamples_are_the_same_however_many_are_worked_on_at_a_time(monkeypatch, at_a_time):
    rows = Values(np.random.default_rng(0).random((30, 7)))
    weights = resample_weights(30)

    def scores():
        return bootstrap_scores(rows, lambda sums: sums.values[:, 1] / sums.values[:, 3], weights)

    found = scores()
    monkeypatch.setattr(bootstrap, "_AT_A_TIME", at_a_time)
    assert (resample_weights(30) == weights).all()
    assert (scores() == found).all()


def test_the_generator_is_splitmix64():
    # The reference implementation's first numbers for seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
    counters = [(1234567 + n * 0x9E3779B97F4A7C15) % 2**64 for n in range(1, 6)]
    assert splitmix64(np.array(counters, dtype=np.uint64)).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def test_every_unit_is_drawn_as_often_as_any_other():
    counts = np.bincount(resample_draws(7, resamples=10_000).ravel(), minlength=7)
    # 10,000 draws each, standard deviation sqrt(70,000 * 1/7 * 6/7) = 93.
    assert np.abs(counts - 10_000).max() < 4 * 93
    assert resample_weights(7).sum(axis=1).tolist() == [7] * 2000


def test_an_interval_at_a_lower_level_is_inside():
    scores = np.append(np.arange(100.0), np.nan)
    assert percentile_interval(scores, level=0.95) == (2, 97)
    assert percentile_interval(scores, level=0.5) == (25, 74)
    with pytest.raises(ValueError, match="no resample"):
        percentile_interval(np.array([np.nan]))
