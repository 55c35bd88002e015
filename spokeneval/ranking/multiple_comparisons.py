"""Multiple comparisons: Holm's correction over all pairs of systems, and clusters of systems.

A *cluster* consists of neighbouring ranks. A new cluster begins at the first rank at which some system differs
significantly from the first system of the current cluster. So no system differs significantly from the first system of
its cluster. This does not mean that the systems in a cluster are equal.

Source: Holm, A simple sequentially rejective multiple test procedure (Scandinavian Journal of Statistics 6, 1979).
"""

from __future__ import annotations

import numpy as np

SIGNIFICANCE = 0.05
"""The significance level: the risk that any difference is found wrongly, and that any set of ranks is wrong."""

RISK, CONFIDENCE = f"{100 * SIGNIFICANCE:g} %", f"{100 * (1 - SIGNIFICANCE):g} %"


def holm(p_values: np.ndarray) -> np.ndarray:
    """Adjust the p values of all pairs of s systems by Holm's step-down method.

    The i-th smallest of m p values is multiplied by m - i + 1. Adjusted values are at most 1, and increase with i.

    Parameters
    ----------
    p_values : ndarray, shape (s, s)
        The p value of each pair, symmetric.

    Returns
    -------
    ndarray, shape (s, s)
        The adjusted p values, symmetric.

    Examples
    --------
    >>> p_values = np.array([[1, 0.01, 0.04], [0.01, 1, 0.03], [0.04, 0.03, 1]])
    >>> holm(p_values).round(6).tolist()
    [[1.0, 0.03, 0.06], [0.03, 1.0, 0.06], [0.06, 0.06, 1.0]]
    """
    pairs = np.triu_indices(len(p_values), 1)
    adjusted = np.ones_like(p_values)
    adjusted[pairs] = stepped_down(p_values[pairs])
    symmetric: np.ndarray = np.minimum(adjusted, adjusted.T)
    return symmetric


def stepped_down(p_values: np.ndarray) -> np.ndarray:
    """Adjust m p values, shape (m,), as `holm` adjusts those of pairs.

    >>> stepped_down(np.array([0.01, 0.04, 0.03])).round(6).tolist()
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    steps = np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(1, np.maximum.accumulate(p_values[order] * steps))
    return adjusted


def holm_level(systems: int, rejected: int = 0) -> float:
    """The level of the next step of Holm's procedure over all pairs of systems, after `rejected` rejections.

    A pair differs significantly if its p-value is at most this level, which `holm` adjusts to `SIGNIFICANCE`.

    >>> holm_level(3), holm_level(3, rejected=1)  # 3 pairs
    (0.016666666666666666, 0.025)
    """
    return SIGNIFICANCE / (systems * (systems - 1) // 2 - rejected)


def clusters(places: np.ndarray, differ: np.ndarray) -> list[int]:
    """The cluster of each system, numbered from 1, the best.

    Parameters
    ----------
    places : ndarray of int, shape (s,)
        The ranks of the systems.
    differ : ndarray of bool, shape (s, s)
        Whether the systems of each pair differ significantly.

    Returns
    -------
    list of int
        The s clusters.

    Examples
    --------
    >>> clusters(np.array([1, 2, 3]), np.array([[False, False, True], [False, False, False], [True, False, False]]))
    [1, 1, 2]
    """
    number, first = 0, None
    found = np.zeros(len(places), dtype=np.int64)
    for rank in np.unique(places):
        tied = np.flatnonzero(places == rank)
        if first is None or differ[first, tied].any():
            number, first = number + 1, tied[0]
        found[tied] = number
    return [int(cluster) for cluster in found]
