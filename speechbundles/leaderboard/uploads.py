"""Reads a season's folder: one folder for each team with its submissions, each named by its UTC time.

Of a folder that `fetch` wrote, its index gives the phase that each submission was made to.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from errno import EFBIG
from pathlib import Path

from speechbundles.model.bounded import sha256
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import SUBMISSIONS, read_index
from speechbundles.model.submissions import INDEX
from spokeneval.formats.problems import count_of, printable
from spokeneval.formats.submission_zip import MAX_BYTES
from spokeneval.formats.text import nfc

_NAME = re.compile(r"(\d{4}-\d\d-\d\dT\d{4}(?:\d\d)?)Z?(?:[_.].*)?", re.DOTALL | re.IGNORECASE)
_EXAMPLE = "2027-03-01T0915_anything.zip"


@dataclass(frozen=True)
class Upload:
    """A team's zip, or what it sent instead, and the time of its upload in UTC.

    Attributes
    ----------
    team: in composed characters, so that folders from different systems, such as both forms of "Zürich", are one team.
    phase: its phase's name; None: the phase of that time.
    unreadable: why the submission cannot be rehearsed; empty if it can.
    """

    time: datetime
    team: str
    name: str
    path: Path
    sha256: str
    phase: str | None = None
    unreadable: str = ""


def read_uploads(folder: Path, *, passed_over: Path | None = None) -> list[Upload]:
    """Return the submissions in order of time; those of the same time, in order of team and name.

    Raises
    ------
    OrganiserError: lists everything in the folder that is neither a team's folder nor named by its time.
    """
    problems: list[str] = []
    found: list[Upload] = []
    fetched = next((place for place in (folder, folder.resolve().parent) if (place / INDEX).is_file()), None)
    if fetched == folder:
        folder = fetched / SUBMISSIONS
    phases = {}
    if fetched and folder.resolve() == (fetched / SUBMISSIONS).resolve():
        phases = {run.submission: run.phase for run in reversed(read_index(fetched)) if run.submission}
    if not folder.is_dir():
        raise OrganiserError(f"{folder}: expected a folder with one folder for each team")
    for team in _listed(folder, passed_over):
        if not team.is_dir():
            problems.append(f"{team.name}: expected a team's folder with its submissions")
            continue
        for path in _listed(team, passed_over):
            place = f"{team.name}/{path.name}"
            try:
                found.append(_read(path, nfc(team.name), phases.get(f"{SUBMISSIONS}/{place}")))
            except ValueError as error:
                problems.append(f"{place}: {error}")
            except OSError as error:
                problems.append(f"{place}: {error.strerror}; expected the uploaded zip")
    if not found and not problems:
        problems.append("no submissions; expected one folder for each team with the team's zips")
    if problems:
        count = count_of(len(problems), "problem")
        listed = "\n".join(f"  {printable(problem)}" for problem in problems)
        where = printable(str(folder), kept="\n")
        raise OrganiserError(f"{where}: {count}\n\n{listed}\n\nNothing was rehearsed.")
    return sorted(found, key=lambda upload: (upload.time, upload.team, upload.name))


def _read(path: Path, team: str, phase: str | None) -> Upload:
    """Return a submission; a folder, or a zip that is too large, is unreadable, which concerns only this submission."""
    time, digest, unreadable = _upload_time(path.name), "", ""
    try:
        digest = sha256(path, MAX_BYTES)
    except OSError as error:
        if not path.is_dir() and error.errno != EFBIG:
            raise
        unreadable = "is a folder; expected a zip" if path.is_dir() else f"the zip {error.strerror}"
    return Upload(time, team, path.name, path, digest, phase, unreadable)


def _listed(folder: Path, passed_over: Path | None) -> list[Path]:
    hidden = passed_over.resolve() if passed_over else None
    shown = (path for path in sorted(folder.iterdir()) if not path.name.startswith((".", "__MACOSX")))
    return [path for path in shown if path.resolve() != hidden]


def _upload_time(name: str) -> datetime:
    """Return the time at the beginning of a name."""
    match = _NAME.fullmatch(name)
    if match is None:
        raise ValueError(f"expected a name with the UTC time of the upload, such as {_EXAMPLE}")
    try:
        return datetime.strptime(match[1].ljust(17, "0"), "%Y-%m-%dT%H%M%S")
    except ValueError:
        raise ValueError(f"{match[1]} is not a valid date and time") from None
