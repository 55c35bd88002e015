"""Tables for a declared task: the section of its kind, the scores of each unit, the worst answers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..run.scoring import Scored
from ..task import HIGHER, Task
from .kinds import kind_section
from .largest import Errors
from .page import Html, long_table, section

MOST_SCORES, MOST_ROWS = 4, 50


def errors(task: Task, scored: Scored) -> Errors:
    """Return how wrong the answer to each item is."""
    wrong = 1 - np.asarray(task.right(scored.rows), dtype=float)
    return Errors(wrong, np.ones(len(wrong)), ("the errors", "the items"))


def sections(task: Task, reference: Any, submission: Any, scored: Scored) -> list[Html]:
    """Return the section of the task's kind, one on units, if units have several items, and one on items."""
    parts = (kind_section(task, reference, submission), _units(task, scored), _items(task, scored))
    return [part for part in parts if part is not None]


def _units(task: Task, scored: Scored) -> Html | None:
    statistics = scored.statistics
    if not statistics.items:
        return None
    shown = [score for score in task.scores if score.bounds is not None][:MOST_SCORES]
    values = [np.asarray(score.value(task.part(score, statistics.parts)), dtype=float) for score in shown]
    if all(np.isnan(value).all() for value in values):
        return None  # such as speakers who have items of one class only
    decimals = scored.settings.decimals
    worst = np.nan_to_num(values[0] if task.primary.direction == HIGHER else -values[0], nan=np.inf)
    rows = [
        [
            statistics.units[row],
            *(
                "none" if np.isnan(value[row]) else f"{value[row]:.{decimals.get(score.key, 4)}f}"
                for score, value in zip(shown, values)
            ),
        ]
        for row in np.argsort(worst, kind="stable")
    ]
    unit = statistics.unit.capitalize()
    header = [unit, *(score.heading for score in shown)]
    return section(
        f"By {statistics.unit}", long_table(f"{unit}s, worst first", header, rows, shown=MOST_ROWS)
    )


def _items(task: Task, scored: Scored) -> Html | None:
    names, rows = scored.statistics.rows
    right = np.asarray(task.right(rows), dtype=float)
    order = np.argsort(right, kind="stable")[:MOST_ROWS]
    wrong = [[names[row], f"{100 * right[row]:.0f} %"] for row in order if right[row] < 1]
    if not wrong:
        return None
    return section(
        "Items", long_table("Items with the worst answers", ["Item", "Right"], wrong, shown=MOST_ROWS)
    )
