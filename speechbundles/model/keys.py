"""The values that a platform accepts for a key of competition.yaml: type, length, choices, default.

Each rule is a JSON Schema, draft 3, in which `required` belongs to a key and a float is not an integer. `nullable` is
added, as in OpenAPI 3.0, and:

- `code`, `long`, `given`, `unset`, `zero`: the finding about a value that does not fit, about one that is too long,
  about a key that is there, about one that is not, and about 0 or null;
- `only`: the finding about any wrong value, which is no error, because only an older platform reads the key;
- `table`, `each`: the table of a mapping's keys, or of each mapping in a list; `*` in a table is any other key;
- `unless`: the key without which the key is required;
- `longest_key`: the most characters of a key in a mapping;
- `setting`: the place in the schema of the organiser's own `competition.yaml` that has the same limit on a text.

`description` completes "expected …" in messages. `default` is the value that the platform uses for a missing key.
"""

import json
import re
from collections.abc import Mapping
from typing import Any

from speechbundles.model.platform import FOLDER

MOST_DECIMALS = 10
"""A platform stores and shows at most this many decimals of a score."""

SORTING = {"higher": "desc", "lower": "asc"}
"""The value of the sorting key on all platforms, by the direction in which scores are better."""

QUESTION_TYPES = ("text", "checkbox", "select")

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
    "INDEX": {"type": ["integer", "string"], "description": "a whole number"},
    "INTEGER": {"type": "integer", "description": "a whole number"},
    "FLAG": {"type": "boolean", "description": "true or false"},
    "LIST": {"type": "array", "minItems": 1, "description": "a list with items"},
    "MAPPING": {"type": "object", "minProperties": 1, "description": "keys and values"},
    "DATE": {"format": "date-time", "description": "a date"},
    "ANY": {"description": "a value"},
}
"""The rules that many keys have; a NOTE is text that can be blank."""
DATE, INTEGER, FLAG, MAPPING = (COMMON[name] for name in ("DATE", "INTEGER", "FLAG", "MAPPING"))


def read_keys(platform: str) -> Mapping[str, Keys]:
    """Return the tables in a platform's `keys.json`, in which a rule is a common one, or one (`is`) with more to it."""
    path = FOLDER / platform / "keys.json"
    return {
        name: {key: _rule(**rule) if isinstance(rule, dict) else COMMON[rule] for key, rule in table.items()}
        for name, table in json.loads(path.read_text(encoding="utf-8")).items()
    }


def _rule(**more: Any) -> Key:
    return {**COMMON[more.pop("is")], **more}


def direction(sorting: object) -> str:
    return "higher" if sorting == SORTING["higher"] else "lower"


_TRUE, _FALSE = ({"true", "t", "yes", "y", "on", "1"}, {"false", "f", "no", "n", "off", "0"})


def is_true(value: Any) -> bool:
    """Return whether a flag is set, as Django's REST framework reads it."""
    return str(value).lower() in _TRUE


def stored(value: Any, rule: Key) -> Any:
    """Return a value as the platforms store it, with whole numbers and flags that are written as text converted."""
    kind = rule.get("type") if isinstance(value, (str, int)) else None
    if kind == FLAG["type"] and str(value).lower() in _TRUE | _FALSE:
        return is_true(value)
    return int(value) if kind == INTEGER["type"] and re.fullmatch(r"\s*-?\d{1,18}\s*", str(value)) else value
