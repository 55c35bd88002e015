"""Go back to the state before an amendment that is in progress."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from speechbundles.model.errors import Gone, OrganiserError, Refused
from speechbundles.server import api
from speechbundles.server.amendment import MOST_SHOWN, STATE, read_state
from speechbundles.server.compared import NOT_COMPARED
from speechbundles.server.connection import Connection
from speechbundles.server.files import ServedFiles
from spokeneval.formats.problems import count_of, some_of


def abandon_amendment(connection: Connection, competition: int, folder: Path) -> Iterator[str]:
    """Give the competition the programs, data, kits and pages that it had before; yield a line for each step.

    No run is deleted or repeated. If the server does not provide its files, the first line begins with `NOT_COMPARED`.

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
    lost = [*_restore(connection, live, state.before), *_different(files, competition, state.before)]
    if lost:
        lines = "\n".join(f"  {line}" for line in dict.fromkeys(lost))
        raise OrganiserError(f"competition {competition} is not as it was before:\n\n{lines}")
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
            f"{count_of(len(repeated), 'run')} since then, which may have scores of the abandoned bundle; no run was "
            f"deleted or repeated: {some_of(repeated, MOST_SHOWN)}"
        )
    (folder / STATE).unlink()


def _restore(connection: Connection, live: Mapping[str, Any], before: Mapping[str, Any]) -> Iterator[str]:
    """Send the earlier keys, pages and terms; yield a line for each that the server refuses."""
    for task, keys in before["tasks"].items():
        try:
            api.change_parts(connection, int(task), keys)
        except Refused as refusal:
            yield f"task {task}: {refusal}"
    added = {str(phase): dict.fromkeys(kits) for phase, kits in api.read_kits(live).items()}
    for phase, kits in before["kits"].items():
        for kind, key in {**added.get(phase, {}), **kits}.items():
            try:
                api.change_kit(connection, int(phase), kind, key)
            except OrganiserError as refusal:
                yield f"phase {phase}, {kind}: {refusal}"
    try:
        api.change_texts(connection, live, before["texts"])
    except Refused as refusal:
        yield f"pages: {refusal}"


def _different(files: ServedFiles, competition: int, before: Mapping[str, Any]) -> Iterator[str]:
    """Yield a line for each file, page or term that is not the earlier one."""
    now = read_before(files, competition)
    for what in ("tasks", "kits"):
        for place, keys in before[what].items():
            for part, key in keys.items():
                served = now["sha256"].get(now[what].get(place, {}).get(part))
                if not before["sha256"][key] or served != before["sha256"][key]:
                    yield f"{what[:-1]} {place}: {part.replace('_', ' ')} is not the earlier file"
    texts = [
        [(page["title"], page["content"]) for page in own["texts"]["pages"]] + [own["texts"]["terms"]]
        for own in (before, now)
    ]
    if texts[0] != texts[1]:
        yield "the pages or the terms are not the earlier ones"


def read_before(files: ServedFiles, competition: int) -> dict[str, Any]:
    """Return the state of a competition that `abandon_amendment` restores; keys of objects are texts, as in JSON.

    The SHA-256 of a file is empty if the server does not provide it, and it is not known otherwise.
    """
    live = api.read_competition(files.connection, competition)
    tasks = {
        str(phase.tasks[0]): api.read_parts(files.connection, phase.tasks[0]) for phase in api.phases_of(live)
    }
    kits = {str(phase): keys for phase, keys in api.read_kits(live).items()}
    digests = {}
    for key in sorted({key for own in (*tasks.values(), *kits.values()) for key in own.values()}):
        try:
            digests[key] = files.digest(key)
        except (Gone, Refused):
            digests[key] = ""
    return {"texts": api.read_texts(live), "tasks": tasks, "kits": kits, "sha256": digests}
