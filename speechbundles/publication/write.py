"""Writes a board in all its formats; the same board always gives the same bytes."""

import json
from dataclasses import asdict
from pathlib import Path

from speechbundles.model.fetched import write_whole
from speechbundles.publication.board import Board
from speechbundles.publication.page import to_html
from speechbundles.publication.plain import items_to_csv, table_to_csv, to_markdown
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.tables import pairs_to_csv, to_csv, to_dict

JSON_FILE = "board.json"
CSV_FILE, MARKDOWN_FILE, LATEX_FILE, HTML_FILE = "board.csv", "board.md", "board.tex", "board.html"
PAIRS_FILE, ITEMS_FILE, INDICATORS_FILE = "pairs.csv", "items.csv", "indicators.csv"


def write_board(board: Board, directory: Path) -> list[Path]:
    """Write the board and, where known, its pairs and the items' difficulty and indicators; return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    found = board.compared.pairs if board.compared else ()
    pairs = [(PAIRS_FILE, pairs_to_csv(found, [row.name for row in board.rows]))] if found else []
    items = [(ITEMS_FILE, items_to_csv(board.difficulty))] if board.difficulty else []
    indicators = [(INDICATORS_FILE, table_to_csv(board.indicators))] if board.indicators else []
    for file, text in (
        (CSV_FILE, to_csv(board)),
        (JSON_FILE, to_json(board)),
        (MARKDOWN_FILE, to_markdown(board)),
        (LATEX_FILE, to_latex(board)),
        (HTML_FILE, to_html(board)),
        *pairs,
        *items,
        *indicators,
    ):
        write_whole(directory / file, text.encode("utf-8", "replace"))
        written.append(directory / file)
    return written


def to_json(board: Board) -> str:
    """Return the board and its further tables as JSON, in the form of `python -m spokeneval compare --json`."""
    ranking = to_dict(board, board.compared.pairs if board.compared else ())
    tables = [asdict(table) for table in board.tables]
    return json.dumps({**ranking, "unscored": list(board.unscored), "tables": tables}, indent=2) + "\n"
