"""A ranking of systems as tables: as text, and as CSV for other programs; `latex` writes it for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, Protocol

from ..formats.tables import csv_text, no_formula
from ..run.output import text_width
from ..task import ENDS, Task
from .systems import CONFIDENCE, Pair, Row


@dataclass(frozen=True)
class Table:
    """A table of texts. The first `left` columns are names, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    left: int = 1


class Shown(Protocol):
    """How the primary score is shown."""

    @property
    def key(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def direction(self) -> str: ...
    @property
    def precision(self) -> int: ...


class Ranking(Protocol):
    """Systems from best to worst: a comparison, or a leaderboard.

    `units` are the number and kind of the units (`1000 responses`), None if they are not known; `unscored` are systems
    without a score.
    """

    @property
    def rules(self) -> Task: ...
    @property
    def column(self) -> Any: ...
    @property
    def units(self) -> Optional[str]: ...
    @property
    def signature(self) -> str: ...
    @property
    def notes(self) -> Sequence[str]: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    @property
    def unscored(self) -> Sequence[str]: ...


def heading(ranking: Ranking) -> str:
    """The task, the primary score and the units in one line."""
    return " · ".join([ranking.rules.name, measure(ranking), *([ranking.units] if ranking.units else [])])


def measure(ranking: Ranking) -> str:
    """The primary score and its direction."""
    return f"{ranking.column.title} ({ranking.column.direction} is better)"


def ranking_table(ranking: Ranking) -> Table:
    """The main table: tied ranks have an equals sign, unknown values a dash."""
    digits = ranking.column.precision
    rows = []
    for row in ranking.rows:
        interval = f"{row.interval[0]:.{digits}f} – {row.interval[1]:.{digits}f}" if row.interval else "–"
        ranks = shown_range(row.ranks) if row.ranks else "–"
        cluster = "–" if row.cluster is None else str(row.cluster)
        rank = f"{row.rank}=" if row.tied else str(row.rank)
        rows.append([row.name, rank, f"{row.score:.{digits}f}", interval, ranks, cluster])
    rows += [[name, *"–––––"] for name in ranking.unscored]
    header = [
        "System",
        "Rank",
        ranking.column.title,
        "95 % interval",
        f"Ranks ({CONFIDENCE})",
        "Cluster",
    ]
    return Table(heading(ranking), header, rows)


def shown_range(ends: tuple[int, int]) -> str:
    """A range of ranks, or the only rank."""
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def pairs_table(pairs: Sequence[Pair], names: Sequence[str], column: Shown) -> Table:
    """The differences between systems, neighbours in rank first."""
    digits = column.precision
    rows = []
    for pair in sorted(pairs, key=lambda pair: (pair.second - pair.first, pair.first)):
        interval = f"{pair.interval.low:.{digits}f} – {pair.interval.high:.{digits}f}"
        both = f"{names[pair.first]} – {names[pair.second]}"
        rows.append(
            [both, f"{pair.difference:.{digits}f}", interval, shown_p(pair.p), shown_p(pair.adjusted)]
        )
    header = ["Systems", f"Difference in {column.title}", "95 % interval", "p", "p, Holm"]
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


def to_dict(ranking: Ranking, pairs: Sequence[Pair]) -> dict[str, Any]:
    """The ranking for JSON: numbers in full precision, texts, lists and dictionaries only."""
    names = [row.name for row in ranking.rows]
    declaration = ranking.rules.declaration
    return {
        "task": ranking.rules.name,
        **({"declaration": dict(declaration)} if declaration else {}),
        "primary": ranking.column.key,
        "units": ranking.units,
        "signature": ranking.signature,
        "systems": [
            {
                "name": row.name,
                "rank": row.rank,
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
            for pair in pairs
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
    header = ["rank", "tied", "system", *known, "best_rank", "worst_rank", "cluster", *others, *ends]
    rows: list[list[object]] = [[*map(no_formula, header)]]
    for row in ranking.rows:
        place = [row.rank, int(row.tied), no_formula(row.name), row.score]
        place += [*(row.interval or ("", "")), *(row.ranks or ("", "")), row.cluster or ""]
        intervals = [number for other in more for number in row.intervals[other]]
        rows.append([*place, *(row.scores[other] for other in others), *intervals])
    for name in ranking.unscored:
        rows.append(["", "", no_formula(name), *[""] * (len(known) + 3 + len(others) + len(ends))])
    return csv_text(rows)


def pairs_to_csv(pairs: Sequence[Pair], names: Sequence[str]) -> str:
    """All pairs, the better ranked system first: difference in score, its interval, p, and p after Holm."""
    rows: list[list[object]] = [
        ["first", "second", "difference", *("difference" + end for end in ENDS), "p", "adjusted_p"]
    ]
    for pair in pairs:
        both = [no_formula(names[place]) for place in (pair.first, pair.second)]
        rows.append([*both, pair.difference, pair.interval.low, pair.interval.high, pair.p, pair.adjusted])
    return csv_text(rows)
