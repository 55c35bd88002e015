"""The largest sources of error: the groups of items that contain more of the errors than their size explains."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import NamedTuple, Optional

import numpy as np

from ..formats.problems import data, plain
from ..formats.speakers import GROUP, Units
from .page import Html, listing, paragraph, section, strong, text

MOST = 3
LEAST, LEVEL = 1.0, 0.05
"""The least gain by a group that is shown, in percent, and the probability that chance alone shows one."""


class Group(NamedTuple):
    """A group of items.

    Attributes
    ----------
    kind, name: of the group.
    errors, size: in the units of `Errors`.
    spread: the standard deviation of the errors in groups drawn at random; None if that of independent errors.
    """

    kind: str
    name: str
    errors: float
    size: float
    spread: Optional[float] = None


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
    rate = errors.rows.sum() / (errors.sizes.sum() or 1)
    variance = float(np.var(errors.rows - rate * errors.sizes, ddof=1)) if len(errors.rows) > 1 else 0.0
    for kind, members in groupings.items():
        groups, place, counts = np.unique(
            np.array(members, dtype=str), return_inverse=True, return_counts=True
        )
        sums = (np.bincount(place, each, len(groups)).tolist() for each in (errors.rows, errors.sizes))
        # The sum of rows drawn without replacement
        spreads = np.sqrt(variance * counts * (1 - counts / len(errors.rows))).tolist()
        found += [
            Group(kind, *each)
            for each in zip(groups.tolist(), *sums, spreads)
            if not plain(each[0]).endswith(GROUP)
        ]
    shares = _beyond_their_share(found)
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
    fewer = _fewer(*shares[0][1:])
    advice = f"Begin with the first group: at the error rate of the rest, there would be {fewer:.1f} % fewer errors."
    return section(
        "Largest sources of error",
        listing([line] for line in lines),
        paragraph(advice),
        paragraph(
            "Groups with the most errors beyond their share. Groups of different kinds overlap.", kind="note"
        ),
    )


def _beyond_their_share(found: Sequence[Group]) -> list[tuple[Group, float, float]]:
    """Return groups with their shares of the errors and of the sizes, most errors beyond the share of the size first.

    Groups that chance explains (Bonferroni), or that would lower the errors by less than `LEAST` percent, are left out.
    """
    totals: dict[str, tuple[float, float]] = {}
    for group in found:
        all_errors, all_sizes = totals.get(group.kind, (0.0, 0.0))
        totals[group.kind] = all_errors + group.errors, all_sizes + group.size
    deviations = NormalDist().inv_cdf(1 - LEVEL / max(1, len(found)))
    shares = []
    for group in found:
        all_errors, all_sizes = totals[group.kind]
        if not all_errors or not 0 < group.size < all_sizes:
            continue
        part, size = group.errors / all_errors, group.size / all_sizes
        spread = (all_errors * size * (1 - size)) ** 0.5 if group.spread is None else group.spread
        if part - size > deviations * spread / all_errors and _fewer(part, size) >= LEAST:
            shares.append((group, part, size))
    return sorted(shares, key=lambda each: (each[2] - each[1], each[0].kind, each[0].name))


def _fewer(part: float, size: float) -> float:
    """Return by how many percent errors fall if a group with these shares has the error rate of the rest."""
    return 100 * (1 - (1 - part) / (1 - size))
