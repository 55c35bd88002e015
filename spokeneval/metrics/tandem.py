r"""Detection costs with several classes of nontargets: speakers other than the target, and spoofed speech.

A system accepts a trial if its score is at least a threshold. Its costs are weighted rates of misses of targets and of
false alarms of each other class, at the threshold that is best for the set:

- *a-DCF*, of one score for each trial: :math:`C_{miss} \pi_{tar} P_{miss} + \sum_k C_{fa,k} \pi_k P_{fa,k}`.
- *t-DCF*, of a countermeasure in front of a given verification system: :math:`C_0 + C_1 P_{miss} + C_2 P_{fa}`, with
  the rates of the countermeasure, which should accept bona fide speech; `tandem_weights` gives the constants.

Both are divided by the cost of accepting everything or of accepting nothing, whichever is lower. Lower is better.

Sources: Shim et al., a-DCF: an architecture agnostic metric with application to spoofing-robust speaker verification
(Odyssey 2024), equations 3 and 5; Kinnunen et al., Tandem assessment of spoofing countermeasures and automatic speaker
verification: fundamentals (IEEE/ACM TASLP 28, 2020), equations 10 and 11.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .counts import Counts, Number, ratio
from .identification import block_minima
from .shares import of_observations


@dataclass(frozen=True)
class ThresholdErrors(Counts):
    """Trials of k classes and their errors at t thresholds; the first class are the targets.

    Attributes
    ----------
    items : ndarray, shape (..., k)
        The number of trials of each class.
    errors : ndarray, shape (..., k, t)
        The number of targets below each threshold, and of trials of each other class at or above it.
    """

    items: Number
    errors: Number


def threshold_errors(labels: Any, scores: Any, row: Any, *, weights: Sequence[float]) -> ThresholdErrors:
    """Count the errors at the best thresholds of blocks of targets, one row for each number in `row`.

    Parameters
    ----------
    labels : array_like of int, shape (n,)
        The class of each trial, 0 for a target.
    scores : array_like, shape (n,)
        The scores; larger means more likely a target.
    row : array_like of int, shape (n,)
        The row in which each trial is counted.
    weights
        The weight of each class's rate of errors.

    Examples
    --------
    >>> counts = threshold_errors([0, 0, 1, 2], [2.0, 1.0, 0.0, 1.5], [0, 0, 0, 0], weights=[1, 1, 1])
    >>> counts.errors[0].tolist()  # at 1, at 2 and above all scores
    [[0, 1, 2], [0, 0, 0], [1, 0, 0]]
    """
    labels, scores, row = np.asarray(labels), np.asarray(scores, dtype=float), np.asarray(row)
    rows = int(row.max()) + 1
    by_class = [np.sort(scores[labels == number]) for number in range(len(weights))]
    targets = by_class[0]
    sizes = [max(1, len(each)) for each in by_class]
    costs = weights[0] * np.searchsorted(targets, targets) / sizes[0]
    for weight, others, size in zip(weights[1:], by_class[1:], sizes[1:]):
        costs = costs + weight * (len(others) - np.searchsorted(others, targets)) / size
    cell = len(weights) * row + labels
    errors = []
    for threshold in (*block_minima(targets, costs), np.inf):
        wrong = (scores >= threshold) == (labels > 0)
        errors.append(np.bincount(cell[wrong], minlength=rows * len(weights)))
    items = np.bincount(cell, minlength=rows * len(weights)).reshape(rows, -1)
    return ThresholdErrors(items, np.stack(errors, axis=-1).reshape(rows, len(weights), -1))


@of_observations(lambda counts, **_: counts.items)
def minimum_cost(counts: ThresholdErrors, *, weights: Sequence[float], constant: float = 0.0) -> Any:
    """The minimum over thresholds of a constant plus the weighted error rates, normalised.

    Examples
    --------
    >>> minimum_cost(ThresholdErrors(np.array([2, 1, 1]), np.array([[0, 1], [0, 0], [1, 0]])), weights=[1, 1, 4])
    0.5
    """
    rates = ratio(counts.errors, np.asarray(counts.items)[..., np.newaxis], "the rate of errors")
    if np.ndim(counts.items) == 1 and np.isnan(rates).any():
        raise ValueError("the cost is undefined: a class has no trials")
    cost = (np.asarray(weights)[:, np.newaxis] * rates).sum(axis=-2).min(axis=-1)
    cost = (constant + cost) / (constant + min(weights[0], sum(weights[1:])))
    return cost if np.ndim(cost) else float(cost)


def tandem_weights(
    priors: Sequence[float], costs: Sequence[float], rates: Mapping[str, float]
) -> tuple[float, tuple[float, float]]:
    """The constant and the weights of the t-DCF.

    Parameters
    ----------
    priors, costs
        The priors of targets, other speakers and spoofed speech; the costs of missing targets and of accepting the
        others.
    rates
        The error rates of the verification system: `miss`, and the false alarms of other speakers, `false_alarm`, and
        of spoofed speech, `spoof`.

    Examples
    --------
    >>> rates = {"miss": 0.1, "false_alarm": 0, "spoof": 0.5}
    >>> constant, weights = tandem_weights([0.9, 0.05, 0.05], [1, 10, 10], rates)
    >>> round(constant, 6), [round(weight, 6) for weight in weights]
    (0.09, [0.81, 0.25])
    """
    of_miss, of_others, of_spoofs = (cost * prior for cost, prior in zip(costs, priors))
    constant = of_miss * rates["miss"] + of_others * rates["false_alarm"]
    return constant, (of_miss - constant, of_spoofs * rates["spoof"])
