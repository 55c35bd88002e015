"""Checks the values in competition.yaml against the values that a platform accepts."""

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from jsonschema import Draft3Validator, Draft4Validator, ValidationError, validators

from speechbundles.model.document import Document, Path, describe
from speechbundles.model.finding import Report
from speechbundles.platforms.keys import Key, Keys


def check_keys(
    report: Report,
    document: Document,
    path: Path,
    value: Any,
    keys: Keys,
    elsewhere: Mapping[str, str],
) -> dict[str, Any]:
    """Check a mapping against the keys that a platform accepts; return its valid values.

    Parameters
    ----------
    elsewhere: the place in the file where each key belongs, for messages about a misplaced key.
    """
    if not isinstance(value, dict):
        report.add("wrong-type", document.where(path), f"{describe(value)}; expected keys and values")
        return {}
    good = {}
    for key, item in value.items():
        where = document.where((*path, key))
        if key not in keys:
            if key in elsewhere:
                report.add("unknown-key", where, f"unknown key {key!r}; it belongs to {elsewhere[key]}")
            else:
                report.add("unknown-key", where, f"unknown key {key!r}", word=key, known=keys)
        elif _fits(report, where, item, keys[key]):
            good[key] = item
    for key, rule in keys.items():
        if rule.get("required") and key not in value:
            report.add("missing-key", document.where(path), f"{key!r} is missing")
    return good


def _fits(report: Report, where: str, value: Any, rule: Key) -> bool:
    expected = f"expected {rule['description']}"
    if value is None:
        if not rule.get("nullable"):
            report.add("wrong-type", where, f"null; {expected}")
        return False
    error = next(_Validator(rule).iter_errors(value), None)
    if error is None:
        return True
    limit = error.validator_value
    if error.validator == "type":
        report.add("wrong-type", where, f"{describe(value)}; {expected}")
    elif error.validator == "enum":
        report.add("choice", where, f"{value!r}; expected one of {', '.join(limit)}", word=value, known=limit)
    elif error.validator == "maxLength":
        report.add("too-long", where, f"{len(str(value))} characters; at most {limit}")
    else:
        report.add("empty", where, f"empty; {expected}")
    return bool(error.validator == "maxLength")


def _max_length(_: Any, longest: int, value: Any, rule: Key) -> Iterator[ValidationError]:
    """Check the length of texts and numbers, because the platforms store numbers as text."""
    if len(str(value)) > longest:
        yield ValidationError("too long")


_extend: Callable[..., Any] = validators.extend
_Validator = _extend(
    Draft3Validator,
    {"maxLength": _max_length, "minProperties": Draft4Validator.VALIDATORS["minProperties"]},
)


def check_period(report: Report, where: str, start: datetime | None, end: datetime | None) -> None:
    if start and end and end <= start:
        report.add("phase-end-before-start", where, f"ends {end}, starts {start}")
