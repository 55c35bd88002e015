"""File formats of organisers that a task's reader does not accept: one module per task, with `NOTATIONS` by file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True)
class Notation:
    """Other formats of one file.

    Attributes
    ----------
    aliases: column names that the task's reader does not accept -> accepted names.
    headerless: the columns of files without a header, in every order that occurs.
    is_row: whether the cells of a first row, `column -> text`, belong to an item.
    left_out: columns that are not copied into the bundle.
    made_from: the suffix of files that can be converted to this one, and the function, `texts -> header, rows`.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    headerless: Sequence[tuple[str, ...]] = ()
    is_row: Callable[[Mapping[str, str]], bool] = lambda cells: True
    left_out: Sequence[str] = ()
    made_from: tuple[str, Callable[[Mapping[Path, str]], tuple[tuple[str, ...], Rows]]] | None = None


def find_notation(task: str, file: str) -> Notation:
    """Return the notation of a task's file; the default one if the task's module defines none."""
    name = f"{__name__}.{task}"
    module: Any = import_module(name) if find_spec(name) else None
    notation: Notation = getattr(module, "NOTATIONS", {}).get(file, Notation())
    return notation
