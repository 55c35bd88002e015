"""A rehearsed season as one HTML page: final boards, the scores of each team by day, daily boards, refusals."""

from collections import Counter
from collections.abc import Callable, Sequence
from datetime import date

from speechbundles.bundle.rehearse import FINISHED
from speechbundles.model.bundle import BuiltPhase
from speechbundles.model.dates import MINUTES
from speechbundles.publication.season.board import Day
from speechbundles.publication.season.play import Season
from speechbundles.publication.season.report import (
    board_rows,
    describe_phase,
    final_title,
    notes_of,
    path_of,
    sentences,
    short_name,
    status_counts,
    team_rows,
)
from spokeneval.formats.problems import count_of
from spokeneval.report import page

UNFOLDED = 12
"""Number of teams whose panels are not folded."""

_PANELS = "display: grid; grid-template-columns: repeat(auto-fill, minmax(min(13rem, 45%), 1fr)); gap: 0.9rem 1.2rem"
_PANEL = "display: grid; grid-template-rows: 1fr auto; break-inside: avoid"
_NAME = "display: flex; gap: 0.6rem; justify-content: space-between; align-items: end; line-height: 1.3"
_WIDTH, _HEIGHT, _EDGE = 200, 80, 6
"""Units of a team's panel, and its empty edge."""


def to_html(season: Season) -> str:
    """Return one self-contained page."""
    lost = [attempt for attempt in season.attempts if attempt.status != FINISHED]
    rows = [
        [
            f"{attempt.submission.time:{MINUTES}}",
            path_of(attempt),
            attempt.status.lower(),
            sentences(attempt.reasons),
        ]
        for attempt in lost
    ]
    header = ["Time (UTC)", "Submission", "Status", "Why"]
    refusals = page.long_table("Attempts without a score", header, rows, shown=len(rows))
    notes = notes_of(season)
    return page.page(
        f"Season: {season.bundle.title}",
        _facts(season),
        *(_phase(season, place, day.phase) for place, day in enumerate(season.final)),
        page.section("Refused and failed", refusals) if lost else None,
        page.section("Notes", *(page.paragraph(sentences([note])) for note in notes)) if notes else None,
    )


def _facts(season: Season) -> page.Html:
    attempts = season.attempts
    teams = {attempt.submission.team for attempt in attempts}
    counts = status_counts(Counter(attempt.status for attempt in attempts))
    days = sorted({attempt.submission.time.date() for attempt in attempts})
    phases = [(phase.name, sentences([describe_phase(phase)])) for phase in season.bundle.phases]
    return page.facts(
        [
            (
                "Platform",
                {"codalab": "CodaLab"}.get(season.bundle.platform, season.bundle.platform.capitalize()),
            ),
            ("Teams", len(teams)),
            ("Attempts", f"{len(attempts)}: {counts}"),
            ("Uploads", f"from {days[0]} to {days[-1]}" if days else "none"),
            *phases,
        ]
    )


def _phase(season: Season, place: int, phase: BuiltPhase) -> page.Html:
    days = [day for day in season.days if day.phase == phase]
    daily = [
        page.folded(
            f"{day.day}: {status_counts(day.attempts)}",
            _board(season, day, f"Leaderboard of {day.day}, {phase.name}"),
        )
        for day in reversed(days)
    ]
    return page.section(
        phase.name,
        _board(season, days[-1], final_title(phase)),
        _course(season, place, days),
        _table(f"Teams, {phase.name}", team_rows(season, phase), page.long_table),
        page.folded(
            f"The leaderboard at the end of each day, the latest first ({count_of(len(days), 'day')})", *daily
        ),
    )


def _board(season: Season, day: Day, caption: str) -> page.Html:
    """Return the board with the team in the first column."""
    rows = board_rows(season.bundle, day, "({} to {})")
    return _table(caption, [[team, rank, *rest] for rank, team, *rest in rows])


def _table(
    caption: str, rows: Sequence[Sequence[str]], made: Callable[..., page.Html] = page.table
) -> page.Html:
    header, *body = rows
    titles = [title[:1].upper() + title[1:] for title in header]
    return made(caption, titles, body, shown=len(body))


def _course(season: Season, place: int, days: Sequence[Day]) -> page.Html | None:
    """Return a panel for each team with its score from day to day above those of the others; None for one day."""
    primary = season.bundle.ranking_column()
    courses: dict[str, list[tuple[date, float]]] = {}
    last: dict[str, tuple[int, str]] = {}
    for day in days:
        seen = set()
        for entry in day.board:
            team, score = entry.attempt.submission.team, entry.attempt.score(primary.key)
            if team not in seen and score is not None:
                courses.setdefault(team, []).append((day.day, float(score)))
                last[team] = (entry.rank, entry.attempt.shown(primary.key))
            seen.add(team)
    if len(days) < 2 or not courses:
        return None
    scores = [score for course in courses.values() for _, score in course]
    worst, best = (min(scores), max(scores)) if primary.direction == "higher" else (max(scores), min(scores))
    span = (days[-1].day - days[0].day).days

    def x(day: date) -> float:
        return _EDGE + (_WIDTH - 2 * _EDGE) * (day - days[0].day).days / span

    def y(score: float) -> float:
        return (
            _HEIGHT
            - _EDGE
            - (_HEIGHT - 2 * _EDGE) * ((score - worst) / (best - worst) if best != worst else 0.5)
        )

    lines = {
        team: f"M{x(course[0][0]):.1f} {y(course[0][1]):.1f}"
        + "".join(f"H{x(day):.1f}V{y(score):.1f}" for day, score in course[1:])
        + f"H{_WIDTH - _EDGE}"
        for team, course in courses.items()
    }
    named = f"courses-{place}"
    thin = "fill: none; stroke: var(--cue); stroke-width: 0.7"
    everyone = f'<path id="{named}" d="{"".join(lines.values())}" style="{thin}"/>'
    panels: list[str] = []
    for team in sorted(lines, key=lambda team: last[team][0]):
        rank, shown = last[team]
        behind = everyone if not panels else f'<use href="#{named}"/>'
        panels.append(
            f'<div style="{_PANEL}"><div style="{_NAME}"><span style="overflow-wrap: anywhere">{rank}.&nbsp;'
            f"{page.text(short_name(team))}</span><b>{page.text(shown)}</b></div>"
            f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" aria-hidden="true" focusable="false">{behind}'
            f'<path d="{lines[team]}" style="fill: none; stroke: var(--accent); stroke-width: 2.5"/>'
            f'<circle cx="{_WIDTH - _EDGE}" cy="{y(courses[team][-1][1]):.1f}" r="4" style="fill: var(--accent)"/>'
            "</svg></div>"
        )
    digits = primary.precision
    caption = (
        f"{primary.title} of each team on the leaderboard from {days[0].day} to {days[-1].day}, above the other teams "
        f"in grey; every panel has {best:.{digits}f} at its top and {worst:.{digits}f} at its bottom"
    )
    label = f"{primary.title} by day; the leaderboards have the numbers"
    first, others = _panels(caption, label, panels[:UNFOLDED]), panels[UNFOLDED:]
    if not others:
        return first
    rest = _panels(f"The same for the other teams, {days[0].phase.name}", label, others)
    more = page.folded(f"Scores by day of the other {count_of(len(others), 'team')}", rest)
    return page.Html(f"{first.markup}\n{more.markup}")


def _panels(caption: str, label: str, panels: Sequence[str]) -> page.Html:
    joined = "\n".join(panels)
    return page.figure(caption, label, page.Html(f'<div style="{_PANELS}">\n{joined}\n</div>'))
