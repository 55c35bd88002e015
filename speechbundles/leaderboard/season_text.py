"""A rehearsed season as text, for JSON and as files: the leaderboard of each day, notes, the attempts without a score.

PHASE/board.*        the final leaderboard of a phase, which is named by its number, from 1
PHASE/DAY/board.*    its leaderboard at the end of a day that changed it

The same season always gives the same bytes.
"""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from speechbundles.bundle.rehearse import FAILED, FINISHED
from speechbundles.leaderboard.render import (
    console_table,
    entries_table,
    fitted_tables,
    markdown_table,
)
from speechbundles.leaderboard.season import REFUSED, Season
from speechbundles.model.bundle import BuiltPhase
from speechbundles.model.console import wrap
from speechbundles.model.dates import MINUTES
from speechbundles.model.platform import PICKED, SHOWN, platforms
from spokeneval.formats.problems import count_of, printable
from spokeneval.ranking.leaderboard import Leaderboard, TextTable
from spokeneval.ranking.writers import decimals_to_dict, to_csv, to_dict
from spokeneval.report import page

STATUSES = (FINISHED, FAILED, REFUSED)
_LEFT = (0, 1, 3, 4)
"""The columns of a table that are aligned left."""


def season_to_text(season: Season, most: int | None = None) -> str:
    """Return the daily boards, the final boards, notes, and the attempts without a score.

    Parameters
    ----------
    most: the number of entries of each final board, and of attempts, that are listed, without daily boards; None: all.
    """
    bundle, attempts = season.bundle, season.attempts
    teams = count_of(len({attempt.submission.team for attempt in attempts}), "team")
    counts = status_counts(Counter(attempt.status for attempt in attempts))
    lines = [f"{bundle.title} ({bundle.platform})", ""]
    lines += [f"  {phase.name}: {describe_phase(phase)}" for phase in bundle.phases]
    lines += ["", f"{teams}, {count_of(len(attempts), 'attempt')}: {counts}"]
    by_day = Counter((each.phase, f"{each.submission.time:%Y-%m-%d}", each.status) for each in attempts)
    for phase, board in season.days if most is None else ():
        today = status_counts({status: by_day[phase, f"{board.day}", status] for status in STATUSES})
        table = console_table(day_table(phase, board), left=_LEFT)
        lines += ["", f"{board.day}, {board.phase}: {today}", table]
    for phase, board in season.final.items():
        table = console_table(day_table(phase, replace(board, rows=board.rows[:most])), left=_LEFT)
        lines += ["", f"Final leaderboard, {board.phase}: {SHOWN.get(phase.rule, phase.rule)}", table]
        lines += _more(len(board.rows), most)
    warnings = [f"{text} ({count_of(n, 'run')})" for text, n in sorted(season.warnings.items())]
    notes = [f"  {note}" for note in (*notes_of(season), *warnings)]
    lines += ["", "Notes", *notes[:most], *_more(len(notes), most)] if notes else []
    lost = [attempt for attempt in attempts if attempt.status != FINISHED]
    lines += ["", f"Refused and failed: {count_of(len(lost), 'attempt')}"] if lost else []
    for attempt in lost[:most]:
        path = path_of(attempt.submission.team, attempt.submission.name)
        lines.append(f"  {attempt.submission.time:{MINUTES}}  {path}  {attempt.status}")
        lines += [f"      {line}" for line in attempt.result.reasons or ("(no reason given)",)]
    lines += _more(len(lost), most)
    return wrap(printable("\n".join(lines), kept="\n"))


def _more(number: int, most: int | None) -> list[str]:
    return [] if most is None or number <= most else [f"  ... and {number - most} more"]


def day_table(phase: BuiltPhase, board: Leaderboard) -> TextTable:
    """Return the leaderboard of a day with the primary score and, if it has columns, its interval."""
    return entries_table(board, f"{board.phase}, {board.day}: {SHOWN.get(phase.rule, phase.rule)}", "Team")


def season_files(season: Season) -> dict[str, bytes]:
    """Return the leaderboard of each day, and the final ones, as pages, Markdown, CSV and JSON, `name -> content`."""
    bundle, files = season.bundle, dict[str, bytes]()
    for phase, board in season.days:
        table, number = day_table(phase, board), bundle.phases.index(phase) + 1
        texts = {
            "board.html": page.page(f"{bundle.title}: leaderboard", *fitted_tables(table)),
            "board.md": f"{markdown_table(table)}\n",
            "board.csv": to_csv(board),
            "board.json": json.dumps(to_dict(board), indent=2) + "\n",
        }
        for folder in (f"{number}/{board.day}", f"{number}"):  # the last day's leaderboard is the final one
            files |= {f"{folder}/{name}": text.encode("utf-8", "replace") for name, text in texts.items()}
    return files


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
        "days": [to_dict(board) for _, board in season.days],
        "final": [*map(to_dict, season.final.values())],
        "attempts": [
            {
                **{"name": attempt.submission.team, "submission": attempt.submission.name},
                "uploaded": str(attempt.submission.time),
                "scores": decimals_to_dict(attempt.result.scores),
                "phase": attempt.phase and attempt.phase.name,
                "status": attempt.status,
                "reasons": list(attempt.result.reasons),
                "warnings": list(attempt.result.warnings),
            }
            for attempt in season.attempts
        ],
        "notes": notes_of(season),
    }
