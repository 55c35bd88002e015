"""Codabench's HTTP API, as far as an organiser needs it (`src/apps/api`): addresses, keys, behaviour.

- A file is uploaded in three steps: create a dataset, send the bytes to the signed address in the answer, and confirm
  that the upload is complete. For a bundle, the confirmation starts the import.
- A submission is a run. Running it again creates a new submission of the same upload, with the current time, which
  counts towards its owner's limits. Deleting a run keeps the upload while another run uses it.
- A run is *Finished* before its scores are stored and its output is uploaded; both follow a moment later. Until then
  the output is an empty file.
- In newer versions (pull requests 2393 and 2526; see docs/explanation/codabench.md), participants can be in groups with
  a queue each. Their submission is then a run without scores and output (a parent), with a copy for each queue
  (children), and the leaderboard has the children's ids. Scores of hidden columns are not returned.
- A change of a task removes every program or data set that the request leaves out.
"""

import hashlib
import time
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.server.connection import Connection, Progress

FINAL = ("Finished", "Failed", "Cancelled")
"""Statuses that do not change again."""
WAITING = "Submitting"
"""The status of a run that an organiser has to start."""
DELETED_FILE = "Deleted File"
"""The file name that the server gives for a deleted upload."""
PARTS = ("scoring_program", "ingestion_program", "input_data", "reference_data")
"""The parts of a task; also the types of their datasets."""
LARGEST_EXPONENT = 100
"""The largest power of ten of a score, either way: one of a billion would be written with a billion digits."""
KITS = ("starting_kit", "public_data")
"""The files of a phase that participants download; also the types of their datasets."""
READINGS = 5
"""Most attempts to read a list that changes while its pages are read."""
MOST_PAGES = 20_000
LONGEST_LIST = 3600
"""Most pages of a list, and the longest time for all of them, in seconds."""
MOST_LOGS = 100
BOARD_TITLE = "Leaderboard"
BOARD_MARK = "*Written by `speech-bundles board`.*"
"""The title and the last line of the page that `board` writes. No other command compares or changes it."""
LARGEST_ID = 1 << 63
LARGEST_SCORE = 10**10
"""The server's database stores smaller numbers only."""


@dataclass(frozen=True)
class LivePhase:
    """A phase on the server, with its tasks' ids."""

    id: int
    name: str
    tasks: tuple[int, ...]


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
    copies: tuple[int, ...] = ()

    @property
    def files(self) -> int:
        """The id of the run that has its files."""
        return self.copies[0] if self.copies else self.id


@dataclass(frozen=True)
class Links:
    """Signed addresses of a run's files, None for a file that does not exist; `logs` are by name."""

    upload: str | None
    prediction: str | None
    scoring: str | None
    page: str | None
    logs: Mapping[str, str]


def read_competition(connection: Connection, competition: int) -> dict[str, Any]:
    """Return a competition as its organisers see it.

    Raises
    ------
    OrganiserError: the competition does not exist, or the token does not belong to one of its organisers.
    """
    found = _get(connection, f"/api/competitions/{competition}/")
    if "secret_key" not in found:
        raise OrganiserError(
            f"competition {competition}: this token does not belong to one of its organisers"
        )
    return found


def page_of(connection: Connection, competition: int) -> str:
    """Return the address of a competition's page for a browser."""
    return f"{connection.server}/competitions/{competition}/"


def phases_of(competition: Mapping[str, Any]) -> list[LivePhase]:
    with _expected("list of phases"):
        return [
            LivePhase(
                _number(phase["id"]),
                _words(phase["name"]),
                tuple(_number(task["id"]) for task in phase["tasks"]),
            )
            for phase in sorted(competition["phases"], key=lambda phase: phase["index"])
        ]


def organisers_of(competition: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of a competition's owner and collaborators."""
    with _expected("list of organisers"):
        return frozenset(
            [
                _words(competition["created_by"]),
                *(_words(found["username"]) for found in competition["collaborators"]),
            ]
        )


def list_runs(connection: Connection, phase: int) -> list[LiveRun]:
    """Return all runs of a phase, sorted by id, including runs whose files were deleted.

    Copies of a run on several queues are part of this run. Runs on one of several tasks of a phase, and runs on a task
    that the phase does not have, are left out.

    Raises
    ------
    OrganiserError: the list changed during every attempt to read it.
    """
    path = f"/api/submissions/?phase={phase}&show_is_soft_deleted=true"
    for _ in range(READINGS):
        answers = _read_pages(connection, path)
        if answers is not None:
            break
    else:
        raise OrganiserError(
            f"the list of submissions changed during each of {READINGS} attempts to read it; try again later"
        )
    children: dict[int, list[_Listed]] = {}
    for listed in answers.values():
        if listed.parent is not None:
            children.setdefault(listed.parent, []).append(listed)
    return [
        _with_copies(listed, children.get(number, []))
        for number, listed in sorted(answers.items())
        if listed.parent is None and not listed.of_one_task
    ]


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
    copies = sorted((child.run for child in children), key=lambda copy: (copy.status != "Finished", copy.id))
    ended = all(copy.status in FINAL for copy in copies)
    return replace(
        run,
        status=copies[0].status if ended else run.status,
        scores=copies[0].scores,
        on_board=any(copy.on_board for copy in copies),
        copies=tuple(copy.id for copy in copies),
    )


def _read_pages(connection: Connection, path: str) -> dict[int, _Listed] | None:
    """Return all listed runs by id; None if the list changed meanwhile.

    Some versions of the server answer with pages, others with the whole list.
    """
    found: dict[int, _Listed] = {}
    counts = set()
    end = time.monotonic() + LONGEST_LIST
    for number in range(1, MOST_PAGES + 1):
        if time.monotonic() > end:
            raise OrganiserError(f"the list of submissions takes longer than {LONGEST_LIST // 60} minutes")
        try:
            answer = connection.call("GET", path if number == 1 else f"{path}&page={number}")
        except Refused as refusal:
            if refusal.status == 404 and number > 1:  # the list has become shorter
                return None
            raise
        with _expected("list of submissions"):
            page = answer if isinstance(answer, list) else answer["results"]
            before = len(found)
            found |= {_number(item["id"]): _run(item) for item in page}
            if isinstance(answer, list):
                return found
            counts.add(answer["count"])
            if not answer["next"]:
                return found if counts == {len(found)} else None
            if len(found) == before:
                return None
    raise OrganiserError(f"the list of submissions has more than {MOST_PAGES} pages")


def _run(answer: Mapping[str, Any]) -> _Listed:
    run = LiveRun(
        id=_number(answer["id"]),
        owner=_words(answer["owner"]),
        created=read_time(answer["created_when"]),
        status=_words(answer["status"]),
        scores={_words(score["column_key"]): _score(score["score"]) for score in answer["scores"]},
        on_board=bool(answer["on_leaderboard"]),
        withdrawn=bool(answer["is_soft_deleted"]),
        deleted=bool(answer["is_soft_deleted"]) or answer["filename"] == DELETED_FILE,
    )
    parent, task = answer["parent"], answer.get("task")
    return _Listed(
        run,
        None if parent is None else _number(parent),
        task["id"] if isinstance(task, dict) else task,
        bool(answer["is_specific_task_re_run"]),
    )


def read_time(text: str) -> datetime:
    """Parse a time; return it in UTC without a time zone, as everywhere in this project."""
    time = datetime.fromisoformat(text.replace("Z", "+00:00"))
    return time.astimezone(timezone.utc).replace(tzinfo=None) if time.tzinfo else time


def read_links(connection: Connection, run: int) -> Links:
    answer = _get(connection, f"/api/submissions/{run}/get_details/")
    with _expected("list of a submission's files"):
        return Links(
            upload=_link(answer["data_file"]),
            prediction=_link(answer["prediction_result"]),
            scoring=_link(answer["scoring_result"]),
            page=_link(answer["detailed_result"]),
            logs={
                _words(log["name"]): link
                for log in answer["logs"][:MOST_LOGS]
                if (link := _link(log["data_file"]))
            },
        )


def is_listed(connection: Connection, phase: int) -> bool:
    """Return whether the list of a phase's runs has any for a caller without a token."""
    try:
        answer = connection.call("GET", f"/api/submissions/?phase={phase}", anonymous=True)
    except Refused:
        return False
    return bool(answer.get("results") if isinstance(answer, dict) else answer)


def is_detailed(connection: Connection, run: int) -> bool:
    """Return whether a caller without a token gets the addresses of a run's files."""
    try:
        connection.call("GET", f"/api/submissions/{run}/get_details/", anonymous=True)
    except Refused:
        return False
    return True


def read_board(connection: Connection, phase: int, runs: Iterable[LiveRun]) -> list[int]:
    """Return the ids of the runs on a phase's leaderboard, best first. Copies of one of `runs` count as this run."""
    originals = {copy: run.id for run in runs for copy in run.copies}
    answer = _get(connection, f"/api/phases/{phase}/get_leaderboard/")
    with _expected("leaderboard"):
        numbers = [_number(entry["id"]) for entry in answer["submissions"]]
    return list(dict.fromkeys(originals.get(number, number) for number in numbers))


def returned(columns: Iterable[str], hidden: Collection[str], scores: Collection[str]) -> set[str]:
    """Return the columns whose scores a server returns: newer versions return none of hidden columns.

    Parameters
    ----------
    scores: columns of a run's scores on this server.
    """
    return {column for column in columns if column not in hidden or not set(hidden).isdisjoint(scores)}


def upload_file(
    connection: Connection, kind: str, name: str, source: Path | bytes, progress: Progress | None = None
) -> str:
    """Upload a file; return its key, which later requests refer to.

    Raises
    ------
    OrganiserError: the server rejects the file, for example for lack of space.
    """
    size = len(source) if isinstance(source, bytes) else source.stat().st_size
    wanted = {"type": kind, "request_sassy_file_name": name, "file_name": name[-64:], "file_size": size}
    try:
        answer = connection.call("POST", "/api/datasets/", wanted)
    except Refused as refusal:
        raise OrganiserError(f"{name} was rejected: {refusal}") from None
    with _expected("dataset"):
        key, address = str(answer["key"]), str(answer["sassy_url"])
    try:
        connection.upload(address, source, progress)
    except Gone as refusal:
        raise OrganiserError(f"{name} was rejected: {refusal}") from None
    return key


def import_bundle(connection: Connection, key: str) -> int:
    """Start the import of an uploaded bundle; return the number of the import."""
    answer = connection.call("PUT", f"/api/datasets/completed/{key}/", repeatable=False)
    with _expected("import"):
        return int(answer["status_id"])


def imported(connection: Connection, status: int) -> int | None:
    """Return the competition that an import created; None while the import is running.

    Raises
    ------
    OrganiserError: the import failed.
    """
    answer = _get(connection, f"/api/competitions/{status}/creation_status/")
    with _expected("import"):
        if answer["status"] == "Failed":
            raise OrganiserError(f"the import failed: {answer['details']!s:.1000}")
        return int(answer["resulting_competition"]) if answer["status"] == "Finished" else None


def submit(connection: Connection, phase: LivePhase, name: str, upload: bytes) -> int:
    """Make a submission; return the id of its run.

    Raises
    ------
    Refused: this account cannot make a submission: it has reached a limit, or (HTTP 400, newer versions) the phase is
        not open.
    """
    may = _get(connection, f"/api/can_make_submission/{phase.id}/")
    if not may.get("can"):
        raise Refused(403, f"{may.get('reason')!s:.200}")
    key = upload_file(connection, "submission", name, upload)
    finish_upload(connection, key)
    wanted = {"data": key, "phase": phase.id, "tasks": list(phase.tasks)}
    answer = connection.call("POST", "/api/submissions/", wanted, repeatable=False)
    with _expected("submission"):
        return int(answer["id"])


def start(connection: Connection, run: int) -> None:
    """Start a run that waits for an organiser."""
    connection.call("POST", f"/api/submissions/{run}/run_submission/", {}, repeatable=False)


def run_again(connection: Connection, run: int) -> int:
    """Run a submission's upload again; return the id of the new run."""
    answer = connection.call("POST", f"/api/submissions/{run}/re_run_submission/", {}, repeatable=False)
    with _expected("new run"):
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


def publish(connection: Connection, competition: int) -> None:
    """List a competition publicly. The API has only a toggle, so the state is checked before and after."""
    if not read_competition(connection, competition).get("published"):
        connection.call("POST", f"/api/competitions/{competition}/toggle_publish/", {}, repeatable=False)
    if not read_competition(connection, competition).get("published"):
        raise OrganiserError(f"competition {competition} is still not published; publish it in the browser")


def read_parts(connection: Connection, task: int) -> dict[str, str]:
    """Return the keys of a task's programs and data, `part -> key`."""
    answer = _get(connection, f"/api/tasks/{task}/")
    with _expected("task"):
        return {part: str(answer[part]["key"]) for part in PARTS if answer.get(part)}


def change_parts(connection: Connection, task: int, keys: Mapping[str, str]) -> None:
    """Replace a task's programs and data. `keys` must be complete, because the task loses all other parts."""
    connection.call("PATCH", f"/api/tasks/{task}/", {part: keys[part] for part in PARTS if part in keys})


def read_texts(competition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a competition's pages and terms without the leaderboard page, in the form that `change_texts` sends."""
    pages = [page for page in _pages(competition) if not is_board_page(page)]
    with _expected("list of pages"):
        return {"terms": _words(competition["terms"]), "pages": pages}


def change_texts(connection: Connection, competition: Mapping[str, Any], texts: Mapping[str, Any]) -> None:
    """Replace a competition's pages and terms, except the leaderboard page."""
    last = len(texts["pages"])
    kept = [
        {**page, "index": max(page["index"], last)} for page in _pages(competition) if is_board_page(page)
    ]
    _send_texts(connection, competition, {**texts, "pages": [*texts["pages"], *kept]})


def is_board_page(page: Mapping[str, Any]) -> bool:
    """Return whether `board` has written a page."""
    return page["title"] == BOARD_TITLE and str(page["content"]).rstrip().endswith(BOARD_MARK)


def change_board_page(connection: Connection, competition: Mapping[str, Any], content: str) -> bool:
    """Write the leaderboard page; return whether it has changed. The other pages and the terms stay.

    Raises
    ------
    OrganiserError: there is another page with this title.
    """
    pages = _pages(competition)
    own = [page for page in pages if is_board_page(page)]
    others = [page for page in pages if not is_board_page(page)]
    if any(page["title"] == BOARD_TITLE for page in others):
        raise OrganiserError(
            f"competition {competition['id']} has a page {BOARD_TITLE} that `board` did not write; rename that page"
        )
    if [page["content"].strip() for page in own] == [content.strip()]:
        return False
    last = max((page["index"] for page in others), default=-1)
    page = {"title": BOARD_TITLE, "index": last + 1, **(own[0] if own else {}), "content": content}
    _send_texts(connection, competition, {"pages": [*others, page]})
    return True


def _pages(competition: Mapping[str, Any]) -> list[dict[str, Any]]:
    with _expected("list of pages"):
        return [
            {
                "id": _number(page["id"]),
                "title": _words(page["title"]),
                "content": _words(page["content"]),
                "index": int(page["index"]),
            }
            for page in sorted(competition["pages"], key=lambda page: page["index"])
        ]


def _send_texts(connection: Connection, competition: Mapping[str, Any], texts: Mapping[str, Any]) -> None:
    """Send pages and perhaps terms. The server deletes all other pages.

    The whitelist is sent too, because the server empties it otherwise.
    """
    whitelist = [_words(address) for address in competition.get("whitelist_emails") or ()]
    connection.call(
        "PATCH", f"/api/competitions/{competition['id']}/", {**texts, "whitelist_emails": whitelist}
    )


def read_kits(competition: Mapping[str, Any]) -> dict[int, dict[str, str]]:
    """Return the keys of each phase's starting kit and public data, `phase -> kind -> key`."""
    with _expected("list of phases"):
        return {
            _number(phase["id"]): {kind: _words(phase[kind]["key"]) for kind in KITS if phase.get(kind)}
            for phase in competition["phases"]
        }


def change_kit(connection: Connection, phase: int, kind: str, key: str | None) -> None:
    """Give a phase another starting kit or other public data; None: none."""
    if key is None:
        connection.call("PATCH", f"/api/phases/{phase}/", {kind: None})
        return
    answer = _get(connection, f"/api/datasets/?key={key}")
    with _expected("dataset"):
        (dataset,) = (_number(found["id"]) for found in answer["results"] if found["key"] == key)
    connection.call("PATCH", f"/api/phases/{phase}/", {kind: dataset})


def finish_upload(connection: Connection, key: str) -> None:
    """Confirm the upload of a file other than a bundle, so that the server records its size."""
    connection.call("PUT", f"/api/datasets/completed/{key}/")


def dataset_link(connection: Connection, key: str, *, anonymous: bool = False) -> str:
    """Return a signed address of a dataset's file."""
    return connection.location(f"/datasets/download/{key}/", anonymous=anonymous)


def upload_identity(link: str) -> str:
    """Return a digest of the address's path, which is the same in all signed addresses of one upload."""
    with _expected("address of an upload"):
        return hashlib.sha256(urlsplit(link).path.encode()).hexdigest()[:16]


def _get(connection: Connection, path: str) -> dict[str, Any]:
    answer = connection.call("GET", path)
    if not isinstance(answer, dict):
        raise OrganiserError(f"{path}: the server's answer is not as expected; does it run Codabench?")
    return answer


def _number(value: Any) -> int:
    if type(value) is not int or not 0 < value < LARGEST_ID:
        raise TypeError(f"{value!r:.50} is not a number of the server")
    return value


def _words(value: Any) -> str:
    """Return a text that can be written: without lone surrogates and NUL, which JSON can contain."""
    if not isinstance(value, str):
        raise TypeError(f"{value!r:.50} is not a text")
    return value.encode("utf-8", "backslashreplace").decode().replace("\0", "\\0")


def _link(value: Any) -> str | None:
    return _words(value) if value else None


def _score(value: Any) -> Decimal:
    score = Decimal(str(value))
    if not score.is_finite() or abs(score.adjusted()) > LARGEST_EXPONENT or abs(score) >= LARGEST_SCORE:
        raise ValueError(f"{value!r:.50} is not a score")
    return score


@contextmanager
def _expected(what: str) -> Iterator[None]:
    """Report which part of an answer is missing or malformed."""
    try:
        yield
    except (AttributeError, KeyError, IndexError, TypeError, ValueError, ArithmeticError) as error:
        raise OrganiserError(f"the server's answer has no valid {what} ({error!r:.100})") from None
