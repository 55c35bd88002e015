"""Runs of submissions on a server: their list, their files, and the leaderboard."""

import hashlib
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from speechbundles.model.errors import Refused
from speechbundles.model.statuses import AWAITING, FINISHED, Meaning, meaning_of
from speechbundles.model.text import grouped
from speechbundles.platforms.codabench.client.competitions import LivePhase, finish_upload, upload_file
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.platforms.codabench.client.pages import read_list, rows_of
from speechbundles.platforms.codabench.client.values import (
    expected,
    get,
    is_answered,
    read_time,
    to_answers,
    to_link,
    to_name,
    to_number,
    to_score,
)

DELETED_FILE = "Deleted File"
"""The file name that the server gives for a deleted upload."""
UPLOAD, PREDICTION, OUTPUT, PAGE = "data_file", "prediction_result", "scoring_result", "detailed_result"
"""Files of a run."""
LOG = "log "
"""Begins the name of a log among a run's files."""
MOST_LOGS = 100
NOT_OPEN, OVER_LIMIT = 400, 403
"""Statuses of a refused submission; see `submit`."""
_LIST = "list of submissions"


@dataclass(frozen=True)
class LiveRun:
    """A run of a submission on the server.

    Attributes
    ----------
    created: the time of its creation, in UTC.
    scores: the stored scores, by column key.
    on_board: whether it is on the leaderboard.
    withdrawn: whether its owner withdrew it; it is then on no leaderboard.
    deleted: whether its upload was deleted.
    answers: those to the fact sheet, by the keys of the questions.
    copies: ids of its copies on the queues of its owner's groups. The first one that finished has its scores and files.
    """

    id: int
    owner: str
    created: datetime
    status: str
    scores: Mapping[str, Decimal]
    on_board: bool
    withdrawn: bool
    deleted: bool
    answers: Mapping[str, str] = field(default_factory=dict)
    copies: tuple[int, ...] = ()

    @property
    def meaning(self) -> Meaning:
        """What its status means for the commands."""
        return meaning_of(self.status)

    @property
    def named(self) -> str:
        """Its id, and those of its copies if it has not ended, because one of them may be the reason."""
        listed = ", ".join(map(str, self.copies))
        return f"{self.id} (copies {listed})" if listed and not self.meaning.ends else str(self.id)

    @property
    def files(self) -> int:
        """The id of the run that has its files."""
        return self.copies[0] if self.copies else self.id


def list_runs(connection: Connection, phase: int) -> list[LiveRun]:
    """Return all runs of a phase, sorted by id, including runs whose files were deleted.

    Copies of a run on several queues are part of this run. Runs on one of several tasks of a phase, and runs on a task
    that the phase does not have, are left out.

    Raises
    ------
    OrganiserError: the list changed during every attempt to read it.
    """
    rows = read_list(connection, f"{_list_path(phase)}&show_is_soft_deleted=true", _LIST)
    with expected(_LIST):
        answers = sorted(map(_run, rows), key=lambda listed: listed.run.id)
    children = grouped((listed.parent, listed) for listed in answers)
    return [
        _with_copies(listed, children.get(listed.run.id, []))
        for listed in answers
        if listed.parent is None and not listed.of_one_task
    ]


def _list_path(phase: int) -> str:
    return f"/api/submissions/?phase={phase}"


@dataclass(frozen=True)
class _Listed:
    """A run in the server's list. `of_one_task`: whether it was made to run one task again."""

    run: LiveRun
    parent: int | None
    task: object
    of_one_task: bool


def _with_copies(listed: _Listed, children: list[_Listed]) -> LiveRun:
    """Return a run with the scores of its copies, which are on the same task but on several queues."""
    run = listed.run
    if not children or len({repr(child.task) for child in children}) > 1:
        return run
    copies = sorted((child.run for child in children), key=lambda copy: (copy.status != FINISHED, copy.id))
    ended = all(each.meaning.ends for each in (run, *copies))  # before, it cannot be run again
    awaits = any(copy.status == AWAITING for copy in copies) and copies[0].status != FINISHED
    return replace(
        run,
        status=copies[0].status if ended else AWAITING if awaits else run.status,
        scores=copies[0].scores,
        on_board=any(copy.on_board for copy in copies),
        copies=tuple(copy.id for copy in copies),
    )


def _run(answer: Mapping[str, Any]) -> _Listed:
    run = LiveRun(
        id=to_number(answer["id"]),
        owner=to_name(answer["owner"]),
        created=read_time(answer["created_when"]),
        status=to_name(answer["status"]),
        scores={to_name(score["column_key"]): to_score(score["score"]) for score in answer["scores"]},
        on_board=bool(answer["on_leaderboard"]),
        withdrawn=bool(answer["is_soft_deleted"]),
        deleted=bool(answer["is_soft_deleted"]) or answer["filename"] == DELETED_FILE,
        answers=to_answers(answer.get("fact_sheet_answers")),
    )
    parent, task = answer["parent"], answer.get("task")
    task = task["id"] if isinstance(task, dict) else task
    parent = None if parent is None else to_number(parent)
    return _Listed(run, parent, task, bool(answer["is_specific_task_re_run"]))


def read_links(connection: Connection, run: int) -> dict[str, str | None]:
    """Return the signed addresses of a run's files, None for a file that does not exist."""
    answer = get(connection, f"/api/submissions/{run}/get_details/")
    with expected("list of a submission's files"):
        logs = [(log["name"], to_link(log["data_file"])) for log in answer["logs"][:MOST_LOGS]]
        files = {name: to_link(answer[name]) for name in (UPLOAD, PREDICTION, OUTPUT, PAGE)}
        return files | {LOG + to_name(name): link for name, link in logs if link}


def is_listed(connection: Connection, phase: int) -> bool:
    """Return whether the list of a phase's runs has any for a caller without a token."""
    try:
        answer = connection.call("GET", _list_path(phase), anonymous=True)
    except Refused:
        return False
    with expected(_LIST):
        return bool(rows_of(answer))


def is_detailed(connection: Connection, run: int) -> bool:
    """Return whether a caller without a token gets the addresses of a run's files."""
    path = f"/api/submissions/{run}/get_details/"
    return is_answered(lambda: connection.call("GET", path, anonymous=True))


def read_board(connection: Connection, phase: int, runs: Iterable[LiveRun]) -> list[int]:
    """Return the ids of the runs on a phase's leaderboard, best first. Copies of one of `runs` count as this run."""
    originals = {copy: run.id for run in runs for copy in run.copies}
    path = f"/api/phases/{phase}/get_leaderboard/"
    numbers = [row["id"] for row in read_list(connection, path, "leaderboard", "submissions")]
    return list(dict.fromkeys(originals.get(number, number) for number in numbers))


def returned(columns: Iterable[str], hidden: Collection[str], scores: Collection[str]) -> set[str]:
    """Return the columns whose scores a server returns: newer versions return none of hidden columns.

    Parameters
    ----------
    scores: columns of a run's scores on this server.
    """
    return {column for column in columns if column not in hidden or not set(hidden).isdisjoint(scores)}


def submit(connection: Connection, phase: LivePhase, name: str, upload: bytes) -> int:
    """Make a submission; return the id of its run.

    Raises
    ------
    Refused: this account cannot make a submission: it has reached a limit (`OVER_LIMIT`), or the phase is not open
        (`NOT_OPEN`, newer versions).
    """
    may = get(connection, f"/api/can_make_submission/{phase.id}/")
    if not may.get("can"):
        raise Refused(OVER_LIMIT, f"{may.get('reason')!s:.200}")
    key = upload_file(connection, "submission", name, upload)
    finish_upload(connection, key)
    wanted = {"data": key, "phase": phase.id, "tasks": list(phase.tasks)}
    answer = connection.call("POST", "/api/submissions/", wanted, repeatable=False)
    with expected("submission"):
        return int(answer["id"])


def start(connection: Connection, run: int) -> None:
    """Start a run that waits for an organiser."""
    connection.call("POST", f"/api/submissions/{run}/run_submission/", {}, repeatable=False)


def run_again(connection: Connection, run: int) -> int:
    """Run a submission's upload again; return the id of the new run."""
    answer = connection.call("POST", f"/api/submissions/{run}/re_run_submission/", {}, repeatable=False)
    with expected("new run"):
        return int(answer["id"])


def delete_run(connection: Connection, run: int) -> None:
    try:
        connection.call("DELETE", f"/api/submissions/{run}/")
    except Refused as refusal:
        if refusal.status != 404:  # already deleted
            raise


def pick(connection: Connection, run: int) -> None:
    """Put a run on a leaderboard whose entries participants choose."""
    connection.call("POST", f"/api/submissions/{run}/submission_leaderboard_connection/", {})


def upload_identity(link: str) -> str:
    """Return a digest of the address's path, which is the same in all signed addresses of one upload."""
    with expected("address of an upload"):
        return hashlib.sha256(urlsplit(link).path.encode()).hexdigest()[:16]
