"""Operating points of sorted trials: the ROC convex hull, and where miss rate and false-alarm rate meet.

Scores are those of `equal_error_rate`, in ascending order. A threshold accepts the trials with this score or a larger
one. Misses and false alarms are counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .arrays import finite_numbers


def sorted_trials(target_scores: Any, nontarget_scores: Any) -> tuple[np.ndarray, np.ndarray]:
    targets = finite_numbers(target_scores, "target scores")
    return np.sort(targets), np.sort(finite_numbers(nontarget_scores, "nontarget scores"))


def pool_adjacent_violators(
    row: np.ndarray, targets: np.ndarray, nontargets: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pool groups of trials into blocks until the share of targets increases from block to block of each row.

    Neighbours that violate this order end in the same block, whatever else is pooled, so all of them are pooled at
    once.

    Parameters
    ----------
    row : array_like, shape (n,)
        The row of each group, ascending. Within a row, the groups are in ascending order of scores.
    targets, nontargets : array_like, shape (n,)
        The number of trials in each group.

    Returns
    -------
    first : ndarray
        The index of the first group of each block.
    targets, nontargets : ndarray
        The number of trials in each block.
    """
    first = np.arange(len(row))
    while True:
        falls = targets[:-1] * nontargets[1:] >= targets[1:] * nontargets[:-1]
        begins = np.flatnonzero(np.append(True, ~(falls & (row[1:] == row[:-1])))[: len(row)])
        if len(begins) == len(first):
            return first, targets, nontargets
        first, row = first[begins], row[begins]
        targets, nontargets = np.add.reduceat(targets, begins), np.add.reduceat(nontargets, begins)


def hull_thresholds(targets: np.ndarray, nontargets: np.ndarray) -> np.ndarray:
    """The thresholds at the vertices of the ROC convex hull, for scores in ascending order.

    A target and the nontargets up to the next target form a group, because blocks of the hull begin with a target.
    """
    rejected = np.searchsorted(nontargets, targets)
    in_groups = np.ones(len(targets)), np.diff(np.append(rejected, len(nontargets)))
    first, *_ = pool_adjacent_violators(np.zeros(len(targets)), *in_groups)
    return np.asarray(targets[first])


def diagonal_step(targets: np.ndarray, nontargets: np.ndarray) -> tuple[float, float]:
    """The last threshold with miss rate < false-alarm rate, and the next one, for scores in ascending order."""

    def excess(threshold: float) -> int:
        misses, false_alarms = errors_at(threshold, targets, nontargets)
        return int(misses) * len(nontargets) - int(false_alarms) * len(targets)

    below, above = -np.inf, np.inf
    for scores in (targets, nontargets):
        low, high = 0, len(scores)
        while low < high:
            middle = (low + high) // 2
            if excess(scores[middle]) < 0:
                low = middle + 1
            else:
                high = middle
        below = max(below, scores[low - 1] if low else below)
        above = min(above, scores[low] if low < len(scores) else above)
    return below, above


def diagonal_edge(targets: np.ndarray, nontargets: np.ndarray) -> tuple[tuple[int, int], tuple[int, int]]:
    """The ends (misses, false alarms) of the hull's edge that meets the diagonal, for scores in ascending order."""
    thresholds = np.append(hull_thresholds(targets, nontargets), np.inf)
    misses, false_alarms = errors_at(thresholds, targets, nontargets)
    last = np.flatnonzero(misses * len(nontargets) <= false_alarms * len(targets))[-1]
    right, left = zip(misses[last : last + 2].tolist(), false_alarms[last : last + 2].tolist())
    return right, left


def errors_at(threshold: Any, targets: np.ndarray, nontargets: np.ndarray) -> tuple[Any, Any]:
    """Misses and false alarms at thresholds, for scores in ascending order."""
    return np.searchsorted(targets, threshold), len(nontargets) - np.searchsorted(nontargets, threshold)
