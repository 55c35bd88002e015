"""Codabench's HTTP API, as far as an organiser needs it (`src/apps/api`): addresses, keys, habits.

- A file is uploaded in three steps: a dataset, the bytes to the signed address that it answers, and a word that they
  are there. For a bundle that word starts the import.
- A submission is a run: running it again makes a new submission of the same upload, with the time of now, which counts
  for its owner's limits. Deleting a run keeps the upload while another run has it.
- A run is *Finished* before its scores are stored and its output is uploaded; both come a moment later. Until then an
  output is an empty file.
- A change of a task that leaves out a program or data set takes it from the task.
"""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from speechbundles.live.connection import Connection, Progress
from speechbundles.model.errors import Gone, OrganiserError, Refused

FINAL = ("Finished", "Failed", "Cancelled")
"""Statuses that do not change any more."""
WAITING = "Submitting"
"""The status of what an organiser starts."""
DELETED_FILE = "Deleted File"
"""Stands for the name of an upload that is no longer there."""
PARTS = ("scoring_program", "ingestion_program", "input_data", "reference_data")
"""What a task is made of; datasets have the same words for their types."""
READINGS = 5
"""Of a list that changes while its pages are read."""


@dataclass(frozen=True)
class LivePhase:
    """A phase on the server, with its tasks' ids."""

    id: int
    name: str
    tasks: tuple[int, ...]


@dataclass(frozen=True)
class LiveRun:
    """A submission's run on the server.

    Attributes
    ----------
    created: UTC.
    scores: as stored, by column key.
    on_board: whether it is on the leaderboard.
    withdrawn: whether its owner took it back: no board has it then.
    deleted: whether its upload is gone.
    """

    id: int
    owner: str
    created: datetime
    status: str
    scores: Mapping[str, Decimal]
    on_board: bool
    withdrawn: bool
    deleted: bool


@dataclass(frozen=True)
class Links:
    """Signed addresses of what a run left, None where there is nothing; `logs`: by their names."""

    upload: str | None
    prediction: str | None
    scoring: str | None
    page: str | None
    logs: Mapping[str, str]


def read_competition(connection: Connection, competition: int) -> dict[str, Any]:
    """A competition as its organisers see it.

    Raises
    ------
    OrganiserError: there is none, or the token is not one of its organisers'.
    """
    found = _get(connection, f"/api/competitions/{competition}/")
    if "secret_key" not in found:
        raise OrganiserError(f"competition {competition}: this token is not that of one of its organisers")
    return found


def phases_of(competition: Mapping[str, Any]) -> list[LivePhase]:
    with _expected("competition's phases"):
        return [
            LivePhase(int(phase["id"]), str(phase["name"]), tuple(int(task["id"]) for task in phase["tasks"]))
            for phase in sorted(competition["phases"], key=lambda phase: phase["index"])
        ]


def list_runs(connection: Connection, phase: int) -> list[LiveRun]:
    """All runs of a phase in the order of their ids, those whose files were deleted too.

    Runs on one of several tasks of a phase (children) are left out, and those on a task that the phase does not have.

    Raises
    ------
    OrganiserError: the list changes whenever it is read.
    """
    path = f"/api/submissions/?phase={phase}&show_is_soft_deleted=true"
    for _ in range(READINGS):
        answers = _read_pages(connection, path)
        if answers is not None:
            break
    else:
        raise OrganiserError(
            "the list of submissions changes whenever it is read; try again in a quieter minute"
        )
    with _expected("list of submissions"):
        return [
            _run(answer)
            for _, answer in sorted(answers.items())
            if answer["parent"] is None and not answer["is_specific_task_re_run"]
        ]


def _read_pages(connection: Connection, path: str) -> dict[int, Any] | None:
    """Submissions by their ids; None where the list changed meanwhile. A server may answer all of it at once."""
    found: dict[int, Any] = {}
    counts = set()
    number = 1
    while True:
        try:
            answer = connection.call("GET", path if number == 1 else f"{path}&page={number}")
        except Refused as refusal:
            if refusal.status == 404 and number > 1:  # there are fewer pages now
                return None
            raise
        with _expected("list of submissions"):
            page = answer if isinstance(answer, list) else answer["results"]
            found |= {int(item["id"]): item for item in page}
            if isinstance(answer, list):
                return found
            counts.add(answer["count"])
            if not answer["next"]:
                return found if counts == {len(found)} else None
        number += 1


def _run(answer: Mapping[str, Any]) -> LiveRun:
    return LiveRun(
        id=int(answer["id"]),
        owner=str(answer["owner"]),
        created=read_time(answer["created_when"]),
        status=str(answer["status"]),
        scores={str(score["column_key"]): Decimal(str(score["score"])) for score in answer["scores"]},
        on_board=bool(answer["on_leaderboard"]),
        withdrawn=bool(answer["is_soft_deleted"]),
        deleted=bool(answer["is_soft_deleted"]) or answer["filename"] == DELETED_FILE,
    )


def read_time(text: str) -> datetime:
    """An instant in UTC, without a zone as everywhere in the house."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time.astimezone(timezone.utc).replace(tzinfo=None) if time.tzinfo else time


def read_links(connection: Connection, run: int) -> Links:
    answer = _get(connection, f"/api/submissions/{run}/get_details/")
    with _expected("submission's files"):
        return Links(
            upload=answer["data_file"] or None,
            prediction=answer["prediction_result"] or None,
            scoring=answer["scoring_result"] or None,
            page=answer["detailed_result"] or None,
            logs={str(log["name"]): log["data_file"] for log in answer["logs"] if log["data_file"]},
        )


def read_board(connection: Connection, phase: int) -> list[int]:
    """The ids of the runs on a phase's board, from the first to the last."""
    answer = _get(connection, f"/api/phases/{phase}/get_leaderboard/")
    with _expected("leaderboard"):
        return [int(entry["id"]) for entry in answer["submissions"]]


def upload_file(
    connection: Connection, kind: str, name: str, source: Path | bytes, progress: Progress | None = None
) -> str:
    """Upload a file; returns its key, by which the server is told what it is for.

    Raises
    ------
    OrganiserError: the server does not take it, for want of space, say.
    """
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    wanted = {"type": kind, "request_sassy_file_name": name, "file_name": name[-64:], "file_size": size}
    try:
        answer = connection.call("POST", "/api/datasets/", wanted)
    except Refused as refusal:
        raise OrganiserError(f"{name} was not taken: {refusal}") from None
    with _expected("dataset"):
        key, address = str(answer["key"]), str(answer["sassy_url"])
    try:
        connection.upload(address, source, progress)
    except Gone as refusal:
        raise OrganiserError(f"{name} was not taken: {refusal}") from None
    return key


def import_bundle(connection: Connection, key: str) -> int:
    """Start the import of an uploaded bundle; returns the number to ask after it by."""
    answer = connection.call("PUT", f"/api/datasets/completed/{key}/", repeatable=False)
    with _expected("import"):
        return int(answer["status_id"])


def imported(connection: Connection, status: int) -> int | None:
    """The competition that came of an import; None while it goes on.

    Raises
    ------
    OrganiserError: it failed.
    """
    answer = _get(connection, f"/api/competitions/{status}/creation_status/")
    with _expected("import"):
        if answer["status"] == "Failed":
            raise OrganiserError(f"the import failed: {answer['details']!s:.1000}")
        return int(answer["resulting_competition"]) if answer["status"] == "Finished" else None


def submit(connection: Connection, phase: LivePhase, name: str, upload: bytes) -> int:
    """Make a submission; returns its run's id.

    Raises
    ------
    OrganiserError: this account may not, for having reached its limit, say.
    """
    may = _get(connection, f"/api/can_make_submission/{phase.id}/")
    if not may.get("can"):
        raise OrganiserError(f"{phase.name}: no submission can be made: {may.get('reason')!s:.200}")
    key = upload_file(connection, "submission", name, upload)
    finish_upload(connection, key)
    wanted = {"data": key, "phase": phase.id, "tasks": list(phase.tasks)}
    answer = connection.call("POST", "/api/submissions/", wanted, repeatable=False)
    with _expected("submission"):
        return int(answer["id"])


def start(connection: Connection, run: int) -> None:
    """Start a run that waits for it."""
    connection.call("POST", f"/api/submissions/{run}/run_submission/", {}, repeatable=False)


def run_again(connection: Connection, run: int) -> int:
    """Run a submission's upload anew; returns the new run's id."""
    answer = connection.call("POST", f"/api/submissions/{run}/re_run_submission/", {}, repeatable=False)
    with _expected("new run"):
        return int(answer["id"])


def delete_run(connection: Connection, run: int) -> None:
    try:
        connection.call("DELETE", f"/api/submissions/{run}/")
    except Refused as refusal:
        if refusal.status != 404:  # it is gone
            raise


def pick(connection: Connection, run: int) -> None:
    """Put a run on a board whose entries are picked."""
    connection.call("POST", f"/api/submissions/{run}/submission_leaderboard_connection/", {})


def publish(connection: Connection, competition: int) -> None:
    """List a competition for everybody. The server knows but a switch, so it is looked at before and after."""
    if not read_competition(connection, competition)["published"]:
        connection.call("POST", f"/api/competitions/{competition}/toggle_publish/", {}, repeatable=False)
    if not read_competition(connection, competition)["published"]:
        raise OrganiserError(f"competition {competition} is still not published; publish it in the browser")


def read_parts(connection: Connection, task: int) -> dict[str, str]:
    """The keys of a task's programs and data: `part -> key`."""
    answer = _get(connection, f"/api/tasks/{task}/")
    with _expected("task"):
        return {part: str(answer[part]["key"]) for part in PARTS if answer.get(part)}


def change_parts(connection: Connection, task: int, keys: Mapping[str, str]) -> None:
    """Give a task other programs and data. All of `keys` is sent, as the task loses what is not."""
    connection.call("PATCH", f"/api/tasks/{task}/", {part: keys[part] for part in PARTS if part in keys})


def finish_upload(connection: Connection, key: str) -> None:
    """Say that a file other than a bundle is there, so that its size is known and counted."""
    connection.call("PUT", f"/api/datasets/completed/{key}/")


def dataset_link(connection: Connection, key: str) -> str:
    """A signed address of a dataset's file."""
    return connection.location(f"/datasets/download/{key}/")


def upload_identity(link: str) -> str:
    """A digest of the path, which all signed addresses of one upload share, whichever run they are asked for."""
    return hashlib.sha256(urlsplit(link).path.encode()).hexdigest()[:16]


def _get(connection: Connection, path: str) -> dict[str, Any]:
    answer = connection.call("GET", path)
    if not isinstance(answer, dict):
        raise OrganiserError(f"{path}: the server answers what is not understood; does it run Codabench?")
    return answer


@contextmanager
def _expected(what: str) -> Iterator[None]:
    """Tells what an answer was to hold where it does not."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise OrganiserError(
            f"the server's answer holds no {what} that is understood ({error!r:.100})"
        ) from None
