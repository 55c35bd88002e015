"""The organiser's options, in `options.json` next to a program, and how they apply to a reference.

The labels of a reference are treated as hidden unless its fingerprint is among those that the organiser declared
public. So a program without its options, or with an unknown reference, reveals nothing about single labels.

**Feedback on hidden labels**: scores on a coarse grid, so that labels cannot be inferred from them.

An exact score answers a question about the labels, and participants may submit every day. On a grid of about one
standard error, honest systems are still ranked, but a single changed answer, and most crafted submissions, have no
visible effect. The step of each score is fixed when the bundle is built and is the same for all submissions, so the
step itself reveals nothing. Steps of further scores are four times as large. A score without an upper bound has steps
of about 25 %, because a fixed step is small beside a large score. Only scores with a step are written; other scores
cannot leak. No interval is written: the submission's own would reveal as much again as its score, and another one would
not be true.

A grid alone does not stop random answers: the sum of many coarse scores reveals nearly as much as exact scores. For
this reason there is a floor, the scores of the best among the baseline and the trivial baselines. A submission that is
not better is shown with the scores of the floor (`SetFeedback`). Random answers are worse, so they reveal nothing:
only a system that is better than the floor gets scores of its own.

Source: Blum and Hardt, The Ladder: a reliable leaderboard for machine learning competitions (arXiv 1502.04585), for
feedback below the standard error. docs/explanation/leaderboard.md in the repository: what a board still reveals.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Callable, Optional, Union

from ..formats.speakers import PLURAL
from ..task import HIGHER, PRIMARY, Number, Score, Task
from ..version import __version__
from .reference import Reference, items_fingerprint

EXACT, COARSE = "exact", "coarse"


def choose_step(standard_error: float) -> float:
    """The step for a standard error: 1, 2 or 5 times a power of ten, whichever is nearest in ratio.

    Raises
    ------
    ValueError
        The standard error is not above 0.
    """
    if not 0 < standard_error < math.inf:
        raise ValueError(f"a standard error is {standard_error!r}; expected a number above 0")
    power = math.floor(math.log10(standard_error))
    steps = [factor * 10.0**exponent for exponent in (power, power + 1) for factor in (1, 2, 5)]
    nearest = min(steps, key=lambda step: abs(math.log(step / standard_error)))
    return float(f"{nearest:.0e}")


FURTHER = 4
"""The step of each score after the first, in standard errors."""

RELATIVE = "25 %"
"""The step of a score without an upper bound."""

Step = Union[float, str]
"""A step in the unit of the score, or `RELATIVE`."""

_PREFERRED = (1.0, 1.25, 1.6, 2.0, 2.5, 3.15, 4.0, 5.0, 6.3, 8.0)
"""The preferred numbers of ISO 3, series R10: each is about 25 % larger than the one before."""


def on_grid(value: Number, step: Step) -> float:
    """Round a value to the nearest multiple of a step, without the rounding error of binary fractions.

    With the step `RELATIVE`, to the preferred number that is nearest in ratio; to 0 if the value is not above 0.
    """
    if isinstance(step, str):
        if value <= 0:
            return 0.0
        power, place = divmod(round(10 * math.log10(value)), 10)
        return float(f"{_PREFERRED[place]}e{power}")
    return float(round(round(value / step) * step, -math.floor(math.log10(step))))


def steps_between(first: Number, second: Number, step: Step) -> float:
    """The number of steps between two values on the grid of a step; infinity if only one is 0, with `RELATIVE`."""
    if not isinstance(step, str):
        return round(abs(first - second) / step)
    if not first or not second:
        return 0 if first == second else math.inf
    return round(abs(10 * math.log10(first / second)))


def step_text(step: Step) -> str:
    """A step in a sentence: `0.02`, or `25 %`."""
    return step if isinstance(step, str) else f"{step:g}"


def as_shown(score: Number) -> str:
    """A score in steps as Codabench shows it: 4.0, not 4."""
    return str(float(score))


def coarse_scores(scores: Mapping[str, Number], steps: Mapping[str, Step]) -> dict[str, Number]:
    """Round the scores that have a step to the grid. Others are left out, and so are the ends of intervals."""
    return {key: on_grid(value, steps[key]) for key, value in scores.items() if key in steps}


@dataclass(frozen=True)
class SetFeedback:
    """Coarse feedback on one set.

    Attributes
    ----------
    steps
        The steps of the scores to show, `key -> step`.
    floor
        The scores to show for a submission that is not better; None if they are not known.
    trivial
        The primary scores of the trivial baselines, `baseline -> score`.
    best
        The trivial baseline whose score is the floor; empty if it is that of the baseline.
    broken
        What a submission does that a rule excludes, such as `breaks 50 % rule`; empty without a rule. It is shown with
        the scores of the floor, too: otherwise its line would reveal a fact about the labels without a good system.
    """

    steps: Mapping[str, Step]
    floor: Optional[Mapping[str, Number]] = None
    trivial: Mapping[str, Number] = field(default_factory=dict)
    best: str = ""
    broken: str = ""

    def shown(self, scores: Mapping[str, Number], primary: Score) -> dict[str, Number]:
        """The scores on a leaderboard: rounded to steps, and those of the floor if the primary score is not better."""
        line = coarse_scores(scores, self.steps)
        least = coarse_scores(self.floor or {}, self.steps)
        return least if self._at_floor(line, primary.key, primary.direction) else line

    def bound(self, line: Mapping[str, Number], key: str, direction: str) -> str:
        """What the primary score on a leaderboard says of a submission that is not better than the floor.

        Parameters
        ----------
        line
            The scores that the leaderboard shows.
        key, direction
            The primary score, and whether `higher` or `lower` is better.

        Returns
        -------
        `≤ baseline` or `≤ trivial baseline`; with `≥` where lower is better. With a rule that excludes submissions,
        `≤ baseline or breaks 50 % rule`. Empty for a submission that is better than the floor.
        """
        if not self._at_floor(line, key, direction):
            return ""
        worse = f"{'≤' if direction == HIGHER else '≥'} {'trivial ' if self.best else ''}baseline"
        return f"{worse} or {self.broken}" if self.broken else worse

    @property
    def best_system(self) -> str:
        """The system whose scores are the floor."""
        return f"the trivial baseline “{self.best}”" if self.best else "the baseline"

    def _at_floor(self, line: Mapping[str, Number], key: str, direction: str) -> bool:
        if not all(key in scores for scores in (line, self.steps, self.floor or {})):
            return False
        above = line[key] - coarse_scores(self.floor or {}, self.steps)[key]
        return (above if direction == HIGHER else -above) <= 0


def describe_line(line: Mapping[str, Number], feedback: SetFeedback, primary: Score) -> str:
    """What a leaderboard on hidden labels shows of the primary score, and what the number is.

    Parameters
    ----------
    line
        The scores that the leaderboard shows.
    """
    number, step = as_shown(line[primary.key]), step_text(feedback.steps[primary.key])
    bound = feedback.bound(line, primary.key, primary.direction)
    if not bound:
        return f"{primary.heading} {number}, shown in steps of {step}."
    return (
        f"{primary.heading} {number}, which means {bound}: it is the score of {feedback.best_system}, shown "
        f"in steps of {step} for every submission that is not better{f' or {feedback.broken}' * bool(feedback.broken)}."
    )


SIGNATURE_FILE = "signature.txt"


@dataclass(frozen=True)
class Signature:
    """Everything that determines a result, besides the submission.

    With a fingerprint of hidden labels, or of the items in a part, participants could check guesses. So for hidden
    labels a signature contains the fingerprint of all items of the set, and the name of the part.

    Attributes
    ----------
    task
        The name of the task.
    options
        The options of the task, each as `option:value`, sorted.
    coarse
        Whether the leaderboard shows scores in steps, because the labels are hidden.
    reference
        The first digits of the labels' fingerprint, if the labels are public. It is computed from the labels as the
        task reads them, in the order of ids: the order of rows, line ends and unused columns do not change it.
    items
        The first digits of the items' fingerprint, if the labels are hidden.
    part
        The scored part of a set with a sealed part.
    version
        The version of this package.
    """

    task: str
    options: tuple[str, ...] = ()
    coarse: bool = False
    reference: str = ""
    items: str = ""
    part: str = ""
    version: str = __version__

    def __str__(self) -> str:
        values = (COARSE * self.coarse, self.reference, self.items, self.part, self.version)
        named = (f"{key}{value}" for key, value in zip(_KNOWN, values) if value)
        return "|".join([self.task, *self.options, *named])

    @property
    def code(self) -> str:
        """The first digits of the hash of an organiser's own task in Python; empty for all other tasks."""
        return next((option[len(CODE) :] for option in self.options if option.startswith(CODE)), "")

    def ranked(self, task: Task) -> Task:
        """The task with the primary score that the signature names, if it names another one that the task has."""
        named = {f"{PRIMARY}:{key}": key for key in task.primaries}
        return task.ranked_by(next((named[each] for each in self.options if each in named), task.primary.key))

    @classmethod
    def parse(cls, text: str) -> Signature:
        """Parse the line of a signature. Parts with an unknown name count as options."""
        task, *parts = text.split("|")
        known = {key: part[len(key) :] for part in parts for key in _KNOWN if part.startswith(key)}
        options = tuple(part for part in parts if not part.startswith(_KNOWN))
        feedback, *others = (known.get(key, "") for key in _KNOWN)
        return cls(task, options, feedback == COARSE, *others)


CODE = "code:"
"""The beginning of the option with the `code` of an organiser's own task."""

_KNOWN = ("feedback:", "reference:", "items:", "part:", "spokeneval:")
"""The beginnings of the parts after the options, in their order."""


OPTIONS_FILE = "options.json"


@dataclass(frozen=True)
class About:
    """What a report page says about a set.

    Attributes
    ----------
    set
        The name of the set; empty if it is not known.
    phases
        The names of the phases that use it.
    baseline_without
        The baseline's primary score without each unit of the set, in the order of the units, to compare a submission
        with it; only for public labels.
    """

    set: str = ""
    phases: Sequence[str] = ()
    baseline_without: Sequence[float] = ()


@dataclass(frozen=True)
class Options:
    """The content of `options.json`.

    Attributes
    ----------
    options
        The options of the task, `option -> value`. Options that are not given have their defaults.
    public_references
        The fingerprints of the references whose labels participants have.
    feedback
        How the leaderboard shows scores on hidden labels, `EXACT` or `COARSE`.
    sets
        The feedback on each set, by the fingerprint of a public reference, or of the items of a hidden set.
    detailed_results
        Whether `detailed_results.html` is written.
    baselines
        The baseline's scores on each public reference, by the reference's fingerprint.
    decimals
        The number of decimals of the leaderboard's columns, `key -> decimals`.
    competition
        The title of the competition.
    about
        What the page says about each set, by the same fingerprints as in `sets`.
    received
        Whether the leaderboard has the single column `received`, because the labels of a hidden set stay at home.
    other_files
        The files of submissions to the other tasks of the challenge, which a submission may have, too.
    code
        If submissions are programs, what they can import: `image` or `own`; else empty.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    public_references: Sequence[str] = field(default_factory=list)
    feedback: str = EXACT
    sets: Mapping[str, SetFeedback] = field(default_factory=dict)
    detailed_results: bool = False
    baselines: Mapping[str, Mapping[str, Number]] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    competition: str = ""
    about: Mapping[str, About] = field(default_factory=dict)
    received: bool = False
    other_files: Sequence[str] = field(default_factory=list)
    code: str = ""

    @classmethod
    def load(cls, content: Any) -> Options:
        """The options in the parsed content of a file.

        Raises
        ------
        ValueError
            The content is not valid.
        """
        if not isinstance(content, dict):
            raise ValueError(f"{OPTIONS_FILE}: expected an object")
        for key in sorted(content):
            if key not in KEYS:
                raise ValueError(f"{OPTIONS_FILE}: unknown key {key}")
            if not isinstance(content[key], KEYS[key]):
                raise ValueError(f"{OPTIONS_FILE}: {key} is {content[key]!r:.100}")
        try:
            sets = {of: _read_feedback(feedback) for of, feedback in content.get("sets", {}).items()}
        except (AttributeError, TypeError, ValueError):
            raise ValueError(f"{OPTIONS_FILE}: sets: expected steps, floor, trivial and best") from None
        try:
            about = {of: About(**known) for of, known in content.get("about", {}).items()}
        except TypeError:
            raise ValueError(f"{OPTIONS_FILE}: about: expected set, phases and baseline_without") from None
        return cls(**{**content, "sets": sets, "about": about})

    def dump(self, *keys: str) -> bytes:
        """The content of the file as JSON, or only some keys. Keys that would have no effect are left out."""
        unused = () if self.detailed_results else _ON_PAGES
        unused = (*unused, *(key for key in _IF_SET if not getattr(self, key)))
        needed = [key for key in keys or KEYS if key not in unused]
        content = {key: value for key, value in asdict(self).items() if key in needed}
        return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()

    def vary(self, task: Task) -> Task:
        """A task with the options applied.

        Raises
        ------
        ValueError
            The task does not have one of the options or values.
        """
        return task.with_options(choose_options(task, self.options))

    def settings(self, task: Task, reference: Reference) -> Settings:
        """The options as they apply to a reference.

        Raises
        ------
        ValueError
            The task does not have one of the options or values.
        """
        chosen = choose_options(task, self.options)
        labels, ids = reference.fingerprint, items_fingerprint(reference.items.ids)
        public, coarse = labels in self.public_references, self.feedback != EXACT
        key = labels if public else ids
        feedback = self.sets.get(key) or SetFeedback(self._largest_steps())
        if public:
            signature = sign_public(task, chosen, reference)
        else:
            options = _signed(task, chosen)
            signature = Signature(task.name, options, coarse, items=ids[:_DIGITS], part=reference.part)
        return Settings(
            chosen,
            public,
            signature,
            feedback if coarse else SetFeedback({}, None, feedback.trivial),
            self.baselines.get(labels, {}) if public else {},
            self.decimals,
            self.competition,
            self.about.get(key, About()),
        )

    def feedback_on(self, items: str) -> Optional[SetFeedback]:
        """The feedback on the set whose items' fingerprint begins with these digits of a signature; None if unknown."""
        return next((known for of, known in self.sets.items() if items and of.startswith(items)), None)

    def _largest_steps(self) -> dict[str, Step]:
        """The largest step of each score in any set, for sets that are not in the bundle."""
        largest: dict[str, Step] = {}
        for feedback in self.sets.values():
            for key, step in feedback.steps.items():
                largest[key] = max(step, largest.get(key, step), key=lambda each: (each == RELATIVE, each))
        return largest


def _read_feedback(content: Any) -> SetFeedback:
    """The feedback on a set in parsed content; any error is of the kinds that `Options.load` reports."""
    read = SetFeedback(**content)
    fixed = {key: step for key, step in read.steps.items() if step != RELATIVE}
    for numbers in (fixed, read.floor or {}, read.trivial):
        math.fsum(numbers.values())  # type: ignore[arg-type] # fails unless all are numbers
    return read


KEYS: Mapping[str, type] = {key: type(value) for key, value in asdict(Options()).items()}
"""The keys of `options.json`, with their types in JSON."""

_IF_SET = ("received", "other_files", "code")
"""The keys that are written only if they are set."""

_ON_PAGES = ("baselines", "decimals", "competition", "about")
"""The keys that only report pages need."""

LONGEST_PARAMETER = 60
"""A parameter of a declared task with more characters is in the signature as a hash."""

_DIGITS = 12
"""The number of a fingerprint's digits in a signature."""


@dataclass(frozen=True)
class Settings:
    """The organiser's options as they apply to one reference.

    Attributes
    ----------
    chosen
        The value of each option of the task, `option -> value`.
    labels_public
        Whether participants have the labels of this reference, as for a development set.
    signed
        The signature of the results, or a function that returns it: it needs the fingerprint of all labels.
    feedback
        With coarse feedback, that on this set; otherwise, only the scores of the trivial baselines.
    baseline
        The baseline's scores on this reference, if its labels are public; empty if the scores are not known.
    decimals
        The number of decimals of the leaderboard's columns, `key -> decimals`.
    competition
        The title of the competition; empty if it is not known.
    about
        What the page says about the set.
    """

    chosen: Mapping[str, str]
    labels_public: bool
    signed: Union[Signature, Callable[[], Signature]]
    feedback: SetFeedback = field(default_factory=lambda: SetFeedback({}))
    baseline: Mapping[str, Number] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    competition: str = ""
    about: About = field(default_factory=About)

    def __getitem__(self, option: str) -> str:
        return self.chosen[option]

    @cached_property
    def signature(self) -> Signature:
        """The signature of the results."""
        return self.signed if isinstance(self.signed, Signature) else self.signed()

    @property
    def coarse(self) -> bool:
        """Whether the scores are written in steps, because the labels are hidden."""
        return self.signature.coarse


def read_options(path: Path) -> Options:
    """Read the options in a file; the defaults if there is no file.

    Raises
    ------
    ValueError
        The content is not valid.
    """
    return Options.load(json.loads(path.read_bytes())) if path.exists() else Options()


def choose_options(task: Task, chosen: Mapping[str, str]) -> dict[str, str]:
    """The value of each option of a task: the chosen value, or the default; `primary` only if it is chosen.

    Raises
    ------
    ValueError
        The task does not have one of the options or values.
    TypeError
        The options are not a mapping.
    """
    allowed = task.choices
    if not isinstance(chosen, Mapping):
        known = ", ".join(allowed) or "but this task has none"
        raise TypeError(f"the options are {chosen!r:.60}; expected a mapping from options, {known}")
    for option, value in chosen.items():
        if option not in allowed:
            known = f"expected one of {', '.join(allowed)}" if allowed else f"{task.name} has no options"
            raise ValueError(f"unknown option {option!r}; {known}")
        if value not in allowed[option]:
            raise ValueError(f"{option} is {value!r}; expected one of {', '.join(allowed[option])}")
    return {**{option.name: option.values[0] for option in task.options}, **chosen}


def sign_public(
    task: Task, chosen: Mapping[str, str], reference: Reference, own: tuple[str, ...] = ()
) -> Signature:
    """The signature of results on public labels; `own`: options of this result beside those of the task."""
    digits = reference.label_fingerprint(task.format)[:_DIGITS]
    return Signature(task.name, (*_signed(task, chosen), *own), reference=digits)


def _signed(task: Task, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """The parts of a signature for a task's options, and for an organiser's own task: its declaration or its code."""
    declared = {key: value for key, value in task.declaration.items() if key not in ("title", PLURAL)}
    options = [f"{option}:{value}" for option, value in sorted(chosen.items())]
    options += [f"{key}:{_compact(value)}" for key, value in declared.items()]
    return (*options, *([f"{CODE}{task.code}"] if task.code else []))


def _compact(value: Any) -> str:
    """A parameter in a signature: the value itself if it is short, else the first digits of its SHA-256."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(text) <= LONGEST_PARAMETER and "|" not in text and text.isprintable():
        return text
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:_DIGITS]
