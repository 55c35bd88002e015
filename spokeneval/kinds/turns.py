"""Turns: which speaker, language or other label is active when. Primary score: DER in percent, lower is better.

`formats.labelled_turns` documents the files, `metrics.diarization` the scores. Labels either mean themselves, such as
languages, or name speakers that a system cannot know; then a system's labels are mapped one to one, in each recording.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, Optional

import numpy as np

from ..formats.format import Format, Items
from ..formats.labelled_turns import (
    END,
    LABEL,
    START,
    TURNS_CSV,
    TurnFiles,
    doubts,
    read_reference,
    turns_format,
)
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import Units, choose_units
from ..formats.turns import EVER, LEAST_SHARE, NO_TURNS, RecordingTurns, Submission, TurnReference
from ..metrics import diarization as metrics
from ..metrics import sweeps
from ..task import LOWER, POSITIVE, Score
from ..trivial import MOST_TRIVIAL
from .kind import (
    MISSED,
    Kind,
    ParameterError,
    class_names,
    id_parameter,
    item_parameter,
    milliseconds,
    missing_parameter,
    one_of,
    parameter,
    unit_columns,
    unit_parameter,
)

ANY, NONE, OPTIMAL, SCORED, SKIPPED = "any", "none", "optimal", "scored", "skipped"


def always(names: Sequence[str], number: Optional[int] = None) -> Callable[[Items], Submission]:
    """Return a trivial baseline: in each recording one label throughout, or no turns."""
    turns = NO_TURNS if number is None else RecordingTurns(EVER, np.array([number]))
    return lambda items: Submission(names, (turns,) * len(items))


def read_classes(value: Any) -> tuple[str, ...]:
    """Return labels; none for any."""
    return () if value == ANY else class_names(value)


@dataclass(frozen=True)
class TurnsKind(Kind):
    """A task that asks which labels are active when."""

    # fmt: off
    classes: tuple[str, ...] = parameter(
        f"The labels, two or more, in the order of tables; or {ANY}, for speakers and other open sets.", read_classes,
        ["English", "Hindi"], ANY)
    mapping: str = parameter(
        f"{NONE}: labels are compared as they are. {OPTIMAL}: in each recording a system's labels are mapped one to "
        "one to those of the reference, with the greatest time in common, as for speakers.", one_of(NONE, OPTIMAL),
        NONE, NONE)
    collar: int = parameter(
        "Seconds that are not scored on each side of every start and end in the reference. The collar of pyannote is "
        "the total width, twice this one.", milliseconds, 0.25, 0)
    overlap: str = parameter(
        f"Whether time with two or more labels in the reference is {SCORED} or {SKIPPED}.", one_of(SCORED, SKIPPED),
        SCORED, SCORED)
    missing: str = missing_parameter()
    id: str = id_parameter(
        "The column that names a recording in the reference, if it is a CSV file.", "recording")
    item: str = item_parameter("recording", "recording")
    unit: str = unit_parameter()
    # fmt: on

    name = "turns"
    description = "which speaker, language or other label is active when"
    opening = "Find who or what is active when in each {item}, such as a speaker or a language."
    every_item = False

    def __post_init__(self) -> None:
        if self.classes and self.mapping == OPTIMAL:
            message = f"with mapping {OPTIMAL} a system's labels are its own; expected {ANY}"
            raise ParameterError("classes", message)
        wide = [label for label in self.classes if len(label.split()) != 1]
        if wide:
            raise ParameterError("classes", f"class {wide[0]!r}; expected no blanks, because RTTM has none")
        for name, column in (("id", self.id), ("unit", self.unit)):
            if column in {START, END, LABEL, *([self.id] if name == "unit" else [])}:
                raise ParameterError(name, f"{column!r} is the name of another column")

    @property
    def mapped(self) -> bool:
        """Whether labels are mapped one to one."""
        return self.mapping == OPTIMAL

    @property
    def excluded(self) -> dict[str, Any]:
        """What of the time is not scored: arguments of `overlaps` and `sweep`."""
        return {"collar": self.collar, "skip_overlap": self.overlap == SKIPPED}

    @property
    def files(self) -> TurnFiles:
        return TurnFiles(self.id, self.classes, **unit_columns(self.unit), may_lack=self.missing == MISSED)

    def format(self) -> Format:
        several = bool(self.classes) or self.mapped
        form = turns_format(self.files)
        return form._replace(read_reference=self.read_reference, doubts=partial(doubts, several))

    def read_reference(self, files: Any) -> TurnReference:
        """Read the reference, and check that it has enough scored time, of each class where classes are listed."""
        reference = read_reference(self.files, files)
        counts = self.count(reference, Submission(reference.names, reference.turns))
        problems = Problems(ReferenceFileError)
        scored = int(counts["errors"].reference.sum())
        least = LEAST_SHARE * sum(int(np.diff(regions).sum()) for regions in reference.regions)
        if scored <= least:
            message = f"{scored} ms of scored turns; expected more than {least:.12g} ms"
            problems.add("no_turns", TURNS_CSV, message)
        elif "labels" in counts:
            for label, time in zip(self.classes, counts["labels"].reference.sum(axis=0).tolist()):
                if not time:
                    message = f"no scored time of class {label!r}; expected some of each class"
                    problems.add("no_turns", TURNS_CSV, message)
        problems.raise_if_any()
        return reference

    def label_names(self) -> Sequence[str]:
        return self.classes

    def units_of(self, reference: TurnReference) -> Units:
        return choose_units(reference.items.ids, self.item, **{self.unit: reference.units})

    def count(self, reference: TurnReference, submission: Submission) -> dict[str, Any]:
        """Count one row for each recording."""
        found = [
            metrics.overlaps(recording, **self.excluded)
            for recording in self.recordings(reference, submission)
        ]
        counts: dict[str, Any] = {"errors": metrics.errors_per_recording(found, mapped=self.mapped)}
        if self.classes:
            counts["labels"] = metrics.label_times_per_recording(found, labels=len(self.classes))
        return counts

    def recordings(self, reference: TurnReference, submission: Submission) -> Iterator[sweeps.Recording]:
        """Yield each recording with numbers of labels: those of the classes, or in the order of their names in it.

        Without given regions, a recording is evaluated over the extent of both sides.
        """
        names = dict.fromkeys((*reference.names, *submission.names))
        number = {label: index for index, label in enumerate(names)}
        sides = [np.array([number[label] for label in side.names], int) for side in (reference, submission)]
        for spoken, claimed, regions, excluded in zip(
            reference.turns, submission.turns, reference.regions, reference.excluded
        ):
            labels = [numbers[turns.labels] for numbers, turns in zip(sides, (spoken, claimed))]
            if self.mapped:
                labels = [np.unique(each, return_inverse=True)[1] for each in labels]
            elif not self.classes:
                labels = np.split(np.unique(np.concatenate(labels), return_inverse=True)[1], [len(labels[0])])
            if reference.items.latest is None:
                times = np.append(regions, claimed.spans)
                regions = np.array([[times.min(), times.max()]])
            gold, system = map(sweeps.Turns, (spoken.spans, claimed.spans), labels)
            yield sweeps.Recording(gold, system, regions, excluded)

    def all_scores(self) -> tuple[Score, ...]:
        return _scores(self.classes)

    def right(self, rows: Mapping[str, Any]) -> Any:
        return 1 - np.fmin(np.nan_to_num(metrics.der(rows["errors"])), 1)

    def labels(self, reference: TurnReference) -> list[str]:
        return [reference.names[label] for _, labels in reference.turns for label in labels.tolist()]

    def trivial(self) -> dict[str, Callable[[Items], Submission]]:
        throughout = enumerate(self.classes if len(self.classes) <= MOST_TRIVIAL else ())
        constant = {f"{label} throughout": always(self.classes, number) for number, label in throughout}
        if self.mapped:
            constant = {"one label throughout": always(("label",), 0)}
        return {"no turns": always(()), **constant}

    def partly_right(self, reference: TurnReference, right: np.ndarray) -> Submission:
        """A submission with the turns of the chosen recordings, and no turns in the others."""
        turns = [spoken if chosen else NO_TURNS for spoken, chosen in zip(reference.turns, right)]
        return Submission(reference.names, turns)


# fmt: off
def _scores(classes: tuple[str, ...]) -> tuple[Score, ...]:
    return (
        Score("der", "DER", LOWER, metrics.der,
              "miss, false alarm and confusion over the time of all labels in the reference", of="errors", percent=True,
              bounds=POSITIVE, best=0),
        Score("miss", "Miss", LOWER, metrics.miss, "labelled time in which the system finds no label, or too few",
              of="errors", percent=True),
        Score("false_alarm", "False alarm", LOWER, metrics.false_alarm,
              "time in which the system finds more labels than there are", of="errors", percent=True, bounds=POSITIVE),
        Score("confusion", "Confusion", LOWER, metrics.confusion, "time with one label taken for another",
              of="errors", percent=True),
        Score("jer", "JER", LOWER, metrics.jaccard_error_rate,
              "Jaccard error rate: errors over the time in reference or system, mean over each recording's labels",
              of="errors", percent=True),
        *(
            Score(f"error_{n + 1}", f"{label} error", LOWER, partial(metrics.label_error, label=n),
                  f"share of the time of {label} in which the system does not find it", of="labels", percent=True)
            for n, label in enumerate(classes)
        ),
    )
# fmt: on
