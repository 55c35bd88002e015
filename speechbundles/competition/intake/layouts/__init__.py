"""How organisers have a task's files beyond what its own reader takes, a module a task: `NOTATIONS`, by file."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Rows = list[tuple[int, list[str]]]


@dataclass(frozen=True)
class Notation:
    """Of one file.

    Attributes
    ----------
    aliases: other names of columns than the task's reader knows.
    headerless: the columns of files without a header, in all orders that occur.
    is_row: whether the cells of a first row, `column -> text`, are those of an item.
    left_out: columns that go into no bundle.
    made_from: a suffix of files that it can be made of, and what makes it, `their texts -> header, rows`.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    headerless: Sequence[tuple[str, ...]] = ()
    is_row: Callable[[Mapping[str, str]], bool] = lambda cells: True
    left_out: Sequence[str] = ()
    made_from: tuple[str, Callable[[Mapping[Path, str]], tuple[tuple[str, ...], Rows]]] | None = None


def find_notation(task: str, file: str) -> Notation:
    """Of a task's file; the plain one where its task says nothing of it."""
    name = f"{__name__}.{task}"
    module: Any = import_module(name) if find_spec(name) else None
    notation: Notation = getattr(module, "NOTATIONS", {}).get(file, Notation())
    return notation
