"""The uploads to a phase, their scores with a bundle's files, and the resulting leaderboard."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from speechbundles.bundle.rehearse import FINISHED, KeptResult, read_result, rehearse_all
from speechbundles.leaderboard.season import Attempt, placed, ranked
from speechbundles.leaderboard.uploads import Upload
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.fetched import Fetched, upload_times
from speechbundles.model.platform import FORCE_ALL, PICKED
from speechbundles.model.statuses import IGNORE, REPEAT, WAIT
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.api import Connection
from speechbundles.server.compared import different_scores
from speechbundles.server.served_files import wanted_files
from spokeneval.ranking.leaderboard import Entry

SCORED = ".scored"
"""The folder with the results of runs here, so that no upload is scored twice."""
_FORMAT = "amend 1"


@dataclass(frozen=True)
class Entrant:
    """An upload on the server.

    Attributes
    ----------
    runs: its runs; the newest, the last one, replaces the others.
    path: the uploaded file; None if it was deleted on the server, or its run is accepted as it is.
    uploaded: the time of the upload, in UTC; equal scores are in this order.
    result: its result with a bundle's files; None if it was not scored.
    hidden: the bundle's hidden columns.
    accepted: whether its run is accepted as it is, even if it never ends.
    """

    upload: str
    runs: tuple[api.LiveRun, ...]
    path: Path | None
    sha256: str
    uploaded: datetime
    accepted: bool
    result: KeptResult | None = None
    hidden: frozenset[str] = frozenset()

    @property
    def run(self) -> api.LiveRun:
        """The newest run."""
        return self.runs[-1]

    @property
    def is_run_again(self) -> bool:
        return self.path is not None and self.run.meaning.amend == REPEAT

    @property
    def is_under_way(self) -> bool:
        return not self.accepted and self.run.meaning.amend == WAIT


def read_entrants(
    connection: Connection,
    phase: api.LivePhase,
    fetched: Sequence[Fetched],
    folder: Path,
    accepted: Collection[int] = (),
) -> list[Entrant]:
    """Return the uploads to a phase, sorted by their times; cancelled and withdrawn runs are left out.

    Parameters
    ----------
    accepted: runs that stay as they are on the server.
    """
    known, times = {run.id: run for run in fetched}, upload_times(fetched)
    runs: dict[str, list[api.LiveRun]] = {}
    for run in api.list_runs(connection, phase.id):
        found = known.get(run.id)
        if found and run.meaning.amend != IGNORE and not run.withdrawn:
            runs.setdefault(f"{run.owner} {found.upload or run.id}", []).append(run)
    entrants = []
    for own in runs.values():
        row = known[own[-1].id]
        stays = any(run.id in accepted for run in own)
        path = folder / row.submission if row.submission and not (own[-1].deleted or stays) else None
        upload = row.upload or str(row.id)
        entrants.append(Entrant(upload, tuple(own), path, row.sha256, times[row.id], stays))
    return sorted(entrants, key=lambda entrant: (entrant.uploaded, entrant.run.id))


def score_entrants(
    bundle: BuiltBundle,
    phase: BuiltPhase,
    entrants: Sequence[Entrant],
    folder: Path,
    jobs: int | None = None,
    progress: Progress = silent,
) -> list[Entrant]:
    """Return the uploads with their results with the bundle's files. Results are stored, so that none is run twice."""
    work = folder / SCORED
    work.mkdir(exist_ok=True)
    due = {_key(bundle, phase, entrant.sha256): entrant for entrant in entrants if entrant.is_run_again}
    kept = {name: result for name in due if (result := read_result(work / f"{name}.json"))}
    needed = {name: (phase, each.path) for name, each in due.items() if each.path and name not in kept}
    results = {due[name].sha256: result for name, result in kept.items()}
    for name, result in rehearse_all(bundle, needed, work, jobs):
        results[due[name].sha256] = result
        progress(len(results), len(due))
    hidden = bundle.hidden_columns
    return [replace(entrant, result=results.get(entrant.sha256), hidden=hidden) for entrant in entrants]


def _key(bundle: BuiltBundle, phase: BuiltPhase, upload: str) -> str:
    """Return a name for a result: a digest of everything that it depends on."""
    parts = {part: digest_of(content) for part, content in wanted_files(bundle, phase, api.PARTS).items()}
    return digest_of(json.dumps([_FORMAT, parts, phase.seconds, repr(bundle.columns), upload]).encode())


def stored_scores(scores: Mapping[str, Decimal | None]) -> dict[str, Decimal]:
    return {key: score for key, score in scores.items() if score is not None}


def differs(entrant: Entrant, run: api.LiveRun | None = None) -> bool:
    """Whether the status or the scores of a run on the server differ from those here. Default: the newest run."""
    result, run = entrant.result, run or entrant.run
    if result is None or result.status != run.status:
        return result is not None
    different = different_scores(stored_scores(result.scores), run.scores, entrant.hidden)
    return result.status == FINISHED and bool(different)


def ended_otherwise(entrant: Entrant) -> list[api.LiveRun]:
    """Return the runs of an upload that have ended, but not as here."""
    return [run for run in entrant.runs if run.meaning.ends and differs(entrant, run)]


def is_left(entrant: Entrant, last: int | None) -> bool:
    """Whether an upload is still to be run again: it has no new run, or one that ended differently.

    Parameters
    ----------
    last: id of the last run with the earlier files; None if the files have not been replaced.
    """
    return entrant.is_run_again and (last is None or entrant.run.id <= last or differs(entrant))


def replaced_runs(entrant: Entrant, last: int) -> list[api.LiveRun]:
    """Return the runs of an upload that a newer one replaces; none until one has ended as here.

    Of several new runs, the one on the leaderboard is kept, else the newest. `last`: as for `is_left`.
    """
    new = [run for run in entrant.runs if run.id > last and run.meaning.ends]
    good = [run for run in new if not differs(entrant, run)]
    if not good or any(run.meaning.amend == WAIT for run in entrant.runs):
        return []
    kept = next((run for run in good if run.on_board), good[-1])
    return [run for run in entrant.runs if run is not kept]


def predict(
    bundle: BuiltBundle, phase: BuiltPhase, entrants: Sequence[Entrant], picked: Collection[str]
) -> list[Entry]:
    """Return the leaderboard as it will be; deleted uploads keep their current scores."""
    attempts = []
    for entrant in entrants:
        run = entrant.run
        result = (entrant.path and entrant.result) or KeptResult(run.status, run.scores, {}, (), ())
        if result.status == FINISHED and (phase.rule not in PICKED or entrant.upload in picked):
            path = entrant.path or Path()
            submission = Upload(entrant.uploaded, run.owner, entrant.upload, path, entrant.sha256)
            attempts.append(Attempt(submission, phase, result))
    shown = replace(phase, rule=FORCE_ALL) if phase.rule in PICKED else phase
    return ranked(bundle, shown, placed(bundle, shown, attempts))


def picked_uploads(phase: BuiltPhase, entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """Return the uploads on the leaderboard, if participants choose its entries."""
    is_picked = phase.rule in PICKED
    return tuple(entrant.upload for entrant in entrants if is_picked and entrant.run.on_board)


def holder_of(phase: BuiltPhase, team: str, upload: str) -> str:
    """Return the holder of a leaderboard entry: a team, or an upload if a team can have several entries."""
    return f"{team} {upload}" if phase.rule in (FORCE_ALL, PICKED[-1]) else team
