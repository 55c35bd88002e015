"""The mean of a task's primary score over groups of items, such as languages, and the score of the worst group.

The score is computed in each group from the group's items alone, with its own ranks and thresholds. Each group has the
same weight in the mean, however many items it has. Groups are fixed or drawn:

- *fixed*: the groups are the ones that matter. The interval of the mean is from those of the groups, over units such as
  speakers.
- *drawn*: the groups are a sample, of sites or of dialects, and the mean is that of the groups they were drawn from.
  Groups are then the units.

The counts of all groups are side by side in each row: `side_by_side` joins them, and `groups_of` takes them apart. The
worst group has no interval: the one that is worst in a sample looks worse than it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ..formats.problems import Problems, ReferenceFileError, name, plural_of
from ..formats.speakers import GROUP, Units, groups_in_column
from ..formats.tables import members
from ..metrics.classification import counts_of
from ..metrics.counts import field_arrays, taken, total
from ..metrics.jackknife import value_and_without
from ..metrics.shares import (
    interval_of_formula,
    interval_of_mean,
    observations,
    of_observations,
    with_interval,
)
from ..task import HIGHER, Score, Task
from .class_scores import rows_of_whole
from .kind import ParameterError, one_of, text

PARTS = "groups"
"""The part of the counts with those of all groups."""
SHARE = "share"
FIXED, DRAWN = "fixed", "drawn"
MOST_GROUPS = 200
OF_WHOLE: Mapping[str, Any] = {"undefined": None, "interval": None, "remark": None}
"""What a score of all groups does not take over from the score of one."""
_SHORT = {"Balanced accuracy": "UAR", "Matthews correlation": "MCC"}
"""Titles that would be too long for a platform with the mean and the end of an interval."""


class Grouping(NamedTuple):
    """How items are grouped: by the cells of a column, as far as a separator if there is one; whether groups are drawn
    from more."""

    column: str
    until: str = ""
    drawn: bool = False


class _Group(NamedTuple):
    name: str
    places: list[int]
    rows: list[int]
    reference: Any


def read_grouping(value: Any) -> Grouping:
    """Return the grouping that an organiser declares: a column, or `{column, until, groups}`."""
    declared = value if isinstance(value, Mapping) else {"column": value}
    if not set(declared) <= {"column", "until", "groups"} or "column" not in declared:
        raise ValueError(f"{value!r:.100}; expected a column, or {{column: …, until: …, groups: {DRAWN}}}")
    groups = one_of(FIXED, DRAWN)(declared.get("groups", FIXED))
    until = text(declared["until"]) if "until" in declared else ""
    return Grouping(text(declared["column"]), until, groups == DRAWN)


def mean_over(task: Task, grouping: Grouping) -> Task:
    """Return a task whose primary score is the mean of its primary score over groups; all other scores are kept."""
    layout, base = task.format.layouts[0], task.primary
    if (grouping.column != layout.id and task.format.any_order) or (grouping.column == layout.id) != bool(
        grouping.until
    ):
        example = f"{{column: {layout.id}, until: _}} for the beginnings of ids"
        other = "" if task.format.any_order else ", or another column of the reference without until"
        raise ParameterError("mean_over", f"{grouping.column!r}; expected {example}{other}")
    if task.other_units is not None and grouping.drawn:
        message = f"groups: {DRAWN}, but trials of two sides (`other_unit`) have other units on each; "
        raise ParameterError("mean_over", f"{message}expected fixed groups")
    grouped, of_group = _Grouped(task, grouping), base._replace(percent=False)
    means = tuple(
        base._replace(
            key=f"group_{key}_{base.key}",
            title=f"{prefix} {_SHORT.get(base.title, base.title)}",
            formula=partial(formula, score=of_group),
            description=f"{key} over the groups of {grouping.column}: {base.description}",
            of=PARTS,
            bounds=bounds,
            **OF_WHOLE,
        )
        for key, prefix, formula, bounds in (
            (
                "mean",
                "Mean" if base.title.startswith("Macro") else "Macro",
                partial(mean_of_groups, drawn=grouping.drawn),
                base.bounds,
            ),
            ("worst", "Worst", partial(_worst, highest=base.direction != HIGHER), None),
        )
    )
    layouts = (layout.requiring(grouping.column), *task.format.layouts[1:])
    exact = {PARTS: grouped.exact} if base.of in task.exact else {}
    return replace(
        task,
        format=task.format._replace(layouts=layouts, read_reference=grouped.read_reference),
        units=grouped.units if grouping.drawn else task.units,
        count=grouped.count,
        scores=(*means, *task.scores),
        exact={**task.exact, **exact},
    )


@dataclass(frozen=True)
class _Grouped:
    """A task and the grouping of its items."""

    task: Task
    grouping: Grouping

    def read_reference(self, files: Mapping[str, bytes]) -> Any:
        """Read a reference; refuse one whose groups cannot be scored."""
        labels = self.task.format.read_reference(files)
        problems, (column, until, _) = Problems(ReferenceFileError), self.grouping
        if not until:
            found = groups_in_column(self.task.format, files, column, lambda table: table.ids)
            labels = replace(
                labels, texts={**labels.texts, column: [found[item] for item in labels.items.ids]}
            )
        self._check(labels, self.task.format.first_file(files), problems)
        problems.raise_if_any()
        return labels

    def _check(self, labels: Any, file: str, problems: Problems) -> None:
        groups, (column, _, drawn) = self.groups(labels), self.grouping
        known: dict[int, str] = {}
        if not 2 <= len(groups) <= MOST_GROUPS:
            message = f"{len(groups)} different groups by {column}; expected from 2 to {MOST_GROUPS}"
            problems.stop("groups", file, message)
        called = self.task.units(labels).called
        if drawn and called.endswith(GROUP):
            unit = (
                f"the column as `unit: {column}`"
                if not self.grouping.until
                else "a column of them as `unit`, too"
            )
            message = (
                f"too many {plural_of(called[: -len(GROUP)])} to be counted one by one; declare {unit}, "
            )
            problems.stop("groups", file, f"{message}so that each {column} is counted as a whole")
        everything = np.ones(len(labels.items), dtype=bool)
        perfect = self.task.partly_right(labels, everything) if self.task.partly_right else labels
        for group, counts in zip(groups, self._counts(labels, perfect, groups)):
            for side in filter(None, (self.task.units, self.task.other_units)):
                units = side(group.reference)
                if not drawn and len(set(units.of.values())) < 2:
                    message = f"{column} {name(group.name)} has one {units.called}; expected 2 or more"
                    hint = "" if self.task.other_units else f", or `groups: {DRAWN}`"
                    problems.add("groups", file, message + hint)
            for row in group.rows if drawn else ():
                if known.setdefault(row, group.name) != group.name:
                    unit = name(list(self.task.units(labels).of)[row])
                    message = (
                        f"{unit} is in the groups {name(known[row])} and {name(group.name)}; expected one"
                    )
                    problems.add("groups", file, message)
            try:
                self.task.primary.value(total(counts))
            except ValueError as error:
                problems.add("groups", file, f"{column} {name(group.name)}: {error}")

    def groups(self, labels: Any) -> list[_Group]:
        """The groups of a reference, sorted by name."""
        column, until, _ = self.grouping
        cells = [item.split(until)[0] for item in labels.items.ids] if until else labels.texts[column]
        rows = {row: number for number, row in enumerate(self.task.units(labels).of)}
        found = []
        for group, places in members(cells).items():
            own = self.task.format.take_reference(labels, places)
            names = list(self.task.units(own).of)
            numbers = [next(rows[each] for each in rows_of_whole(row) if each in rows) for row in names]
            found.append(_Group(group, places, numbers, own))
        return found

    def units(self, labels: Any) -> Units:
        """Each row's group, as its unit."""
        rows = list(self.task.units(labels).of)
        of = {number: group.name for group in self.groups(labels) for number in group.rows}
        return Units(self.grouping.column, {row: of[number] for number, row in enumerate(rows)})

    def _counts(self, labels: Any, submission: Any, groups: list[_Group]) -> list[Any]:
        """The counts of the primary score in each group."""
        counted = [
            self.task.count(group.reference, self.task.format.take(submission, group.places))
            for group in groups
        ]
        return [self.task.part(self.task.primary, counts) for counts in counted]

    def count(self, labels: Any, submission: Any) -> dict[str, Any]:
        rows, groups = len(self.task.units(labels).of), self.groups(labels)
        counted = zip(groups, self._counts(labels, submission, groups))
        return {
            **self.task.count(labels, submission),
            PARTS: side_by_side(_spread(*each, rows) for each in counted),
        }

    def exact(self, labels: Any, submission: Any, whole: Any) -> Any:
        exact, groups = self.task.exact[self.task.primary.of], []
        for group, (share, counts) in zip(self.groups(labels), groups_of(whole)):
            own = self.task.format.take(submission, group.places)
            groups.append(GroupCounts(share, exact(group.reference, own, counts)))
        return side_by_side(groups)


class GroupCounts(NamedTuple):
    """The counts of the base score in a group, and each row's share of the rows of the group."""

    share: Any
    counts: Any


def side_by_side(groups: Iterable[GroupCounts]) -> Any:
    """The counts of all groups in one: the field `misses` of the third group is `misses_2`."""
    fields: dict[str, Any] = {}
    for number, (share, counts) in enumerate(groups):
        own = {**field_arrays(counts), SHARE: share}
        fields.update({f"{field}_{number}": array for field, array in own.items()})
    return counts_of(fields)


def groups_of(counts: Any) -> list[GroupCounts]:
    """The counts of each group, of one set or of several: what `side_by_side` joined."""
    groups: dict[str, dict[str, Any]] = {}
    for field in field_arrays(counts):
        base, _, number = field.rpartition("_")
        groups.setdefault(number, {})[base] = getattr(counts, field)
    return [GroupCounts(own.pop(SHARE), counts_of(own)) for own in groups.values()]


def _spread(group: _Group, counts: Any, rows: int) -> GroupCounts:
    """The counts of a group in the rows of the whole set."""

    def spread(array: np.ndarray) -> np.ndarray:
        whole = np.zeros((rows, *array.shape[1:]), array.dtype)
        np.add.at(whole, group.rows, array)
        return whole

    share = spread(np.full(len(group.rows), 1 / len(group.rows)))
    return GroupCounts(
        share, counts_of({name: spread(array) for name, array in field_arrays(counts).items()})
    )


def _by_group(counts: Any, score: Score) -> tuple[np.ndarray, np.ndarray]:
    """The shares and the scores of g groups, shapes (g,) and (g,), or (g, r) for r sets; NaN for groups without rows.

    A group with rows whose score is undefined raises ValueError in one set, and is NaN with a share in several.
    """
    groups = groups_of(counts)
    shares = np.stack([np.asarray(group.share, dtype=float) for group in groups])
    if shares.ndim == 1:
        scores = [score.value(group.counts) if group.share else np.nan for group in groups]
        return shares, np.array(scores, dtype=float)
    return shares, np.stack(
        [np.where(share > 0, score.value(own), np.nan) for share, (_, own) in zip(shares, groups)]
    )


def _interval(rows: Any, *, score: Score, drawn: bool) -> tuple[float, float]:
    """The interval from those of fixed groups; NaN for drawn groups, and if a group has a single unit."""
    groups = [(np.flatnonzero(own.share), own) for own in groups_of(rows) if np.any(own.share)]
    if drawn or score.bounds is None or min(len(units) for units, _ in groups) < 2:
        return np.nan, np.nan
    values, without, ends = [], [], []
    for units, (share, counts) in groups:
        inside = taken(counts, units)
        value, others = value_and_without(score.value, inside)
        values.append(value)
        without.append(np.full(len(share), others.mean()))  # so other units contribute nothing
        without[-1][units] = others
        known = score.interval(inside)[:2] if score.interval else None
        ends.append(known or interval_of_formula(score.formula, inside, score.bounds, value, others))
    return interval_of_mean(values, np.stack(without, axis=1), ends)


def _observations(rows: Any, *, score: Score, **_: Any) -> Any:
    """The numbers of observations of g groups, shape (1, g)."""
    return [[observations(score.formula, counts)[0] for _, counts in groups_of(rows)]]


@with_interval(_interval)
@of_observations(_observations)
def mean_of_groups(counts: Any, *, score: Score, drawn: bool) -> Any:
    """The mean over the groups with rows; a group that a resample draws twice counts twice if groups are drawn."""
    shares, scores = _by_group(counts, score)
    weights = shares if drawn and shares.ndim > 1 else (shares > 0).astype(float)
    return (weights * np.where(weights > 0, scores, 0.0)).sum(axis=0) / weights.sum(axis=0)


def _worst(counts: Any, *, score: Score, highest: bool) -> Any:
    shares, scores = _by_group(counts, score)
    edge = -np.inf if highest else np.inf
    found = np.where(shares > 0, scores, edge)
    return found.max(axis=0) if highest else found.min(axis=0)
