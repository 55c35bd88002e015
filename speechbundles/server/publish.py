"""Publish a bundle: upload it, import it, read it back, submit the baselines, and only then open the competition."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from speechbundles.leaderboard.home import HomeBoard
from speechbundles.leaderboard.home_page import to_markdown
from speechbundles.model import dates
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import OrganiserError, Refused
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.api import Connection
from speechbundles.server.baselines import Trial, rehearse_baselines
from speechbundles.server.compared import NOT_COMPARED, check_served, read_bundle, without_entry
from speechbundles.server.served_files import ServedFiles
from speechbundles.server.wait import wait_for_import
from spokeneval.formats.problems import count_of


def publish_bundle(
    connection: Connection,
    path: Path,
    *,
    competition: int | None = None,
    opening: bool = False,
    again: str,
    now: datetime | None = None,
    progress: Progress = silent,
) -> Iterator[str]:
    """Publish a bundle step by step; yield a line for each step.

    A line that begins with `NOT_COMPARED` is about something that the server did not provide.

    Parameters
    ----------
    path: a built zip for a platform with a client.
    competition: a competition that was already imported from this bundle; the upload and the import are skipped.
    opening: list the competition publicly after all other steps have succeeded.
    again: the command that publishes this bundle, to which the last line adds the options that open the competition.
    now: in UTC; default: the time of this computer.
    progress: called with the uploaded bytes, and their total.

    Raises
    ------
    OrganiserError: the bundle cannot be rehearsed, the server refuses a step, the competition there differs from the
        bundle, or its scores differ from those of the rehearsal.
    """
    bundle = read_bundle(path)
    rehearsed = rehearse_baselines(bundle)
    if competition is None:
        key = api.upload_file(connection, "competition_bundle", path.name, path, progress)
        yield f"uploaded {path}"
        competition = wait_for_import(connection, api.import_bundle(connection, key))
        yield f"imported as competition {competition}: {connection.server}/competitions/{competition}/"
    live = api.read_competition(connection, competition)
    check_served(bundle, live)
    yield (
        f"read back: dates, limits and pages of {count_of(len(bundle.phases), 'phase')}, the submission rule, and "
        f"{count_of(len(bundle.columns), 'column')} with sorting and precision are as in the bundle"
    )
    phases = api.phases_of(live)
    yield _compare_files(connection, bundle, live)
    for name in dict.fromkeys(phase.reference_data for phase in bundle.phases if bundle.is_at_home(phase)):
        yield f"note: {name}: these reference data contain no hidden label (labels: home)"
    moment = now or dates.now()
    trial = Trial(connection, bundle, api.organisers_of(live), moment, f"{again} --competition {competition}")
    for built, phase in zip(bundle.phases, phases, strict=True):
        yield from trial.test(built, phase, rehearsed.get(built))
    runs = {phase.id: api.list_runs(connection, phase.id) for phase in phases}
    for built, phase in zip(bundle.phases, phases, strict=True):
        yield from (f"warning: {line}" for line in without_entry(built, runs[phase.id]))
    yield from api.measure(connection, bundle, live, runs, moment, enforced=trial.enforced)
    untried = ", ".join(phase.name for phase in bundle.phases if phase not in rehearsed)
    yield _open(connection, competition, untried) if opening else _how_to_open(live, competition, again)


def _open(connection: Connection, competition: int, untried: str) -> str:
    if untried:
        raise OrganiserError(
            f"not opened: no test submission to {untried}; make one, then publish it in the browser"
        )
    api.publish(connection, competition)
    return "published"


def _how_to_open(live: Mapping[str, Any], competition: int, again: str) -> str:
    if api.is_published(live):
        return f"competition {competition} is listed publicly"
    return f"not public yet; to open it: {again} --competition {competition} --open"


def _compare_files(connection: Connection, bundle: BuiltBundle, live: Mapping[str, Any]) -> str:
    try:
        phases = ServedFiles(connection).different_phases(bundle, live, api.PARTS)
    except Refused as refusal:
        return f"{NOT_COMPARED}programs and data: {refusal}"
    for built, _, kinds in phases:
        if kinds:
            what = f"{built.name}: these files on the server differ from the bundle"
            raise OrganiserError(f"{what}: {', '.join(kinds)}")
    return "read back: programs and data are as in the bundle, byte for byte"


def write_home_page(connection: Connection, competition: int, board: HomeBoard) -> bool:
    """Write the leaderboard as a page of the competition on the server; return whether it has changed.

    Raises
    ------
    OrganiserError: the competition is another one, has another page with this title, or does not return the page.
    """
    live = api.read_competition(connection, competition)
    if str(live["title"]).strip() != board.title.strip():
        raise OrganiserError(f"competition {competition} is {live['title']!r:.100}, not {board.title!r}")
    text = f"{to_markdown(board)}\n{api.BOARD_MARK}\n"
    changed = api.change_board_page(connection, live, text)
    if api.change_board_page(connection, api.read_competition(connection, competition), text):
        raise OrganiserError(f"the server accepted the page {api.BOARD_TITLE}, but does not return it")
    return changed
