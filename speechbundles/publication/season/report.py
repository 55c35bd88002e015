"""A rehearsed season as text and as JSON; the same files always give the same output."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from speechbundles.bundle.rehearse import FAILED, FINISHED
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.console import wrap
from speechbundles.model.dates import MINUTES
from speechbundles.model.text import printable
from speechbundles.platforms.facts import PICKED, PLATFORMS, SHOWN
from speechbundles.publication import text_table
from speechbundles.publication.season.board import Day, Entry
from speechbundles.publication.season.play import Season
from speechbundles.publication.season.replay import REFUSED, Attempt
from spokeneval.formats.problems import count_of
from spokeneval.ranking.tables import shown_range, shown_rank
from spokeneval.ranking.values import Table
from spokeneval.task import ENDS

STATUSES = (FINISHED, FAILED, REFUSED)


def season_to_text(season: Season) -> str:
    """Return the daily boards, the final boards, each team's runs, notes, and the attempts without a score."""
    bundle, attempts = season.bundle, season.attempts
    teams = count_of(len({attempt.submission.team for attempt in attempts}), "team")
    counts = status_counts(Counter(attempt.status for attempt in attempts))
    lines = [f"{bundle.title} ({bundle.platform})", ""]
    lines += [f"  {phase.name}: {describe_phase(phase)}" for phase in bundle.phases]
    lines += ["", f"{teams}, {count_of(len(attempts), 'attempt')}: {counts}"]
    for day in season.days:
        lines += ["", f"{day.day}, {day.phase.name}: {status_counts(day.attempts)}", _board_text(bundle, day)]
    for day in season.final:
        lines += ["", final_title(day.phase), _board_text(bundle, day)]
        lines += ["", text_table(team_table(season, day.phase))]
    warnings = [f"{text} ({count_of(n, 'run')})" for text, n in sorted(season.warnings.items())]
    notes = [f"  {note}" for note in (*notes_of(season), *warnings)]
    lines += ["", "Notes", *notes] if notes else []
    lost = [attempt for attempt in attempts if attempt.status != FINISHED]
    lines += ["", f"Refused and failed: {count_of(len(lost), 'attempt')}"] if lost else []
    for attempt in lost:
        lines.append(f"  {attempt.submission.time:{MINUTES}}  {path_of(attempt)}  {attempt.status}")
        lines += [f"      {line}" for line in attempt.reasons or ("(no reason given)",)]
    return wrap(printable("\n".join(lines), kept="\n"))


def describe_phase(phase: BuiltPhase) -> str:
    """Return when a phase is open, its limits, and what its leaderboard shows."""
    closes = f"to {phase.closes:{MINUTES}}" if phase.closes else "without an end"
    day = "any number of submissions" if phase.per_day is None else count_of(phase.per_day, "submission")
    total = "no limit in total" if phase.total is None else f"{phase.total} in total"
    shown = f"the {'hidden ' * phase.hidden}leaderboard shows {SHOWN.get(phase.rule, phase.rule)}"
    return f"from {phase.opens:{MINUTES}} {closes} UTC; {day} a day, {total}; {shown}"


def final_title(phase: BuiltPhase) -> str:
    return f"Final leaderboard, {phase.name}: {SHOWN.get(phase.rule, phase.rule)}"


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
        ties = PLATFORMS[bundle.platform].board.ties
        notes.append(f"ranks such as 9–10 or 9= mark equal values of {primary.title}: {ties}")
    return list(dict.fromkeys(notes))


def board_table(bundle: BuiltBundle, day: Day, interval: str) -> Table:
    """Return the board with the primary score and, if it has columns, its interval.

    Parameters
    ----------
    interval: the form of the interval behind its score, such as `[{}, {}]`.
    """
    primary = bundle.ranking_column()
    ends = [primary.key + end for end in ENDS]
    ends = ends if {column.key for column in bundle.columns}.issuperset(ends) else []
    title = f"{primary.title} {interval[0]}95 % interval{interval[-1]}" if ends else primary.title
    rows = []
    for entry in day.board:
        score, *shown = map(entry.attempt.shown, (primary.key, *ends))
        score += f" {interval.format(*shown)}" if any(shown) else ""
        team, name = short_name(entry.attempt.submission.team), short_name(entry.attempt.submission.name)
        rows.append([_rank(entry, day.board, primary.key), team, score, _moved(entry), name])
    return Table(final_title(day.phase), ["rank", "team", title, "change", "submission"], rows)


def _board_text(bundle: BuiltBundle, day: Day) -> str:
    return text_table(board_table(bundle, day, "[{}, {}]"), left={0, 1, 3, 4})


def _rank(entry: Entry, board: Iterable[Entry], key: str) -> str:
    """Return a rank; for a tie, the range of ranks with the same primary score, or the rank that they share."""
    ranks = {other.rank for other in board if other.attempt.score(key) == entry.attempt.score(key)}
    return shown_rank(entry) if len(ranks) == 1 else shown_range((min(ranks), max(ranks)))


def _moved(entry: Entry) -> str:
    if entry.before is None:
        return "new"
    change = entry.before - entry.rank
    return f"up {change}" if change > 0 else f"down {-change}" if change < 0 else ""


def team_table(season: Season, phase: BuiltPhase) -> Table:
    """Return each team's runs in a phase: how many had which status, and the first, best and last score."""
    primary = season.bundle.ranking_column()
    teams: dict[str, list[Attempt]] = {}
    for attempt in season.attempts:
        if attempt.phase == phase:
            teams.setdefault(attempt.submission.team, []).append(attempt)
    rows = []
    for team, own in sorted(teams.items()):
        counts = Counter(attempt.status for attempt in own)
        scored = [attempt for attempt in own if attempt.score(primary.key) is not None]
        best = sorted(scored, key=lambda attempt: primary.better_first(attempt.score(primary.key)))
        chosen = (scored[:1], best[:1], scored[-1:])
        shown = ["".join(attempt.shown(primary.key) for attempt in runs) for runs in chosen]
        rows.append([short_name(team), *(str(counts[status]) for status in STATUSES), *shown])
    header = ["team", *map(str.lower, STATUSES), f"first {primary.title}", "best", "last"]
    return Table(f"Runs, {phase.name}", header, rows)


def short_name(text: str) -> str:
    text = printable(text)
    return text if len(text) <= 40 else f"{text[:24]}…{text[-15:]}"


def path_of(attempt: Attempt) -> str:
    return printable(f"{attempt.submission.team}/{attempt.submission.name}")


def status_counts(statuses: Mapping[str, int]) -> str:
    return ", ".join(f"{statuses.get(word, 0)} {word.lower()}" for word in STATUSES)


def season_to_json(season: Season) -> str:
    """Return the whole season as JSON in ASCII; scores are strings of decimals."""
    bundle = season.bundle
    of_phase = ("name", "opens", "closes", "per_day", "total", "rule", "hidden")
    content = {
        "title": bundle.title,
        "platform": bundle.platform,
        "primary": bundle.ranking_column().key,
        "phases": [{key: getattr(phase, key) for key in of_phase} for phase in bundle.phases],
        "days": [{"day": str(day.day), **_day_json(day)} for day in season.days],
        "final": [*map(_day_json, season.final)],
        "attempts": [*map(_attempt_json, season.attempts)],
        "notes": notes_of(season),
    }
    return json.dumps(content, indent=2, default=str)


def _day_json(day: Day) -> dict[str, Any]:
    board = [
        {
            **{"rank": entry.rank, "tied": entry.tied, "before": entry.before},
            **_submission_json(entry.attempt),
            "scores": _scores_json(entry.attempt),
        }
        for entry in day.board
    ]
    return {"phase": day.phase.name, "board": board}


def _attempt_json(attempt: Attempt) -> dict[str, Any]:
    return {
        **_submission_json(attempt),
        "phase": attempt.phase and attempt.phase.name,
        "status": attempt.status,
        "scores": _scores_json(attempt),
        "reasons": list(attempt.reasons),
        "warnings": list(attempt.result.warnings) if attempt.result else [],
    }


def _submission_json(attempt: Attempt) -> dict[str, str]:
    upload = attempt.submission
    return {"team": upload.team, "submission": upload.name, "time": str(upload.time)}


def _scores_json(attempt: Attempt) -> dict[str, str | None]:
    scores = attempt.result.scores if attempt.result else {}
    return {key: None if score is None else f"{score:f}" for key, score in scores.items()}
