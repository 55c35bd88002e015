"""The largest sources of error: the groups of items that contain more of the errors than their size explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import numpy as np

from ..formats.problems import data, plain
from ..formats.speakers import GROUP, Units
from .page import Html, listing, paragraph, section, strong, text

MOST = 3


class Group(NamedTuple):
    """A group of items: its kind and name, and its errors and its size, in the units of `Errors`."""

    kind: str
    name: str
    errors: float
    size: float


@dataclass(frozen=True)
class Errors:
    """The errors of a submission.

    Attributes
    ----------
    rows: the errors of each of the n rows of the counts, shape=(n,).
    sizes: the size of each row, such as its number of phones, shape=(n,).
    called: what the errors and the sizes are, as in `the errors` and `the responses`.
    groupings: `kind of group -> group of each row`.
    groups: groups that rows do not add up to, such as classes of phones; those of one kind are all errors.
    """

    rows: np.ndarray
    sizes: np.ndarray
    called: tuple[str, str]
    groupings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    groups: Sequence[Group] = ()


def largest_section(errors: Errors, units: Units) -> Optional[Html]:
    """Return a section with the groups that would lower the errors most if they had only their share of them.

    The units of the confidence interval are groups too, if they have several items or differ in size.
    """
    groupings, names = dict(errors.groupings), list(map(data, units.of.values()))
    if len(names) == len(errors.rows) and (len(set(names)) < len(names) or np.ptp(errors.sizes) > 0):
        groupings.setdefault(units.called.capitalize(), names)
    found = list(errors.groups)
    for kind, members in groupings.items():
        groups, place = np.unique(np.array(members, dtype=str), return_inverse=True)
        sums = (np.bincount(place, each, len(groups)).tolist() for each in (errors.rows, errors.sizes))
        found += [
            Group(kind, *each) for each in zip(groups.tolist(), *sums) if not plain(each[0]).endswith(GROUP)
        ]
    totals: dict[str, tuple[float, float]] = {}
    for group in found:
        all_errors, all_sizes = totals.get(group.kind, (0.0, 0.0))
        totals[group.kind] = all_errors + group.errors, all_sizes + group.size
    shares = []
    for group in found:
        all_errors, all_sizes = totals[group.kind]
        if all_errors and all_sizes:
            shares.append((group, group.errors / all_errors, group.size / all_sizes))
    shares = [each for each in shares if round(100 * (each[1] - each[2]), 1) > 0]
    shares.sort(key=lambda each: (each[2] - each[1], each[0].kind, each[0].name))
    if not shares:
        return None
    what, where = errors.called
    lines = [
        Html(
            f"{strong(group.kind + ': ' + (group.name or 'none')).markup} – "
            + text(f"{100 * part:.1f} % of {what}, in {100 * size:.1f} % of {where}")
        )
        for group, part, size in shares[:MOST]
    ]
    _, part, size = shares[0]
    fewer = 100 * (1 - (1 - part) / (1 - size))
    advice = f"Begin with the first group: at the error rate of the rest, there would be {fewer:.1f} % fewer errors."
    return section(
        "Largest sources of error",
        listing([line] for line in lines),
        paragraph(advice),
        paragraph(
            "Groups with the most errors beyond their share. Groups of different kinds overlap.", kind="note"
        ),
    )
