"""Features that predict labels: their strength, and how often chance is reported."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata
from sklearn.metrics import roc_auc_score

from speechbundles.bundle.check.predictors import LEVEL, _permutation, find_predictors, label_columns


def test_numbers_are_ranked_and_classes_are_columns():
    numbers = ["10", "9", "9", "1.5", "-2", "3"] * 4
    assert rankdata(label_columns(numbers, 20)[:, 0]).tolist() == rankdata(list(map(float, numbers))).tolist()
    assert label_columns(list("abc" * 4), 20).tolist() == np.tile(np.eye(3), (4, 1)).tolist()
    assert label_columns(list("aabb" * 4), 20).tolist() == [[0], [0], [1], [1]] * 4
    assert label_columns(["a"] * 30, 20) is None
    assert label_columns(["a"] * 30 + ["b"] * 4, 20) is None  # too few
    assert label_columns([f"word {number}" for number in range(30)], 20) is None


def test_the_strength_is_the_auc_of_held_out_means():
    draw = np.random.default_rng(1)
    label = draw.integers(2, size=(200, 1)).astype(float)
    feature = draw.permutation(200) / 1000 + label[:, 0] * draw.integers(2, size=200)
    (found,) = find_predictors({"x": feature}, {"y": label}, [])
    order = sorted(range(200), key=feature.__getitem__)  # all values differ
    beside = [order[max(0, at - 8) : at] + order[at + 1 : at + 9] for at in range(200)]
    means = [label[beside[order.index(item)], 0].mean() for item in range(200)]
    assert found.auc == pytest.approx(roc_auc_score(label[:, 0], means), abs=1e-9)
    assert found.correlation == pytest.approx(np.corrcoef(means, label[:, 0])[0, 1], abs=1e-9)
    assert found.p == 1 / 300


def test_labels_are_permuted_within_units():
    units = np.array([2, 0, 1, 0, 2, 1, 0, 2])
    draw = np.random.default_rng(1)
    orders = {tuple(_permutation(8, units, draw)) for _ in range(2000)}
    assert all((units[list(order)] == units).all() for order in orders)
    assert len(orders) == 6 * 2 * 6


def simulated(seed):
    """Whether a clean set is warned of: labels and facts depend on the speakers, and not on each other."""
    draw = np.random.default_rng(seed)
    speakers = int(draw.integers(4, 40))
    size = int(draw.integers(40, 500))
    speaker = np.sort(draw.integers(speakers, size=size))
    spread = draw.choice([0.0, 1.0, 3.0, 30.0])
    score = spread * draw.normal(size=speakers)[speaker] + draw.normal(size=size)
    kind = draw.integers(3)
    cells = [[f"{each:.4f}", str(each > 0), f"c{np.clip(int(each), -2, 2)}"][kind] for each in score]
    label = label_columns(cells, 20)
    if label is None:
        return None
    facts = {
        "order": np.arange(size, dtype=float),
        "number in the speaker": np.concatenate([np.arange(n, dtype=float) for n in np.bincount(speaker)]),
        "duration": 2 * draw.normal(size=speakers)[speaker] + draw.normal(size=size),
        "rate": draw.integers(2, size=speakers)[speaker].astype(float),
        "time": draw.random(speakers)[speaker] + np.arange(size) / 1e4,
        "size": draw.integers(30, size=size).astype(float),
    }
    others = draw.integers(6, size=size)  # prompts, which are another grouping
    return bool(find_predictors(facts, {"label": label}, [speaker, others]))


def share_warned(sets):
    found = [each for each in map(simulated, range(sets)) if each is not None]
    assert len(found) > 0.9 * sets
    return sum(found) / len(found)


@pytest.mark.thorough
def test_few_of_many_clean_sets_are_warned_of():
    assert share_warned(1000) <= LEVEL + 0.01  # two standard errors are 0.6 %
