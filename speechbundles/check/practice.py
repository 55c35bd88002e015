"""Warns of settings that careful organisers avoid, although every platform accepts them.

The limits of three submissions and forty days are those of Pavão et al., AI Competitions and Benchmarks, chapters 5 and
13, as auto-codabench applies them. The week for a review is our own choice.
"""

import re
from collections.abc import Iterable
from datetime import datetime, timedelta

from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.finding import Report
from speechbundles.model.zips import DECIDING_SET, reference_zip

MOST_SUBMISSIONS = 3
"""The most submissions in all in the deciding phase without a warning."""
DEVELOPMENT = timedelta(days=40)
REVIEW = timedelta(days=7)
"""The time after the deciding phase in which no other phase should be open."""

_LICENCE = re.compile(
    r"data licen[cs]e\W+\w|creative commons|\bcc[ -]?(by|0)\b|public domain|\bodbl\b|\bodc-by\b"
    r"|\b(mit|apache|bsd)\b[^.]{,12} licen[cs]e|all rights reserved",
    re.IGNORECASE,
)


def check_practice(report: Report, bundle: BuiltBundle, pages: Iterable[bytes], now: datetime) -> None:
    """Check phases and pages; `now` is in UTC, without a time zone."""
    phases = [phase for phase in bundle.phases if phase.per_day != 0 and phase.total != 0]
    if phases:
        _check_deciding(report, phases)
        _check_past(report, phases, now)
    if not any(_LICENCE.search(page.decode("utf-8", "replace")) for page in pages):
        report.add("licence-missing", "the pages", "no data licence on any page")


def _check_deciding(report: Report, phases: list[BuiltPhase]) -> None:
    """Check the deciding phase: of the phases that score the deciding set, the last one with an end.

    If no phase scores that set, the last phase decides.
    """
    deciding_data = reference_zip(DECIDING_SET)
    scoring = [phase for phase in phases if phase.reference_data == deciding_data] or [phases[-1]]
    deciding = next((phase for phase in reversed(scoring) if phase.closes), scoring[0])
    at = phases.index(deciding)
    where = f"phase {deciding.name!r}"
    if deciding.total is None or deciding.total > MOST_SUBMISSIONS:
        most = "any number of submissions" if deciding.total is None else f"{deciding.total} submissions"
        report.add("deciding-submissions", where, f"{most} in all in the deciding phase")
    if at and deciding.opens - phases[0].opens < DEVELOPMENT:
        days = (deciding.opens - phases[0].opens).days
        report.add(
            "development-short", f"phase {phases[0].name!r}", f"opens {days} days before {deciding.name!r}"
        )
    following = phases[at + 1] if at + 1 < len(phases) else None
    if deciding.closes is None:
        report.add("review-window", where, "the deciding phase has no end")
    elif following and following.opens - deciding.closes < REVIEW:
        report.add(
            "review-window", where, f"closes {deciding.closes}; {following.name!r} opens {following.opens}"
        )


def _check_past(report: Report, phases: list[BuiltPhase], now: datetime) -> None:
    """Report phases that are over, unless another phase is open."""
    if any(phase.is_open(now) for phase in phases):
        return
    for phase in phases:
        if phase.closes and phase.closes <= now:
            report.add("phase-past", f"phase {phase.name!r}", f"closed {phase.closes}")
