"""The description of a scoring program in its `task.json`: its scores, the primary score first, and its options."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_settings
from speechbundles.model.zips import TASK_FILE
from spokeneval.kinds.declared import DECLARATION, declared_task
from spokeneval.task import Task
from spokeneval.tasks import find_task, task_names


def read_description(program: Archive) -> dict[str, Any] | None:
    """Return the description in a scoring program's zip, or None if it has no valid one."""
    try:
        content = parse_settings(program.files[TASK_FILE])
    except (KeyError, ValueError):
        return None
    return content if _DESCRIPTION.is_valid(content) else None


def declared_scores(program: Archive | None) -> list[str]:
    """Return the keys of the scores in a scoring program's description."""
    description = read_description(program) if program else None
    return [score["key"] for score in description["scores"]] if description else []


def find_rules(task: str, content: Mapping[str, Any]) -> Task | None:
    """Return a task: one of the repository, or the one that a `task.json` or `statistics.json` declares; else None.

    Raises
    ------
    ValueError: a declaration that cannot be used.
    """
    if task in task_names():
        return find_task(task)
    declaration = content.get(DECLARATION)
    if declaration is None:
        return None
    if not isinstance(declaration, dict):
        raise ValueError(f"{DECLARATION} is {declaration!r:.100}; expected an object")
    return declared_task(task, declaration)


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
