"""The board of one task, with what it can bear: intervals of scores and ranks, differences in pairs, clusters, ties.

Equal scores, to the ten decimals that a platform stores, share the better rank. A score's interval is the one that
its scoring program wrote. How systems are compared: see `comparison`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bundling.competition.competition import Column
from bundling.competition.read import read_competitions
from bundling.rank import compare, notes
from bundling.rank.comparison import Comparison, compare_systems
from bundling.rank.outputs import OutputError, ScoringOutput
from bundling.rank.table import Table, task_tables
from spokeneval.run.interval import score_interval
from spokeneval.run.statistics import primary_matrix, primary_of_sums
from spokeneval.task import ENDS
from spokeneval.tasks import find_task


@dataclass(frozen=True)
class Row:
    """A system's place: its score, and what is known of how sure that is (None: not known)."""

    rank: int
    tied: bool
    name: str
    score: float
    interval: tuple[float, float] | None
    ranks: tuple[int, int] | None
    cluster: int | None
    scores: Mapping[str, float]


@dataclass(frozen=True)
class Board:
    """The board of one task: rows from the best to the worst, the papers' tables, and how to read them.

    `units`: how many of what (`1000 responses`), None where no statistics were to be had.
    """

    task: str
    column: Column
    signature: str
    units: str | None
    rows: Sequence[Row]
    tables: Sequence[Table]
    notes: Sequence[str]


def make_board(
    root: Path, outputs: Sequence[ScoringOutput], *, progress: Callable[[str], None] = lambda step: None
) -> Board:
    """Rank the outputs of one task, from `outputs.read_outputs`.

    Parameters
    ----------
    root: the folder of `competition.yaml`.

    Raises
    ------
    OutputError: a task that is not in `competition.yaml`, or scores without its primary one.
    CompetitionError: `competition.yaml` cannot be used.
    """
    task = outputs[0].task
    column = _primary_column(root, task)
    if column.key not in outputs[0].scores:
        raise OutputError([f"no score {column.key}, the primary one of {task}, in {outputs[0].name}"])
    stored = np.array([output.scores[column.key] for output in outputs])
    higher = column.direction == "higher"
    places = compare.ranks(stored, higher=higher)
    names = [output.name for output in outputs]
    summed = [output.statistics for output in outputs if output.statistics is not None]
    intervals = [_stored_interval(output, column.key) for output in outputs]
    compared: Comparison | None = None
    remarks = notes.ties(places, names)
    units = None
    if len(summed) < len(outputs):
        remarks += notes.without_statistics(outputs)
    else:
        scored = find_task(task)
        units = f"{len(summed[0].units)} {summed[0].unit}s"
        counts = [scored.part(scored.primary, statistics.parts) for statistics in summed]
        values = np.stack([primary_matrix(scored, statistics) for statistics in summed])
        primary = primary_of_sums(scored, summed[0])
        remarks += notes.beside_trivial(outputs[0].trivial, column.precision)
        remarks += notes.disagreements(names, stored, primary(values.sum(axis=1)))
        for index, known in enumerate(intervals):
            if known is None:
                interval = score_interval(scored.primary, counts[index], float(stored[index]))
                intervals[index] = interval.low, interval.high
        if len(outputs) > 1:
            compared = compare_systems(scored, summed, values, places, progress=progress)
            remarks += notes.how_compared(units, summed[0].unit, len(summed), len(values[0]))
    rows = [
        Row(
            rank=int(places[index]),
            tied=int((places == places[index]).sum()) > 1,
            name=names[index],
            score=float(stored[index]),
            interval=intervals[index],
            ranks=compared.ranks[index] if compared else None,
            cluster=compared.clusters[index] if compared else None,
            scores=outputs[index].scores,
        )
        for index in sorted(range(len(outputs)), key=lambda index: (places[index], names[index]))
    ]
    ordered = [outputs[names.index(row.name)] for row in rows]
    return Board(task, column, outputs[0].signature, units, rows, task_tables(task, ordered), remarks)


def _primary_column(root: Path, task: str) -> Column:
    competitions = read_competitions(root / "competition.yaml")
    for competition in competitions:
        if competition.task == task:
            return competition.columns[0]
    known = ", ".join(sorted({competition.task for competition in competitions}))
    raise OutputError([f"no task {task} in competition.yaml; there are {known}"])


def _stored_interval(output: ScoringOutput, key: str) -> tuple[float, float] | None:
    ends = [output.scores.get(key + end) for end in ENDS]
    return None if ends[0] is None or ends[1] is None else (ends[0], ends[1])


def board_table(board: Board) -> Table:
    """The board itself: a tied rank has an equals sign; what is not known has a dash."""
    digits = board.column.precision
    rows = []
    for row in board.rows:
        interval = f"{row.interval[0]:.{digits}f} – {row.interval[1]:.{digits}f}" if row.interval else "–"
        ranks = _range(row.ranks) if row.ranks else "–"
        cluster = "–" if row.cluster is None else str(row.cluster)
        rank = f"{row.rank}=" if row.tied else str(row.rank)
        rows.append([row.name, rank, f"{row.score:.{digits}f}", interval, ranks, cluster])
    header = ["System", "Rank", board.column.title, "95 % interval", "Ranks (95 %)", "Cluster"]
    return Table(heading(board), header, rows)


def _range(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def heading(board: Board) -> str:
    return " · ".join([board.task, measure(board), *([board.units] if board.units else [])])


def measure(board: Board) -> str:
    return f"{board.column.title} ({board.column.direction} is better)"
