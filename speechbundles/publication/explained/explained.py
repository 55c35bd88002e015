"""Difficulty explained by annotators' flags, for the tasks that have a module in this folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from speechbundles.model.competition import Competition
from speechbundles.publication.gold import Columns
from speechbundles.publication.outputs import ScoringOutput, no_board
from spokeneval.ranking.tables import Table


@dataclass(frozen=True)
class Explained:
    """Tables for a board, and a table of all items with their bands and indicators, hardest first."""

    tables: Sequence[Table]
    items: Table


def explain_difficulty(
    competition: Competition, columns: Columns, flags: Path, outputs: Sequence[ScoringOutput]
) -> Explained:
    """Explain the difficulty of items with the module of the task's name.

    Parameters
    ----------
    columns: of the reference.
    flags: a table in the format of `flags.read_flags`.
    outputs: of all systems, with statistics.

    Raises
    ------
    OrganiserError: the task has no such module, the flags do not match the items, or the module raises it.
    OSError: the flags cannot be read.
    """
    module = f"speechbundles.publication.explained.{competition.task}"
    if find_spec(module) is None:
        raise no_board([f"--flags: not available for {competition.task}"])
    explained: Explained = import_module(module).explain(competition, columns, flags, outputs)
    return explained
