"""Costs and rates of identification of two classes and of several, against independent implementations."""

from __future__ import annotations

import math

import numpy as np
import pytest

from spokeneval.metrics import identification
from spokeneval.metrics.open_set import open_set_costs

pytest.importorskip("scipy")
sklearn = pytest.importorskip("sklearn.metrics")
from tests.samples.identification import (  # noqa: E402
    NAMES,
    cllr,
    detector,
    draw,
    hull_eer,
    make,
    minimum_cllr,
    nist_average_cost,
    points,
    pooled_eer,
    scores_of,
)


@pytest.mark.parametrize(("seed", "step"), [(1, 2**-30), (2, 1 / 8), (3, 1)])
@pytest.mark.parametrize("priors", [[0.5], [0.5, 0.1], [0.8]])
def test_two_classes(seed: int, step: float, priors: list[float]) -> None:
    truth, scores = draw(2, 60, seed, step)
    scores += np.arange(len(truth))[:, None]  # only differences within an item count
    labels = [NAMES[label] for label in truth]
    task = make(classes=list(NAMES[:2]), priors=priors, costs={"c_fa": 2, "c_miss": 3})
    found = scores_of(task, labels, NAMES, scores)
    ratios = scores[:, 0] - scores[:, 1]
    sides = [(ratios[truth == 0], ratios[truth == 1]), (-ratios[truth == 1], -ratios[truth == 0])]
    actual, minimum = [], []
    for prior in priors:
        beta = 2 * (1 - prior) / (3 * prior)
        scale = min(1, beta)  # what a detector costs that always or never accepts
        for targets, nontargets in sides:
            threshold = math.log(beta)
            actual.append(((targets < threshold).mean() + beta * (nontargets >= threshold).mean()) / scale)
            costs = [miss + beta * alarm for miss, alarm in points(targets, nontargets)]
            minimum.append(min(costs) / scale)
    expected = {
        "eer": 100 * hull_eer(*sides[0]),
        "balanced_accuracy": 100 * sklearn.balanced_accuracy_score(truth, scores.argmax(axis=1)),
        "cllr": cllr(truth, scores),
        "minimum_cllr": minimum_cllr(*sides[0]),
        "actual_dcf": np.mean(actual),
        "minimum_dcf": np.mean(minimum),
    }
    assert list(found)[:6] == list(expected)
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-10)


def test_an_average_cost_by_hand() -> None:
    """Ratios against the mean of two others: (4, 0, 0) 4 for the first, 0 - log((e^4 + 1) / 2) = -3.3 for the others.

    (1, 1, 1) has three ratios of 0, which are accepted at the threshold log 1: a false alarm for two detectors.
    """
    scores = [[4, 0, 0], [1, 1, 1], [0, 4, 0], [0, 0, 4], [4, 0, 0]]
    labels = ["English", "English", "Hindi", "Tamil", "Tamil"]
    found = scores_of(make(classes=NAMES[:3]), labels, NAMES[:3], scores)
    # Misses: 0, 0, 1/2. False alarms: 1/2 and 1/2 of English items by Hindi and Tamil, 1/2 of Tamil items by English.
    assert found["cavg"] == pytest.approx((1 / 2 + (1 / 2 + 1 / 2 + 1 / 2) / 2) / 3)
    # A threshold above 0 misses (1, 1, 1) and one of Tamil, and accepts one of two Tamil items as English.
    assert found["minimum_cavg"] == pytest.approx(found["cavg"])
    assert [found[f"recall_{n}"] for n in (1, 2, 3)] == [100, 100, 50]
    assert found["macro_accuracy"] == pytest.approx(100 * 2.5 / 3)


@pytest.mark.parametrize(
    ("classes", "seed", "step", "priors"),
    [(3, 1, 2**-30, [0.5]), (3, 2, 1, [0.5, 0.1]), (4, 3, 1 / 8, [0.7]), (5, 4, 2**-30, [0.5, 0.1])],
)
def test_several_classes(classes: int, seed: int, step: float, priors: list[float]) -> None:
    truth, scores = draw(classes, 70, seed, step)
    names = NAMES[:classes]
    found = scores_of(make(classes=list(names), priors=priors), [names[n] for n in truth], names, scores)
    betas = [(1 - prior) / prior for prior in priors]
    ratios = np.stack([detector(scores, own) for own in range(classes)], axis=1)
    # Equal ratios may differ in their last digits here; a threshold between two ratios does not depend on them.
    steps = np.unique(np.append(ratios.round(9), math.inf))
    thresholds = [-math.inf, *(steps[1:-1] + steps[:-2]) / 2, math.inf]
    expected = {
        "cavg": np.mean([nist_average_cost(truth, scores, beta, math.log(beta) - 1e-9) for beta in betas]),
        "minimum_cavg": np.mean(
            [min(nist_average_cost(truth, scores, beta, t) for t in thresholds) for beta in betas]
        ),
        "eer": 100 * pooled_eer(truth, scores),
        "macro_accuracy": 100 * sklearn.balanced_accuracy_score(truth, scores.argmax(axis=1)),
        "cllr": cllr(truth, scores),
    }
    recalls = sklearn.recall_score(truth, scores.argmax(axis=1), average=None)
    expected.update({f"recall_{place + 1}": 100 * recall for place, recall in enumerate(recalls)})
    assert list(found)[: len(expected)] == list(expected)
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-10)


def test_equal_scores_are_legal_and_say_nothing() -> None:
    truth, _ = draw(4, 30, 1)
    scores = np.full((len(truth), 4), -7.25)
    found = scores_of(make(classes=NAMES[:4]), [NAMES[n] for n in truth], NAMES, scores)
    expected = {"cavg": 1, "minimum_cavg": 1, "eer": 50, "macro_accuracy": 25, "cllr": 2}
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=1e-12)
    for classes in range(2, 60):  # ratios of exactly 0, which a detector accepts at the threshold 0
        assert not identification.detector_ratios(np.full((1, classes), -7.1)).any()


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("seed", range(5))
def test_numbers_added_to_scores_in_tenths_break_no_tie(classes: int, seed: int) -> None:
    """Differences of decimals are equal in numbers, and not in doubles: 0.3 - 0.1 < 0.2."""
    truth, scores = draw(classes, 300, seed, 1)
    rng = np.random.default_rng(seed)
    added = rng.choice([0, 0.1, -3.7, 50.3, -1234.5], len(truth))
    task, labels = make(classes=NAMES[:classes]), [NAMES[n] for n in truth]
    whole = scores_of(task, labels, NAMES, scores)  # in whole numbers, so every difference is exact
    tenths = scores_of(task, labels, NAMES, scores / 10)
    moved = scores_of(task, labels, NAMES, scores / 10 + added[:, None])
    ranked = ("eer", "minimum_cllr", "minimum_dcf") if classes == 2 else ("minimum_cavg",)
    assert {key: tenths[key] for key in ranked} == {key: moved[key] for key in ranked}
    if classes == 2:
        assert {key: tenths[key] for key in ranked} == {key: whole[key] for key in ranked}


def test_ratios_that_differ_by_rounding_alone_are_equal() -> None:
    scores = np.array([[0.3, 0.1], [0.2, 0.0], [1000.2, 1000.0], [0.2 + 1e-11, 0.0], [-1e30, -1e30]])
    ratios = identification.with_ties(identification.detector_ratios(scores), scores)[:, 0]
    assert ratios[0] == ratios[1] == ratios[2] == pytest.approx(0.2)
    assert ratios[3] > ratios[0]
    assert ratios[4] == 0
    exact = np.random.default_rng(1).normal(size=(1000, 2)) * 1e-20
    small = identification.detector_ratios(exact)
    np.testing.assert_array_equal(identification.with_ties(small, exact), small)


def test_detector_ratios_keep_their_digits() -> None:
    scores = np.array([[0, -800, -801], [0, 1e-12, 0], [1e308, -1e308, 1e308], [700, 0, -700.5]])
    ratios = identification.detector_ratios(scores)
    expected = np.stack([detector(np.maximum(scores, -1e300), own) for own in range(3)], axis=1)
    np.testing.assert_allclose(ratios[[0, 1, 3]], expected[[0, 1, 3]], rtol=1e-14, atol=1e-15)
    largest = np.finfo(float).max  # -2e308 is no double
    np.testing.assert_allclose(ratios[2], [math.log(2), -largest, math.log(2)], rtol=1e-14)


def test_bits_do_not_depend_on_the_order_of_the_items():
    rng = np.random.default_rng(5)
    row, labels, scores = rng.integers(0, 4, 3000), rng.integers(0, 3, 3000), rng.normal(size=(3000, 3))
    two = labels % 2, scores[:, :2]
    count = {
        "classes": lambda at: identification.class_costs(labels[at], scores[at], row[at], weights=[(1, 1)]),
        "out of set": lambda at: open_set_costs(two[0][at], two[1][at], row[at], weights=[(0.5, 0.3, 0.2)]),
    }
    for counted in count.values():
        found = {counted(rng.permutation(3000)).bits.tobytes() for _ in range(5)}
        assert len(found) == 1


ITEMS = {"labels": [0, 1], "scores": [[1.0, 0.0], [0.0, 1.0]], "row": [0, 0]}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        *(
            ({"scores": scores}, r"^scores must be numbers of shape \(n, k\), k >= 2, not ")
            for scores in ([["1", "0"], ["0", "1"]], [1.0, 0.0], np.zeros((0, 2)), [[1.0], [0.0]])
        ),
        ({"scores": [[1.0, np.nan], [0.0, 1.0]]}, "^scores must be finite"),
        *(({"labels": labels}, "^labels must be 2 whole") for labels in ([0], [0.0, 1.0], [0, -1])),
        ({"row": [0, -1]}, "^rows must be 2 whole numbers from 0, not int64"),
        ({"labels": [0, 2]}, "^labels must be classes from 0 to 1"),
    ],
)
def test_items_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        identification.class_costs(**{**ITEMS, **changes}, weights=[(1, 1)])
