"""The folder of a fetched competition. Only this module defines its layout and reads its index.

    index.csv                                   one line per run: phase, owner, time, status, files, fact sheet
    submissions/OWNER/2027-03-01T091500_17.zip  the upload, by UTC time and id; `season` reads submissions/
    outputs/PHASE/OWNER_17.zip                  the scoring program's output; `rank` reads it
    logs/PHASE/OWNER_17/                        logs of the programs, the prediction's output, the report page

A file has its name only if it is complete; the name of an incomplete file ends in `.part`. A second run of the same
upload has no copy of it: its line names the file of the first run. Folders have the names of owners and phases on the
server. Characters that a file name cannot have are replaced by `_`, and six digits of a digest are added. If the names
of owners differ only in case, all but the first also get the digest.

While runs are fetched, each is appended to `.fetched.jsonl`, so that an interrupted fetch loses none; the next fetch
writes them into the index. A cell that a spreadsheet would run as a formula has an apostrophe before it.
"""

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from speechbundles.model.bounded import parse_json, read_file
from speechbundles.model.disk import write_whole
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.submissions import INDEX
from speechbundles.model.tabular import read_rows
from spokeneval.formats.tables import begins_formula, csv_text

SUBMISSIONS, OUTPUTS, LOGS = "submissions", "outputs", "logs"
LOCK = ".lock"
"""The file that a command locks while it uses the folder: `fetch`, `watch --fetch`, `amend` or `board`."""
JOURNAL = ".fetched.jsonl"
"""The runs that were fetched since the index was written, one line each."""
DELETED = "the upload was deleted on the server"
VANISHED = "no longer on the server"
REPLACED = "no longer on the server, but a newer run of the same upload is"
"""Notes on runs whose files here are the only ones left."""
LARGEST_INDEX = 256 << 20
TIME = "%Y-%m-%dT%H%M%S"
"""The format of the time in file names, which `season` reads."""
_LONGEST_NAME = 80
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True)
class Fetched:
    """A run of a submission, and the places of its files.

    Attributes
    ----------
    id: the run's id on the server.
    phase, owner: their names on the server.
    time: the time of the run, in UTC; for an upload that was run once, the time of the upload.
    status: the run's status on the server.
    on_board: whether it was on the leaderboard.
    submission, output: paths below the folder; empty if there is no such file.
    sha256: SHA-256 of the upload.
    upload: an identifier that all runs of one upload share.
    complete: whether all files that the server will ever have are here.
    note: which files are not here, and why.
    fact_sheet: the answers to the fact sheet, `key -> text`, in JSON; empty without any.
    """

    id: int
    phase: str
    owner: str
    time: datetime
    status: str
    on_board: bool = False
    submission: str = ""
    sha256: str = ""
    output: str = ""
    upload: str = ""
    complete: bool = False
    note: str = ""
    fact_sheet: str = ""

    @property
    def gone(self) -> bool:
        """Whether the server has the run no longer, or its owner withdrew it."""
        return self.note in (DELETED, VANISHED, REPLACED)

    @property
    def own_upload(self) -> tuple[str, str, str]:
        """Its owner, phase and upload, which all runs of one upload to a phase share."""
        return self.owner, self.phase, self.upload or str(self.id)

    @property
    def owner_folder(self) -> str:
        """The folder of the owner's uploads; empty if the upload is not here."""
        return self.submission.split("/")[1] if self.submission else ""


COLUMNS = tuple(field.name for field in fields(Fetched))
_BEFORE_0_5 = COLUMNS[:-1]
"""The columns of folders that version 0.4 and older wrote."""


def upload_times(runs: Sequence[Fetched]) -> dict[int, datetime]:
    """Return the time of each run's upload, by the run's id: that of its first run, because repeated runs are later."""
    first: dict[tuple[str, str, str], datetime] = {}
    for run in runs:
        first[run.own_upload] = min(run.time, first.get(run.own_upload, run.time))
    return {run.id: first[run.own_upload] for run in runs}


def read_index(folder: Path) -> list[Fetched]:
    """Return the runs in a fetched folder, sorted by id, with those of an interrupted fetch.

    Raises
    ------
    OrganiserError: the index is missing or cannot be read.
    """
    try:
        rows = read_rows(read_file(folder / INDEX, LARGEST_INDEX), ",")
    except (OSError, UnreadableFile) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise OrganiserError(f"{folder / INDEX}: {reason}; expected the index that `fetch` writes") from None
    if not rows or tuple(rows[0][1]) not in (COLUMNS, _BEFORE_0_5):
        raise OrganiserError(f"{folder / INDEX}: expected the columns {', '.join(COLUMNS)}")
    runs = []
    for line, cells in rows[1:]:
        try:
            runs.append(_fetched(dict(zip(rows[0][1], map(_plain, cells), strict=True))))
        except (KeyError, TypeError, ValueError) as error:
            raise OrganiserError(f"{folder / INDEX}, line {line}: {error!s:.200}") from None
    return [run for _, run in sorted({run.id: run for run in (*runs, *_read_journal(folder))}.items())]


def _read_journal(folder: Path) -> list[Fetched]:
    """Return the runs in the journal; a line that was not written to its end is left out."""
    try:
        lines = read_file(folder / JOURNAL, LARGEST_INDEX).split(b"\n")[:-1]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise OrganiserError(f"{folder / JOURNAL}: {error.strerror}") from None
    try:
        return [_fetched(dict(zip(COLUMNS, parse_json(line), strict=False))) for line in lines]
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise OrganiserError(f"{folder / JOURNAL}: {error!s:.200}; delete this file") from None


def append_to_journal(folder: Path, run: Fetched) -> None:
    with (folder / JOURNAL).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps([_cell(getattr(run, column)) for column in COLUMNS]) + "\n")
        stream.flush()
        os.fsync(stream.fileno())


def _fetched(row: dict[str, str]) -> Fetched:
    for column, below in (("submission", SUBMISSIONS), ("output", OUTPUTS)):
        parts = row[column].split("/")
        if row[column] and (parts[0] != below or ".." in parts or "\\" in row[column]):
            raise ValueError(f"{column} is {row[column]!r}; expected a file below {below}/")
    flags = {name: row[name] == "yes" for name in ("on_board", "complete")}
    time = datetime.fromisoformat(row["time"].removesuffix("Z"))
    return Fetched(**{**row, **flags, "id": int(row["id"]), "time": time})  # type: ignore[arg-type]


def write_index(folder: Path, runs: Iterable[Fetched]) -> None:
    """Write the index, which from now on has the runs of the journal too."""
    ordered = sorted(runs, key=lambda run: run.id)
    rows = ([_guarded(_cell(getattr(run, column))) for column in COLUMNS] for run in ordered)
    write_whole(folder / INDEX, csv_text([COLUMNS, *rows]))
    (folder / JOURNAL).unlink(missing_ok=True)


def _guarded(cell: str) -> str:
    """Put an apostrophe before what a spreadsheet would run as a formula; see `no_formula`."""
    return ";".join(f"'{part}" if begins_formula(part.lstrip("'")) else part for part in cell.split(";"))


def _plain(cell: str) -> str:
    """Return what `_guarded` was given."""
    return ";".join(
        part[1:] if part[:1] == "'" and begins_formula(part.lstrip("'")) else part for part in cell.split(";")
    )


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def submission_path(owner_folder: str, time: datetime, run: int) -> str:
    return f"{SUBMISSIONS}/{owner_folder}/{time:{TIME}}_{run}.zip"


def output_path(phase_folder: str, owner: str, run: int) -> str:
    return f"{OUTPUTS}/{phase_folder}/{safe_name(owner)}_{run}.zip"


def logs_path(phase_folder: str, owner: str, run: int) -> str:
    return f"{LOGS}/{phase_folder}/{safe_name(owner)}_{run}"


def safe_name(name: str) -> str:
    """Return a valid file name for every system; different names stay different, except for case."""
    plain = unicodedata.normalize("NFC", name)
    plain = re.sub(r"[^\w.@+ -]", "_", plain).rstrip(". ")
    plain = re.sub(r"^[. ]+|^(?=$)|^__MACOSX", "_", plain)
    plain = plain.encode()[:_LONGEST_NAME].decode(errors="ignore")
    return name if plain == name and not _RESERVED.fullmatch(plain) else f"{plain}-{_digest(name)}"


def folders_of(names: Iterable[str], known: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return a folder for each owner, or phase; the folders differ also on file systems that ignore case.

    Parameters
    ----------
    known: folders that names have already.
    """
    folders = dict(known or {})
    taken = {folded(folder) for folder in folders.values()}
    for name in (name for name in dict.fromkeys(names) if name not in folders):
        folder, salt = safe_name(name), ""
        while folded(folder) in taken:
            folder, salt = f"{safe_name(name)}-{_digest(name + salt)}", f"{salt}+"
        folders[name] = folder
        taken.add(folded(folder))
    return folders


def folded(name: str) -> str:
    """Return a text that is the same for names that a file system may take for one."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
