"""Files of events: sounds, wake words or search terms at a time in any number of recordings, in seconds.

Reference:

- `events.csv` with the columns `recording, start, end, label`. An event whose end is empty is a point in time.
- `regions.csv` or `regions.uem`: the evaluated regions of every recording, as for turns (see `labelled_turns`). They
  are required, because rates are per hour. A recording without events has regions only.

An event or a detection is evaluated if its start is in a region. The public list is that of turns.

Submission: `events.csv` with the columns `recording, start, end, label, score`. A higher score means that the event is
more likely. A recording without detections has no row; `doubts` warns of such recordings if they are many.

Times are rounded to whole milliseconds, half to even.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from .format import Format, Items
from .labelled_turns import (
    END,
    LABEL,
    LIST_FILE,
    REGIONS_CSV,
    REGIONS_UEM,
    START,
    TurnFiles,
    check_recordings,
    check_seconds,
    public_files,
    read_either,
    read_items,
    rows,
    units_of_recordings,
)
from .problems import Problems, ReferenceFileError, quote
from .speakers import check_speakers
from .submission_folder import expect_one
from .tables import Layout, Table, csv_text, read_table, real_numbers
from .text import Files, size_limit
from .turns import (
    RecordingEvents,
    RecordingTurns,
    Rows,
    TurnReference,
    read_times,
    reference_of,
    take_reference,
    turns_by_recording,
    unanswered,
)

EVENTS_CSV, SCORE = "events.csv", "score"

MOST_DETECTIONS = 1000
"""Rows of a submission for each recording on average, for the largest size of a file."""


@dataclass(frozen=True)
class DetectedEvents:
    """A participant's detections in each recording, in the order of the items."""

    events: Sequence[RecordingEvents]


def events_format(declared: TurnFiles) -> Format:
    """The format of a task with these files, whose `file` is `EVENTS_CSV`."""
    submission = declared.layouts[0]._replace(optional=(), aliases=None)
    submission = submission._replace(required=(*submission.required, SCORE))
    return Format(
        declared.layouts,
        EVENTS_CSV,
        (LIST_FILE,),
        partial(read_reference, declared),
        partial(public_files, declared),
        partial(read_items, declared),
        partial(read_submission, declared, submission),
        partial(rows, declared),
        lambda given, places: DetectedEvents([given.events[place] for place in places]),
        take_reference,
        other_files=(REGIONS_UEM,),
        submission=submission,
        write_submission=lambda columns, items: {
            EVENTS_CSV: csv_text(
                [submission.required, *zip(*map(columns.__getitem__, submission.required))]
            ).encode()
        },
        any_order=True,
        doubts=doubts,
    )


def read_reference(declared: TurnFiles, files: Mapping[str, bytes]) -> TurnReference:
    """Read the events and the evaluated regions.

    Raises
    ------
    ReferenceFileError
        A missing file, rows that are no events or regions, regions that overlap, or a recording without regions.
    """
    problems = Problems(ReferenceFileError)
    events, regions = declared.layouts
    given = read_either(declared, files, regions, problems)
    if given is None and not problems:
        message = (
            f"is missing; expected {REGIONS_CSV} or {REGIONS_UEM}, with the evaluated time of every recording"
        )
        problems.add("missing_file", REGIONS_CSV, message)
    with problems.continuing():
        table = read_table(files, events, problems)
        check_speakers(table, problems)
        found = _rows(table, declared, problems)
    problems.raise_if_any()
    assert given is not None
    reference = reference_of(found, given, declared.classes, "seconds", problems)
    units = units_of_recordings((found, given), declared.optional, problems)
    recordings = reference.items.ids
    turns = [
        RecordingTurns(*each[:2])
        for each in turns_by_recording(
            found, recordings, declared.classes, problems, scores=np.zeros(len(table))
        )[1]
    ]
    problems.raise_if_any()
    return replace(
        reference,
        items=replace(reference.items, latest=float(given.spans.max())),
        turns=turns,
        units=[units.get(recording, recording) for recording in recordings] if units else (),
    )


def read_submission(declared: TurnFiles, layout: Layout, files: Files, items: Items) -> DetectedEvents:
    """Read the detections.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    expect_one(files, [EVENTS_CSV], problems)
    table = read_table(files, layout, problems, size_limit(MOST_DETECTIONS * len(items)))
    found = _rows(table, declared, problems)
    scores = real_numbers()(table, SCORE, problems)
    check_recordings(found, items.ids, problems)
    problems.raise_if_any()
    check_seconds(found.spans, items.latest, EVENTS_CSV, "events", problems)
    events = turns_by_recording(found, items.ids, declared.classes, problems, scores)[1]
    problems.raise_if_any()
    return DetectedEvents(events)


def _rows(table: Table, declared: TurnFiles, problems: Problems) -> Rows:
    starts, labels = table.columns[START], table.columns[LABEL]
    ends = [end or start for start, end in zip(starts, table.columns[END])]
    spans = read_times(starts, ends, table.file, table.lines, problems, empty=True)
    units = next((table.columns[column] for column in declared.optional if column in table.columns), [])
    found = Rows(table.file, table.ids, spans, labels, table.lines, units)
    known = {*declared.classes}
    for row, label in enumerate(labels):
        if label not in known:
            is_label = quote(label) if label else "is empty"
            expected = " or ".join(map(quote, declared.classes[:10])) + ", ..." * (len(known) > 10)
            found.add_problem(problems, "unknown_label", row, f"label {is_label}; expected {expected}")
    return found


def doubts(submission: DetectedEvents, items: Items) -> Sequence[str]:
    """Warn of half of the recordings or more without detections, and of scores that are all the same."""
    scores: Any = np.concatenate([each.scores for each in submission.events])
    empty = [not len(each.labels) for each in submission.events]
    alike = len(scores) > 1 and bool((scores == scores[0]).all())
    return [
        *unanswered(items, empty, "recording", "events", half=True),
        *(
            [f"all {len(scores)} scores are {scores[0]:g}, so no other threshold can be chosen"]
            if alike
            else []
        ),
    ]
