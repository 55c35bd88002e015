"""A board as text: for a console, as CSV for other programs, as Markdown for a page or an e-mail, as LaTeX for a paper.

A system's name is a file's name, which a participant may have chosen; it is escaped for each format.
"""

import html
import re
from collections.abc import Sequence

from speechbundles.board.board import Board, board_table, heading, scores_table
from speechbundles.board.difficulty import Difficulty
from speechbundles.board.table import Table
from speechbundles.model.console import WIDTH, fitted_table, wrap
from speechbundles.model.tabular import csv_text
from speechbundles.model.text import no_formula
from spokeneval.task import ENDS


def to_text(board: Board) -> str:
    """Return the board for a console: score and interval are in one cell."""
    parts = [f"{wrap(heading(board))}\n{_folded(board.signature)}", _text_table(_narrow_table(board))]
    parts += [wrap(note, "  ", hanging="") for note in board.notes]
    for table in board.tables:
        parts += [wrap(table.title), _text_table(table)]
        parts += [wrap(table.note, "  ", hanging="")] if table.note else []
    return "\n\n".join(parts)


def _folded(signature: str) -> str:
    """A signature in lines that end with a separator."""
    lines = [""]
    for part in re.findall(r"[^|]+\|?", signature):
        if lines[-1] and len(lines[-1] + part) > WIDTH:
            lines.append("  ")
        lines[-1] += part
    return "\n".join(lines)


def _narrow_table(board: Board) -> Table:
    """The board's table with the interval beside the score."""
    table = board_table(board)
    name, rank, title, interval, *others = table.header
    rows = [
        [system, place, score if ends == "–" else f"{score} [{ends.replace(' – ', ', ')}]", *rest]
        for system, place, score, ends, *rest in table.rows
    ]
    return Table(table.title, [name, rank, f"{title} [{interval}]", *others], rows)


def _text_table(table: Table) -> str:
    return "\n".join(fitted_table([table.header, *table.rows], left=range(table.left)))


def to_csv(board: Board) -> str:
    """Return the board as CSV: numbers in full precision, then all other scores of the outputs."""
    key = board.column.key
    known = (key, *(key + end for end in ENDS))
    others = [other for other in board.rows[0].scores if other not in known]
    more = [other for other in board.rows[0].intervals if other != key]
    ends = [other + end for other in more for end in ENDS]
    header = ["rank", "tied", "system", *known, "best_rank", "worst_rank", "cluster", *others, *ends]
    rows: list[list[object]] = [[*map(no_formula, header)]]
    for row in board.rows:
        place = [row.rank, int(row.tied), no_formula(row.name), row.score]
        place += [*(row.interval or ("", "")), *(row.ranks or ("", "")), row.cluster or ""]
        intervals = [number for other in more for number in row.intervals[other]]
        rows.append([*place, *(row.scores[other] for other in others), *intervals])
    for name in board.unscored:
        rows.append(["", "", no_formula(name), *[""] * (len(known) + 3 + len(others) + len(ends))])
    return csv_text(rows)


def pairs_to_csv(board: Board) -> str:
    """Return all pairs, the better ranked system first: difference in score, its interval, p, and p after Holm."""
    rows: list[list[object]] = [
        ["first", "second", "difference", *("difference" + end for end in ENDS), "p", "adjusted_p"]
    ]
    for pair in board.compared.pairs if board.compared else ():
        names = [no_formula(board.rows[place].name) for place in (pair.first, pair.second)]
        rows.append([*names, pair.difference, pair.interval.low, pair.interval.high, pair.p, pair.adjusted])
    return csv_text(rows)


def items_to_csv(difficulty: Difficulty) -> str:
    """Return all items, hardest first: difficulty, its standard error, and the share that systems get right."""
    rows = [["item", "difficulty", "standard_error", "right"]]
    model = difficulty.model
    for place in difficulty.hardest_first.tolist():
        numbers = model.difficulty[place], model.error[place], difficulty.right[place]
        rows.append([no_formula(difficulty.items[place]), *(f"{number:.4f}" for number in numbers)])
    return csv_text(rows)


def table_to_csv(table: Table) -> str:
    """Return a table as CSV."""
    return csv_text(map(no_formula, row) for row in (table.header, *table.rows))


def to_markdown(board: Board) -> str:
    """Return the board as Markdown, for a page or an e-mail."""
    parts = [f"# {_escaped(heading(board))}", _escaped(board.signature), _markdown_table(board_table(board))]
    parts += [_escaped(note) for note in board.notes]
    for table in [scores_table(board), *board.tables]:
        parts += [f"## {_escaped(table.title)}", _markdown_table(table)]
        parts += [_escaped(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(_escaped, table.header), rules, *(map(_escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Return text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))


def to_latex(board: Board) -> str:
    """Return the board as a LaTeX table; it needs the package booktabs."""
    table = board_table(board)
    columns = "l" * table.left + "r" * (len(table.header) - table.left)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{_latex(table.title)}}}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        _latex_row(table.header),
        r"\midrule",
        *map(_latex_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _latex_row(cells: Sequence[str]) -> str:
    return " & ".join(map(_latex, cells)) + r" \\"


_LATEX = {
    "\\": r"\textbackslash{}",
    **{char: rf"\{char}" for char in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "–": "--",
    "·": r"$\cdot$",
    "κ": r"$\kappa$",
    "ρ": r"$\rho$",
}
"""Replacements of characters that are special in LaTeX or missing in its usual fonts."""


def _latex(text: str) -> str:
    return "".join(_LATEX.get(char, char) for char in text)
