"""The folder of a fetched competition. What is in it is said here alone, and read here alone.

    index.csv                                   a line a run: phase, owner, time, status, files, what is lacking
    submissions/OWNER/2027-03-01T091500_17.zip  what was uploaded, by UTC time and id: `season` reads submissions/
    outputs/PHASE/OWNER_17.zip                  the scoring program's output: `rank` reads it
    logs/PHASE/OWNER_17/                        what programs printed, prediction's output, the report page

A file has its name only if all of it is there; one that is being written ends in `.part`. A run of an upload that was
run before has no copy of it: its line names the first one's. Owners and phases are named as on the server where a file
can have that name; else what it cannot have is `_`, with six digits of a digest behind it. Of owners whose names differ
in case alone, all but the first have the digest too.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path

from speechbundles.model.bounded import read_file
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.tabular import csv_text, read_rows

INDEX = "index.csv"
SUBMISSIONS, OUTPUTS, LOGS = "submissions", "outputs", "logs"
LARGEST_INDEX = 256 << 20
TIME = "%Y-%m-%dT%H%M%S"
"""As `season` reads it in a name."""
_LONGEST_NAME = 80
_RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")


@dataclass(frozen=True)
class Fetched:
    """A run of a submission, and where its files are.

    Attributes
    ----------
    id: the server's number for the run.
    phase, owner: as the server calls them.
    time: when the run was made, in UTC; for an upload that was run once, the time of the upload.
    status: the server's word.
    on_board: whether it was on the leaderboard.
    submission, output: files below the folder; empty where there is none.
    sha256: the upload's.
    upload: the same for all runs of one upload.
    complete: whether everything is here that the server will ever have of it.
    note: what is not here, and why.
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


COLUMNS = tuple(field.name for field in fields(Fetched))


def read_index(folder: Path) -> list[Fetched]:
    """The runs in a fetched folder, in the order of their ids.

    Raises
    ------
    OrganiserError: there is no index, or it cannot be read.
    """
    try:
        rows = read_rows(read_file(folder / INDEX, LARGEST_INDEX), ",")
    except OSError as error:
        raise OrganiserError(f"{folder / INDEX}: {error.strerror}; expected what `fetch` left") from None
    except UnreadableFile as error:
        raise OrganiserError(f"{folder / INDEX}: {error}; expected what `fetch` left") from None
    if not rows or tuple(rows[0][1]) != COLUMNS:
        raise OrganiserError(f"{folder / INDEX}: expected the columns {', '.join(COLUMNS)}")
    runs = []
    for line, cells in rows[1:]:
        try:
            runs.append(_fetched(dict(zip(COLUMNS, cells, strict=True))))
        except (KeyError, TypeError, ValueError) as error:
            raise OrganiserError(f"{folder / INDEX}, line {line}: {error!s:.200}") from None
    return runs


def _fetched(row: dict[str, str]) -> Fetched:
    for column, below in (("submission", SUBMISSIONS), ("output", OUTPUTS)):
        parts = row[column].split("/")
        if row[column] and (parts[0] != below or ".." in parts or "\\" in row[column]):
            raise ValueError(f"{column} is {row[column]!r}; expected a file below {below}/")
    return Fetched(
        **{
            **row,
            "id": int(row["id"]),
            "time": datetime.fromisoformat(row["time"].removesuffix("Z")),
            "on_board": row["on_board"] == "yes",
            "complete": row["complete"] == "yes",
        }  # type: ignore[arg-type]
    )


def write_index(folder: Path, runs: Iterable[Fetched]) -> None:
    rows = [
        [_cell(getattr(run, column)) for column in COLUMNS] for run in sorted(runs, key=lambda run: run.id)
    ]
    write_whole(folder / INDEX, csv_text([COLUMNS, *rows]))


def write_whole(path: Path, text: str) -> None:
    """Write a file that has its name only when all of it is there."""
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8", newline="")
    part.replace(path)


def _cell(value: object) -> str:
    if isinstance(value, datetime):
        return f"{value.isoformat()}Z"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def submission_path(owner_folder: str, time: datetime, run: int) -> str:
    return f"{SUBMISSIONS}/{owner_folder}/{time:{TIME}}_{run}.zip"


def output_path(phase: str, owner: str, run: int) -> str:
    return f"{OUTPUTS}/{safe_name(phase)}/{safe_name(owner)}_{run}.zip"


def logs_path(phase: str, owner: str, run: int) -> str:
    return f"{LOGS}/{safe_name(phase)}/{safe_name(owner)}_{run}"


def safe_name(name: str) -> str:
    """A name that a file can have on every system, another one for every name (but for case)."""
    plain = unicodedata.normalize("NFC", name)
    plain = re.sub(r"[^\w.@+ -]", "_", plain).rstrip(". ")
    plain = re.sub(r"^[. ]+|^(?=$)|^__MACOSX", "_", plain)
    while len(plain.encode()) > _LONGEST_NAME:
        plain = plain[:-1]
    return name if plain == name and not _RESERVED.fullmatch(plain) else f"{plain}-{_digest(name)}"


def owner_folders(owners: Iterable[str]) -> dict[str, str]:
    """Each owner's folder, by owner; another one for every owner where a file system takes `a` for `A`, too."""
    folders: dict[str, str] = {}
    taken = set()
    for owner in dict.fromkeys(owners):
        name = safe_name(owner)
        folders[owner] = f"{name}-{_digest(owner)}" if name.casefold() in taken else name
        taken.add(name.casefold())
    return folders


def _digest(name: str) -> str:
    return hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:6]
