"""Finds single features that predict labels: mean labels of neighbours, and one permutation test for all features.

The rule: an item gets the mean label of the items beside it in the order of one feature, without its own. Its strength
is the correlation of these means with the labels. A feature is reported if the correlation is at least `LEAST` and is
exceeded by chance, as the largest of all features and labels, in at most `LEVEL` of the permutations (Westfall and
Young 1993, *Resampling-Based Multiple Testing*, the single-step maximum).

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
_MOST_ITEMS = 2000  # that are compared, at random
_MOST_BESIDE = 8  # neighbours on each side

Floats = NDArray[np.float64]
Indexes = NDArray[np.intp]


class Predictor(NamedTuple):
    """A feature that predicts a label.

    Attributes
    ----------
    auc: the area under the ROC curve of the neighbours' means, for two classes; else None.
    correlation: the correlation of the neighbours' means with the label.
    p: adjusted for all features and labels.
    """

    feature: str
    label: str
    auc: float | None
    correlation: float
    p: float

    @property
    def strength(self) -> str:
        """In words, such as "an AUC of 0.98"."""
        return f"a correlation of {self.correlation:.2f}" if self.auc is None else f"an AUC of {self.auc:.2f}"


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
    # Missing values are last, beside each other.
    known = {name: np.nan_to_num(values[kept], nan=np.inf) for name, values in features.items()}
    known = {name: values for name, values in known.items() if size and values.min() < values.max()}
    if not known or size < FEWEST:
        return []
    values, columns = np.array(list(known.values())), [each[kept] for each in labels.values()]
    orders = _orders(values, rng)
    found = _strengths(orders, columns)
    if found.max() < LEAST:
        return []
    p = np.zeros(found.shape) if groupings else _p_values(values, columns, None, rng)
    for grouping in groupings:
        units = np.unique(grouping[kept], return_inverse=True)[1]
        tests = list(_tests_of_units(values, columns, units, rng))
        p = np.maximum(p, np.minimum(1, len(tests) * np.min(tests, axis=0)) if tests else 1)
    predictors = [
        Predictor(feature, label, _auc(orders[at], column), float(found[at, number]), float(p[at, number]))
        for at, feature in enumerate(known)
        for number, (label, column) in enumerate(zip(labels, columns, strict=True))
        if p[at, number] <= LEVEL and found[at, number] >= LEAST
    ]
    return sorted(predictors, key=lambda each: -each.correlation)


def _orders(values: Floats, rng: np.random.Generator) -> list[Indexes]:
    """Return the items in the order of each feature; equal values are in random order."""
    return [np.lexsort((rng.random(values.shape[1]), row)) for row in values]


def _tests_of_units(
    values: Floats, labels: list[Floats], units: Indexes, rng: np.random.Generator
) -> Iterator[Floats]:
    """Yield the p-values of a grouping: within its units, and among the medians and means of its units."""
    sizes = np.bincount(units)
    means = [np.array([np.bincount(units, column) / sizes for column in label.T]).T for label in labels]
    centred = [label - mean[units] for label, mean in zip(labels, means, strict=True)]
    if any(np.abs(label).max() > 1e-9 for label in centred):
        yield _p_values(values, centred, units, rng)
    if len(sizes) >= FEWEST_GROUPS:
        parts = np.split(values[:, np.argsort(units, kind="stable")], np.cumsum(sizes)[:-1], axis=1)
        yield _p_values(np.array([np.median(part, axis=1) for part in parts]).T, means, None, rng)


def _p_values(
    values: Floats, labels: list[Floats], within: Indexes | None, rng: np.random.Generator
) -> Floats:
    """Return the adjusted p-value of each feature and label, shape (features, labels).

    Labels are permuted within the groups `within`; None: among all items.
    """
    orders = _orders(values, rng)
    found = _strengths(orders, labels)
    moved = np.array([_permutation(values.shape[1], within, rng) for _ in range(_PERMUTATIONS)]).T
    largest = np.full(_PERMUTATIONS, -1.0)
    for label in labels:  # shape (items, permutations, columns)
        permuted = label.astype(np.float32)[moved]
        largest = np.max([largest, *(_correlation(permuted[order]) for order in orders)], axis=0)
    exceeded: Floats = (largest >= found[..., None] - 1e-6).sum(axis=-1)
    return (exceeded + 1) / (_PERMUTATIONS + 1)


def _permutation(size: int, within: Indexes | None, rng: np.random.Generator) -> Indexes:
    if within is None:
        return rng.permutation(size)
    order = np.empty(size, dtype=np.intp)
    order[np.argsort(within, kind="stable")] = np.lexsort((rng.random(size), within))
    return order


def _strengths(orders: Sequence[Indexes], labels: Sequence[Floats]) -> Floats:
    """Return the correlation of the neighbours' means with each label, shape (features, labels)."""
    return np.array([[_correlation(label[order]) for label in labels] for order in orders])


def _means(label: Any) -> Any:
    """Return the mean label of the items on both sides of each item in an order, without its own."""
    size = len(label)
    beside, at = int(np.clip(size // 16, 1, _MOST_BESIDE)), np.arange(size)
    first, end = np.maximum(at - beside, 0), np.minimum(at + beside + 1, size)
    total = np.concatenate([np.zeros_like(label[:1]), np.cumsum(label, axis=0)])
    return (total[end] - total[first] - label) / (end - first - 1).reshape(-1, *[1] * (label.ndim - 1))


def _correlation(label: Any) -> Any:
    """Return the correlation of the means with the label over items and columns; 0 where one side is constant."""
    means = _means(label)
    means, label = means - means.mean(axis=0), label - label.mean(axis=0)
    product = (means * label).sum(axis=(0, -1))
    size = np.sqrt((means**2).sum(axis=(0, -1)) * (label**2).sum(axis=(0, -1)))
    return np.divide(product, size, out=np.zeros_like(product), where=size > 1e-9)


def _auc(order: Indexes, label: Floats) -> float | None:
    """Return the area under the ROC curve, ties counting half, if the label has two classes."""
    if len(np.unique(label)) != 2 or label.shape[1] > 1:
        return None
    positive = label[order, 0] == label.max()
    ranks, size = _mean_ranks(_means(label[order])[:, 0]), positive.sum()
    return float((ranks[positive].sum() - size * (size + 1) / 2) / (size * (len(label) - size)))
