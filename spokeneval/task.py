"""A task as one value: its file formats, its counts and its scores.

A `Task` contains all facts about a task that programs, item lists, leaderboard columns and report pages need. The tasks
are in `spokeneval.challenges`, one module each.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Callable, ClassVar, NamedTuple, Optional, Union

import numpy as np

from .formats.format import FEWEST, RIGHT_FILE, Answers, Format, Items
from .formats.speakers import LEVEL, Units

HIGHER, LOWER = "higher", "lower"

Number = Union[int, float]

SHARE, POSITIVE, AGREEMENT = (0.0, 1.0), (0.0, math.inf), (-1.0, 1.0)
"""Bounds of scores."""


class Score(NamedTuple):
    """A score of a task.

    Attributes
    ----------
    key
        Its name in `scores.json`.
    title
        Its heading in tables, without `(%)`.
    direction
        Whether higher or lower is better, `HIGHER` or `LOWER`.
    formula
        Takes a part of the counts, of one set or of r sets, and returns the score: a number, or an array of shape (r,).
    description
        A definition in one line.
    of
        The part of the counts that the formula takes; empty for tasks with a single part.
    percent
        Whether the score is the value of the formula times 100.
    undefined
        The score to use where the formula is undefined. If it is None, an undefined score fails the run.
    bounds
        The smallest and the largest value of the formula, for the 95 % confidence interval. None for scores without an
        interval.
    best
        The score of a perfect submission, if it is the same for every set.
    interval
        Takes the part of the counts with one row for each of two units or more, and returns the ends of the formula's
        95 % confidence interval, and its standard error; None for the jackknife's interval between the bounds.
    remark
        Takes the same, and returns what the score alone does not show, for the report of a public set.
    whole
        Whether the score is a whole number, such as a count or a flag.
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
    interval: Optional[Callable[[Any], tuple[float, float, float]]] = None
    remark: Optional[Callable[[Any], str]] = None
    whole: bool = False

    @property
    def heading(self) -> str:
        """The title with its unit."""
        return f"{self.title} (%)" if self.percent else self.title

    @property
    def limits(self) -> Optional[tuple[float, float]]:
        """The smallest and the largest possible score, in percent if the score is; None without an interval."""
        factor = 100 if self.percent else 1
        return None if self.bounds is None else (factor * self.bounds[0], factor * self.bounds[1])

    @property
    def precision(self) -> int:
        """The number of decimals on every page, if an organiser chooses none and no interval is known."""
        return 0 if self.whole else 2 if self.percent else 4

    def value(self, counts: Any) -> Any:
        """The score as it is written to `scores.json`: in percent if `percent` is set.

        Parameters
        ----------
        counts
            The part of the counts that the formula takes, of one set or of r sets.

        Returns
        -------
        float or ndarray of shape (r,)
            The score; for several sets with NaN where it is undefined.

        Raises
        ------
        ValueError
            The score of a single set is undefined.
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
    """An option of a task's scoring, which the organiser chooses.

    Attributes
    ----------
    name
        Its name in `competition.yaml`.
    values
        The allowed values, the default first.
    public_only
        The values that are allowed only for public labels, because with them a run may fail depending on a label. A
        failed run does not count against the daily limit, so on hidden labels it would answer any number of questions
        about them.
    reveals
        The values that publish a fact about the labels of every set.
    """

    name: str
    values: tuple[str, ...]
    public_only: tuple[str, ...] = ()
    reveals: tuple[str, ...] = ()


PRIMARY = "primary"
"""The option of every task that is not declared: the key of the score that decides the rank."""


class Column(NamedTuple):
    """A number in `scores.json`, a score or an end of its confidence interval, as a leaderboard shows it.

    Attributes
    ----------
    direction
        ``higher`` or ``lower``, whichever is better.
    precision
        The number of decimals.
    hidden
        Whether participants do not see it.
    computed, computed_from
        How the server computes it, such as ``avg``, and from which keys, in bundles that other tools built.
    """

    key: str
    title: str
    direction: str
    precision: int
    description: str = ""
    hidden: bool = False
    computed: str = ""
    computed_from: tuple[str, ...] = ()

    def better_first(self, score: Any, *, missing_first: bool = False) -> tuple[int, Any]:
        """A sort key: better scores come first. `missing_first`: missing ones (None) too, if higher is better."""
        if score is None:
            return (-1 if missing_first and self.direction == HIGHER else 1, 0)
        return (0, -score if self.direction == HIGHER else score)


class Eligibility(NamedTuple):
    """A rule that excludes submissions from rankings.

    Attributes
    ----------
    key
        The key of the score that is 0 for a submission that breaks the rule.
    raw
        The key of the primary score without the rule.
    broken
        The words beside the name of an excluded system.
    """

    key: str
    raw: str
    broken: str


class View:
    """What a report on public labels shows of a task's items, besides their scores.

    Attributes
    ----------
    name
        The kind whose sections the report has, the module of this name in `kinds/sections/`; empty for none.
    texts
        The columns of the reference that are shown beside wrong answers.
    texts_as_labels
        Whether labels are texts rather than classes or numbers.
    every_item
        Whether a submission answers every item, in a line of its own.
    group_note
        A note below the scores of groups, such as speakers.
    """

    name: ClassVar[str] = ""
    texts: ClassVar[tuple[str, ...]] = ()
    texts_as_labels: ClassVar[bool] = False
    every_item: ClassVar[bool] = True
    group_note: ClassVar[str] = ""

    def label_names(self) -> Sequence[str]:
        """The classes that the numbers of labels stand for; none for labels of any other kind."""
        return ()

    def listed_ratings(self, reference: Any) -> Mapping[str, np.ndarray]:
        """The ratings of each human rater, NaN where there is none, if each rater is listed."""
        return {}

    def groupings(self, reference: Any) -> Mapping[str, Sequence[str]]:
        """Groups of items, `kind of group -> group of each row of the counts`."""
        return {}

    def beside(self) -> Sequence[str]:
        """The keys of the scores that a leaderboard shows beside the primary score, unless the organiser chooses."""
        return ()

    def broken(self, totals: Mapping[str, Any]) -> str:
        """The task's rule that a submission with these counts breaks, with the figures; empty if it breaks none."""
        return ""


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes
    ----------
    name
        The name in files and commands, such as `spoken_call`.
    title
        The title on pages.
    format
        The file formats.
    units
        Takes the reference, and returns the unit of each row of the counts, for confidence intervals.
    other_units
        For trials of two sides, the same for the other side: intervals allow for other units on both sides. None for
        all other tasks.
    count
        Takes the reference and a submission, and returns the counts, `part -> counts`, one row for each item or unit.
        All scores are computed from these counts.
    scores
        The scores, the primary score first.
    exact
        For a part of the counts whose sum gives some scores only nearly, ``part -> function``. It takes the reference,
        a submission and the sum, and returns counts from which the submission's exact scores are computed. Rankings
        show these scores; resamples and sets without a unit are sums of rows.
    options
        The options that an organiser may choose.
    vary
        Takes the value of every option, and returns the task with them applied; None if no option changes the file
        formats or the counts.
    refuse
        Takes the total counts and the options, and raises SubmissionError for a submission that an option does not
        allow; None if there is no such option.
    right
        Takes the counts of items, `part -> counts`, and returns how correct the answer to each item is, from 0 to 1,
        shape (n,). The difficulty of items is computed from it.
    labels
        Takes the reference, and returns all labels that a leaderboard must not reveal. Their entropy is computed from
        it.
    trivial
        The trivial baselines to compare scores with, `description -> function from items to a submission`.
    partly_right
        Takes the reference and which of its items are chosen, shape (n,), and returns a submission that is right about
        these items and knows nothing of the others. It gives the standard error of a score that is the same for every
        trivial baseline, such as an error rate of 100 %, and the interval of a perfect system. None if a submission's
        columns can be copied from those of the reference.
    remarks
        Takes a submission, and returns sentences on how its form affects its scores, for the report.
    view
        What a report on public labels shows of the items.
    eligibility
        The rule that excludes submissions from rankings; None if there is none.
    shared_scale
        Whether the counts of two systems are on the same scale, so that their rows may be swapped to compare them.
    declaration
        For a task of a kind that an organiser declared: the kind, the title and the parameters, from which
        `kinds.declared.declared_task` makes the same task. Empty for a task that is written in Python.
    code
        For a task that an organiser wrote in Python: the first digits of the SHA-256 of its module, for the signature.
        Empty for all other tasks.
    chosen
        The options that `with_options` has applied.
    """

    name: str
    title: str
    format: Format
    units: Callable[[Any], Units]
    count: Callable[[Any, Any], Mapping[str, Any]]
    scores: tuple[Score, ...]
    right: Callable[[Mapping[str, Any]], np.ndarray]
    labels: Callable[[Any], Iterable[Hashable]]
    other_units: Optional[Callable[[Any], Units]] = None
    exact: Mapping[str, Callable[[Any, Any, Any], Any]] = field(default_factory=dict)
    options: tuple[Option, ...] = ()
    vary: Optional[Callable[[Mapping[str, str]], Task]] = None
    refuse: Optional[Callable[[Mapping[str, Any], Any], None]] = None
    trivial: Mapping[str, Callable[[Items], Any]] = field(default_factory=dict)
    partly_right: Optional[Callable[[Any, np.ndarray], Any]] = None
    remarks: Callable[[Any], Iterable[str]] = lambda submission: ()
    view: View = field(default_factory=View)
    eligibility: Optional[Eligibility] = None
    shared_scale: bool = True
    declaration: Mapping[str, Any] = field(default_factory=dict)
    code: str = ""
    chosen: Mapping[str, str] = field(default_factory=dict)

    @property
    def primary(self) -> Score:
        """The score by which submissions are ranked."""
        return self.scores[0]

    @property
    def primaries(self) -> tuple[str, ...]:
        """The keys of the scores that can be the primary score, those with an interval; the present one is first."""
        return tuple(score.key for score in self.scores if score.bounds)

    @property
    def choices(self) -> dict[str, tuple[str, ...]]:
        """The values of each option, the default first, with `PRIMARY` unless the task is declared."""
        own = {option.name: option.values for option in self.options}
        return own if self.declaration else {**own, PRIMARY: self.primaries}

    def ranked_by(self, primary: str) -> Task:
        """The task with another primary score, one of `primaries`. A rule of eligibility still excludes submissions."""
        if primary == self.primary.key:
            return self
        scores = sorted(self.scores, key=lambda score: score.key != primary)
        rule = self.eligibility and self.eligibility._replace(raw=primary)
        return replace(self, scores=tuple(scores), eligibility=rule)

    def with_options(self, chosen: Mapping[str, str]) -> Task:
        """The task with the chosen options applied; other options have their defaults."""
        if self.vary is None and PRIMARY not in chosen:
            return self
        varied = self
        if self.vary is not None:
            varied = self.vary({**{option.name: option.values[0] for option in self.options}, **chosen})
        varied = varied.ranked_by(chosen.get(PRIMARY, self.primary.key))
        return replace(varied, code=self.code, chosen=dict(chosen))

    def doubts(self, submission: Any, items: Items) -> list[str]:
        """What of a submission is allowed but probably a mistake, from public facts alone; see `Format.doubts`."""
        found = list(self.format.doubts(submission, items))
        if found or not isinstance(submission, Answers) or len(items) < FEWEST:
            return found
        for name, answer in self.trivial.items():
            values = answer(items).columns
            if all(np.array_equal(values.get(column), given) for column, given in submission.columns.items()):
                return [f"the answers are those of the trivial baseline “{name}”. {RIGHT_FILE}"]
        return []

    def split_levels(self, labels: Any, values: Mapping[str, str]) -> dict[str, list[str]]:
        """The levels whose rows have several of these values, `level -> values`; empty for a task without levels."""
        found: dict[str, set[str]] = {}
        for row, level in self.units(labels).of.items() if self.declaration.get(LEVEL) else ():
            if row in values:
                found.setdefault(level, set()).add(values[row])
        return {level: sorted(own) for level, own in found.items() if len(own) > 1}

    def __deepcopy__(self, memo: Any) -> Task:
        return self  # as a tuple: nothing of it changes

    def part(self, score: Score, counts: Mapping[str, Any]) -> Any:
        """The part of the counts that a score takes."""
        return counts[score.of] if score.of else next(iter(counts.values()))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The numbers in `scores.json`, in order: the scores, then the ends of the primary score's interval."""
        key, title, direction, *_ = self.primary
        ends = [
            Column(
                key + end,
                f"{title} {word} (95 %)",
                direction,
                self.primary.precision,
                f"{side} end of the 95 % confidence interval",
            )
            for end, word, side in zip(ENDS, ("from", "to"), ("lower", "upper"))
        ]
        return (
            *(
                Column(each.key, each.heading, each.direction, each.precision, each.description)
                for each in self.scores
            ),
            *ends,
        )


ENDS = ("_low", "_high")
"""The suffixes of a score's key in the keys of its interval's ends."""
