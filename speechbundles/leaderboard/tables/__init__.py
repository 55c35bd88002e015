"""Tables of the challenges' papers: each module lists in `TABLES` its functions from outputs to a table or None."""

from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.ranking.leaderboard import TextTable


def task_tables(task: str, outputs: Sequence[ScoringOutput]) -> list[TextTable]:
    """Return the tables of the task's paper, from the module of its name. Outputs are in order of rank."""
    module = f"{__name__}.{task}"
    if find_spec(module) is None:
        return []
    tables = [make(outputs) for make in import_module(module).TABLES]
    return [table for table in tables if table is not None]
