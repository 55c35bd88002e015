"""Tables of a board, those that a challenge's paper prints among them, made anew from scoring outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec

from speechbundles.board.outputs import ScoringOutput


@dataclass(frozen=True)
class Table:
    """A table as it is shown: texts; `left` columns are names, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    left: int = 1


def task_tables(task: str, outputs: Sequence[ScoringOutput]) -> list[Table]:
    """The papers' tables of a task, by the module in `tables` that has its name, from outputs in the board's order."""
    module = f"speechbundles.board.tables.{task}"
    if find_spec(module) is None:
        return []
    tables = [make(outputs) for make in import_module(module).TABLES]
    return [table for table in tables if table is not None]
