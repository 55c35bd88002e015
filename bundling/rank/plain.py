"""A board as text: for a terminal, as CSV for other programs, as Markdown for a page or a mail.

A system's name is its file's name, which may be a participant's words: it is escaped for each format.
"""

import csv
import html
import io
import re
import unicodedata
from textwrap import fill

from bundling.rank.board import Board, board_table, heading
from bundling.rank.table import Table
from bundling.text import text_table
from spokeneval.task import ENDS


def to_text(board: Board) -> str:
    """For a terminal."""
    parts = [f"{heading(board)}\n{board.signature}", _text_table(board_table(board))]
    parts += map(_indented, board.notes)
    for table in board.tables:
        parts += [table.title, _text_table(table), *([_indented(table.note)] if table.note else [])]
    return "\n\n".join(parts)


def _indented(note: str) -> str:
    return fill(note, 100, initial_indent="  ", subsequent_indent="  ", break_long_words=False)


def _text_table(table: Table) -> str:
    return "\n".join(text_table([table.header, *table.rows], left=range(table.left)))


def to_csv(board: Board) -> str:
    """The board for other programs: numbers in full, then every score that was written."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    key = board.column.key
    known = (key, *(key + end for end in ENDS))
    others = [other for other in board.rows[0].scores if other not in known]
    writer.writerow(["rank", "tied", "system", *known, "best_rank", "worst_rank", "cluster", *others])
    for row in board.rows:
        place = [row.rank, int(row.tied), _no_formula(row.name), row.score]
        place += [*(row.interval or ("", "")), *(row.ranks or ("", "")), row.cluster or ""]
        writer.writerow([*place, *(row.scores[other] for other in others)])
    return buffer.getvalue()


def _no_formula(name: str) -> str:
    """A spreadsheet would run a cell that begins like this, in full width or after blanks too."""
    begins = unicodedata.normalize("NFKC", name).lstrip()[:1]
    return f"'{name}" if begins and begins in "=+-@\N{MINUS SIGN}" else name


def to_markdown(board: Board) -> str:
    """For a page or a mail."""
    parts = [f"# {_escaped(heading(board))}", _escaped(board.signature), _markdown_table(board_table(board))]
    parts += [_escaped(note) for note in board.notes]
    for table in board.tables:
        parts += [f"## {_escaped(table.title)}", _markdown_table(table)]
        parts += [_escaped(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"


def _markdown_table(table: Table) -> str:
    rules = [":---" if index < table.left else "---:" for index in range(len(table.header))]
    lines = [map(_escaped, table.header), rules, *(map(_escaped, row) for row in table.rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(text: str) -> str:
    """Markdown's own characters escaped, HTML's too."""
    return re.sub(r"([\\`*_{}\[\]#|~])", r"\\\1", html.escape(text, quote=False))
