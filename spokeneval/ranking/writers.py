"""A leaderboard as tables of texts, as text, as CSV and for JSON; `latex` writes it for a paper."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import Any, Callable, Optional

from ..formats.speakers import unseen_share
from ..formats.tables import csv_text, no_formula
from ..scoring.output import text_width
from ..scoring.scored import Interval
from ..task import ENDS, HIGHER, Column
from .leaderboard import Entry, Leaderboard, TextTable
from .multiple_comparisons import CONFIDENCE

UNKNOWN = "–"
INTERVAL = "95 % interval"


def ranking_table(
    board: Leaderboard, columns: Sequence[Column] = (), digits: Optional[int] = None
) -> TextTable:
    """The main table: name, rank, and what is known of the score; of a joint ranking, also the scores in the tasks.

    Parameters
    ----------
    columns
        Scores to show, each with its interval, instead of the primary score.
    digits
        Their decimals, if not those of the columns.
    """
    columns = columns or [board.column]
    titles = [cell for column in columns for cell in (column.title, *([] if board.tasks else [INTERVAL]))]
    header = ["System", "Rank", *titles, f"Ranks ({CONFIDENCE})", "Cluster", *board.titles.values()]
    header += ["Rec"] * board.names_recognisers
    rows = [[row.label, *_cells(board, row, columns, digits)] for row in board.rows]
    if board.baseline:
        own = board.baseline.entry
        sign = 1 if board.column.direction == HIGHER else -1
        # It shares the rank of the system that it just beats, so it is shown before equal scores.
        better = sum(not sign * row.score <= sign * own.score for row in board.rows)
        rows.insert(better, [f"{own.name} (baseline)", *_cells(board, own, columns, digits)])
    rows += [[name, *[UNKNOWN] * (len(header) - 1)] for name in board.unscored]
    note = "In brackets: the rank in the task, among the ranked systems." if board.tasks else ""
    return TextTable(board.heading, header, rows, note)


def _cells(board: Leaderboard, row: Entry, columns: Sequence[Column], digits: Optional[int]) -> list[str]:
    """The rank, the scores with their intervals, the range of ranks, the cluster, and the scores in the tasks."""
    cells = [UNKNOWN if row.excluded else shown_rank(row.rank, tied=row.tied)]
    for column in columns:
        is_primary, decimals = column.key == board.column.key, column.precision if digits is None else digits
        score = row.score if is_primary else row.scores[column.key]
        cells.append(UNKNOWN if math.isnan(score) else f"{score:.{decimals}f}")
        if not board.tasks:
            ends = row.interval if is_primary else row.intervals.get(column.key)
            cells.append(shown_interval(ends, decimals) if ends else UNKNOWN)
    cells += [shown_range(row.ranks) if row.ranks else UNKNOWN, str(row.cluster or UNKNOWN)]
    for name, task in board.tasks.items():
        place = f" ({row.places[name]})" if name in row.places else ""
        score = row.scores.get(name)
        cells.append(UNKNOWN if score is None else f"{score:.{task.column.precision}f}{place}")
    return cells + [row.recogniser or UNKNOWN] * board.names_recognisers


def shown_interval(ends: tuple[float, float], digits: int) -> str:
    """An interval. Before a number below 0, a dash would look like a second sign."""
    return f"{ends[0]:.{digits}f} {'to' if ends[0] < 0 else '–'} {ends[1]:.{digits}f}"


def shown_rank(rank: int, *, tied: bool) -> str:
    """A rank, with an equals sign if several systems share it; a dash for 0, which is none."""
    return f"{rank}=" if tied else str(rank or UNKNOWN)


def shown_range(ends: tuple[int, int]) -> str:
    """A range of ranks, or the only rank."""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def shown_p(p: float) -> str:
    """A p-value with two digits."""
    return f"{p:.2g}" if p >= 1e-4 else "< 0.0001"


def shown_difference(
    difference: float, interval: Interval, p: float, adjusted: float, digits: int
) -> list[str]:
    """A difference, its interval if it has one, p, and p after the correction."""
    ends = (
        [f"{interval.low:.{digits}f} to {interval.high:.{digits}f}"] if not math.isnan(interval.low) else []
    )
    return [f"{difference:.{digits}f}", *ends, shown_p(p), shown_p(adjusted)]


def scores_table(board: Leaderboard) -> TextTable:
    """All scores of all systems, each with its interval; the primary score has its title on the leaderboard."""
    scores = board.own_task.columns[: len(board.own_task.scores)]
    shown = [column for column in scores if column.key in board.rows[0].scores]
    titles = {board.column.key: board.column.title}
    header = ["System", *(titles.get(column.key, column.title) for column in shown)]
    rows = [[row.label, *(_with_interval(row, column) for column in shown)] for row in board.rows]
    return TextTable(f"Every score, with its {INTERVAL}", header, rows)


def _with_interval(row: Entry, column: Column) -> str:
    value = f"{row.scores[column.key]:.{column.precision}f}"
    ends = row.intervals.get(column.key)
    return f"{value} ({shown_interval(ends, column.precision)})" if ends else value


def pairs_table(board: Leaderboard) -> TextTable:
    """The differences between systems, neighbours in rank first."""
    names, digits = board.names, board.column.precision
    rows = []
    for pair in sorted(board.pairs, key=lambda pair: (pair.second - pair.first, pair.first)):
        shown = shown_difference(pair.difference, pair.interval, pair.p, pair.adjusted, digits)
        rows.append([f"{names[pair.first]} – {names[pair.second]}", *shown])
    how = ["p", "p, stepwise"] if board.tasks else [INTERVAL, "p", "p, Holm"]
    header = ["Systems", f"Difference in {board.column.title}", *how]
    return TextTable("Differences, neighbours on the leaderboard first", header, rows)


def apart_table(apart: Mapping[str, str]) -> TextTable:
    """The systems that are not ranked, with the reason."""
    return TextTable("Not ranked", ["System", "Reason"], [[*pair] for pair in apart.items()], left=2)


def text_table(table: TextTable) -> str:
    """A table as text: columns of names are aligned left, the others right."""
    rows = [table.header, *table.rows]
    widths = [max(map(text_width, column)) for column in zip(*rows)]
    lines = []
    for row in rows:
        blanks = [" " * (width - text_width(cell)) for cell, width in zip(row, widths)]
        cells = [
            cell + blank if place < table.left else blank + cell
            for place, (cell, blank) in enumerate(zip(row, blanks))
        ]
        lines.append("  ".join(["", *cells]).rstrip())
    return "\n".join(lines)


def folded(text: str) -> str:
    """A note in lines of 100 characters."""
    return fill(text, 100, initial_indent="  ", subsequent_indent="  ")


def to_text(
    head: str,
    ranking: TextTable,
    notes: Sequence[str],
    tables: Sequence[TextTable],
    *,
    show: Callable[[TextTable], str] = text_table,
    fold: Callable[[str], str] = folded,
) -> str:
    """A leaderboard as text: its head, the ranking, the notes, and further tables with theirs.

    Parameters
    ----------
    show, fold
        How a table and a note are fitted to the place where they are read.
    """
    parts = [head, show(ranking), *map(fold, notes)]
    for table in tables:
        parts += [table.title, show(table), *([fold(table.note)] if table.note else [])]
    return "\n\n".join(parts)


def to_dict(board: Leaderboard) -> dict[str, Any]:
    """The leaderboard for JSON: numbers in full precision, texts, lists and dictionaries only."""
    if board.tasks and not board.is_joint:
        return {"rule": None, "apart": dict(board.apart)}
    names = board.names
    pairs = [
        {
            "first": names[pair.first],
            "second": names[pair.second],
            "difference": pair.difference,
            **({} if board.tasks else {"interval": [pair.interval.low, pair.interval.high]}),
            "p": pair.p,
            "adjusted_p": pair.adjusted,
        }
        for pair in board.pairs
    ]
    others: dict[str, Any] = {}
    if board.is_joint:
        others["baseline"] = board.baseline._asdict() if board.baseline else None
        others["apart"] = dict(board.apart)
    systems = [_system_in_tasks(row) if board.is_joint else _system(row) for row in board.rows]
    head = _head_of_tasks(board) if board.is_joint else _head(board)
    return {**head, "systems": systems, "pairs": pairs, **others, "notes": list(board.notes)}


def _head(board: Leaderboard) -> dict[str, Any]:
    task = board.own_task
    counted = [system.statistics for system in board.systems if system.statistics is not None]
    return {
        "task": task.name,
        **({"declaration": dict(task.declaration)} if task.declaration else {}),
        "primary": board.column.key,
        "units": board.units,
        **({"unseen": unseen_share(len(counted[0].units))} if counted else {}),
        "signature": board.signature,
    }


def _system(row: Entry) -> dict[str, Any]:
    return {
        "name": row.name,
        **({"excluded": row.excluded} if row.excluded else {}),
        **({"recogniser": row.recogniser} if row.recogniser else {}),
        "rank": None if row.excluded else row.rank,
        "ranks": list(row.ranks or ()),
        "cluster": row.cluster,
        "scores": dict(row.scores),
        "intervals": {key: list(ends) for key, ends in row.intervals.items()},
    }


def _head_of_tasks(board: Leaderboard) -> dict[str, Any]:
    rule = board.rule
    return {
        **({"rule": rule.rule, "missing": rule.missing, "compulsory": list(rule.compulsory)} if rule else {}),
        "weights": dict(rule.weights) if rule else {},
        "tasks": {name: task.signature for name, task in board.tasks.items()},
        "units": board.units,
    }


def _system_in_tasks(row: Entry) -> dict[str, Any]:
    return {
        **{"name": row.name, "rank": row.rank, "cluster": row.cluster, "score": row.score},
        **{"ranks": list(row.ranks or ()), "scores": dict(row.scores), "task_ranks": dict(row.places)},
    }


def to_csv(board: Leaderboard) -> str:
    """The leaderboard as CSV: numbers in full precision, then all other scores, or those in the tasks.

    The baseline and systems without a rank come last.
    """
    key, tasks = board.column.key, list(board.tasks)
    first = board.rows[0] if board.rows else Entry(0, False, "", math.nan)
    ends = [] if tasks else [key + end for end in ENDS]
    others = tasks or [other for other in first.scores if other not in (key, *ends)]
    more = [other for other in first.intervals if other != key]
    marked = ["excluded"] * (len(board.eligible) < len(board.rows))
    header = ["rank", "tied", "system", *marked, key, *ends, "best_rank", "worst_rank", "cluster", *others]
    header += [f"{task}_rank" for task in tasks] + [other + end for other in more for end in ENDS]
    header += ["reason"] * bool(tasks)

    def line(row: Entry, reason: str = "") -> list[object]:
        score = row.score if tasks else row.scores[key]
        return [
            "" if row.excluded or reason else row.rank,
            "" if reason else int(row.tied),
            no_formula(row.name),
            *[row.excluded] * len(marked),
            "" if math.isnan(score) else score,
            *((row.interval or ("", "")) if ends else ()),
            *(row.ranks or ("", "")),
            row.cluster or "",
            *(row.scores.get(other, "") for other in others),
            *(row.places.get(task, "") for task in tasks),
            *(number for other in more for number in row.intervals.get(other, ("", ""))),
            *[reason] * bool(tasks),
        ]

    rows: list[list[object]] = [[*map(no_formula, header)], *map(line, board.rows)]
    rows += [line(board.baseline.entry, "baseline")] if board.baseline else []
    for name, reason in {**dict.fromkeys(board.unscored, ""), **board.apart}.items():
        rows.append(["", "", no_formula(name), *[""] * (len(header) - 4), reason])
    return csv_text(rows)


def pairs_to_csv(board: Leaderboard) -> str:
    """All pairs, the better ranked system first: difference in score, its interval, p, and p after the correction."""
    ends = [] if board.tasks else ["difference" + end for end in ENDS]
    rows: list[list[object]] = [["first", "second", "difference", *ends, "p", "adjusted_p"]]
    for pair in board.pairs:
        both = [no_formula(board.rows[place].name) for place in (pair.first, pair.second)]
        rows.append([*both, pair.difference, *(pair.interval[:2] if ends else ()), pair.p, pair.adjusted])
    return csv_text(rows)
