"""Tables for a declared task of any kind: the scores of each unit, and the items with the worst answers."""

from __future__ import annotations

import numpy as np

from ..run.scoring import Scored
from ..task import HIGHER, Task
from .page import Html, section, table

MOST_SCORES, MOST_ROWS = 4, 50


def sections(task: Task, scored: Scored) -> list[Html]:
    """Return a section with a table of units, if units have several items, and one of items."""
    return [part for part in (_units(task, scored), _items(task, scored)) if part is not None]


def _units(task: Task, scored: Scored) -> Html | None:
    statistics = scored.statistics
    if not statistics.items:
        return None
    shown = [score for score in task.scores if score.bounds is not None][:MOST_SCORES]
    values = [np.asarray(score.value(task.part(score, statistics.parts)), dtype=float) for score in shown]
    worst = np.nan_to_num(values[0] if task.primary.direction == HIGHER else -values[0], nan=np.inf)
    rows = [
        [
            statistics.units[row],
            *("none" if np.isnan(value[row]) else f"{value[row]:.4f}" for value in values),
        ]
        for row in np.argsort(worst, kind="stable")
    ]
    unit = statistics.unit.capitalize()
    header = [unit, *(score.heading for score in shown)]
    return section(f"By {statistics.unit}", table(f"{unit}s, worst first", header, rows, shown=MOST_ROWS))


def _items(task: Task, scored: Scored) -> Html | None:
    names, rows = scored.statistics.rows
    right = np.asarray(task.right(rows), dtype=float)
    order = np.argsort(right, kind="stable")[:MOST_ROWS]
    wrong = [[names[row], f"{100 * right[row]:.0f} %"] for row in order if right[row] < 1]
    if not wrong:
        return None
    return section("Items", table("Items with the worst answers", ["Item", "Right"], wrong, shown=MOST_ROWS))
