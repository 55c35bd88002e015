"""A table of texts in each format: for a console, a page, a spreadsheet, and in Markdown."""

import html
import re
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from rich.cells import cell_len

from speechbundles.model.console import fitted_table
from speechbundles.model.dates import MINUTES
from spokeneval.formats.problems import printable
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.ranking.leaderboard import Entry, Leaderboard, TextTable
from spokeneval.ranking.writers import shown_range, shown_rank
from spokeneval.report import page
from spokeneval.task import ENDS, Column

WIDEST = 88
"""The most characters of a table's columns, without the first, that fit a sheet of A4 paper."""


def console_table(table: TextTable, left: Collection[int] = ()) -> str:
    """Return a table that fits the console. `left`: columns that are aligned left; default: the table's names."""
    return "\n".join(fitted_table([table.header, *table.rows], left or range(table.left)))


def table_to_csv(table: TextTable) -> str:
    """Return a table as CSV; no name can run as a formula."""
    left = table.left
    rows = ([*map(no_formula, row[:left]), *row[left:]] for row in table.rows)
    return csv_text([[*map(no_formula, table.header)], *rows])


def markdown_table(table: TextTable) -> str:
    """Return a table as Markdown, without its title and its note."""
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(escaped_markdown, table.header), rules, *(map(escaped_markdown, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped_markdown(text: str) -> str:
    """Return text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))


def html_table(table: TextTable, summary: str = "", *, shown: int | None = None) -> page.Html:
    """Return a table, folded below `summary` if it is long."""
    whole = fitted_tables(table, shown=shown)
    if len(table.rows) <= page.UNFOLDED:
        return page.Html("\n".join(part.markup for part in whole))
    return page.folded(summary or f"{len(table.rows)} rows", *whole)


def fitted_tables(table: TextTable, *, shown: int | None = None) -> list[page.Html]:
    """Return the parts of a table that fit a sheet of paper, each with the columns of names."""
    parts = _column_groups([table.header, *table.rows], table.left)
    whole = []
    for number, places in enumerate(parts, 1):
        title = table.title if len(parts) == 1 else f"{table.title} ({number} of {len(parts)})"
        header, *rows = ([row[place] for place in places] for row in [table.header, *table.rows])
        whole.append(page.table(title, header, rows, shown=len(rows) if shown is None else shown))
    return whole


def _column_groups(rows: Sequence[Sequence[str]], left: int) -> list[list[int]]:
    """Return the places of the columns of each part of a table; each part begins with the columns of names."""
    header, *body = rows
    widths = [
        1 + max(map(cell_len, [*header[place].split(), *(row[place] for row in body)]), default=0)
        for place in range(left, len(header))
    ]
    for parts in range(1, len(widths) + 1):
        groups = np.array_split(np.arange(len(widths)), parts)
        if all(len(group) == 1 or sum(widths[at] for at in group) <= WIDEST for group in groups):
            return [[*range(left), *(left + group).tolist()] for group in groups]
    return [[*range(left)]]


def entries_table(board: Leaderboard, title: str, called: str) -> TextTable:
    """Return the entries of a platform's leaderboard; a column without a cell is left out.

    The interval of the primary score is beside it. `called`: the heading of the names.
    """
    entries, primary = board.rows, board.column
    ends = [column for column in board.columns if column.key in {primary.key + end for end in ENDS}]
    head = primary.title + " (95 % interval)" * bool(ends)
    known = {
        "Rank": [_rank(each, entries, primary.key) for each in entries],
        head: [_score(each, primary, ends) for each in entries],
        "Rank range": [shown_range(each.ranks) if each.ranks else "" for each in entries],
        "Cluster": [str(each.cluster or "") for each in entries],
        "Uploaded (UTC)": [
            f"{each.time:{MINUTES}}" if each.time and not each.upload else "" for each in entries
        ],
    }
    used = {head: cells for head, cells in known.items() if any(cells)}
    names = [printable(each.name) for each in entries]
    if any(each.upload for each in entries):
        used |= {"Change": [_moved(each) for each in entries]}
        used |= {"Submission": [short_name(each.upload) for each in entries]}
    return TextTable(title, [called, *used], [*zip(names, *used.values(), strict=True)])


def _rank(entry: Entry, entries: Iterable[Entry], key: str) -> str:
    """Return a rank; for a tie, the range of ranks with the same primary score, or the rank that they share."""
    ranks = {other.rank for other in entries if other.scores.get(key) == entry.scores.get(key)}
    if len(ranks) > 1:
        return shown_range((min(ranks), max(ranks)))
    return shown_rank(entry.rank, tied=entry.tied)


def _score(entry: Entry, primary: Column, ends: Sequence[Column]) -> str:
    """Return the score with its interval, if it has one."""
    score = entry.shown.get(primary.key, "")
    interval = [entry.shown[column.key] for column in ends if entry.scores.get(column.key) is not None]
    return f"{score} ({' to '.join(interval)})" if interval else score


def _moved(entry: Entry) -> str:
    if entry.before is None:
        return "new"
    change = entry.before - entry.rank
    return f"up {change}" if change > 0 else f"down {-change}" if change < 0 else ""


def short_name(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else f"{text[:24]}…{text[-15:]}"
