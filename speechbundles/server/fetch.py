"""Fetch all submissions of a competition into a folder (see `model.fetched`).

Files that are there are not fetched again. What an interrupted fetch has saved is kept, even if it was killed.
"""

import json
import threading
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from speechbundles.model.bounded import METHODS, sha256
from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable
from speechbundles.model.fetched import (
    DELETED,
    LOGS,
    OUTPUTS,
    REPLACED,
    SUBMISSIONS,
    VANISHED,
    Fetched,
    append_to_journal,
    folders_of,
    logs_path,
    output_path,
    read_index,
    safe_name,
    submission_path,
    write_index,
)
from speechbundles.model.statuses import FINISHED, meaning_of
from speechbundles.model.submissions import INDEX
from speechbundles.model.text import Progress, silent
from speechbundles.server import api
from speechbundles.server.api import LARGEST_FILE, Connection
from spokeneval.formats.submission_zip import DAMAGED, MAX_BYTES, open_zip

JOBS = 4
UNREADABLE = "not a readable zip; fetched twice with the same bytes"
NO_OUTPUT = "no output yet"
EMPTY = "the upload is empty (0 bytes)"


@dataclass(frozen=True)
class Haul:
    """The runs that a folder holds now.

    Attributes
    ----------
    fetched: the number of runs that were new, or got new files or another status.
    unchanged: the numbers of the runs whose files were requested again and are still missing, as recorded before.
    """

    runs: tuple[Fetched, ...]
    fetched: int
    unchanged: frozenset[int] = frozenset()

    @property
    def lacking(self) -> list[Fetched]:
        """Runs with files that are missing here or were deleted on the server."""
        return [run for run in self.runs if run.note and run.note != REPLACED]

    @property
    def unfinished(self) -> list[Fetched]:
        """Runs that may get more files on the server later."""
        return [run for run in self.runs if not run.complete]

    @property
    def unsettled(self) -> list[Fetched]:
        """Unfinished runs, without those that ended and whose missing files were recorded before."""
        return [
            run for run in self.unfinished if not meaning_of(run.status).ends or run.id not in self.unchanged
        ]


def fetch_competition(
    connection: Connection,
    competition: int,
    folder: Path,
    *,
    jobs: int = JOBS,
    progress: Progress = silent,
) -> Haul:
    """Fetch the runs that are not in the folder yet. The caller has locked the folder.

    Parameters
    ----------
    jobs: number of runs fetched in parallel.
    progress: called with the number of runs in the folder, and their total.

    Raises
    ------
    OrganiserError: the competition or the folder's index cannot be read, or the server cannot be reached any more. Runs
        that were fetched before stay in the folder.
    """
    phases = api.phases_of(api.read_competition(connection, competition))
    folder.mkdir(parents=True, exist_ok=True)
    known = {run.id: run for run in read_index(folder)} if (folder / INDEX).exists() else {}
    live = [(phase, run) for phase in phases for run in api.list_runs(connection, phase.id)]
    listed = {run.id: _listed(run, phase.name, known.get(run.id)) for phase, run in live}
    vanished = (replace(run, on_board=False, complete=True, note=VANISHED) for run in known.values())
    result = {run.id: run for run in vanished} | listed
    had = {run.owner: run.owner_folder for run in known.values() if run.submission}
    downloads = _Downloads(
        connection,
        folder,
        folders_of((run.owner for _, run in sorted(result.items())), had),
        folders_of(phase.name for phase in phases),
        {run.id: run.files for _, run in live},
        first_runs(known.values()),
    )
    wanted = [run for run in listed.values() if not (run.complete and _is_here(folder, run))]
    write_index(folder, result.values())
    for part in [part for place in (SUBMISSIONS, OUTPUTS, LOGS) for part in (folder / place).rglob("*.part")]:
        part.unlink()  # of a fetch that was killed
    try:
        for done, run in enumerate(downloads.all(wanted, jobs), len(listed) - len(wanted) + 1):
            result[run.id] = run
            append_to_journal(folder, run)
            progress(done, len(listed))
    finally:
        result = _share_uploads(folder, result)
        uploads = {run.upload for run in result.values() if run.id in listed and run.upload}
        for run in result.values():
            if run.note == VANISHED and run.upload in uploads:
                result[run.id] = replace(run, note=REPLACED)
        write_index(folder, result.values())
    unchanged = frozenset(run.id for run in wanted if _is_as(result[run.id], known.get(run.id)))
    return Haul(tuple(run for _, run in sorted(result.items())), len(wanted) - len(unchanged), unchanged)


def _is_as(run: Fetched, known: Fetched | None) -> bool:
    """Return whether a run lacks the same files for the same reasons as before."""
    return known is not None and not run.complete and (run.status, run.note) == (known.status, known.note)


def _listed(run: api.LiveRun, phase: str, known: Fetched | None) -> Fetched:
    """Combine a run from the server's list with the known facts about its files."""
    fact_sheet = json.dumps(dict(run.answers)) if run.answers else ""
    fresh = Fetched(run.id, phase, run.owner, run.created, run.status, run.on_board)
    if known is not None:
        complete = known.complete and known.status == run.status
        fresh = replace(known, status=run.status, on_board=run.on_board, complete=complete)
    fresh = replace(fresh, fact_sheet=fact_sheet)
    if run.deleted:
        return replace(fresh, complete=True, note=DELETED)
    return fresh


def _is_here(folder: Path, run: Fetched) -> bool:
    """Whether a run's files are here and unchanged."""
    try:
        same = not run.submission or sha256(folder / run.submission, LARGEST_FILE) == run.sha256
        return same and (not run.output or (folder / run.output).is_file())
    except OSError:
        return False


@dataclass(frozen=True)
class _Downloads:
    """Fetches the files of runs.

    Attributes
    ----------
    owners, phases: the folders of owners and of phases, by name.
    places: the runs that have the files of each run on the server.
    first: the first run of each upload that is here.
    lost: set if the server was unreachable for a run; then no other run is tried.
    """

    connection: Connection
    folder: Path
    owners: Mapping[str, str]
    phases: Mapping[str, str]
    places: Mapping[int, int]
    first: Mapping[tuple[str, str, str], Fetched]
    lost: threading.Event = field(default_factory=threading.Event)

    def all(self, runs: Iterable[Fetched], jobs: int) -> Iterator[Fetched]:
        """Yield each run when its files are fetched, several at the same time."""
        with ThreadPoolExecutor(jobs) as pool:
            futures = [pool.submit(self.one, run) for run in runs]
            try:
                for future in as_completed(futures):
                    yield future.result()
            finally:
                pool.shutdown(cancel_futures=True)

    def one(self, run: Fetched) -> Fetched:
        if self.lost.is_set():
            return run
        try:
            return self._fetch(run)
        except Unreachable:
            self.lost.set()
            raise
        except OrganiserError as error:  # concerns only this run
            return replace(run, complete=False, note=str(error))

    def _fetch(self, run: Fetched) -> Fetched:
        files = _Files(self.connection, self.folder, self.places[run.id])
        output = files.save(output_path(self.phases[run.phase], run.owner, run.id), api.OUTPUT)
        logs = logs_path(self.phases[run.phase], run.owner, run.id)
        files.save(f"{logs}/prediction.zip", api.PREDICTION)
        files.save(f"{logs}/detailed_results.html", api.PAGE)
        for log in (kind for kind in files.links if kind.startswith(api.LOG)):
            files.save(f"{logs}/{safe_name(log.removeprefix(api.LOG))}.txt", log)
        link = files.links[api.UPLOAD]
        upload = api.upload_identity(link) if link else ""
        own = replace(run, submission=submission_path(self.owners[run.owner], run.time, run.id))
        original = run if run.submission else self.first.get((run.owner, run.phase, upload), own)
        submission = original.submission
        noted = len(files.notes)
        if not (original.sha256 and _is_here(self.folder, replace(original, output=""))):
            submission = files.save(submission, api.UPLOAD)
        empty = not submission and bool(link) and len(files.notes) == noted and run.status == "Failed"
        lacks_output = run.status == FINISHED and not output
        files.notes += [EMPTY] * empty + [NO_OUTPUT] * lacks_output
        return replace(
            run,
            submission=submission,
            sha256=sha256(self.folder / submission, LARGEST_FILE) if submission else "",
            output=output,
            upload=upload,
            complete=meaning_of(run.status).ends and (bool(submission) or empty) and not lacks_output,
            note="; ".join(files.notes),
        )


class _Files:
    """Downloads the files of one run, which the server has at the run `place`; `notes` are on those that are lost."""

    def __init__(self, connection: Connection, folder: Path, place: int) -> None:
        self.connection, self.folder, self.place = connection, folder, place
        self.links = api.read_links(connection, place)
        self.notes: list[str] = []

    def save(self, name: str, kind: str) -> str:
        """Download a file; return its name, or an empty string if there is none.

        A zip that cannot be read is fetched twice. Uploads are kept if both copies are equal: participants can upload
        files that are not zips.
        """
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        link = partial(next, self._addresses(kind))
        try:
            digest = self.connection.download(link, path)
            if digest is not None and name.endswith(".zip") and not _is_whole_zip(path):
                again = self.connection.download(link, path)
                if _is_whole_zip(path):
                    return name
                if again != digest or kind != api.UPLOAD:
                    path.unlink()
                    raise Gone("was damaged in both downloads")
                self.notes.append(f"{name}: {UNREADABLE}")
        except (Gone, Refused) as error:
            self.notes.append(f"{name}: {error}")
            return ""
        return name if digest is not None else ""

    def _addresses(self, kind: str) -> Iterator[str | None]:
        """Yield the known address first, then new ones, because it may have expired."""
        yield self.links.get(kind)
        while True:
            yield api.read_links(self.connection, self.place).get(kind)


def _is_whole_zip(path: Path) -> bool:
    """Whether all entries can be read; for a zip larger than any submission, whether it has a directory."""
    try:
        with path.open("rb") as stream, open_zip(stream) as archive:
            entries = archive.infolist()
            if any(entry.compress_type not in METHODS for entry in entries):
                return False  # damaged LZMA raises errors of its own
            if sum(entry.file_size for entry in entries) > MAX_BYTES:
                return True
            return archive.testzip() is None
    except (*DAMAGED, OSError, NotImplementedError, zipfile.LargeZipFile):
        return False


def first_runs(runs: Iterable[Fetched]) -> dict[tuple[str, str, str], Fetched]:
    """Return the first run of each owner's upload to a phase that is here, by owner, phase and upload."""
    here = (run for run in runs if run.upload and run.submission)
    last_first = sorted(here, key=lambda run: run.id, reverse=True)
    return {(run.owner, run.phase, run.upload): run for run in last_first}


def _share_uploads(folder: Path, runs: Mapping[int, Fetched]) -> dict[int, Fetched]:
    """Let all runs of an upload refer to the first one's file; delete further copies."""
    first = first_runs(runs.values())
    shared = {}
    for number, run in runs.items():
        original = first.get((run.owner, run.phase, run.upload), run)
        if run.submission not in ("", original.submission):
            (folder / run.submission).unlink(missing_ok=True)
        shared[number] = replace(run, submission=original.submission, sha256=original.sha256)
    return shared
