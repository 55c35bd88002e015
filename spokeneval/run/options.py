"""The organiser's options, in `options.json` next to a program, and how they apply to a reference.

The labels of a reference are treated as hidden unless its fingerprint is among those that the organiser declared
public. So a program without its options, or with an unknown reference, reveals nothing about single labels.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Optional

from ..formats.speakers import PLURAL
from ..task import Number, Task
from .feedback import EXACT, SetFeedback
from .reference import Reference, items_fingerprint
from .signature import CODE, Signature

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
        labels = reference.fingerprint
        public = labels in self.public_references
        ids = items_fingerprint(reference.items.ids)
        known = self.sets.get(labels if public else ids)
        feedback = known or SetFeedback(self._largest_steps())
        coarse = self.feedback != EXACT
        return Settings(
            chosen,
            public,
            sign_public(task, chosen, reference)
            if public
            else Signature(
                task.name, _signed(task, chosen), coarse, items=ids[:_DIGITS], part=reference.part
            ),
            feedback if coarse else SetFeedback({}, None, feedback.trivial),
            self.baselines.get(labels, {}) if public else {},
            self.decimals,
            self.competition,
            self.about.get(labels if public else ids, About()),
        )

    def feedback_on(self, items: str) -> Optional[SetFeedback]:
        """The feedback on the set whose items' fingerprint begins with these digits of a signature; None if unknown."""
        return next((known for of, known in self.sets.items() if items and of.startswith(items)), None)

    def _largest_steps(self) -> dict[str, float]:
        """The largest step of each score in any set, for sets that are not in the bundle."""
        largest: dict[str, float] = {}
        for feedback in self.sets.values():
            largest.update({key: max(step, largest.get(key, 0)) for key, step in feedback.steps.items()})
        return largest


def _read_feedback(content: Any) -> SetFeedback:
    """The feedback on a set in parsed content; any error is of the kinds that `Options.load` reports."""
    read = SetFeedback(**content)
    for scores in (read.steps, read.floor or {}, read.trivial):
        math.fsum(scores.values())  # fails unless all are numbers
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
    signature
        The signature of the results.
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
    signature: Signature
    feedback: SetFeedback = field(default_factory=lambda: SetFeedback({}))
    baseline: Mapping[str, Number] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)
    competition: str = ""
    about: About = field(default_factory=About)

    def __getitem__(self, option: str) -> str:
        return self.chosen[option]

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
    """The value of each option of a task: the chosen value, or the default.

    Raises
    ------
    ValueError
        The task does not have one of the options or values.
    TypeError
        The options are not a mapping.
    """
    allowed = {option.name: option.values for option in task.options}
    if not isinstance(chosen, Mapping):
        known = ", ".join(allowed) or "but this task has none"
        raise TypeError(f"the options are {chosen!r:.60}; expected a mapping from options, {known}")
    for option, value in chosen.items():
        if option not in allowed:
            known = f"expected one of {', '.join(allowed)}" if allowed else f"{task.name} has no options"
            raise ValueError(f"unknown option {option!r}; {known}")
        if value not in allowed[option]:
            raise ValueError(f"{option} is {value!r}; expected one of {', '.join(allowed[option])}")
    return {**{option: values[0] for option, values in allowed.items()}, **chosen}


def sign_public(task: Task, chosen: Mapping[str, str], reference: Reference) -> Signature:
    """The signature of results on public labels."""
    digits = reference.label_fingerprint(task.format)[:_DIGITS]
    return Signature(task.name, _signed(task, chosen), reference=digits)


def _signed(task: Task, chosen: Mapping[str, str]) -> tuple[str, ...]:
    """The parts of a signature for a task's options, and for an organiser's own task: its declaration or its code."""
    options = [f"{option}:{value}" for option, value in sorted(chosen.items())]
    return (
        *options,
        *(
            f"{key}:{_compact(value)}"
            for key, value in task.declaration.items()
            if key not in ("title", PLURAL)
        ),
        *([f"{CODE}{task.code}"] if task.code else []),
    )


def _compact(value: Any) -> str:
    """A parameter in a signature: the value itself if it is short, else the first digits of its SHA-256."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if len(text) <= LONGEST_PARAMETER and "|" not in text and text.isprintable():
        return text
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:_DIGITS]
