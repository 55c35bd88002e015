"""A played season for people, and as JSON. Both depend on the season alone: the same files, the same output."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len

from bundling.rehearsal import FAILED, FINISHED
from bundling.rehearsal_bundle import CODABENCH
from bundling.season import (
    REFUSED,
    Attempt,
    Day,
    Entry,
    Season,
    better_first,
    printable,
)
from bundling.season_bundle import PICKED, Competition, Phase


def to_text(season: Season) -> str:
    """The board day by day, the final board, what each team did, and the attempts that count for nothing."""
    competition = season.competition
    statuses = Counter(one.status for one in season.attempts)
    teams = {one.submission.team for one in season.attempts}
    lines = [f"{competition.title} ({competition.platform})", ""]
    lines += [f"  {phase}{', hidden' if phase.hidden else ''}" for phase in competition.phases]
    lines += [
        "",
        f"{_count(len(teams), 'team')}, {_count(len(season.attempts), 'attempt')}: {_told(statuses)}",
    ]
    for day in season.days:
        lines += ["", f"{day.day}, {day.phase.name}: {_told(day.attempts)}", *_board_text(competition, day)]
    for day in season.final:
        lines += ["", f"Final board, {day.phase.name} ({day.phase.rule})", *_board_text(competition, day)]
        lines += ["", *_teams_text(season, day.phase)]
    notes = [
        *_notes(season),
        *(f"{text} ({_count(n, 'run')})" for text, n in sorted(season.warnings.items())),
    ]
    if notes:
        lines += ["", "Notes", *(f"  {note}" for note in notes)]
    lost = [one for one in season.attempts if one.status != FINISHED]
    if lost:
        lines += ["", f"Refused and failed: {_count(len(lost), 'attempt')}"]
    for one in lost:
        first, *more = one.reasons or ("(no reason given)",)
        lines.append(f"  {one.submission.time}  {_path(one)}  {one.status}: {first}")
        lines += [f"      {line}" for line in more]
    return printable("\n".join(lines))


def _notes(season: Season) -> list[str]:
    notes = list(season.competition.notes)
    for day in season.final:
        if day.phase.rule in PICKED:
            notes.append(
                f"{day.phase.name}: participants pick what is on the board ({day.phase.rule}); "
                "shown is the best of each, as if all picked that"
            )
        if day.phase.hidden:
            notes.append(f"{day.phase.name}: participants do not see this board")
        missing = [
            entry for entry in day.board if entry.attempt.score(season.competition.primary.key) is None
        ]
        for entry in missing:
            notes.append(
                f"{day.phase.name}: rank {entry.rank} is {_path(entry.attempt)}, without a primary score"
            )
    if any(entry.tied for day in season.days for entry in day.board):
        told_apart = (
            "told apart by the other visible columns in their order, then by the earlier upload"
            if season.competition.platform == CODABENCH
            else "they share the rank"
        )
        notes.append(f"= after a rank: another has the same {season.competition.primary.title}; {told_apart}")
    return notes


def _board_text(competition: Competition, day: Day) -> list[str]:
    """The board with the primary score, and its interval where there are columns for it."""
    key = competition.primary.key
    columns = [one for one in competition.columns if one.key in (key, f"{key}_low", f"{key}_high")]
    rows = [["rank", "", "team", *(column.title for column in columns), "submission"]]
    for entry in day.board:
        rows.append(
            [
                f"{entry.rank}{'=' if entry.tied else ' '}",
                _moved(entry),
                _name(entry.attempt.submission.team),
                *(entry.attempt.shown(column.key) for column in columns),
                _name(entry.attempt.submission.name),
            ]
        )
    return _table(rows, right={0, *range(3, 3 + len(columns))})


def _teams_text(season: Season, phase: Phase) -> list[str]:
    """What each team did in a phase; its first, best and last scores show what the limits and the rule do."""
    competition = season.competition
    primary = competition.primary
    title = primary.title
    rows = [["team", "finished", "failed", "refused", f"first {title}", "best", "last"]]
    for team in sorted({one.submission.team for one in season.attempts if one.phase == phase}):
        own = [one for one in season.attempts if one.phase == phase and one.submission.team == team]
        counts = Counter(one.status for one in own)
        scored = [one for one in own if one.score(primary.key) is not None]
        shown = ["", "", ""]
        if scored:
            best = min(scored, key=lambda one: better_first(one.score(primary.key), primary, True))
            shown = [one.shown(primary.key) for one in (scored[0], best, scored[-1])]
        rows.append([_name(team), *(str(counts[status]) for status in (FINISHED, FAILED, REFUSED)), *shown])
    return _table(rows, right=set(range(1, 7)))


def _table(rows: Sequence[Sequence[str]], right: set[int]) -> list[str]:
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        line = ""
        for index, (cell, width) in enumerate(zip(row, widths, strict=True)):
            padding = " " * (width - cell_len(cell))
            line += "  " + (padding + cell if index in right else cell + padding)
        lines.append(line.rstrip())
    return lines


def _moved(entry: Entry) -> str:
    if entry.before is None:
        return "new"
    change = entry.before - entry.rank
    return f"up {change}" if change > 0 else f"down {-change}" if change < 0 else ""


def _name(text: str) -> str:
    text = printable(text, breaks=False)
    return text if len(text) <= 40 else text[:39] + "…"


def _path(attempt: Attempt) -> str:
    return printable(f"{attempt.submission.team}/{attempt.submission.name}", breaks=False)


def _told(statuses: Mapping[str, int]) -> str:
    return ", ".join(f"{statuses.get(word, 0)} {word.lower()}" for word in (FINISHED, FAILED, REFUSED))


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def to_json(season: Season) -> str:
    """All of it, in ASCII; scores are strings of decimals."""
    return json.dumps(_plain(season), indent=2)


def _plain(season: Season) -> dict[str, Any]:
    competition = season.competition
    return {
        "title": competition.title,
        "platform": competition.platform,
        "primary": competition.primary.key,
        "phases": [
            {
                "name": phase.name,
                "opens": str(phase.opens),
                "closes": phase.closes and str(phase.closes),
                "per_day": phase.per_day,
                "total": phase.total,
                "rule": phase.rule,
                "hidden": phase.hidden,
            }
            for phase in competition.phases
        ],
        "days": [
            {"day": str(day.day), "phase": day.phase.name, "board": _board_json(day.board)}
            for day in season.days
        ],
        "final": [{"phase": day.phase.name, "board": _board_json(day.board)} for day in season.final],
        "attempts": [
            {
                **_who(one),
                "phase": one.phase and one.phase.name,
                "status": one.status,
                "scores": _scores_json(one),
                "reasons": list(one.reasons),
                "warnings": list(one.result.warnings) if one.result else [],
            }
            for one in season.attempts
        ],
        "notes": _notes(season),
    }


def _board_json(board: Iterable[Entry]) -> list[dict[str, Any]]:
    return [
        {
            "rank": entry.rank,
            "tied": entry.tied,
            "before": entry.before,
            **_who(entry.attempt),
            "scores": _scores_json(entry.attempt),
        }
        for entry in board
    ]


def _who(attempt: Attempt) -> dict[str, str]:
    one = attempt.submission
    return {"team": one.team, "submission": one.name, "time": str(one.time)}


def _scores_json(attempt: Attempt) -> dict[str, str | None]:
    scores = attempt.result.scores if attempt.result else {}
    return {key: None if score is None else f"{score:f}" for key, score in scores.items()}
