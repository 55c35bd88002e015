"""Writes a board in all its formats: the same board always gives the same bytes.

A system's name is a file's name, which a participant may have chosen; it is escaped for each format.
"""

import json
import re
from dataclasses import asdict
from pathlib import Path

from speechbundles.leaderboard.board import Board, scores_table
from speechbundles.leaderboard.page import to_html
from speechbundles.leaderboard.render import escaped_markdown, markdown_table, table_to_csv, text_table
from speechbundles.model.console import WIDTH, wrap
from speechbundles.model.disk import write_whole
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.tables import headings, pairs_to_csv, ranking_table, shown_cells, to_csv, to_dict
from spokeneval.ranking.values import Table

JSON_FILE = "board.json"
CSV_FILE, MARKDOWN_FILE, LATEX_FILE, HTML_FILE = "board.csv", "board.md", "board.tex", "board.html"
PAIRS_FILE = "pairs.csv"


def write_board(board: Board, directory: Path) -> list[Path]:
    """Write the board and, where known, its pairs and the tables of items; return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        CSV_FILE: to_csv(board),
        JSON_FILE: board_to_json(board),
        MARKDOWN_FILE: to_markdown(board),
        LATEX_FILE: to_latex(board),
        HTML_FILE: to_html(board),
        **({PAIRS_FILE: pairs_to_csv(board)} if board.pairs else {}),
        **{file: table_to_csv(table) for file, table in board.files.items()},
    }
    for file, text in texts.items():
        write_whole(directory / file, text.encode("utf-8", "replace"))
    return [directory / file for file in texts]


def board_to_json(board: Board) -> str:
    """Return the board and its further tables as JSON, in the form of `python -m spokeneval compare --json`."""
    ranking = to_dict(board)
    tables = [asdict(table) for table in board.tables]
    return json.dumps({**ranking, "unscored": list(board.unscored), "tables": tables}, indent=2) + "\n"


def board_to_text(board: Board) -> str:
    """Return the board for a console: score and interval are in one cell."""
    head = f"{wrap(board.about.line)}\n{wrap(board.heading)}\n{_folded(board.signature)}"
    parts = [head, text_table(_narrow_table(board))]
    parts += [wrap(note, "  ", hanging="") for note in board.notes]
    for table in board.tables:
        parts += [wrap(table.title), text_table(table)]
        parts += [wrap(table.note, "  ", hanging="")] if table.note else []
    return "\n\n".join(parts)


def _folded(signature: str) -> str:
    """A signature in lines that end with a separator."""
    lines = [""]
    for part in re.findall(r"[^|]+\|?", signature):
        lines += ["  "] if lines[-1] and len(lines[-1] + part) > WIDTH else []
        lines[-1] += part
    return "\n".join(lines)


def _narrow_table(board: Board) -> Table:
    """The board's table with the interval, or the rule that excludes the system, beside the score."""
    rank, title, interval, *others = headings(board)
    rows = []
    for row in board.rows:
        place, score, ends, *rest = shown_cells(row, board.column.precision)
        beside = f"[{ends.replace(' – ', ', ')}]" if row.interval else row.excluded
        rows.append([row.name, place, f"{score} {beside}".rstrip(), *rest])
    rows += [[name, *"––––"] for name in board.unscored]
    return Table(board.heading, ["System", rank, f"{title} [{interval}]", *others], rows)


def to_markdown(board: Board) -> str:
    """Return the board as Markdown, for a page or an e-mail."""
    parts = [
        f"# {escaped_markdown(board.about.line)}",
        escaped_markdown(board.heading),
        escaped_markdown(board.signature),
        markdown_table(ranking_table(board)),
    ]
    parts += [escaped_markdown(note) for note in board.notes]
    for table in [scores_table(board), *board.tables]:
        parts += [f"## {escaped_markdown(table.title)}", markdown_table(table)]
        parts += [escaped_markdown(table.note)] if table.note else []
    return "\n\n".join(parts) + "\n"
