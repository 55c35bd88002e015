"""A leaderboard as tables of texts, as text, as CSV and for JSON; `latex` writes it for a paper."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from textwrap import fill
from typing import Any, Callable, Optional, Union

from ..formats.problems import printable
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
    system = _system_in_tasks if board.is_joint else _entry if board.columns else _system
    systems = [system(row) for row in board.rows]
    head = (
        _head_of_tasks(board) if board.is_joint else _head_of_phase(board) if board.columns else _head(board)
    )
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


def _head_of_phase(board: Leaderboard) -> dict[str, Any]:
    return {"phase": board.phase, **({"day": str(board.day)} if board.day else {})}


def _entry(row: Entry) -> dict[str, Any]:
    return {
        **{"name": row.name, "rank": row.rank, "tied": row.tied},
        **({"submission": row.upload, "before": row.before} if row.upload else {}),
        **{"uploaded": row.time and str(row.time), "ranks": list(row.ranks or ()), "cluster": row.cluster},
        "scores": decimals_to_dict(row.scores),
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


def every_digit(score: Optional[Decimal]) -> str:
    """A platform's score with all its digits, without trailing zeros; a hyphen if there is none."""
    return "-" if score is None else f"{score.normalize():f}"


def decimals_to_dict(scores: Mapping[str, Optional[Decimal]]) -> dict[str, Optional[str]]:
    """A platform's scores for JSON, as texts."""
    return {key: None if score is None else every_digit(score) for key, score in scores.items()}


def to_csv(*boards: Leaderboard) -> str:
    """The leaderboard as CSV: numbers in full precision, then all other scores, or those in the tasks.

    The baseline and systems without a rank come last. The phases of a platform's leaderboard follow each other.
    """
    header = [no_formula(heading) for heading, _ in _line(boards[0], Entry(0, False, "", math.nan))]
    return csv_text([header, *([cell for _, cell in line] for board in boards for line in _lines(board))])


def _lines(board: Leaderboard) -> Iterator[list[tuple[str, object]]]:
    yield from (_line(board, row) for row in board.rows)
    if board.baseline:
        yield _line(board, board.baseline.entry, "baseline")
    for name, reason in {**dict.fromkeys(board.unscored, ""), **board.apart}.items():
        yield _line(board, Entry(0, False, name, math.nan), reason)


def _line(board: Leaderboard, row: Entry, reason: str = "") -> list[tuple[str, object]]:
    """The cells of a row, each with its heading; all rows of a leaderboard have the same ones."""
    key, tasks, first = board.column.key, list(board.tasks), next(iter(board.rows), row)
    of_platform = bool(board.columns)
    ends = [] if tasks or of_platform else [key + end for end in ENDS]
    scored = tasks or [column.key for column in board.columns] or first.scores
    score = row.score if tasks else row.scores.get(key)
    best, worst = row.ranks or ("", "")
    known = [key for key in first.intervals if key != board.column.key]
    return [
        *[("phase", no_formula(board.phase))] * of_platform,
        ("rank", "" if row.excluded else row.rank or ""),
        ("tied", int(row.tied) if row.rank else ""),
        ("system", no_formula(printable(row.name))),
        *[("submission", no_formula(printable(row.upload))), ("uploaded", row.time or "")] * of_platform,
        *[("excluded", row.excluded)] * (len(board.eligible) < len(board.rows)),
        *[("recogniser", no_formula(row.recogniser))] * board.names_recognisers,
        (key, _cell(score)),
        *zip(ends, row.interval or ("", "")),
        *[("best_rank", best), ("worst_rank", worst), ("cluster", row.cluster or "")],
        *((other, _cell(row.scores.get(other))) for other in scored if other not in (key, *ends)),
        *((f"{task}_rank", row.places.get(task, "")) for task in tasks),
        *(
            (other + end, number)
            for other in known
            for end, number in zip(ENDS, row.intervals.get(other, ("", "")))
        ),
        *[("reason", reason)] * bool(tasks),
    ]


def _cell(score: Union[float, Decimal, None]) -> object:
    """A score as a cell, which is empty without one."""
    if isinstance(score, Decimal):
        return every_digit(score)
    return "" if score is None or math.isnan(score) else score


def pairs_to_csv(board: Leaderboard) -> str:
    """All pairs, the better ranked system first: difference in score, its interval, p, and p after the correction."""
    ends = [] if board.tasks else ["difference" + end for end in ENDS]
    rows: list[list[object]] = [["first", "second", "difference", *ends, "p", "adjusted_p"]]
    for pair in board.pairs:
        both = [no_formula(board.rows[place].name) for place in (pair.first, pair.second)]
        rows.append([*both, pair.difference, *(pair.interval[:2] if ends else ()), pair.p, pair.adjusted])
    return csv_text(rows)
