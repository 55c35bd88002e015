"""Tables of a board, those that a challenge's paper prints among them, made anew from scoring outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from speechbundles.board.outputs import ScoringOutput, no_board
from speechbundles.model import tabular
from speechbundles.model.bounded import read_file


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


def read_rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file, or of one with tabs, that is given beside the outputs; the header first.

    Raises
    ------
    OSError: no ordinary file, or a larger one than a reference's.
    OrganiserError: not UTF-8, or not such a file.
    """
    try:
        return [cells for _, cells in tabular.read_rows(read_file(path, tabular.LARGEST_FILE))]
    except tabular.UnreadableFile as error:
        raise no_board([f"{path}: {error}"]) from None
