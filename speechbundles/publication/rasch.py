"""The difficulty of items and the ability of systems: a Rasch model with random items.

System s gets item i right with probability 1 / (1 + exp(difficulty_i - ability_s)). Difficulties are normally
distributed with mean 0, so abilities are logits relative to the average item. Abilities and the spread of difficulties
maximise the marginal likelihood, which is a sum over a fine, even grid of difficulties. A difficulty is its posterior
mean: it is finite even if all systems or none get the item right, and the fewer systems there are, the closer it is to
the average. Answers may be partly right. Items with the same number of right answers have the same difficulty, so they
are computed together.

Source: De Boeck, Random item IRT models (Psychometrika 73, 2008); Bock and Aitkin, Marginal maximum likelihood
estimation of item parameters (Psychometrika 46, 1981), with items and persons exchanged; Self and Liang, Asymptotic
properties of maximum likelihood estimators under nonstandard conditions (JASA 82, 1987), for the test of the spread.
"""

from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from spokeneval.ranking.multiple_comparisons import SIGNIFICANCE

NODES = 1201
"""Nodes of the grid. Its step is 1/60 of the spread of difficulties. A sum over the grid is exact to seven digits if
the step is below the standard error of a difficulty, which is at least 2 / sqrt(s) logits for s systems."""
WIDEST = 10.0
"""The ends of the grid, in standard deviations of difficulties."""
FARTHEST = 10.0
"""The largest ability in logits: that of a system which is always right would be infinite."""


class Rasch(NamedTuple):
    """A model of m items and s systems, in logits.

    Attributes
    ----------
    difficulty: shape=(m,): higher is harder; 0 is the average item.
    error: shape=(m,): its standard error.
    ability: shape=(s,): higher is better.
    spread: the standard deviation of difficulties.
    varies: whether it is significantly above 0, by a likelihood-ratio test (one-sided, because 0 is its lowest value).
    """

    difficulty: np.ndarray
    error: np.ndarray
    ability: np.ndarray
    spread: float
    varies: bool


def fit_rasch(right: np.ndarray) -> Rasch:
    """Fit the model.

    Parameters
    ----------
    right: shape=(m, s), from 0 to 1: how right each system is on each item.
    """
    # Imported here, because only the extra `research` installs it.
    from scipy.optimize import minimize
    from scipy.special import expit, log_expit, logsumexp

    systems = right.shape[1]
    nodes = np.linspace(-WIDEST, WIDEST, NODES)
    log_weights = -(nodes**2) / 2 - logsumexp(-(nodes**2) / 2)
    numbers, item, often = np.unique(right.sum(axis=1).round(12), return_inverse=True, return_counts=True)

    def posterior(parameters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return log-probabilities of numbers of right answers and nodes, shape=(numbers, NODES), and the logits.

        Without the terms of the abilities of the systems that are right, which do not depend on the node.
        """
        spread = np.exp(parameters[-1])
        logits = parameters[:-1, np.newaxis] - spread * nodes
        return log_weights + log_expit(-logits).sum(axis=0) - numbers[:, np.newaxis] * spread * nodes, logits

    def loss(parameters: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the negative marginal log-likelihood and its gradient."""
        joint, logits = posterior(parameters)
        marginal = logsumexp(joint, axis=1)
        shares = np.exp(joint - marginal[:, np.newaxis])
        expected = expit(logits)  # right answers of each system at each node
        of_ability = right.sum(axis=0) - expected @ (often @ shares)
        surplus = numbers[:, np.newaxis] - expected.sum(axis=0)
        of_spread = -np.exp(parameters[-1]) * (often @ (shares * surplus) @ nodes)
        likelihood = right.sum(axis=0) @ parameters[:-1] + often @ marginal
        return -likelihood, -np.append(of_ability, of_spread)

    mean = right.mean(axis=0)
    start = np.append(np.log((mean + 0.01) / (1.01 - mean)), 0.0)
    bounds = [(-FARTHEST, FARTHEST)] * systems + [(-5.0, 3.0)]
    fitted = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B")
    found = fitted.x
    joint, _ = posterior(found)
    shares = np.exp(joint - logsumexp(joint, axis=1, keepdims=True))
    spread = float(np.exp(found[-1]))
    difficulty = spread * shares @ nodes
    error = np.sqrt(np.maximum(spread**2 * shares @ nodes**2 - difficulty**2, 0))
    same = np.clip(mean, expit(-FARTHEST), expit(FARTHEST))  # if all items are equally hard
    without = len(right) * (mean @ np.log(same) + (1 - mean) @ np.log1p(-same))
    varies = bool(2 * (-fitted.fun - without) > NormalDist().inv_cdf(1 - SIGNIFICANCE) ** 2)
    return Rasch(difficulty[item], error[item], found[:-1], spread, varies)
