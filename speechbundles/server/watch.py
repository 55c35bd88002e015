"""Compare a live competition with its bundle, without submitting or changing anything.

Settings can be changed on the server by mistake or by others, and runs can hang, vanish or be late. All of this is read
from the API; what needs the uploads themselves (vanished and identical runs) is read from a folder that `fetch` wrote.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model import dates
from speechbundles.model.bounded import digest_of
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.dates import FORMAT
from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.model.fetched import Fetched, read_index, upload_times
from speechbundles.model.statuses import SUBMITTING, what_to_do
from speechbundles.model.submissions import INDEX
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.api import Connection
from speechbundles.server.compared import (
    NOT_COMPARED,
    named_runs,
    read_bundle,
    served_differences,
    without_entry,
)
from speechbundles.server.entrants import ended_otherwise, read_entrants, score_entrants
from speechbundles.server.fetch import fetch_competition
from speechbundles.server.served_files import ServedFiles
from spokeneval.formats.problems import some_of

PATIENCE = timedelta(hours=1)
"""Time that a run may wait for a compute worker, besides twice its phase's time limit."""
MOST_SHOWN = 20
_LACKING = "Finished without scores"


@dataclass(frozen=True)
class Watched:
    """What was found on a server, one line each.

    Attributes
    ----------
    uncompared: what the server did not provide, and phases whose baseline was not tested.
    differences: what is not as in the bundle.
    notes: what was not looked for.
    measured: what the server does for whom; see `api.measure`.
    """

    uncompared: tuple[str, ...]
    differences: tuple[str, ...]
    notes: tuple[str, ...]
    measured: tuple[str, ...]


def watch_competition(
    connection: Connection,
    path: Path,
    competition: int,
    folder: Path,
    *,
    fetching: bool = False,
    now: datetime | None = None,
    progress: Progress = silent,
) -> Watched:
    """Compare a competition and its runs with the bundle that it was made from.

    Parameters
    ----------
    path: the bundle's zip.
    folder: the folder into which the competition was fetched; it may be missing.
    fetching: fetch new runs into the folder; otherwise nothing is written.
    now: in UTC; default: the time of this computer.
    progress: called with the number of fetched runs, and their total.

    Raises
    ------
    OrganiserError: the bundle, the folder's index or the competition cannot be read.
    """
    bundle = read_bundle(path)
    live = api.read_competition(connection, competition)
    phases = api.phases_of(live)
    found = served_differences(bundle, live)
    uncompared: list[str] = []
    if len(phases) == len(bundle.phases):
        found += _other_files(connection, bundle, live, uncompared)
    index = read_index(folder) if (folder / INDEX).is_file() else []
    runs = {phase.id: api.list_runs(connection, phase.id) for phase in phases}
    there = {run.id for own in runs.values() for run in own}
    found += [
        f"{run.phase}: run {run.id} of {run.owner} ({run.status}) is no longer on the server"
        for run in index
        if run.id not in there and not run.gone
    ]
    if fetching:
        index = list(fetch_competition(connection, competition, folder, progress=progress).runs)
    notes = [f"{folder}: nothing fetched, so vanished and identical runs were not looked for"] * (not index)
    uploaded = upload_times(index)
    moment = now or dates.now()
    organisers = api.organisers_of(live)
    for built, phase in zip(bundle.phases, phases, strict=False):
        found += _odd_runs(bundle, built, runs[phase.id], organisers, uploaded, moment)
        found += without_entry(built, runs[phase.id])
        tested = any(run.owner in organisers and run.status == FINISHED for run in runs[phase.id])
        if bundle.baseline(built) and built.is_open(moment) and not tested:
            uncompared.append(
                f"not tested: {built.name} is open, but its baseline has not run on the server; run publish with "
                f"--competition {competition}"
            )
    if fetching:
        found += _scored_otherwise(connection, bundle, phases, index, folder, uncompared)
    found += _identical(bundle, index)
    measured = tuple(api.measure(connection, bundle, live, runs, moment))
    return Watched(tuple(uncompared), tuple(found), tuple(notes), measured)


def _other_files(
    connection: Connection, bundle: BuiltBundle, live: Mapping[str, Any], uncompared: list[str]
) -> Iterator[str]:
    """Yield a line for each program, set of data or kit that differs from the bundle's."""
    try:
        for built, _, kinds in ServedFiles(connection).different_phases(bundle, live):
            yield from (f"{built.name}: {kind.replace('_', ' ')} is not the bundle's file" for kind in kinds)
    except (Refused, Gone) as refusal:
        uncompared.append(f"{NOT_COMPARED}programs, data and kits: {refusal}")


def _odd_runs(
    bundle: BuiltBundle,
    phase: BuiltPhase,
    runs: Sequence[api.LiveRun],
    organisers: Collection[str],
    uploaded: Mapping[int, datetime],
    now: datetime,
) -> Iterator[str]:
    """Yield a line for the runs that are stuck, for those without scores, and for each team's runs outside the dates.

    Organisers' runs may be outside the dates: `publish` submits the baselines to phases that are not open.
    """
    columns = {column.key for column in bundle.columns if not column.computed}
    patience = PATIENCE + timedelta(seconds=2 * phase.seconds)
    times = {run.id: uploaded.get(run.id, run.created) for run in runs}
    odd: dict[tuple[str, str], list[api.LiveRun]] = {}
    for run in runs:
        if run.withdrawn:
            continue
        waits = run.status == SUBMITTING and not bundle.auto_run  # for an organiser
        if now - run.created > patience and not waits:
            if not run.meaning.ends:
                odd.setdefault(("stuck", ""), []).append(run)
            elif run.status == FINISHED and (
                lacking := api.returned(columns, bundle.hidden_columns, run.scores) - set(run.scores)
            ):
                odd.setdefault((_LACKING, some_of(sorted(lacking))), []).append(run)
        if not phase.is_open(times[run.id]) and run.owner not in organisers:
            odd.setdefault(("early" if times[run.id] < phase.opens else "late", run.owner), []).append(run)
    for (what, detail), own in odd.items():
        if what == "stuck":
            statuses = some_of(sorted({run.status for run in own}))
            advice = what_to_do(run.status for run in own)
            detail = f"{statuses} since {min(run.created for run in own):{FORMAT}}; {advice}"
        elif what != _LACKING:
            detail = _dates(phase, [times[run.id] for run in own])
        yield f"{phase.name}: {named_runs(own, what)}: {detail}"


def _scored_otherwise(
    connection: Connection,
    bundle: BuiltBundle,
    phases: Sequence[api.LivePhase],
    index: Sequence[Fetched],
    folder: Path,
    uncompared: list[str],
) -> Iterator[str]:
    """Yield a line for the runs of each phase whose scores differ from those that the bundle gives here."""
    try:
        for built, phase in zip(bundle.phases, phases, strict=False):
            entrants = read_entrants(connection, phase, index, folder)
            scored = score_entrants(bundle, built, entrants, folder)
            if odd := [run for entrant in scored for run in ended_otherwise(entrant)]:
                yield f"{built.name}: {named_runs(odd, 'not scored as here')}: amend with this bundle"
    except OrganiserError as error:
        uncompared.append(f"{NOT_COMPARED}scores of runs: {error}")


def _dates(phase: BuiltPhase, times: Sequence[datetime]) -> str:
    first, last = min(times), max(times)
    until = f" to {last:{FORMAT}}" if last > first else ""
    is_open = f"the phase is open from {phase.opens} to {phase.closes or 'no end'}"
    return f"uploaded at {first:{FORMAT}}{until}, {is_open}"


def _identical(bundle: BuiltBundle, index: Sequence[Fetched]) -> list[str]:
    """Return the uploads with the same bytes of different owners, except the bundle's own sample solutions."""
    tasks = [task for phase in bundle.phases for task in phase.tasks]
    own = {name for task in tasks for name in task.solutions if name in bundle.files}
    solutions = {digest_of(bundle.files[name]) for name in own}
    groups: dict[tuple[str, str], dict[str, int]] = {}
    for run in index:
        if run.sha256 and run.sha256 not in solutions:
            groups.setdefault((run.phase, run.sha256), {}).setdefault(run.owner, run.id)
    return [
        f"{phase}: the same upload by different teams: "
        + ", ".join([f"{owner} (run {run})" for owner, run in owners.items()][:MOST_SHOWN])
        + f" and {len(owners) - MOST_SHOWN} more" * (len(owners) > MOST_SHOWN)
        for (phase, _), owners in groups.items()
        if len(owners) > 1
    ]
