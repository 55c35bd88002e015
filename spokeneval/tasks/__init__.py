"""The tasks, one module each: a module's name is its task's, and its `TASK` is everything that there is to know."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..task import Task


def task_names() -> list[str]:
    """The names of all tasks, sorted."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def find_task(name: str) -> Task:
    """A task by its name.

    Raises
    ------
    ValueError: no such task.
    """
    if name not in task_names():
        raise ValueError(f"no task {name!r}; there are {', '.join(task_names())}")
    task: Task = import_module(f"{__name__}.{name}").TASK
    return task
