"""What makes a set hard, from several systems' answers: the difficulty of its items, by a Rasch model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from speechbundles.board.rasch import Rasch, fit_rasch
from speechbundles.board.table import Table
from spokeneval.run.statistics import Statistics
from spokeneval.task import Task

FEWEST = 3
"""Systems whose answers say something of an item."""

SHOWN = 3


@dataclass(frozen=True)
class Difficulty:
    """Items by name, the mean share of each that systems get right, and the model."""

    items: Sequence[str]
    right: np.ndarray
    model: Rasch

    @property
    def hardest_first(self) -> np.ndarray:
        return np.lexsort((np.arange(len(self.items)), -self.model.difficulty))


def item_difficulty(task: Task, systems: Sequence[Statistics]) -> Difficulty | None:
    """The difficulty of the items; None from fewer than `FEWEST` systems, or where all get the same items right."""
    if len(systems) < FEWEST:
        return None
    items = systems[0].rows[0]
    right = np.stack([np.asarray(task.right(system.rows[1]), dtype=float) for system in systems], axis=1)
    if np.ptp(right, axis=0).max() == 0:
        return None
    return Difficulty(items, right.mean(axis=1), fit_rasch(right))


def abilities_table(difficulty: Difficulty, names: Sequence[str]) -> Table:
    """Systems by ability, beside what is said of the items."""
    model, ordered = difficulty.model, [difficulty.items[place] for place in difficulty.hardest_first]
    note = (
        "A Rasch model: on an item that is as difficult as it is able, a system is as likely right as wrong. The "
        f"average item has difficulty 0; their standard deviation is {model.spread:.2f}. The hardest are "
        f"{', '.join(ordered[:SHOWN])}, the easiest {', '.join(ordered[: -SHOWN - 1 : -1])}; `rank --out` writes all."
    )
    rows = [[name, f"{ability:.2f}"] for name, ability in zip(names, model.ability, strict=True)]
    return Table("Systems' ability against the items' difficulty (logits)", ["System", "Ability"], rows, note)
