"""A submission's zip, opened with bounds.

Refused: what is no zip, entries that would land outside (`../`, absolute paths), links, encrypted entries,
names that stand twice, and more data or entries than a submission can need, whatever its directory claims.
"""

from __future__ import annotations

import stat
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from .folder import MAX_FILES
from .problems import Problems, name

MAX_BYTES = 512 << 20
"""Bytes that all entries of a submission may have together when unpacked."""


def unpack(zip_path: Path, directory: Path) -> None:
    """Unpack a zip into an existing, empty folder.

    Raises
    ------
    SubmissionError: with every entry that is refused. Nothing useful is left in the folder then.
    """
    problems = Problems()
    try:
        with zipfile.ZipFile(str(zip_path)) as archive:
            entries = archive.infolist()
            _check_entries(entries, problems)
            problems.raise_if_any()
            budget = MAX_BYTES
            for entry in entries:
                target = directory / PurePosixPath(entry.filename)
                if entry.is_dir():
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                budget -= _extract(archive, entry, target, budget)
                if budget < 0:
                    _too_large(problems)
                    break
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, EOFError, UnicodeDecodeError):
        problems.add("bad_zip", "", "is not a zip that can be read; make it anew")
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        problems.add("unsafe_entry", "", "one name stands for a file and for a folder in the zip")
    problems.raise_if_any()


def _check_entries(entries: list[zipfile.ZipInfo], problems: Problems) -> None:
    if len(entries) > MAX_FILES:
        problems.add("too_many_files", "", f"more than {MAX_FILES} entries in the zip")
        return
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        _too_large(problems)
        return
    seen = set()
    for entry in entries:
        path = PurePosixPath(entry.filename)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.flag_bits & 0x1:
            problems.add("encrypted_zip", entry.filename, "is encrypted; zip it without a password")
        elif (
            path.is_absolute()
            or ".." in path.parts
            or "\\" in entry.filename
            or ":" in entry.filename.split("/")[0]
        ):
            problems.add(
                "unsafe_entry", entry.filename, "would be unpacked outside of the submission's folder"
            )
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            problems.add("link", entry.filename, "is a link or special file; expected an ordinary file")
        elif not path.parts:
            problems.add("unsafe_entry", entry.filename, "an entry without a name")
        elif str(path) in seen:
            problems.add(
                "duplicate_entry", entry.filename, f"stands twice in the zip: {name(entry.filename)}"
            )
        seen.add(str(path))


def _too_large(problems: Problems) -> None:
    problems.add("zip_too_large", "", f"holds more than {MAX_BYTES >> 20} MB when unpacked")


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, budget: int) -> int:
    """Write one entry; stops as soon as it has written more than `budget` bytes. Returns the bytes written."""
    written = 0
    with archive.open(entry) as source, open(str(target), "xb") as sink:
        while written <= budget:
            chunk = source.read(1 << 16)
            if not chunk:
                break
            sink.write(chunk)
            written += len(chunk)
    return written
