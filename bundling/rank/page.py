"""A board as one HTML page with a forest plot. It needs no script and no network."""

from typing import Any

from bundling.rank.board import Board, board_table, heading, measure
from bundling.rank.table import Table
from spokeneval.run.report import page, plots


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
    return page.page(f"Board: {heading(board)}", *parts)


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
        axes.set_xlabel(measure(board), parse_math=False)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)

    height = 0.8 + 0.32 * len(board.rows)
    caption = "Scores and 95 % intervals" + (
        "; every other cluster is shaded" if board.rows[0].cluster is not None else ""
    )
    label = f"Forest plot of {measure(board)}; the table of the board has the same numbers"
    return page.figure(caption, label, plots.plot("forest", draw, width=5.2, height=height, narrowest=3.2))
