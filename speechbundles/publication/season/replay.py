"""Decides which submissions a platform would run, by the open phase and the limits per day (UTC) and in total."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from speechbundles.bundle.rehearse import FAILED, Result
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import MINUTES
from speechbundles.publication.season.uploads import Submission

REFUSED = "Refused"
PENDING = "Pending"


@dataclass(frozen=True)
class Attempt:
    """A submission and its status: `Finished`, `Failed`, or `Refused` by the platform without a run."""

    submission: Submission
    phase: BuiltPhase | None
    result: Result | None
    status: str
    reasons: tuple[str, ...]

    def score(self, key: str) -> Decimal | None:
        return self.result.scores.get(key) if self.result else None

    def shown(self, key: str) -> str:
        return self.result.shown.get(key, "") if self.result else ""


def replay(
    bundle: BuiltBundle,
    submissions: Iterable[Submission],
    known: Callable[[Submission, BuiltPhase], Result | None],
) -> list[Attempt]:
    """Return the attempts in order of time. One whose result is not known is Pending, and counts towards the limits."""
    attempts = []
    counted: dict[tuple[str, BuiltPhase], list[date]] = {}
    for submission in submissions:
        named = [phase for phase in bundle.phases if submission.phase in (None, phase.name)]
        phase = next((phase for phase in named if phase.is_open(submission.time)), None)
        if phase is None:
            what = "no phase is open" if submission.phase is None else f"submitted to {submission.phase}"
            refusal = f"{what}: {_nearby(named, submission.time) or 'no such phase'}"
            attempts.append(Attempt(submission, None, None, REFUSED, (refusal,)))
            continue
        days = counted.setdefault((submission.team, phase), [])
        refused = _over_limit(phase, days, submission.time.date())
        if refused:
            attempts.append(Attempt(submission, phase, None, REFUSED, (refused,)))
            continue
        result = known(submission, phase)
        if result is None or result.status != FAILED:
            days.append(submission.time.date())
        attempts.append(
            Attempt(
                submission,
                phase,
                result,
                result.status if result else PENDING,
                result.reasons if result else (),
            )
        )
    return attempts


def _nearby(phases: Sequence[BuiltPhase], time: datetime) -> str:
    nearby = []
    ended = [phase for phase in phases if phase.closes and phase.closes <= time]
    coming = [phase for phase in phases if phase.opens > time]
    if ended:
        last = max(ended, key=lambda phase: phase.closes or time)
        nearby.append(f"{last.name} closed at {last.closes:{MINUTES}}")
    if coming:
        following = min(coming, key=lambda phase: phase.opens)
        nearby.append(f"{following.name} opens at {following.opens:{MINUTES}}")
    return ", ".join(nearby)


def _over_limit(phase: BuiltPhase, days: Sequence[date], today: date) -> str | None:
    if phase.per_day == 0 or phase.total == 0:
        return f"phase {phase.name} accepts no submissions"
    if phase.per_day is not None and days.count(today) >= phase.per_day:
        return f"already {days.count(today)} submissions on {today} (UTC); {phase.name} allows {phase.per_day} a day"
    if phase.total is not None and len(days) >= phase.total:
        return f"already {len(days)} submissions; {phase.name} allows {phase.total} in total"
    return None
