"""competition.yaml with its line numbers: keys, types, lengths and dates, as far as both platforms share them."""

from __future__ import annotations

import datetime
import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import yaml

from .finding import Report

Path = tuple[Any, ...]
FILE = "competition.yaml"
_MOST_NODES = 100_000

Kind = Literal["text", "file", "int", "bool", "list", "mapping", "date", "any"]


@dataclass(frozen=True)
class Key:
    """What a key's value may be. A value that is not nullable may not be null; text may not be blank."""

    kind: Kind
    required: bool = False
    nullable: bool = False
    blank: bool = False
    longest: int | None = None
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Document:
    """The file's content, and the line of every key and item in it."""

    content: dict[Any, Any]
    lines: Mapping[Path, int]

    def where(self, *path: Any) -> str:
        line = next(self.lines[path[:n]] for n in range(len(path), -1, -1) if path[:n] in self.lines)
        text = _dotted(path)
        return f"{FILE} line {line}: {text}" if text else f"{FILE} line {line}"


def read_document(report: Report, data: bytes) -> Document | None:
    """Parse the file; None when there is nothing to go on with."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        report.add("yaml-not-utf8", FILE, f"byte {error.start} is not UTF-8")
        return None
    builder = _Builder(report, text)
    try:
        content = builder.build()
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{FILE} line {mark.line + 1}" if mark else FILE
        report.add("yaml-invalid", where, str(getattr(error, "problem", None) or error))
        return None
    if not isinstance(content, dict):
        report.add("yaml-invalid", FILE, f"{_name(content)} at the top; expected keys and values")
        return None
    return Document(content, builder.lines)


class _Builder:
    """Values and lines from the YAML nodes; the platforms' own loader turns each scalar into its value."""

    def __init__(self, report: Report, text: str) -> None:
        self.report = report
        self.loader = yaml.SafeLoader(text)
        self.lines: dict[Path, int] = {(): 1}
        self.nodes = 0

    def build(self) -> Any:
        node = self.loader.get_single_node()
        return None if node is None else self._value(node, ())

    def _value(self, node: yaml.Node, path: Path) -> Any:
        self.nodes += 1
        if self.nodes > _MOST_NODES:
            raise ValueError("more values than any competition has")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path)
        if isinstance(node, yaml.SequenceNode):
            return [self._item(item, (*path, index)) for index, item in enumerate(node.value)]
        return self.loader.construct_object(node)

    def _item(self, node: yaml.Node, path: Path) -> Any:
        self.lines[path] = node.start_mark.line + 1
        return self._value(node, path)

    def _mapping(self, node: yaml.MappingNode, path: Path) -> dict[Any, Any]:
        first_lines: dict[Any, int] = {}
        for key_node, _ in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                raise ValueError(f"line {line}: a list or mapping as a key")
            if key_node.value in first_lines:
                text = f"{key_node.value!r} again; first on line {first_lines[key_node.value]}"
                self.report.add(
                    "duplicate-key", f"{FILE} line {line}: {_dotted((*path, key_node.value))}", text
                )
            first_lines.setdefault(key_node.value, line)
        self.loader.flatten_mapping(node)
        result = {}
        for key_node, value_node in node.value:
            key = self.loader.construct_object(key_node)
            place = (*path, key)
            self.lines[place] = key_node.start_mark.line + 1
            result[key] = self._value(value_node, place)
        return result


def _dotted(path: Path) -> str:
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def check_keys(
    report: Report,
    document: Document,
    path: Path,
    value: Any,
    keys: Mapping[str, Key],
    *,
    elsewhere: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Hold a mapping against its keys; returns the values that can be gone on with."""
    if not isinstance(value, dict):
        report.add("wrong-type", document.where(*path), f"{_name(value)}; expected keys and values")
        return {}
    good = {}
    for key, item in value.items():
        where = document.where(*path, key)
        if key not in keys:
            hint = closest(key, keys)
            if not hint and elsewhere and key in elsewhere:
                hint = f"; it belongs to {elsewhere[key]}"
            report.add("unknown-key", where, f"unknown key {key!r}{hint}")
        elif _fits(report, where, item, keys[key]):
            good[key] = item
    for key, expected in keys.items():
        if expected.required and key not in value:
            report.add("missing-key", document.where(*path), f"{key!r} is missing")
    return good


def closest(word: Any, words: Iterable[str]) -> str:
    """`; did you mean ...?`, or nothing."""
    found = difflib.get_close_matches(str(word).lower(), list(words), n=1, cutoff=0.6)
    return f"; did you mean {found[0]!r}?" if found else ""


def _fits(report: Report, where: str, value: Any, key: Key) -> bool:
    if value is None:
        if not key.nullable:
            report.add("wrong-type", where, f"null; expected {_EXPECTED[key.kind]}")
        return False
    if not _has_kind(value, key.kind):
        report.add("wrong-type", where, f"{_name(value)}; expected {_EXPECTED[key.kind]}")
        return False
    if key.kind in ("text", "list", "mapping") and not key.blank and not _content(value):
        report.add("empty", where, f"empty; expected {_EXPECTED[key.kind]}")
        return False
    if key.longest is not None and len(str(value)) > key.longest:
        report.add("too-long", where, f"{len(str(value))} characters; at most {key.longest}")
    if key.choices and value not in key.choices:
        expected = f"expected one of {', '.join(key.choices)}"
        report.add("choice", where, f"{value!r}; {expected}{closest(value, key.choices)}")
        return False
    return True


def _content(value: Any) -> bool:
    return bool(value.strip()) if isinstance(value, str) else isinstance(value, (int, float)) or bool(value)


_EXPECTED = {
    "text": "text",
    "file": "the path of a file in the bundle",
    "int": "a whole number",
    "bool": "true or false",
    "list": "a list with items",
    "mapping": "keys and values",
    "date": "a date",
    "any": "a value",
}


def _has_kind(value: Any, kind: Kind) -> bool:
    if kind == "text":
        return isinstance(value, (str, int, float)) and not isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool)
    if kind == "bool":
        return isinstance(value, bool) or (isinstance(value, str) and value.lower() in ("true", "false"))
    if kind == "file":
        return isinstance(value, str)
    if kind == "list":
        return isinstance(value, list)
    if kind == "mapping":
        return isinstance(value, dict)
    return True


def _name(value: Any) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, dict):
        return "keys and values"
    return repr(value)


def is_true(value: Any) -> bool:
    """A flag, also where it was written as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")


# Dates

_ISO = re.compile(
    r"(?P<date>\d{4}-\d{1,2}-\d{1,2})"
    r"(?:[T ](?P<time>\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?)?"
    r"\s*(?P<zone>Z|UTC|GMT|[+-]\d{1,2}(?::?\d{2})?|[A-Z]{3,5})?"
)
_CANONICAL = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
_AMBIGUOUS = re.compile(r"\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}\b.*")
_SPELT = ("%d %B %Y", "%B %d, %Y", "%B %d %Y", "%d %b %Y", "%b %d, %Y", "%b %d %Y", "%Y/%m/%d")
_TIMES = ("", " %H:%M", " %H:%M:%S")
_UTC = re.compile(r"Z|UTC|GMT|[+-]0{1,2}(:?00)?")


def read_date(
    report: Report, where: str, value: Any, *, unquoted: str, lenient: bool
) -> datetime.datetime | None:
    """The instant that a platform takes from a date, in UTC; None when it cannot be told.

    Parameters
    ----------
    unquoted: the rule that an unquoted date-time breaks; with `date-unquoted` its time is lost.
    lenient: whether the platform takes other forms than ISO's (Codabench does, CodaLab does not).
    """
    if isinstance(value, datetime.datetime):
        report.add(unquoted, where, f"{value} without quotes")
        time = datetime.time() if unquoted == "date-unquoted" else value.time()
        return datetime.datetime.combine(value.date(), time)
    if isinstance(value, datetime.date):
        report.add("date-format", where, f"{value} without a time: read as {value} 00:00:00")
        return datetime.datetime.combine(value, datetime.time())
    if not isinstance(value, str):
        report.add("date-invalid", where, f"{_name(value)}; expected a date")
        return None
    return _read_text_date(report, where, value.strip(), lenient)


def _read_text_date(report: Report, where: str, text: str, lenient: bool) -> datetime.datetime | None:
    match = _ISO.fullmatch(text)
    if match:
        clock = match["time"] or "00:00:00"
        try:
            read = datetime.datetime.strptime(f"{match['date']} {clock}", _clock_format(clock))
        except ValueError:
            report.add(
                "date-invalid", where, f"{text!r} is not in the calendar, or its time not on the clock"
            )
            return None
        zone = match["zone"]
        if zone and not _UTC.fullmatch(zone):
            report.add("date-offset", where, f"{text!r} has the zone {zone}")
        elif not lenient and not match["time"]:
            report.add("date-invalid", where, f"{text!r} has no time: CodaLab cannot read it")
            return None
        elif not _CANONICAL.fullmatch(text):
            report.add("date-format", where, f"{text!r}: read as {read}")
        return read
    if _AMBIGUOUS.fullmatch(text) and lenient:
        report.add("date-ambiguous", where, f"{text!r}: which number is the month?")
        return None
    for form in (date + clock for date in _SPELT for clock in _TIMES):
        try:
            read = datetime.datetime.strptime(text, form)
        except ValueError:
            continue
        if lenient:
            report.add("date-format", where, f"{text!r}: read as {read}")
            return read
    report.add("date-invalid", where, f"{text!r} is not a date")
    return None


def _clock_format(clock: str) -> str:
    return "%Y-%m-%d %H:%M:%S" if clock.count(":") == 2 else "%Y-%m-%d %H:%M"


# Values that both platforms hold to the same rule

_IMAGE_NAME = re.compile(
    r"(?:[a-zA-Z0-9.-]+(?::\d+)?/)?[a-z0-9]+(?:[._/-]+[a-z0-9]+)*(?::[\w][\w.-]{0,127})?(?:@sha256:[0-9a-f]{64})?"
)


def check_docker_image(report: Report, document: Document, key: str, value: str | None) -> None:
    where = document.where(key)
    if not value:
        report.add("docker-missing", document.where(), f"no {key}")
    elif not _IMAGE_NAME.fullmatch(str(value)):
        report.add("docker-invalid", where, f"{value!r} is not the name of an image")
    elif "@sha256:" not in str(value) and (
        ":" not in str(value).rpartition("/")[2] or str(value).endswith(":latest")
    ):
        report.add("docker-unpinned", where, f"{value!r} has no fixed tag")


def check_period(
    report: Report,
    where: str,
    start: datetime.datetime | None,
    end: datetime.datetime | None,
) -> None:
    if start and end and end <= start:
        report.add("phase-end-before-start", where, f"ends {end}, starts {start}")
