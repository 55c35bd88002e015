"""The values that a platform accepts for a key of competition.yaml: type, length, choices, default.

Each rule is a JSON Schema, draft 3, in which `required` belongs to a key and a float is not an integer. `nullable` is
added, as in OpenAPI 3.0, and:

- `code`, `unset`, `zero`: the finding about a value that does not fit, about a missing key, about 0 or null;
- `table`, `each`: the table of a mapping's keys, or of each mapping in a list; `*` in a table is any other key;
- `unless`: the key without which the key is required.

`description` completes "expected …" in messages. `default` is the value that the platform uses for a missing key.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

MOST_DECIMALS = 10
"""Codabench stores this many decimals of a score; neither platform shows more."""

SORTING = {"higher": "desc", "lower": "asc"}
"""The value of the sorting key on both platforms, by the direction in which scores are better."""

OLD_IMAGES = r"codalab/codalab-legacy:py3[678]?"
"""Images whose Python is older than 3.9."""

Key = Mapping[str, Any]
Keys = Mapping[str, Key]

COMMON: Keys = {
    "TEXT": {"type": ["string", "number"], "pattern": r"\S", "description": "text"},
    "NOTE": {"type": ["string", "number"], "nullable": True, "description": "text"},
    "ZIP": {"type": "string", "format": "zip", "description": "the path of a file in the bundle"},
    "PAGE": {"type": "string", "format": "page", "description": "the path of a file in the bundle"},
    "LOGO": {"type": "string", "format": "logo", "description": "the path of a file in the bundle"},
    "LIMIT": {
        "type": "integer",
        "nullable": True,
        "minimum": 0,
        "code": "limit-negative",
        "description": "a whole number",
    },
    "DECIMALS": {
        "type": "integer",
        "minimum": 0,
        "maximum": MOST_DECIMALS,
        "code": "precision-range",
        "unset": "precision-default",
        "description": f"a whole number from 0 to {MOST_DECIMALS}",
    },
    "INTEGER": {"type": "integer", "description": "a whole number"},
    "FLAG": {
        "type": ["boolean", {"type": "string", "pattern": r"\A(?ai:true|false)\Z"}],
        "description": "true or false",
    },
    "LIST": {"type": "array", "minItems": 1, "description": "a list with items"},
    "MAPPING": {"type": "object", "minProperties": 1, "description": "keys and values"},
    "DATE": {"format": "date-time", "description": "a date"},
    "ANY": {"description": "a value"},
}
"""The rules that many keys have; a NOTE is text that can be blank."""
DATE, INTEGER, FLAG, MAPPING = (COMMON[name] for name in ("DATE", "INTEGER", "FLAG", "MAPPING"))


def read_keys(platform: str) -> Mapping[str, Keys]:
    """Return the tables in a platform's `keys.json`, in which a rule is a common one, or one (`is`) with more to it."""
    path = Path(__file__).parent / platform / "keys.json"
    return {
        name: {key: _rule(**rule) if isinstance(rule, dict) else COMMON[rule] for key, rule in table.items()}
        for name, table in json.loads(path.read_text(encoding="utf-8")).items()
    }


def _rule(**more: Any) -> Key:
    return {**COMMON[more.pop("is")], **more}


def direction(sorting: object) -> str:
    return "higher" if sorting == SORTING["higher"] else "lower"


def is_true(value: Any) -> bool:
    """Return whether a flag is set, also if it is written as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
