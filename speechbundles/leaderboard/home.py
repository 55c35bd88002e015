"""The public leaderboard that is made at home, from a fetched folder or a folder of uploads for `season`.

It is the leaderboard that the platform would show if it had the labels: the same limits, submission rule and rounding
(see `season`). Left out are runs to a phase that was not open then, cancelled runs, runs that await validation, and
runs that their owners withdrew. The last two still count as attempts. Of several runs of one upload, the first one's
time counts. Entries with equal scores share the better rank.

The leaderboard depends only on the submissions until a given time and on the labels. So a daily leaderboard is the same
at any hour of a day, and shows once a day at most how scores have changed.

Rank ranges of exact scores are those of `rank`, from the counts of each unit. Ranges of coarse scores depend only on
the scores as they are shown: entries less than two steps apart may change places. Ranges from the counts would reveal
which of two entries on the same step is better.

If there was no platform, `DIR` is a folder for `season`; what its bundle keeps for itself is below `DIR/.board/BUNDLE`.

    FETCHED/.board/    private: the bundle with the labels, results, counts, names, and the state of the last board
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, time, timedelta
from pathlib import Path

import numpy as np

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.private import anonymous_names, private_folder, record_changes
from speechbundles.leaderboard.score import score_all
from speechbundles.leaderboard.season import Attempt, Season, placed, play_season
from speechbundles.leaderboard.uploads import Upload, read_uploads
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import FORMAT, MINUTES
from speechbundles.model.fetched import DELETED, VANISHED, Fetched, folders_of, read_index
from speechbundles.model.platform import FORCE_ALL, PICKED
from speechbundles.model.statuses import AWAITING, IGNORE, meaning_of
from speechbundles.model.submissions import INDEX
from speechbundles.model.text import Progress, grouped, silent
from speechbundles.model.zips import reference_zip
from spokeneval.formats.problems import FREE_ATTEMPT, count_of
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.ranking.leaderboard import Entry, Leaderboard, System
from spokeneval.ranking.ranks import ranks_known, shared_places
from spokeneval.ranking.systems import rank_systems
from spokeneval.report.verdict import TIE
from spokeneval.scoring.options import Step, steps_between
from spokeneval.task import Column, Task

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
    season: what became of each submission until then.
    names: the anonymous names of owners; empty if they have their own.
    """

    title: str
    phases: tuple[Leaderboard, ...]
    until: datetime
    following: datetime | None
    coarse: bool
    changes: tuple[tuple[str, str], ...]
    left_out: tuple[str, ...]
    waiting: int
    season: Season = field(compare=False)
    names: Mapping[str, str]

    @property
    def columns(self) -> Sequence[Column]:
        """The columns of every phase, the primary score first."""
        return self.phases[0].columns

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
    folder: Path,
    rules: HomeRules,
    now: datetime,
    jobs: int | None = None,
    progress: Progress = silent,
) -> HomeBoard:
    """Score what is not scored yet, and return the leaderboard.

    Parameters
    ----------
    bundle: the zip for the platform that has all labels.
    folder: a folder that `fetch` wrote, or one for `season`.
    now: the current time, in UTC. If a submission of a season is later, as in a rehearsal, its day is over.
    jobs, progress: as for `play_season`.

    Raises
    ------
    OrganiserError: the folder or the bundle cannot be used.
    """
    private, left_out, uploads = private_folder(folder), list[str](), read_all_uploads(folder)
    work, latest = private, now
    if not (folder / INDEX).is_file():
        work, last = private / bundle.stem, [*uploads][-1].time
        latest = now if last <= now else last + timedelta(days=1)
    until = datetime.combine(latest.date(), time()) if rules.daily else latest
    due = {upload: run for upload, run in uploads.items() if upload.time < until}
    season, on_board = play_uploads(bundle, due, work, left_out, jobs, progress)
    built, owners = season.bundle, {attempt.submission.team for attempt in season.attempts}
    names = anonymous_names(private, owners) if rules.anonymous else {}
    steps = {reference_zip(name): step for name, step in rules.sets.items()}
    phases = [phase for phase in built.phases if phase.reference_data in steps]
    boards = []
    for phase in phases:
        attempts = on_board.get(phase, [])
        board = _board(built, phase, attempts, names)
        if rules.exact is None:
            board = compare_steps(board, steps[str(phase.reference_data)])
        else:
            board = _compare(board, rules.exact, bundle, phase, attempts, work, jobs)
        boards.append(board)
    is_final = not rules.daily or all(phase.closes and phase.closes <= until for phase in phases)
    return HomeBoard(
        title=built.title,
        phases=tuple(boards),
        until=until,
        following=None if is_final else until + timedelta(days=1),
        coarse=rules.exact is None,
        changes=record_changes(work, built, phases, now),
        left_out=tuple(left_out),
        waiting=len(uploads) - len(due),
        season=season,
        names=names,
    )


def play_uploads(
    bundle: Path,
    uploads: Mapping[Upload, Fetched | None],
    work: Path,
    left_out: list[str],
    jobs: int | None,
    progress: Progress,
) -> tuple[Season, dict[BuiltPhase, list[Attempt]]]:
    """Score uploads that are not scored yet; return the season, and the runs on the board of each phase, best first.

    Parameters
    ----------
    uploads: as returned by `read_all_uploads`.
    work: a private folder for results.
    left_out: receives the runs that are on no board, each with the reason.
    """
    season = play_season(bundle, [*uploads], work, jobs, progress)
    finished: dict[BuiltPhase, list[Attempt]] = {}
    for attempt in season.attempts:
        upload = attempt.submission
        if reason := _why_left_out(attempt, uploads[upload]):
            to = upload.phase or (attempt.phase.name if attempt.phase else "no phase")
            left_out.append(f"{to}  {upload.team}  {upload.name}  {reason}")
        elif attempt.phase:
            finished.setdefault(attempt.phase, []).append(attempt)
    chosen = any(uploads.values())  # by participants, on the platform
    shown = {
        each: replace(each, rule=FORCE_ALL) if chosen and each.rule in PICKED else each for each in finished
    }
    return season, {phase: placed(season.bundle, shown[phase], own) for phase, own in finished.items()}


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


def read_all_uploads(folder: Path, phase: str | None = None) -> dict[Upload, Fetched | None]:
    """Return the uploads in a folder, in order; those that `fetch` wrote (of a phase, if given), with their runs."""
    if not (folder / INDEX).is_file():
        return dict.fromkeys(read_uploads(folder))
    uploads: dict[Upload, Fetched | None] = {}
    for run in runs_of_uploads([run for run in read_index(folder) if phase in (None, run.phase)]):
        reason: object = run.note or "its upload was not fetched"
        path = folder / run.submission
        try:
            digest = sha256(path, MAX_BYTES) if run.submission else ""
        except (OSError, ValueError) as error:
            digest, reason = "", error.strerror if isinstance(error, OSError) else error
        unreadable = "" if digest else f"{reason}"
        uploads[Upload(run.time, run.owner, f"{run.id}", path, digest, run.phase, unreadable)] = run
    return dict(sorted(uploads.items(), key=lambda pair: (pair[0].time, int(pair[0].name))))


def _why_left_out(attempt: Attempt, run: Fetched | None) -> str:
    """Return why a run is not on the board; empty if it is."""
    if attempt.phase is None:
        return (
            f"{run.phase} was not open at {run.time:{FORMAT}}" if run else "; ".join(attempt.result.reasons)
        )
    if run and run.status == AWAITING:
        return "awaits validation"
    if run and run.note in (DELETED, VANISHED):
        return "withdrawn by its owner"
    if attempt.status != FINISHED:
        reasons = [" ".join(line.split()) for line in attempt.result.reasons if line != FREE_ATTEMPT]
        return f"{attempt.status}: {'; '.join(reasons)}"
    is_picked = run is None or attempt.phase.rule not in PICKED or run.on_board
    return "" if is_picked else "not chosen by its owner for the leaderboard"


def _board(
    bundle: BuiltBundle, phase: BuiltPhase, placed: Sequence[Attempt], names: Mapping[str, str]
) -> Leaderboard:
    """Return the leaderboard of a phase; `names`: the anonymous names of owners, whose uploads then have no times."""
    column, columns = bundle.ranking_column(), [each for each in bundle.columns if not each.hidden]
    keys, entries = [each.key for each in columns], []
    places = shared_places([attempt.score(column.key) for attempt in placed])
    for attempt, (rank, tied) in zip(placed, places, strict=True):
        upload = attempt.submission
        scores = {key: score for key in keys if (score := attempt.score(key)) is not None}
        shown = {key: attempt.result.shown.get(key, "") for key in keys}
        when, name = None if names else upload.time, names.get(upload.team, upload.team)
        primary = float(scores[column.key]) if column.key in scores else math.nan
        entries.append(Entry(rank, tied, name, primary, scores=scores, shown=shown, time=when))
    return Leaderboard(column, entries, phase=phase.name, columns=columns)


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


def _compare(
    board: Leaderboard,
    task: Task,
    bundle: Path,
    phase: BuiltPhase,
    placed: Sequence[Attempt],
    work: Path,
    jobs: int | None,
) -> Leaderboard:
    """Compare entries by the counts of each unit, as `rank` does; as they are if a run fails now.

    The outputs with these counts are in a folder for each team, or for each of its entries if there are several.
    """
    if not placed:
        return board
    out, folders = work / _SCORED / str(phase.number), folders_of(each.submission.team for each in placed)
    several = phase.rule in (FORCE_ALL, *PICKED)
    submissions = {
        folders[each.team] + (f"_{Path(each.name).stem}" if several else ""): each.path
        for each in (attempt.submission for attempt in placed)
    }
    if score_all(bundle, submissions, out, phase=phase.name, jobs=jobs).failed:
        return board  # it has their scores from an earlier run
    systems = [
        System(entry.name, {board.column.key: entry.score}, {}, output.statistics)
        for entry, output in zip(board.rows, read_outputs([out / name for name in submissions]), strict=False)
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
