"""The tables of the challenges' papers, computed from scoring outputs."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from speechbundles.model import tabular
from speechbundles.model.bounded import read_file
from speechbundles.publication.outputs import ScoringOutput, no_board
from spokeneval.ranking.tables import Table


def task_tables(task: str, outputs: Sequence[ScoringOutput]) -> list[Table]:
    """Return the tables of the task's paper, from the module of its name in `tables`. Outputs are in order of rank."""
    module = f"speechbundles.publication.tables.{task}"
    if find_spec(module) is None:
        return []
    tables = [make(outputs) for make in import_module(module).TABLES]
    return [table for table in tables if table is not None]


def read_rows(path: Path) -> list[list[str]]:
    """Return the rows of a CSV or TSV file that is given beside the outputs, the header first.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: not UTF-8, or neither CSV nor TSV.
    """
    try:
        return [cells for _, cells in tabular.read_rows(read_file(path, tabular.LARGEST_FILE))]
    except tabular.UnreadableFile as error:
        raise no_board([f"{path}: {error}"]) from None
