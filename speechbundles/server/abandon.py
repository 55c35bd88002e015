"""Go back to the state before an amendment that is in progress."""

from collections.abc import Iterator
from pathlib import Path

from speechbundles.model.errors import OrganiserError
from speechbundles.server import api
from speechbundles.server.amendment import MOST_SHOWN, STATE, read_state
from speechbundles.server.api import Connection
from speechbundles.server.compared import NOT_COMPARED
from speechbundles.server.exchange import exchange
from speechbundles.server.served_files import ServedFiles
from spokeneval.formats.problems import count_of, some_of


def abandon_amendment(connection: Connection, competition: int, folder: Path) -> Iterator[str]:
    """Give the competition the programs, data, kits and pages that it had before; yield a line for each step.

    No run is deleted or repeated; an amendment with the earlier bundle does this where scores differ. If the server
    does not provide its files, the first line begins with `NOT_COMPARED`.

    Raises
    ------
    OrganiserError: no amendment is in progress, or something could not be restored; the message lists all of it.
    """
    state = read_state(folder)
    if state is None or not state.before:
        lacks = "has no record of the earlier files;" if state else "no amendment is in progress; to go back,"
        raise OrganiserError(f"{folder / STATE}: {lacks} amend with the old bundle")
    live = api.read_competition(connection, competition)
    files = ServedFiles(connection, state.known_before)
    added = {str(phase): dict.fromkeys(kits) for phase, kits in api.read_kits(live).items()}
    kits = {phase: {**added.get(phase, {}), **own} for phase, own in state.before["kits"].items()}
    wanted = {**state.before, "kits": kits}
    exchange(files, competition, wanted, state.known_before, "as it was before")
    if files.unread:
        yield f"{NOT_COMPARED}{files.unread}"
    how = "keys" if files.unread else "hashes"
    yield f"restored the earlier programs, data, kits, pages and terms, and compared them by their {how}"
    phases = [
        phase.id for phase in api.phases_of(live) if phase.id in state.phases and state.last is not None
    ]
    runs = [run.id for phase in phases for run in api.list_runs(connection, phase)]
    repeated = [str(run) for run in runs if run > (state.last or 0)]
    if repeated:
        yield (
            f"{count_of(len(repeated), 'run')} since then, which may have scores of the abandoned bundle: "
            f"{some_of(repeated, MOST_SHOWN)}. Amend with the earlier bundle now, which runs all uploads again"
        )
    (folder / STATE).unlink()
