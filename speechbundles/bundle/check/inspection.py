"""A bundle during a check: its files, its competition.yaml, its findings, and the parts that later checks need."""

import ast
import posixpath
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from speechbundles.bundle.check.keys import check_keys
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.document import Document, Path
from speechbundles.model.finding import Report
from speechbundles.platforms.keys import Keys

STEPS = ("scoring_program", "ingestion_program")
DATA = ("reference_data", "input_data")


@dataclass(frozen=True)
class BuiltTask:
    """The programs and data that a submission is run with, by their keys in competition.yaml."""

    name: str
    path: Path
    parts: Mapping[str, Archive]


@dataclass(frozen=True)
class Program:
    """A program that the worker runs: its zip, its command with paths, and its parsed script."""

    archive: Archive
    metadata: str
    command: str
    script: str | None
    tree: ast.Module | None


Scored = tuple[str, Path]
"""A column's key, whose score the program must write, and the column's place in competition.yaml."""


@dataclass
class Contents:
    """The parts of a bundle that the checks of scores and labels need, from either platform's competition.yaml.

    Attributes
    ----------
    programs: programs that can be run, by step and by the name of their zip.
    kits: names of the starting kits.
    """

    tasks: list[BuiltTask] = field(default_factory=list)
    columns: list[Scored] = field(default_factory=list)
    primary: Scored | None = None
    item_lists: dict[str, Archive] = field(default_factory=dict)
    public: dict[str, Archive] = field(default_factory=dict)
    solutions: dict[str, Archive] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)
    programs: dict[tuple[str, str], Program] = field(default_factory=dict)
    kits: set[str] = field(default_factory=set)

    def publish(self, part: str, archive: Archive) -> None:
        """Note a part that participants get, if this is one, by its key in competition.yaml."""
        if part in ("input_data", "public_data"):
            self.item_lists[archive.name] = archive
        elif part in ("starting_kit", "ingestion_program"):
            self.public[archive.name] = archive
        if part == "starting_kit":
            self.kits.add(archive.name)

    def scoring_program(self, task: BuiltTask | None) -> Program | None:
        archive = task.parts.get("scoring_program") if task else None
        return self.programs.get(("scoring_program", archive.name)) if archive else None


class Inspection:
    """The bundle as the checks read it, and the findings that they add.

    Parameters
    ----------
    elsewhere: the place where each key belongs, for messages about a misplaced key.
    zips_only: whether the platform accepts only inner zips, by their exact names; otherwise also folders, by
        normalised paths.
    """

    def __init__(
        self,
        report: Report,
        files: Archive,
        document: Document,
        *,
        elsewhere: Mapping[str, str] | None = None,
        zips_only: bool = False,
    ) -> None:
        self.report = report
        self.files = files
        self.document = document
        self.contents = Contents()
        self._elsewhere = elsewhere or {}
        self._zips_only = zips_only
        self._opened: dict[str, Archive | None] = {}

    def add(self, code: str, path: Path, what: str, *, word: Any = None, known: Iterable[str] = ()) -> None:
        """Add a finding about a place in competition.yaml; see `Report.add`."""
        self.report.add(code, self.document.where(path), what, word=word, known=known)

    def keys(self, path: Path, value: Any, keys: Keys) -> dict[str, Any]:
        """Check a mapping; return its valid values."""
        return check_keys(self.report, self.document, path, value, keys, self._elsewhere)

    def archive(self, path: Path, value: str) -> Archive | None:
        """Return a program or data set that competition.yaml names; each is opened once."""
        if self._zips_only and not value.endswith(".zip"):
            self.add("file-not-zip-name", path, f"{value!r} does not end in .zip")
            return None
        name = self._name(path, value)
        if name is not None and name not in self._opened:
            self._opened[name] = self._open(path, name)
        return None if name is None else self._opened[name]

    def _open(self, path: Path, name: str) -> Archive | None:
        if name in self.files.refused:
            return None
        if name in self.files.files:
            if posixpath.splitext(name)[1] in (".py", ".sh", ".ipynb", ".R"):
                self.add("file-lone-script", path, f"{name} is a script; expected a zip")
                return None
            return open_archive(self.report, name, self.files.files[name], self.files.room)
        folder = self.files.folder(name)
        if folder is not None:
            self.add("file-directory", path, f"{name} is a directory; expected a zip")
            return folder
        if _is_uuid(name):
            self.add("outside-bundle", path, f"{name} is the key of a stored data set")
            return None
        self._add_missing(path, name)
        return None

    def file(self, path: Path, value: str) -> bytes | None:
        """Return a page or image that competition.yaml names."""
        name = self._name(path, value)
        if name is None or name in self.files.refused:
            return None
        if name not in self.files.files:
            self._add_missing(path, name)
        return self.files.files.get(name)

    def _name(self, path: Path, value: str) -> str | None:
        if posixpath.isabs(value) or ".." in value.split("/"):
            self.add("file-path-outside", path, f"{value!r}")
            return None
        name = value if self._zips_only else posixpath.normpath(value)
        if name in ("", "."):
            self.add("file-whole-bundle", path, f"{value!r} is the bundle itself")
            return None
        return name

    def _add_missing(self, path: Path, name: str) -> None:
        self.add("file-missing", path, f"{name!r} is not in the bundle", word=name, known=self.files.files)


def _is_uuid(text: str) -> bool:
    try:
        uuid.UUID(text)
    except ValueError:
        return False
    return True
