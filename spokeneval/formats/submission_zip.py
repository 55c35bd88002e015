"""A submission's zip, opened with bounds.

Refused: what is no zip, entries that would land outside (`../`, absolute paths), links, encrypted entries,
names that stand twice, that no file can have or that are many folders deep, and more data or entries than a
submission can need, whatever its directory claims.
"""

from __future__ import annotations

import errno
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from .problems import Problems, SubmissionError, name
from .submission_folder import BACKSLASH, MAX_FILES

MAX_BYTES = 512 << 20
"""Bytes that all entries of a submission may have together when unpacked."""

MAX_DIRECTORY = 16 << 20
"""Bytes of a zip's directory: a few millions list `MAX_FILES` entries; millions of entries take gigabytes of memory."""
_LONGEST_TAIL = (1 << 16) + 100
"""Bytes at a zip's end that can hold the records of its directory's size: they, and a comment."""

MAX_DEPTH = 10
MAX_NAME = 255
"""Bytes that a file system allows for one name."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What every zip program writes; a few bytes of the others can ask for gigabytes of memory."""

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What `zipfile` raises for damaged bytes."""


def open_zip(stream: BinaryIO) -> zipfile.ZipFile:
    """A zip, open. Its directory, which is held in memory, is looked at before it is read.

    Raises
    ------
    The errors in `DAMAGED`.
    """
    stream.seek(0, 2)
    stream.seek(max(0, stream.tell() - _LONGEST_TAIL))
    if _directory_size(stream.read(_LONGEST_TAIL)) > MAX_DIRECTORY:
        raise zipfile.BadZipFile("far more entries than are needed")
    return zipfile.ZipFile(stream)


def _directory_size(tail: bytes) -> int:
    """Bytes of the directory, as the record at the end of a zip says, or the one of large zips before it."""
    end = len(tail) - 22
    if tail[end : end + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        end = tail.rfind(b"PK\5\6")
    size = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if end >= 76 and tail[end - 20 : end - 16] == b"PK\6\7":
        size = int.from_bytes(tail[end - 36 : end - 28], "little")
    return size


def unpack(zip_path: Path, directory: Path) -> None:
    """Unpack a zip into an existing, empty folder.

    Raises
    ------
    SubmissionError: with every entry that is refused. Nothing useful is left in the folder then.
    """
    problems = Problems()
    try:
        with open(str(zip_path), "rb") as stream, open_zip(stream) as archive:
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
                    _refuse_size(problems)
                    break
    except (FileExistsError, NotADirectoryError, IsADirectoryError):
        problems.add("unsafe_entry", "", "one name stands for a file and for a folder in the zip")
    except SubmissionError:
        raise
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # the disk is full, say; a damaged zip makes zipfile look for bytes before the file's beginning
        problems.add("bad_zip", "", "is not a zip that can be read; make it anew")
    problems.raise_if_any()


def _check_entries(entries: list[zipfile.ZipInfo], problems: Problems) -> None:
    if len(entries) > MAX_FILES:
        problems.add("too_many_files", "", f"more than {MAX_FILES} entries in the zip")
        return
    if sum(entry.file_size for entry in entries) > MAX_BYTES:
        _refuse_size(problems)
        return
    seen = set()
    for entry in entries:
        path = PurePosixPath(entry.filename)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if entry.flag_bits & 0x1:
            problems.add("encrypted_zip", entry.filename, "is encrypted; zip it without a password")
        elif (
            path.is_absolute()
            or ".." in re.split(r"[/\\]", entry.filename)
            or ":" in entry.filename.split("/")[0]
        ):
            problems.add(
                "unsafe_entry", entry.filename, "would be unpacked outside of the submission's folder"
            )
        elif "\\" in entry.orig_filename:  # on Windows `filename` has slashes for them
            problems.add("backslash", entry.filename, BACKSLASH)
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            problems.add("link", entry.filename, "is a link or special file; expected an ordinary file")
        elif not path.parts:
            problems.add("unsafe_entry", entry.filename, "an entry without a name")
        elif len(path.parts) > MAX_DEPTH or max(len(part.encode("utf-8")) for part in path.parts) > MAX_NAME:
            problems.add("unsafe_entry", entry.filename, "too long a name, or too many folders deep")
        elif entry.compress_type not in _METHODS:
            problems.add("bad_zip", entry.filename, "is compressed in an uncommon way; make an ordinary zip")
        elif str(path) in seen:
            problems.add(
                "duplicate_entry", entry.filename, f"stands twice in the zip: {name(entry.filename)}"
            )
        seen.add(str(path))


def _refuse_size(problems: Problems) -> None:
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
