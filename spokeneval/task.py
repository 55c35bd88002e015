"""A task as one value: what its files hold, what is counted, and which scores follow.

Programs, item lists, leaderboard columns, boards and report pages read everything that they need to know about a task
from its `Task`. The tasks themselves are in `spokeneval.tasks`, one module each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Callable, NamedTuple, Optional, Union

import numpy as np

from .formats.format import Format, Items
from .formats.speakers import Units

HIGHER, LOWER = "higher", "lower"

Number = Union[int, float]

SHARE, POSITIVE, AGREEMENT = (0.0, 1.0), (0.0, math.inf), (-1.0, 1.0)
"""Bounds of scores."""


class Score(NamedTuple):
    """One number of a submission.

    Attributes
    ----------
    key: its name in `scores.json`.
    title: how a table heads it, without `(%)`.
    direction: which is better, `HIGHER` or `LOWER`.
    formula: a part of the counts, of one set or of many -> the score, a number or shape (r,).
    description: what it is, in one line.
    of: the part of the counts that the formula takes; the only one where there is one.
    percent: whether the formula's fraction is written times 100.
    undefined: what is written where the formula is undefined; a run fails there if nothing is given.
    bounds: between which the formula's value lies, for its 95 % interval; None of what has none, such as a count or
        a flag.
    best: what a faultless submission gets, as it is written, where that is the same on every set.
    """

    key: str
    title: str
    direction: str
    formula: Callable[[Any], Any]
    description: str
    of: str = ""
    percent: bool = False
    undefined: Optional[float] = None
    bounds: Optional[tuple[float, float]] = SHARE
    best: Optional[float] = None

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} (%)" if self.percent else self.title

    @property
    def limits(self) -> Optional[tuple[float, float]]:
        """Between which the score lies as it is written."""
        factor = 100 if self.percent else 1
        return None if self.bounds is None else (factor * self.bounds[0], factor * self.bounds[1])

    def value(self, counts: Any) -> Any:
        """The score as it is written.

        Parameters
        ----------
        counts: the part of the counts that the formula takes, of one set or of many.

        Returns
        -------
        A number, or an array of shape (r,) with NaN where the score is undefined.

        Raises
        ------
        ValueError: one set for which the score is undefined.
        """
        try:
            value = self.formula(counts)
        except ValueError:
            if self.undefined is None:
                raise
            return self.undefined
        if self.undefined is not None:
            value = np.where(np.isnan(value), self.undefined, value) if np.ndim(value) else value
        return 100 * value if self.percent else value


class Option(NamedTuple):
    """What an organiser may choose of a task's scoring.

    Attributes
    ----------
    name: as `competition.yaml` calls it.
    values: the values that it may have, the default first.
    public_only: values under which a run may fail because of a label. A failed run costs no attempt, so on hidden
        labels they would answer questions about them without limit.
    """

    name: str
    values: tuple[str, ...]
    public_only: tuple[str, ...] = ()


class Column(NamedTuple):
    """A number that is written to `scores.json`: a score or an end of its interval."""

    key: str
    title: str
    direction: str
    description: str


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes
    ----------
    name: as everywhere in the house, such as `spoken_call`.
    title: how a page is headed.
    format: its files.
    units: reference -> what is drawn for an interval: the unit of each row of the counts.
    count: reference, submission -> `part -> counts`, one row an item or a unit; everything that is scored follows.
    scores: what is written, the primary score first.
    options: what an organiser may choose.
    vary: where given, options -> the task as they have it: options that change what files hold or what is counted.
    refuse: where given, total counts, options -> raises SubmissionError for a submission that an option rules out.
    right: `part -> counts`, one row an item -> how right each is, from 0 to 1, shape=(n,): difficulty follows from it.
    labels: reference -> everything that a board must not tell, a label each: what the labels' entropy follows from.
    trivial: systems that know nothing, `what they answer -> (items -> submission)`: what a board shows must be read
        beside theirs.
    shared_scale: whether rows of two systems' counts are on one scale, so that they may be exchanged to compare them.
    """

    name: str
    title: str
    format: Format
    units: Callable[[Any], Units]
    count: Callable[[Any, Any], Mapping[str, Any]]
    scores: tuple[Score, ...]
    right: Callable[[Mapping[str, Any]], np.ndarray]
    labels: Callable[[Any], Iterable[Hashable]]
    options: tuple[Option, ...] = ()
    vary: Optional[Callable[[Mapping[str, str]], Task]] = None
    refuse: Optional[Callable[[Mapping[str, Any], Any], None]] = None
    trivial: Mapping[str, Callable[[Items], Any]] = field(default_factory=dict)
    shared_scale: bool = True

    @property
    def primary(self) -> Score:
        """The score that decides the rank."""
        return self.scores[0]

    def with_options(self, chosen: Mapping[str, str]) -> Task:
        """The task as the chosen options have it; those that are not chosen have their defaults."""
        if self.vary is None:
            return self
        return self.vary({**{option.name: option.values[0] for option in self.options}, **chosen})

    def part(self, score: Score, counts: Mapping[str, Any]) -> Any:
        """The part of the counts that a score takes."""
        return counts[score.of] if score.of else next(iter(counts.values()))

    @property
    def columns(self) -> tuple[Column, ...]:
        """Everything that `scores.json` holds, in its order: the scores, then the ends of the first one's interval."""
        columns = [
            Column(score.key, score.heading, score.direction, score.description) for score in self.scores
        ]
        key, title, direction, *_ = self.primary
        low = Column(key + ENDS[0], f"{title} from (95 %)", direction, "lower end of the 95 % interval")
        high = Column(key + ENDS[1], f"{title} to (95 %)", direction, "upper end of the interval")
        return (*columns, low, high)


ENDS = ("_low", "_high")
"""What a score's key is followed by in the keys of its interval's ends."""
