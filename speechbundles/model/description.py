"""The description of a scoring program in its `task.json`: its scores, the primary score first, and its options."""

from collections.abc import Mapping
from typing import Any
from weakref import WeakKeyDictionary

from speechbundles.model.archive import Archive
from speechbundles.model.bounded import parse_settings
from speechbundles.model.zips import TASK_FILE
from spokeneval.challenges import find_task, task_names
from spokeneval.kinds.declared import DECLARATION, declared_task
from spokeneval.task import Task

KNOWN_COLUMNS = "known_columns"
"""The columns of the reference that participants may know, by the organiser's setting of this name."""


def read_description(program: Archive) -> dict[str, Any] | None:
    """Return the description in a scoring program's zip, or None if it has no valid one.

    It is read once: thousands of phases of a hostile bundle can name the same program.
    """
    if program not in _READ:
        try:
            content = parse_settings(program.files[TASK_FILE])
        except (KeyError, ValueError):
            content = None
        _READ[program] = content if _is_description(content) else None
    return _READ[program]


_READ: WeakKeyDictionary[Archive, dict[str, Any] | None] = WeakKeyDictionary()


def declared_scores(program: Archive | None) -> list[str]:
    """Return the keys of the scores in a scoring program's description."""
    description = read_description(program) if program else None
    return [score["key"] for score in description["scores"]] if description else []


def described_task(task: str, content: Mapping[str, Any]) -> Task | None:
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


def _is_description(content: Any) -> bool:
    if not isinstance(content, dict):
        return False
    scores, options = content.get("scores"), content.get("options")
    if not (isinstance(scores, list) and scores and isinstance(options, dict)):
        return False
    keys = [score.get("key") if isinstance(score, dict) else None for score in scores]
    lists = (values if isinstance(values, list) else [None] for values in options.values())
    choices = [choice for values in lists for choice in values]
    return all(isinstance(text, str) for text in (*keys, *choices))
