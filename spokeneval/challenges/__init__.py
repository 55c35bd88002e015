"""The tasks. Each module has the name of its task, and declares it completely as `TASK`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from ..task import Task


def task_names() -> list[str]:
    """The names of all tasks, sorted."""
    return sorted(path.stem for path in Path(__file__).parent.glob("[a-z]*.py"))


def find_task(name: str) -> Task:
    """Return a task by its name.

    Raises
    ------
    ValueError
        There is no task of this name.
    """
    if name not in task_names():
        raise ValueError(f"unknown task {name!r}; expected one of {', '.join(task_names())}")
    task: Task = import_module(f"{__name__}.{name}").TASK
    return task
