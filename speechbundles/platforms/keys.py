"""The values that a platform accepts for a key of competition.yaml: type, length, choices, default.

Each rule is a JSON Schema, draft 3, in which `required` belongs to a key and a float is not an integer. `nullable` is
added, as in OpenAPI 3.0. `description` completes "expected …" in messages. `default` is the value that the platform
uses for a missing key.
"""

from collections.abc import Mapping
from typing import Any

MOST_DECIMALS = 10
"""Codabench stores this many decimals of a score; neither platform shows more."""

SORTING = {"higher": "desc", "lower": "asc"}
"""The value of the sorting key on both platforms, by the direction in which scores are better."""

DEFAULT_IMAGE = "codalab/codalab-legacy:py37"
"""The image that both platforms use if a bundle names none."""

OLD_IMAGES = r"codalab/codalab-legacy:py3[678]?"
"""Images whose Python is older than 3.9."""

Key = Mapping[str, Any]
Keys = Mapping[str, Key]

TEXT: Key = {"type": ["string", "number"], "pattern": r"\S", "description": "text"}
NOTE: Key = {"type": ["string", "number"], "nullable": True, "description": "text"}
"""Text that can be blank."""
PATH: Key = {"type": "string", "description": "the path of a file in the bundle"}
INTEGER: Key = {"type": "integer", "description": "a whole number"}
FLAG: Key = {
    "type": ["boolean", {"type": "string", "pattern": r"\A(?ai:true|false)\Z"}],
    "description": "true or false",
}
LIST: Key = {"type": "array", "minItems": 1, "description": "a list with items"}
MAPPING: Key = {"type": "object", "minProperties": 1, "description": "keys and values"}
DATE: Key = {"format": "date-time", "description": "a date"}
ANY: Key = {"description": "a value"}


def direction(sorting: object) -> str:
    return "higher" if sorting == SORTING["higher"] else "lower"


def is_true(value: Any) -> bool:
    """Return whether a flag is set, also if it is written as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
