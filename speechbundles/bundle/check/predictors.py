"""Finds single features that predict labels: nearest neighbours, held out, with one permutation test for all features.

The rule: an item gets the mean label of the items that are nearest in one feature, without itself. Its strength is the
correlation of these means with the labels. A feature is reported if the correlation is at least `LEAST` and is exceeded
by chance, as the largest of all features and labels, in at most `LEVEL` of the permutations (Westfall and Young 1993,
*Resampling-Based Multiple Testing*, the single-step maximum).

Labels of the same speaker, recording or prompt are not independent. For each such grouping, labels are permuted within
its units, and the mean labels of whole units among the units; the smaller of the two p-values, doubled, counts. A
feature is reported only if every grouping confirms it, so it does not matter which of them is the true unit.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

LEVEL = 0.01
LEAST = 0.2
FEWEST = 20
"""The fewest items that are tested. A quarter of this number must be outside the most frequent class."""
FEWEST_GROUPS = 8
"""The fewest units whose means are compared."""

_PERMUTATIONS = 299
_MOST_ITEMS = 10_000
_MOST_CELLS = 2000  # evaluated items times columns of labels
_MOST_NEIGHBOURS = 15
_MOST_VALUES = 2_000_000  # of permuted labels in memory

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]


class Predictor(NamedTuple):
    """A feature that predicts a label.

    Attributes
    ----------
    auc: the area under the ROC curve of the held-out means, for two classes; else None.
    correlation: the correlation of the held-out means with the label.
    p: adjusted for all features and labels.
    """

    feature: str
    label: str
    auc: float | None
    correlation: float
    p: float


class _Test(NamedTuple):
    """Labels of items or units, the rows that are evaluated, and for each feature the nearest other rows of each.

    Labels are permuted within the groups `within`; None: among all rows.
    """

    labels: list[Floats]
    within: Indexes | None
    evaluated: Indexes
    nearest: list[Indexes]


def label_columns(cells: Sequence[str], most_classes: int) -> Floats | None:
    """Return the columns of a label, of shape (items, columns): ranks of numbers, or one column for each class.

    None for a label that is constant, has free texts, or has too few items outside its most frequent class.
    """
    values, codes = numbered(cells)
    counts = np.bincount(codes)
    if len(values) < 2 or len(cells) - counts.max() < FEWEST // 4:
        return None
    if len(values) == 2:
        return codes[:, None].astype(float)
    try:
        numbers = np.array(list(map(float, values)))
    except ValueError:
        numbers = np.full(len(values), np.nan)
    if np.isfinite(numbers).all():
        return _mean_ranks(numbers[codes])[:, None]
    return np.eye(len(values))[codes] if len(values) <= most_classes else None


def numbered(texts: Sequence[str]) -> tuple[list[str], Indexes]:
    """Return the different texts in order, and the number of each text among them."""
    values = sorted(set(texts))
    numbers = {value: number for number, value in enumerate(values)}
    return values, np.array([numbers[text] for text in texts], dtype=np.intp)


def _mean_ranks(values: Floats) -> Floats:
    """Return the ranks of values; equal values share their mean rank."""
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[codes]
    return ranks


def find_predictors(
    features: Mapping[str, Floats], labels: Mapping[str, Floats], groupings: Sequence[Indexes]
) -> list[Predictor]:
    """Return the features that predict a label, the strongest first.

    Parameters
    ----------
    features: name -> values, shape (items,); NaN where an item has none.
    labels: name -> columns, shape (items, columns).
    groupings: the unit of each item, numbered from 0, shape (items,), for each way in which items belong together.
    """
    rng = np.random.default_rng(0)
    size = len(next(iter(labels.values()), ()))
    kept = np.sort(rng.permutation(size)[:_MOST_ITEMS])
    known = {name: _filled(values[kept]) for name, values in features.items()}
    known = {name: values for name, values in known.items() if values.min() < values.max()} if size else {}
    if not known or size < FEWEST:
        return []
    values, columns = np.array(list(known.values())), [each[kept] for each in labels.values()]
    plain = _test(values, columns, None, rng)
    found = _strengths(plain)
    if found.max() < LEAST:
        return []
    p = np.zeros(found.shape) if groupings else _p_values(plain, rng)
    for grouping in groupings:
        units = np.unique(grouping[kept], return_inverse=True)[1]
        tests = [_p_values(test, rng) for test in _tests_of_units(values, columns, units, rng)]
        p = np.maximum(p, np.minimum(1, len(tests) * np.min(tests, axis=0)) if tests else 1)
    predictors = []
    for at, feature in enumerate(known):
        for number, label in enumerate(labels):
            if p[at, number] <= LEVEL and found[at, number] >= LEAST:
                auc = _auc(_means(plain.nearest[at], columns[number]), columns[number][plain.evaluated])
                predictors.append(
                    Predictor(feature, label, auc, float(found[at, number]), float(p[at, number]))
                )
    return sorted(predictors, key=lambda each: -each.correlation)


def _filled(values: Floats) -> Floats:
    """Return values with missing ones far beyond the others, so that they are nearest to each other."""
    known = values[~np.isnan(values)]
    far = 2 * known.max() - known.min() + 1 if len(known) else 0.0
    return np.where(np.isnan(values), far, values)


def _test(values: Floats, labels: list[Floats], within: Indexes | None, rng: np.random.Generator) -> _Test:
    """Find the nearest rows in each feature, in random order among equally near ones."""
    size = values.shape[1]
    evaluated = np.sort(
        rng.permutation(size)[: max(100, _MOST_CELLS // sum(each.shape[1] for each in labels))]
    )
    count = int(np.clip(size // 8, 2, _MOST_NEIGHBOURS))
    nearest = []
    for row in values:
        order = np.lexsort((rng.random(size), row))
        place = np.empty(size, dtype=np.intp)
        place[order] = np.arange(size)
        around = place[evaluated][:, None] + np.r_[-count:0, 1 : count + 1]
        others = order[np.clip(around, 0, size - 1)]
        distances = np.abs(row[others] - row[evaluated][:, None])
        distances[(around < 0) | (around >= size)] = np.inf
        nearest.append(
            np.take_along_axis(others, np.argsort(distances, axis=1, kind="stable")[:, :count], axis=1)
        )
    return _Test(labels, within, evaluated, nearest)


def _tests_of_units(
    values: Floats, labels: list[Floats], units: Indexes, rng: np.random.Generator
) -> Iterator[_Test]:
    """Yield the tests of a grouping: within its units, and among the medians and means of its units."""
    sizes = np.bincount(units)
    means = [np.array([np.bincount(units, column) / sizes for column in label.T]).T for label in labels]
    centred = [label - mean[units] for label, mean in zip(labels, means, strict=True)]
    if any(np.abs(label).max() > 1e-9 for label in centred):
        yield _test(values, centred, units, rng)
    if len(sizes) >= FEWEST_GROUPS:
        order = np.argsort(units, kind="stable")
        parts = (np.split(row[order], np.cumsum(sizes)[:-1]) for row in values)
        medians = np.array([[np.median(part) for part in row] for row in parts])
        yield _test(medians, means, None, rng)


def _p_values(test: _Test, rng: np.random.Generator) -> Floats:
    """Return the adjusted p-value of each feature and label, shape (features, labels)."""
    found = _strengths(test)
    exceeded = np.ones(found.shape)
    size = len(test.labels[0])
    most = max(1, _MOST_VALUES // (size * max(each.shape[1] for each in test.labels)))
    done = 0
    while done < _PERMUTATIONS:
        count = min(most, _PERMUTATIONS - done)
        orders = np.array([_permutation(size, test.within, rng) for _ in range(count)])
        largest = np.full(count, -1.0)
        for label in test.labels:
            moved = label.astype(np.float32)[orders.T]  # shape (rows, permutations, columns)
            for nearest in test.nearest:
                largest = np.maximum(largest, _correlation(_means(nearest, moved), moved[test.evaluated]))
        exceeded += (largest[:, None, None] >= found - 1e-6).sum(axis=0)
        done += count
    return exceeded / (_PERMUTATIONS + 1)


def _permutation(size: int, within: Indexes | None, rng: np.random.Generator) -> Indexes:
    if within is None:
        return rng.permutation(size)
    order = np.empty(size, dtype=np.intp)
    order[np.argsort(within, kind="stable")] = np.lexsort((rng.random(size), within))
    return order


def _strengths(test: _Test) -> Floats:
    """Return the correlation of each feature's means with each label, shape (features, labels)."""
    rows = [
        [_correlation(_means(nearest, label), label[test.evaluated]) for label in test.labels]
        for nearest in test.nearest
    ]
    return np.array(rows, dtype=float)


def _means(nearest: Indexes, label: Any) -> Any:
    """Return the mean labels of the nearest rows; they are summed one by one, to keep the memory small."""
    total = label[nearest[:, 0]]
    for others in nearest.T[1:]:
        total = total + label[others]
    return total / nearest.shape[1]


def _correlation(means: Any, label: Any) -> Any:
    """Return the correlation over rows and columns, for each permutation; 0 where one side is constant."""
    means, label = means - means.mean(axis=0), label - label.mean(axis=0)
    product = (means * label).sum(axis=(0, -1))
    size = np.sqrt((means**2).sum(axis=(0, -1)) * (label**2).sum(axis=(0, -1)))
    return np.divide(product, size, out=np.zeros_like(product), where=size > 1e-9)


def _auc(means: Floats, label: Floats) -> float | None:
    """Return the area under the ROC curve, ties counting half, if the label has two classes."""
    if len(np.unique(label)) != 2 or label.shape[1] > 1:
        return None
    positive = label[:, 0] == label.max()
    ranks, size = _mean_ranks(means[:, 0]), positive.sum()
    return float((ranks[positive].sum() - size * (size + 1) / 2) / (size * (len(label) - size)))
