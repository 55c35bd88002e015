"""File formats of organisers that a task's reader does not accept: one module per task, with `NOTATIONS` by file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from spokeneval.formats.tables import Layout


@dataclass(frozen=True)
class Notation:
    """Other formats of one file.

    Attributes
    ----------
    aliases: column names that the task's reader does not accept -> accepted names.
    headerless: the columns of files without a header, in every order that occurs.
    is_row: whether the cells of a first row, `column -> text`, belong to an item.
    left_out: columns that are not copied into the bundle.
    per_second: the unit of `start` and `end`, as a number of units per second.
    completed: functions that add further columns, `table, layout -> table`.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    headerless: Sequence[tuple[str, ...]] = ()
    is_row: Callable[[Mapping[str, str]], bool] = lambda cells: True
    left_out: Sequence[str] = ()
    per_second: int = 1
    completed: Sequence[Callable[[Any, Layout], Any]] = ()


def find_notation(task: str, layout: Layout) -> Notation:
    """Return the notation of a task's file; the default one if the task's module defines none."""
    name = f"{__name__}.{task}"
    module: Any = import_module(name) if find_spec(name) else None
    notation: Notation = getattr(module, "NOTATIONS", {}).get(layout.file, Notation())
    return notation
