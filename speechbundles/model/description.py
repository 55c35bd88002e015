"""The description of a scoring program in its `task.json`: its scores, the primary score first, and its options."""

from typing import Any

from jsonschema import Draft202012Validator

from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_json
from speechbundles.model.zips import TASK_FILE


def read_description(program: Archive) -> dict[str, Any] | None:
    """Return the description in a scoring program's zip, or None if it has no valid one."""
    try:
        content = parse_json(program.files[TASK_FILE])
    except (KeyError, ValueError):
        return None
    return content if _DESCRIPTION.is_valid(content) else None


def declared_scores(program: Archive | None) -> list[str]:
    """Return the keys of the scores in a scoring program's description."""
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
