"""Submissions made from the labels: systems that are right about chosen items, for standard errors and widths.

The answers come from `Task.partly_right`. For tasks without it, such as an organiser's own, and for scores that these
answers do not change, they come from the columns of the reference: cells of the column with the name of the
submission's, or of another one. Items that are not chosen get the cell of the next one that is not. Where cells are
names of classes and a submission has scores, the classes are numbered, and these items get a number in the middle.
"""

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from spokeneval.formats.problems import Problems, ReferenceFileError
from spokeneval.formats.tables import Layout, csv_text, read_table
from spokeneval.scoring.options import Settings
from spokeneval.scoring.reference import Reference
from spokeneval.scoring.scored import Scored, resampled_error, score_submission
from spokeneval.task import Score, Task
from spokeneval.trivial import random_numbers

MOST_NUMBERED = 20
"""The most classes that are numbered."""


def range_of(score: Score) -> float:
    """Return the range of a score; one without bounds has that of a whole error, 1 or 100 %."""
    low, high = score.limits or (-math.inf, math.inf)
    return high - low if math.isfinite(high - low) else 100.0 if score.percent else 1.0


def error_of(score: Score, line: Scored) -> float:
    """Return the standard error of a score, by resampling if leaving out one unit never changes it."""
    rows = line.task.part(score, line.statistics.parts)
    return line.intervals[score.key].standard_error or resampled_error(score, rows)


def half_right(task: Task, gold: Reference, settings: Settings) -> Scored | None:
    """Return a system that is right about half of the items, and whose primary score has a standard error.

    The half is drawn at random, and then every second item. None if no submission from the labels has such an error.
    """
    n = len(gold.labels.items)
    for right in (random_numbers(n, 2) == 1, np.arange(n) % 2 == 0):
        for line in scored_answers(task, gold, right, settings):
            if error_of(task.primary, line) > 0:
                return line
    return None


def scored_answers(task: Task, gold: Reference, right: np.ndarray, settings: Settings) -> Iterator[Scored]:
    """Yield the scores of submissions that are right about the chosen items; none that the task cannot read or score.

    Parameters
    ----------
    right: which items of the labels are chosen, shape (n,).
    """
    for answers in _submissions(task, gold, right):
        with warnings.catch_warnings(), suppress(Exception):  # an organiser's own code may raise anything
            warnings.simplefilter("ignore")
            yield score_submission(task, gold.labels, answers(), settings)


def _submissions(task: Task, gold: Reference, right: np.ndarray) -> Iterator[Callable[[], Any]]:
    """Yield functions that return submissions."""
    if task.partly_right is not None:
        yield partial(task.partly_right, gold.labels, right)
    items, asked = gold.labels.items, task.format.answer
    if asked is None:
        return
    for layout in task.format.layouts:
        try:
            table = read_table(gold.files, layout, Problems(ReferenceFileError))
        except ValueError:
            continue
        if set(table.ids) != set(items.ids):
            continue
        row = {name: place for place, name in enumerate(table.ids)}
        known = {name: [cells[row[each]] for each in items.ids] for name, cells in table.columns.items()}
        for columns in _columns(asked, layout, known, right):
            rows = zip(items.ids, *columns.values(), strict=True)
            text = csv_text([[asked.id, *columns], *rows], asked.delimiter)
            yield partial(task.format.read_submission, {asked.file: text.encode()}, items)


def _columns(
    asked: Layout, layout: Layout, known: dict[str, list[str]], right: np.ndarray
) -> Iterator[dict[str, list[str]]]:
    """Yield the columns of submissions, from the columns of a reference."""
    names = [name for name in asked.required if name != asked.id]
    labels = [name for name in layout.required if name != layout.id]
    for other in labels:
        # Where a rater gave none, the answer of another one
        filled = [
            next(filter(None, cells), "") for cells in zip(*map(known.get, (other, *labels)), strict=True)
        ]
        source = {name: known[name] if name in labels else filled for name in names}
        forms = [_forms(cells, right) for cells in source.values()]
        yield from (dict(zip(names, form, strict=True)) for form in zip(*forms, strict=False))
        if set(names) <= set(labels):
            return


def _forms(cells: Sequence[str], right: np.ndarray) -> Iterator[list[str]]:
    """Yield the cells of a submission: with those of other items, and as numbers of classes in either direction."""
    others = np.flatnonzero(~right)
    taken = list(cells)
    for place, next_place in zip(others.tolist(), np.roll(others, -1).tolist(), strict=True):
        taken[place] = cells[next_place]
    yield taken
    classes = sorted(set(cells))
    if 1 < len(classes) <= MOST_NUMBERED:
        for order in (classes, classes[::-1]):
            number = {label: str(place / (len(order) - 1)) for place, label in enumerate(order)}
            yield [number[cell] if keep else "0.5" for cell, keep in zip(cells, right, strict=True)]
