"""Reads the archives of a bundle in memory. Nothing is unpacked to disk, and nothing is run."""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
from dataclasses import dataclass
from errno import EFBIG
from functools import cached_property
from pathlib import Path

from speechbundles.model.bounded import read_entry, read_file
from speechbundles.model.document import FILE
from speechbundles.model.finding import Report
from speechbundles.model.text import size_of
from speechbundles.model.zips import make_zip, tree_files
from spokeneval.formats.submission_zip import DAMAGED, open_zip

LARGEST_BUNDLE = 100_000_000
"""The most bytes of a bundle, and the most bytes that it and its inner zips unpack to together."""
MOST_ENTRIES = 10_000
"""The most entries of one zip."""
LONGEST_NAME = 1000

_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", ".git", ".ipynb_checkpoints"}

_HIDDEN = re.compile(r"(^|/)[._]")

_UNSAFE = re.compile(r"/|[A-Za-z]:|.*[\\\0]|(.*/)?\.\.(/|\Z)", re.DOTALL)
"""A name that leads out of a folder: absolute, with a drive, or with `..`; or one that no file can have."""


class Room:
    """The number of bytes that a bundle can still unpack to.

    All inner zips share it, because a few kilobytes could otherwise unpack to more than the memory holds.
    """

    def __init__(self) -> None:
        self.left = LARGEST_BUNDLE

    def take(self, size: int) -> bool:
        """Take this many bytes; return False if fewer are left."""
        if size > self.left:
            return False
        self.left -= size
        return True


@dataclass(eq=False)
class Archive:
    """The files of a zip, or of a folder in one: `name -> bytes`, without junk.

    Attributes
    ----------
    room: see `Room`.
    refused: names of entries that cannot be used and already have a finding.
    entries: the names of all entries of the zip, also of folders.
    """

    name: str
    files: dict[str, bytes]
    room: Room
    refused: frozenset[str] = frozenset()
    entries: frozenset[str] = frozenset()

    def where(self, file: str) -> str:
        return f"{self.name.rstrip('/')}/{file}" if self.name else file

    def folder(self, path: str) -> Archive | None:
        """Return the files below a path, or None if it is not a folder."""
        prefix = path.rstrip("/") + "/"
        files = {file[len(prefix) :]: data for file, data in self.files.items() if file.startswith(prefix)}
        entries = frozenset(name[len(prefix) :] for name in self.entries if name.startswith(prefix))
        return Archive(prefix, files, self.room, entries=entries) if entries or files else None

    @cached_property
    def wrapping_folder(self) -> str | None:
        """The top-level folder that contains all files, or None."""
        tops = {file.partition("/")[0] for file in self.files}
        if len(tops) == 1 and all("/" in file for file in self.files):
            return tops.pop()
        return None


def read_bundle(report: Report, path: Path) -> Archive | None:
    """Read a bundle's zip, or a folder with its files, and check its entries. Return None if it cannot be read.

    Raises
    ------
    OSError: not a regular file or a folder, or one that is too large.
    """
    data = zip_folder(path) if path.is_dir() else read_file(path, LARGEST_BUNDLE)
    return open_archive(report, "", data, Room())


def zip_folder(folder: Path) -> bytes:
    """Return a zip of a folder. Links are left out: they could lead to files that are not the bundle's."""
    paths = {name: path for name, path in tree_files(folder).items() if not path.is_symlink()}
    if sum(path.stat().st_size for path in paths.values()) > LARGEST_BUNDLE:
        raise OSError(EFBIG, f"is larger than {size_of(LARGEST_BUNDLE)}", str(folder))
    inside = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_dir())
    folders = {f"{name}/": b"" for name in inside if not _HIDDEN.search(name)}
    return make_zip({**folders, **{name: path.read_bytes() for name, path in paths.items()}}, first=FILE)


def open_archive(report: Report, name: str, data: bytes, room: Room) -> Archive | None:
    """Read a zip and check its entries. Return None if it cannot be read."""
    where = name or "the bundle"
    try:
        archive = open_zip(io.BytesIO(data))
    except DAMAGED as error:
        report.add("not-a-zip" if name else "bundle-not-zip", where, f"not a zip archive ({error})")
        return None
    with archive:
        entries = archive.infolist()
        if len(entries) > MOST_ENTRIES:
            text = f"{len(entries)} entries; at most {MOST_ENTRIES} are read"
            report.add("archive-oversized" if name else "bundle-oversized", where, text)
            return None
        unpacked = sum(entry.file_size for entry in entries)
        if not room.take(unpacked):
            largest = max(entries, key=lambda entry: entry.file_size)
            text = (
                f"unpacks to {size_of(unpacked)}; at most {size_of(LARGEST_BUNDLE)} of a bundle are read. The largest "
                f"file: {largest.filename!r:.100}, {size_of(largest.file_size)}"
            )
            report.add("archive-oversized" if name else "bundle-oversized", where, text)
            return None
        files: dict[str, bytes] = {}
        seen: set[str] = set()
        for entry in entries:
            place = f"{name}/{entry.filename}" if name else entry.filename
            if entry.filename in seen:
                report.add("entry-duplicate", place, "two entries have this name")
            seen.add(entry.filename)
            parts = entry.filename.rstrip("/").split("/")
            if any(part in _JUNK or part.startswith("._") for part in parts):
                report.add("entry-junk", place, "a file that an operating system or a tool left in the zip")
            elif is_unsafe(entry):
                report.add("entry-path-unsafe", place[:LONGEST_NAME], f"entry {entry.orig_filename!r:.100}")
            elif stat.S_ISLNK(entry.external_attr >> 16):
                report.add("entry-link", place, "a symbolic link")
            elif entry.flag_bits & 0x1:
                report.add("entry-encrypted", place, "encrypted")
            elif not entry.is_dir():
                try:
                    files[entry.filename] = read_entry(archive, entry)
                except ValueError as error:
                    report.add("entry-corrupt", place, str(error))
    return Archive(name, files, room, frozenset(seen - set(files)), frozenset(seen))


def is_unsafe(entry: zipfile.ZipInfo) -> bool:
    """Return whether an entry would be unpacked outside its folder, or has a name that no file can have."""
    name = entry.orig_filename
    return len(name) > LONGEST_NAME or bool(_UNSAFE.match(name)) or posixpath.normpath(name) == "."
