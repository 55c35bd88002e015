"""Analysis of variance: which factors explain an outcome, and the share of its variance that each adds.

The model is linear; each factor is tested in the presence of all others (type II sums of squares). Shares are those of
a stepwise model: the factor that explains most enters first, then the one that adds most to it, and so on.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from statsmodels.regression.linear_model import OLS


class Factor(NamedTuple):
    """F and p of a factor given all others, and the share of the variance (0 to 1) that it adds to earlier factors."""

    name: str
    f: float
    p: float
    adds: float


def explain_variance(outcome: np.ndarray, factors: Mapping[str, np.ndarray]) -> list[Factor]:
    """Return the factors in the order in which they enter; redundant ones, such as constants, are left out.

    Parameters
    ----------
    outcome: shape=(n,).
    factors: `name -> shape=(n,)`, numbers or booleans.

    Returns
    -------
    An empty list if the outcome is constant, or if there are no more items than factors.
    """
    left = {name: np.asarray(values, dtype=np.float64) for name, values in factors.items()}
    chosen: dict[str, float] = {}
    entered = np.ones((len(outcome), 1))
    explained = 0.0
    if np.ptp(outcome) == 0:
        return []
    while True:
        new = {
            name: np.column_stack([entered, values])
            for name, values in left.items()
            if np.linalg.matrix_rank(np.column_stack([entered, values])) > entered.shape[1]
        }
        if not new or len(outcome) <= entered.shape[1] + 1:
            break
        shares = {name: float(OLS(outcome, columns).fit().rsquared) for name, columns in new.items()}
        best = max(shares, key=lambda name: shares[name])
        chosen[best], explained, entered = shares[best] - explained, shares[best], new[best]
        del left[best]
    fitted = OLS(outcome, entered).fit()
    return [
        Factor(name, float(fitted.tvalues[place] ** 2), float(fitted.pvalues[place]), adds)
        for place, (name, adds) in enumerate(chosen.items(), 1)
    ]
