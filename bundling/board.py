"""A board as people read it: on a terminal, as CSV, Markdown, and one HTML page with a forest plot.

All are made of the same tables, and the same board always gives the same bytes. A system's name is its file's
name, which may be a participant's words: it is escaped for each format. The page needs no script and no network.
"""

from __future__ import annotations

import csv
import html
import io
import re
from pathlib import Path
from textwrap import fill
from typing import Any

from bundling.board_tables import Table
from bundling.ranking import Board
from spokeneval.results import page, plots

CSV_FILE, MARKDOWN_FILE, HTML_FILE = "board.csv", "board.md", "board.html"


def write_board(board: Board, directory: Path) -> list[Path]:
    """Write the board in its three formats; returns the files."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for file, text in (
        (CSV_FILE, to_csv(board)),
        (MARKDOWN_FILE, to_markdown(board)),
        (HTML_FILE, to_html(board)),
    ):
        (directory / file).write_bytes(text.encode("utf-8", "replace"))
        written.append(directory / file)
    return written


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
    return Table(_title(board), header, rows)


def _range(ends: tuple[int, int]) -> str:
    return str(ends[0]) if ends[0] == ends[1] else f"{ends[0]}–{ends[1]}"


def _title(board: Board) -> str:
    return " · ".join([board.task, _measure(board), *([board.units] if board.units else [])])


def _measure(board: Board) -> str:
    return f"{board.column.title} ({board.column.direction} is better)"


# Terminal


def to_text(board: Board) -> str:
    """For a terminal."""
    parts = [f"{_title(board)}\n{board.signature}", _text_table(board_table(board))]
    parts += map(_wrapped, board.notes)
    for table in board.tables:
        parts += [table.title, _text_table(table), *([_wrapped(table.note)] if table.note else [])]
    return "\n\n".join(parts)


def _wrapped(note: str) -> str:
    return fill(note, 100, initial_indent="  ", subsequent_indent="  ", break_long_words=False)


def _text_table(table: Table) -> str:
    lines = [table.header, *table.rows]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  "
        + "  ".join(
            cell.ljust(width) if index < table.left else cell.rjust(width)
            for index, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )


# CSV


def to_csv(board: Board) -> str:
    """The board for other programs: numbers in full, then every score that was written."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    key = board.column.key
    known = (key, f"{key}_low", f"{key}_high")
    others = [other for other in board.rows[0].scores if other not in known]
    writer.writerow(["rank", "tied", "system", *known, "best_rank", "worst_rank", "cluster", *others])
    for row in board.rows:
        place = [row.rank, int(row.tied), _no_formula(row.name), row.score]
        place += [*(row.interval or ("", "")), *(row.ranks or ("", "")), row.cluster or ""]
        writer.writerow([*place, *(row.scores[other] for other in others)])
    return buffer.getvalue()


def _no_formula(name: str) -> str:
    """A spreadsheet would run a cell that begins like this."""
    return f"'{name}" if name[:1] in "=+-@" else name


# Markdown


def to_markdown(board: Board) -> str:
    """For a page or a mail."""
    parts = [f"# {_marked(_title(board))}", _marked(board.signature), _markdown_table(board_table(board))]
    parts += [_marked(note) for note in board.notes]
    for table in board.tables:
        parts += [f"## {_marked(table.title)}", _markdown_table(table)]
        parts += [_marked(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(_marked, table.header), rules, *(map(_marked, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _marked(text: str) -> str:
    """Markdown's own characters escaped, HTML's too."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))


# HTML


def to_html(board: Board) -> str:
    """One page that stands alone; the forest plot is in it where matplotlib is installed."""
    parts = [
        page.paragraph(page.code(board.signature)),
        _html_table(board_table(board)),
        _forest_plot(board),
        *(page.paragraph(note, kind="note") for note in board.notes),
    ]
    for table in board.tables:
        note = page.paragraph(table.note, kind="note") if table.note else None
        parts.append(page.section(table.title, _html_table(table), note))
    return page.page(f"Board: {_title(board)}", *parts)


def _html_table(table: Table) -> page.Html:
    return page.table(table.title, table.header, table.rows, shown=len(table.rows))


def _forest_plot(board: Board) -> page.Html | None:
    """Scores with their intervals, the best on top; every other cluster is shaded."""

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        for place, row in enumerate(board.rows):
            if row.cluster is not None and row.cluster % 2 == 0:
                axes.axhspan(place - 0.5, place + 0.5, color="#e6ebf2", linewidth=0)
            if row.interval is not None:
                axes.plot(row.interval, (place, place), color=plots.BLUE, linewidth=2, solid_capstyle="butt")
            axes.plot(row.score, place, "o", color=plots.BLUE, markersize=6)
        names = [row.name if len(row.name) <= 24 else row.name[:23] + "…" for row in board.rows]
        axes.set_yticks(range(len(names)), labels=names, parse_math=False)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(_measure(board), parse_math=False)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)

    height = 0.8 + 0.32 * len(board.rows)
    caption = "Scores and 95 % intervals" + (
        "; every other cluster is shaded" if board.rows[0].cluster is not None else ""
    )
    label = f"Forest plot of {_measure(board)}; the table of the board has the same numbers"
    return page.figure(caption, label, plots.plot("forest", draw, width=5.2, height=height, narrowest=3.2))
