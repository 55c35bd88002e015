"""The largest sources of error: the groups of items that contain more of the errors than their size explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import numpy as np

from ..formats.speakers import GROUP, Units
from .page import Html, listing, paragraph, section, strong, text

MOST = 3
LEAST, LEVEL = 1.0, 0.05
"""The least gain by a group that is shown, in percent, and the probability that chance alone shows one."""
PERMUTATIONS = 999
_WORK = 10_000_000
"""The most parts in all permutations together, unless the level needs more permutations."""


class GroupedErrors(NamedTuple):
    """Parts of the items, such as the time of each class in each recording, in groups.

    Attributes
    ----------
    groups, rows, sizes: the group, the errors and the size of each of the m parts, m entries each.
    """

    groups: Sequence[str]
    rows: np.ndarray
    sizes: np.ndarray


@dataclass(frozen=True)
class Errors:
    """The errors of a submission.

    Attributes
    ----------
    rows: the errors of each of the n rows of the counts, shape=(n,).
    sizes: the size of each row, such as its number of phones, shape=(n,).
    called: what the errors and the sizes are, as in `the errors` and `the responses`.
    groupings: `kind of group -> group of each row`.
    parts: `kind of group -> parts of the rows in groups`, where a row may be in several.
    unit: what the numbers of errors count.
    """

    rows: np.ndarray
    sizes: np.ndarray
    called: tuple[str, str]
    groupings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    parts: Mapping[str, GroupedErrors] = field(default_factory=dict)
    unit: str = "errors"


class _ErrorGroup(NamedTuple):
    """A group with its shares of the errors and of the sizes, and its deviation from the overall rate."""

    kind: str
    name: str
    part: float
    size: float
    deviation: float


def largest_section(errors: Errors, units: Units) -> Optional[Html]:
    """Return a section with the groups that would lower the errors most if they had only their share of them.

    The units of the confidence interval are groups too, if they have several items.
    """
    groupings = with_units(errors, units)
    parts = {kind: GroupedErrors(names, errors.rows, errors.sizes) for kind, names in groupings.items()}
    shares = _beyond_their_share({**errors.parts, **parts})
    if not shares:
        return None
    what, where = errors.called
    lines = [
        Html(
            f"{strong(group.kind + ': ' + (group.name or 'none')).markup} – "
            + text(f"{100 * group.part:.1f} % of {what}, in {100 * group.size:.1f} % of {where}")
        )
        for group in shares[:MOST]
    ]
    fewer = _fewer(shares[0])
    advice = f"Begin with the first group: at the error rate of the rest, there would be {fewer:.1f} % fewer errors."
    return section(
        "Largest sources of error",
        listing([line] for line in lines),
        paragraph(advice),
        paragraph(
            "Groups with the most errors beyond their share. Groups of different kinds overlap.", kind="note"
        ),
    )


def with_units(errors: Errors, units: Units) -> dict[str, Sequence[str]]:
    """Return the groupings, with one by the units if they have several items."""
    names = list(units.of.values())
    several = len(set(names)) < len(names) == len(errors.rows)
    return {**({units.called.capitalize(): names} if several else {}), **errors.groupings}


def _beyond_their_share(groupings: Mapping[str, GroupedErrors]) -> list[_ErrorGroup]:
    """Return the groups with the most errors beyond their share of the size, most first.

    Groups that chance explains, or that would lower the errors by less than `LEAST` percent, are left out. Chance
    explains a deviation that the largest one of all groups reaches in more than `LEVEL` of the permutations.
    """
    found: list[_ErrorGroup] = []
    work = sum(len(grouping.rows) for grouping in groupings.values())
    permutations = max(round(1 / LEVEL) - 1, min(PERMUTATIONS, _WORK // max(1, work)))
    largest = np.full(permutations, -np.inf)
    for kind, grouping in groupings.items():
        groups, chance = _deviations(kind, grouping, permutations)
        found += groups
        largest = np.maximum(largest, chance)
    shares = [group for group in found if _fewer(group) >= LEAST]
    if shares:
        limit = np.sort(largest)[-int(LEVEL * (permutations + 1))]
        shares = [group for group in shares if group.deviation > limit + 1e-9 * abs(limit)]
    return sorted(shares, key=lambda group: (group.size - group.part, group.kind, group.name))


def _deviations(
    kind: str, grouping: GroupedErrors, permutations: int
) -> tuple[list[_ErrorGroup], np.ndarray]:
    """Return the groups, and the largest deviation of a group in each permutation of the parts.

    A group's deviation is its number of errors beyond its share, in units of its standard deviation under permutations.
    Permuted are the deviations of parts in units of the square root of their sizes, as the variance grows with the
    size. All permutations have the same largest deviation of single parts, so chance explains each of them.
    """
    rows, sizes = np.asarray(grouping.rows, dtype=float), np.asarray(grouping.sizes, dtype=float)
    kept = (rows != 0) | (sizes != 0)
    names, place = np.unique(np.array(grouping.groups, dtype=str)[kept], return_inverse=True)
    rows, sizes = rows[kept], sizes[kept]
    all_errors, all_sizes = rows.sum(), sizes.sum()
    shares = np.bincount(place, sizes, len(names)) / (all_sizes or 1)
    shown = [0 < share < 1 and not name.endswith(GROUP) for name, share in zip(names.tolist(), shares)]
    if not all_errors or not any(shown):
        return [], np.full(permutations, -np.inf)
    scale = np.sqrt(np.where(sizes > 0, sizes, all_sizes / len(sizes)))
    spread = np.sqrt(shares * (1 - shares))[shown]

    def deviation(beyond: np.ndarray) -> np.ndarray:
        return np.asarray((np.bincount(place, beyond, len(names)) - shares * beyond.sum())[shown] / spread)

    beyond = rows - all_errors / all_sizes * sizes
    random = np.random.default_rng(0)  # the same permutations for all groupings of the same rows
    chance = [deviation(random.permutation(beyond / scale) * scale).max() for _ in range(permutations)]
    parts = np.bincount(place, rows, len(names)) / all_errors
    columns = (each[shown].tolist() for each in (names, parts, shares))
    groups = [_ErrorGroup(kind, *each) for each in zip(*columns, deviation(beyond).tolist())]
    return groups, np.array(chance)


def _fewer(group: _ErrorGroup) -> float:
    """Return by how many percent errors fall if a group has the error rate of the rest."""
    return 100 * (1 - (1 - group.part) / (1 - group.size))
