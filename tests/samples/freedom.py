"""Degrees of freedom of the jackknife's standard error, by an independent implementation of the kurtosis."""

from __future__ import annotations

import numpy as np
from scipy import stats


def degrees_of_freedom(without: np.ndarray) -> float:
    """Satterthwaite's 2 / (2 / (n - 1) + kurtosis / n), from 2 to n - 1, of scores with each of n units left out."""
    n = len(without)
    if n < 4 or not np.ptp(without):
        return n - 1
    kurtosis = max(stats.kurtosis(without, bias=False), 0)
    return max(2, 2 / (2 / (n - 1) + kurtosis / n))
