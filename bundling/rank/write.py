"""Writes a board in its three formats; the same board always gives the same bytes."""

from pathlib import Path

from bundling.rank.board import Board
from bundling.rank.page import to_html
from bundling.rank.plain import to_csv, to_markdown

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
