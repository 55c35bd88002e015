"""Plan an amendment: what a corrected bundle changes on the server, and the leaderboard that it gives."""

import os
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
from speechbundles.server import api
from speechbundles.server.amendment import (
    MOST_SHOWN,
    AmendedPhase,
    Amendment,
    State,
    notes_on,
    read_state,
    unfinished,
)
from speechbundles.server.compared import check_served, read_bundle
from speechbundles.server.connection import Connection, Progress
from speechbundles.server.entrants import (
    Entrant,
    differs,
    holder_of,
    is_run_again,
    picked_uploads,
    predict,
    read_entrants,
    score_entrants,
)
from speechbundles.server.fetch import Haul, fetch
from speechbundles.server.files import ServedFiles, wanted_files, wanted_kits
from speechbundles.server.served import different_texts, wanted_texts
from spokeneval.formats.problems import some_of


def plan(
    connection: Connection,
    path: Path,
    competition: int,
    folder: Path,
    *,
    accept: Sequence[int] = (),
    earlier: Path | None = None,
    jobs: int | None = None,
    fetching: Progress | None = None,
    scoring: Progress | None = None,
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
    bundle, content = read_bundle(path)
    bundle.ranking_column()
    for built in bundle.phases:
        bundle.phase(built.number)  # raises if the phase cannot be rehearsed
    live = api.read_competition(connection, competition)
    check_served(content, bundle.files, live, competition, texts=False)
    haul = fetch(connection, competition, folder, progress=fetching)
    digest = sha256(path, LARGEST_BUNDLE)
    state = read_state(folder, digest)
    accepted = _accepted(accept, state, haul, competition)
    files = ServedFiles(connection, state.known if state else {})
    if earlier:
        _assume(files, earlier, live, competition)
    phases = list(zip(bundle.phases, api.phases_of(live), strict=True))
    parts, kits = _different(files, bundle, content, live)
    texts = wanted_texts(content, bundle.files) if different_texts(content, bundle.files, live) else None
    jobs = jobs or os.cpu_count() or 1
    amendment = Amendment(bundle, digest, competition, folder, (), texts, kits, state, accepted, files, jobs)
    changes = [
        _amended(amendment, built, phase, changed, haul.runs, scoring)
        for (built, phase), changed in zip(phases, parts, strict=True)
        if changed or (state and phase.id in state.phases)
    ]
    return replace(amendment, phases=tuple(changes))


def _accepted(accept: Sequence[int], state: State | None, haul: Haul, competition: int) -> tuple[int, ...]:
    """Return the runs that are accepted as they are, also those of an amendment in progress."""
    if unknown := sorted(set(accept) - {run.id for run in haul.runs}):
        raise OrganiserError(
            f"--accept {some_of([*map(str, unknown)])}: no such run in competition {competition}"
        )
    return tuple(sorted({*accept, *(state.accepted if state else ())}))


def _assume(files: ServedFiles, earlier: Path, live: Mapping[str, Any], competition: int) -> None:
    """Take the files of the earlier bundle for those that the server does not provide."""
    bundle, content = read_bundle(earlier)
    check_served(content, bundle.files, live, competition, texts=False)
    files.assume(bundle, content, live, earlier)


def _different(
    files: ServedFiles, bundle: BuiltBundle, content: Mapping[str, Any], live: Mapping[str, Any]
) -> tuple[list[tuple[str, ...]], dict[int, dict[str, bytes]]]:
    """Return what differs on the server: the parts of each phase, and the kits, `phase -> kind -> zip`.

    A kit that the bundle lacks stays.
    """
    phases, kits = api.phases_of(live), {}
    wanted = wanted_kits(bundle, content, phases)
    try:
        parts = [
            files.different_parts(phase.tasks[0], wanted_files(bundle, built))
            for built, phase in zip(bundle.phases, phases, strict=True)
        ]
        for phase, keys in api.read_kits(live).items():
            different = files.different_kits(keys, wanted[phase])
            if own := {kind: zipped for kind, zipped in wanted[phase].items() if kind in different}:
                kits[phase] = own
    except Refused as refusal:
        raise OrganiserError(
            f"{refusal}, or --from with the bundle that is on the server now. Nothing was changed"
        ) from None
    return parts, kits


def _amended(
    amendment: Amendment,
    built: BuiltPhase,
    phase: api.LivePhase,
    changed: tuple[str, ...],
    runs: Sequence[Fetched],
    scoring: Progress | None,
) -> AmendedPhase:
    """Return a phase with its leaderboards; of an amendment that has not begun, also with notes on its old scores."""
    bundle, folder, state = amendment.bundle, amendment.folder, amendment.state
    entrants = read_entrants(amendment.files.connection, phase, runs, folder, amendment.accepted)
    notes, busy = [], []
    if state is None:
        notes = _check_old(amendment, built, phase, entrants, scoring)
        busy = unfinished(entrants, amendment.page)
    entrants = score_entrants(bundle, built, entrants, folder, amendment.jobs, scoring)
    left = sum(_is_left(entrant, state) for entrant in entrants)
    return AmendedPhase(
        built,
        phase,
        changed,
        _live_board(amendment, built, phase, entrants),
        predict(bundle, built, entrants, state.picked if state else picked_uploads(built, entrants)),
        left,
        (*notes, *notes_on(entrants, left), *busy),
    )


def _live_board(
    amendment: Amendment, built: BuiltPhase, phase: api.LivePhase, entrants: Sequence[Entrant]
) -> dict[str, tuple[int, Decimal | None]]:
    primary = amendment.bundle.ranking_column().key
    by_run = {run.id: (entrant, run) for entrant in entrants for run in (*entrant.older, entrant.run)}
    board: dict[str, tuple[int, Decimal | None]] = {}
    live = [run for _, run in by_run.values()]
    for position, on_board in enumerate(api.read_board(amendment.files.connection, phase.id, live), 1):
        if on_board in by_run:
            entrant, run = by_run[on_board]
            holder = holder_of(built, run.owner, entrant.upload)
            board.setdefault(holder, (position, run.scores.get(primary)))
    return board


def _is_left(entrant: Entrant, state: State | None) -> bool:
    """Whether an upload is still to be run again: it has no run since the exchange, or one that ended differently."""
    done = state is not None and state.last is not None and entrant.run.id > state.last
    return is_run_again(entrant) and (not done or differs(entrant))


def _check_old(
    amendment: Amendment,
    built: BuiltPhase,
    phase: api.LivePhase,
    entrants: Sequence[Entrant],
    progress: Progress | None,
) -> list[str]:
    """Compare the server's scores with those that its own files give here; return notes on differences."""
    served = amendment.files.parts(phase.tasks[0])
    names = {part: f"served/{part}.zip" for part in served}
    files = {names[part]: content for part, content in served.items()}
    old = replace(amendment.bundle, files={**amendment.bundle.files, **files})
    parts: dict[str, Any] = {part: names.get(part) for part in api.PARTS}
    old_phase = replace(built, tasks=(replace(built.tasks[0], **parts),))
    try:
        scored = score_entrants(old, old_phase, entrants, amendment.folder, amendment.jobs, progress)
    except BundleError as error:
        return [f"the programs and data now on the server cannot be rehearsed: {error}"]
    unlike = [str(entrant.run.id) for entrant in scored if differs(entrant)]
    count = len({entrant.sha256 for entrant in scored if entrant.result})
    if not unlike:
        return []
    return [
        f"{len(unlike)} of {count} uploads have other scores on the server than here; runs: "
        f"{some_of(unlike, MOST_SHOWN)}"
    ]
