"""Leaderboards of a task's systems; each line names the data that its figures were measured on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from rich import box
from rich.console import Console
from rich.table import Table

from spokeneval.challenges import find_task
from spokeneval.result import Result


@dataclass(frozen=True)
class Line:
    """A system's results on some data: `key -> score`, and `key -> (low, high)` for scores with an interval."""

    system: str
    data: str
    scores: Mapping[str, float]
    intervals: Mapping[str, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Board:
    """A task's systems, in the order in which they are shown.

    Attributes
    ----------
    shown: the displayed scores, `key -> decimals`.
    """

    task: str
    title: str
    shown: Mapping[str, int]
    lines: Sequence[Line]


def scored(system: str, data: str, result: Result) -> Line:
    """Return the line of a submission that was scored here."""
    return Line(system, data, result.scores, result.intervals)


def over_seeds(boards: Sequence[Board]) -> Board:
    """Combine the boards of several seeds: means, with the lowest and the highest score in place of intervals."""
    first = boards[0]
    if len(boards) == 1:
        return first
    by_system: dict[tuple[str, str], list[Line]] = defaultdict(list)
    for board in boards:
        for line in board.lines:
            by_system[line.system, line.data].append(line)
    return Board(first.task, first.title, first.shown, [_mean(lines) for lines in by_system.values()])


def _mean(lines: Sequence[Line]) -> Line:
    values = {key: [line.scores[key] for line in lines] for key in lines[0].scores}
    spread = {key: (min(scores), max(scores)) for key, scores in values.items() if min(scores) < max(scores)}
    means = {key: sum(scores) / len(scores) for key, scores in values.items()}
    return Line(lines[0].system, lines[0].data, means, spread)


def show(board: Board, console: Console) -> None:
    """Print a board; the first score has its interval, and missing scores are blank."""
    titles = {column.key: column.title for column in find_task(board.task).columns}
    table = Table("system", "on", title=board.title, title_justify="left", box=box.SIMPLE)
    for key in board.shown:
        table.add_column(titles[key], justify="right")
    primary = next(iter(board.shown))
    for line in board.lines:
        cells = [f"{line.scores[key]:.{d}f}" if key in line.scores else "" for key, d in board.shown.items()]
        if primary in line.intervals:
            low, high = (f"{end:.{board.shown[primary]}f}" for end in line.intervals[primary])
            cells[0] += rf" \[{low}, {high}]"
        table.add_row(line.system, line.data, *cells)
    console.print(table)
