"""Competitions on a server: their phases, pages, tasks and files."""

from collections.abc import Mapping
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path
from typing import Any

from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.model.text import Progress, silent
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.platforms.codabench.client.pages import read_list
from speechbundles.platforms.codabench.client.values import expected, get, to_name, to_number, to_words

PARTS = ("scoring_program", "ingestion_program", "input_data", "reference_data")
"""The parts of a task; also the types of their datasets."""
KITS = ("starting_kit", "public_data")
"""The files of a phase that participants download; also the types of their datasets."""
BOARD_TITLE = "Leaderboard"
BOARD_MARK = "*Written by `speech-bundles board`.*"
"""The title and the last line of the page that `board` writes. No other command compares or changes it."""


@dataclass(frozen=True)
class LivePhase:
    """A phase on the server, with its tasks' ids."""

    id: int
    name: str
    tasks: tuple[int, ...]


def read_competition(connection: Connection, competition: int) -> dict[str, Any]:
    """Return a competition as its organisers see it, with its number as `id`.

    Raises
    ------
    OrganiserError: the competition does not exist, or the token does not belong to one of its organisers.
    """
    found = get(connection, f"/api/competitions/{competition}/")
    if "secret_key" not in found:
        raise OrganiserError(
            f"competition {competition}: this token does not belong to one of its organisers"
        )
    return {**found, "id": competition}


def page_of(connection: Connection, competition: int) -> str:
    """Return the address of a competition's page for a browser."""
    return f"{connection.server}/competitions/{competition}/"


def is_published(competition: Mapping[str, Any]) -> bool:
    """Return whether a competition is listed publicly."""
    return bool(competition.get("published"))


def shows_reports(competition: Mapping[str, Any]) -> bool:
    """Return whether runs have report pages."""
    return bool(competition.get("enable_detailed_results"))


def read_settings(competition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a competition's settings, phases and columns with the keys and in the order of a bundle's file."""
    queue, board = competition["queue"], competition["leaderboards"][0]
    columns = sorted(board["columns"], key=lambda column: int(column["index"]))
    phases = []
    for phase in sorted(competition["phases"], key=itemgetter("index")):
        tasks = [task["name"] for task in phase["tasks"]]
        phases.append({**phase, "max_submissions": phase["max_submissions_per_person"], "tasks": tasks})
    read = {"queue": queue and str(queue["vhost"]), "phases": phases}
    return {**competition, **read, "leaderboards": [{**board, "columns": columns}]}


def phases_of(competition: Mapping[str, Any]) -> list[LivePhase]:
    with expected("list of phases"):
        phases = sorted(competition["phases"], key=itemgetter("index"))
        tasks = [tuple(to_number(task["id"]) for task in phase["tasks"]) for phase in phases]
        named = ((to_number(phase["id"]), to_name(phase["name"])) for phase in phases)
        return [LivePhase(*each, own) for each, own in zip(named, tasks, strict=True)]


def organisers_of(competition: Mapping[str, Any]) -> frozenset[str]:
    """Return the names of a competition's owner and collaborators."""
    with expected("list of organisers"):
        others = [found["username"] for found in competition["collaborators"]]
        return frozenset(map(to_name, [competition["created_by"], *others]))


def upload_file(
    connection: Connection, kind: str, name: str, source: Path | bytes, progress: Progress = silent
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
        with expected("dataset"):
            key, address = str(answer["key"]), str(answer["sassy_url"])
        connection.upload(address, source, progress)
    except (Refused, Gone) as refusal:
        raise OrganiserError(f"{name} was rejected: {refusal}") from None
    return key


def import_bundle(connection: Connection, key: str) -> int:
    """Start the import of an uploaded bundle; return the number of the import."""
    answer = connection.call("PUT", f"/api/datasets/completed/{key}/", repeatable=False)
    with expected("import"):
        return int(answer["status_id"])


def imported(connection: Connection, status: int) -> int | None:
    """Return the competition that an import created; None while the import is running.

    Raises
    ------
    OrganiserError: the import failed.
    """
    answer = get(connection, f"/api/competitions/{status}/creation_status/")
    with expected("import"):
        if answer["status"] == "Failed":
            raise OrganiserError(f"the import failed: {answer['details']!s:.1000}")
        return int(answer["resulting_competition"]) if answer["status"] == "Finished" else None


def publish(connection: Connection, competition: int) -> None:
    """List a competition publicly. The API has only a toggle, so the state is checked before and after."""
    if not is_published(read_competition(connection, competition)):
        connection.call("POST", f"/api/competitions/{competition}/toggle_publish/", {}, repeatable=False)
    if not is_published(read_competition(connection, competition)):
        raise OrganiserError(f"competition {competition} is still not published; publish it in the browser")


def read_parts(connection: Connection, task: int) -> dict[str, str]:
    """Return the keys of a task's programs and data, `part -> key`."""
    answer = get(connection, f"/api/tasks/{task}/")
    with expected("task"):
        return {part: str(answer[part]["key"]) for part in PARTS if answer.get(part)}


def change_parts(connection: Connection, task: int, keys: Mapping[str, str]) -> None:
    """Replace a task's programs and data. `keys` must be complete, because the task loses all other parts."""
    connection.call("PATCH", f"/api/tasks/{task}/", {part: keys[part] for part in PARTS if part in keys})


def read_texts(competition: Mapping[str, Any]) -> dict[str, Any]:
    """Return a competition's pages and terms without the leaderboard page, in the form that `change_texts` sends."""
    pages = [page for page in _pages(competition) if not is_board_page(page)]
    with expected("list of pages"):
        return {"terms": to_words(competition["terms"]), "pages": pages}


def change_texts(connection: Connection, competition: Mapping[str, Any], texts: Mapping[str, Any]) -> None:
    """Replace a competition's pages and terms, except the leaderboard page."""
    last = len(texts["pages"])
    kept = (page for page in _pages(competition) if is_board_page(page))
    pages = [*texts["pages"], *({**page, "index": max(page["index"], last)} for page in kept)]
    _send_texts(connection, competition, {**texts, "pages": pages})


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
    own, others = ([page for page in pages if is_board_page(page) is wanted] for wanted in (True, False))
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


_PAGE: Any = {"id": to_number, "title": to_words, "content": to_words, "index": int}
"""The keys of a page, and what reads their values."""


def _pages(competition: Mapping[str, Any]) -> list[dict[str, Any]]:
    with expected("list of pages"):
        pages = sorted(competition["pages"], key=itemgetter("index"))
        return [{key: read(page[key]) for key, read in _PAGE.items()} for page in pages]


def _send_texts(connection: Connection, competition: Mapping[str, Any], texts: Mapping[str, Any]) -> None:
    """Send pages and perhaps terms. The server deletes all other pages.

    The whitelist is sent too, because the server empties it otherwise.
    """
    whitelist = [to_words(address) for address in competition.get("whitelist_emails") or ()]
    content = {**texts, "whitelist_emails": whitelist}
    connection.call("PATCH", f"/api/competitions/{competition['id']}/", content)


def read_kits(competition: Mapping[str, Any]) -> dict[int, dict[str, str]]:
    """Return the keys of each phase's starting kit and public data, `phase -> kind -> key`."""
    with expected("list of phases"):
        return {
            to_number(phase["id"]): {kind: to_words(phase[kind]["key"]) for kind in KITS if phase.get(kind)}
            for phase in competition["phases"]
        }


def change_kit(connection: Connection, phase: int, kind: str, key: str | None) -> None:
    """Give a phase another starting kit or other public data; None: none."""
    dataset = None
    if key is not None:
        rows = read_list(connection, f"/api/datasets/?key={key}", "list of datasets")
        with expected("dataset"):
            (dataset,) = (found["id"] for found in rows if found["key"] == key)
    connection.call("PATCH", f"/api/phases/{phase}/", {kind: dataset})


def finish_upload(connection: Connection, key: str) -> None:
    """Confirm the upload of a file other than a bundle, so that the server records its size."""
    connection.call("PUT", f"/api/datasets/completed/{key}/")


def dataset_link(connection: Connection, key: str, *, anonymous: bool = False) -> str:
    """Return a signed address of a dataset's file."""
    return connection.location(f"/datasets/download/{key}/", anonymous=anonymous)
