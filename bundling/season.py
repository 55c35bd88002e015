"""Rehearse a whole competition: which submissions the platform would run, when, and the board that they make.

A season is a folder with one folder a team, and in that the team's submissions, each named by its UTC time:

    season/Team Alpha/2027-03-01T0915_first_try.zip        (or with seconds: 2027-03-01T091500_first_try.zip)

They are replayed in order of time. At each: which phase is open, is there a submission left today (UTC) and in
all, what does the run come to (`rehearsal.rehearse`), and which of the team's runs does the submission rule put
on the board. The rules are those of the platforms' sources:

- Phases. Codabench: open from `start` to `end`, both seconds included. CodaLab: up to the start of the next.
- Limits are a phase's and a team's. A run that Failed is free on both platforms, for the day and in all
  (Codabench: `Phase.can_user_make_submissions`; CodaLab: `CompetitionSubmission.save`). A limit of 0 means none
  at all on CodaLab, no limit on Codabench.
- `Force_Best`: on Codabench the best by the primary column, then by the others in order, then the earliest; on
  CodaLab the best by the first column alone, of equals the latest. `Force_Last`: the last to finish.
  `Force_Latest_Multiple`: all, and the board sorts them by score all the same. `Add` and its kin: participants
  pick; what they would pick is not known, so the best of each is shown, with a note.
- A board is sorted by the primary column, then (Codabench) the other visible ones, then the earlier submission.
  Without a primary score, an entry is first on Codabench where more is better.

Taken for granted: a folder is one participant's account; a run ends before the team's next one starts; programs
are deterministic, so a result is kept (in `DIR/.season`) and serves again for the same bundle, phase and
submission. That holds for a run which this machine was too slow for, too: delete the folder to run it again.
Submissions that a phase migrates to the next one are not rehearsed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

from bundling.rehearsal import FAILED, FINISHED, Rehearsal, rehearse
from bundling.rehearsal_bundle import CODABENCH, Column
from bundling.season_bundle import FORCE_ALL, FORCE_LAST, Competition, Phase, read_competition

REFUSED = "Refused"
PENDING = "Pending"

REASON_LINES = 4
"""Lines of a refusal that are kept."""

_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d{4}(?:\d\d)?)Z?(?:_.*)?\.zip", re.DOTALL | re.IGNORECASE)
_EXAMPLE = "2027-03-01T0915_anything.zip"
_CACHE_FORMAT = "season 1"


class SeasonError(ValueError):
    """A folder that is no season; the text lists every problem."""


@dataclass(frozen=True)
class Submission:
    """A team's zip and the instant, in UTC, at which it was uploaded."""

    time: datetime
    team: str
    name: str
    path: Path
    sha256: str


@dataclass(frozen=True)
class Result:
    """What is kept of a rehearsal. `scores` and `shown` by column key, empty where a failed run stored nothing."""

    status: str
    scores: Mapping[str, Decimal | None]
    shown: Mapping[str, str]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class Attempt:
    """A submission and what became of it: `Finished`, `Failed`, or `Refused` by the platform without a run."""

    submission: Submission
    phase: Phase | None
    result: Result | None
    status: str
    reasons: tuple[str, ...]

    def score(self, key: str) -> Decimal | None:
        return self.result.scores.get(key) if self.result else None

    def shown(self, key: str) -> str:
        return self.result.shown.get(key, "") if self.result else ""


@dataclass(frozen=True)
class Entry:
    """A line of a board. `before`: its team's rank on the board before. `tied`: another has its primary score."""

    rank: int
    tied: bool
    before: int | None
    attempt: Attempt


@dataclass(frozen=True)
class Day:
    """A day that changed a phase's board: the board at its end."""

    day: date
    phase: Phase
    board: tuple[Entry, ...]
    attempts: Mapping[str, int]


@dataclass(frozen=True)
class Season:
    """The season played to its end. `rehearsed`: how many runs were made now, and not taken from an earlier time."""

    competition: Competition
    attempts: tuple[Attempt, ...]
    days: tuple[Day, ...]
    rehearsed: int

    @property
    def final(self) -> list[Day]:
        """The last board of each phase that has one."""
        last = {day.phase: day for day in self.days}
        return [last[phase] for phase in self.competition.phases if phase in last]

    @property
    def warnings(self) -> Counter[str]:
        """Where the platform does something else than a run's output suggests, and in how many runs."""
        return Counter(
            warning for one in self.attempts if one.result for warning in dict.fromkeys(one.result.warnings)
        )


def play(
    bundle: Path,
    folder: Path,
    *,
    work: Path | None = None,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Season:
    """Play a season against a bundle.

    Parameters
    ----------
    bundle: a built zip, for Codabench or CodaLab.
    folder: one folder a team, see above. Names that begin with a dot are passed over.
    work: keeps the results of runs, so that a season that was stopped goes on from there; default: `.season` in
        the folder.
    jobs: runs at once; default: as many as there are processors.
    progress: called with the number of runs that are done, and of those that are known to be needed.

    Raises
    ------
    BundleError: for a bundle that cannot be rehearsed.
    SeasonError: with everything in the folder that is no submission.
    ValueError: for fewer jobs than one.
    """
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs is {jobs}; expected 1 or more")
    competition = read_competition(bundle)
    work = work or folder / ".season"
    submissions = read_submissions(folder, passed_over=work)
    work.mkdir(parents=True, exist_ok=True)
    bundle_sha256 = _sha256(bundle)
    results: dict[str, Result] = {}
    rehearsed = 0

    def key(submission: Submission, phase: Phase) -> str:
        name = f"{_CACHE_FORMAT}\n{bundle_sha256}\n{submission.sha256}\n{phase.number}"
        return hashlib.sha256(name.encode()).hexdigest()

    def known(submission: Submission, phase: Phase) -> Result | None:
        return results.get(key(submission, phase))

    # Whether an attempt runs depends on how the team's earlier ones ended. One that is not known yet is counted
    # as if it would finish: what is within the limits then is so however it ends. So no run is in vain.
    while True:
        attempts = replay(competition, submissions, known)
        pending = {
            key(one.submission, one.phase): (one.submission.path, one.phase.number)
            for one in attempts
            if one.status == PENDING and one.phase
        }
        if not pending:
            break
        kept = {name: result for name in pending if (result := _recall(work / f"{name}.json"))}
        results |= kept
        needed = {name: run for name, run in pending.items() if name not in kept}
        total = len(results) + len(needed)
        if progress:
            progress(len(results), total)
        for name, result in _rehearse_all(bundle, needed, work, jobs or os.cpu_count() or 1):
            results[name] = result
            rehearsed += 1
            if progress:
                progress(len(results), total)
    return Season(competition, tuple(attempts), tuple(_days(competition, attempts)), rehearsed)


# What the folder holds


def read_submissions(folder: Path, *, passed_over: Path | None = None) -> list[Submission]:
    """The submissions in order of time; of the same instant, in order of team and name.

    Raises
    ------
    SeasonError: with everything in the folder that is neither a team's folder nor a submission named by its time.
    """
    problems: list[str] = []
    found = []
    if not folder.is_dir():
        raise SeasonError(f"{folder}: expected a folder, in it one a team")
    for team in _listed(folder, passed_over):
        if not team.is_dir():
            problems.append(f"{team.name}: expected a folder, one a team, with its submissions in it")
            continue
        for path in _listed(team, passed_over):
            time = _time(path.name)
            if isinstance(time, datetime) and path.is_file():
                found.append(Submission(time, team.name, path.name, path, _sha256(path)))
            elif isinstance(time, datetime):
                problems.append(f"{team.name}/{path.name}: is no file; expected the zip that was uploaded")
            else:
                problems.append(f"{team.name}/{path.name}: {time}")
    if not found and not problems:
        problems.append("no submission in it; expected one folder a team, in it the team's zips")
    if problems:
        count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        listed = "\n".join(f"  {printable(problem, breaks=False)}" for problem in problems)
        raise SeasonError(f"{printable(str(folder))}: {count}\n\n{listed}\n\nNothing was rehearsed.")
    return sorted(found, key=lambda one: (one.time, one.team, one.name))


def _listed(folder: Path, passed_over: Path | None) -> list[Path]:
    hidden = passed_over.resolve() if passed_over else None
    return [
        path
        for path in sorted(folder.iterdir())
        if not path.name.startswith((".", "__MACOSX")) and path.resolve() != hidden
    ]


def _time(name: str) -> datetime | str:
    """The instant that a name begins with; a text that says what is wrong with it."""
    match = _NAME.fullmatch(name)
    if match is None:
        return f"expected the UTC time of the upload and an end in .zip, as in {_EXAMPLE}"
    digits = match[1]
    try:
        return datetime.strptime(digits, "%Y-%m-%dT%H%M%S" if len(digits) == 17 else "%Y-%m-%dT%H%M")
    except ValueError:
        return f"{digits} is not in the calendar, or its time not on the clock"


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


# Runs


def _rehearse_all(
    bundle: Path, runs: Mapping[str, tuple[Path, str]], work: Path, jobs: int
) -> Iterable[tuple[str, Result]]:
    """Rehearse submissions side by side; each result is kept as soon as it is there.

    In threads: the work is done in the programs' own processes. These end with the thread that started them, so
    that a killed season leaves none behind, as it would with a pool of processes.
    """

    def run(name: str, submission: Path, phase: str) -> Result:
        result = _result(rehearse(bundle, submission, phase=phase))
        _keep(work / f"{name}.json", result)
        return result

    with ThreadPoolExecutor(jobs) as pool:
        futures = {pool.submit(run, name, *what): name for name, what in runs.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _result(rehearsal: Rehearsal) -> Result:
    return Result(
        status=rehearsal.status,
        scores={cell.key: cell.stored for cell in rehearsal.row},
        shown={cell.key: cell.fixed() for cell in rehearsal.row},
        reasons=_reasons(rehearsal) if rehearsal.status == FAILED else (),
        warnings=rehearsal.warnings,
    )


def _reasons(rehearsal: Rehearsal) -> tuple[str, ...]:
    """The first lines of a refusal: what the scoring program said, else what the platform would."""
    lines = [line for problem in rehearsal.problems for line in problem.splitlines()]
    for step in rehearsal.steps:
        if step.name == "scoring" and step.exit_code:
            said = (step.stderr.strip() or step.stdout.strip()).splitlines()
            lines = said if said and step.why_stopped is None else [*lines, *said]
    # The temporary folder's name is another one each time.
    lines = [re.sub(r"[^\s\"'(]*/rehearsal-[^/\s]+/run/", "", line) for line in lines if line.strip()]
    if len(lines) > REASON_LINES:
        lines[REASON_LINES:] = [f"(and {len(lines) - REASON_LINES} more lines)"]
    return tuple(printable(line) for line in lines)


def _keep(path: Path, result: Result) -> None:
    """Write a result at once or not at all, under its digest, so that a broken file is known for what it is."""
    scores = {key: None if score is None else str(score) for key, score in result.scores.items()}
    text = json.dumps({**vars(result), "scores": scores})
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}", encoding="utf-8")
    part.replace(path)


def _recall(path: Path) -> Result | None:
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    if digest != hashlib.sha256(text.encode()).hexdigest():
        return None
    kept = json.loads(text)
    return Result(
        status=kept["status"],
        scores={key: None if score is None else Decimal(score) for key, score in kept["scores"].items()},
        shown=kept["shown"],
        reasons=tuple(kept["reasons"]),
        warnings=tuple(kept["warnings"]),
    )


# What the platform would do


def replay(
    competition: Competition,
    submissions: Iterable[Submission],
    known: Callable[[Submission, Phase], Result | None],
) -> list[Attempt]:
    """What becomes of each submission, in order of time. One whose result is not known is Pending, and counts."""
    attempts = []
    counted: dict[tuple[str, Phase], list[date]] = {}
    for submission in submissions:
        phase = next((phase for phase in competition.phases if phase.is_open(submission.time)), None)
        if phase is None:
            refusal = _no_phase(competition.phases, submission.time)
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


def _no_phase(phases: Sequence[Phase], time: datetime) -> str:
    nearby = []
    ended = [phase for phase in phases if phase.closes and phase.closes <= time]
    coming = [phase for phase in phases if phase.opens > time]
    if ended:
        last = max(ended, key=lambda phase: phase.closes or time)
        nearby.append(f"{last.name} is open before {last.closes}")
    if coming:
        following = min(coming, key=lambda phase: phase.opens)
        nearby.append(f"{following.name} opens {following.opens}")
    return f"no phase is open: {', '.join(nearby)}"


def _over_limit(phase: Phase, days: Sequence[date], today: date) -> str | None:
    if phase.per_day == 0 or phase.total == 0:
        return f"phase {phase.name} takes no submissions"
    if phase.per_day is not None and days.count(today) >= phase.per_day:
        return f"{days.count(today)} submissions on {today} (UTC) already; {phase.name} allows {phase.per_day} a day"
    if phase.total is not None and len(days) >= phase.total:
        return f"{len(days)} submissions already; {phase.name} allows {phase.total} in all"
    return None


def _days(competition: Competition, attempts: Sequence[Attempt]) -> Iterable[Day]:
    """The days that changed a board, in order."""
    before: dict[Phase, tuple[Entry, ...]] = {}
    for day in sorted({one.submission.time.date() for one in attempts}):
        today = [one for one in attempts if one.submission.time.date() == day]
        for phase in competition.phases:
            finished = [
                one
                for one in attempts
                if one.phase == phase and one.status == FINISHED and one.submission.time.date() <= day
            ]
            old = before.get(phase, ())
            new = rank(competition, phase, finished, old)
            if [entry.attempt for entry in new] != [entry.attempt for entry in old]:
                before[phase] = new
                yield Day(day, phase, new, Counter(one.status for one in today if one.phase == phase))


def rank(
    competition: Competition, phase: Phase, finished: Sequence[Attempt], before: Sequence[Entry] = ()
) -> tuple[Entry, ...]:
    """A phase's board from its Finished runs, which are in order of time; `before`: the board before it."""
    primary, codabench = competition.primary, competition.platform == CODABENCH
    others = [column for column in competition.columns if column is not primary] if codabench else []

    def order(attempt: Attempt, columns: Sequence[Column]) -> list[tuple[int, Decimal]]:
        return [better_first(attempt.score(column.key), column, codabench) for column in columns]

    teams: dict[str, list[Attempt]] = {}
    for one in finished:
        teams.setdefault(one.submission.team, []).append(one)
    on_board: list[Attempt] = []
    for runs in teams.values():
        if phase.rule == FORCE_ALL:
            on_board += runs
        elif phase.rule == FORCE_LAST:
            on_board.append(runs[-1])
        else:  # `min` takes the first of equals: the earliest on Codabench, the latest on CodaLab
            on_board.append(
                min(runs if codabench else runs[::-1], key=lambda one: order(one, [primary, *others]))
            )
    visible = [primary, *(column for column in others if not column.hidden)]
    on_board.sort(key=lambda one: (order(one, visible), one.submission.time, one.submission.team))

    ranks = {_whose(entry.attempt, phase): entry.rank for entry in before}
    scores = [one.score(primary.key) for one in on_board]
    entries = []
    for position, one in enumerate(on_board):
        # CodaLab gives equal primary scores one rank, and the next score the next; Codabench numbers the lines.
        number = position + 1 if codabench else len(set(scores[: position + 1]))
        tied = scores.count(scores[position]) > 1
        entries.append(Entry(number, tied, ranks.get(_whose(one, phase)), one))
    return tuple(entries)


def better_first(score: Decimal | None, column: Column, codabench: bool) -> tuple[int, Decimal]:
    """Sorts the better score first. Codabench's database puts a missing one first where more is better."""
    descending = column.sorting == "desc"
    if score is None:
        return (-1 if codabench and descending else 1, Decimal(0))
    return (0, -score if descending else score)


def _whose(attempt: Attempt, phase: Phase) -> object:
    """What keeps its place on a board from day to day: a team, or a submission where a team may have several."""
    return attempt.submission if phase.rule == FORCE_ALL else attempt.submission.team


def printable(text: str, *, breaks: bool = True) -> str:
    """Control characters and half characters escaped, as names and messages of participants may hold any."""
    kept = "\n" if breaks else ""
    return "".join(char if char in kept or char.isprintable() else repr(char)[1:-1] for char in text)
