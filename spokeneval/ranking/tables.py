"""A ranking of systems as tables: as text, and as CSV for other programs; `latex` writes it for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Optional

from ..formats.speakers import unseen_share
from ..formats.tables import csv_text, no_formula
from ..scoring.output import text_width
from ..task import ENDS
from .multiple_comparisons import CONFIDENCE
from .values import Place, Ranking, Row, Table


def ranking_table(ranking: Ranking) -> Table:
    """The main table: name, rank, and what is known of the score."""
    rows = [[row.label, *shown_cells(row, ranking.column.precision)] for row in ranking.rows]
    rows += [[name, *"–––––"] for name in ranking.unscored]
    return Table(ranking.heading, ["System", *headings(ranking)], rows)


def score_columns(
    ranking: Ranking, scores: Sequence[tuple[str, str, int]], digits: Optional[int] = None
) -> Table:
    """The main table with some scores, each with its interval; `scores`: keys, titles and decimals."""
    first, _, _, *last = headings(ranking)
    header = ["System", first, *(cell for _, title, _ in scores for cell in (title, "95 % interval")), *last]
    rows = []
    for row in ranking.rows:
        cells: list[str] = []
        for key, _, decimals in scores:
            own = replace(row, score=row.scores[key], interval=row.intervals.get(key))
            cells += shown_cells(own, decimals if digits is None else digits)[1:3]
        rank, _, _, *rest = shown_cells(row, 0)
        rows.append([row.label, rank, *cells, *rest])
    return Table(ranking.heading, header, rows)


def headings(ranking: Ranking) -> list[str]:
    """The headings of `shown_cells`."""
    return ["Rank", ranking.column.title, "95 % interval", f"Ranks ({CONFIDENCE})", "Cluster"]


def shown_cells(row: Row, digits: int) -> list[str]:
    """The rank of a system, its score and interval with so many decimals, its ranks and its cluster."""
    return [
        "–" if row.excluded else shown_rank(row),
        f"{row.score:.{digits}f}",
        shown_interval(row.interval, digits) if row.interval else "–",
        shown_range(row.ranks) if row.ranks else "–",
        str(row.cluster or "–"),
    ]


def shown_interval(ends: tuple[float, float], digits: int) -> str:
    """An interval. Before a number below 0, a dash would look like a second sign."""
    return f"{ends[0]:.{digits}f} {'to' if ends[0] < 0 else '–'} {ends[1]:.{digits}f}"


def shown_rank(place: Place) -> str:
    """A rank, with an equals sign if several systems share it."""
    return f"{place.rank}=" if place.tied else str(place.rank)


def shown_range(ends: tuple[int, int]) -> str:
    """A range of ranks, or the only rank."""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def pairs_table(ranking: Ranking) -> Table:
    """The differences between systems, neighbours in rank first."""
    digits, names = ranking.column.precision, ranking.names
    rows = []
    for pair in sorted(ranking.pairs, key=lambda pair: (pair.second - pair.first, pair.first)):
        interval = f"{pair.interval.low:.{digits}f} to {pair.interval.high:.{digits}f}"
        both = f"{names[pair.first]} – {names[pair.second]}"
        rows.append(
            [both, f"{pair.difference:.{digits}f}", interval, shown_p(pair.p), shown_p(pair.adjusted)]
        )
    header = ["Systems", f"Difference in {ranking.column.title}", "95 % interval", "p", "p, Holm"]
    return Table("Differences, neighbours on the leaderboard first", header, rows)


def shown_p(p: float) -> str:
    """A p-value with two digits."""
    return f"{p:.2g}" if p >= 1e-4 else "< 0.0001"


def text_table(table: Table) -> str:
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


def to_dict(ranking: Ranking) -> dict[str, Any]:
    """The ranking for JSON: numbers in full precision, texts, lists and dictionaries only."""
    names, declaration = ranking.names, ranking.rules.declaration
    counted = [system.statistics for system in ranking.systems if system.statistics is not None]
    return {
        "task": ranking.rules.name,
        **({"declaration": dict(declaration)} if declaration else {}),
        "primary": ranking.column.key,
        "units": ranking.units,
        **({"unseen": unseen_share(len(counted[0].units))} if counted else {}),
        "signature": ranking.signature,
        "systems": [
            {
                "name": row.name,
                **({"excluded": row.excluded} if row.excluded else {}),
                "rank": None if row.excluded else row.rank,
                "ranks": list(row.ranks or ()),
                "cluster": row.cluster,
                "scores": dict(row.scores),
                "intervals": {key: list(ends) for key, ends in row.intervals.items()},
            }
            for row in ranking.rows
        ],
        "pairs": [
            {
                "first": names[pair.first],
                "second": names[pair.second],
                "difference": pair.difference,
                "interval": [pair.interval.low, pair.interval.high],
                "p": pair.p,
                "adjusted_p": pair.adjusted,
            }
            for pair in ranking.pairs
        ],
        "notes": list(ranking.notes),
    }


def to_csv(ranking: Ranking) -> str:
    """The ranking as CSV: numbers in full precision, then all other scores of the outputs."""
    key = ranking.column.key
    known = (key, *(key + end for end in ENDS))
    others = [other for other in ranking.rows[0].scores if other not in known]
    more = [other for other in ranking.rows[0].intervals if other != key]
    ends = [other + end for other in more for end in ENDS]
    marked = ["excluded"] * (len(ranking.eligible) < len(ranking.rows))
    header = ["rank", "tied", "system", *marked, *known, "best_rank", "worst_rank", "cluster", *others, *ends]
    rows: list[list[object]] = [[*map(no_formula, header)]]
    for row in ranking.rows:
        place: list[object] = ["" if row.excluded else row.rank, int(row.tied), no_formula(row.name)]
        place += [*[row.excluded] * len(marked), row.scores[key]]
        place += [*(row.interval or ("", "")), *(row.ranks or ("", "")), row.cluster or ""]
        intervals = [number for other in more for number in row.intervals.get(other, ("", ""))]
        rows.append([*place, *(row.scores[other] for other in others), *intervals])
    for name in ranking.unscored:
        rows.append(["", "", no_formula(name), *[""] * (len(header) - 3)])
    return csv_text(rows)


def pairs_to_csv(ranking: Ranking) -> str:
    """All pairs, the better ranked system first: difference in score, its interval, p, and p after Holm."""
    rows: list[list[object]] = [
        ["first", "second", "difference", *("difference" + end for end in ENDS), "p", "adjusted_p"]
    ]
    for pair in ranking.pairs:
        both = [no_formula(ranking.rows[place].name) for place in (pair.first, pair.second)]
        rows.append([*both, pair.difference, pair.interval.low, pair.interval.high, pair.p, pair.adjusted])
    return csv_text(rows)
