"""Groups of items, for `by` of `score` and `compare`: how items are divided, and the counts and scores of each group.

A group is given for each row of the counts, such as a speaker, or for each item; items are then counted again.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..formats.problems import count_of, some_of
from ..formats.speakers import GROUP, Units, groups_in_column
from ..formats.tables import joined_id, members
from ..formats.text import nfc
from ..metrics.counts import by_group, taken
from ..task import Number, Task
from .reference import Reference
from .scored import FEWEST_UNITS, Scored, by_unit, score_intervals


class GroupScores(NamedTuple):
    """The scores of a group of items, NaN where they are undefined, their intervals, and the number of units."""

    scores: Mapping[str, Number]
    intervals: Mapping[str, tuple[float, float]]
    units: int


class GroupRows(NamedTuple):
    """The counts of a group of items, and the units of their rows."""

    units: Units
    rows: Mapping[str, Any]


class Groups(NamedTuple):
    """The places of the rows of the counts in each group or, if rows have items of several groups, of the items."""

    of_rows: bool
    places: Mapping[str, Sequence[int]]


def groups(task: Task, reference: Reference, by: Any) -> Groups:
    """The groups of a reference, sorted by name.

    Parameters
    ----------
    by
        The group of each row of the counts or of each item, or a column of the reference that has it.
    """
    labels = reference.labels
    if isinstance(by, str):
        by = groups_of_column(task, reference.files, by)
    if not in_random_groups(task, labels):
        try:
            return Groups(True, members(of_items(task, labels, by, "by")))
        except ValueError:
            if set(task.units(labels).of) == set(labels.items.ids):
                raise
    return Groups(False, members(values_of_rows(by, labels.items.ids, "by")))


def groups_of_column(task: Task, files: Mapping[str, Any], column: str) -> dict[str, str]:
    """The group of each row of the counts, from a column of the reference's first file.

    Raises
    ------
    ReferenceFileError
        There is no such column, or a row of the counts, such as a speaker with all items, has none or several groups.
    """
    form = task.format
    return groups_in_column(
        form, files, column, lambda table: map(form.rows(files)[table.file].get, table.lines)
    )


def in_random_groups(task: Task, labels: Any) -> bool:
    """Whether the rows of the counts are random groups of units, which no values can be given for."""
    return task.units(labels).called.endswith(GROUP)


def of_items(task: Task, labels: Any, given: Any, called: str) -> list[str]:
    """The value of each row of the counts, from values in the order of the rows or by their names.

    Raises
    ------
    ValueError
        Another number of values, a row without one, or several values for a level, which is scored as a whole.
    """
    units = task.units(labels)
    values = values_of_rows(given, list(units.of), called)
    split = task.split_levels(labels, dict(zip(units.of, values)))
    if split:
        level, own = next(iter(split.items()))
        raise ValueError(f"{called}: {units.called} {level} has {some_of(own)}; expected one value for each")
    return values


def values_of_rows(given: Any, rows: Sequence[str], called: str) -> list[str]:
    """The value of each of some rows, from values in their order or by their names."""
    index = list(getattr(given, "index", ())) if hasattr(given, "to_dict") else []
    if isinstance(given, Mapping) or (index and index != list(range(len(index)))):
        named = ((joined_id(key), value) for key, value in given.items())
        known = {nfc(key) if isinstance(key, str) else key: value for key, value in named}
        lacking = [row for row in rows if row not in known]
        if lacking:
            raise ValueError(f"{called}: none for {count_of(len(lacking), 'item')}: {some_of(lacking)}")
        return [nfc(str(known[row])) for row in rows]
    values = [nfc(str(value)) for value in given]
    if len(values) != len(rows):
        raise ValueError(
            f"{called}: {len(values)} values for {count_of(len(rows), 'item')}; expected one for each"
        )
    return values


def count_items(task: Task, labels: Any, answers: Any, places: Sequence[int]) -> GroupRows:
    """The counts of some items alone, given by their positions in the set."""
    own = task.format.take_reference(labels, places)
    return GroupRows(task.units(own), task.count(own, task.format.take(answers, places)))


def rows_of_groups(
    task: Task, reference: Reference, answers: Any, scored: Scored, by: Any
) -> dict[str, GroupRows]:
    """The counts of each group; `by` as in `groups`."""
    of_rows, places = groups(task, reference, by)
    if not of_rows:
        return {group: count_items(task, reference.labels, answers, own) for group, own in places.items()}
    units, found = task.units(reference.labels), {}
    named = list(units.of.items())
    for group, own in places.items():
        rows = {part: taken(each, np.array(own)) for part, each in scored.rows.items()}
        found[group] = GroupRows(units._replace(of=dict(named[row] for row in own)), rows)
    return found


def group_scores(
    task: Task, reference: Reference, answers: Any, scored: Scored, by: Any
) -> dict[str, GroupScores]:
    """The scores of each group, from its counts alone; `by` as in `groups`."""
    counted = rows_of_groups(task, reference, answers, scored, by)
    return {group: _scores_of_rows(task, *own) for group, own in counted.items()}


def _scores_of_rows(task: Task, units: Units, rows: Mapping[str, Any]) -> GroupScores:
    own, whole = by_unit(units, rows), np.zeros(len(units.of), dtype=np.int64)
    sums = {part: by_group(each, whole, 1) for part, each in rows.items()}
    values = {score.key: np.asarray(score.value(task.part(score, sums)))[0].item() for score in task.scores}
    defined = tuple(score for score in task.scores if not math.isnan(values[score.key]))
    few = len(own.units) < FEWEST_UNITS
    intervals = {} if few else score_intervals(replace(task, scores=defined), values, own.parts)
    return GroupScores(values, {key: each[:2] for key, each in intervals.items()}, len(own.units))
