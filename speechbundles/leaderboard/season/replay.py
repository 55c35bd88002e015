"""Decides which submissions a platform would run, by the open phase and the limits per day (UTC) and in total."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from speechbundles.bundle.rehearse import FAILED, KeptResult
from speechbundles.leaderboard.season.uploads import Submission
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import MINUTES

REFUSED = "Refused"
PENDING = "Pending"


@dataclass(frozen=True)
class Attempt:
    """A submission and its status: `Finished`, `Failed`, or `Refused` by the platform without a run."""

    submission: Submission
    phase: BuiltPhase | None
    result: KeptResult | None
    status: str
    reasons: tuple[str, ...]

    def score(self, key: str) -> Decimal | None:
        return self.result.scores.get(key) if self.result else None

    def shown(self, key: str) -> str:
        return self.result.shown.get(key, "") if self.result else ""


def replay(
    bundle: BuiltBundle,
    submissions: Iterable[Submission],
    known: Callable[[Submission, BuiltPhase], KeptResult | None],
) -> list[Attempt]:
    """Return the attempts in order of time. One whose result is not known is Pending, and counts towards the limits."""
    attempts = []
    counted: dict[tuple[str, BuiltPhase | None], list[date]] = {}
    for submission in submissions:
        named = [phase for phase in bundle.phases if submission.phase in (None, phase.name)]
        phase = next((phase for phase in named if phase.is_open(submission.time)), None)
        days = counted.setdefault((submission.team, phase), [])
        if phase is None:
            what = "no phase is open" if submission.phase is None else f"submitted to {submission.phase}"
            refusal = f"{what}: {_nearby(named, submission.time) or 'no such phase'}"
        else:
            refusal = _over_limit(phase, days, submission.time.date())
        if phase is None or refusal:
            attempts.append(Attempt(submission, phase, None, REFUSED, (refusal,)))
            continue
        result = known(submission, phase)
        if result is None or result.status != FAILED:
            days.append(submission.time.date())
        status, reasons = (result.status, result.reasons) if result else (PENDING, ())
        attempts.append(Attempt(submission, phase, result, status, reasons))
    return attempts


def _nearby(phases: Sequence[BuiltPhase], time: datetime) -> str:
    """Return which phase closed last before a time, and which opens next."""
    closed = {phase.closes: phase.name for phase in reversed(phases) if phase.closes and phase.closes <= time}
    coming = {phase.opens: phase.name for phase in reversed(phases) if phase.opens > time}
    nearby = [f"{closed[when]} closed at {when:{MINUTES}}" for when in sorted(closed)[-1:]]
    nearby += [f"{coming[when]} opens at {when:{MINUTES}}" for when in sorted(coming)[:1]]
    return ", ".join(nearby)


def _over_limit(phase: BuiltPhase, days: Sequence[date], today: date) -> str:
    """Return why a phase accepts no further submission of a team; empty if it does."""
    if phase.per_day == 0 or phase.total == 0:
        return f"phase {phase.name} accepts no submissions"
    if phase.per_day is not None and days.count(today) >= phase.per_day:
        return f"already {days.count(today)} submissions on {today} (UTC); {phase.name} allows {phase.per_day} a day"
    if phase.total is not None and len(days) >= phase.total:
        return f"already {len(days)} submissions; {phase.name} allows {phase.total} in total"
    return ""
