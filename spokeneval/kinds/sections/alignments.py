"""Alignments of what was said and recognised, as lines of a report."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional

import numpy as np

NOTHING = "–"
LONGEST = 60
"""Pairs of an alignment that are shown."""
BEFORE = 5
"""Pairs before the first error that are shown of a longer one."""
MOST_CELLS = 100_000_000
"""Cells of the tables of all alignments together. Items beyond this limit are not aligned."""


Pair = tuple[Optional[str], Optional[str]]
"""A symbol of the reference and of the submission; None for a missing one."""


class Part(NamedTuple):
    """What a speaker said beside what was recognised, by their names; None in place of too long an alignment."""

    said_by: str
    heard_as: str
    pairs: Optional[Sequence[Pair]]


def aligned_lines(pairs: Iterable[Pair]) -> list[str]:
    """Return an alignment in three lines: both sides, and S, D and I below substitutions, deletions and insertions.

    Of a long one, the part from shortly before the first error is shown.
    """
    shown = list(pairs)
    first = next((place for place, (a, b) in enumerate(shown) if a != b), 0)
    first = max(0, min(first - BEFORE, len(shown) - LONGEST))
    columns = [
        (a or NOTHING, b or NOTHING, "" if a == b else "I" if a is None else "D" if b is None else "S")
        for a, b in shown[first : first + LONGEST]
    ]
    columns = [*[("…",) * 3] * (first > 0), *columns, *[("…",) * 3] * (first + LONGEST < len(shown))]
    columns.insert(0, ("said", "heard", ""))
    widths = [max(map(len, column)) for column in columns]
    widths[0] += 1
    sides = (" ".join(map(str.ljust, side, widths)).rstrip() for side in zip(*columns))
    return [side for side in sides if side]


def short_enough(sizes: Sequence[int], largest: int) -> np.ndarray:
    """Return which alignments are made, by the numbers of cells of their tables: bool, shape (n,)."""
    cells = np.array(sizes, dtype=np.int64)
    within = cells <= largest
    return within & (np.cumsum(cells * within) <= MOST_CELLS)
