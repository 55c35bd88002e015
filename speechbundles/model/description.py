"""What a scoring program says of itself in `task.json`: its scores, the primary one first, and its options."""

from typing import Any

from jsonschema import Draft202012Validator

from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_json
from speechbundles.model.zips import TASK_FILE


def read_description(program: Archive) -> dict[str, Any] | None:
    """The description in a scoring program's zip, or None where it has none that can be used."""
    try:
        content = parse_json(program.files[TASK_FILE])
    except (KeyError, ValueError):
        return None
    return content if _DESCRIPTION.is_valid(content) else None


def declared_scores(program: Archive | None) -> list[str]:
    """The keys that a scoring program says it writes."""
    description = read_description(program) if program else None
    return [score["key"] for score in description["scores"]] if description else []


_DESCRIPTION = Draft202012Validator(
    {
        "type": "object",
        "required": ["scores", "options"],
        "properties": {
            "scores": {
                "type": "array",
                "minItems": 1,
                "items": {
                    "type": "object",
                    "required": ["key"],
                    "properties": {"key": {"type": "string"}},
                },
            },
            "options": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"type": "string"}},
            },
        },
    }
)
