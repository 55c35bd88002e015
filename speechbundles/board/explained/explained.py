"""Difficulty, explained by annotators' flags, for the tasks whose module in this folder can."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from speechbundles.board.gold import Columns
from speechbundles.board.outputs import ScoringOutput, no_board
from speechbundles.board.table import Table
from speechbundles.model.competition import Competition


@dataclass(frozen=True)
class Explained:
    """Tables of a board, and one of every item with its band and indicators, the hardest first."""

    tables: Sequence[Table]
    items: Table


def explain_difficulty(
    competition: Competition, columns: Columns, flags: Path, outputs: Sequence[ScoringOutput]
) -> Explained:
    """What makes items hard, by the module that has the task's name.

    Parameters
    ----------
    columns: of the reference.
    flags: a table for `flags.read_flags`.
    outputs: every system's, with statistics.

    Raises
    ------
    OrganiserError: a task that has no such module, flags that do not fit, or what the module refuses.
    OSError: flags that cannot be read.
    """
    module = f"speechbundles.board.explained.{competition.task}"
    if find_spec(module) is None:
        raise no_board([f"--flags: there is no table of {competition.task} that explains difficulty"])
    explained: Explained = import_module(module).explain(competition, columns, flags, outputs)
    return explained
