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
from typing import Any

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.platform import FORCE_LAST, PICKED
from speechbundles.model.text import Progress, grouped, silent
from speechbundles.server import api
from speechbundles.server.amendment import STATE, AmendedPhase, Amendment, State, kinds_of, unfinished
from speechbundles.server.compared import different_scores
from speechbundles.server.entrants import (
    Entrant,
    differs,
    picked_uploads,
    predict,
    read_entrants,
    replaced_runs,
    score_entrants,
    stored_scores,
)
from speechbundles.server.exchange import digests_of, exchange, read_replaceable
from speechbundles.server.fetch import fetch_competition
from speechbundles.server.served_files import wanted_files
from speechbundles.server.wait import wait_for_runs
from spokeneval.formats.problems import count_of

MOST_TURNS = 20


def carry_out_amendment(amendment: Amendment, *, waiting: Progress = silent) -> Iterator[str]:
    """Replace the files, run every submission again, wait, and compare the leaderboards; yield a line for each step.

    Raises
    ------
    OrganiserError: a step failed, or a leaderboard differs from the prediction. Run the same command to continue.
    """
    connection, folder, files = amendment.files.connection, amendment.folder, amendment.files
    picked: list[str] = []
    for phase in amendment.phases:
        entrants = _entrants(amendment, phase)
        busy = unfinished(entrants, amendment.page)
        if busy and amendment.state is None:
            raise OrganiserError(f"{phase.live.name}: {busy[0]}. Nothing was changed")
        picked += picked_uploads(phase.built, entrants)
    ids = tuple(phase.live.id for phase in amendment.phases)
    state, now = amendment.state, read_replaceable(files, amendment.competition)
    if state is None:
        before = {**now, "sha256": digests_of(files, now)}
        state = State(amendment.sha256, ids, tuple(picked), None, before=before)
    state = replace(state, accepted=amendment.accepted, uploaded=files.digests)
    state.save(folder)
    yield from _exchange(amendment, state, now)
    if state.last is None:
        runs = [run.id for phase in ids for run in api.list_runs(connection, phase)]
        state = replace(state, last=max(runs, default=0))
        state.save(folder)
    for phase in amendment.phases:
        yield _run_again(amendment, phase, state, waiting)
    for phase in amendment.phases:
        yield _prove(amendment, phase, state)
    (folder / STATE).unlink()


def _exchange(amendment: Amendment, state: State, now: Mapping[str, Any]) -> list[str]:
    """Give the competition the bundle's files and texts; return a line for each step.

    The old files stay on the server, so that they can be restored.

    Parameters
    ----------
    now: what the competition has; see `exchange`.
    """
    files, tasks = amendment.files, dict[str, Any]()
    replaced = []
    for phase in (phase for phase in amendment.phases if phase.parts):
        new, task = wanted_files(amendment.bundle, phase.built, api.PARTS), str(phase.live.tasks[0])
        tasks[task] = {part: key for part, key in now["tasks"][task].items() if part in new}
        tasks[task] |= {part: files.upload(part, new[part]) for part in phase.parts if part in new}
        replaced.append(f"{phase.live.name}: replaced {', '.join(phase.parts)}")
    kits: dict[str, dict[str, str]] = {}
    for phase_id, own in amendment.kits.items():
        kits[str(phase_id)] = {kind: files.upload(kind, kit) for kind, kit in own.items()}
    wanted: dict[str, Any] = {"tasks": tasks, "kits": kits}
    if kits:
        replaced.append(f"replaced {kinds_of(amendment)}")
    if texts := amendment.texts:  # a page of the same title keeps its id
        ids = {page["title"]: {"id": page["id"]} for page in now["texts"]["pages"]}
        pages = [{**ids.pop(page["title"], {}), **page} for page in texts["pages"]]
        wanted["texts"] = {"terms": texts["terms"], "pages": pages}
        replaced.append("replaced the pages")
    state.save(amendment.folder)
    exchange(files, amendment.competition, wanted, state.known, "as in the bundle")
    return replaced


def _entrants(amendment: Amendment, phase: AmendedPhase) -> list[Entrant]:
    """Return the uploads to a phase that are on the server now."""
    connection = amendment.files.connection
    fetched = fetch_competition(connection, amendment.competition, amendment.folder).runs
    return read_entrants(connection, phase.live, fetched, amendment.folder, amendment.accepted)


def _scored(amendment: Amendment, phase: AmendedPhase) -> list[Entrant]:
    """Return the uploads to a phase that are on the server now, with their results with the bundle's files."""
    entrants = _entrants(amendment, phase)
    return score_entrants(amendment.bundle, phase.built, entrants, amendment.folder, amendment.jobs)


def _run_again(amendment: Amendment, phase: AmendedPhase, state: State, waiting: Progress) -> str:
    """Run all uploads with the new files, in several rounds, and wait for the runs to end."""
    bundle, connection, last = amendment.bundle, amendment.files.connection, state.last or 0
    columns = [column.key for column in bundle.columns if not column.computed]
    brought_back: set[str] = set()
    repeated: set[str] = set()
    for turn in range(MOST_TURNS):
        entrants = _scored(amendment, phase)
        replaced = [run for entrant in entrants for run in replaced_runs(entrant, last)]
        for run in replaced:
            api.delete_run(connection, run.id)
        due = [entrant for entrant in entrants if entrant.is_run_again and entrant.run.id <= last]
        if turn == 0:
            due += [entrant for entrant in entrants if entrant not in due and differs(entrant)]
        if phase.built.rule == FORCE_LAST:
            due = _first_wave(due)
        pending = [entrant.run.id for entrant in entrants if entrant.is_under_way]
        if not due and not pending:
            if replaced:
                continue  # read the leaderboard without them
            off_board = _off_board(bundle, phase, entrants)
            due = [entrant for entrant in off_board if entrant.upload not in brought_back]
            brought_back |= {entrant.upload for entrant in due}
            if not due:
                break
        for entrant in due:
            pending.append(api.run_again(connection, entrant.run.id))
            repeated.add(entrant.upload)
        wait_for_runs(connection, phase.live, pending, columns, bundle.hidden_columns, waiting)
    for entrant in entrants:
        if entrant.upload in state.picked and not entrant.run.on_board:
            api.pick(connection, entrant.run.id)
    return f"{phase.live.name}: {count_of(len(repeated), 'submission')} run again"


def _off_board(bundle: BuiltBundle, phase: AmendedPhase, entrants: Sequence[Entrant]) -> list[Entrant]:
    """Return the uploads that should be on the leaderboard, of teams that are not on it at all.

    The server chooses a team's entry when scores of a run arrive. If the chosen run is deleted later, the team has no
    entry until its next run.
    """
    if phase.built.rule in PICKED:
        return []
    there = {run.owner for entrant in entrants for run in entrant.runs if run.on_board}
    wanted = {entry.upload for entry in predict(bundle, phase.built, entrants, ())}
    finished = (each for each in entrants if each.path and each.run.status == FINISHED and not differs(each))
    missing = grouped((each.run.owner, each) for each in finished if each.run.owner not in there)
    due: list[Entrant] = []
    for own in missing.values():  # any run of the team makes the server choose again
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


def _prove(amendment: Amendment, phase: AmendedPhase, state: State) -> str:
    """Compare the server's leaderboard with the predicted one: teams, order, and every digit of the scores."""
    bundle, connection = amendment.bundle, amendment.files.connection
    entrants = _scored(amendment, phase)
    as_run = [replace(entrant, uploaded=entrant.run.created) for entrant in entrants]
    predicted = predict(bundle, phase.built, as_run, state.picked)
    runs = {entrant.run.id: entrant.run for entrant in entrants}
    board = [runs.get(number) for number in api.read_board(connection, phase.live.id, runs.values())]
    problems = [
        f"run {entrant.run.id} of {entrant.run.owner} is {entrant.run.status} on the server, "
        f"but {entrant.result.status} here"
        for entrant in entrants
        if entrant.result and entrant.result.status != entrant.run.status
    ]
    wanted = [entry.name for entry in predicted]
    served = [run.owner if run else "an older run" for run in board]
    if wanted != served:
        problems.append(f"the order is {', '.join(served)}; expected {', '.join(wanted)}")
    for entry, run in zip(predicted, board, strict=False):
        if run and run.owner == entry.name:
            lines = different_scores(stored_scores(entry.scores), run.scores, bundle.hidden_columns)
            problems += [f"{run.owner}, run {run.id}: {line}" for line in lines]
    if problems:
        shown = "\n".join(f"  {problem}" for problem in problems)
        raise OrganiserError(
            f"{phase.live.name}: the leaderboard differs from the prediction:\n\n{shown}\n\nRuns that cannot end as "
            "predicted, because a file was lost on the server, can be accepted with --accept; --abandon restores the "
            "earlier files"
        )
    return (
        f"{phase.live.name}: the leaderboard is as predicted: {count_of(len(predicted), 'entry', 'entries')}, "
        f"{count_of(len(bundle.columns), 'column')}, every digit"
    )
