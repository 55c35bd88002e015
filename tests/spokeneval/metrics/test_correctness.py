"""Tests of rates of correctness, against hand calculations and scikit-learn, and of the substring rule."""

from __future__ import annotations

import random
from dataclasses import astuple

import numpy as np
import pytest

from spokeneval.metrics import correctness
from spokeneval.metrics.correctness import (
    CorrectnessCounts,
    contains_pronunciation,
    count_predictions,
    predictions_per_response,
)
from spokeneval.metrics.counts import total

RATES = [
    correctness.f1,
    correctness.precision,
    correctness.recall,
    correctness.accuracy,
    correctness.balanced_accuracy,
    correctness.specificity,
    correctness.matthews_correlation,
]


def test_rates_by_hand():
    # 3 of 4 correct ones found, 1 of 6 incorrect ones taken for correct.
    counts = CorrectnessCounts(true_positives=3, false_positives=1, false_negatives=1, true_negatives=5)
    assert correctness.precision(counts) == 3 / 4
    assert correctness.recall(counts) == 3 / 4
    assert correctness.f1(counts) == 6 / 8
    assert correctness.accuracy(counts) == 8 / 10
    assert correctness.balanced_accuracy(counts) == pytest.approx((3 / 4 + 5 / 6) / 2, rel=0, abs=1e-12)
    assert correctness.specificity(counts) == 5 / 6
    # (3 * 5 - 1 * 1) / sqrt(4 * 4 * 6 * 6)
    assert correctness.matthews_correlation(counts) == pytest.approx(14 / 24, rel=0, abs=1e-12)


def test_the_matthews_correlation_of_perfect_predictions_is_one_to_the_last_digit():
    correct, incorrect = np.mgrid[1:300:7, 1:200:11]
    none = np.zeros_like(correct)
    counts = correctness.CorrectnessCounts(correct, none, none, incorrect)
    assert np.unique(correctness.matthews_correlation(counts)).tolist() == [1]


def test_counts_tell_the_four_cases_apart():
    reference = np.array([True] * 10 + [False] * 5)
    prediction = np.array([True] * 4 + [False] * 6 + [True] * 3 + [False] * 2)
    assert count_predictions(reference, prediction) == CorrectnessCounts(4, 3, 6, 2)
    rows = predictions_per_response(reference, prediction)
    columns = np.array(astuple(rows))
    assert columns.dtype == np.int64
    assert columns.argmax(axis=0).tolist() == [0] * 4 + [2] * 6 + [1] * 3 + [3] * 2
    assert columns.sum(axis=0).tolist() == [1] * 15
    assert total(rows) == CorrectnessCounts(4, 3, 6, 2)


def test_rates_as_scikit_learn_computes_them():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(1)
    for _ in range(50):
        size = int(rng.integers(10, 60))
        reference = rng.random(size) < rng.uniform(0.2, 0.8)
        reference[:2] = True, False
        prediction = rng.random(size) < rng.uniform(0.0, 1.0)
        counts = count_predictions(reference, prediction)
        assert [rate(counts) for rate in RATES] == pytest.approx(
            [
                metrics.f1_score(reference, prediction, zero_division=0),
                metrics.precision_score(reference, prediction, zero_division=0),
                metrics.recall_score(reference, prediction),
                metrics.accuracy_score(reference, prediction),
                metrics.balanced_accuracy_score(reference, prediction),
                metrics.recall_score(reference, prediction, pos_label=False),
                metrics.matthews_corrcoef(reference, prediction),
            ],
            rel=0,
            abs=1e-12,
        )


def test_nothing_predicted_correct_scores_zero():
    counts = count_predictions([True, False, False], [False, False, False])
    assert [rate(counts) for rate in RATES[:3]] == [0, 0, 0]
    assert correctness.accuracy(counts) == pytest.approx(2 / 3, rel=0, abs=1e-12)
    assert correctness.balanced_accuracy(counts) == 0.5
    assert correctness.specificity(counts) == 1
    assert correctness.matthews_correlation(counts) == 0


def test_two_responses_that_are_called_rightly_correlate_fully():
    counts = CorrectnessCounts(true_positives=1, false_positives=0, false_negatives=0, true_negatives=1)
    assert correctness.matthews_correlation(counts) == 1


@pytest.mark.parametrize(
    ("reference", "prediction", "message"),
    [
        ([], [], "reference has 0 responses"),
        ([True, False], [True], "2 reference values and 1 predictions"),
        ([True, False], [1, 0], r"prediction is \[1, 0\]"),
        ([True, float("nan")], [True, False], "reference is"),
        (["true", "false"], [True, False], "reference is"),
        ([[True, False]], [[True, False]], "reference is"),
    ],
)
def test_bad_input_is_refused(reference, prediction, message):
    with pytest.raises(ValueError, match=message):
        count_predictions(reference, prediction)
    with pytest.raises(ValueError, match=message):
        predictions_per_response(reference, prediction)


def test_pronunciation_is_a_run_of_whole_phones():
    accepted = [["S", "P", "UW", "N"], ["T", "IY"]]
    assert contains_pronunciation(["AH", "S", "P", "UW", "N"], accepted)
    assert contains_pronunciation(["T", "IY", "S"], accepted)
    assert contains_pronunciation(["S", "<sil>", "P", "UW", "<spn>", "N"], accepted)
    assert not contains_pronunciation(["S", "P", "UW"], accepted)
    assert not contains_pronunciation(["S", "P", "UW", "AH", "N"], accepted)
    assert not contains_pronunciation([], accepted)
    # Whole phones: "AE" is no "A", and "CH" no "H", though the letters are there.
    assert not contains_pronunciation(["CH", "AE"], [["H", "AE"]])
    assert not contains_pronunciation(["T", "IYX"], accepted)


def test_pronunciation_as_a_plain_search_finds_it():
    rng = random.Random(3)
    found = 0
    for _ in range(2000):
        phones = [rng.choice(["S", "SH", "H"]) for _ in range(rng.randint(0, 7))]
        accepted = [[rng.choice(["S", "SH", "H"]) for _ in range(rng.randint(1, 4))] for _ in range(2)]
        expected = any(
            phones[start : start + len(run)] == run for run in accepted for start in range(len(phones))
        )
        assert contains_pronunciation(phones, accepted) == expected
        found += expected
    assert 500 < found < 1900


@pytest.mark.parametrize(
    ("phones", "accepted", "message"),
    [
        (["K"], [], "0 accepted pronunciations"),
        (["K"], [["K"], []], "has no phones"),
        ("K", [["K"]], "'K' is a string"),
        (["K"], ["K AE"], "'K AE' is a string"),
    ],
)
def test_bad_pronunciations_are_refused(phones, accepted, message):
    with pytest.raises(ValueError, match=message):
        contains_pronunciation(phones, accepted)
