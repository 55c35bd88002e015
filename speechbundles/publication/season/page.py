"""A rehearsed season as one HTML page: the final board of each phase, and the scores of its teams by day."""

from collections import Counter
from datetime import date
from typing import Any

from speechbundles.publication import fitted_tables
from speechbundles.publication.season.board import Day
from speechbundles.publication.season.play import Season
from speechbundles.publication.season.report import board_table, short_name, status_counts
from spokeneval.formats.problems import count_of
from spokeneval.ranking.values import Table
from spokeneval.report import page, plots

_LINES = list(zip((plots.BLUE, plots.ORANGE, plots.GREEN), plots.LINE_STYLES, strict=True))
_MARKERS = "os^D"

NAMED = len(_LINES) * len(_MARKERS)
"""Most teams with a name in the chart: the first ones of the final board. No two differ in the colour alone."""


def season_to_html(season: Season) -> str:
    """Return one self-contained page."""
    counts = status_counts(Counter(attempt.status for attempt in season.attempts))
    return page.page(
        f"Season: {season.bundle.title}",
        page.paragraph(f"{count_of(len(season.attempts), 'attempt')}: {counts}"),
        *(
            page.section(day.phase.name, *_board(season, day), _chart(season, day, number))
            for number, day in enumerate(season.final)
        ),
    )


def _board(season: Season, day: Day) -> list[page.Html]:
    """Return the board with the team in the first column."""
    table = board_table(season.bundle, day, "({} to {})")
    header, *rows = ([team, rank, *rest] for rank, team, *rest in [table.header, *table.rows])
    return fitted_tables(Table(table.title, [title[:1].upper() + title[1:] for title in header], rows))


def _chart(season: Season, final: Day, number: int) -> page.Html | None:
    """Return each team's score from day to day; None for one day."""
    primary = season.bundle.ranking_column()
    courses: dict[str, dict[date, float]] = {entry.attempt.submission.team: {} for entry in final.board}
    bounds: dict[float, str] = {}
    days = [day for day in season.days if day.phase == final.phase]
    for day in days:
        for entry in reversed(day.board):  # the best of several entries is the last that counts
            score = entry.attempt.score(primary.key)
            if score is not None:
                if (shown := entry.attempt.shown(primary.key)).endswith(")"):
                    bounds[float(score)] = shown
                courses.setdefault(entry.attempt.submission.team, {})[day.day] = float(score)
    if len(days) < 2 or not any(courses.values()):
        return None

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for place, (team, course) in enumerate(courses.items()):
            if not course:
                continue
            style: dict[str, Any] = {"color": plots.LINE, "zorder": 1}
            if place < NAMED:
                colour, dashes = _LINES[place % len(_LINES)]
                name = f" {short_name(team)}".replace("$", r"\$")  # without the space, matplotlib drops "_a"
                style = {"color": colour, "linestyle": dashes, "label": name}
                style |= {"marker": _MARKERS[place // len(_LINES)], "markerfacecolor": plots.INK}
                style |= {"markeredgecolor": plots.INK, "markersize": 4}
            scores = [*course.values()]
            axes.step([*course, final.day], [*scores, scores[-1]], where="post", **style)
        if primary.direction == "lower":
            axes.invert_yaxis()
        ticks = [day.day for day in days][:: len(days) // 8 + 1]
        axes.set_xticks(ticks, [f"{day}" for day in ticks])
        axes.set_xlabel("day")
        axes.set_ylabel(primary.title.replace("$", r"\$"))
        axes.grid(axis="y")
        for score, shown in bounds.items():
            axes.axhline(score, color=plots.GREY, linestyle=":", zorder=0)
            axes.annotate(shown, (days[0].day, score), (2, 2), textcoords="offset points", fontsize=8)
        figure.autofmt_xdate()
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
        figure.tight_layout()

    caption = f"{primary.title} of each team on the leaderboard of {final.phase.name}, better scores above"
    svg = plots.plot(f"course{'x' * number}", draw, width=7.5, height=3.5, narrowest=5)
    return page.figure(caption, f"{primary.title} by day; the leaderboard has the last numbers", svg)
