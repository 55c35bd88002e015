"""Amend a competition in mid-season: replace programs or data, and run every submission again.

A server keeps old scores when a program or the labels are replaced, and it runs a submission again only as a further
run. So each upload is run again, in the order of the uploads, and its previous run is deleted; the files of that run
stay in the folder. Otherwise the leaderboard would choose a team's best from old and new scores, and each upload would
count twice towards the team's limits. A previous run is deleted only after the new one has ended as predicted. The new
leaderboard is computed here before anything is changed, and afterwards compared with the server's. Pages, terms and
starting kits that differ are replaced too. The same command continues an amendment that was interrupted, and
`abandon` restores the earlier files.

Each phase must have one task, as in all bundles that are built here; other bundles are refused.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import BundleError, OrganiserError, Refused
from speechbundles.platforms.facts import FORCE_LAST, PICKED
from speechbundles.server import api
from speechbundles.server.abandon import read_before
from speechbundles.server.amendment import (
    MOST_SHOWN,
    STATE,
    AmendedPhase,
    Amendment,
    State,
    kinds_of,
    notes_on,
    read_state,
    unfinished,
)
from speechbundles.server.compared import check_served, different_scores, read_bundle
from speechbundles.server.connection import Connection, Progress
from speechbundles.server.entrants import (
    Entrant,
    differs,
    holder_of,
    is_run_again,
    is_under_way,
    predict,
    read_entrants,
    replaced_runs,
    score_entrants,
    stored_scores,
)
from speechbundles.server.fetch import fetch
from speechbundles.server.files import ServedFiles, wanted_files, wanted_kits
from speechbundles.server.served import different_texts, wanted_texts
from speechbundles.server.wait import wait_for_runs
from spokeneval.formats.problems import count_of, some_of

MOST_TURNS = 20


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
    live = api.read_competition(connection, competition)
    check_served(content, bundle.files, live, competition, texts=False)
    haul = fetch(connection, competition, folder, progress=fetching)
    digest = sha256(path, LARGEST_BUNDLE)
    state = read_state(folder, digest)
    accepted = tuple(sorted({*accept, *(state.accepted if state else ())}))
    if unknown := sorted(set(accept) - {run.id for run in haul.runs}):
        raise OrganiserError(
            f"--accept {some_of([*map(str, unknown)])}: no such run in competition {competition}"
        )
    live_phases = api.phases_of(live)
    files = ServedFiles(connection, state.known if state else {})
    if earlier:
        _assume(files, earlier, live, competition)
    try:
        parts = [
            files.different_parts(phase.tasks[0], wanted_files(bundle, built))
            for built, phase in zip(bundle.phases, live_phases, strict=True)
        ]
        kits = _different_kits(files, live, wanted_kits(bundle, content, live_phases))
    except Refused as refusal:
        raise OrganiserError(
            f"{refusal}, or --from with the bundle that is on the server now. Nothing was changed"
        ) from None
    phases = []
    for built, phase, changed in zip(bundle.phases, live_phases, parts, strict=True):
        bundle.phase(built.number)  # raises if the phase cannot be rehearsed
        if changed or (state and phase.id in state.phases):
            entrants = read_entrants(connection, phase, haul.runs, folder, accepted)
            notes, busy = [], []
            if state is None:
                served = files.parts(phase.tasks[0])
                notes = _check_old(bundle, built, served, entrants, folder, jobs, scoring)
                busy = unfinished(entrants, api.page_of(connection, competition))
            entrants = score_entrants(bundle, built, entrants, folder, jobs, scoring)
            phases.append(
                AmendedPhase(
                    built,
                    phase,
                    changed,
                    _live_board(connection, bundle, built, phase, entrants),
                    predict(bundle, built, entrants, state.picked if state else _picked(built, entrants)),
                    left := sum(_is_left(entrant, state) for entrant in entrants),
                    (*notes, *notes_on(entrants, left), *busy),
                )
            )
    other_texts = different_texts(content, bundle.files, live)
    texts = wanted_texts(content, bundle.files) if other_texts else None
    return Amendment(bundle, digest, competition, folder, tuple(phases), texts, kits, state, accepted, files)


def _assume(files: ServedFiles, earlier: Path, live: Mapping[str, Any], competition: int) -> None:
    """Take the files of the earlier bundle for those that the server does not provide."""
    bundle, content = read_bundle(earlier)
    check_served(content, bundle.files, live, competition, texts=False)
    files.assume(bundle, content, live, earlier)


def _different_kits(
    files: ServedFiles, live: Mapping[str, Any], wanted: Mapping[int, Mapping[str, bytes]]
) -> dict[int, dict[str, bytes]]:
    """Return the kits that the server has not, or has differently. One that the bundle lacks stays."""
    found = {}
    for phase, keys in api.read_kits(live).items():
        different = files.different_kits(keys, wanted[phase])
        found[phase] = {kind: zipped for kind, zipped in wanted[phase].items() if kind in different}
    return {phase: kits for phase, kits in found.items() if kits}


def carry_out(
    connection: Connection,
    amendment: Amendment,
    *,
    jobs: int | None = None,
    waiting: Progress | None = None,
) -> Iterator[str]:
    """Replace the files, run every submission again, wait, and compare the leaderboards; yield a line for each step.

    Raises
    ------
    OrganiserError: a step failed, or a leaderboard differs from the prediction. Run the same command to continue.
    """
    folder = amendment.folder
    picked: list[str] = []
    for phase in amendment.phases:
        entrants = _fetch_entrants(connection, amendment, phase)
        busy = unfinished(entrants, api.page_of(connection, amendment.competition))
        if busy and amendment.state is None:
            raise OrganiserError(f"{phase.live.name}: {busy[0]}. Nothing was changed")
        picked += _picked(phase.built, entrants)
    state = amendment.state or State(
        amendment.sha256,
        tuple(phase.live.id for phase in amendment.phases),
        tuple(picked),
        None,
        before=read_before(amendment.files, amendment.competition),
    )
    state = replace(state, accepted=amendment.accepted, uploaded=amendment.files.digests)
    state.save(folder)
    for phase in amendment.phases:
        yield from _exchange(amendment, phase, state)
    yield from _exchange_texts(connection, amendment, state)
    if state.last is None:
        runs = [run.id for phase in amendment.phases for run in api.list_runs(connection, phase.live.id)]
        state = replace(state, last=max(runs, default=0))
        state.save(folder)
    for phase in amendment.phases:
        yield from _run_again(connection, amendment, phase, state, jobs, waiting)
    for phase in amendment.phases:
        yield _prove(connection, amendment, phase, state, jobs)
    (folder / STATE).unlink()


def _exchange_texts(connection: Connection, amendment: Amendment, state: State) -> Iterator[str]:
    """Give the competition the bundle's kits, pages and terms."""
    for phase, kits in amendment.kits.items():
        for kind, content in kits.items():
            key = amendment.files.upload(kind, content)
            state.save(amendment.folder)
            api.change_kit(connection, phase, kind, key)
            served = api.read_kits(api.read_competition(connection, amendment.competition))
            if kind in amendment.files.different_kits(served[phase], {kind: content}):
                raise OrganiserError(f"the server accepted a new {kind}, but does not return it")
    if amendment.kits:
        yield f"replaced {kinds_of(amendment)}"
    if amendment.texts:
        live = api.read_competition(connection, amendment.competition)
        ids = {page["title"]: page["id"] for page in api.read_texts(live)["pages"]}
        pages = [
            {**({"id": ids.pop(page["title"])} if page["title"] in ids else {}), **page}
            for page in amendment.texts["pages"]
        ]
        api.change_texts(connection, live, {"terms": amendment.texts["terms"], "pages": pages})
        shown = api.read_texts(api.read_competition(connection, amendment.competition))
        if [(page["title"], page["content"].strip()) for page in shown["pages"]] != [
            (page["title"], page["content"]) for page in pages
        ]:
            raise OrganiserError("the server accepted new pages, but does not return them")
        yield "replaced the pages"


def _fetch_entrants(connection: Connection, amendment: Amendment, phase: AmendedPhase) -> list[Entrant]:
    """Return the uploads to a phase that are on the server now."""
    fetched = fetch(connection, amendment.competition, amendment.folder).runs
    return read_entrants(connection, phase.live, fetched, amendment.folder, amendment.accepted)


def _picked(phase: BuiltPhase, entrants: Sequence[Entrant]) -> tuple[str, ...]:
    """Return the uploads on the leaderboard, if participants choose its entries."""
    if phase.rule not in PICKED:
        return ()
    return tuple(entrant.upload for entrant in entrants if entrant.run.on_board)


def _live_board(
    connection: Connection,
    bundle: BuiltBundle,
    built: BuiltPhase,
    phase: api.LivePhase,
    entrants: Sequence[Entrant],
) -> dict[str, tuple[int, Decimal | None]]:
    primary = bundle.ranking_column().key
    by_run = {run.id: (entrant, run) for entrant in entrants for run in (*entrant.older, entrant.run)}
    board: dict[str, tuple[int, Decimal | None]] = {}
    live = [run for _, run in by_run.values()]
    for position, on_board in enumerate(api.read_board(connection, phase.id, live), 1):
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
    bundle: BuiltBundle,
    built: BuiltPhase,
    served: Mapping[str, bytes],
    entrants: Sequence[Entrant],
    folder: Path,
    jobs: int | None,
    progress: Progress | None,
) -> list[str]:
    """Compare the server's scores with those that its own files give here; return notes on differences."""
    names = {part: f"served/{part}.zip" for part in served}
    old = replace(
        bundle, files={**bundle.files, **{names[part]: content for part, content in served.items()}}
    )
    old_phase = replace(built, **{part: names.get(part) for part in api.PARTS})  # type: ignore[arg-type]
    try:
        scored = score_entrants(old, old_phase, entrants, folder, jobs, progress)
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


def _exchange(amendment: Amendment, phase: AmendedPhase, state: State) -> Iterator[str]:
    """Give the phase's task the bundle's files. The old files stay on the server, so that they can be restored."""
    if not phase.parts:
        return
    task, files = phase.live.tasks[0], amendment.files
    wanted = wanted_files(amendment.bundle, phase.built)
    keys = {part: key for part, key in api.read_parts(files.connection, task).items() if part in wanted}
    keys |= {part: files.upload(part, wanted[part]) for part in phase.parts if part in wanted}
    state.save(amendment.folder)
    api.change_parts(files.connection, task, keys)
    if files.different_parts(task, wanted):
        raise OrganiserError(
            f"{phase.live.name}: the server accepted the new files, but does not return them"
        )
    yield f"{phase.live.name}: replaced {', '.join(phase.parts)}"


def _run_again(
    connection: Connection,
    amendment: Amendment,
    phase: AmendedPhase,
    state: State,
    jobs: int | None,
    waiting: Progress | None,
) -> Iterator[str]:
    """Run all uploads with the new files, in several rounds, and wait for the runs to end."""
    bundle, last = amendment.bundle, state.last or 0
    columns = [column.key for column in bundle.columns if not column.computed]
    brought_back: set[str] = set()
    repeated: set[str] = set()
    for turn in range(MOST_TURNS):
        entrants = _fetch_entrants(connection, amendment, phase)
        entrants = score_entrants(bundle, phase.built, entrants, amendment.folder, jobs)
        replaced = [run for entrant in entrants for run in replaced_runs(entrant, last)]
        for run in replaced:
            api.delete_run(connection, run.id)
        due = [entrant for entrant in entrants if is_run_again(entrant) and entrant.run.id <= last]
        if turn == 0:
            due += [entrant for entrant in entrants if entrant not in due and differs(entrant)]
        if phase.built.rule == FORCE_LAST:
            due = _first_wave(due)
        pending = [entrant.run.id for entrant in entrants if is_under_way(entrant)]
        if replaced and not due and not pending:
            continue  # read the leaderboard without them
        if not due and not pending:
            due = [
                entrant
                for entrant in _off_board(bundle, phase, entrants)
                if entrant.upload not in brought_back
            ]
            brought_back |= {entrant.upload for entrant in due}
        if not due and not pending:
            break
        for entrant in due:
            pending.append(api.run_again(connection, entrant.run.id))
            repeated.add(entrant.upload)
        wait_for_runs(connection, phase.live, pending, columns, bundle.hidden_columns, waiting)
    for entrant in entrants:
        if entrant.upload in state.picked and not entrant.run.on_board:
            api.pick(connection, entrant.run.id)
    yield f"{phase.live.name}: {count_of(len(repeated), 'submission')} run again"


def _off_board(bundle: BuiltBundle, phase: AmendedPhase, entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the uploads that should be on the leaderboard, of teams that are not on it at all.

    The server chooses a team's entry when scores of a run arrive. If the chosen run is deleted later, the team has no
    entry until its next run.
    """
    if phase.built.rule in PICKED:
        return []
    there = {run.owner for entrant in entrants for run in (*entrant.older, entrant.run) if run.on_board}
    wanted = {entry.attempt.submission.name for entry in predict(bundle, phase.built, entrants, ())}
    as_here = [
        entrant
        for entrant in entrants
        if entrant.path and entrant.run.status == FINISHED and not differs(entrant)
    ]
    due: list[Entrant] = []
    for owner in dict.fromkeys(entrant.run.owner for entrant in as_here):
        own = [entrant for entrant in as_here if entrant.run.owner == owner]
        if owner not in there:  # any run of the team makes the server choose again
            due += [entrant for entrant in own if entrant.upload in wanted] or own[-1:]
    return due


def _first_wave(due: Sequence[Entrant]) -> list[Entrant]:
    """Return the runs to start first, if the last run to end is on the leaderboard.

    These are all runs except each owner's last successful one, or all if no others are due.
    """
    good = [entrant for entrant in due if entrant.result and entrant.result.status == FINISHED]
    last = {entrant.run.owner: entrant for entrant in good}
    others = [entrant for entrant in due if last.get(entrant.run.owner) is not entrant]
    return others or list(due)


def _prove(
    connection: Connection, amendment: Amendment, phase: AmendedPhase, state: State, jobs: int | None
) -> str:
    """Compare the server's leaderboard with the predicted one: teams, order, and every digit of the scores."""
    bundle = amendment.bundle
    entrants = _fetch_entrants(connection, amendment, phase)
    entrants = score_entrants(bundle, phase.built, entrants, amendment.folder, jobs)
    predicted = predict(bundle, phase.built, entrants, state.picked)
    runs = {entrant.run.id: entrant.run for entrant in entrants}
    board = [runs.get(on_board) for on_board in api.read_board(connection, phase.live.id, runs.values())]
    problems = [
        f"run {entrant.run.id} of {entrant.run.owner} is {entrant.run.status} on the server, "
        f"but {entrant.result.status} here"
        for entrant in entrants
        if entrant.result and entrant.result.status != entrant.run.status
    ]
    wanted = [entry.attempt.submission.team for entry in predicted]
    served = [run.owner if run else "an older run" for run in board]
    if wanted != served:
        problems.append(f"the order is {', '.join(served)}; expected {', '.join(wanted)}")
    for entry, run in zip(predicted, board, strict=False):
        if run and entry.attempt.result and run.owner == entry.attempt.submission.team:
            lines = different_scores(stored_scores(entry.attempt.result), run.scores, bundle.hidden_columns)
            problems += [f"{run.owner}, run {run.id}: {line}" for line in lines]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems)
        raise OrganiserError(
            f"{phase.live.name}: the leaderboard differs from the prediction:\n\n{shown}\n\nRuns that cannot end as "
            "here, because a file was lost on the server, can be accepted with --accept; --abandon goes back"
        )
    return (
        f"{phase.live.name}: the leaderboard is as predicted: {count_of(len(predicted), 'entry', 'entries')}, "
        f"{count_of(len(bundle.columns), 'column')}, every digit"
    )
