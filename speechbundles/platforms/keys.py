"""What a platform takes for a key of competition.yaml: its type, its length, its choices, its default.

Each rule is JSON Schema, draft 3, where `required` belongs to a key and an integer is not a float. `nullable` is added
to it, as in OpenAPI 3.0; `description` completes "expected …"; `default` is what the platform takes where the key is
left out.
"""

from collections.abc import Mapping
from typing import Any

MOST_DECIMALS = 10
"""Codabench stores a score with so many; neither platform shows more."""

SORTING = {"higher": "desc", "lower": "asc"}
"""Both platforms' words for which scores are better."""

DEFAULT_IMAGE = "codalab/codalab-legacy:py37"
"""What both platforms take where a bundle names none."""

OLD_IMAGES = r"codalab/codalab-legacy:py3[678]?"
"""Their Python is older than 3.9."""

Key = Mapping[str, Any]
Keys = Mapping[str, Key]

TEXT: Key = {"type": ["string", "number"], "pattern": r"\S", "description": "text"}
NOTE: Key = {"type": ["string", "number"], "nullable": True, "description": "text"}
"""Text that may be blank."""
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
    """A flag, also where it was written as text."""
    return value is True or (isinstance(value, str) and value.lower() == "true")
