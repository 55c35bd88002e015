"""The difficulty of a set's items, estimated from several systems' answers with a Rasch model."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from speechbundles.publication.rasch import Rasch, fit_rasch
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
        items = (
            f"The hardest items are {', '.join(ordered[:SHOWN])}; the easiest are "
            f"{', '.join(ordered[: -SHOWN - 1 : -1])}."
        )
    note = (
        "Rasch model: a system gets an item right with probability 50 % if its ability equals the item's difficulty. "
        f"The average difficulty is 0, the standard deviation {model.spread:.2f}. {items} items.csv, which "
        "`rank --out DIR` writes, has the difficulty of every item."
    )
    rows = [[name, f"{ability:.2f}"] for name, ability in zip(names, model.ability, strict=True)]
    return Table(
        "Ability of the systems, on the scale of item difficulty (logits)", ["System", "Ability"], rows, note
    )


def items_table(difficulty: Difficulty) -> Table:
    """Return all items, hardest first: difficulty, its standard error, and the share that systems get right."""
    model = difficulty.model
    numbers = np.column_stack([model.difficulty, model.error, difficulty.right])[difficulty.hardest_first]
    rows = [
        [difficulty.items[place], *(f"{number:.4f}" for number in row)]
        for place, row in zip(difficulty.hardest_first.tolist(), numbers.tolist(), strict=True)
    ]
    return Table("Difficulty of the items", ["item", "difficulty", "standard_error", "right"], rows)
