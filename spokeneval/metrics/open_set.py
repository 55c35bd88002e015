"""Identification where items may be of none of the k classes, called out of set: costs of the classes' detectors.

Each class has a detector, and each score is this detector's natural-log likelihood ratio of its class against
everything else, used as it is. Arrays are as in `identification`, but labels are from 0 to k, where k is out of set:
such an item is a nontarget of every detector. Counts are `ClassCosts` of k + 1 classes. For class k, `hits` are the
items that no detector accepts at the first threshold, and there are no misses. Lower costs are better.

Costs have weights: three numbers (of misses, of false alarms of items of the other classes, of false alarms of items
out of set) for each application. The cost is the mean over applications. The weights are C_Miss P_Target, C_FA
P_NonTarget and C_FA P_OutOfSet, where P_NonTarget = 1 - P_Target - P_OutOfSet. A detector accepts ratios of at least
log((C_FA (1 - P_Target)) / (C_Miss P_Target)).

Source: NIST 2009 Language Recognition Evaluation Plan, for the average cost of the open-set condition.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from .counts import cell_sums
from .detection_cost import LARGEST_RATIO
from .identification import ClassCosts, block_minima, checked_items, defined
from .shares import of_shares

Weights = Sequence[tuple[float, float, float]]


def open_set_costs(labels: Any, ratios: Any, row: Any, *, weights: Weights) -> ClassCosts:
    """Count decisions and costs, one row for each number in `row`.

    The thresholds are those of calibrated log-likelihood ratios for each of the weights, in their order, then some that
    include the one with the lowest cost. `bits` are the costs of ratios at the first weights.

    Examples
    --------
    >>> costs = open_set_costs([0, 1, 2], [[2.0, -1.0], [-1.0, -2.0], [1.0, -1.0]], [0] * 3, weights=[(0.5, 0.3, 0.2)])
    >>> costs.hits.tolist(), costs.misses[..., 0].tolist(), costs.false_alarms[..., 0].tolist()
    ([[1, 0, 0]], [[0, 1, 0]], [[0, 0, 1]])
    """
    labels, ratios, row, rows = checked_items(labels, ratios, row, 1)
    classes = ratios.shape[1]
    own = labels[:, np.newaxis] == np.arange(classes)
    cell = (classes + 1) * row + labels

    def counted(numbers: Any = None) -> np.ndarray:
        return np.bincount(cell, numbers, (classes + 1) * rows).reshape(rows, classes + 1)

    thresholds = [math.log((other + out) / miss) for miss, other, out in weights]
    hits = own[np.arange(len(labels)), ratios.argmax(axis=1)]
    hits |= (labels == classes) & (ratios < thresholds[0]).all(axis=1)
    _, other, out = weights[0]
    share = np.append(np.full(classes, other / (classes - 1)), out) / (other + out)
    limited = np.clip(ratios, -LARGEST_RATIO, LARGEST_RATIO)
    bits = np.logaddexp(0, np.where(own, -limited, limited)) / math.log(2)
    bits *= np.where(own, 1, share[labels][:, np.newaxis])
    points = [*thresholds, *_best_thresholds(labels, ratios, own, weights)]
    misses = [counted((own & (ratios < point)).sum(axis=1)).astype(np.int64) for point in points]
    false_alarms = [counted((~own & (ratios >= point)).sum(axis=1)).astype(np.int64) for point in points]
    return ClassCosts(
        counted(),
        counted(hits).astype(np.int64),
        cell_sums(cell, bits.sum(axis=1), (classes + 1) * rows).reshape(rows, classes + 1),
        np.stack(misses, axis=-1),
        np.stack(false_alarms, axis=-1),
    )


def _best_thresholds(labels: np.ndarray, ratios: np.ndarray, own: np.ndarray, weights: Weights) -> np.ndarray:
    """As `identification.best_thresholds`, of the ratios of the own classes."""
    classes = ratios.shape[1]
    sizes = np.maximum(np.bincount(labels, minlength=classes + 1), 1)
    targets, nontargets = ratios[own], ratios[~own]
    of_target, of_nontarget = (
        np.broadcast_to(labels[:, np.newaxis], own.shape)[side] for side in (own, ~own)
    )
    order, other_order = np.argsort(targets, kind="stable"), np.argsort(nontargets, kind="stable")
    targets, place = targets[order], np.searchsorted(nontargets[other_order], targets[order])
    thresholds: list[float] = []
    for miss, other, out in weights:
        cost = np.append(np.full(classes, other / (classes - 1)), out) / sizes
        missed = np.cumsum(np.append(0, (miss / sizes)[of_target[order]]))[:-1]
        rejected = np.cumsum(np.append(0, cost[of_nontarget[other_order]]))
        thresholds += block_minima(targets, missed + rejected[-1] - rejected[place])
    return np.append(thresholds, np.inf)


def open_average_cost(costs: ClassCosts, *, weights: Weights) -> Any:
    r"""The average cost of all detectors, Cavg, at the thresholds of calibrated log-likelihood ratios.

    .. math:: C_{avg} = \frac{1}{N} \sum_T \Big( C_{Miss} P_{Target} P_{Miss}(T) + \sum_{M \ne T} C_{FA}
        \frac{P_{NonTarget}}{N - 1} P_{FA}(T, M) + C_{FA} P_{OutOfSet} P_{FA}(T, O) \Big)

    It is not normalised: a system that accepts nothing costs C_Miss P_Target.

    Source: NIST 2009 Language Recognition Evaluation Plan.

    Examples
    --------
    >>> weights = [(0.5, 0.3, 0.2)]
    >>> costs = open_set_costs([0, 1, 2], [[2.0, -1.0], [-1.0, -2.0], [1.0, -1.0]], [0] * 3, weights=weights)
    >>> [round(cost(costs, weights=weights).item(), 6) for cost in (open_average_cost, open_minimum_cost)]
    [0.35, 0.25]
    """
    parts = [_by_threshold(costs, each)[..., place] for place, each in enumerate(weights)]
    return defined(sum(parts) / len(parts), costs, "the average cost")


def open_minimum_cost(costs: ClassCosts, *, weights: Weights) -> Any:
    """The minimum of `open_average_cost` over thresholds, one threshold for all detectors."""
    parts = [_by_threshold(costs, each).min(axis=-1) for each in weights]
    return defined(sum(parts) / len(parts), costs, "the minimum average cost")


def _by_threshold(costs: ClassCosts, weights: tuple[float, float, float]) -> Any:
    """The average cost at each threshold, shape (..., t)."""
    miss, other, out = weights
    sizes = np.maximum(costs.items, 1)[..., np.newaxis]
    misses, alarms = costs.misses / sizes, costs.false_alarms / sizes
    classes = sizes.shape[-2] - 1
    within = miss * misses[..., :-1, :].sum(axis=-2) + other / (classes - 1) * alarms[..., :-1, :].sum(
        axis=-2
    )
    return (within + out * alarms[..., -1, :]) / classes


def ratio_cllr(costs: ClassCosts) -> Any:
    """The mean Cllr of the detectors in bits, 1 without information; nontargets weigh as in the first cost.

    Examples
    --------
    >>> costs = open_set_costs([0, 1, 2], np.zeros((3, 2)), [0, 0, 0], weights=[(0.5, 0.3, 0.2)])
    >>> ratio_cllr(costs).round(6).tolist()
    [1.0]
    """
    of_classes = costs.bits / np.maximum(costs.items, 1)
    return defined(of_classes.sum(axis=-1) / (2 * (of_classes.shape[-1] - 1)), costs, "Cllr")


@of_shares(lambda costs: (costs.hits[:, :-1], costs.items[:, :-1]))
def macro_accuracy(costs: ClassCosts) -> Any:
    """The mean recall of the k classes: closed-set, without the items out of set.

    Examples
    --------
    >>> costs = open_set_costs([0, 1, 2], [[2, 1], [1, 0], [1, 1]], [0, 0, 0], weights=[(0.5, 0.3, 0.2)])
    >>> macro_accuracy(costs).tolist()
    [0.5]
    """
    return defined((costs.hits / np.maximum(costs.items, 1))[..., :-1].mean(axis=-1), costs, "macro accuracy")
