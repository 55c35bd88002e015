"""Intervals of every task: its statistics sum to its score, and resample as a plain loop over drawn units does."""

from __future__ import annotations

import importlib.util
import json
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from spokeneval.metrics import (
    accept_reject,
    agreement,
    bootstrap,
    correctness,
    language_diarization,
    phoneme_recognition,
)
from spokeneval.metrics import language_identification as identification
from spokeneval.metrics.bootstrap import (
    bootstrap_scores,
    expanded_level,
    percentile_interval,
    resample_draws,
    resample_weights,
    splitmix64,
)
from spokeneval.results.options import Options, fingerprint
from spokeneval.results.uncertainty import Statistics, primary_interval, summed_by_unit
from spokeneval.submissions import (
    caller_experience,
    content_accuracy,
    merlion_diarization,
    merlion_identification,
    psst_correctness,
    psst_recognition,
    spoken_call,
)
from tests.support import ROOT, run_score

TASKS = (
    "spoken_call",
    "caller_experience",
    "psst_recognition",
    "psst_correctness",
    "merlion_identification",
    "merlion_diarization",
    "content_accuracy",
)

STUDENT = {5: 2.7764, 6: 2.5706, 12: 2.2010}
"""Student's t, 0.975, n - 1 degrees of freedom, for n units: from printed tables."""


@cache
def program(task: str) -> Any:
    """A task's score.py as a module."""
    spec = importlib.util.spec_from_file_location(task, ROOT / "scoring_program" / task / "score.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True)
class Case:
    """Items that belong to units, and how a reference and a submission are made of some of them, with repetition."""

    units: Sequence[Sequence[int]]
    make: Callable[[np.ndarray], tuple[Any, Any]]
    options: dict[str, str]

    def all_items(self) -> np.ndarray:
        return np.sort(np.concatenate([np.array(items) for items in self.units]))


def grouped(names: Sequence[str]) -> list[list[int]]:
    return [[index for index, other in enumerate(names) if other == name] for name in sorted(set(names))]


def spoken_call_case(rng: np.random.Generator) -> Case:
    correct = np.array([1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0], dtype=bool)
    meaningful = correct | (rng.random(12) < 0.5)
    accept = np.where(rng.random(12) < 0.25, ~correct, correct)

    def make(chosen):
        items = spoken_call.Items(tuple(map(str, chosen)), None)
        return (
            spoken_call.Reference(items, correct[chosen], meaningful[chosen], {}),
            spoken_call.Submission(accept[chosen]),
        )

    return Case([[item] for item in range(12)], make, {"class_sizes": "hidden", "fifty_percent_rule": "flag"})


def caller_experience_case(rng: np.random.Generator) -> Case:
    ratings = np.clip(rng.integers(1, 6, 6) + rng.integers(-1, 2, (4, 6)), 1, 5)

    def make(chosen):
        items = caller_experience.Items(tuple(map(str, chosen)))
        return (
            caller_experience.Reference(items, ratings[:3, chosen]),
            caller_experience.Submission(ratings[3, chosen]),
        )

    return Case([[item] for item in range(6)], make, {})


def psst_recognition_case(rng: np.random.Generator) -> Case:
    phones = phoneme_recognition.arpabet_features().phones
    said, heard = ([rng.choice(phones[:6], rng.integers(0, 6)).tolist() for _ in range(15)] for _ in range(2))
    names = [f"S{number}" for number in rng.permutation(np.arange(15) % 6)]

    def make(chosen):
        items = psst_recognition.Items(tuple(map(str, chosen)))
        sheet = {"session": [names[item] for item in chosen]}
        return (
            psst_recognition.Reference(items, [said[item] for item in chosen], sheet),
            psst_recognition.Submission([heard[item] for item in chosen]),
        )

    return Case(grouped(names), make, {})


def psst_correctness_case(rng: np.random.Generator) -> Case:
    correct, predicted = rng.random((2, 15)) < 0.6
    names = [f"S{number}" for number in rng.permutation(np.arange(15) % 6)]

    def make(chosen):
        items = psst_correctness.Items(tuple(map(str, chosen)))
        sheet = {"session": [names[item] for item in chosen]}
        return (
            psst_correctness.Reference(items, correct[chosen], sheet),
            psst_correctness.Submission(predicted[chosen]),
        )

    return Case(grouped(names), make, {})


def merlion_identification_case(rng: np.random.Generator) -> Case:
    is_english = rng.random(40) < 0.6
    english, mandarin = rng.normal(is_english * 1.0, 1).round(1), rng.normal(~is_english * 1.0, 1).round(1)
    recording = rng.permutation(np.arange(40) % 6)

    def make(chosen):
        items = merlion_identification.Items(tuple(map(str, chosen)))
        names, numbers = np.unique([f"r{each}.wav" for each in recording[chosen]], return_inverse=True)
        return (
            merlion_identification.Reference(items, is_english[chosen], numbers, names.tolist()),
            merlion_identification.Submission(english[chosen], mandarin[chosen]),
        )

    return Case(grouped([f"r{number}" for number in recording]), make, {})


def merlion_diarization_case(rng: np.random.Generator) -> Case:
    def turns():
        start = rng.random((2, 3, 1)) * 9000
        return language_diarization.Turns(
            *np.concatenate([start, start + 1 + rng.random((2, 3, 1)) * 3000], axis=2)
        )

    said, claimed = [turns() for _ in range(6)], [turns() for _ in range(6)]
    regions = [np.array([[500.0, 8000 + 500 * item]]) for item in range(6)]

    def make(chosen):
        items = merlion_diarization.Items(tuple(map(str, chosen)))
        parts = [said[item] for item in chosen], [regions[item] for item in chosen]
        excluded = [np.zeros((0, 2))] * len(chosen)
        names = [f"{item}.wav" for item in chosen]
        return (
            merlion_diarization.Reference(items, *map(tuple, (*parts, excluded, names))),
            merlion_diarization.Submission(tuple(claimed[item] for item in chosen)),
        )

    return Case([[item] for item in range(6)], make, {})


def content_accuracy_case(rng: np.random.Generator) -> Case:
    human = rng.integers(1, 5, 15)
    predicted = human + rng.normal(0, 1, 15)
    words = rng.integers(20, 100, 15)
    names = [f"S{number}" for number in rng.permutation(np.arange(15) % 6)]

    def make(chosen):
        items = content_accuracy.Items(tuple(map(str, chosen)))
        sheet = {"speaker_id": [names[item] for item in chosen]}
        return (
            content_accuracy.Reference(items, human[chosen], words[chosen], sheet),
            content_accuracy.Submission(predicted[chosen]),
        )

    return Case(grouped(names), make, {})


def case_of(task: str, seed: int = 0) -> Case:
    return globals()[f"{task}_case"](np.random.default_rng(seed))


def evaluated(task: str, case: Case, chosen: np.ndarray) -> float:
    """The primary score of some items by the program's `evaluate`; NaN where it has none."""
    options = Options(
        case.options, labels_public=False, detailed_results=False, rounded=False, compared_by=""
    )
    try:
        return program(task).evaluate(*case.make(chosen), options)[program(task).SCORES[0]]
    except ValueError:
        return math.nan


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("task", TASKS)
def test_statistics_add_up_to_the_score(task, seed):
    case = case_of(task, seed)
    summed = program(task).statistics(*case.make(case.all_items()))
    assert (
        summed.values.shape
        == (len(case.units), len(summed.columns))
        == (len(summed.units), len(summed.columns))
    )
    found = program(task).primary(summed.values.sum(axis=0, keepdims=True))
    np.testing.assert_allclose(found, [evaluated(task, case, case.all_items())], rtol=0, atol=1e-12)


@pytest.mark.parametrize("task", TASKS)
def test_an_interval_is_that_of_a_loop_over_drawn_units(task):
    case = case_of(task)
    statistics = program(task).statistics(*case.make(case.all_items()))
    n = len(case.units)
    order = sorted(range(n), key=lambda unit: tuple(statistics.values[unit][::-1]))

    @cache
    def score(drawn: tuple[int, ...]) -> float:
        items = np.concatenate([np.array(case.units[order[unit]]) for unit in drawn])
        return evaluated(task, case, items)

    draws = resample_draws(n)
    scores = sorted(s for s in (score(tuple(sorted(drawn))) for drawn in draws.tolist()) if not math.isnan(s))
    # Hesterberg's level, with Student's t from a printed table.
    outside = 2 * (1 - 0.5 * (1 + math.erf(STUDENT[n] * math.sqrt(n / (n - 1)) / math.sqrt(2))))
    cut = int(len(scores) * outside / 2)
    whole = evaluated(task, case, case.all_items())
    found = primary_interval(statistics, program(task).primary, whole)
    assert len(set(scores)) > 10
    assert found.low < found.high
    np.testing.assert_allclose([found.low, found.high], [scores[cut], scores[-1 - cut]], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.standard_error, np.std(scores), rtol=1e-9)


@pytest.mark.parametrize("task", TASKS)
def test_an_interval_does_not_depend_on_the_order_of_the_rows(task):
    case = case_of(task)
    items = case.all_items()
    primary = program(task).primary
    found = [
        primary_interval(program(task).statistics(*case.make(order)), primary, 0.5)
        for order in (items, items[::-1], np.random.default_rng(1).permutation(items))
    ]
    assert len({(interval.low, interval.high) for interval in found}) == 1


# What a scoring run may tell of hidden labels: its scores, nothing else.

REFERENCES = {
    "spoken_call": ("reference.csv", "\t", ("language", "meaning")),
    "caller_experience": ("reference.csv", ",", ("human1", "human2", "human3")),
    "psst_recognition": ("utterances.tsv", "\t", ("transcript",)),
    "psst_correctness": ("utterances.tsv", "\t", ("correctness",)),
    "merlion_identification": ("labels.csv", ",", ("language_tag", "overlap_diff_lang")),
    "merlion_diarization": ("labels.csv", ",", ("language_tag",)),
    "content_accuracy": ("reference.csv", ",", ("human_score",)),
}


def random_submission(task: str) -> dict[str, bytes]:
    """The sample's submission that is drawn at random; its generators need more than numpy."""
    return pytest.importorskip("sample_data.demo").submissions(task)["random"]


def shuffled_labels(task: str, text: str) -> str:
    """The same labels on other items: what is scored and what is not stays as it is."""
    _, delimiter, columns = REFERENCES[task]
    header, *rows = [line.split(delimiter) for line in text.splitlines()]
    places = [[name.strip('"') for name in header].index(column) for column in columns]
    labels = [tuple(row[place] for place in places) for row in rows]
    movable = [
        index
        for index, label in enumerate(labels)
        if not task.startswith("merlion") or "SPEECH" not in label[0].upper()
    ]
    if task == "merlion_identification":  # segments that overlap another language are no items
        movable = [index for index in movable if labels[index][1] == "False"]
    moved = random.Random(3).sample(movable, len(movable))
    for index, other in zip(movable, moved, strict=True):
        for place, label in zip(places, labels[other], strict=True):
            rows[index][place] = label
    return "".join(delimiter.join(row) + "\n" for row in (header, *rows))


@pytest.mark.parametrize("task", TASKS)
def test_a_hidden_reference_gives_no_statistics_and_its_labels_show_in_the_scores_alone(task, tmp_path):
    folder = ROOT / "reference_data" / task / "evaluation"
    reference = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    submission = random_submission(task)
    file = REFERENCES[task][0]
    other = {**reference, file: shuffled_labels(task, reference[file])}
    assert other != reference
    runs = [
        run_score(task, tmp_path / name, files, submission)
        for name, files in (("one", reference), ("two", other))
    ]
    for name, run in zip(("one", "two"), runs, strict=True):
        assert run.status == 0, run.stderr
        assert not (tmp_path / name / "output" / "statistics.json").exists()
    assert runs[0].scores != runs[1].scores
    assert (runs[0].stdout, runs[0].stderr) == (runs[1].stdout, runs[1].stderr)
    signatures = [(tmp_path / name / "output" / "signature.txt").read_text() for name in ("one", "two")]
    assert signatures[0] == signatures[1]


@pytest.mark.parametrize("task", TASKS)
def test_a_public_reference_gives_statistics_that_add_up_to_the_score(task, tmp_path):
    folder = ROOT / "reference_data" / task / "evaluation"
    reference = {path.name: path.read_bytes() for path in folder.iterdir()}
    options = {"public_references": [fingerprint(reference)]}
    run = run_score(task, tmp_path, reference, random_submission(task), options)
    assert run.status == 0, run.stderr
    text = (tmp_path / "output" / "statistics.json").read_text()
    assert len(text) < 100_000
    written = json.loads(text)
    assert (len(written["units"]), len(written["columns"])) == np.shape(written["values"])
    found = program(task).primary(np.sum(written["values"], axis=0, keepdims=True))
    np.testing.assert_allclose(found, [run.scores[program(task).SCORES[0]]], rtol=0, atol=1e-11)


# The parts.


def test_the_level_is_that_of_hesterberg():
    assert expanded_level(1) == 1
    # By scipy 1.15: 1 - 2 norm.cdf(-sqrt(n / (n - 1)) t.ppf(.975, n - 1)).
    expected = {5: 0.9980918988, 10: 0.9828987219, 22: 0.9667087089, 41: 0.9592616189, 2000: 0.9501958086}
    for units, level in expected.items():
        assert expanded_level(units) == pytest.approx(level, rel=0, abs=1e-5)
    with pytest.raises(ValueError, match="0 units"):
        expanded_level(0)


def test_one_unit_or_no_resample_with_a_score_gives_the_score_itself():
    one = Statistics("speaker", ("a",), ("x", "n"), np.array([[1, 3]]))
    interval = primary_interval(one, lambda sums: sums[:, 0] / sums[:, 1], 1 / 3)
    assert (interval.low, interval.high, interval.standard_error) == (1 / 3, 1 / 3, 0)
    two = Statistics("speaker", ("a", "b"), ("x", "n"), np.array([[1, 3], [1, 2]]))
    nowhere = primary_interval(two, lambda sums: np.full(len(sums), np.nan), 0.5)
    assert (nowhere.low, nowhere.high, nowhere.standard_error) == (0.5, 0.5, 0)


def test_rows_add_up_by_unit_in_the_order_of_the_names():
    summed = summed_by_unit("speaker", ["b", "a", "b"], ("x", "y"), np.array([[1, 2], [3, 4], [5, 6]]))
    assert (summed.unit, list(summed.units), summed.values.tolist()) == (
        "speaker",
        ["a", "b"],
        [[3, 4], [6, 8]],
    )


def test_sums_of_fractions_are_those_of_a_loop_whatever_the_order():
    values = np.random.default_rng(0).random((30, 3))
    weights = resample_weights(30, resamples=50)
    found = bootstrap_scores(values, lambda sums: sums[:, 1], weights)
    for resample in range(50):
        expected = 0.0
        for unit in range(30):
            expected += weights[resample, unit] * values[unit, 1]
        assert abs(found[resample] - expected) < 1e-13
    order = np.random.default_rng(1).permutation(30)
    assert (
        bootstrap_scores(values[order], lambda sums: sums[:, 1], weights[:, order]).tolist() == found.tolist()
    )


@pytest.mark.parametrize("at_a_time", [1, 70, 1 << 30])
def test_resamples_are_the_same_however_many_are_worked_on_at_a_time(monkeypatch, at_a_time):
    values = np.random.default_rng(0).random((30, 7))
    weights = resample_weights(30)
    found = bootstrap_scores(values, lambda sums: sums[:, 1] / sums[:, 3], weights)
    monkeypatch.setattr(bootstrap, "_AT_A_TIME", at_a_time)
    assert (resample_weights(30) == weights).all()
    assert bootstrap_scores(values, lambda sums: sums[:, 1] / sums[:, 3], weights).tolist() == found.tolist()


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


def test_f1_of_counts_is_that_of_each():
    rng = np.random.default_rng(2)
    for counts in rng.integers(0, 4, (300, 4)):
        try:
            expected = correctness.CorrectnessCounts(*counts.tolist()).f1
        except ValueError:
            expected = math.nan
        np.testing.assert_equal(correctness.f1_of_counts(counts[np.newaxis]), [expected])


def test_d_full_of_counts_is_that_of_each():
    rng = np.random.default_rng(2)
    for counts in rng.integers(0, 6, (300, 5)):
        decisions = accept_reject.Decisions(*counts.tolist())
        try:
            eligible = accept_reject.meets_fifty_percent_rule(decisions)
            expected = accept_reject.d_full(decisions) if eligible else 0.0
        except ValueError:
            expected = math.nan
        np.testing.assert_allclose(
            accept_reject.d_full_of_counts(counts[np.newaxis]), [expected], rtol=0, atol=1e-12
        )


def test_kappa_of_cells_is_that_of_the_ratings():
    rng = np.random.default_rng(2)
    for _ in range(200):
        first, second = rng.integers(1, 6, (2, rng.integers(1, 12)))
        cells = agreement.rating_cells(first, second, scale=(1, 5)).sum(axis=0, keepdims=True)
        expected = agreement.cohen_kappa(first, second, weights="linear", scale=(1, 5))
        np.testing.assert_allclose(agreement.linear_kappa_of_cells(cells), [expected], rtol=0, atol=1e-12)
    assert agreement.linear_kappa_of_cells(np.diag([0, 7, 0, 0, 0])[np.newaxis]).tolist() == [1]  # ours
    assert np.isnan(agreement.linear_kappa_of_cells(np.zeros((1, 5, 5)))).all()
    with pytest.raises(ValueError, match="must be integers from 1 to 5"):
        agreement.rating_cells([6], [1], scale=(1, 5))


@pytest.mark.parametrize("scale", [1, 1e-8, 1e9])
def test_r_of_moments_is_that_of_the_variables(scale):
    rng = np.random.default_rng(2)
    x, y = rng.integers(1, 5, 40), scale * (7 + rng.normal(size=40))
    y[30:] = y[30]
    moments = agreement.correlation_moments(x, y)
    for chosen in (np.arange(40), np.arange(20), rng.integers(0, 40, 40)):
        found = agreement.pearson_r_of_moments(moments[chosen].sum(axis=0, keepdims=True))
        np.testing.assert_allclose(found, [agreement.pearson_r(x[chosen], y[chosen])], rtol=0, atol=1e-12)
    assert np.isnan(agreement.pearson_r_of_moments(moments[30:].sum(axis=0, keepdims=True))).all()
    swapped = agreement.correlation_moments(y, x)[30:].sum(axis=0, keepdims=True)
    assert np.isnan(agreement.pearson_r_of_moments(swapped)).all()
    constant = agreement.correlation_moments(x, np.full(40, 2.7))
    assert np.isnan(agreement.pearson_r_of_moments(constant.sum(axis=0, keepdims=True))).all()


def test_fer_and_der_of_sums_without_a_reference_are_not_defined():
    sums = np.array([[3.5, 24], [1, 0]])
    np.testing.assert_equal(phoneme_recognition.feature_error_rate_of_sums(sums), [3.5 / 24, math.nan])
    np.testing.assert_equal(language_diarization.der_of_sums(sums), [3.5 / 24, math.nan])
    times = language_diarization.LanguageTimes(english_time=1000.25, miss_time=0.5, english_missed_time=0.5)
    assert language_diarization.error_sums([times]).tolist() == [[0.5, 1000.25]]


@pytest.mark.parametrize("kind", ["separated", "chance", "perfect", "reversed", "tied", "two values", "low"])
@pytest.mark.parametrize("size", [1, 30, 3000])
def test_a_histogram_of_score_bins_has_the_eer_of_the_scores(kind, size):
    rng = np.random.default_rng(5)
    apart = {"separated": 1.5, "perfect": 20, "reversed": -3, "tied": 2, "two values": 1, "low": 4}.get(
        kind, 0
    )
    for _ in range(10):
        targets, nontargets = rng.normal(apart, 1, size), rng.normal(0, 1, size)
        if kind == "tied":
            targets, nontargets = targets.round(1), nontargets.round(1)
        if kind == "two values":
            targets, nontargets = (targets > 0).astype(float), (nontargets > 0).astype(float)
        rows = identification.histograms_per_recording(targets, nontargets, rng.integers(0, 7, size))
        whole = rows.sum(axis=0, keepdims=True)
        assert whole.sum() == 2 * size
        exact = identification.rocch_eer(targets, nontargets)
        assert identification.eer_of_histograms(whole).tolist() == [exact]


def test_the_eer_of_a_histogram_is_that_of_its_bins_taken_as_scores():
    rng = np.random.default_rng(6)
    histograms = rng.integers(0, 5, (200, 2 * 9)) * rng.integers(0, 2, (200, 2 * 9))
    histograms[:, [4, 12]] += 1
    expected = [
        identification.rocch_eer(np.repeat(np.arange(9), row[:9]), np.repeat(np.arange(9), row[9:]))
        for row in histograms
    ]
    assert identification.eer_of_histograms(histograms).tolist() == expected
    none = np.array([[0, 0, 1, 2], [1, 2, 0, 0]])
    assert np.isnan(identification.eer_of_histograms(none)).all()


def test_resamples_of_histograms_have_nearly_the_eer_of_resampled_scores():
    rng = np.random.default_rng(7)
    recording = rng.integers(0, 40, 12_000)
    effect = rng.normal(0, 0.5, (2, 40))
    targets = rng.normal(1.6, 1, 12_000) + effect[0][recording]
    nontargets = rng.normal(0, 1, 12_000) + effect[1][recording]
    rows = identification.histograms_per_recording(targets, nontargets, recording)
    weights = resample_weights(40, resamples=20)
    found = bootstrap_scores(rows, identification.eer_of_histograms, weights)
    for resample in range(20):
        items = np.repeat(np.arange(12_000), weights[resample].astype(int)[recording])
        exact = identification.rocch_eer(targets[items], nontargets[items])
        # Fewer points, a higher hull: by less than 0.1 points in 24, where the interval is 4 wide.
        assert exact <= found[resample] < exact + 0.001


@pytest.mark.parametrize("task", ["caller_experience", "content_accuracy"])
def test_point_scores_do_not_depend_on_the_order_of_the_items(task):
    case = case_of(task, 4)
    options = Options({}, labels_public=False, detailed_results=False, rounded=False, compared_by="")
    shuffled = np.random.default_rng(1).permutation(case.all_items())
    one, other = (
        program(task).evaluate(*case.make(items), options) for items in (case.all_items(), shuffled)
    )
    assert one == other


def test_an_interval_of_no_width_holds_the_score_to_the_last_digit():
    # 110 / 130 has no end in decimals: rounded to ten of them, an end would lie above the score.
    values = np.array([[110.0, 130.0]] * 5)
    summed = Statistics("recording", tuple("abcde"), ("error", "total"), values)
    score = 100 * 110 / 130
    interval = primary_interval(summed, lambda sums: 100 * sums[:, 0] / sums[:, 1], score)
    assert interval.low <= score <= interval.high
    assert (interval.low, interval.high) == (score, score)
