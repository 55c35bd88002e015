"""The values in competition.yaml against what a platform takes for its keys."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from speechbundles.model.document import Document, Path, describe
from speechbundles.model.finding import Report
from speechbundles.model.text import hint
from speechbundles.platforms.keys import Key, Keys, Kind


def check_keys(
    report: Report,
    document: Document,
    path: Path,
    value: Any,
    keys: Keys,
    elsewhere: Mapping[str, str],
) -> dict[str, Any]:
    """Hold a mapping against its keys; returns the values that can be gone on with.

    `elsewhere`: where in the file a key belongs that stands at the wrong level.
    """
    if not isinstance(value, dict):
        report.add("wrong-type", document.where(path), f"{describe(value)}; expected keys and values")
        return {}
    good = {}
    for key, item in value.items():
        where = document.where((*path, key))
        if key not in keys:
            near = hint(key, keys) or (f"; it belongs to {elsewhere[key]}" if key in elsewhere else "")
            report.add("unknown-key", where, f"unknown key {key!r}{near}")
        elif _fits(report, where, item, keys[key]):
            good[key] = item
    for key, expected in keys.items():
        if expected.required and key not in value:
            report.add("missing-key", document.where(path), f"{key!r} is missing")
    return good


def _fits(report: Report, where: str, value: Any, key: Key) -> bool:
    if value is None:
        if not key.nullable:
            report.add("wrong-type", where, f"null; expected {_EXPECTED[key.kind]}")
        return False
    if not _has_kind(value, key.kind):
        report.add("wrong-type", where, f"{describe(value)}; expected {_EXPECTED[key.kind]}")
        return False
    if key.kind in ("text", "list", "mapping") and not key.blank and not _has_content(value):
        report.add("empty", where, f"empty; expected {_EXPECTED[key.kind]}")
        return False
    if key.longest is not None and len(str(value)) > key.longest:
        report.add("too-long", where, f"{len(str(value))} characters; at most {key.longest}")
    if key.choices and value not in key.choices:
        expected = f"expected one of {', '.join(key.choices)}"
        report.add("choice", where, f"{value!r}; {expected}{hint(value, key.choices)}")
        return False
    return True


def _has_content(value: Any) -> bool:
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


def check_period(report: Report, where: str, start: datetime | None, end: datetime | None) -> None:
    if start and end and end <= start:
        report.add("phase-end-before-start", where, f"ends {end}, starts {start}")
