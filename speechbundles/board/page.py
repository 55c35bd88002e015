"""A board as one HTML page without scripts: forest plot, pairs, significance map, rank stability.

The significance map and the plot of rank stability are those of Wiesenfarth et al., Methods and open-source toolkit
for analyzing and visualizing challenge results (Scientific Reports 11:2369, 2021).
"""

from typing import Any

import numpy as np

from speechbundles.board.board import Board, scores_table
from spokeneval.comparison.multiple_comparisons import SIGNIFICANCE
from spokeneval.comparison.systems import RISK, Order
from spokeneval.comparison.tables import Table, heading, measure, pairs_table, ranking_table
from spokeneval.report import page, plots

MOST_DRAWN = 100
"""Most systems on one plot."""


def to_html(board: Board) -> str:
    """Return the board as one self-contained page, with plots if matplotlib is installed."""
    parts = [
        page.paragraph(page.code(board.signature)),
        _html_table(ranking_table(board)),
        _forest_plot(board),
        *(page.paragraph(note, kind="note") for note in board.notes),
    ]
    if board.compared and board.compared.pairs:
        parts.append(_pairs(board, board.compared))
    for table in [scores_table(board), *board.tables]:
        note = page.paragraph(table.note, kind="note") if table.note else None
        parts.append(page.section(table.title, _html_table(table), note))
    return page.page(f"Leaderboard: {heading(board)}", *parts)


def _html_table(table: Table) -> page.Html:
    return page.table(table.title, table.header, table.rows, shown=len(table.rows))


def _forest_plot(board: Board) -> page.Html | None:
    """Plot scores with their intervals, the best on top; every other cluster is shaded."""

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        for place, row in enumerate(board.rows):
            if row.cluster is not None and row.cluster % 2 == 0:
                axes.axhspan(place - 0.5, place + 0.5, color=plots.REGION, linewidth=0)
            if row.interval is not None:
                axes.plot(row.interval, (place, place), color=plots.BLUE, linewidth=2, solid_capstyle="butt")
            axes.plot(row.score, place, "o", color=plots.BLUE, markersize=6)
        names = _short_names(board)
        axes.set_yticks(range(len(names)), labels=names, parse_math=False)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_xlabel(measure(board), parse_math=False)
        axes.grid(axis="x")
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)

    if len(board.rows) > MOST_DRAWN:
        return page.paragraph(f"Plots are drawn for at most {MOST_DRAWN} systems.", kind="note")
    height = 0.8 + 0.32 * len(board.rows)
    caption = "Scores and 95 % intervals" + (
        "; every other cluster is shaded" if board.rows[0].cluster is not None else ""
    )
    label = f"Forest plot of {measure(board)}; the leaderboard's table has the same numbers"
    return page.figure(caption, label, plots.plot("forest", draw, width=5.2, height=height, narrowest=3.2))


def _short_names(board: Board) -> list[str]:
    return [row.name if len(row.name) <= 24 else row.name[:23] + "…" for row in board.rows]


def _pairs(board: Board, compared: Order) -> page.Html:
    """Return the section on pairs: significance map, rank stability, and differences, neighbours in rank first."""
    table = pairs_table(compared.pairs, [row.name for row in board.rows], board.column)
    return page.section(
        "Pairs of systems",
        _significance_map(board, compared),
        _rank_stability(board, compared),
        page.table(table.title, table.header, table.rows),
    )


def _significance_map(board: Board, compared: Order) -> page.Html | None:
    """Plot which systems (rows) are significantly better than which others (columns)."""
    systems = len(board.rows)
    better = [(pair.first, pair.second) for pair in compared.pairs if pair.adjusted <= SIGNIFICANCE]

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        rows, columns = np.array(better, dtype=np.int64).reshape(-1, 2).T
        plots.squares(axes, rows, columns, [plots.BLUE] * len(better))
        axes.set(xlim=(0, systems), ylim=(systems, 0), aspect="equal")
        middles = np.arange(systems) + 0.5
        axes.set_yticks(middles, labels=_short_names(board), parse_math=False)
        axes.set_xticks(middles, labels=_short_names(board), rotation=90, parse_math=False)
        axes.set_xticks(np.arange(systems), minor=True)
        axes.set_yticks(np.arange(systems), minor=True)
        axes.grid(which="minor", linewidth=0.5)
        axes.tick_params(which="both", length=0)

    side = 1.6 + 0.24 * systems
    caption = (
        "Significance map: a square shows that the row's system is better than the column's "
        f"(Holm's correction, {RISK} level)"
    )
    label = (
        f"{len(better)} of {len(compared.pairs)} pairs differ; pairs.csv and the table below have the numbers"
    )
    return page.figure(
        caption, label, plots.plot("significance", draw, width=side, height=side, narrowest=min(side, 3.2))
    )


def _rank_stability(board: Board, compared: Order) -> page.Html | None:
    """Plot how often each system has each rank in the resamples, as areas."""
    ranks, systems = compared.resampled_ranks, len(board.rows)
    if not len(ranks):
        return None

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        for place, row in enumerate(board.rows):
            shares = np.bincount(ranks[:, place], minlength=systems + 1) / len(ranks)
            found = np.flatnonzero(shares)
            if row.ranks is not None:
                axes.plot((place, place), row.ranks, color=plots.GREY, linewidth=1.5)
            axes.scatter(
                np.full(len(found), place), found, s=150 * shares[found], color=plots.BLUE, linewidths=0
            )
        axes.set_xticks(range(systems), labels=_short_names(board), rotation=90, parse_math=False)
        axes.set(xlim=(-0.5, systems - 0.5), ylim=(systems + 0.5, 0.5))
        axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_ylabel("Rank")
        axes.grid(axis="y")

    width, height = 1.2 + 0.3 * systems, 1.8 + 0.22 * systems
    caption = (
        "Rank stability: areas show how often a system has a rank in the resamples, lines its range of ranks"
    )
    label = "How often each system has each rank in the resamples; the leaderboard has the ranges"
    return page.figure(
        caption, label, plots.plot("stability", draw, width=width, height=height, narrowest=min(width, 3.2))
    )
