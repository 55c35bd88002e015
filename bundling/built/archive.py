"""A bundle's archives, read in memory: nothing is unpacked to disk and nothing is run."""

from __future__ import annotations

import io
import posixpath
import re
import stat
import zipfile
from functools import cached_property

from bundling.finding import Report
from spokeneval.formats.submission_zip import DAMAGED

LARGE_BUNDLE = 15_000_000
LARGEST_ARCHIVE = 500_000_000
"""Bytes: a bundle above the first is worth a word; an archive that unpacks to more than the second is not read."""

_JUNK = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini", "__pycache__", ".git", ".ipynb_checkpoints"}


class Archive:
    """The files of a zip, or of a folder in one: `name -> bytes`, without junk.

    Entries that a finding already says cannot be used are in `refused` instead.
    """

    def __init__(self, name: str, files: dict[str, bytes], refused: frozenset[str] = frozenset()) -> None:
        self.name = name
        self.files = files
        self.refused = refused

    def where(self, file: str) -> str:
        return f"{self.name}/{file}" if self.name else file

    def folder(self, path: str) -> Archive | None:
        """The files below a path, or None when it is no folder."""
        prefix = path.rstrip("/") + "/"
        files = {file[len(prefix) :]: data for file, data in self.files.items() if file.startswith(prefix)}
        return Archive(prefix, files) if files else None

    @cached_property
    def wrapping_folder(self) -> str | None:
        """The one top folder that holds everything, if there is one."""
        tops = {file.partition("/")[0] for file in self.files}
        if len(tops) == 1 and all("/" in file for file in self.files):
            return tops.pop()
        return None


def open_archive(report: Report, name: str, data: bytes, *, outer: bool = False) -> Archive | None:
    """Read a zip and check its entries; None when it cannot be read."""
    where = name or "the bundle"
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except DAMAGED as error:
        report.add("bundle-not-zip" if outer else "not-a-zip", where, f"not a zip archive ({error})")
        return None
    with archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        if unpacked > LARGEST_ARCHIVE:
            report.add("archive-oversized", where, f"unpacks to {unpacked / 1e6:.0f} MB")
            return None
        files: dict[str, bytes] = {}
        seen: set[str] = set()
        for entry in archive.infolist():
            place = f"{name}/{entry.filename}" if name else entry.filename
            if entry.filename in seen:
                report.add("entry-duplicate", place, "two entries have this name")
            seen.add(entry.filename)
            if _is_junk(entry.filename):
                report.add("entry-junk", place, "left behind by an operating system or a tool")
            elif _is_unsafe(entry):
                report.add("entry-path-unsafe", place, f"entry {entry.orig_filename!r}")
            elif stat.S_ISLNK(entry.external_attr >> 16):
                report.add("entry-link", place, "a symbolic link")
            elif entry.flag_bits & 0x1:
                report.add("entry-encrypted", place, "encrypted")
            elif not entry.is_dir():
                try:
                    files[entry.filename] = archive.read(entry)
                except (*DAMAGED, OSError) as error:
                    report.add("entry-corrupt", place, f"cannot be read ({error})")
    return Archive(name, files, frozenset(seen - set(files)))


def _is_junk(name: str) -> bool:
    parts = name.rstrip("/").split("/")
    return any(part in _JUNK or part.startswith("._") for part in parts)


def _is_unsafe(entry: zipfile.ZipInfo) -> bool:
    name = entry.orig_filename
    return (
        name.startswith("/")
        or "\\" in name
        or "\0" in name
        or re.match(r"[A-Za-z]:", name) is not None
        or ".." in name.split("/")
        or posixpath.normpath(name) == "."
    )
