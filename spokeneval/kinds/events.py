"""Events: what happens when, such as sounds, wake words or search terms. Primary score: event F1, higher is better.

`formats.events` documents the files, `metrics.event_detection` the scores and how detections are matched with events.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from ..formats.events import EVENTS_CSV, DetectedEvents, events_format, read_reference
from ..formats.format import Format, Items
from ..formats.labelled_turns import END, LABEL, START, TurnFiles
from ..formats.problems import Problems, ReferenceFileError
from ..formats.speakers import Units, choose_units
from ..formats.turns import EVER, NO_TURNS, RecordingEvents, RecordingTurns, TurnReference
from ..metrics import event_detection as metrics
from ..metrics.event_detection import MIDPOINT, ONSET, ONSET_OFFSET, EventCounts, MatchRule
from ..metrics.shares import interval_of_fitted
from ..task import HIGHER, LOWER, Score
from ..trivial import MOST_TRIVIAL
from .kind import (
    Kind,
    ParameterError,
    class_names,
    finite_number,
    id_parameter,
    is_number,
    item_parameter,
    milliseconds,
    one_of,
    parameter,
    unit_columns,
    unit_parameter,
)

OFFSET = 200
"""The default of `offset`, in thousandths."""


def _thousandths(value: Any) -> int:
    if not is_number(value) or not 0 <= value <= 1 or round(1000 * value) != round(1000 * value, 6):
        raise ValueError(f"{value!r}; expected a share from 0 to 1 with three decimals at most, such as 0.2")
    thousandths: int = round(1000 * value)
    return thousandths


def _positive(value: Any) -> float:
    if not is_number(value) or not 0 < value <= 1e6:
        raise ValueError(f"{value!r}; expected a number above 0, at most a million")
    return float(value)


def _segment(value: Any) -> int:
    length = milliseconds(value)
    if not length:
        raise ValueError(f"{value!r}; expected more than 0 seconds")
    return length


class Matched(NamedTuple):
    """A recording's evaluated events, and its detections with the event that each is matched with, or -1."""

    events: RecordingTurns
    detections: RecordingEvents
    partner: np.ndarray


@dataclass(frozen=True)
class EventsKind(Kind):
    """A task that asks which events happen when."""

    # fmt: off
    classes: tuple[str, ...] = parameter(
        "The labels, one or more, in the order of tables: kinds of sounds, wake words or search terms.",
        partial(class_names, fewest=1), ["doorbell", "speech"])
    match: str = parameter(
        f"Which detections can be matched with an event of their label. {ONSET_OFFSET}: starts and ends agree. "
        f"{ONSET}: starts agree, as for wake words. {MIDPOINT}: the middle of the detection is within the event, as "
        "for search terms in NIST's F4DE, with a collar of 0.5 s. Each event is matched with one detection at most.",
        one_of(ONSET_OFFSET, ONSET, MIDPOINT), ONSET, ONSET_OFFSET)
    collar: int = parameter(
        "Seconds by which the times may differ.", milliseconds, 0.2, 0.2)
    offset: int = parameter(
        f"With match {ONSET_OFFSET}: the share of an event's length by which the ends may differ, if this is more than "
        "the collar.", _thousandths, OFFSET / 1000, OFFSET / 1000)
    threshold: float = parameter(
        "The lowest score of detections that count in F1, precision, recall and ATWV.", finite_number, 0.5, 0.5)
    rate: float = parameter(
        "False alarms an hour of evaluated time, at which the miss rate is given.", _positive, 1, 1)
    beta: float = parameter(
        "The weight of false alarms in the term-weighted value; NIST's by default.", _positive, metrics.BETA,
        metrics.BETA)
    segment: int = parameter("Seconds of a segment in segment F1.", _segment, 1, 1)
    id: str = id_parameter("The column that names a recording, in the reference and in submissions.", "recording")
    item: str = item_parameter("recording", "recording")
    unit: str = unit_parameter()
    # fmt: on

    name = "events"
    description = "which events happen when, such as sounds, wake words or search terms, each with a score"
    opening = "Find the events in each {item}: when each happens, and what it is."
    every_item = False
    group_note = (
        "The miss rate of a group is at the best of the thresholds that are counted for the whole set: at another one, "
        "it may be lower."
    )
    shared_scale = False  # further thresholds depend on each system's own scores

    def __post_init__(self) -> None:
        if self.offset != OFFSET and self.match != ONSET_OFFSET:
            raise ParameterError(
                "offset", f"match {self.match} compares no ends; expected match {ONSET_OFFSET}"
            )
        for name, column in (("id", self.id), ("unit", self.unit)):
            if column in {START, END, LABEL, "score", *([self.id] if name == "unit" else [])}:
                raise ParameterError(name, f"{column!r} is the name of another column")

    @property
    def files(self) -> TurnFiles:
        return TurnFiles(self.id, self.classes, **unit_columns(self.unit), file=EVENTS_CSV)

    def format(self) -> Format:
        return events_format(self.files)._replace(read_reference=self.read_reference)

    def read_reference(self, files: Any) -> TurnReference:
        """Read the reference, and check that it has evaluated events of each class, fewer than seconds."""
        reference = read_reference(self.files, files)
        problems = Problems(ReferenceFileError)
        counts = self.count(reference, DetectedEvents([_none()] * len(reference.items)))["events"]
        seconds = int(counts.milliseconds.sum()) / 1000
        for label, number in zip(self.classes, counts.events.sum(axis=0).tolist()):
            if not 0 < number < seconds:
                expected = (
                    f"fewer than one a second, {seconds:g}"
                    if number
                    else "one or more, or leave out the class"
                )
                message = f"{number} evaluated events of class {label!r}; expected {expected}"
                problems.add("no_events", EVENTS_CSV, message)
        problems.raise_if_any()
        return reference

    def label_names(self) -> Sequence[str]:
        return self.classes

    def units_of(self, reference: TurnReference) -> Units:
        return choose_units(reference.items.ids, self.item, **{self.unit: reference.units})

    def matched(self, reference: TurnReference, submission: DetectedEvents) -> list[Matched]:
        """Match the detections of each recording whose starts are in its regions."""
        rule, found = MatchRule(self.match, self.collar, self.offset), []
        for events, detections, regions in zip(reference.turns, submission.events, reference.regions):
            events = RecordingTurns(*(column[_inside(events.spans, regions)] for column in events))
            detections = RecordingEvents(
                *(column[_inside(detections.spans, regions)] for column in detections)
            )
            partner = np.full(len(detections.labels), -1)
            for label in np.unique(detections.labels).tolist():
                ours, theirs = (np.flatnonzero(side.labels == label) for side in (events, detections))
                pairs = metrics.matches(
                    events.spans[ours], detections.spans[theirs], detections.scores[theirs], rule
                )
                partner[theirs[pairs >= 0]] = ours[pairs[pairs >= 0]]
            found.append(Matched(events, detections, partner))
        return found

    def count(self, reference: TurnReference, submission: DetectedEvents) -> dict[str, Any]:
        """Count one row for each recording."""
        matched = self.matched(reference, submission)
        time = np.array([int(np.diff(regions).sum()) for regions in reference.regions])
        number = len(self.classes)
        events = np.array([np.bincount(each.events.labels, minlength=number) for each in matched])
        labels, scores = (
            np.concatenate([getattr(each.detections, field) for each in matched])
            for field in ("labels", "scores")
        )
        hit = np.concatenate([each.partner for each in matched]) >= 0
        row = np.repeat(np.arange(len(matched)), [len(each.partner) for each in matched])
        thresholds = metrics.useful_thresholds(
            labels, scores, hit, events.sum(axis=0), time, rate=self.rate, beta=self.beta
        )
        cell = row * number + labels
        accepted = [
            [
                np.bincount(cell[kept], minlength=len(matched) * number).reshape(-1, number)
                for kept in (chosen & hit, chosen)
            ]
            for chosen in (scores >= threshold for threshold in (self.threshold, *thresholds))
        ]
        hits, detections = (np.stack(side, axis=-1) for side in zip(*accepted))
        return {
            "events": EventCounts(hits, detections, events, time),
            "segments": self._segments(reference, submission, time),
        }

    def _segments(
        self, reference: TurnReference, submission: DetectedEvents, time: np.ndarray
    ) -> EventCounts:
        number = len(self.classes)
        counts = np.zeros((3, len(time), number), dtype=np.int64)
        for row, (events, detections) in enumerate(zip(reference.turns, submission.events)):
            accepted = detections.scores >= self.threshold
            sides = (events[:2], (detections.spans[accepted], detections.labels[accepted]))
            for start, end in reference.regions[row].tolist():
                real, claimed = (
                    metrics.active_segments(*side, number, start, end, self.segment) for side in sides
                )
                counts[:, row] += [part.sum(axis=1) for part in (real & claimed, claimed, real)]
        return EventCounts(counts[0, ..., np.newaxis], counts[1, ..., np.newaxis], counts[2], time)

    def all_scores(self) -> tuple[Score, ...]:
        return _scores(self)

    def right(self, rows: Mapping[str, Any]) -> Any:
        events = rows["events"]
        hits, detections = events.hits[..., 0].sum(axis=-1), events.detections[..., 0].sum(axis=-1)
        either = detections + events.events.sum(axis=-1)
        return np.where(either > 0, 2 * hits / np.maximum(either, 1), 1.0)

    def labels(self, reference: TurnReference) -> list[str]:
        return [reference.names[label] for _, labels in reference.turns for label in labels.tolist()]

    def trivial(self) -> dict[str, Callable[[Items], DetectedEvents]]:
        def throughout(items: Items, number: int) -> DetectedEvents:
            return DetectedEvents(
                [RecordingEvents(EVER, np.array([number]), np.array([self.threshold]))] * len(items)
            )

        classes = enumerate(self.classes if len(self.classes) <= MOST_TRIVIAL else ())
        return {
            "no events": lambda items: DetectedEvents([_none()] * len(items)),
            **{f"{label} throughout": partial(throughout, number=number) for number, label in classes},
        }

    def partly_right(self, reference: TurnReference, right: np.ndarray) -> DetectedEvents:
        """A submission with the events of the chosen recordings, and no events in the others."""
        return DetectedEvents(
            [
                RecordingEvents(*events, np.full(len(events.labels), self.threshold)) if chosen else _none()
                for events, chosen in zip(reference.turns, right)
            ]
        )


def _none() -> RecordingEvents:
    return RecordingEvents(*NO_TURNS, np.zeros(0))


def _inside(spans: np.ndarray, regions: np.ndarray) -> np.ndarray:
    """Return which spans start in a region."""
    regions = np.sort(regions, axis=0)
    place = np.searchsorted(regions[:, 0], spans[:, 0], side="right") - 1
    return np.asarray((place >= 0) & (spans[:, 0] < regions[place, 1]))


# fmt: off
def _scores(kind: EventsKind) -> tuple[Score, ...]:
    rate, beta = kind.rate, kind.beta
    at, accepted = f"{rate:g} false alarm{'s' * (rate != 1)} an hour", f"with scores of {kind.threshold:g} or more"
    miss_rate = partial(metrics.miss_rate_at, rate=rate)
    several = kind.classes if len(kind.classes) > 1 else ()
    return (
        Score("event_f1", "Event F1", HIGHER, metrics.mean_f1,
              f"mean over labels of the harmonic mean of precision and recall, of detections {accepted}", of="events",
              percent=True, best=100),
        Score("precision", "Precision", HIGHER, metrics.precision,
              f"share of all detections {accepted} that are matched with an event", of="events", percent=True),
        Score("recall", "Recall", HIGHER, metrics.recall,
              f"share of all events that are matched with a detection {accepted}", of="events", percent=True),
        Score("miss_rate", f"Miss rate at {rate:g} FA/h", LOWER, miss_rate,
              f"share of all events that are missed at the best threshold with {at} at most, of all labels together",
              of="events", percent=True, best=0, interval=partial(interval_of_fitted, formula=miss_rate)),
        Score("atwv", "ATWV", HIGHER, partial(metrics.actual_value, beta=beta),
              f"actual term-weighted value of detections {accepted}, with beta {beta:g}; 0 without detections",
              of="events", bounds=(-np.inf, 1.0), best=1),
        Score("mtwv", "MTWV", HIGHER, partial(metrics.maximum_value, beta=beta),
              f"maximum term-weighted value at one threshold for all labels, with beta {beta:g}", of="events", best=1,
              interval=partial(metrics.maximum_value_interval, beta=beta)),
        Score("segment_f1", "Segment F1", HIGHER, metrics.mean_f1,
              f"mean over labels of F1 of segments of {kind.segment / 1000:g} s, of detections {accepted}",
              of="segments", percent=True, best=100),
        *(
            Score(f"f1_{n + 1}", f"F1 {label}", HIGHER, partial(metrics.label_f1, number=n),
                  f"event F1 of {label}", of="events", percent=True)
            for n, label in enumerate(several)
        ),
    )
# fmt: on
