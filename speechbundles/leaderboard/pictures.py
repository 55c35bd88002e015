"""The plots of a board: scores with intervals, the significance map, rank stability.

The significance map and the plot of rank stability are those of Wiesenfarth et al., Methods and open-source toolkit
for analyzing and visualizing challenge results (Scientific Reports 11:2369, 2021).

The ranked systems on a plot are numbered in the order of the board, so that their short labels differ.
"""

import math
from collections.abc import Sequence
from html import escape

import numpy as np
from rich.cells import cell_len

from speechbundles.model.console import shorten
from spokeneval.ranking.leaderboard import Entry, Leaderboard
from spokeneval.ranking.multiple_comparisons import RISK, SIGNIFICANCE
from spokeneval.report import page, plots

MOST_DRAWN = 30
"""The most systems on a plot: the first ones of the board."""

_LABEL, _WIDTH = 52, 8.5
"""The most cells of a label, of which an East Asian wide character takes two, and the width of a cell."""

_LEFT, _CELL, _TOP = 230, 20, 26
"""The least width of the labels, the size of a row and a column, and the height of the numbers above the columns."""

_SIZE = 13
"""The font size."""


def labels(rows: Sequence[Entry]) -> list[str]:
    """Return a label for each system, which begins with its number; an excluded system has none."""
    return [f"{'–' if row.excluded else number} {row.name}" for number, row in enumerate(rows, 1)]


def _of_first(board: Leaderboard, caption: str) -> str:
    more = len(board.rows) - MOST_DRAWN
    return caption if more <= 0 else f"{caption}. The first {MOST_DRAWN} of {len(board.rows)} systems"


def forest_plot(board: Leaderboard) -> page.Html:
    """Plot scores with their intervals, the best on top, and the trivial baselines below."""
    digits, drawn = board.column.precision, board.rows[:MOST_DRAWN]
    colours = [plots.ORANGE if row.name == board.marked else plots.BLUE for row in drawn]
    marks = [
        plots.Mark(label, row.score, f"{row.score:.{digits}f} {row.excluded}".rstrip(), row.interval, colour)
        for label, row, colour in zip(labels(drawn), drawn, colours, strict=True)
    ]
    marks += [plots.Mark(name, float(shown), shown) for name, shown in board.trivial.items()]
    caption = _of_first(board, f"{board.measure}: scores and 95 % intervals")
    label = "Scores with their intervals; the ranking has the same numbers"
    return page.figure(caption, label, plots.scale(marks))


def significance_map(board: Leaderboard) -> page.Html:
    """Plot which systems (rows) are significantly better than which others (columns)."""
    systems = min(MOST_DRAWN, len(board.eligible))
    significant = (pair for pair in board.pairs if pair.adjusted <= SIGNIFICANCE)
    better = [(pair.first, pair.second) for pair in significant if pair.second < systems]
    left = _left(board.rows[:systems])
    right, bottom = left + _CELL * systems, _TOP + _CELL * systems

    def box(row: int, column: int) -> str:
        return f"M{left + _CELL * column} {_TOP + _CELL * row}h{_CELL}v{_CELL}h-{_CELL}z"

    lines = [f"M{left} {_TOP + _CELL * place}H{right}" for place in range(systems + 1)]
    lines += [f"M{left + _CELL * place} {_TOP}V{bottom}" for place in range(systems + 1)]
    same = "".join(box(place, place) for place in range(systems))
    parts = [
        *_row_labels(board.rows[:systems], left),
        *(_column_label(f"{left + _CELL * (place + 0.5):g}", place + 1) for place in range(systems)),
        f'<path d="{same}" fill="{plots.REGION}"/>',
        f'<path d="{"".join(box(*pair) for pair in better)}" fill="{plots.BLUE}"/>',
        f'<path d="{"".join(lines)}" fill="none" stroke="{plots.LINE}"/>',
    ]
    shown = "Significance map: a square shows that the row's system is better than the column's"
    caption = _of_first(board, f"{shown} (Holm's correction, {RISK} level)")
    caption += "" if better else ". No two of these differ significantly"
    possible = systems * (systems - 1) // 2
    label = f"{len(better)} of {possible} pairs differ; pairs.csv and the table below have the numbers"
    return page.figure(caption, label, _drawing(right + 10, bottom + 4, parts))


def rank_stability(board: Leaderboard) -> page.Html | None:
    """Plot how often each system has each rank in the resamples, as areas; None without resamples."""
    ranks, drawn = board.resampled_ranks, board.eligible[:MOST_DRAWN]
    if not len(ranks):
        return None
    ends = [row.ranks or (row.rank, row.rank) for row in drawn]
    last = max(int(ranks[:, : len(drawn)].max()), *(worst for _, worst in ends))
    step = min(_CELL, 30 * _CELL / last)
    left, bottom = _left(drawn), _TOP + _CELL * len(drawn)
    ticks = [rank for rank in range(1, last + 1) if last <= 30 or rank == 1 or rank % 10 == 0]

    def place(rank: float) -> str:
        return f"{left + step * (rank - 0.5):.4g}"

    grid = "".join(f"M{place(rank)} {_TOP}V{bottom}" for rank in ticks)
    parts = [*_row_labels(drawn, left), f'<path d="{grid}" stroke="{plots.LINE}"/>']
    parts += [_column_label(place(rank), rank) for rank in ticks]
    for row, (best, worst) in enumerate(ends):
        middle = _TOP + _CELL * row + _CELL // 2
        line = f"M{place(best - 0.3)} {middle}H{place(worst + 0.3)}"
        parts.append(f'<path d="{line}" stroke="{plots.GREY}" stroke-width="2"/>')
        shares = np.bincount(ranks[:, row], minlength=last + 1) / len(ranks)
        for rank in np.flatnonzero(shares).tolist():
            radius = 0.5 * _CELL * math.sqrt(shares[rank])
            parts.append(f'<circle cx="{place(rank)}" cy="{middle}" r="{radius:.1f}" fill="{plots.BLUE}"/>')
    shown = "Rank stability: areas show how often a system (row) has a rank (column) in the resamples"
    caption = _of_first(board, f"{shown}, lines show its range of ranks")
    label = "How often each system has each rank in the resamples; the ranking has the ranges"
    return page.figure(caption, label, _drawing(left + round(step * last) + 10, bottom + 4, parts))


def _left(rows: Sequence[Entry]) -> int:
    """Return the width of the labels."""
    return max(_LEFT, *(8 + round(_WIDTH * min(_LABEL, cell_len(label))) for label in labels(rows)))


def _row_labels(rows: Sequence[Entry], left: int) -> list[str]:
    return [
        f'<text x="{left - 8}" y="{_TOP + _CELL * place + 14}" text-anchor="end">{escape(label)}</text>'
        for place, label in enumerate(shorten(each, _LABEL) for each in labels(rows))
    ]


def _column_label(x: str, number: int) -> str:
    return f'<text x="{x}" y="{_TOP - 8}" text-anchor="middle">{number}</text>'


def _drawing(width: int, height: int, parts: Sequence[str]) -> page.Html:
    style = f"max-width: {width}px; min-width: {min(width, 520)}px"
    return plots.drawing(width, height, style, _SIZE, parts)
