"""Detection costs of scores at their best thresholds: minimum Cllr and NIST's minimum cost.

All costs are undefined unless both targets and nontargets occur (see `counts`). Lower is better.

Sources: N. Brümmer and J. du Preez, "Application-independent evaluation of speaker detection" (2006), for Cllr; NIST
2022 Language Recognition Evaluation Plan, section 4, for the detection costs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .counts import ratio
from .equal_error_rate import ScoreHistograms, trials_of
from .roc_hull import pool_adjacent_violators
from .shares import of_observations

LARGEST_RATIO = 1e6
"""The largest log-likelihood ratio in Cllr, so that it is finite: larger differences of scores count as this. Error
rates, and costs at thresholds, need only the order of the scores and have no such limit."""


def look_like_posteriors(scores: Any) -> bool:
    """Whether log-likelihoods look like probabilities: all from 0 to 1, with the sum 1 for each item.

    Such scores are accepted. Their order is as good as that of log-likelihoods, but Cllr and costs at fixed thresholds
    are those of a system that is hardly ever sure: a probability of 1 against 0 is a log-likelihood ratio of 1.

    Parameters
    ----------
    scores : array_like, shape (n, k)
        The scores of n items. Scores in a single column, for a target, need no such sum. Numbers may be rounded to two
        decimals.

    Examples
    --------
    >>> look_like_posteriors([[0.9, 0.1], [0.3, 0.7]]), look_like_posteriors([[-0.1, -2.3], [-1.2, -0.4]])
    (True, False)
    """
    scores = np.asarray(scores, dtype=float)
    inside = ((scores >= 0) & (scores <= 1)).all()
    single, rounded = scores.shape[1] == 1, 0.005 * scores.shape[1] + 1e-9
    return bool(inside and (np.ptp(scores) > 0 if single else (abs(scores.sum(axis=1) - 1) <= rounded).all()))


PROBABILITIES = (
    "All scores are from 0 to 1, like probabilities. Cllr and the costs at fixed thresholds read "
    "differences of scores as natural-log likelihood ratios, so a probability of 1 against 0 counts as a weak "
    "preference. Submit log-likelihoods for these scores. The EER does not depend on this where there are two classes."
)
"""The remark of a report on scores that `look_like_posteriors`."""


@of_observations(trials_of)
def minimum_cllr(histograms: ScoreHistograms) -> Any:
    """The Cllr after the best calibration by an increasing function of the scores, from 0 to 1 bit.

    Pool-adjacent-violators pools the bins into blocks with one likelihood ratio each; scores within a bin count as
    equal. For the `exact_total` of `identification.detection_histograms` it is exactly the minimum Cllr of the scores.

    Source: Brümmer and du Preez (2006).

    Examples
    --------
    Both blocks contain 1 target among 2 trials, so the scores give no information.

    >>> minimum_cllr(ScoreHistograms(np.array([1, 0, 1, 0]), np.array([0, 1, 0, 1])))
    1.0
    """
    targets, nontargets = (np.atleast_2d(field) for field in (histograms.targets, histograms.nontargets))
    row, place = np.nonzero(targets + nontargets)
    first, targets_in, nontargets_in = pool_adjacent_violators(
        row, targets[row, place], nontargets[row, place]
    )
    row = row[first]
    sizes = targets.sum(axis=1), nontargets.sum(axis=1)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    shares = [inside / np.maximum(size, 1)[row] for inside, size in zip((targets_in, nontargets_in), sizes)]
    bits = [share * np.log2(sum(shares) / np.where(share, share, 1)) for share in shares]
    of_targets, of_nontargets = (np.bincount(row, weights=part, minlength=len(targets)) for part in bits)
    return _of_both((of_targets + of_nontargets) / 2, both, histograms, "the minimum Cllr")


@of_observations(trials_of)
def minimum_detection_cost(
    histograms: ScoreHistograms,
    *,
    weights: Sequence[tuple[float, float]],
    of_nontargets: bool = True,
) -> Any:
    """The minimum of NIST's detection cost over thresholds, each of its parts at its own best threshold; from 0 to 1.

    Scores within a bin count as equal. For the `exact_total` of `identification.detection_histograms` it is exactly the
    minimum cost of the scores.

    Parameters
    ----------
    weights
        The weights of the miss rate and of the false-alarm rate. The cost is the mean over them.
    of_nontargets
        Whether the cost is also the mean over the detectors of both classes; otherwise it is that of the target's
        detector.

    Examples
    --------
    For English, the best threshold at both ratios misses one of four targets and accepts no nontarget. For Mandarin, it
    misses none and accepts one of four nontargets: (1/4 + 1/4 + 1/4 + 1/4) / 4.

    >>> histograms = ScoreHistograms(np.array([0, 1, 0, 3]), np.array([3, 0, 1, 0]))
    >>> minimum_detection_cost(histograms, weights=[(1, 1), (1, 9)])
    0.25
    """
    targets, nontargets = (np.atleast_2d(field) for field in (histograms.targets, histograms.nontargets))
    sizes = targets.sum(axis=1), nontargets.sum(axis=1)
    both = (sizes[0] > 0) & (sizes[1] > 0)
    none = np.zeros((len(targets), 1))
    missed, rejected = (
        np.cumsum(np.concatenate([none, counts], axis=1), axis=1) / np.maximum(size, 1)[:, np.newaxis]
        for counts, size in zip((targets, nontargets), sizes)
    )
    accepted = 1 - rejected
    costs = [
        (of_misses * one + of_false_alarms * other).min(axis=1)
        for of_misses, of_false_alarms in weights
        for one, other in ((missed, accepted), (accepted, missed))[: 1 + of_nontargets]
    ]
    return _of_both(sum(costs) / len(costs), both, histograms, "the minimum detection cost")


def _of_both(costs: np.ndarray, both: np.ndarray, histograms: ScoreHistograms, name: str) -> Any:
    """The costs of r rows, or a number for one set; undefined without targets or nontargets."""
    if np.ndim(histograms.targets) == 1:
        return ratio(costs[0].item(), int(both[0]), name)
    return np.where(both, costs, np.nan)
