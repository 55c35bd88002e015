"""The public leaderboard of a competition whose hidden labels stay at home, made from a fetched folder.

It is the leaderboard that the platform would show if it had the labels: the same limits, submission rule and rounding
(see `season`). Left out are runs to a phase that was not open then, cancelled runs, runs that await validation, and
runs that their owners withdrew. The last two still count as attempts. Of several runs of one upload, the first one's
time counts. Entries with equal scores share the better rank.

The leaderboard depends only on the submissions until a given time and on the labels. So a daily leaderboard is the same
at any hour of a day, and shows once a day at most how scores have changed.

Rank ranges of exact scores are those of `rank`, from the counts of each unit. Ranges of coarse scores depend only on
the scores as they are shown: entries less than two steps apart may change places. Ranges from the counts would reveal
which of two entries on the same step is better.

    FETCHED/.board/    private: the bundle with the labels, results, counts, names, and the state of the last board
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from pathlib import Path

import numpy as np

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.leaderboard.outputs import ScoringOutput, read_outputs
from speechbundles.leaderboard.private import anonymous_names, private_folder, record_changes
from speechbundles.leaderboard.score import score_all
from speechbundles.leaderboard.season import Attempt, Season, placed, play_submissions
from speechbundles.leaderboard.uploads import Upload
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import FORMAT, MINUTES
from speechbundles.model.fetched import DELETED, VANISHED, Fetched, read_index
from speechbundles.model.platform import FORCE_ALL, PICKED
from speechbundles.model.statuses import AWAITING, IGNORE, meaning_of
from speechbundles.model.text import grouped
from speechbundles.model.zips import reference_zip
from spokeneval.formats.problems import FREE_ATTEMPT, count_of
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.ranking.leaderboard import Entry, Leaderboard, System
from spokeneval.ranking.ranks import ranks_known, shared_places
from spokeneval.ranking.systems import rank_systems
from spokeneval.report.verdict import TIE
from spokeneval.scoring.options import Step, steps_between
from spokeneval.task import Column, Task

Progress = Callable[[int, int], None]

_SCORED = "scored"
"""The folder with the outputs of entries, which contain counts of each unit."""


@dataclass(frozen=True)
class HomeBoard:
    """The public leaderboard.

    Attributes
    ----------
    phases: the leaderboard of each phase; its tables have the statistical power of the set.
    until: the time until which submissions are on it, in UTC.
    following: the time of the next one; None if it is final or not made daily.
    coarse: whether scores are rounded to steps.
    changes: dates and descriptions of changes that affected all scores.
    left_out: runs that are not on it, each with the reason; for the organiser only.
    waiting: the number of uploads after `until`.
    """

    title: str
    columns: tuple[Column, ...]
    phases: tuple[Leaderboard, ...]
    until: datetime
    following: datetime | None
    coarse: bool
    changes: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    waiting: int

    @property
    def summary(self) -> str:
        """What is on it, in a line."""
        entries = count_of(sum(len(phase.rows) for phase in self.phases), "entry", "entries")
        later = f", {count_of(self.waiting, 'later run')} for the next leaderboard" if self.waiting else ""
        return f"{entries} until {self.until:{MINUTES}} UTC, {count_of(len(self.left_out), 'run')} left out{later}"


@dataclass(frozen=True)
class HomeRules:
    """What the public leaderboard shows.

    Attributes
    ----------
    sets: the reference sets whose phases are on the board, with the step to which their primary score is rounded.
    exact: the task, if scores are exact; None if they are rounded.
    daily: whether the board ends with the last day that is over.
    anonymous: whether owners get names that stay the same and that only the organiser can resolve.
    """

    sets: Mapping[str, Step | None]
    exact: Task | None
    daily: bool
    anonymous: bool


def make_home_board(
    bundle: Path,
    fetched: Path,
    rules: HomeRules,
    now: datetime,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> HomeBoard:
    """Score what was fetched and is not scored yet, and return the leaderboard.

    Parameters
    ----------
    bundle: the zip for the platform that has all labels.
    fetched: a folder that `fetch` wrote.
    now: the current time, in UTC.
    jobs, progress: as for `play_season`.

    Raises
    ------
    OrganiserError: the folder or the bundle cannot be used.
    """
    private, left_out = private_folder(fetched), list[str]()
    until = datetime.combine(now.date(), time()) if rules.daily else now
    runs = runs_of_uploads(read_index(fetched))
    due = [run for run in runs if run.time < until]
    season, on_board = play_fetched(bundle, fetched, due, private, left_out, jobs, progress)
    built, owners = season.bundle, {attempt.submission.team for attempt in season.attempts}
    names = anonymous_names(private, owners) if rules.anonymous else {}
    steps = {reference_zip(name): step for name, step in rules.sets.items()}
    phases = [phase for phase in built.phases if phase.reference_data in steps]
    boards = []
    for phase in phases:
        placed = on_board.get(phase, [])
        shown = [names.get(owner, owner) for owner in (attempt.submission.team for attempt in placed)]
        board = Leaderboard(
            built.ranking_column(),
            _entries(built, placed, shown, timed=not rules.anonymous),
            phase=phase.name,
        )
        if rules.exact is None:
            board = compare_steps(board, steps[str(phase.reference_data)])
        else:
            board = _compare(board, rules.exact, _scored_outputs(bundle, phase, placed, private, jobs))
        boards.append(board)
    is_final = not rules.daily or all(phase.closes and phase.closes <= until for phase in phases)
    return HomeBoard(
        title=built.title,
        columns=_visible(built),
        phases=tuple(boards),
        until=until,
        following=None if is_final else until + timedelta(days=1),
        coarse=rules.exact is None,
        changes=record_changes(private, built, phases, now),
        left_out=tuple(left_out),
        waiting=sum(run.time >= until for run in runs),
    )


def play_fetched(
    bundle: Path,
    fetched: Path,
    runs: Sequence[Fetched],
    work: Path,
    left_out: list[str],
    jobs: int | None,
    progress: Progress | None,
) -> tuple[Season, dict[BuiltPhase, list[Attempt]]]:
    """Score runs that are not scored yet; return the season, and the runs on the board of each phase, best first.

    Parameters
    ----------
    runs: as returned by `runs_of_uploads`.
    work: a private folder for results.
    left_out: receives the runs that are on no board, each with the reason.
    """
    uploads = _uploads(fetched, runs, left_out)
    season = play_submissions(bundle, [*uploads], work, jobs, progress)
    finished = _finished(season.attempts, uploads, left_out)
    return season, {phase: _placed(season.bundle, phase, own) for phase, own in finished.items()}


def _visible(bundle: BuiltBundle) -> tuple[Column, ...]:
    return tuple(column for column in bundle.columns if not column.hidden)


def _placed(bundle: BuiltBundle, phase: BuiltPhase, finished: Sequence[Attempt]) -> list[Attempt]:
    """Return the runs on a phase's board, in order; all that participants chose, if they choose."""
    rule = FORCE_ALL if phase.rule in PICKED else phase.rule
    return placed(bundle, replace(phase, rule=rule), finished)


def _finished(
    attempts: Sequence[Attempt], uploads: Mapping[Upload, Fetched], left_out: list[str]
) -> dict[BuiltPhase, list[Attempt]]:
    """Return the runs of each phase that may be on its board; the others are added to `left_out`."""
    finished: dict[BuiltPhase, list[Attempt]] = {}
    for attempt in attempts:
        run = uploads[attempt.submission]
        if reason := _why_left_out(attempt, run):
            left_out.append(f"{run.phase}  {run.owner}  {run.id}  {reason}")
        elif attempt.phase:
            finished.setdefault(attempt.phase, []).append(attempt)
    return finished


def runs_of_uploads(runs: Sequence[Fetched]) -> list[Fetched]:
    """Return a run for each upload to a phase, with the time of its first run and the state of its last one.

    Runs that were cancelled or await validation are passed over if there is another.
    """
    uploads = grouped((run.own_upload, run) for run in sorted(runs, key=lambda run: run.id))
    together = []
    for own in uploads.values():
        first, last = own[0], ([run for run in own if meaning_of(run.status).board] or own)[-1]
        note = last.note if all(run.note in (DELETED, VANISHED) for run in own) else ""
        on_board = any(run.on_board for run in own)
        if meaning_of(last.status).amend != IGNORE:
            together.append(replace(last, id=first.id, time=first.time, on_board=on_board, note=note))
    return together


def _uploads(fetched: Path, runs: Sequence[Fetched], left_out: list[str]) -> dict[Upload, Fetched]:
    """Return the runs whose uploads can be read, by their uploads in order of time; `left_out` gets the others."""
    uploads = {}
    for run in runs:
        reason: object = run.note or "its upload was not fetched"
        path = fetched / run.submission
        try:
            digest = sha256(path, MAX_BYTES) if run.submission else ""
        except (OSError, ValueError) as error:
            digest, reason = "", error.strerror if isinstance(error, OSError) else error
        if digest:
            uploads[Upload(run.time, run.owner, f"{run.id}", path, digest, run.phase)] = run
        else:
            left_out.append(f"{run.phase}  {run.owner}  {run.id}  not scored: {reason}")
    return dict(sorted(uploads.items(), key=lambda pair: (pair[0].time, pair[1].id)))


def _why_left_out(attempt: Attempt, run: Fetched) -> str:
    """Return why a run is not on the board; empty if it is."""
    if attempt.phase is None:
        return f"{run.phase} was not open at {run.time:{FORMAT}}"
    if run.status == AWAITING:
        return "awaits validation"
    if run.note in (DELETED, VANISHED):
        return "withdrawn by its owner"
    if attempt.status != FINISHED:
        reasons = [" ".join(line.split()) for line in attempt.reasons if line != FREE_ATTEMPT]
        return f"{attempt.status}: {'; '.join(reasons)}"
    is_picked = attempt.phase.rule not in PICKED or run.on_board
    return "" if is_picked else "not chosen by its owner for the leaderboard"


def _entries(
    bundle: BuiltBundle, placed: Sequence[Attempt], names: Sequence[str], *, timed: bool
) -> list[Entry]:
    key, keys = bundle.ranking_column().key, [column.key for column in _visible(bundle)]
    entries = []
    places = shared_places([attempt.score(key) for attempt in placed])
    for attempt, (rank, tied), name in zip(placed, places, names, strict=True):
        scores = {key: score for key in keys if (score := attempt.score(key)) is not None}
        shown = {key: attempt.shown(key) for key in keys}
        when = attempt.submission.time if timed else None
        primary = float(scores[key]) if key in scores else math.nan
        entries.append(Entry(rank, tied, name, primary, scores=scores, shown=shown, time=when))
    return entries


def compare_steps(board: Leaderboard, step: Step | None) -> Leaderboard:
    """Add ranges in which entries less than two steps apart may change places."""
    scores = [entry.scores.get(board.column.key) for entry in board.rows]
    if not step or None in scores:
        return board
    sign = -1 if board.column.direction == "lower" else 1
    values = [float(score) for score in scores if score is not None]
    apart = [[steps_between(one, other, step) >= TIE for other in values] for one in values]
    ranges = ranks_known(np.array(apart, dtype=bool) & (sign * np.subtract.outer(values, values) > 0))
    rows = [replace(entry, ranks=ends) for entry, ends in zip(board.rows, ranges, strict=True)]
    return replace(
        board, rows=rows, notes=["Rank ranges: entries less than two steps apart may change places."]
    )


def _scored_outputs(
    path: Path, phase: BuiltPhase, placed: Sequence[Attempt], private: Path, jobs: int | None
) -> list[ScoringOutput]:
    """Return the outputs of the entries' submissions with the counts of each unit; none if a run fails now."""
    if len(placed) < 2:
        return []
    out = private / _SCORED / str(phase.number)
    submissions = {attempt.submission.name: attempt.submission.path for attempt in placed}
    if score_all(path, submissions, out, phase=phase.name, jobs=jobs).failed:
        return []  # the board has their scores from an earlier run
    return read_outputs([out / attempt.submission.name for attempt in placed])


def _compare(board: Leaderboard, task: Task, outputs: Sequence[ScoringOutput]) -> Leaderboard:
    """Compare entries by the counts of each unit, as `rank` does."""
    systems = [
        System(entry.name, {board.column.key: entry.score}, {}, output.statistics)
        for entry, output in zip(board.rows, outputs, strict=False)
        if board.column.key in entry.scores and output.statistics is not None
    ]
    if len(systems) < max(2, len(board.rows)):
        return board
    ranking = rank_systems(task, board.column, "", systems)
    rows = [
        replace(entry, ranks=row.ranks, cluster=row.cluster)
        for entry, row in zip(board.rows, ranking.rows, strict=True)
    ]
    return replace(board, rows=rows, notes=ranking.notes, tables=[ranking.power] if ranking.power else [])
