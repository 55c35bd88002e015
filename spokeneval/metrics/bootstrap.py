"""The bootstrap of scores, over independent units.

A unit was drawn at random as a whole: a speaker, a recording or a call, or a response if no coarser unit is known. The
counts have one row per unit. A resample draws as many units as there are, with replacement, and adds up their rows; its
score is computed from these counts.

Source: Efron and Tibshirani, An Introduction to the Bootstrap (1993), chapter 13, percentile intervals; Bisani and
Ney, Bootstrap estimates for confidence intervals in ASR performance evaluation (ICASSP 2004), for the units.
"""

from __future__ import annotations

import math
from typing import Any, Callable

import numpy as np

from .counts import as_matrix, from_matrix

RESAMPLES = 2000
SEED = 1979

_AT_A_TIME = 1 << 15
"""The number of values to process at a time, so that they fit into the processor's cache."""


def splitmix64(counters: np.ndarray) -> np.ndarray:
    """Pseudorandom numbers of SplitMix64, a counter-based generator; the same with every version of numpy.

    Source: Steele, Lea and Flood, Fast splittable pseudorandom number generators (OOPSLA 2014), figure 16.

    Parameters
    ----------
    counters : array_like of uint64, any shape
        For the n-th number, from 1: seed + n * 0x9E3779B97F4A7C15, modulo the 64th power of 2.

    Returns
    -------
    ndarray of uint64, same shape
        Numbers distributed uniformly over all values of the type.

    Examples
    --------
    >>> splitmix64(np.array([(1234567 + 0x9E3779B97F4A7C15) % 2**64], dtype=np.uint64)).tolist()
    [6457827717110365317]
    """
    mixed: np.ndarray = (counters ^ (counters >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def resample_draws(units: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> np.ndarray:
    """The units that each resample draws with replacement, numbered from 0: int, shape (resamples, units).

    Without a unit or a resample, ValueError is raised.

    Examples
    --------
    >>> draws = resample_draws(3, resamples=4)
    >>> draws.shape, set(draws.ravel().tolist()) <= {0, 1, 2}
    ((4, 3), True)
    """
    _require_some(units, resamples)
    return _draws(0, resamples, units, seed)


def _draws(first: int, last: int, units: int, seed: int) -> np.ndarray:
    """The draws of resamples `first` to `last` - 1. A resample's draws do not depend on earlier ones."""
    numbers = np.arange(1 + first * units, 1 + last * units, dtype=np.uint64)
    mixed = splitmix64(numbers * np.uint64(0x9E3779B97F4A7C15) + np.uint64(seed))
    drawn: np.ndarray = ((mixed >> np.uint64(32)) * np.uint64(units)) >> np.uint64(32)
    return drawn.view(np.int64).reshape(last - first, units)


def resample_weights(units: int, *, resamples: int = RESAMPLES, seed: int = SEED) -> np.ndarray:
    """How often each resample draws each unit: float, shape (resamples, units). Each row adds up to `units`.

    Without a unit or a resample, ValueError is raised.

    Examples
    --------
    >>> resample_weights(3, resamples=4).sum(axis=1).tolist()
    [3.0, 3.0, 3.0, 3.0]
    """
    _require_some(units, resamples)
    weights = np.empty((resamples, units))
    rows = max(1, _AT_A_TIME // units)
    for first in range(0, resamples, rows):
        drawn = _draws(first, min(first + rows, resamples), units, seed)
        drawn += np.arange(len(drawn))[:, np.newaxis] * units
        counts = np.bincount(drawn.ravel(), minlength=drawn.size)
        weights[first : first + rows] = counts.reshape(drawn.shape)
    return weights


def _require_some(units: int, resamples: int) -> None:
    if units < 1 or resamples < 1:
        raise ValueError(f"{units} units, {resamples} resamples; expected at least one of each")


def bootstrap_scores(rows: Any, formula: Callable[[Any], np.ndarray], weights: np.ndarray) -> np.ndarray:
    """The score of each resample.

    Parameters
    ----------
    rows
        Counts with one row per unit: fields of shape (n, ...).
    formula
        Takes counts of r sets, and returns their scores, shape (r,).
    weights : array_like, shape (r, n)
        The weights from `resample_weights`. To compare several systems in pairs, use the same weights for all.

    Returns
    -------
    ndarray of float, shape (r,)
        The scores; NaN if the score of a resample is undefined, for example because it contains only one class.

    Raises
    ------
    ValueError
        A count is not finite, or the shapes do not match.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts, f1
    >>> speakers = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4]]).T)
    >>> bootstrap_scores(speakers, f1, np.array([[1, 1], [2, 0]])).round(4).tolist()
    [0.8333, 0.8571]
    """
    matrix = as_matrix(rows).astype(np.float64)
    if matrix.shape[0] != weights.shape[1]:
        raise ValueError(f"{matrix.shape[0]} rows of counts; the weights are for {weights.shape[1]}")
    if not np.isfinite(matrix).all():
        raise ValueError("a count is not finite")
    step = _step(matrix)
    steps = np.rint(matrix / step)
    at_once = max(1, _AT_A_TIME // matrix.shape[1])
    scores = []
    for first in range(0, len(weights), at_once):
        sums = (weights[first : first + at_once] @ steps) * step
        scores.append(formula(from_matrix(rows, sums)))
    return np.concatenate(scores)


def _step(values: np.ndarray) -> float:
    """The power of two to whose multiples values are rounded: one part in 2**53 of the largest possible sum.

    All sums of such multiples are exact, so they do not depend on the machine or on the order of addition.
    """
    largest = len(values) * float(np.abs(values).max())
    return 2.0 ** (math.frexp(largest)[1] - 53)
