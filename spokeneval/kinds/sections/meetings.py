"""Sections on meetings: the sessions, worst first, and what each speaker said beside what was recognised."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np

from ...formats.meetings import Meetings
from ...metrics import transcript_errors as metrics
from ...metrics.multi_speaker_errors import Stream, partners_in_time, path_in_time
from ...report.page import Content, Html, lines, long_table, paragraph, percent, section
from ...scoring.scored import Scored
from ..meetings import MeetingsKind
from .alignments import NOTHING, Pair, Part, aligned_lines, short_enough
from .turns import scored_outside

_Speakers = Sequence[tuple[str, Stream]]
_NOBODY = Stream([], [])

LARGEST = 4_000_000
"""Cells of the table of a speaker's alignment; longer ones are not aligned."""


def sections(kind: MeetingsKind, reference: Meetings, submission: Meetings, scored: Scored) -> list[Html]:
    """Return the table of sessions."""
    timed, untimed, turns = (scored.rows[part] for part in ("timed", "untimed", "turns"))
    unit = kind.units[0]
    wrong, length = metrics.errors(timed), timed.reference_length
    # Sessions without words come first if they have errors, and last if not.
    rates = np.where(length > 0, wrong / np.fmax(length, 1), np.where(wrong > 0, np.inf, 0))
    names = reference.items.ids
    confused = turns.miss + turns.false_alarm + turns.confusion
    rows: list[list[Any]] = [
        [
            names[row],
            percent(wrong[row], length[row]),
            percent(metrics.errors(untimed)[row], length[row]),
            percent(confused[row], turns.reference[row]),
            *(int(each[row]) for each in (length, timed.substitutions, timed.deletions, timed.insertions)),
            len(reference.speakers[row]),
            len(submission.speakers[row]),
        ]
        for row in sorted(range(len(names)), key=lambda row: (-rates[row], names[row]))
    ]
    header = [
        "Session",
        f"tcp{unit.upper()}ER",
        f"cp{unit.upper()}ER",
        "DER",
        kind.units.capitalize(),
    ]
    header += ["Substitutions", "Deletions", "Insertions"]
    header += ["Speakers in the reference", "Speakers in the submission"]
    return [
        section(
            "Sessions, worst first",
            long_table("Errors of each session", header, rows, shown=len(rows)),
            paragraph(
                "A session without words has no rate; all words of the submission are insertions.",
                kind="note",
            ),
            scored_outside(_times(reference), _times(submission)) if reference.items.latest is None else None,
        )
    ]


def _times(side: Meetings) -> list[list[float]]:
    """Return all times of each session in ms."""
    return [
        [time / 1e6 for each in session for time in each.spans.ravel().tolist()] for session in side.speakers
    ]


def answers(
    kind: MeetingsKind, reference: Meetings, submission: Meetings, rows: Sequence[int]
) -> dict[str, list[Content]]:
    """Return the aligned words of each speaker with errors in some sessions, as they are compared in tcpWER."""
    sessions = aligned(kind, reference, submission, rows)
    return {"Alignment": [lines([*chain.from_iterable(map(_part_lines, session))]) for session in sessions]}


def aligned(
    kind: MeetingsKind, reference: Meetings, submission: Meetings, rows: Sequence[int]
) -> list[list[Part]]:
    """Return the aligned words of the speakers of some sessions."""
    sessions = [_partners(*kind.streams(reference, submission, row)) for row in rows]
    sizes = [len(a.symbols) * len(b.symbols) for session in sessions for _, a, _, b in session]
    kept = iter(short_enough(sizes, LARGEST).tolist())
    return [
        [
            Part(name, other, _pairs(said, heard) if next(kept) else None)
            for name, said, other, heard in session
        ]
        for session in sessions
    ]


def _partners(said: _Speakers, heard: _Speakers) -> list[tuple[str, Stream, str, Stream]]:
    """Return the speakers of a session with their partners; without one, all words are deleted or inserted."""
    partner = dict(partners_in_time([each for _, each in said], [each for _, each in heard]))
    found = [
        (*each, *(heard[partner[place]] if place in partner else (NOTHING, _NOBODY)))
        for place, each in enumerate(said)
    ]
    alone = [each for place, each in enumerate(heard) if place not in partner.values()]
    return [*found, *((NOTHING, _NOBODY, *each) for each in alone)]


def _pairs(said: Stream, heard: Stream) -> list[Pair]:
    """Return the pairs of words of a speaker."""
    return [
        (None if i is None else str(said.symbols[i]), None if j is None else str(heard.symbols[j]))
        for i, j in path_in_time(said, heard)
    ]


def _part_lines(part: Part) -> list[str]:
    """Return the lines of a speaker with errors."""
    title = f"{part.said_by} → {part.heard_as}"
    if part.pairs is None:
        return [title, "too long"]
    return [title, *aligned_lines(part.pairs)] if any(a != b for a, b in part.pairs) else []
