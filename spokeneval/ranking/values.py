"""A ranking of systems: their order, ties, clusters and p-values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

import numpy as np

from ..scoring.scored import Interval, Statistics
from ..task import Task


class Column(NamedTuple):
    """How the primary score is shown."""

    key: str
    title: str
    direction: str
    precision: int


@dataclass(frozen=True)
class Table:
    """A table of texts. The first `left` columns are names, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    left: int = 1


class System(NamedTuple):
    """A system's scores, the intervals that are known, and its counts, None if they are unknown."""

    name: str
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    statistics: Optional[Statistics]


@dataclass(frozen=True)
class Pair:
    """Two systems by their positions on the board, the better ranked first, and their difference in score.

    Attributes
    ----------
    interval
        The jackknife interval of the difference, with its standard error.
    p
        The p-value of the randomisation test.
    adjusted
        p after Holm's correction over all pairs.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    p: float
    adjusted: float


@dataclass(frozen=True)
class Place:
    """A rank, and whether others share it or have an equal score."""

    rank: int
    tied: bool


@dataclass(frozen=True)
class Row(Place):
    """A system's rank, its primary score and the uncertainty of both (None: unknown), and all scores with the known
    intervals.

    A system that a rule excludes has the rule in `excluded`. It comes after all others, and `score` is its score
    without the rule; `scores` are those on the leaderboard.
    """

    name: str
    score: float
    interval: Optional[tuple[float, float]]
    ranks: Optional[tuple[int, int]]
    cluster: Optional[int]
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]]
    excluded: str = ""

    @property
    def label(self) -> str:
        """The name, with the rule that excludes the system."""
        return f"{self.name} ({self.excluded})" if self.excluded else self.name


@dataclass(frozen=True)
class Ranking:
    """Systems from best to worst, and how certain their order is.

    Attributes
    ----------
    rules
        The task.
    column
        The primary score.
    signature
        How the results were computed.
    rows
        A row for each system, those that a rule excludes last. These are in no pair and no resample.
    units
        The number and kind of the units, such as ``24 speakers``; None if they are not known.
    pairs
        Every two systems, by their positions in `rows`. Empty for more than 100 systems, for fewer than 4 units, and if
        the units are not known.
    power
        The statistical power of larger test sets; None if it was not asked for, and if no two neighbours have a
        difference that varies.
    notes
        How systems were compared, and which assumptions were made.
    unscored
        Systems without a score.
    systems
        The systems of `rows`, with their counts.
    resampled_ranks : ndarray of int, shape (r, s)
        The ranks in each of r resamples; r is 0 without resamples.
    """

    rules: Task = field(repr=False, compare=False)
    column: Column = field(repr=False)
    signature: str
    rows: Sequence[Row]
    units: Optional[str]
    pairs: Sequence[Pair] = ()
    power: Optional[Table] = None
    notes: Sequence[str] = ()
    unscored: Sequence[str] = ()
    systems: Sequence[System] = field(repr=False, compare=False, default=())
    resampled_ranks: np.ndarray = field(
        repr=False, compare=False, default_factory=lambda: np.empty((0, 0), dtype=int)
    )

    @property
    def names(self) -> list[str]:
        """The names of the systems, from best to worst."""
        return [row.name for row in self.rows]

    @property
    def eligible(self) -> list[Row]:
        """The rows of the systems that no rule excludes."""
        return [row for row in self.rows if not row.excluded]

    @property
    def measure(self) -> str:
        """The primary score and its direction."""
        return f"{self.column.title} ({self.column.direction} is better)"

    @property
    def heading(self) -> str:
        """The task, the primary score and the units in one line."""
        return " · ".join([self.rules.name, self.measure, *([self.units] if self.units else [])])
