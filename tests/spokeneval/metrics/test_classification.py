"""Scores of several classes against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as sklearn

from spokeneval.metrics import classification as ours
from spokeneval.metrics.counts import taken, total


@pytest.mark.parametrize("classes", [2, 3, 7, 50])
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


def test_a_constant_side_has_no_correlation() -> None:
    assert ours.matthews_correlation(ours.count_decisions([0, 1], [1, 1], classes=2)) == 0
    many = ours.ClassCounts(*np.zeros((4, 2, 2)))
    assert np.isnan(ours.matthews_correlation(many)).all()


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
