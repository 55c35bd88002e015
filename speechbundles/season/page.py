"""A rehearsed season as one HTML page: final boards, daily boards, teams, refusals."""

from collections.abc import Sequence
from typing import Any

from speechbundles.model.bundle import BuiltPhase
from speechbundles.model.text import printable
from speechbundles.rehearse import FINISHED
from speechbundles.season.board import Day
from speechbundles.season.play import Season
from speechbundles.season.report import (
    board_rows,
    describe_phase,
    notes_of,
    path_of,
    status_counts,
    team_rows,
)
from spokeneval.report import page, plots

MOST_DRAWN = 12
"""Most teams on one plot: their colours and line styles are still distinct."""

MOST_TICKS = 8
"""Most days that are labelled on the axis."""


def to_html(season: Season) -> str:
    """Return one self-contained page, with plots if matplotlib is installed."""
    lost = [attempt for attempt in season.attempts if attempt.status != FINISHED]
    rows = [
        [str(attempt.submission.time), path_of(attempt), attempt.status, " ".join(attempt.reasons)]
        for attempt in lost
    ]
    refusals = page.table("Attempts without a score", ["time (UTC)", "submission", "status", "why"], rows)
    return page.page(
        f"Season: {season.bundle.title}",
        *(page.paragraph(describe_phase(phase), kind="note") for phase in season.bundle.phases),
        *(_phase(season, day.phase) for day in season.final),
        page.section("Refused and failed", refusals) if lost else None,
        page.section("Notes", *(page.paragraph(note) for note in notes_of(season))),
    )


def _phase(season: Season, phase: BuiltPhase) -> page.Html:
    days = [day for day in season.days if day.phase == phase]
    folded = [
        page.folded(
            f"{day.day}: {status_counts(day.attempts)}",
            _board(season, day, f"Leaderboard of {day.day}, {phase.name}"),
        )
        for day in reversed(days)
    ]
    return page.section(
        phase.name,
        _board(season, days[-1], f"Final leaderboard, {phase.name} ({phase.rule})"),
        _course(season, phase),
        _table(f"Teams, {phase.name}", team_rows(season, phase)),
        page.paragraph("The leaderboard at the end of each day, latest day first:"),
        *folded,
    )


def _board(season: Season, day: Day, caption: str) -> page.Html:
    """Return the board as a table with the team in the first column."""
    return _table(caption, [[team, rank, *rest] for rank, team, *rest in board_rows(season.bundle, day)])


def _table(caption: str, rows: Sequence[Sequence[str]]) -> page.Html:
    header, *body = rows
    return page.table(caption, header, body, shown=len(body))


def _course(season: Season, phase: BuiltPhase) -> page.Html | None:
    """Return a plot of each team's score on the board from day to day; None if there is only one day."""
    days = [day for day in season.days if day.phase == phase]
    primary = season.bundle.ranking_column()
    teams = list(dict.fromkeys(entry.attempt.submission.team for entry in days[-1].board))[:MOST_DRAWN]
    courses: dict[str, list[tuple[Any, float]]] = {team: [] for team in teams}
    for day in days:
        seen = set()
        for entry in day.board:
            team, score = entry.attempt.submission.team, entry.attempt.score(primary.key)
            if team in courses and team not in seen and score is not None:
                courses[team].append((day.day, float(score)))
            seen.add(team)

    def draw(figure: Any) -> None:
        figure.set_layout_engine("constrained")
        axes = figure.add_subplot()
        for place, (team, course) in enumerate(courses.items()):
            colour = (plots.BLUE, plots.ORANGE, plots.GREEN, plots.GREY)[place % 4]
            axes.plot(
                *zip(*course, strict=True),
                color=colour,
                linestyle=plots.LINE_STYLES[place // 4],
                marker="o",
                markersize=3,
                drawstyle="steps-post",
                label=_short(team),
            )
        axes.set_ylabel(primary.title, parse_math=False)
        axes.grid(axis="y")
        ticks = [day.day for day in days][:: 1 + len(days) // MOST_TICKS]
        axes.set_xticks(ticks, labels=list(map(str, ticks)))
        axes.figure.autofmt_xdate()
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize=8)

    if len(days) < 2 or not any(courses.values()):
        return None
    first = f" of the first {MOST_DRAWN} teams" if len(teams) == MOST_DRAWN else ""
    caption = f"Scores on the leaderboard{first} at the end of each day"
    label = f"{primary.title} by day; the leaderboards below have the numbers"
    return page.figure(caption, label, plots.plot("course", draw, width=7, height=3.4, narrowest=5))


def _short(team: str) -> str:
    """Return a team's name for a legend, with dollar signs escaped: they would begin a formula."""
    shown = printable(team)
    return (shown if len(shown) <= 24 else shown[:23] + "…").replace("$", r"\$")
