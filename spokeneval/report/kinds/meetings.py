"""Sections on meetings: the sessions, worst first."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...formats.meetings import Meetings
from ...formats.problems import data
from ...metrics import transcript_errors as metrics
from ...run.scoring import Scored
from ...task import View
from ..page import Html, long_table, paragraph, percent, section


def sections(view: View, reference: Meetings, submission: Meetings, scored: Scored) -> list[Html]:
    """Return the table of sessions."""
    timed, untimed, turns = (scored.rows[part] for part in ("timed", "untimed", "turns"))
    unit = view.facts["units"][0]
    wrong, length = metrics.errors(timed), timed.reference_length
    # Sessions without words come first if they have errors, and last if not.
    rates = np.where(length > 0, wrong / np.fmax(length, 1), np.where(wrong > 0, np.inf, 0))
    names = [*map(data, reference.items.ids)]
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
        view.facts["units"].capitalize(),
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
        )
    ]
