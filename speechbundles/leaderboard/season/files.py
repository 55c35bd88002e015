"""The leaderboards of a season, as tables and as files; the same season always gives the same bytes.

PHASE/board.*        the final leaderboard of a phase, which is named by its number, from 1
PHASE/DAY/board.*    its leaderboard at the end of a day that changed it
"""

import json
from collections.abc import Iterable
from typing import Any

from speechbundles.leaderboard.render import fitted_tables, markdown_table, table_to_csv
from speechbundles.leaderboard.season.board import Day, Entry
from speechbundles.leaderboard.season.play import Season
from speechbundles.leaderboard.season.replay import Attempt
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.platform import SHOWN
from speechbundles.model.text import printable
from spokeneval.ranking.tables import shown_range, shown_rank
from spokeneval.ranking.values import Table
from spokeneval.report import page
from spokeneval.task import ENDS


def season_files(season: Season) -> dict[str, bytes]:
    """Return the leaderboard of each day, and the final ones, as pages, Markdown, CSV and JSON, `name -> content`."""
    bundle, files = season.bundle, dict[str, bytes]()
    for day in season.days:
        table, phase = board_table(bundle, day), bundle.phases.index(day.phase) + 1
        texts = {
            "board.html": page.page(f"{bundle.title}: leaderboard", *fitted_tables(table)),
            "board.md": f"{markdown_table(table)}\n",
            "board.csv": table_to_csv(_scores_table(bundle, day)),
            "board.json": json.dumps(day_to_dict(day), indent=2) + "\n",
        }
        for folder in (f"{phase}/{day.day}", f"{phase}"):  # the last day's leaderboard is the final one
            files |= {f"{folder}/{name}": text.encode("utf-8", "replace") for name, text in texts.items()}
    return files


def board_table(bundle: BuiltBundle, day: Day) -> Table:
    """Return the board with the primary score and, if it has columns, its interval."""
    primary = bundle.ranking_column()
    ends = [primary.key + end for end in ENDS]
    ends = ends if {column.key for column in bundle.columns}.issuperset(ends) else []
    rows = []
    for entry in day.board:
        score, *shown = map(entry.attempt.shown, (primary.key, *ends))
        score += f" [{', '.join(shown)}]" if any(shown) else ""
        team, name = short_name(entry.attempt.submission.team), short_name(entry.attempt.submission.name)
        rows.append([team, _rank(entry, day.board, primary.key), score, _moved(entry), name])
    title = f"{day.phase.name}, {day.day}: {SHOWN.get(day.phase.rule, day.phase.rule)}"
    heading = f"{primary.title} [95 % interval]" if ends else primary.title
    return Table(title, ["Team", "Rank", heading, "Change", "Submission"], rows)


def _rank(entry: Entry, board: Iterable[Entry], key: str) -> str:
    """Return a rank; for a tie, the range of ranks with the same primary score, or the rank that they share."""
    ranks = {other.rank for other in board if other.attempt.score(key) == entry.attempt.score(key)}
    return shown_rank(entry) if len(ranks) == 1 else shown_range((min(ranks), max(ranks)))


def _moved(entry: Entry) -> str:
    if entry.before is None:
        return "new"
    change = entry.before - entry.rank
    return f"up {change}" if change > 0 else f"down {-change}" if change < 0 else ""


def short_name(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else f"{text[:24]}…{text[-15:]}"


def _scores_table(bundle: BuiltBundle, day: Day) -> Table:
    """Return the board with all scores in full precision."""
    columns = [column for column in bundle.columns if not column.computed]
    rows = []
    for entry in day.board:
        scores = [entry.attempt.score(column.key) for column in columns]
        names = [printable(entry.attempt.submission.team), printable(entry.attempt.submission.name)]
        rows.append([*names, str(entry.rank), *("" if score is None else f"{score:f}" for score in scores)])
    return Table("", ["team", "submission", "rank", *(column.key for column in columns)], rows, left=2)


def day_to_dict(day: Day) -> dict[str, Any]:
    """Return a day's board for JSON; scores are strings of decimals."""
    board = [
        {
            **{"rank": entry.rank, "tied": entry.tied, "before": entry.before},
            **submission_to_dict(entry.attempt),
        }
        for entry in day.board
    ]
    return {"day": str(day.day), "phase": day.phase.name, "board": board}


def submission_to_dict(attempt: Attempt) -> dict[str, Any]:
    """Return a submission with its scores for JSON."""
    upload, scores = attempt.submission, attempt.result.scores if attempt.result else {}
    shown = {key: None if score is None else f"{score:f}" for key, score in scores.items()}
    return {"team": upload.team, "submission": upload.name, "time": str(upload.time), "scores": shown}
