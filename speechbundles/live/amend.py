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

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.live import api
from speechbundles.live.connection import Connection, Progress
from speechbundles.live.entrants import (
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
from speechbundles.live.fetch import fetch
from speechbundles.live.publish import (
    check_served,
    different_parts,
    different_scores,
    number,
    read_bundle,
    read_dataset,
    read_served_files,
    wanted_files,
    wanted_kits,
)
from speechbundles.live.served import different_texts, wanted_texts
from speechbundles.live.wait import wait_for_runs
from speechbundles.model.archive import LARGEST_BUNDLE
from speechbundles.model.bounded import parse_json, read_file, sha256
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import BundleError, Gone, OrganiserError, Refused
from speechbundles.model.fetched import write_whole
from speechbundles.model.text import text_table
from speechbundles.platforms.facts import FORCE_LAST, PICKED
from speechbundles.rehearse import FINISHED
from speechbundles.season import Entry
from spokeneval.formats.problems import count_of, some_of

STATE = "amending.json"
"""The file in the folder that exists while an amendment is in progress."""
AT_HOME = (
    "Its labels stay at home. Corrected labels need no amendment: run `board` to compute all scores again."
)
MOST_TURNS = 20
MOST_SHOWN = 10
_LARGEST_STATE = 64 << 20


@dataclass(frozen=True)
class State:
    """An amendment in progress.

    Attributes
    ----------
    bundle: SHA-256 of the bundle.
    phases: ids of the phases whose submissions are run again.
    picked: uploads that were on the leaderboard, if participants choose its entries.
    last: id of the last run before the files were replaced; None if they have not been replaced yet.
    accepted: runs that are accepted as they are on the server.
    before: pages and terms (`texts`), the keys of the tasks' parts (`tasks`) and of the phases' kits (`kits`), and the
        SHA-256 of each of these files (`sha256`), before anything was replaced.
    """

    bundle: str
    phases: tuple[int, ...]
    picked: tuple[str, ...]
    last: int | None
    accepted: tuple[int, ...] = ()
    before: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class AmendedPhase:
    """A phase whose programs or data change, and its leaderboard before and after.

    Attributes
    ----------
    parts: the parts that change; empty if they have been replaced already.
    before: the leaderboard on the server, `holder -> rank, primary score`; a holder is a team, or an upload if a team
        can have several entries.
    after: the predicted leaderboard, in order.
    reruns: how many uploads are run again; of an amendment that was interrupted, those that are left.
    notes: warnings for the organiser.
    """

    built: BuiltPhase
    live: api.LivePhase
    parts: tuple[str, ...]
    before: Mapping[str, tuple[int, Decimal | None]]
    after: tuple[Entry, ...]
    reruns: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Amendment:
    """The changes that a bundle makes to a competition.

    Attributes
    ----------
    texts: the bundle's pages and terms; None if the server has them.
    kits: starting kits and public data that change, `phase -> kind -> zip`.
    state: None if the amendment has not begun.
    accepted: runs that are accepted as they are on the server.
    """

    bundle: BuiltBundle
    sha256: str
    competition: int
    folder: Path
    phases: tuple[AmendedPhase, ...]
    texts: Mapping[str, Any] | None
    kits: Mapping[int, Mapping[str, bytes]]
    state: State | None
    accepted: tuple[int, ...]

    @property
    def empty(self) -> bool:
        return not (self.phases or self.texts or self.kits or self.state)


def plan(
    connection: Connection,
    path: Path,
    competition: int,
    folder: Path,
    *,
    accept: Sequence[int] = (),
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
    jobs: number of parallel runs.
    fetching, scoring: called with the number of finished runs, and their total.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, has no leaderboard, belongs to another competition, or has several
        tasks in a phase; or another amendment is in progress.
    """
    bundle, content = read_bundle(path)
    bundle.ranking_column()
    live = api.read_competition(connection, competition)
    check_served(content, bundle.files, live, competition, texts=False)
    haul = fetch(connection, competition, folder, progress=fetching)
    digest = sha256(path, LARGEST_BUNDLE)
    state = _read_state(folder, digest)
    accepted = tuple(sorted({*accept, *(state.accepted if state else ())}))
    if unknown := sorted(set(accept) - {run.id for run in haul.runs}):
        raise OrganiserError(
            f"--accept {some_of([*map(str, unknown)])}: no such run in competition {competition}"
        )
    live_phases = api.phases_of(live)
    phases = []
    for built, phase in zip(bundle.phases, live_phases, strict=True):
        bundle.phase(built.number)  # raises if the phase cannot be rehearsed
        served = read_served_files(connection, phase.tasks[0])
        parts = different_parts(wanted_files(bundle, built), served)
        if parts or (state and phase.id in state.phases):
            entrants = read_entrants(connection, phase, haul.runs, folder, accepted)
            notes = [] if state else _check_old(bundle, built, served, entrants, folder, jobs, scoring)
            entrants = score_entrants(bundle, built, entrants, folder, jobs, scoring)
            phases.append(
                AmendedPhase(
                    built,
                    phase,
                    parts,
                    _live_board(connection, bundle, built, phase, entrants),
                    predict(bundle, built, entrants, state.picked if state else _picked(built, entrants)),
                    left := sum(_is_left(entrant, state) for entrant in entrants),
                    (*notes, *_notes(entrants, left)),
                )
            )
    changed = different_texts(content, bundle.files, live)
    texts = wanted_texts(content, bundle.files) if changed else None
    kits = _different_kits(connection, live, wanted_kits(bundle, content, live_phases))
    return Amendment(bundle, digest, competition, folder, tuple(phases), texts, kits, state, accepted)


def _different_kits(
    connection: Connection, live: Mapping[str, Any], wanted: Mapping[int, Mapping[str, bytes]]
) -> dict[int, dict[str, bytes]]:
    """Return the kits that the server has not, or has differently. One that the bundle lacks stays."""
    keys = api.read_kits(live)
    served = {key: read_dataset(connection, key) for own in keys.values() for key in own.values()}
    found = {
        phase: {
            kind: content
            for kind, content in kits.items()
            if kind not in keys[phase] or served[keys[phase][kind]] != content
        }
        for phase, kits in wanted.items()
    }
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
    bundle, folder = amendment.bundle, amendment.folder
    picked: list[str] = []
    for phase in amendment.phases:
        entrants = _fetch_entrants(connection, amendment, phase)
        busy = [str(entrant.run.id) for entrant in entrants if is_under_way(entrant)]
        if busy and amendment.state is None:
            raise OrganiserError(
                f"{phase.live.name}: unfinished runs: {some_of(busy, MOST_SHOWN)}. Wait for them, or cancel them in "
                "the browser. Nothing was changed"
            )
        picked += _picked(phase.built, entrants)
    state = amendment.state or State(
        amendment.sha256,
        tuple(phase.live.id for phase in amendment.phases),
        tuple(picked),
        None,
        before=_read_before(connection, amendment.competition),
    )
    state = replace(state, accepted=amendment.accepted)
    write_whole(folder / STATE, json.dumps(vars(state)))
    for phase in amendment.phases:
        yield from _exchange(connection, bundle, phase)
    yield from _exchange_texts(connection, amendment)
    if state.last is None:
        runs = [run.id for phase in amendment.phases for run in api.list_runs(connection, phase.live.id)]
        state = replace(state, last=max(runs, default=0))
        write_whole(folder / STATE, json.dumps(vars(state)))
    for phase in amendment.phases:
        yield from _run_again(connection, amendment, phase, state, jobs, waiting)
    for phase in amendment.phases:
        yield _prove(connection, amendment, phase, state, jobs)
    (folder / STATE).unlink()


def abandon(connection: Connection, competition: int, folder: Path) -> Iterator[str]:
    """Give the competition the programs, data, kits and pages that it had before; yield a line for each step.

    No run is deleted or repeated.

    Raises
    ------
    OrganiserError: no amendment is in progress, or something could not be restored; the message lists all of it.
    """
    state = _read_state(folder)
    if state is None:
        raise OrganiserError(
            f"{folder / STATE}: no amendment is in progress; to go back, amend with the old bundle"
        )
    if not state.before:
        raise OrganiserError(
            f"{folder / STATE}: has no record of the earlier files; amend with the old bundle"
        )
    live = api.read_competition(connection, competition)
    before, lost = state.before, []
    for task, keys in before["tasks"].items():
        try:
            api.change_parts(connection, int(task), keys)
        except Refused as refusal:
            lost.append(f"task {task}: {refusal}")
    added = {str(phase): dict.fromkeys(kits) for phase, kits in api.read_kits(live).items()}
    for phase, kits in before["kits"].items():
        for kind, key in {**added.get(phase, {}), **kits}.items():
            try:
                api.change_kit(connection, int(phase), kind, key)
            except OrganiserError as refusal:
                lost.append(f"phase {phase}, {kind}: {refusal}")
    try:
        api.change_texts(connection, live, before["texts"])
    except Refused as refusal:
        lost.append(f"pages: {refusal}")
    now = _read_before(connection, competition)
    for what in ("tasks", "kits"):
        for place, keys in before[what].items():
            served = {part: now["sha256"][key] for part, key in now[what].get(place, {}).items()}
            lost += [
                f"{what[:-1]} {place}: {part.replace('_', ' ')} is not the earlier file"
                for part, key in keys.items()
                if not before["sha256"][key] or served.get(part) != before["sha256"][key]
            ]
    texts = [
        [(page["title"], page["content"]) for page in own["texts"]["pages"]] + [own["texts"]["terms"]]
        for own in (before, now)
    ]
    if texts[0] != texts[1]:
        lost.append("the pages or the terms are not the earlier ones")
    if lost:
        lines = "\n".join(f"  {line}" for line in dict.fromkeys(lost))
        raise OrganiserError(f"competition {competition} is not as it was before:\n\n{lines}")
    yield "restored the earlier programs, data, kits, pages and terms, and compared them by their hashes"
    repeated = [
        str(run.id)
        for phase in api.phases_of(live)
        for run in (api.list_runs(connection, phase.id) if phase.id in state.phases else ())
        if state.last is not None and run.id > state.last
    ]
    if repeated:
        yield (
            f"{count_of(len(repeated), 'run')} since then, which may have scores of the abandoned bundle; no run was "
            f"deleted or repeated: {some_of(repeated, MOST_SHOWN)}"
        )
    (folder / STATE).unlink()


def _read_before(connection: Connection, competition: int) -> dict[str, Any]:
    """Return the state of a competition that `abandon` restores; keys of objects are texts, as in JSON."""
    live = api.read_competition(connection, competition)
    tasks = {
        str(task): api.read_parts(connection, task) for phase in api.phases_of(live) for task in phase.tasks
    }
    kits = {str(phase): keys for phase, keys in api.read_kits(live).items()}
    keys = {key for own in (*tasks.values(), *kits.values()) for key in own.values()}
    digests = {key: _digest_of(connection, key) for key in sorted(keys)}
    return {"texts": api.read_texts(live), "tasks": tasks, "kits": kits, "sha256": digests}


def _digest_of(connection: Connection, key: str) -> str:
    """Return the SHA-256 of a dataset; empty if the server does not provide it."""
    try:
        return hashlib.sha256(read_dataset(connection, key)).hexdigest()
    except (Gone, Refused):
        return ""


def _exchange_texts(connection: Connection, amendment: Amendment) -> Iterator[str]:
    """Give the competition the bundle's kits, pages and terms."""
    for phase, kits in amendment.kits.items():
        for kind, content in kits.items():
            key = api.upload_file(connection, kind, f"{kind}.zip", content)
            api.finish_upload(connection, key)
            api.change_kit(connection, phase, kind, key)
            served = api.read_kits(api.read_competition(connection, amendment.competition))
            if read_dataset(connection, served[phase].get(kind, key)) != content or kind not in served[phase]:
                raise OrganiserError(f"the server accepted a new {kind}, but does not return it")
    if amendment.kits:
        yield f"replaced {_kinds(amendment)}"
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


def _kinds(amendment: Amendment) -> str:
    kinds = dict.fromkeys(kind for kits in amendment.kits.values() for kind in kits)
    return ", ".join(kind.replace("_", " ") for kind in kinds)


def _fetch_entrants(connection: Connection, amendment: Amendment, phase: AmendedPhase) -> list[Entrant]:
    """Return the uploads to a phase that are on the server now."""
    fetched = fetch(connection, amendment.competition, amendment.folder).runs
    return read_entrants(connection, phase.live, fetched, amendment.folder, amendment.accepted)


def to_text(amendment: Amendment) -> str:
    """Return a table for each phase: ranks and scores before and after."""
    if amendment.empty:
        same = "The server already has the programs and data of this bundle; there is nothing to amend."
        return f"{same} {AT_HOME}" if amendment.bundle.only_receives else same
    lines: list[str] = []
    if amendment.texts:
        lines += ["pages and terms: replaced", ""]
    if amendment.kits:
        lines += [f"{_kinds(amendment)}: replaced", ""]
    for phase in amendment.phases:
        what = ", ".join(part.replace("_", " ") for part in phase.parts) or "already replaced"
        lines += [f"{phase.live.name}: {what}; {count_of(phase.reruns, 'submission')} to run again", ""]
        lines += _table(amendment.bundle, phase)
        lines += ["", *(f"  {note}" for note in phase.notes), *[""] * bool(phase.notes)]
    return "\n".join(lines).rstrip()


def _table(bundle: BuiltBundle, phase: AmendedPhase) -> list[str]:
    primary = bundle.ranking_column()
    rows = [("rank", "was", "", primary.title, "was", "change")]
    left = dict(phase.before)
    for entry in phase.after:
        score, submission = entry.attempt.score(primary.key), entry.attempt.submission
        was, old = left.pop(holder_of(phase.built, submission.team, submission.name), (None, None))
        change = (
            "" if score is None or old is None else "=" if score == old else f"{(score - old).normalize():+f}"
        )
        rows.append(
            (
                str(entry.rank),
                "-" if was is None else str(was),
                submission.team,
                number(score),
                number(old),
                change,
            )
        )
    for holder, (was, old) in left.items():
        rows.append(("-", str(was), holder, "-", number(old), ""))
    return text_table(rows, left={2})


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


def _notes(entrants: Sequence[Entrant], again: int) -> list[str]:
    gone = [str(entrant.run.id) for entrant in entrants if entrant.path is None]
    notes = [f"{count_of(again, 'new run')} will count towards the teams' daily limits"] if again else []
    odd = {
        str(entrant.run.id): entrant.result.warnings
        for entrant in entrants
        if entrant.result and entrant.result.warnings
    }
    for warning in dict.fromkeys(warning for warnings in odd.values() for warning in warnings):
        runs = [run for run, warnings in odd.items() if warning in warnings]
        notes.append(f"{warning}; runs: {some_of(runs, MOST_SHOWN)}")
    if gone:
        notes.append(
            f"runs that cannot be repeated, because the upload was deleted: {some_of(gone, MOST_SHOWN)}"
        )
    return notes


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


def _exchange(connection: Connection, bundle: BuiltBundle, phase: AmendedPhase) -> Iterator[str]:
    """Give the phase's task the bundle's files. The old files stay on the server, so that they can be restored."""
    if not phase.parts:
        return
    task = phase.live.tasks[0]
    wanted = wanted_files(bundle, phase.built)
    keys = {part: key for part, key in api.read_parts(connection, task).items() if part in wanted}
    for part in phase.parts:
        if part in wanted:
            keys[part] = api.upload_file(connection, part, f"{part}.zip", wanted[part])
            api.finish_upload(connection, keys[part])
    api.change_parts(connection, task, keys)
    if read_served_files(connection, task) != wanted:
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


def _read_state(folder: Path, bundle: str | None = None) -> State | None:
    path = folder / STATE
    if not path.exists():
        return None
    try:
        content = parse_json(read_file(path, _LARGEST_STATE))
        state = State(
            content["bundle"],
            tuple(content["phases"]),
            tuple(content["picked"]),
            content["last"],
            tuple(content.get("accepted", ())),
            content.get("before", {}),
        )
    except (OSError, KeyError, TypeError, ValueError) as error:
        raise OrganiserError(f"{path}: cannot be read ({error!s:.100})") from None
    if bundle is not None and state.bundle != bundle:
        raise OrganiserError(
            f"{path}: an amendment with another bundle is in progress; finish it with that bundle, or --abandon it"
        )
    return state
