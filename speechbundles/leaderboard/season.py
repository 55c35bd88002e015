"""Rehearse a whole competition: which submissions the platform would run, and the leaderboard after each day.

A season is a folder that contains one folder for each team with the team's submissions, each named by its UTC time:

    season/Team Alpha/2027-03-01T0915_first_try.zip        (or with seconds: 2027-03-01T091500_first_try.zip)

Submissions are replayed in order of time. For each, this module finds the open phase (in a fetched folder: the phase
that it was made to, if this is open), checks the limits per day (UTC) and in total, runs the submission (`rehearse`),
and applies the submission rule, which selects the team's runs on the board. The rules follow the platforms' source
code:

- Phases are open, and have limits, as the platform's `read` returns them.
- Limits apply to each team in each phase. A run that Failed does not count, neither for the day nor in total.
- `Force_Best` and the order of a board follow the platform's `BoardRules`. `Force_Last`: the last to finish.
  `Force_Latest_Multiple`: all runs, still sorted by score. `Add` and similar rules let participants choose; as their
  choice is unknown, the best run of each team is shown, with a note.

Assumptions: a folder is one participant's account; a run ends before the team's next one starts; programs are
deterministic. Results are therefore kept, by the command season in `DIR/.season`, and reused for the same bundle, phase
and submission, also those of runs that exceeded the time limit because this computer was too slow: delete the folder to
run them again. Submissions that a phase passes on to the next one are not rehearsed.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from speechbundles.bundle.rehearse import FAILED, FINISHED, KeptResult, lost_result, read_result, rehearse_all
from speechbundles.leaderboard.uploads import Upload
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import digest_of, sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase, read_built_bundle
from speechbundles.model.dates import MINUTES
from speechbundles.model.platform import FORCE_ALL, FORCE_LAST, platforms
from speechbundles.model.text import Progress, grouped, silent
from spokeneval.formats.problems import count_of
from spokeneval.ranking.leaderboard import Entry, Leaderboard
from spokeneval.ranking.ranks import shared_places
from spokeneval.task import Column

_CACHE_FORMAT = "season 2"
REFUSED = "Refused"
PENDING = "Pending"


@dataclass(frozen=True)
class Attempt:
    """A submission and its result, which is also `Refused` by the platform without a run, or `Pending`."""

    submission: Upload
    phase: BuiltPhase | None
    result: KeptResult

    @property
    def status(self) -> str:
        return self.result.status

    def score(self, key: str) -> Decimal | None:
        return self.result.scores.get(key)


def replay(
    bundle: BuiltBundle,
    submissions: Iterable[Upload],
    known: Callable[[Upload, BuiltPhase], KeptResult | None],
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
        result = KeptResult(REFUSED, {}, {}, (refusal,), ())
        if phase and not refusal:
            result = known(submission, phase) or KeptResult(PENDING, {}, {}, (), ())
            if result.status != FAILED:
                days.append(submission.time.date())
        attempts.append(Attempt(submission, phase, result))
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
        earlier = count_of(days.count(today), "submission")
        return f"already {earlier} on {today} (UTC); {phase.name} allows {phase.per_day} a day"
    if phase.total is not None and len(days) >= phase.total:
        return f"already {count_of(len(days), 'submission')}; {phase.name} allows {phase.total} in total"
    return ""


def boards_by_day(
    bundle: BuiltBundle, attempts: Sequence[Attempt]
) -> Iterable[tuple[BuiltPhase, Leaderboard]]:
    """Yield the leaderboards at the end of the days that changed them, in order."""
    before: dict[BuiltPhase, Sequence[Entry]] = {}
    columns = [column for column in bundle.columns if not column.computed]
    for day in sorted({attempt.submission.time.date() for attempt in attempts}):
        for phase in bundle.phases:
            own = [each for each in attempts if each.phase == phase and each.submission.time.date() <= day]
            old, finished = before.get(phase, ()), [each for each in own if each.status == FINISHED]
            new = ranked(bundle, phase, placed(bundle, phase, finished), old)
            if [(entry.name, entry.upload) for entry in new] != [(entry.name, entry.upload) for entry in old]:
                before[phase], primary = new, bundle.ranking_column()
                yield phase, Leaderboard(primary, new, phase=phase.name, day=day, columns=columns)


def placed(bundle: BuiltBundle, phase: BuiltPhase, finished: Sequence[Attempt]) -> list[Attempt]:
    """Return the runs on a phase's leaderboard in the platform's order, from its Finished runs in order of time."""
    rules, primary = platforms()[bundle.platform].board, bundle.ranking_column()
    others = [column for column in bundle.columns if column is not primary] if rules.all_columns else []

    def order(attempt: Attempt, columns: Sequence[Column]) -> list[tuple[int, Decimal]]:
        first = rules.missing_first
        return [each.better_first(attempt.score(each.key), missing_first=first) for each in columns]

    teams = grouped((attempt.submission.team, attempt) for attempt in finished)
    on_board: list[Attempt] = []
    for runs in teams.values():
        if phase.rule == FORCE_ALL:
            on_board += runs
        elif phase.rule == FORCE_LAST:
            on_board.append(runs[-1])
        else:  # of equal runs, `min` takes the first
            in_order = runs[::-1] if rules.latest_of_equals else runs
            on_board.append(min(in_order, key=lambda attempt: order(attempt, [primary, *others])))
    visible = [primary, *(column for column in others if not column.hidden)]
    newest_first = rules.latest_of_equals and not rules.shared_ranks
    on_board.sort(key=lambda each: (each.submission.time, each.submission.team), reverse=newest_first)
    return sorted(on_board, key=lambda each: order(each, visible))


def ranked(
    bundle: BuiltBundle, phase: BuiltPhase, on_board: Sequence[Attempt], before: Sequence[Entry] = ()
) -> list[Entry]:
    """Return the entries of runs in order, with the platform's ranks; `before` is the previous leaderboard."""
    primary, several = bundle.ranking_column(), phase.rule == FORCE_ALL
    earlier = {(entry.name, entry.upload if several else ""): entry.rank for entry in before}
    scores = [attempt.score(primary.key) for attempt in on_board]
    numbered = {score: number for number, score in enumerate(dict.fromkeys(scores), 1)}
    shared = platforms()[bundle.platform].board.shared_ranks
    entries = []
    for place, (attempt, (_, tied)) in enumerate(zip(on_board, shared_places(scores), strict=True), 1):
        upload, score = attempt.submission, attempt.score(primary.key)
        entries.append(
            Entry(
                numbered[score] if shared else place,
                tied,
                upload.team,
                math.nan if score is None else float(score),
                scores=attempt.result.scores,
                shown=attempt.result.shown,
                upload=upload.name,
                time=upload.time,
                before=earlier.get((upload.team, upload.name if several else "")),
            )
        )
    return entries


@dataclass(frozen=True)
class Season:
    """A complete season.

    Attributes
    ----------
    days: the leaderboards at the end of the days that changed them, each with its phase.
    rehearsed: the number of runs made now, without kept results.
    """

    bundle: BuiltBundle
    attempts: tuple[Attempt, ...]
    days: tuple[tuple[BuiltPhase, Leaderboard], ...]
    rehearsed: int

    @property
    def final(self) -> dict[BuiltPhase, Leaderboard]:
        """Return the last leaderboard of each phase that has one, in the order of the phases."""
        last = dict(self.days)
        return {phase: last[phase] for phase in self.bundle.phases if phase in last}

    @property
    def warnings(self) -> Counter[str]:
        """Return differences between the platform's behaviour and what outputs suggest, with the number of runs."""
        attempts = self.attempts
        return Counter(each for attempt in attempts for each in dict.fromkeys(attempt.result.warnings))


def play_season(
    bundle: Path,
    submissions: Sequence[Upload],
    work: Path,
    jobs: int | None = None,
    progress: Progress = silent,
) -> Season:
    """Rehearse a season with a bundle.

    Parameters
    ----------
    bundle: a built zip, for any platform.
    submissions: in order of time, as `read_uploads` returns them.
    work: folder for the results of runs, from which an interrupted season continues.
    jobs: number of parallel runs; default: the number of processors.
    progress: called with the number of finished runs, and of runs that are known to be needed.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed.
    """
    built = read_built_bundle(bundle)
    built.ranking_column()  # raises if there is none
    work.mkdir(parents=True, exist_ok=True)
    bundle_sha256 = sha256(bundle, LARGEST_BUNDLE)
    results: dict[str, KeptResult] = {}
    rehearsed = 0

    def key(submission: Upload, phase: BuiltPhase) -> str:
        name = f"{_CACHE_FORMAT}\n{bundle_sha256}\n{submission.sha256}\n{phase.number}"
        return digest_of(name.encode())

    def known(submission: Upload, phase: BuiltPhase) -> KeptResult | None:
        if submission.unreadable:
            return lost_result(f"submission: {submission.unreadable}")
        return results.get(key(submission, phase))

    # Whether an attempt is run depends on how the team's earlier ones ended. Assume that all pending runs finish: this
    # uses up most of the limits, so a run that is allowed now is allowed whatever the outcome of the pending ones.
    while True:
        attempts = replay(built, submissions, known)
        pending = {
            key(attempt.submission, attempt.phase): (attempt.phase, attempt.submission.path)
            for attempt in attempts
            if attempt.status == PENDING and attempt.phase
        }
        if not pending:
            break
        results |= {name: result for name in pending if (result := read_result(work / f"{name}.json"))}
        needed = {name: run for name, run in pending.items() if name not in results}
        total = len(results) + len(needed)
        progress(len(results), total)
        for name, result in rehearse_all(built, needed, work, jobs):
            results[name] = result
            rehearsed += 1
            progress(len(results), total)
    return Season(built, tuple(attempts), tuple(boards_by_day(built, attempts)), rehearsed)
