"""A rehearsed season as text, for JSON and as files: the leaderboard of each day, notes, the attempts without a score.

PHASE/board.*        the final leaderboard of a phase, which is named by its number, from 1
PHASE/DAY/board.*    its leaderboard at the end of a day that changed it

The same season always gives the same bytes.
"""

import json
from collections import Counter
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from speechbundles.bundle.rehearse import FAILED, FINISHED
from speechbundles.leaderboard.render import (
    console_table,
    entries_table,
    fitted_tables,
    markdown_table,
    table_to_csv,
)
from speechbundles.leaderboard.season import REFUSED, Attempt, Season
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.console import wrap
from speechbundles.model.dates import MINUTES
from speechbundles.model.platform import PICKED, SHOWN, platforms
from spokeneval.formats.problems import count_of, printable
from spokeneval.ranking.leaderboard import Leaderboard, TextTable
from spokeneval.report import page

STATUSES = (FINISHED, FAILED, REFUSED)


def season_to_text(season: Season) -> str:
    """Return the daily boards, the final boards, notes, and the attempts without a score."""
    bundle, attempts = season.bundle, season.attempts
    teams = count_of(len({attempt.submission.team for attempt in attempts}), "team")
    counts = status_counts(Counter(attempt.status for attempt in attempts))
    lines = [f"{bundle.title} ({bundle.platform})", ""]
    lines += [f"  {phase.name}: {describe_phase(phase)}" for phase in bundle.phases]
    lines += ["", f"{teams}, {count_of(len(attempts), 'attempt')}: {counts}"]
    for phase, board in season.days:
        own = [each for each in attempts if (each.phase, each.submission.time.date()) == (phase, board.day)]
        today = status_counts(Counter(attempt.status for attempt in own))
        lines += ["", f"{board.day}, {board.phase}: {today}", _board_text(bundle, phase, board)]
    for phase, board in season.final.items():
        shown = SHOWN.get(phase.rule, phase.rule)
        lines += ["", f"Final leaderboard, {board.phase}: {shown}", _board_text(bundle, phase, board)]
    warnings = [f"{text} ({count_of(n, 'run')})" for text, n in sorted(season.warnings.items())]
    notes = [f"  {note}" for note in (*notes_of(season), *warnings)]
    lines += ["", "Notes", *notes] if notes else []
    lost = [attempt for attempt in attempts if attempt.status != FINISHED]
    lines += ["", f"Refused and failed: {count_of(len(lost), 'attempt')}"] if lost else []
    for attempt in lost:
        path = path_of(attempt.submission.team, attempt.submission.name)
        lines.append(f"  {attempt.submission.time:{MINUTES}}  {path}  {attempt.status}")
        lines += [f"      {line}" for line in attempt.reasons or ("(no reason given)",)]
    return wrap(printable("\n".join(lines), kept="\n"))


def _board_text(bundle: BuiltBundle, phase: BuiltPhase, board: Leaderboard) -> str:
    return console_table(day_table(bundle, phase, board), left={0, 1, 3, 4})


def day_table(bundle: BuiltBundle, phase: BuiltPhase, board: Leaderboard) -> TextTable:
    """Return the leaderboard of a day with the primary score and, if it has columns, its interval."""
    title = f"{board.phase}, {board.day}: {SHOWN.get(phase.rule, phase.rule)}"
    return entries_table(board.rows, bundle.columns, bundle.ranking_column(), title, "Team")


def season_files(season: Season) -> dict[str, bytes]:
    """Return the leaderboard of each day, and the final ones, as pages, Markdown, CSV and JSON, `name -> content`."""
    bundle, files = season.bundle, dict[str, bytes]()
    for phase, board in season.days:
        table, number = day_table(bundle, phase, board), bundle.phases.index(phase) + 1
        texts = {
            "board.html": page.page(f"{bundle.title}: leaderboard", *fitted_tables(table)),
            "board.md": f"{markdown_table(table)}\n",
            "board.csv": table_to_csv(_scores_table(bundle, board)),
            "board.json": json.dumps(day_to_dict(board), indent=2) + "\n",
        }
        for folder in (f"{number}/{board.day}", f"{number}"):  # the last day's leaderboard is the final one
            files |= {f"{folder}/{name}": text.encode("utf-8", "replace") for name, text in texts.items()}
    return files


def _scores_table(bundle: BuiltBundle, board: Leaderboard) -> TextTable:
    """Return the leaderboard with all scores in full precision."""
    columns = [column for column in bundle.columns if not column.computed]
    rows = []
    for entry in board.rows:
        scores = (entry.scores.get(column.key) for column in columns)
        shown = ("" if score is None else f"{score:f}" for score in scores)
        rows.append([printable(entry.name), printable(entry.upload), str(entry.rank), *shown])
    return TextTable("", ["team", "submission", "rank", *(column.key for column in columns)], rows, left=2)


def describe_phase(phase: BuiltPhase) -> str:
    """Return when a phase is open, its limits, and what its leaderboard shows."""
    closes = f"to {phase.closes:{MINUTES}}" if phase.closes else "without an end"
    day = "any number of submissions" if phase.per_day is None else count_of(phase.per_day, "submission")
    total = "no limit in total" if phase.total is None else f"{phase.total} in total"
    shown = f"the {'hidden ' * phase.hidden}leaderboard shows {SHOWN.get(phase.rule, phase.rule)}"
    return f"from {phase.opens:{MINUTES}} {closes} UTC; {day} a day, {total}; {shown}"


def notes_of(season: Season) -> list[str]:
    """Return what is not rehearsed, and how the boards differ from what participants see."""
    bundle, primary = season.bundle, season.bundle.ranking_column()
    notes = [
        f"phase {phase.name} takes over submissions from the previous phase; this is not rehearsed"
        for phase in bundle.phases
        if phase.takes_over
    ]
    notes += [
        f"phase {phase.name} has several tasks; only the first, {phase.tasks[0].name}, is rehearsed"
        for phase in bundle.phases
        if len(phase.tasks) > 1
    ]
    if not bundle.auto_run:
        notes.append("submissions wait until an organiser runs them; there is no leaderboard before")
    for phase, board in season.final.items():
        name = board.phase
        if phase.rule in PICKED:
            notes.append(
                f"{name}: participants choose their submission on the leaderboard; this rehearsal shows the best "
                "submission of each team"
            )
        if phase.hidden:
            notes.append(f"{name}: participants do not see this leaderboard")
        notes += [
            f"{name}: {path_of(entry.name, entry.upload)} has rank {entry.rank} but no primary score"
            for entry in board.rows
            if entry.scores.get(primary.key) is None
        ]
    if bundle.only_receives:
        notes.append(
            f"labels stay at home, so participants see only {primary.title} on the platform; `board` makes the "
            "leaderboard"
        )
    elif any(entry.tied for _, board in season.days for entry in board.rows):
        ties = platforms()[bundle.platform].board.ties
        notes.append(f"ranks such as 9–10 or 9= mark equal values of {primary.title}: {ties}")
    return list(dict.fromkeys(notes))


def path_of(team: str, name: str) -> str:
    return printable(f"{team}/{name}")


def status_counts(statuses: Mapping[str, int]) -> str:
    return ", ".join(f"{statuses.get(word, 0)} {word.lower()}" for word in STATUSES)


def season_to_dict(season: Season) -> dict[str, Any]:
    """Return the whole season for JSON; scores are strings of decimals."""
    bundle = season.bundle
    of_phase = ("name", "opens", "closes", "per_day", "total", "rule", "hidden")
    return {
        "title": bundle.title,
        "platform": bundle.platform,
        "primary": bundle.ranking_column().key,
        "phases": [{key: getattr(phase, key) for key in of_phase} for phase in bundle.phases],
        "days": [day_to_dict(board) for _, board in season.days],
        "final": [*map(day_to_dict, season.final.values())],
        "attempts": [
            {
                **_of_attempt(attempt),
                "phase": attempt.phase and attempt.phase.name,
                "status": attempt.status,
                "reasons": list(attempt.reasons),
                "warnings": list(attempt.result.warnings) if attempt.result else [],
            }
            for attempt in season.attempts
        ],
        "notes": notes_of(season),
    }


def day_to_dict(board: Leaderboard) -> dict[str, Any]:
    """Return a day's leaderboard for JSON; scores are strings of decimals."""
    entries = [
        {
            **{"rank": entry.rank, "tied": entry.tied, "before": entry.before},
            **_upload_to_dict(entry.name, entry.upload, entry.time, entry.scores),
        }
        for entry in board.rows
    ]
    return {"day": str(board.day), "phase": board.phase, "board": entries}


def _of_attempt(attempt: Attempt) -> dict[str, Any]:
    upload, scores = attempt.submission, attempt.result.scores if attempt.result else {}
    return _upload_to_dict(upload.team, upload.name, upload.time, scores)


def _upload_to_dict(team: str, name: str, time: datetime | None, scores: Mapping[str, Any]) -> dict[str, Any]:
    shown = {key: None if score is None else f"{score:f}" for key, score in scores.items()}
    return {"team": team, "submission": name, "time": str(time), "scores": shown}
