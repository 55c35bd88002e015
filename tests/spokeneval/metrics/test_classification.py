"""Scores of several classes against scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn

from spokeneval.metrics import classification as ours
from spokeneval.metrics.counts import taken, total


@pytest.mark.parametrize("classes", [2, 3, 7, 50])
@pytest.mark.filterwarnings("ignore:invalid value")  # older versions of scikit-learn divide 0 by 0
@pytest.mark.parametrize("seed", range(5))
def test_scores_equal_scikit_learn(classes: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    reference = rng.integers(0, classes, 200) if seed else rng.integers(0, max(1, classes - 1), 200)
    prediction = np.where(rng.random(200) < 0.6, reference, rng.integers(0, classes, 200))
    counts = ours.count_decisions(reference, prediction, classes=classes)
    labels = np.unique(reference)
    expected = sklearn.f1_score(reference, prediction, labels=labels, average="macro", zero_division=0)
    assert ours.macro_f1(counts) == pytest.approx(expected, abs=1e-12)
    each = sklearn.f1_score(reference, prediction, labels=range(classes), average=None, zero_division=0)
    assert ours.class_f1(counts) == pytest.approx(each, abs=1e-12)
    assert ours.accuracy(counts) == pytest.approx(sklearn.accuracy_score(reference, prediction), abs=1e-12)
    recall = sklearn.recall_score(reference, prediction, labels=labels, average="macro", zero_division=0)
    assert ours.balanced_accuracy(counts) == pytest.approx(recall, abs=1e-12)
    matthews = sklearn.matthews_corrcoef(reference, prediction)
    assert ours.matthews_correlation(counts) == pytest.approx(matthews, abs=1e-12)


RATES = (ours.f1, ours.precision, ours.recall, ours.specificity)
SHARED = (ours.accuracy, ours.balanced_accuracy, ours.matthews_correlation)


def test_rates_of_two_classes_by_hand() -> None:
    # 3 of 4 positive ones found, 1 of 6 negative ones taken for positive.
    counts = ours.BinaryCounts(true_positives=3, false_positives=1, false_negatives=1, true_negatives=5)
    assert [rate(counts) for rate in RATES] == [6 / 8, 3 / 4, 3 / 4, 5 / 6]
    # The last: (3 * 5 - 1 * 1) / sqrt(4 * 4 * 6 * 6)
    expected = [8 / 10, (3 / 4 + 5 / 6) / 2, 14 / 24]
    assert [rate(counts) for rate in SHARED] == pytest.approx(expected, rel=0, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_two_classes_have_the_rates_of_scikit_learn_and_of_any_number(seed: int) -> None:
    rng = np.random.default_rng(seed)
    reference, prediction = rng.random((2, 40)) < rng.uniform(0.2, 0.8, (2, 1)) * (seed > 0) + [[0.3], [0]]
    reference[:2] = True, False
    counts = ours.count_predictions(reference, prediction)
    expected = [
        sklearn.f1_score(reference, prediction, zero_division=0),
        sklearn.precision_score(reference, prediction, zero_division=0),
        sklearn.recall_score(reference, prediction),
        sklearn.recall_score(reference, prediction, pos_label=False),
    ]
    assert [rate(counts) for rate in RATES] == pytest.approx(expected, rel=0, abs=1e-12)
    same = ours.count_decisions(reference.astype(int), prediction.astype(int), classes=2)
    assert [rate(counts) for rate in SHARED] == [rate(same) for rate in SHARED]
    assert ours.f1(counts) == ours.class_f1(same)[1]


@pytest.mark.parametrize("rate", [*RATES, *SHARED])
def test_rates_of_two_classes_need_both(rate: Any) -> None:
    with pytest.raises(ValueError, match="undefined"):
        rate(ours.count_predictions([True, True], [True, False]))


def test_the_classes_of_the_whole_reference_stay_in_parts_of_it() -> None:
    rows = ours.decisions_per_item([0, 1, 2], [0, 1, 1], classes=4)
    part = total(taken(rows, np.array([0, 1])))
    assert ours.macro_f1(part) == pytest.approx(
        2 / 3
    )  # class 2 has no item here and counts 0, class 3 does not count
    with pytest.raises(ValueError, match="balanced accuracy"):
        ours.balanced_accuracy(part)


def test_the_matthews_correlation_of_perfect_decisions_is_one_to_the_last_digit() -> None:
    sizes = np.stack(np.mgrid[1:40, 1:40, 5:6], axis=-1).reshape(-1, 3)
    assert np.unique(ours.matthews_correlation(ours.ClassCounts(sizes, sizes, sizes, sizes))).tolist() == [1]
    positive, negative = np.mgrid[1:300:7, 1:200:11]
    counts = ours.BinaryCounts(positive, 0 * positive, 0 * positive, negative)
    assert np.unique(ours.matthews_correlation(counts)).tolist() == [1]


def test_a_constant_side_has_no_correlation() -> None:
    assert ours.matthews_correlation(ours.count_decisions([0, 1], [1, 1], classes=2)) == 0
    many = ours.ClassCounts(*np.zeros((4, 2, 2)))
    assert np.isnan(ours.matthews_correlation(many)).all()
    with pytest.raises(ValueError, match=r"^Matthews correlation is undefined"):
        ours.matthews_correlation(ours.BinaryCounts(4, 0, 6, 0))


@pytest.mark.parametrize(
    ("reference", "prediction", "message"),
    [
        ([], [], "n > 0"),
        ([0, 1], [0], "2 reference values and 1 predictions"),
        ([0, 3], [0, 0], "from 0 to 2"),
        ([0.5], [0], "must be integers"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(reference: object, prediction: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        ours.decisions_per_item(reference, prediction, classes=3)


def test_no_decision_is_refused() -> None:
    with pytest.raises(ValueError, match=r"n > 0"):
        ours.predictions_per_item(np.zeros(0, bool), np.zeros(0, bool))
