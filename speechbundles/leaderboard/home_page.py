"""The files of the public leaderboard of hidden labels at home (see `board`): a page and its data.

The page is also written as Markdown, as a page of the competition on the server.

SITE/index.html    the page; the folder can be published as it is
SITE/board.csv     a line for each entry
SITE/board.json    the same, with the columns
"""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from speechbundles.leaderboard.home import HomeBoard
from speechbundles.leaderboard.render import (
    entries_table,
    escaped_markdown,
    fitted_tables,
    markdown_table,
)
from speechbundles.model.dates import FORMAT, MINUTES
from speechbundles.model.disk import write_whole
from speechbundles.model.zips import write_tree
from spokeneval.formats.problems import count_of, printable
from spokeneval.ranking import writers
from spokeneval.ranking.leaderboard import Leaderboard, TextTable
from spokeneval.report import page
from spokeneval.task import ENDS

PAGE, CSV, JSON = "index.html", "board.csv", "board.json"
MOST_ROWS = 500
LARGEST_PAGE = 200_000
"""Most entries of a phase on the Markdown page, and its most characters; the best entries are shown."""


def write_home_board(board: HomeBoard, site: Path) -> list[Path]:
    """Write the page, the table and the data; return their paths."""
    data = json.dumps(to_dict(board), indent=2) + "\n"
    texts = {PAGE: to_html(board), CSV: writers.to_csv(*board.phases), JSON: data}
    write_tree(site, {name: text.encode() for name, text in texts.items()}, write_whole)
    return [site / name for name in texts]


def to_html(board: HomeBoard) -> str:
    """Return a self-contained page."""
    data = page.Html(f'The same data: <a href="{CSV}">{CSV}</a>, <a href="{JSON}">{JSON}</a>.')
    changes = [page.paragraph(f"{day}: {what}") for day, what in board.changes]
    return page.page(
        f"{board.title}: leaderboard",
        *(page.paragraph(text, kind="note") for text in _introduction(board)),
        *map(_section, board.phases),
        page.section("Changes", *changes) if changes else None,
        page.paragraph(data, kind="note"),
    )


def to_markdown(board: HomeBoard, most: int = MOST_ROWS) -> str:
    """Return the page in Markdown without the tables on the power of the set, with at most `most` entries a phase."""
    parts = [*map(escaped_markdown, _introduction(board))]
    for each in board.phases:
        parts.append(f"## {escaped_markdown(each.phase)}")
        if not each.rows:
            parts.append("No entries yet.")
            continue
        if len(each.rows) > most:
            parts.append(f"The best {most} of {len(each.rows)} entries:")
        ranking, *others = _tables(replace(each, rows=each.rows[:most]))
        parts += [markdown_table(ranking), *map(escaped_markdown, each.notes)]
        for table in others:
            parts += ["Other scores:", markdown_table(table)]
    changes = "\n".join(f"- {day}: {escaped_markdown(what)}" for day, what in board.changes)
    parts += ["## Changes", changes] if changes else []
    text = "\n\n".join(parts) + "\n"
    return text if len(text) <= LARGEST_PAGE or most <= 1 else to_markdown(board, most // 2)


def _introduction(board: HomeBoard) -> tuple[str, str]:
    """Return the dates of the leaderboard, and how to read its scores."""
    dates = f"Submissions until {board.until:{MINUTES}} UTC."
    if board.following:
        dates += f" The next leaderboard has the submissions until {board.following:{MINUTES}} UTC."
    first = board.columns[0]
    reading = f"{first.title}: {first.direction} is better. Equal scores share the better rank."
    if board.coarse:
        reading += (
            " Scores are rounded to steps of a standard error or more. Treat scores less than two steps apart as a "
            "tie. A submission that is not better than the baselines, or that a rule excludes, is shown with the best "
            f"of their scores, marked {'≤' if first.direction == 'higher' else '≥'}."
        )
    return dates, reading


def _section(board: Leaderboard) -> page.Html:
    """Return a phase's ranking, its notes, the other scores, and further tables."""
    if not board.rows:
        return page.section(board.phase, page.paragraph("No entries yet."))
    ranking, *others = _tables(board)
    parts = [*fitted_tables(ranking), *(page.paragraph(note, kind="note") for note in board.notes)]
    for table in (*others, *board.tables):
        parts += fitted_tables(table)
        parts += [page.paragraph(table.note, kind="note")] if table.note else []
    return page.section(board.phase, *parts)


def _tables(board: Leaderboard) -> list[TextTable]:
    """Return a phase's ranking, and the other scores if there are any; columns without a value are left out."""
    primary, columns, entries = board.column, board.columns, board.rows
    tables = [entries_table(board, f"{board.phase}: {count_of(len(entries), 'entry', 'entries')}", "Name")]
    shown = {primary.key, *(primary.key + end for end in ENDS)}
    used = [each for each in columns if each.key not in shown and any(row.shown[each.key] for row in entries)]
    if len(columns) > len(shown.intersection(column.key for column in columns)):
        rows = [[printable(row.name), *(row.shown[column.key] for column in used)] for row in entries]
        header = ["Name", *(column.title for column in used)]
        tables.append(TextTable(f"{board.phase}: other scores", header, rows))
    return tables


def to_dict(board: HomeBoard) -> dict[str, Any]:
    """Return the board for JSON; scores are strings of decimals."""
    return {
        "title": board.title,
        "until": f"{board.until:{FORMAT}}",
        "next": f"{board.following:{FORMAT}}" if board.following else None,
        "columns": [
            {"key": each.key, "title": each.title, "better": each.direction} for each in board.columns
        ],
        "phases": [*map(writers.to_dict, board.phases)],
        "changes": [{"date": day, "what": what} for day, what in board.changes],
    }
