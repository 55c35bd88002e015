"""A board as text, for a console and as Markdown, and its tables of items as CSV; see `spokeneval.ranking.tables`.

A system's name is a file's name, which a participant may have chosen; it is escaped for each format.
"""

import html
import re

from speechbundles.model.console import WIDTH, fitted_table, wrap
from speechbundles.publication.board import Board, scores_table
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.ranking.tables import ranking_table
from spokeneval.ranking.values import Table


def to_text(board: Board) -> str:
    """Return the board for a console: score and interval are in one cell."""
    parts = [
        f"{wrap(board.about.line)}\n{wrap(board.heading)}\n{_folded(board.signature)}",
        _text_table(_narrow_table(board)),
    ]
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
    table = ranking_table(board)
    name, rank, title, interval, *others = table.header
    rows = [
        [system, place, score if ends == "–" else f"{score} [{ends.replace(' – ', ', ')}]", *rest]
        for system, place, score, ends, *rest in table.rows
    ]
    return Table(table.title, [name, rank, f"{title} [{interval}]", *others], rows)


def _text_table(table: Table) -> str:
    return "\n".join(fitted_table([table.header, *table.rows], left=range(table.left)))


def table_to_csv(table: Table) -> str:
    """Return a table as CSV; no name can run as a formula."""
    left = table.left
    rows = ([*map(no_formula, row[:left]), *row[left:]] for row in table.rows)
    return csv_text([[*map(no_formula, table.header)], *rows])


def to_markdown(board: Board) -> str:
    """Return the board as Markdown, for a page or an e-mail."""
    parts = [
        f"# {escaped(board.about.line)}",
        escaped(board.heading),
        escaped(board.signature),
        markdown_table(ranking_table(board)),
    ]
    parts += [escaped(note) for note in board.notes]
    for table in [scores_table(board), *board.tables]:
        parts += [f"## {escaped(table.title)}", markdown_table(table)]
        parts += [escaped(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"


def markdown_table(table: Table) -> str:
    """Return a table as Markdown, without its title and its note."""
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(escaped, table.header), rules, *(map(escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped(text: str) -> str:
    """Return text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))
