"""What a server does for whom: measured, because it differs between versions of the platform.

All requests are about the competition of the account: its own files, and runs of its own organisers. Requests without
the token read headers and lists only; no file is downloaded.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from typing import Any

from speechbundles.bundle.check import hidden_references
from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model.bundle import BuiltBundle
from speechbundles.platforms.codabench.client.competitions import (
    dataset_link,
    is_published,
    organisers_of,
    phases_of,
    read_parts,
    shows_reports,
)
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.platforms.codabench.client.runs import LiveRun, is_detailed, is_listed
from speechbundles.platforms.codabench.client.values import is_answered

REPORTS = "report pages: regard those of all runs, failed ones too, as public once the competition is listed"
ANSWERS = {"yes": True, "no": False, "not measured": None}


def measure(
    connection: Connection,
    bundle: BuiltBundle,
    live: Mapping[str, Any],
    runs: Mapping[int, Sequence[LiveRun]],
    when: datetime,
    *,
    enforced: bool | None = None,
) -> Iterator[str]:
    """Yield the abilities of the server with the date, a line for each answer, and what follows for hidden labels.

    Parameters
    ----------
    live: the competition, as its organisers see it.
    runs: the runs of each phase, by its id.
    enforced: whether the server refused a submission outside the dates of its phase; None: none was sent.
    """
    parts = [read_parts(connection, phase.tasks[0]).items() for phase in phases_of(live)]
    keys = dict.fromkeys(chain(*parts))
    readable = dict.fromkeys(sorted(part for part, _ in keys), False)
    for part, key in keys:
        readable[part] |= _is_given(connection, key, anonymous=True)
    on_token = all(_is_given(replace(connection, account=None), key) for _, key in keys)
    organisers = organisers_of(live)
    own = [(phase, run) for phase, found in runs.items() for run in found if run.owner in organisers]
    boards = {phase: run for phase, run in own if run.on_board}
    hidden = bundle.hidden_columns
    scored = [run for run in chain(*runs.values()) if run.status == FINISHED and run.scores]
    returned = any(not hidden.isdisjoint(run.scores) for run in scored)
    listed = any(is_listed(connection, phase) for phase in boards)
    facts: dict[str, bool | None] = {
        "phases refuse submissions outside their dates": enforced,
        "a token opens programs and data": on_token,
        "scores of hidden columns are returned": returned if hidden and scored else None,
        **{f"others can read {part.replace('_', ' ')}": answer for part, answer in readable.items()},
        "others can read the list of runs": listed if boards else None,
        "others can read the uploads and logs of runs": (
            is_detailed(connection, [*boards.values()][-1].files) if boards else None
        ),
    }
    where = "listed" if is_published(live) else "not listed"
    for answer, value in ANSWERS.items():
        if alike := [what for what, found in facts.items() if found is value]:
            yield f"measured on {when:%Y-%m-%d}, competition {where}: {answer}: {'; '.join(alike)}"
    if shows_reports(live):
        yield f"note: {REPORTS}; put nothing confidential into them"
    for name in hidden_references(bundle):
        can = "can" if readable.get("reference_data") else "could not"
        yield f"note: {name}: others {can} read these hidden labels; use labels: home or sealed if they matter"


def _is_given(connection: Connection, key: str, *, anonymous: bool = False) -> bool:
    return is_answered(lambda: dataset_link(connection, key, anonymous=anonymous))
