"""Wait for imports and runs on a server."""

from collections.abc import Collection

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model.errors import OrganiserError
from speechbundles.model.statuses import what_to_do
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.api import Connection

PAUSE = 10
"""Seconds between two requests."""
PATIENCE = 360
"""Requests without a change before giving up."""
GRACE = 6
"""Requests after runs have ended without all of their scores, which arrive a moment later or never."""


def wait_for_import(connection: Connection, status: int) -> int:
    """Return the competition that an import creates.

    Raises
    ------
    OrganiserError: the import failed, or does not end.
    """
    for _ in range(PATIENCE):
        competition = api.imported(connection, status)
        if competition is not None:
            return competition
        connection.sleep(PAUSE)
    raise OrganiserError(
        f"the import has not ended after {PAUSE * PATIENCE // 60} minutes; when the server's management page lists the "
        "competition, continue with --competition and its number"
    )


def wait_for_runs(
    connection: Connection,
    phase: api.LivePhase,
    runs: Collection[int],
    columns: Collection[str],
    hidden: Collection[str],
    progress: Progress = silent,
) -> dict[int, api.LiveRun]:
    """Return the runs when they have ended, with a score in each column; deleted runs are left out.

    Parameters
    ----------
    columns: the columns that get a score; of those that are `hidden`, a server may return none.

    Raises
    ------
    OrganiserError: no run has changed for too long.
    """
    unchanged = looks_after_end = 0
    seen: list[api.LiveRun] = []
    while unchanged < PATIENCE:
        found = [run for run in api.list_runs(connection, phase.id) if run.id in runs]
        going = [run for run in found if not run.meaning.ends]
        lacking = [
            run
            for run in found
            if run.status == FINISHED and not api.returned(columns, hidden, run.scores) <= run.scores.keys()
        ]
        progress(len(runs) - len(going) - len(lacking), len(runs))
        looks_after_end += not going
        if not (going or lacking) or looks_after_end > GRACE:
            return {run.id: run for run in found}
        unchanged = unchanged + 1 if found == seen else 0
        seen = found
        connection.sleep(PAUSE)
    waiting = ", ".join(f"{run.named} ({run.status})" for run in going)
    raise OrganiserError(
        f"{phase.name}: nothing has changed for {PAUSE * PATIENCE // 60} minutes, and these runs have not ended: "
        f"{waiting}. Check that a compute worker is running, or {what_to_do(run.status for run in going)}; then repeat "
        "the command, which continues from here"
    )
