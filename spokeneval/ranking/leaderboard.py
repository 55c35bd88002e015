"""A leaderboard: systems from best to worst, in one task or in several, and how certain their order is."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, NamedTuple, Optional

import numpy as np

from ..scoring.scored import Interval, Statistics
from ..task import Column, Task
from .joint_rule import JointRule


@dataclass(frozen=True)
class TextTable:
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
        The jackknife interval of the difference, with its standard error; NaN for joint scores.
    p
        The p-value of the randomisation test, or of the lead in resamples for joint scores.
    adjusted
        p after Holm's correction over all pairs, for joint scores after the stepwise correction.
    """

    first: int
    second: int
    difference: float
    interval: Interval
    p: float
    adjusted: float


UNOFFICIAL = "unofficial"
"""Why an entry is not ranked that was late, or that the organiser entered."""


@dataclass(frozen=True)
class Entry:
    """A row of a leaderboard.

    Attributes
    ----------
    rank, tied
        The rank, and whether others share it or have an equal score.
    score
        The primary score, NaN if there is none.
    interval, ranks, cluster
        The uncertainty of the score and of the rank; None if it is unknown.
    scores, intervals
        All scores with the known intervals; of a joint ranking, the scores in the tasks.
    excluded
        The rule that excludes the system, or `UNOFFICIAL`. It comes after all others, and `score` is its score without
        the rule; `scores` are those on the leaderboard.
    recogniser
        The speech recogniser that the system uses, if the organiser states it.
    places
        Of a joint ranking, the ranks in the tasks, among the ranked systems.
    shown
        The scores as a platform shows them, if it is a platform's leaderboard.
    upload, time
        The name of the upload and its time in UTC, if they are shown.
    before
        The rank on the leaderboard of the day before; 0 if the entry is new.
    """

    rank: int
    tied: bool
    name: str
    score: float
    interval: Optional[tuple[float, float]] = None
    ranks: Optional[tuple[int, int]] = None
    cluster: Optional[int] = None
    scores: Mapping[str, Any] = field(default_factory=dict)
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    excluded: str = ""
    recogniser: str = ""
    places: Mapping[str, int] = field(default_factory=dict)
    shown: Mapping[str, str] = field(default_factory=dict)
    upload: str = ""
    time: Optional[datetime] = None
    before: Optional[int] = None

    @property
    def called(self) -> str:
        """The name, in parentheses if the entry is unofficial."""
        return f"({self.name})" if self.excluded == UNOFFICIAL else self.name

    @property
    def label(self) -> str:
        """The name, with the rule that excludes the system."""
        return f"{self.name} ({self.excluded})" if self.excluded not in ("", UNOFFICIAL) else self.called


class JointBaseline(NamedTuple):
    """The organiser's baseline: its joint score beside those of the ranked systems, None unless it has a score in all
    tasks, and its scores in the tasks."""

    name: str
    score: Optional[float]
    scores: Mapping[str, float]

    @property
    def entry(self) -> Entry:
        """The baseline as a row without a rank."""
        return Entry(0, False, self.name, math.nan if self.score is None else self.score, scores=self.scores)


@dataclass(frozen=True)
class Leaderboard:
    """Systems from best to worst, and how certain their order is.

    Attributes
    ----------
    column
        The primary score.
    rows
        An entry for each system, those that a rule excludes last. These are in no pair and no resample.
    units
        The number and kind of the units, such as ``24 speakers``; None if they are not known.
    pairs
        Every two systems, by their positions in `rows`. Empty for more than 100 systems, for fewer than 4 units, and if
        the units are not known.
    notes
        How systems were compared, and which assumptions were made.
    definition, signature
        The task, and how the results were computed; of a leaderboard of one task.
    power
        The statistical power of larger test sets; None if it was not asked for, and if no two neighbours have a
        difference that varies.
    unscored
        Systems without a score.
    systems
        The systems of `rows`, with their counts.
    resampled_ranks : ndarray of int, shape (r, s)
        The ranks in each of r resamples; r is 0 without resamples.
    rule, tasks
        How the scores of several tasks become one, without a `rule` of its own if each task is ranked by itself; and
        the leaderboards of the tasks, ``name -> leaderboard``.
    apart
        Of a joint ranking, the systems that are not ranked, ``name -> reason``.
    title, phase, day
        What and when it is of: a competition and its phase.
    columns
        Of a platform's leaderboard, its columns; the scores of its entries are decimals.
    marked
        The name of the row that is marked as the baseline.
    baseline
        Of a joint ranking, the organiser's baseline, which has no rank; None if the rule names none.
    descriptions
        What `systems.csv` states of systems, by their names.
    aliases
        The real names of anonymous systems, by the names on the leaderboard.
    trivial
        The scores of the trivial baselines as they are shown, ``answer -> score``.
    tables, files
        Further tables; those with a CSV file of their own, ``name -> table``.
    """

    column: Column = field(repr=False)
    rows: Sequence[Entry]
    units: Optional[str] = None
    pairs: Sequence[Pair] = ()
    notes: Sequence[str] = ()
    definition: Optional[Task] = field(repr=False, compare=False, default=None)
    signature: str = ""
    power: Optional[TextTable] = None
    unscored: Sequence[str] = ()
    systems: Sequence[System] = field(repr=False, compare=False, default=())
    resampled_ranks: np.ndarray = field(
        repr=False, compare=False, default_factory=lambda: np.empty((0, 0), dtype=int)
    )
    rule: Optional[JointRule] = None
    tasks: Mapping[str, Leaderboard] = field(default_factory=dict)
    apart: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    phase: str = ""
    day: Optional[date] = None
    columns: Sequence[Column] = ()
    marked: str = ""
    baseline: Optional[JointBaseline] = None
    descriptions: Mapping[str, Any] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)
    trivial: Mapping[str, str] = field(default_factory=dict)
    tables: Sequence[TextTable] = ()
    files: Mapping[str, TextTable] = field(default_factory=dict)

    @property
    def own_task(self) -> Task:
        """The task of a leaderboard of one task."""
        if self.definition is None:
            raise ValueError("a leaderboard of several tasks has no task of its own")
        return self.definition

    @property
    def is_joint(self) -> bool:
        """Whether systems are ranked by a joint score of several tasks."""
        return self.rule is not None and bool(self.rule.rule)

    @property
    def titles(self) -> dict[str, str]:
        """What each task of a joint ranking is called, ``name -> title``."""
        return {name: board.title or name for name, board in self.tasks.items()}

    @property
    def names(self) -> list[str]:
        """The names of the systems, from best to worst."""
        return [row.name for row in self.rows]

    @property
    def places(self) -> list[Mapping[str, int]]:
        """For each row the ranks in the tasks of a joint ranking, among the ranked systems."""
        return [row.places for row in self.rows]

    @property
    def eligible(self) -> list[Entry]:
        """The rows of the systems that no rule excludes."""
        return [row for row in self.rows if not row.excluded]

    @property
    def names_recognisers(self) -> bool:
        """Whether the recogniser of a system is known."""
        return any(row.recogniser for row in self.rows)

    @property
    def occasion(self) -> str:
        """Title, phase and date in one line."""
        return " · ".join(filter(None, [self.title, self.phase, str(self.day or "")]))

    @property
    def measure(self) -> str:
        """The primary score and its direction."""
        return f"{self.column.title} ({self.column.direction} is better)"

    @property
    def heading(self) -> str:
        """The task or the tasks, the primary score and the units in one line."""
        if self.tasks:
            return f"{', '.join(self.titles.values())} · {self.measure}"
        return " · ".join([self.own_task.name, self.measure, *([self.units] if self.units else [])])
