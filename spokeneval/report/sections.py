"""Sections on the answers to a task with public labels: those of its kind, scores of groups of items, worst answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import unescape
from importlib import import_module
from typing import Any, Optional

import numpy as np

from ..formats.problems import count_of
from ..metrics.counts import by_group
from ..scoring.scored import Scored
from ..task import HIGHER, Task
from .largest import Errors
from .page import UNFOLDED, Content, Html, folded, long_table, paragraph, percent, section, table
from .plots import Drawing

MOST_SCORES, MOST_ROWS = 4, 50


def errors(task: Task, reference: Any, submission: Any, scored: Scored) -> Errors:
    """Return the errors of a submission; in most kinds how wrong the answer to each item is."""
    kind, view = kind_of(task), task.view
    if hasattr(kind, "errors"):
        found: Errors = kind.errors(view, reference, submission, scored)
        return found
    wrong = 1 - np.asarray(task.right(scored.rows), dtype=float)
    groups = kind.groupings(view, reference) if hasattr(kind, "groupings") else {}
    called = "the errors", "the items"
    return Errors(wrong, np.ones(len(wrong)), called, {**groups, **view.groupings(reference)})


def sections(task: Task, reference: Any, submission: Any, scored: Scored) -> list[Optional[Html]]:
    """Return the items with the worst answers, the task's kind's sections, one for each grouping, and one on units."""
    kind, statistics = kind_of(task), scored.statistics
    parts = kind.sections(task.view, reference, submission, scored) if kind else []
    for called, names in task.view.groupings(reference).items():
        if statistics.items and called.lower() == statistics.unit:
            continue  # the section on units has them
        groups, place = np.unique(np.array(names, dtype=str), return_inverse=True)
        if len(groups) > 1:
            counts = {part: by_group(rows, place, len(groups)) for part, rows in scored.rows.items()}
            parts.append(_groups(task, scored, called, groups.tolist(), counts))
    if statistics.items:
        parts.append(_groups(task, scored, statistics.unit.capitalize(), statistics.units, statistics.parts))
    return [_items(task, reference, submission, scored), *parts]


def kind_of(task: Task) -> Any:
    """Return the module of the task's kind in `kinds/sections`; None if it has none."""
    name = task.view.name
    return import_module(f"..kinds.sections.{name}", __package__) if name else None


def _groups(task: Task, scored: Scored, called: str, names: Sequence[str], counts: Any) -> Optional[Html]:
    """Return the main scores of groups of items, without those that are undefined in all groups; None without any."""
    bounded = (score for score in task.scores if score.bounds is not None)
    shown = [score for score in bounded if not np.isnan(score.formula(task.part(score, counts))).all()]
    shown = shown[:MOST_SCORES]
    values = [np.asarray(score.value(task.part(score, counts)), dtype=float) for score in shown]
    if not shown:
        return None  # such as speakers who have items of one class only
    decimals = scored.settings.decimals
    worst = np.nan_to_num(values[0] if shown[0].direction == HIGHER else -values[0], nan=np.inf)
    rows = [
        [
            names[row],
            *(
                "none" if np.isnan(value[row]) else f"{value[row]:.{decimals.get(score.key, 4)}f}"
                for score, value in zip(shown, values)
            ),
        ]
        for row in np.argsort(worst, kind="stable")
    ]
    header = [called, *(score.heading for score in shown)]
    called = f"{called[0].lower()}{called[1:]}"
    table = long_table(f"Scores by {called}, worst first", header, rows, shown=MOST_ROWS)
    note = paragraph(task.view.group_note, kind="note") if task.view.group_note else None
    return section(f"By {called}", table, note)


def plots(task: Task, reference: Any, submission: Any, scored: Scored) -> dict[str, Drawing]:
    """Return the plots of the task's kind, by name."""
    kind = kind_of(task)
    found: dict[str, Drawing] = (
        kind.plots(task.view, reference, submission, scored) if hasattr(kind, "plots") else {}
    )
    return found


def items(
    task: Task, reference: Any, submission: Any, scored: Scored, most: Optional[int] = None
) -> dict[str, Sequence[Any]]:
    """Return columns of the items, worst first, as `item_columns`: all items, or the worst.

    Where a kind measures how far answers are from the reference, wrong answers are in this order.
    """
    kind, right = kind_of(task), rightness(task, scored)
    error = kind.distance(task.view, reference, submission) if hasattr(kind, "distance") else -right
    error = np.asarray(error) if len(error) == len(right) else -right
    rows = np.lexsort((-error, right == 1))[:most].tolist()
    return item_columns(task, reference, submission, scored, rows)


def rightness(task: Task, scored: Scored) -> np.ndarray:
    """Return how right the answer to each item is, from 0 to 1, shape (n,)."""
    return np.asarray(task.right(scored.statistics.rows[1]), dtype=float)


def item_columns(
    task: Task, reference: Any, submission: Any, scored: Scored, rows: list[int]
) -> dict[str, Sequence[Any]]:
    """Return columns of some items: `Item`, how right it is, and both sides.

    Where the counts have a row for each unit alone, the rows are units, and the first column has their name.
    """
    names, right = scored.statistics.rows[0], rightness(task, scored)
    called = "Item" if len(names) == len(reference.items) else scored.statistics.unit.capitalize()
    columns: dict[str, Sequence[Any]] = {
        called: [names[row] for row in rows],
        "Right": right[rows].tolist(),
    }
    kind, view = kind_of(task), task.view
    if hasattr(kind, "answers"):
        columns.update(kind.answers(view, reference, submission, rows))
    texts = {name: reference.texts[name] for name in view.texts if name in reference.texts}
    columns.update({name: [cells[row] for row in rows] for name, cells in texts.items()})
    return columns


def plain_text(cell: Content) -> str:
    """Return a cell as text, without markup."""
    return unescape(re.sub("<[^>]*>", "", cell.markup)) if isinstance(cell, Html) else str(cell)


def _items(task: Task, reference: Any, submission: Any, scored: Scored) -> Optional[Html]:
    """Return the items with the worst answers; None if all answers are right."""
    columns = items(task, reference, submission, scored, MOST_ROWS)
    wrong = sum(right < 1 for right in columns["Right"])
    if not wrong:
        return None
    if "Item" in columns:
        columns = {name: cells[:wrong] for name, cells in columns.items()}
    columns["Right"] = [percent(right, 1) for right in columns["Right"]]
    header, rows = [*columns], list(zip(*columns.values()))
    if header[0] != "Item":
        called = header[0].lower()
        by = long_table(f"Scores by {called}, worst first", header, rows, shown=MOST_ROWS)
        return section(f"By {called}", by)
    more = rows[UNFOLDED:]
    return section(
        "Items",
        table("Items with the worst answers", header, rows[:UNFOLDED]),
        folded(count_of(len(more), "more item"), table("More items", header, more)) if more else None,
    )
