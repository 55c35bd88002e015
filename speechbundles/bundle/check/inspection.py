"""A bundle during a check: its files, its competition.yaml, its findings, and the parts that later checks need."""

import posixpath
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from jsonschema import Draft3Validator, Draft4Validator, ValidationError, validators

from speechbundles.bundle.check.pages import check_logo, check_page
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.document import Document, Path, describe
from speechbundles.model.finding import Report
from speechbundles.model.keys import Key, Keys, stored

STEPS = ("scoring_program", "ingestion_program")
DATA = ("reference_data", "input_data")


@dataclass(frozen=True)
class CheckedTask:
    """The programs and data that a submission is run with, by their keys in competition.yaml.

    `beside`: whether ingestion runs beside scoring.
    """

    name: str
    path: Path
    parts: Mapping[str, Archive]
    beside: bool = False


@dataclass(frozen=True)
class CheckedProgram:
    """A program that the worker runs: its zip, the file with its command, and the command with paths."""

    archive: Archive
    metadata: str
    command: str


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

    tasks: list[CheckedTask] = field(default_factory=list)
    columns: list[Scored] = field(default_factory=list)
    primary: Scored | None = None
    item_lists: dict[str, Archive] = field(default_factory=dict)
    public: dict[str, Archive] = field(default_factory=dict)
    solutions: dict[str, Archive] = field(default_factory=dict)
    pages: dict[str, bytes] = field(default_factory=dict)
    programs: dict[tuple[str, str], CheckedProgram] = field(default_factory=dict)
    kits: set[str] = field(default_factory=set)

    def scoring_program(self, task: CheckedTask | None) -> CheckedProgram | None:
        archive = task.parts.get("scoring_program") if task else None
        return self.programs.get(("scoring_program", archive.name)) if archive else None


class CheckedKeys(dict[str, Any]):
    """The valid values of a mapping in competition.yaml: dates and zips as they are read, other mappings as parts.

    Attributes
    ----------
    path: its place in the file.
    given: the mapping as it is written there.
    """

    def __init__(self, path: Path, given: Mapping[Any, Any] = MappingProxyType({})) -> None:
        super().__init__()
        self.path, self.given = path, given


class Inspection:
    """The bundle as the checks read it, and the findings that they add.

    Parameters
    ----------
    tables: the keys that the platform accepts.
    read_date: the platform's reader of dates.
    elsewhere: the place where each key belongs, for messages about a misplaced key.
    older_format: whether an older platform reads the file too: it accepts only zips, and does not sanitise pages.
    """

    def __init__(
        self,
        report: Report,
        files: Archive,
        document: Document,
        *,
        tables: Mapping[str, Keys],
        read_date: Callable[[Report, str, Any], Any],
        elsewhere: Mapping[str, str] = MappingProxyType({}),
        older_format: bool = False,
    ) -> None:
        self.report, self.files, self.document, self.contents = report, files, document, Contents()
        self._tables, self._elsewhere, self._older_format = tables, elsewhere, older_format
        self._opened: dict[str, Archive | None] = {}
        self._readers: Mapping[Any, Callable[[Path, Any], Any]] = {
            "date-time": lambda path, value: read_date(report, document.where(path), value),
            "zip": self.archive,
            "page": self._page,
            "logo": self._logo,
        }

    def add(self, code: str, path: Path, what: str, *, word: Any = None, known: Iterable[str] = ()) -> None:
        """Add a finding about a place in competition.yaml; see `Report.add`."""
        self.report.add(code, self.document.where(path), what, word=word, known=known)

    def part(self, path: Path, value: Any, table: str) -> CheckedKeys:
        """Check a mapping, and those in it, against the keys that the platform accepts."""
        keys = self._tables[table]
        if not isinstance(value, dict):
            self.add("wrong-type", path, f"{describe(value)}; expected keys and values")
            return CheckedKeys(path)
        part = CheckedKeys(path, value)
        for key, item in value.items():
            place, rule = (*path, key), keys.get(key, keys.get("*"))
            if rule is None:
                other = self._elsewhere.get(key)
                what = f"unknown key {key!r}" + (f"; it belongs to {other}" if other else "")
                self.add("unknown-key", place, what, word=None if other else key, known=keys)
                continue
            item = stored(item, rule)
            if self._fits(place, item, rule):
                if "given" in rule:
                    self.add(rule["given"], place, f"{key!r}")
                read = self._read(place, item, rule)
                part.update({} if read is None else {key: read})
        for key, rule in keys.items():
            if key in value or rule.get("unless") in value:
                continue
            if "unset" in rule:
                self.add(rule["unset"], path, f"no {key}")
            elif rule.get("required"):
                self.add("missing-key", path, f"{key!r} is missing")
        return part

    def _fits(self, path: Path, value: Any, rule: Key) -> bool:
        """Return whether a value can be used: it is not null, and at most too long, too small or too large."""
        if "zero" in rule and value in (0, None):
            self.add(rule["zero"], path, f"{path[-1]}: {'null' if value is None else value}")
        if value is None and rule.get("nullable"):
            return False
        error = next(_Validator(rule).iter_errors(value), None)
        kind, limit = (error.validator, error.validator_value) if error else (None, ())
        code, expected = rule.get("code"), f"expected {rule['description']}"
        if value is None and kind != "enum":
            code, what = "wrong-type", f"null; {expected}"
        elif kind == "type":
            code, what = "wrong-type", f"{describe(value)}; {expected}"
        elif kind == "enum":
            code, what = code or "choice", f"{value!r}; expected one of {', '.join(map(str, limit))}"
        elif kind == "maxLength":
            code, what = rule.get("long", "too-long"), f"{len(str(value))} characters; at most {limit}"
        elif kind in ("minimum", "maximum"):
            what = f"{path[-1]}: {value}"
        elif kind:
            found = "empty" if not code or value in ([], {}) else describe(value)
            code, what = code or "empty", f"{found}; {expected}"
        else:
            return value is not None
        code = rule.get("only") or code or "wrong-type"
        known = map(str, limit if kind == "enum" else ())
        self.add(code, path, what, word=value if kind == "enum" else None, known=known)
        return kind in ("maxLength", "minimum", "maximum")

    def _read(self, path: Path, value: Any, rule: Key) -> Any:
        if "each" in rule:
            return [self.part((*path, number), item, rule["each"]) for number, item in enumerate(value)]
        if "table" in rule:
            return self.part(path, value, rule["table"])
        read = self._readers.get(rule.get("format"))
        return read(path, value) if read else value

    def archive(self, path: Path, value: str) -> Archive | None:
        """Return a program or data set that competition.yaml names, and note it if participants get it."""
        name = self._name(path, value)
        if name is None:
            return None
        if name not in self._opened:  # each is opened once
            self._opened[name] = None if name in self.files.refused else self._open(path, name, value)
        archive, part, contents = self._opened[name], path[-1], self.contents
        if archive is not None and part in ("input_data", "public_data"):
            contents.item_lists[name] = archive
        elif archive is not None and part in ("starting_kit", "ingestion_program"):
            contents.public[name] = archive
            contents.kits.update({name} if part == "starting_kit" else ())
        return archive

    def _open(self, path: Path, name: str, value: str) -> Archive | None:
        folder, data = self.files.folder(name), self.files.files.get(name)
        if data is None and folder is None and is_uuid(name):
            self.add("outside-bundle", path, f"{name} is the key of a stored data set")
        elif data is None and folder is None:
            self._add_missing(path, name)
        elif self._older_format and (not value.endswith(".zip") or value != name):
            self.add("file-not-zip-name", path, f"{value!r} is not the exact name of a .zip file")
        elif folder is not None and "/" not in value:
            self.add("file-directory", path, f"{name} is a directory; expected a zip, or {name}/")
        if data is None:
            return folder
        # Participants download it.
        if path[-1] in ("starting_kit", "public_data") and not data.startswith(b"PK"):
            return Archive(posixpath.dirname(name), {posixpath.basename(name): data}, self.files.room)
        if posixpath.splitext(name)[1] not in (".py", ".sh", ".ipynb", ".R"):
            return open_archive(self.report, name, data, self.files.room)
        self.add("file-lone-script", path, f"{name} is a script; expected a zip")
        return None

    def _page(self, path: Path, value: str) -> None:
        """Check a page."""
        if (data := self._file(path, value)) is not None:
            check_page(self.report, value, data, sanitised=not self._older_format)
            self.contents.pages[value] = data

    def _logo(self, path: Path, value: str) -> None:
        if (data := self._file(path, value)) is not None:
            check_logo(self.report, self.document.where(path), value, data)

    def _file(self, path: Path, value: str) -> bytes | None:
        name = self._name(path, value)
        if name is not None and name not in self.files.refused and name not in self.files.files:
            self._add_missing(path, name)
        return self.files.files.get(name) if name else None

    def _name(self, path: Path, value: str) -> str | None:
        name = posixpath.normpath(value)
        if posixpath.isabs(value) or name.startswith(".."):
            self.add("file-path-outside", path, f"{value!r}")
            return None
        if name == ".":
            self.add("file-whole-bundle", path, f"{value!r} is the bundle itself")
            return None
        return name

    def _add_missing(self, path: Path, name: str) -> None:
        self.add("file-missing", path, f"{name!r} is not in the bundle", word=name, known=self.files.files)


def is_uuid(text: str) -> bool:
    """Return whether a text can be the key of something that is stored on the server."""
    with suppress(ValueError):
        return bool(uuid.UUID(text))
    return False


def _max_length(_: Any, longest: int, value: Any, rule: Key) -> Iterator[ValidationError]:
    """Check the length of texts and numbers, because the platforms store numbers as text."""
    if len(str(value)) > longest:
        yield ValidationError("too long")


_extend: Callable[..., Any] = validators.extend
_MORE = {"maxLength": _max_length, "minProperties": Draft4Validator.VALIDATORS["minProperties"]}
_Validator = _extend(Draft3Validator, _MORE)
