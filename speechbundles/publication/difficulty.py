"""The difficulty of a set's items and the ability of systems, estimated with a Rasch model with random items.

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

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from spokeneval.ranking.multiple_comparisons import SIGNIFICANCE
from spokeneval.ranking.values import Table
from spokeneval.run.statistics import Statistics
from spokeneval.task import Task

FEWEST = 3
"""Fewest systems from which the difficulty of items is estimated."""

NO_DIFFICULTY = (
    f"The difficulty of items was not estimated: it needs {FEWEST} systems or more that differ in which items they get "
    "right."
)

SHOWN = 3

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


@dataclass(frozen=True)
class Difficulty:
    """The names of items, the mean share of each item that systems get right, and the fitted model."""

    items: Sequence[str]
    right: np.ndarray
    model: Rasch

    @property
    def hardest_first(self) -> np.ndarray:
        return np.lexsort((np.arange(len(self.items)), -self.model.difficulty))


def right_answers(task: Task, systems: Sequence[Statistics]) -> np.ndarray:
    """Return how right each system is on each item, from 0 to 1; shape=(items, systems)."""
    return np.stack([np.asarray(task.right(system.rows[1]), dtype=float) for system in systems], axis=1)


def item_difficulty(task: Task, systems: Sequence[Statistics]) -> Difficulty | None:
    """Return the difficulty of the items; None with fewer than `FEWEST` systems, or if all get the same items right."""
    if len(systems) < FEWEST:
        return None
    items, right = systems[0].rows[0], right_answers(task, systems)
    if np.ptp(right, axis=0).max() == 0:
        return None
    return Difficulty(items, right.mean(axis=1), fit_rasch(right))


def abilities_table(difficulty: Difficulty, names: Sequence[str]) -> Table:
    """Return a table of the systems' abilities, with a note on the items."""
    model, ordered = difficulty.model, [difficulty.items[place] for place in difficulty.hardest_first]
    items = "The items' difficulties do not differ significantly, so no item is named."
    if model.varies:
        hardest, easiest = ordered[:SHOWN], ordered[: -SHOWN - 1 : -1]
        items = f"The hardest items are {', '.join(hardest)}; the easiest are {', '.join(easiest)}."
    note = (
        "Rasch model: a system gets an item right with probability 50 % if its ability equals the item's difficulty. "
        f"The average difficulty is 0, the standard deviation {model.spread:.2f}. {items} items.csv, which "
        "`rank --out DIR` writes, has the difficulty of every item."
    )
    rows = [[name, f"{ability:.2f}"] for name, ability in zip(names, model.ability, strict=True)]
    title = "Ability of the systems, on the scale of item difficulty (logits)"
    return Table(title, ["System", "Ability"], rows, note)


def items_table(difficulty: Difficulty) -> Table:
    """Return all items, hardest first: difficulty, its standard error, and the share that systems get right."""
    model, order = difficulty.model, difficulty.hardest_first
    numbers = np.column_stack([model.difficulty, model.error, difficulty.right])[order]
    shown = [[f"{number:.4f}" for number in row] for row in numbers]
    rows = [[difficulty.items[place], *row] for place, row in zip(order, shown, strict=True)]
    return Table("Difficulty of the items", ["item", "difficulty", "standard_error", "right"], rows)
