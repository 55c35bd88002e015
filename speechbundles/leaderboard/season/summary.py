"""A rehearsed season as text and for JSON: the leaderboard of each day, notes, and the attempts without a score."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from speechbundles.bundle.rehearse import FAILED, FINISHED
from speechbundles.leaderboard.render import text_table
from speechbundles.leaderboard.season.board import Day
from speechbundles.leaderboard.season.files import board_table, day_to_dict, submission_to_dict
from speechbundles.leaderboard.season.play import Season
from speechbundles.leaderboard.season.replay import REFUSED, Attempt
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.console import wrap
from speechbundles.model.dates import MINUTES
from speechbundles.model.platform import PICKED, SHOWN, platforms
from speechbundles.model.text import printable
from spokeneval.formats.problems import count_of

STATUSES = (FINISHED, FAILED, REFUSED)


def season_to_text(season: Season) -> str:
    """Return the daily boards, the final boards, notes, and the attempts without a score."""
    bundle, attempts = season.bundle, season.attempts
    teams = count_of(len({attempt.submission.team for attempt in attempts}), "team")
    counts = status_counts(Counter(attempt.status for attempt in attempts))
    lines = [f"{bundle.title} ({bundle.platform})", ""]
    lines += [f"  {phase.name}: {describe_phase(phase)}" for phase in bundle.phases]
    lines += ["", f"{teams}, {count_of(len(attempts), 'attempt')}: {counts}"]
    for day in season.days:
        lines += ["", f"{day.day}, {day.phase.name}: {status_counts(day.attempts)}", _board_text(bundle, day)]
    for day in season.final:
        shown = SHOWN.get(day.phase.rule, day.phase.rule)
        lines += ["", f"Final leaderboard, {day.phase.name}: {shown}", _board_text(bundle, day)]
    warnings = [f"{text} ({count_of(n, 'run')})" for text, n in sorted(season.warnings.items())]
    notes = [f"  {note}" for note in (*notes_of(season), *warnings)]
    lines += ["", "Notes", *notes] if notes else []
    lost = [attempt for attempt in attempts if attempt.status != FINISHED]
    lines += ["", f"Refused and failed: {count_of(len(lost), 'attempt')}"] if lost else []
    for attempt in lost:
        lines.append(f"  {attempt.submission.time:{MINUTES}}  {path_of(attempt)}  {attempt.status}")
        lines += [f"      {line}" for line in attempt.reasons or ("(no reason given)",)]
    return wrap(printable("\n".join(lines), kept="\n"))


def _board_text(bundle: BuiltBundle, day: Day) -> str:
    return text_table(board_table(bundle, day), left={0, 1, 3, 4})


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
    for day in season.final:
        name = day.phase.name
        if day.phase.rule in PICKED:
            notes.append(
                f"{name}: participants choose their submission on the leaderboard; this rehearsal shows the best "
                "submission of each team"
            )
        if day.phase.hidden:
            notes.append(f"{name}: participants do not see this leaderboard")
        notes += [
            f"{name}: {path_of(entry.attempt)} has rank {entry.rank} but no primary score"
            for entry in day.board
            if entry.attempt.score(primary.key) is None
        ]
    if bundle.only_receives:
        notes.append(
            f"labels stay at home, so participants see only {primary.title} on the platform; `board` makes the "
            "leaderboard"
        )
    elif any(entry.tied for day in season.days for entry in day.board):
        ties = platforms()[bundle.platform].board.ties
        notes.append(f"ranks such as 9–10 or 9= mark equal values of {primary.title}: {ties}")
    return list(dict.fromkeys(notes))


def path_of(attempt: Attempt) -> str:
    return printable(f"{attempt.submission.team}/{attempt.submission.name}")


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
        "days": [*map(day_to_dict, season.days)],
        "final": [*map(day_to_dict, season.final)],
        "attempts": [
            {
                **submission_to_dict(attempt),
                "phase": attempt.phase and attempt.phase.name,
                "status": attempt.status,
                "reasons": list(attempt.reasons),
                "warnings": list(attempt.result.warnings) if attempt.result else [],
            }
            for attempt in season.attempts
        ],
        "notes": notes_of(season),
    }
