"""The difficulty of a set's items: the share of the systems that are right on each."""

from collections.abc import Sequence

import numpy as np

from spokeneval.ranking.leaderboard import TextTable
from spokeneval.scoring.scored import Statistics
from spokeneval.task import Task


def right_answers(task: Task, systems: Sequence[Statistics]) -> np.ndarray:
    """Return how right each system is on each item, from 0 to 1; shape=(items, systems)."""
    return np.stack([np.asarray(task.right(system.rows[1]), dtype=float) for system in systems], axis=1)


def items_table(task: Task, systems: Sequence[Statistics]) -> TextTable:
    """Return all items with the mean of how right the systems are on them, the hardest first."""
    items, right = systems[0].rows[0], right_answers(task, systems).mean(axis=1)
    rows = [[items[place], f"{right[place]:.4f}"] for place in np.argsort(right, kind="stable").tolist()]
    return TextTable("Difficulty of the items", ["item", "right"], rows)
