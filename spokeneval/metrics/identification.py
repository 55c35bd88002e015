"""Identification of one of several classes, and detection of one class: from scores to counts and costs.

Every item has one score for each of k classes. Scores are natural-log likelihoods: larger means more likely, and adding
a number to all scores of an item changes nothing. Each class has a detector, whose log-likelihood ratio compares the
class with the mean likelihood of the others (`detector_ratios`). Detection of one class against all others is the case
of two classes with the scores (s, 0) for a log-likelihood ratio s.

All functions of items take the same arrays, for n >= 1 items: `labels`, the class of each item, int, shape (n,), from
0 to k - 1; `scores`, finite floats, shape (n, k), k >= 2; `row`, the number of the row in which each item is counted,
such as its speaker's, int, shape (n,), from 0. Other values raise ValueError. All rates of a set in which a class has
no item are undefined (see `counts`). Lower costs are better.

Costs have weights: a pair (of misses, of false alarms) for each application. The cost is the mean over applications.
With the prior P of a target, the costs C_Miss and C_FA, and beta = C_FA (1 - P) / (C_Miss P), the pair is (1, beta). A
detector accepts a ratio of at least log(beta).

Sources: NIST 2022 Language Recognition Evaluation Plan, section 4, for beta and the average cost; N. Brümmer and D. van
Leeuwen, "On calibration of language recognition scores" (2006), for Cllr of several classes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from .counts import Counts, Number, cell_sums, ratio
from .detection_cost import LARGEST_RATIO
from .equal_error_rate import BINS, ScoreHistograms, score_bins, trial_histograms
from .shares import cost_of_shares, cost_shares, of_observations, of_shares

Weights = Sequence[tuple[float, float]]

ROUNDING = 2.0**-48
"""Ratios count as equal if they differ by at most this, relative to the largest score (see `with_ties`)."""

BLOCKS = 32
"""In resamples, the minimum cost is taken over the best thresholds of this many blocks (see `best_thresholds`)."""


@dataclass(frozen=True)
class ClassCosts(Counts):
    """Items of k classes, their decisions and costs, counted by class and at each of t thresholds.

    Attributes
    ----------
    items : ndarray, shape (..., k)
        The number of items of each class.
    hits : ndarray, shape (..., k)
        The number of items of each class whose score for this class is largest; of equal scores the first class counts.
    bits : ndarray, shape (..., k)
        For the items of each class, the sum of -log2 of the posterior probability of the class, with equal priors.
    misses : ndarray, shape (..., k, t)
        The number of items of each class that the detector of this class does not accept.
    false_alarms : ndarray, shape (..., k, t)
        How often the detectors of the other classes accept an item of each class.
    """

    items: Number
    hits: Number
    bits: Number
    misses: Number
    false_alarms: Number


def detector_ratios(scores: Any) -> np.ndarray:
    r"""The log-likelihood ratio of each class against the others, shape (n, k).

    .. math:: LLR_i = L_i - \log \frac{1}{k - 1} \sum_{j \ne i} \exp L_j

    Ratios that a double cannot hold are those of its largest number.

    Examples
    --------
    >>> detector_ratios([[2.0, 0.5]]).tolist()
    [[1.5, -1.5]]
    >>> detector_ratios([[0.5, 0.5, 0.5]]).tolist()
    [[0.0, 0.0, 0.0]]
    """
    shifted = _shifted(_checked_scores(scores), np.nextafter(-np.inf, 0))
    items, classes = shifted.shape
    if classes == 2:
        return np.asarray(shifted - shifted[:, ::-1])
    likelihoods = np.exp(shifted)
    # Sums without one class are taken from both sides, because differences would lose digits.
    none = np.zeros((items, 1))
    before = np.cumsum(np.concatenate([none, likelihoods[:, :-1]], axis=1), axis=1)
    after = np.cumsum(np.concatenate([none, likelihoods[:, :0:-1]], axis=1), axis=1)[:, ::-1]
    # The others of the largest class may all be so much less likely that their sum is 0.
    own, place = np.arange(items), shifted.argmax(axis=1)
    others = shifted.copy()
    others[own, place] = -np.inf
    second = others.max(axis=1)
    with np.errstate(divide="ignore"):
        of_others = np.log((before + after) / (classes - 1))
    of_others[own, place] = second + np.log(np.exp(others - second[:, None]).sum(axis=1) / (classes - 1))
    ratios: np.ndarray = shifted - of_others
    return ratios


def with_ties(ratios: np.ndarray, scores: Any) -> np.ndarray:
    """The `detector_ratios` of scores, or columns of them, with those that differ only by rounding errors made equal.

    Differences of decimals have rounding errors as large as a unit in the last place of the scores: 0.3 - 0.1 is less
    than 0.2. So of all ratios in ascending order, neighbours that differ by at most 16 units in the last place of the
    largest score are made equal to the lowest of them. Adding a number to all scores of an item then breaks no tie.
    Scores of a million or more do not count as the largest: systems write them for missing scores.

    Examples
    --------
    >>> scores = np.array([[0.3, 0.1], [0.2, 0.0]])
    >>> ratios = detector_ratios(scores)[:, 0]
    >>> ratios.tolist(), with_ties(ratios, scores).tolist()
    ([0.19999999999999998, 0.2], [0.19999999999999998, 0.19999999999999998])
    """
    sizes = np.abs(scores)
    largest = sizes.max(initial=0, where=sizes < LARGEST_RATIO)
    # Ratios of several classes also have the rounding errors of sums of likelihoods, which are at most 1 each.
    error = ROUNDING * (largest + (sizes.shape[1] if sizes.shape[1] > 2 else 0))
    order = ratios.argsort(axis=None)
    ascending = ratios.ravel()[order]
    with np.errstate(over="ignore"):
        lowest = np.append(True, np.diff(ascending) > error)
    tied = np.empty_like(ascending)
    tied[order] = ascending[lowest][np.cumsum(lowest) - 1]
    return tied.reshape(ratios.shape)


def best_thresholds(labels: Any, ratios: np.ndarray, weights: Weights) -> np.ndarray:
    """Thresholds that include the one with the lowest average cost for each of the weights; infinity is the last.

    The ratios of the own classes, in ascending order, are divided into `BLOCKS` equal blocks, and the best threshold of
    each block is taken. So the minimum cost over them is that over all thresholds; in a resample it is close to that.

    Examples
    --------
    >>> ratios = np.array([[2.0, -2.0], [1.0, -1.0], [-3.0, 3.0]])
    >>> best_thresholds([0, 1, 1], ratios, [(1, 1)]).tolist()
    [-1.0, 2.0, 3.0, inf]
    """
    labels, classes = np.asarray(labels), ratios.shape[1]
    of_item = 1 / np.bincount(labels)[labels]
    targets, nontargets = pooled_trials(labels, ratios)
    order = np.argsort(targets, kind="stable")
    targets = targets[order]
    missed = np.cumsum(np.append(0, of_item[order]))[:-1]
    of_trial = np.repeat(of_item, classes - 1)
    order = np.argsort(nontargets, kind="stable")
    rejected = np.cumsum(np.append(0, of_trial[order]))
    accepted = (rejected[-1] - rejected[np.searchsorted(nontargets[order], targets)]) / (classes - 1)
    costs = (of_misses * missed + of_false_alarms * accepted for of_misses, of_false_alarms in weights)
    return np.append([best for cost in costs for best in block_minima(targets, cost)], np.inf)


def block_minima(targets: np.ndarray, costs: np.ndarray) -> list[float]:
    """The target with the lowest cost in each of `BLOCKS` blocks of targets, or fewer."""
    blocks = np.array_split(np.arange(len(targets)), max(1, min(BLOCKS, len(targets))))
    return [targets[block[costs[block].argmin()]] for block in blocks if len(block)]


def class_costs(labels: Any, scores: Any, row: Any, *, weights: Weights, minimum: bool = True) -> ClassCosts:
    """Count decisions and costs, one row for each number in `row`.

    The thresholds are log(beta) for each of the weights, in their order; with `minimum`, then the `best_thresholds` for
    the `minimum_average_cost`.

    Examples
    --------
    >>> costs = class_costs([0, 1], [[2.0, 0.0], [0.0, 0.0]], [0, 0], weights=[(1, 1)])
    >>> costs.hits.tolist(), costs.bits.round(6).tolist()
    ([[1, 0]], [[0.183118, 1.0]])
    >>> costs.misses[..., 0].tolist(), costs.false_alarms[..., 0].tolist()
    ([[0, 0]], [[0, 1]])
    """
    labels, scores, row, rows = checked_items(labels, scores, row)
    classes = scores.shape[1]
    cell = classes * row + labels
    each = np.arange(len(labels))

    def counted(weights: Any = None) -> np.ndarray:
        return np.bincount(cell, weights=weights, minlength=classes * rows).reshape(rows, classes)

    def times(numbers: np.ndarray) -> np.ndarray:
        return np.asarray(np.rint(counted(numbers)).astype(np.int64))

    shifted = _shifted(scores, -LARGEST_RATIO)
    bits = (np.log(np.exp(shifted).sum(axis=1)) - shifted[each, labels]) / math.log(2)
    ratios = detector_ratios(scores)
    actual = [math.log(of_false_alarms / of_misses) for of_misses, of_false_alarms in weights]
    points = [(ratios, threshold) for threshold in actual]
    if minimum:
        tied = with_ties(ratios, scores)
        points += [(tied, threshold) for threshold in best_thresholds(labels, tied, weights)]
    misses, false_alarms = [], []
    for ranked, threshold in points:
        own = ranked[each, labels]
        misses.append(times(own < threshold))
        false_alarms.append(times((ranked >= threshold).sum(axis=1) - (own >= threshold)))
    return ClassCosts(
        counted(),
        times(scores.argmax(axis=1) == labels),
        cell_sums(cell, bits, classes * rows).reshape(rows, classes),
        np.stack(misses, axis=-1),
        np.stack(false_alarms, axis=-1),
    )


def pooled_histograms(labels: Any, scores: Any, row: Any, *, out_of_set: int = 0) -> ScoreHistograms:
    """The scores of all classes in one pool, counted by row: one target and k - 1 nontargets for each item.

    The EER of their total is the `rocch_eer` of the pooled scores. With `out_of_set` 1, an item with the label k is k
    nontargets.

    Examples
    --------
    >>> histograms = pooled_histograms([0, 2], [[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]], [0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([1, 1], [2, 2])
    """
    labels, scores, row, rows = checked_items(labels, scores, row, out_of_set)
    rows_of_trials = pooled_trials(labels, np.broadcast_to(row[:, np.newaxis], scores.shape))
    return _histograms(pooled_trials(labels, scores), rows_of_trials, rows)


def pooled_trials(labels: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values, such as scores, of each item's class, then those of its other classes; the arrays must be checked.

    Examples
    --------
    >>> own, others = pooled_trials(np.array([0, 2]), np.array([[2.0, 1.0, 0.0], [0.0, 0.0, 1.0]]))
    >>> own.tolist(), others.tolist()
    ([2.0, 1.0], [1.0, 0.0, 0.0, 0.0])
    """
    own = labels[:, np.newaxis] == np.arange(values.shape[1])
    return values[own], values[~own]


def detection_histograms(labels: Any, scores: Any, row: Any, *, trials: Any = None) -> ScoreHistograms:
    """The ratios of the first of two classes, counted by row, in `score_bins` with `whole`; targets are of this class.

    `trials` replace those of `detection_trials`.

    Examples
    --------
    >>> histograms = detection_histograms([0, 1, 0], [[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]], [0, 0, 1])
    >>> histograms.targets.sum(axis=1).tolist(), histograms.nontargets.sum(axis=1).tolist()
    ([1, 1], [1, 0])
    """
    labels, scores, row, rows = checked_items(labels, scores, row)
    sides = row[labels == 0], row[labels == 1]
    return _histograms(trials or detection_trials(labels, scores), sides, rows, whole=True)


def _histograms(trials: Any, rows_of_trials: Any, rows: int, *, whole: bool = False) -> ScoreHistograms:
    """The trials of both sides; if one side has none, as in a part of a set, they are in one bin."""
    bins = score_bins(*trials, whole=whole) if all(map(len, trials)) else np.full(BINS - 1, np.inf)
    return trial_histograms(trials, rows_of_trials, rows, bins)


def detection_trials(labels: Any, scores: Any) -> tuple[np.ndarray, np.ndarray]:
    """The ratios of the first of two classes, `with_ties`: of its items (targets), and of the second's (nontargets).

    Examples
    --------
    >>> targets, nontargets = detection_trials([0, 1], [[2.0, 0.0], [0.0, 1.0]])
    >>> targets.tolist(), nontargets.tolist()
    ([2.0], [-1.0])
    """
    labels, scores, *_ = checked_items(labels, scores, np.zeros(len(labels), dtype=np.int64))
    if scores.shape[1] != 2:
        raise ValueError(f"scores of {scores.shape[1]} classes; expected two")
    ratios = with_ties(detector_ratios(scores)[:, 0], scores)
    return ratios[labels == 0], ratios[labels == 1]


@of_shares(cost_shares, cost_of_shares)
def average_cost(costs: ClassCosts, *, weights: Weights) -> Any:
    r"""The average cost of all detectors, Cavg, at the thresholds of calibrated log-likelihood ratios.

    .. math:: C_{avg} = \frac{1}{N} \sum_T \Big( P_{Miss}(T) + \frac{\beta}{N - 1} \sum_{M \ne T} P_{FA}(T, M) \Big)

    for N classes, with the share P_FA(T, M) of the items of class M that the detector of class T accepts. The result is
    the mean over the `weights` of `class_costs`; it is 1 for detectors that accept nothing.
    """
    misses, alarms = _rates(costs)
    parts = [
        of_misses * misses[..., place].mean(axis=-1) + of_false_alarms * alarms[..., place].mean(axis=-1)
        for place, (of_misses, of_false_alarms) in enumerate(weights)
    ]
    return defined(sum(parts) / len(parts), costs, "the average cost")


@of_observations(lambda costs, **_: costs.items)
def minimum_average_cost(costs: ClassCosts, *, weights: Weights) -> Any:
    """The minimum of `average_cost` over thresholds, one threshold for all detectors.

    Examples
    --------
    >>> misses, false_alarms = np.array([[0, 2], [0, 1]]), np.array([[1, 0], [0, 0]])
    >>> minimum_average_cost(ClassCosts(*np.array([[2, 1], [1, 1], [1, 0]]), misses, false_alarms), weights=[(1, 9)])
    1.0
    """
    misses, false_alarms = (rate.mean(axis=-2) for rate in _rates(costs))
    parts = [(of_misses * misses + of_alarms * false_alarms).min(axis=-1) for of_misses, of_alarms in weights]
    return defined(sum(parts) / len(parts), costs, "the minimum average cost")


@of_shares(partial(cost_shares, sides=(0, 1)), cost_of_shares)
def target_cost(costs: ClassCosts, *, weights: Weights) -> Any:
    """The cost of the detector of the first of two classes, at the same thresholds as `average_cost`.

    Examples
    --------
    >>> costs = ClassCosts(*np.array([[2, 1], [1, 1], [1, 0]]), np.array([[1], [0]]), np.array([[1], [0]]))
    >>> target_cost(costs, weights=[(1, 9)])
    0.5
    """
    misses, false_alarms = _rates(costs)
    parts = [
        of_misses * misses[..., 0, place] + of_false_alarms * false_alarms[..., 1, place]
        for place, (of_misses, of_false_alarms) in enumerate(weights)
    ]
    return defined(sum(parts) / len(parts), costs, "the detection cost")


@of_shares(lambda costs: (costs.bits, costs.items), rates=True)
def class_cllr(costs: ClassCosts) -> Any:
    r"""Cllr of several classes, the cost of log-likelihoods in bits.

    .. math:: C_{llr} = \frac{1}{k} \sum_i \text{mean of } - \log_2 \frac{\exp L_i}{\sum_j \exp L_j}

    where the mean is over the items of class i. It is log2(k) for a system without information, and more for a
    misleading system. For two classes it is the Cllr of their log-likelihood ratios.

    Examples
    --------
    >>> class_cllr(ClassCosts(*np.array([[2, 1], [1, 1], [1, 1]]), np.zeros((2, 1)), np.zeros((2, 1))))
    0.75
    """
    return defined((costs.bits / np.maximum(costs.items, 1)).mean(axis=-1), costs, "Cllr")


@of_shares(lambda costs, number: (costs.hits[:, number], costs.items[:, number]))
def class_recall(costs: ClassCosts, *, number: int) -> Any:
    """The share of the items of one class whose score for this class is largest. Classes are numbered from 0.

    >>> class_recall(ClassCosts(*np.array([[2, 1], [1, 1], [1, 1]]), np.zeros((2, 1)), np.zeros((2, 1))), number=0)
    0.5
    """
    return ratio(costs.hits[..., number], costs.items[..., number], "recall")


@of_shares(lambda costs: (costs.hits, costs.items))
def macro_accuracy(costs: ClassCosts) -> Any:
    """The mean `class_recall` of the classes, also called balanced accuracy.

    >>> macro_accuracy(ClassCosts(*np.array([[2, 1], [1, 1], [1, 1]]), np.zeros((2, 1)), np.zeros((2, 1))))
    0.75
    """
    return defined((costs.hits / np.maximum(costs.items, 1)).mean(axis=-1), costs, "macro accuracy")


def _rates(costs: ClassCosts) -> tuple[np.ndarray, np.ndarray]:
    """Miss rates, and the other detectors' mean false-alarm rates, by class and threshold, shape (..., k, t)."""
    items = np.maximum(costs.items, 1)[..., np.newaxis]
    return costs.misses / items, costs.false_alarms / (items * (np.shape(costs.items)[-1] - 1))


def defined(values: Any, costs: ClassCosts, name: str) -> Any:
    """The values, undefined where a class has no item."""
    return ratio(values, (np.asarray(costs.items) > 0).all(axis=-1), name)


def _shifted(scores: np.ndarray, least: float) -> np.ndarray:
    """The scores of each item minus the largest one; smaller differences are `least`."""
    with np.errstate(over="ignore"):
        return np.asarray(np.maximum(scores - scores.max(axis=1, keepdims=True), least))


def _checked_scores(scores: Any) -> np.ndarray:
    scores = np.asarray(scores)
    if scores.dtype.kind not in "iuf" or scores.ndim != 2 or not len(scores) or scores.shape[1] < 2:
        found = f"{scores.dtype} of {scores.shape}"
        raise ValueError(f"scores must be numbers of shape (n, k), k >= 2, not {found}")
    if not np.isfinite(scores).all():
        raise ValueError("scores must be finite")
    return np.asarray(scores, dtype=np.float64)


def checked_items(labels: Any, scores: Any, row: Any, out_of_set: int = 0) -> tuple[Any, Any, Any, int]:
    """Check the three arrays, and return them with the number of rows; labels may be up to k - 1 + `out_of_set`."""
    scores, labels, row = _checked_scores(scores), np.asarray(labels), np.asarray(row)
    for name, numbers in (("labels", labels), ("rows", row)):
        if numbers.shape != (len(scores),) or numbers.dtype.kind not in "iu" or numbers.min() < 0:
            found = f"{numbers.dtype} of {numbers.shape}"
            raise ValueError(f"{name} must be {len(scores)} whole numbers from 0, not {found}")
    if labels.max() >= scores.shape[1] + out_of_set:
        raise ValueError(f"labels must be classes from 0 to {scores.shape[1] + out_of_set - 1}")
    labels, row = (each.astype(np.int64, copy=False) for each in (labels, row))
    return labels, scores, row, int(row.max()) + 1
