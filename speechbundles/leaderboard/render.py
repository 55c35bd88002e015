"""A table of texts in each format: for a console, a page, a spreadsheet, and in Markdown."""

import html
import re
from collections.abc import Collection, Sequence

from rich.cells import cell_len

from speechbundles.model.console import fitted_table
from spokeneval.formats.tables import csv_text, no_formula
from spokeneval.ranking.values import Table
from spokeneval.report import page

WIDEST = 88
"""The most characters of a table's columns, without the first, that fit a sheet of A4 paper."""


def text_table(table: Table, left: Collection[int] = ()) -> str:
    """Return a table that fits the console. `left`: columns that are aligned left; default: the table's names."""
    return "\n".join(fitted_table([table.header, *table.rows], left or range(table.left)))


def table_to_csv(table: Table) -> str:
    """Return a table as CSV; no name can run as a formula."""
    left = table.left
    rows = ([*map(no_formula, row[:left]), *row[left:]] for row in table.rows)
    return csv_text([[*map(no_formula, table.header)], *rows])


def markdown_table(table: Table) -> str:
    """Return a table as Markdown, without its title and its note."""
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(escaped_markdown, table.header), rules, *(map(escaped_markdown, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def escaped_markdown(text: str) -> str:
    """Return text with the special characters of Markdown and HTML escaped."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))


def html_table(table: Table, summary: str = "", *, shown: int | None = None) -> page.Html:
    """Return a table, folded below `summary` if it is long."""
    whole = fitted_tables(table, shown=shown)
    if len(table.rows) <= page.UNFOLDED:
        return page.Html("\n".join(part.markup for part in whole))
    return page.folded(summary or f"{len(table.rows)} rows", *whole)


def fitted_tables(table: Table, *, shown: int | None = None) -> list[page.Html]:
    """Return the parts of a table that fit a sheet of paper, each with the first column."""
    parts = _column_groups([table.header, *table.rows])
    whole = []
    for number, places in enumerate(parts, 1):
        title = table.title if len(parts) == 1 else f"{table.title} ({number} of {len(parts)})"
        header, *rows = ([row[place] for place in places] for row in [table.header, *table.rows])
        whole.append(page.table(title, header, rows, shown=len(rows) if shown is None else shown))
    return whole


def _column_groups(rows: Sequence[Sequence[str]]) -> list[list[int]]:
    """Return the places of the columns of each part of a table; each part begins with the first column."""
    header, *body = rows
    groups: list[list[int]] = []
    width = 0
    for place in range(1, len(header)):
        own = 1 + max(map(cell_len, [*header[place].split(), *(row[place] for row in body)]), default=0)
        if not groups or width + own > WIDEST:
            groups.append([0])
            width = 0
        groups[-1].append(place)
        width += own
    return groups or [[0]]
