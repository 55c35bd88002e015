"""A submission's zip, unpacked with limits.

Refused are files that are not a zip, entries outside the submission's folder (`../`, absolute paths), links, encrypted
entries, names that are repeated, not valid for a file or nested too deeply, and more data or entries than a submission
needs. The sizes in the zip's directory are not trusted.
"""

from __future__ import annotations

import errno
import re
import stat
import struct
import zipfile
import zlib
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Callable

from .problems import Problems, SubmissionError, name
from .submission_folder import BACKSLASH, MAX_FILES, UNPACK

MAX_BYTES = 512 << 20
"""Largest total size of a submission's unpacked entries, in bytes."""

MAX_DIRECTORY = 16 << 20
"""Largest size of a zip's directory, in bytes. `MAX_FILES` entries need a few million bytes; a directory of millions of
entries would take gigabytes of memory."""
_LONGEST_TAIL = (1 << 16) + 100
"""Bytes at the end of a zip that can contain the records with its directory's size, and a comment."""

MAX_DEPTH = 10
MAX_NAME = 255
"""Longest name that file systems allow, in bytes."""

_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The compression methods that every zip program uses. With others, a few bytes can require gigabytes of memory."""

_ARCHIVES = {
    b"Rar!\x1a\x07": "a RAR archive",
    b"7z\xbc\xaf\x27\x1c": "a 7-Zip archive",
    b"\x1f\x8b": "a gzip archive",
    b"BZh91AY&SY": "a bzip2 archive",
    b"\xfd7zXZ\0": "an xz archive",
}
"""Archives that are not zips, by their first bytes."""
_TAR = slice(257, 262)
"""The place of `ustar` in a tar archive."""
_START = 512
"""The number of bytes that reveal the kind of a file."""

DAMAGED = (
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    EOFError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""The errors that `zipfile` raises for damaged bytes."""


def open_zip(stream: BinaryIO) -> zipfile.ZipFile:
    """Open a zip, after a check of the size of its directory, which is then read into memory.

    Raises
    ------
    Exception
        One of the errors in `DAMAGED`.
    """
    start = max(0, stream.seek(0, 2) - _LONGEST_TAIL)
    stream.seek(start)
    if _directory_size(stream.read(_LONGEST_TAIL), start) > MAX_DIRECTORY:
        raise zipfile.BadZipFile("far more entries than are needed")
    return zipfile.ZipFile(stream)


def _directory_size(tail: bytes, start: int) -> int:
    """The size of the directory according to the record at the end of a zip, or to the ZIP64 record before it.

    Some versions of Python read the ZIP64 record where its locator points to, others read the one before the locator.
    These must be the same. `start`: where the tail begins in the file.
    """
    end = len(tail) - 22
    if tail[end : end + 4] != b"PK\5\6" or tail[-2:] != b"\0\0":
        end = tail.rfind(b"PK\5\6")
    size = int.from_bytes(tail[end + 12 : end + 16], "little") if end >= 0 else 0
    if end >= 20 and tail[end - 20 : end - 16] == b"PK\6\7":
        if int.from_bytes(tail[end - 12 : end - 4], "little") != start + end - 76:
            raise zipfile.BadZipFile("its ZIP64 directory is not where it is expected")
        size = int.from_bytes(tail[end - 36 : end - 28], "little")
    return size


def is_packed(path: Path) -> bool:
    """Whether a file is a zip by its content or name, or an archive of another kind, which `unpack` refuses."""
    with open(str(path), "rb") as stream:
        start = stream.read(_START)
    named = path.suffix.lower() == ".zip"
    return named or start.startswith(b"PK\3\4") or bool(_archive(start)) or zipfile.is_zipfile(str(path))


def unpack(zip_path: Path, directory: Path, place: Callable[[str], str] | None = None) -> None:
    """Unpack a zip into an existing, empty folder.

    Parameters
    ----------
    place
        Returns the name under which an entry is unpacked, given its name in the zip. Of entries that get the same name,
        the last one is unpacked. By default, entries keep their names.

    Raises
    ------
    SubmissionError
        An entry is refused; the error lists all of them. The content of the folder is then undefined.
    """
    problems = Problems()
    try:
        with open(str(zip_path), "rb") as stream, open_zip(stream) as archive:
            entries = archive.infolist()
            if place is not None:
                entries = _placed(entries, place)
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
        problems.add("unsafe_entry", "", "contains a file and a folder of the same name")
    except SubmissionError:
        raise
    except (*DAMAGED, OSError) as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # such as a full disk; EINVAL comes from damaged zips, where zipfile seeks before the file's start
        with open(str(zip_path), "rb") as stream:
            found = _describe_other(stream.read(_START))
        problems.add("bad_zip", "", f"is not a readable zip file{found}")
    problems.raise_if_any()


def _placed(entries: list[zipfile.ZipInfo], place: Callable[[str], str]) -> list[zipfile.ZipInfo]:
    """The entries under other names. A folder without a name left is the submission's own folder."""
    moved = set()
    for entry in entries:
        inside = place(entry.filename)
        if inside != entry.filename and inside.strip("/"):
            entry.filename = inside
            moved.add(inside)
    last = {entry.filename: entry for entry in entries}
    return [
        entry
        for entry in entries
        if (entry.filename not in moved or last[entry.filename] is entry)
        and not (entry.is_dir() and not place(entry.filename).strip("/"))
    ]


def _archive(start: bytes) -> str:
    """The kind of an archive that is not a zip, from its first bytes; empty for all other files."""
    kinds = [kind for magic, kind in _ARCHIVES.items() if start.startswith(magic)]
    return "a tar archive" if start[_TAR] == b"ustar" and b"\0" in start else "".join(kinds)


def _describe_other(start: bytes) -> str:
    """What a file with these first bytes is instead of a zip, as far as they reveal it, and how to fix it."""
    if not start:
        return ", but an empty file; create it again"
    if _archive(start):
        return f", but {_archive(start)}; {UNPACK}"
    is_text = start.strip() and not start.translate(None, bytes(range(32, 256)) + b"\t\n\f\r")
    return ", but a text file; zip it, and submit the zip" if is_text else "; create it again"


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
            problems.add("unsafe_entry", entry.filename, "would be unpacked outside the submission's folder")
        elif "\\" in entry.orig_filename:  # on Windows `filename` has slashes instead
            problems.add("backslash", entry.filename, BACKSLASH)
        elif kind not in (0, stat.S_IFREG, stat.S_IFDIR):
            problems.add("link", entry.filename, "is a link or special file; expected an ordinary file")
        elif not path.parts:
            problems.add("unsafe_entry", entry.filename, "is an entry without a name")
        elif len(path.parts) > MAX_DEPTH or max(len(part.encode("utf-8")) for part in path.parts) > MAX_NAME:
            problems.add(
                "unsafe_entry", entry.filename, "has too long a name, or is nested in too many folders"
            )
        elif entry.compress_type not in _METHODS:
            problems.add(
                "bad_zip", entry.filename, "has an unsupported compression; create an ordinary zip file"
            )
        elif str(path) in seen:
            problems.add(
                "duplicate_entry", entry.filename, f"appears twice in the zip: {name(entry.filename)}"
            )
        seen.add(str(path))


def _refuse_size(problems: Problems) -> None:
    problems.add("zip_too_large", "", f"contains more than {MAX_BYTES >> 20} MB when unpacked")


def _extract(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, target: Path, budget: int) -> int:
    """Write one entry, and stop once more than `budget` bytes are written. Return the number of bytes written."""
    written = 0
    with archive.open(entry) as source, open(str(target), "xb") as sink:
        while written <= budget:
            chunk = source.read(1 << 16)
            if not chunk:
                break
            sink.write(chunk)
            written += len(chunk)
    return written
