"""Exchange what an amendment replaces on a server: the parts of tasks, the kits of phases, pages and terms.

What is exchanged is a mapping: `tasks`, task -> part -> key; `kits`, phase -> kind -> key; `texts`, as `api.read_texts`
returns them. Ids are texts, as the keys of JSON objects are.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable
from speechbundles.server import api
from speechbundles.server.served_files import ServedFiles


def read_replaceable(files: ServedFiles, competition: int) -> dict[str, Any]:
    """Return all that can be exchanged."""
    live = api.read_competition(files.connection, competition)
    tasks = [phase.tasks[0] for phase in api.phases_of(live)]
    return {
        "texts": api.read_texts(live),
        "tasks": {str(task): api.read_parts(files.connection, task) for task in tasks},
        "kits": {str(phase): keys for phase, keys in api.read_kits(live).items()},
    }


def digests_of(files: ServedFiles, content: Mapping[str, Any]) -> dict[str, str]:
    """Return the SHA-256 of each file by its key, empty if the server does not provide it and it is not known."""
    places = (*content["tasks"].values(), *content["kits"].values())
    return {key: _digest(files, key) for key in sorted({key for keys in places for key in keys.values()})}


def _digest(files: ServedFiles, key: str) -> str:
    try:
        return files.digest(key)
    except (Gone, Refused):
        return ""


def exchange(
    files: ServedFiles, competition: int, wanted: Mapping[str, Any], known: Mapping[str, str], expected: str
) -> None:
    """Give a competition these files and texts, and read them back.

    Parameters
    ----------
    wanted: what is exchanged. The parts of a task are complete, because it loses all others; kits that are None are
        removed.
    known: the SHA-256 of the wanted files, by their keys.
    expected: what the competition is then, such as `as in the bundle`.

    Raises
    ------
    OrganiserError: the message has a line for each file or text that the server refuses, or does not return.
    """
    lost = [*_send(files, competition, wanted)]
    now = read_replaceable(files, competition)
    for what in ("tasks", "kits"):
        for place, keys in wanted[what].items():
            for kind in (kind for kind, key in keys.items() if key is not None):
                served = now[what].get(place, {}).get(kind)
                if served is None or not _digest(files, served) == known.get(keys[kind]) != "":
                    lost.append(f"{what[:-1]} {place}: {kind.replace('_', ' ')} is another file")
    if "texts" in wanted and _compared_texts(now["texts"]) != _compared_texts(wanted["texts"]):
        lost.append("the pages or the terms are others")
    if lost:
        lines = "\n".join(f"  {line}" for line in dict.fromkeys(lost))
        raise OrganiserError(f"competition {competition} is not {expected}:\n\n{lines}")


def _compared_texts(texts: Mapping[str, Any]) -> list[Any]:
    """Return what of pages and terms must be as sent."""
    return [texts["terms"].strip(), *((page["title"], page["content"].strip()) for page in texts["pages"])]


def _send(files: ServedFiles, competition: int, wanted: Mapping[str, Any]) -> Iterator[str]:
    """Send keys, pages and terms; yield a line for each that the server refuses."""
    connection = files.connection
    for task, keys in wanted["tasks"].items():
        yield from _refusal_of(f"task {task}", api.change_parts, connection, int(task), keys)
    for phase, kits in wanted["kits"].items():
        for kind, key in kits.items():
            which = f"phase {phase}, {kind}"
            yield from _refusal_of(which, api.change_kit, connection, int(phase), kind, key)
    if "texts" in wanted:
        live = api.read_competition(connection, competition)
        yield from _refusal_of("pages", api.change_texts, connection, live, wanted["texts"])


def _refusal_of(what: str, change: Callable[..., None], *arguments: object) -> Iterator[str]:
    try:
        change(*arguments)
    except Unreachable:
        raise
    except OrganiserError as refusal:
        yield f"{what}: {refusal}"
