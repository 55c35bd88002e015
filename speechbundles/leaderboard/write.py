"""Writes a leaderboard in all its formats: the same leaderboard always gives the same bytes.

A system's name is a file's name, which a participant may have chosen; it is escaped for each format.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

from speechbundles.leaderboard.page import HTML_FILE, INDEX_FILE, to_html
from speechbundles.leaderboard.render import console_table, escaped_markdown, markdown_table, table_to_csv
from speechbundles.model.console import WIDTH, wrap
from speechbundles.model.disk import write_whole
from speechbundles.model.zips import write_tree
from spokeneval.ranking import writers
from spokeneval.ranking.latex import to_latex
from spokeneval.ranking.leaderboard import Leaderboard, TextTable
from spokeneval.ranking.writers import UNKNOWN, apart_table, pairs_to_csv, ranking_table, scores_table, to_csv

JSON_FILE = "board.json"
CSV_FILE, MARKDOWN_FILE, LATEX_FILE = "board.csv", "board.md", "board.tex"
PAIRS_FILE = "pairs.csv"


def write_board(board: Leaderboard, directory: Path) -> list[Path]:
    """Write the leaderboard and, where known, its pairs and tables of items; return the files.

    Of several tasks, each has a folder below.
    """
    texts = _texts(board)
    written = [path for name, each in board.tasks.items() for path in write_board(each, directory / name)]
    write_tree(
        directory, {file: text.encode("utf-8", "replace") for file, text in texts.items()}, write_whole
    )
    return [*(directory / file for file in texts), *written]


def _texts(board: Leaderboard) -> Mapping[str, str]:
    if board.tasks:
        texts = {JSON_FILE: to_json(board), INDEX_FILE: to_html(board)}
        if board.is_joint:
            texts |= {CSV_FILE: to_csv(board), PAIRS_FILE: pairs_to_csv(board), LATEX_FILE: to_latex(board)}
        return texts
    return {
        CSV_FILE: to_csv(board),
        JSON_FILE: to_json(board),
        MARKDOWN_FILE: to_markdown(board),
        LATEX_FILE: to_latex(board),
        HTML_FILE: to_html(board),
        **({PAIRS_FILE: pairs_to_csv(board)} if board.pairs else {}),
        **{name: table_to_csv(table) for name, table in board.files.items()},
    }


def to_json(board: Leaderboard, sheets: TextTable | None = None) -> str:
    """Return the leaderboard as JSON, with what teams declared in fact sheets if given."""
    declared = [dict(zip(sheets.header, row, strict=True)) for row in sheets.rows] if sheets else None
    return json.dumps({**to_dict(board), **({"fact_sheets": declared} if sheets else {})}, indent=2) + "\n"


def to_dict(board: Leaderboard) -> dict[str, Any]:
    """Return the leaderboard for JSON, in the form of `python -m spokeneval compare --json`.

    Further tables are included; the leaderboards of several tasks are in their own files.
    """
    ranking = writers.to_dict(board)
    if board.tasks:
        return {"challenge": board.title, "date": str(board.day), **ranking}
    tables = [asdict(table) for table in board.tables]
    return {**ranking, "unscored": list(board.unscored), "tables": tables}


def to_text(board: Leaderboard) -> str:
    """Return the leaderboard for a console: score and interval are in one cell."""
    if board.tasks:
        ranked = [board] if board.is_joint else board.tasks.values()
        tables = [*map(ranking_table, ranked), *([apart_table(board.apart)] if board.apart else [])]
        head, notes = tables[0].title, [*dict.fromkeys(note for each in ranked for note in each.notes)]
    else:
        head = f"{wrap(board.occasion)}\n{wrap(board.heading)}\n{_folded(board.signature)}"
        tables = [_narrow_table(board), *board.tables]
        notes = [*board.notes]
    first, *more = (replace(table, title=wrap(table.title)) for table in tables)
    fold = partial(wrap, indent="  ", hanging="")
    return writers.to_text(head, first, notes, more, show=console_table, fold=fold)


def _folded(signature: str) -> str:
    """A signature in lines that end with a separator."""
    lines = [""]
    for part in re.findall(r"[^|]+\|?", signature):
        lines += ["  "] if lines[-1] and len(lines[-1] + part) > WIDTH else []
        lines[-1] += part
    return "\n".join(lines)


def _narrow_table(board: Leaderboard) -> TextTable:
    """The main table with the interval, or the rule that excludes the system, beside the score."""
    table = ranking_table(board)
    _, rank, title, interval, *others = table.header
    rows = []
    for row, (_, place, score, ends, *rest) in zip(board.rows, table.rows, strict=False):
        beside = f"[{ends.replace(' – ', ', ')}]" if row.interval else row.excluded
        rows.append([row.called, place, f"{score} {beside}".rstrip(), *rest])
    rows += [[name, *[UNKNOWN] * (2 + len(others))] for name in board.unscored]
    return TextTable(table.title, ["System", rank, f"{title} [{interval}]", *others], rows)


def to_markdown(board: Leaderboard) -> str:
    """Return the leaderboard as Markdown, for a page or an e-mail."""
    head = "\n\n".join(map(escaped_markdown, (board.occasion, board.heading, board.signature)))
    tables = [
        replace(table, title=f"## {escaped_markdown(table.title)}")
        for table in (scores_table(board), *board.tables)
    ]
    text = writers.to_text(
        f"# {head}", ranking_table(board), board.notes, tables, show=markdown_table, fold=escaped_markdown
    )
    return f"{text}\n"
