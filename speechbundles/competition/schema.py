"""Validate `competition.yaml` against its schema and the platforms' limits, with messages for organisers."""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker, TypeChecker, validators

from speechbundles.competition.challenges import NONE
from speechbundles.model.competition import RUN_LIMITS, Place
from speechbundles.model.dates import FORMAT
from speechbundles.model.keys import MOST_DECIMALS, QUESTION_TYPES, read_keys
from speechbundles.model.platform import MEANINGS, NAMES
from spokeneval.formats.problems import suggestion
from spokeneval.kinds.declared import GENERAL, KINDS
from spokeneval.ranking.joint_rule import MISSING, RULES


@cache
def read_schema(root: Path) -> Mapping[str, Any]:
    """Return the schema of `competition.yaml`, with the platforms' limits."""
    schema: dict[str, Any] = json.loads((root / "competition.schema.json").read_text(encoding="utf-8"))
    _put_limits(schema["$defs"])
    return schema


def phase_limits(schema: Mapping[str, Any], labels: str) -> dict[str, Any]:
    """Return the limits of a phase that declares none, on labels that are `public` or `hidden`."""
    keys = schema["$defs"]["phase"]["properties"]
    limits = {key: entry["default_for"][labels] for key, entry in keys.items() if "default_for" in entry}
    return {**limits, "execution_time_limit": keys["execution_time_limit"]["default"]}


def violations(content: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield the places of a `competition.yaml` that violate its schema, with messages."""
    for violation in _VALIDATOR(schema, format_checker=_FORMATS).iter_errors(content):
        yield from _explain(violation, schema)


_FORMATS = FormatChecker(formats=())


def _is_finite(checker: TypeChecker, value: object) -> bool:
    """Whether a value is a number other than `.nan` and `.inf`, which no setting can be."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


_extend: Callable[..., Any] = validators.extend
_VALIDATOR = _extend(
    Draft202012Validator, type_checker=Draft202012Validator.TYPE_CHECKER.redefine("number", _is_finite)
)


@_FORMATS.checks("in-the-calendar")
def _is_in_the_calendar(text: object) -> bool:
    """Whether the beginning of `YYYY-MM-DD HH:MM:SS` is a date; other values are not of this format."""
    with suppress(ValueError):
        return not isinstance(text, str) or bool(
            datetime.strptime(text + "0001-01-01 00:00:00"[len(text) :], FORMAT)
        )
    return False


def _longest_texts() -> dict[tuple[str, ...], int]:
    """Return the longest texts that every platform accepts, by their places in the schema."""
    longest: dict[tuple[str, ...], int] = {}
    for rule in (rule for name in NAMES for table in read_keys(name).values() for rule in table.values()):
        if "setting" in rule:
            place, most = tuple(rule["setting"].split(".")), rule.get("longest_key", rule.get("maxLength"))
            longest[place] = min(most, longest.get(place, most))
    return longest


_LONGEST_TEXTS = _longest_texts()
LONGEST_KEY, LONGEST_COLUMN_TITLE = (_LONGEST_TEXTS.pop(("column", part)) for part in ("key", "title"))


def _put_limits(definitions: dict[str, Any]) -> None:
    """Insert the platforms' limits, the parameters of kinds, and into descriptions the defaults."""
    declared = {key: {"description": text} for key, text in GENERAL.items()}
    for kind in KINDS.values():
        for parameter in kind.parameters():
            declared.setdefault(parameter.name, {"description": f"See the kind {kind.name}."})
    definitions["task"].update(properties=declared, unevaluatedProperties=False)
    for (definition, name), longest in _LONGEST_TEXTS.items():
        definitions[definition]["properties"][name]["maxLength"] = longest
    key = definitions["key"]
    key["pattern"] = f"^[a-z][a-z0-9_]{{0,{LONGEST_KEY - 1}}}$"
    key["description"] += f", at most {LONGEST_KEY} characters"
    definitions["settings"]["properties"]["submission_rule"]["enum"] = list(MEANINGS)
    definitions["question"]["properties"]["type"]["enum"] = list(QUESTION_TYPES)
    joint = definitions["joint"]["properties"]
    joint["rule"]["enum"], joint["missing"]["enum"] = [*RULES, NONE], list(MISSING)
    definitions["column"]["properties"]["precision"]["maximum"] = MOST_DECIMALS
    runs = definitions["settings"]["properties"]["run_limits"]["properties"]
    words = [
        (entry, entry.get("default_for", entry)) for entry in definitions["phase"]["properties"].values()
    ]
    for entry, known in (*words, *((runs[key], {"default": value}) for key, value in RUN_LIMITS.items())):
        for word in ("public", "hidden", "default"):
            entry["description"] = entry["description"].replace(f"{{{word}}}", json.dumps(known.get(word)))


_TYPES = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "settings, `key: value`",
}


_DESCRIBED = ("pattern", "not", "format", "exclusiveMinimum", "exclusiveMaximum")
"""Keywords whose violation is explained by the description of the value."""


def _explain(error: Any, schema: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """Yield messages for a violation of the schema (a `jsonschema.ValidationError`), in terms of `competition.yaml`."""
    place: Place = tuple(error.absolute_path)
    if error.validator in ("additionalProperties", "unevaluatedProperties"):
        known = sorted(_known_keys(error.schema, schema))
        for key in sorted(set(error.instance) - set(known)):
            if "columns" in place and key in ("title", "direction", "description"):
                what = f"the {key} of a column is set by its task, in spokeneval/challenges/"
                yield (*place, key), f"unknown key; {what}"
            else:
                yield (*place, key), f"unknown key; {suggestion(key, known)}"
    elif error.validator == "required":
        for key in error.validator_value:
            if key not in error.instance:
                yield place, f"no {key}"
    elif error.validator == "enum":
        expected = ", ".join(str(value) for value in error.validator_value)
        yield place, f"{error.instance!r}; expected one of {expected}"
    elif error.validator in _DESCRIBED and "description" in error.schema:
        if "propertyNames" in error.absolute_schema_path:
            place = (*place, error.instance)
        yield place, f"{error.instance!r:.100}; expected {error.schema['description']}"
    elif error.validator == "type" and isinstance(error.instance, date):
        return  # an unquoted date, which `located_yaml` has already reported
    elif error.validator == "type":
        yield place, f"{error.instance!r:.100}; expected {_TYPES[error.validator_value]}"
    elif error.validator == "maxLength":
        yield place, f"{error.instance!r:.100} is too long; at most {error.validator_value} characters"
    else:
        yield place, error.message


def _known_keys(schema: Mapping[str, Any], root: Mapping[str, Any]) -> set[str]:
    keys = set(schema.get("properties", {}))
    for part in schema.get("allOf", []):
        keys |= set(root["$defs"][part["$ref"].rsplit("/", 1)[1]]["properties"])
    return keys
