"""Writes a board in all its formats; the same board always gives the same bytes."""

import json
from dataclasses import asdict
from pathlib import Path

from speechbundles.model.fetched import write_whole
from speechbundles.publication.board import Board
from speechbundles.publication.page import to_html
from speechbundles.publication.plain import table_to_csv, to_markdown
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.tables import pairs_to_csv, to_csv, to_dict

JSON_FILE = "board.json"
CSV_FILE, MARKDOWN_FILE, LATEX_FILE, HTML_FILE = "board.csv", "board.md", "board.tex", "board.html"
PAIRS_FILE = "pairs.csv"


def write_board(board: Board, directory: Path) -> list[Path]:
    """Write the board and, where known, its pairs and the tables of items; return the files."""
    directory.mkdir(parents=True, exist_ok=True)
    texts = {
        CSV_FILE: to_csv(board),
        JSON_FILE: to_json(board),
        MARKDOWN_FILE: to_markdown(board),
        LATEX_FILE: to_latex(board),
        HTML_FILE: to_html(board),
        **({PAIRS_FILE: pairs_to_csv(board)} if board.pairs else {}),
        **{file: table_to_csv(table) for file, table in board.files.items()},
    }
    for file, text in texts.items():
        write_whole(directory / file, text.encode("utf-8", "replace"))
    return [directory / file for file in texts]


def to_json(board: Board) -> str:
    """Return the board and its further tables as JSON, in the form of `python -m spokeneval compare --json`."""
    ranking = to_dict(board)
    tables = [asdict(table) for table in board.tables]
    return json.dumps({**ranking, "unscored": list(board.unscored), "tables": tables}, indent=2) + "\n"
