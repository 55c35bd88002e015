"""Plan an amendment: what a corrected bundle changes on the server, and the leaderboard that it gives."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import BundleError, OrganiserError, Refused
from speechbundles.model.fetched import Fetched
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.amendment import (
    MOST_SHOWN,
    AmendedPhase,
    Amendment,
    notes_on,
    read_state,
    unfinished,
)
from speechbundles.server.api import Connection
from speechbundles.server.compared import check_served, different_texts, read_bundle, wanted_texts
from speechbundles.server.entrants import (
    Entrant,
    ended_otherwise,
    holder_of,
    is_left,
    picked_uploads,
    predict,
    read_entrants,
    score_entrants,
)
from speechbundles.server.fetch import fetch_competition
from speechbundles.server.served_files import ServedFiles, wanted_files
from spokeneval.formats.problems import some_of


def plan_amendment(
    connection: Connection,
    path: Path,
    competition: int,
    folder: Path,
    *,
    accept: Sequence[int] = (),
    earlier: Path | None = None,
    jobs: int | None = None,
    fetching: Progress = silent,
    scoring: Progress = silent,
) -> Amendment:
    """Compute the changes that a bundle would make, without changing anything on the server.

    Parameters
    ----------
    path: a built zip that differs from the competition only in programs, data, pages and kits.
    folder: the folder into which the submissions are fetched.
    accept: runs that are accepted as they are on the server, for example because a file was lost there.
    earlier: the bundle that is on the server now, for the files that the server does not provide.
    jobs: number of parallel runs.
    fetching, scoring: called with the number of finished runs, and their total.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, has no leaderboard, belongs to another competition, or has several
        tasks in a phase; or another amendment is in progress; or the server does not provide its files, and `earlier`
        is missing or another competition's.
    """
    bundle = read_bundle(path)
    bundle.ranking_column()
    live = api.read_competition(connection, competition)
    check_served(bundle, live, texts=False)
    runs = fetch_competition(connection, competition, folder, progress=fetching).runs
    digest = sha256(path, LARGEST_BUNDLE)
    state = read_state(folder, digest)
    if unknown := sorted(set(accept) - {run.id for run in runs}):
        listed = some_of([*map(str, unknown)])
        raise OrganiserError(f"--accept {listed}: no such run in competition {competition}")
    accepted = tuple(sorted({*accept, *(state.accepted if state else ())}))
    files = ServedFiles(connection, state.known if state else {})
    if earlier:
        before = read_bundle(earlier)
        check_served(before, live, texts=False)
        files.assume(before, live, earlier)
    phases = _different_phases(files, bundle, live)
    kits = {
        phase.id: own
        for built, phase, kinds in phases
        if (own := wanted_files(bundle, built, [kind for kind in kinds if kind in api.KITS]))
    }  # without kits that the bundle lacks: these stay
    texts = wanted_texts(bundle) if different_texts(bundle, live) else None
    amendment = Amendment(bundle, digest, competition, folder, (), texts, kits, state, accepted, files, jobs)
    amended = []
    for built, phase, kinds in phases:
        parts = tuple(kind for kind in kinds if kind in api.PARTS)
        if state is None or phase.id in state.phases:
            amended.append(_amended(amendment, built, phase, parts, runs, scoring))
    return replace(amendment, phases=tuple(filter(None, amended)))


def _different_phases(
    files: ServedFiles, bundle: BuiltBundle, live: Mapping[str, Any]
) -> list[tuple[BuiltPhase, api.LivePhase, tuple[str, ...]]]:
    """Return each phase with the kinds of its files that differ; see `ServedFiles.different_phases`."""
    try:
        return files.different_phases(bundle, live)
    except Refused as refusal:
        raise OrganiserError(
            f"{refusal}, or --from with the bundle that is on the server now. Nothing was changed"
        ) from None


def _amended(
    amendment: Amendment,
    built: BuiltPhase,
    phase: api.LivePhase,
    parts: tuple[str, ...],
    runs: Sequence[Fetched],
    scoring: Progress,
) -> AmendedPhase | None:
    """Return a phase with its leaderboards; of an amendment that has not begun, also with notes on its old scores.

    None is returned if no part differs, and all scores and the leaderboard are as here.
    """
    bundle, folder, state = amendment.bundle, amendment.folder, amendment.state
    entrants = read_entrants(amendment.files.connection, phase, runs, folder, amendment.accepted)
    notes, busy = [], []
    if state is None:
        notes = _check_old(amendment, built, phase, parts, entrants, scoring)
        busy = unfinished(entrants, amendment.page)
    entrants = score_entrants(bundle, built, entrants, folder, amendment.jobs, scoring)
    left = sum(is_left(entrant, state.last if state else None) for entrant in entrants)
    rows = _live_board(amendment, built, phase, entrants)
    after = predict(bundle, built, entrants, state.picked if state else picked_uploads(built, entrants))
    key = bundle.ranking_column().key
    wanted = [(holder_of(built, each.name, each.upload), each.scores.get(key)) for each in after]
    if not (parts or state or any(map(ended_otherwise, entrants)) or rows != wanted):
        return None
    before = {holder: (rank, score) for rank, (holder, score) in reversed([*enumerate(rows, 1)])}
    return AmendedPhase(built, phase, parts, before, after, left, (*notes, *notes_on(entrants, left), *busy))


def _live_board(
    amendment: Amendment, built: BuiltPhase, phase: api.LivePhase, entrants: Sequence[Entrant]
) -> list[tuple[str, Decimal | None]]:
    """Return the holders of the entries on the server's leaderboard, with their primary scores."""
    primary = amendment.bundle.ranking_column().key
    by_run = {run.id: (entrant, run) for entrant in entrants for run in entrant.runs}
    numbers = api.read_board(amendment.files.connection, phase.id, [run for _, run in by_run.values()])
    on_board = [by_run[number] for number in numbers if number in by_run]
    return [(holder_of(built, run.owner, each.upload), run.scores.get(primary)) for each, run in on_board]


def _check_old(
    amendment: Amendment,
    built: BuiltPhase,
    phase: api.LivePhase,
    parts: Sequence[str],
    entrants: Sequence[Entrant],
    progress: Progress,
) -> list[str]:
    """Compare the server's scores with those that its own files give here; return notes on differences.

    Parameters
    ----------
    parts: the parts in which the server's files differ from the bundle's.
    """
    bundle, files = amendment.bundle, amendment.files
    keys = api.read_parts(files.connection, phase.tasks[0])
    names = {part: f"served/{part}.zip" if part in keys else None for part in parts}
    served = {str(names[part]): files.content(keys[part]) for part in parts if part in keys}
    old_phase = replace(built, tasks=(replace(built.tasks[0], **names),))  # type: ignore[arg-type]
    old = replace(bundle, files={**bundle.files, **served})
    try:
        scored = score_entrants(old, old_phase, entrants, amendment.folder, amendment.jobs, progress)
    except BundleError as error:
        return [f"the programs and data now on the server cannot be rehearsed: {error}"]
    unlike = [odd for entrant in scored if (odd := ended_otherwise(entrant))]
    if not unlike:
        return []
    count = len({entrant.sha256 for entrant in scored if entrant.result})
    runs = some_of([str(run.id) for odd in unlike for run in odd], MOST_SHOWN)
    return [f"{len(unlike)} of {count} uploads have other scores on the server than here; runs: {runs}"]
