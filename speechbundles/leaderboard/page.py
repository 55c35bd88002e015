"""A board as one HTML page: the winner, the ranking, plots, pairs, and all further tables.

On a screen, a short script sorts tables and filters the ranking; the page is complete without it. The content policy
allows this script, by its hash, and the page's own styles; nothing can be loaded or sent. In print, everything is
unfolded. Wide tables are divided into parts that fit a sheet of paper.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from speechbundles.leaderboard.about import Description
from speechbundles.leaderboard.pictures import forest_plot, rank_stability, significance_map
from speechbundles.leaderboard.render import fitted_tables, html_table
from spokeneval.formats.problems import count_of
from spokeneval.ranking.joint import why_apart
from spokeneval.ranking.joint_rule import EXCLUDED
from spokeneval.ranking.leaderboard import Leaderboard, TextTable
from spokeneval.ranking.writers import apart_table, pairs_table, ranking_table, scores_table
from spokeneval.report import page

HTML_FILE, INDEX_FILE = "board.html", "index.html"

MOST_NAMED = 5
"""The most systems that are named beside the first."""

_HERE = Path(__file__).parent
_STYLE, _SCRIPT = ((_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))

_PARTS = Environment(loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True)
_PARTS.filters |= {"text": page.text, "count_of": count_of}


def _fill(macro: str, *contents: object) -> page.Html:
    """Return a part of the page, filled in by a macro of its template."""
    return page.Html(str(getattr(_PARTS.get_template("page.html").module, macro)(*contents)))


def to_html(board: Leaderboard) -> str:
    """Return the leaderboard as one self-contained page; of several tasks, the joint ranking comes first."""
    if board.tasks:
        return page.page(f"{board.title}: leaderboard", *_parts_of_tasks(board))
    computed = page.paragraph(page.code(board.signature))
    parts = [
        _winner(board),
        page.section("Ranking", _ranking(board), forest_plot(board)),
        _facts(board),
        page.section("How to read the ranking", *_notes(board.notes)),
        _pairs(board) if board.pairs else None,
        *(
            page.section(table.title, html_table(table), *_notes([table.note] if table.note else []))
            for table in [scores_table(board), *board.tables]
        ),
        page.section("How it was computed", computed),
    ]
    return page.page(f"{board.title}: leaderboard", *parts, style=f"\n{_STYLE}", script=_SCRIPT)


def _parts_of_tasks(board: Leaderboard) -> Iterator[page.Html]:
    """Yield the joint ranking, who is not in it, its pairs, and the ranking of each task."""
    baseline = {board.baseline.name} if board.baseline else set()
    teams = {name for each in board.tasks.values() for name in (*each.names, *each.unscored)} - baseline
    yield page.facts(
        [
            ("Score", board.measure if board.is_joint else "none over all tasks"),
            ("Test sets", board.units or ""),
            ("Teams", f"{count_of(len(teams), 'team')}, {len(board.apart)} not ranked"),
            ("Tasks", "; ".join(f"{name}: {title}" for name, title in board.titles.items() if name != title)),
            ("Date", str(board.day)),
        ]
    )
    if board.is_joint:
        table = ranking_table(board)
        yield page.section("Joint ranking", *fitted_tables(table), *_notes([table.note, *board.notes]))
    if board.apart and board.rule:
        entered = {name: {*each.names} for name, each in board.tasks.items()}
        excluded = board.is_joint and board.rule.missing == EXCLUDED
        apart = {
            team: why_apart(team, entered, board.rule.compulsory, excluded=excluded, called=board.titles)
            or why
            for team, why in board.apart.items()
        }
        yield page.section("Not ranked", html_table(apart_table(apart)))
    if board.pairs:
        pairs = pairs_table(board)
        yield page.section(pairs.title, html_table(pairs, shown=page.ROWS))
    for name, each in board.tasks.items():
        link = page.Html(f'<a href="{name}/{HTML_FILE}">{page.text("Intervals, differences and notes")}</a>')
        yield page.section(each.title, html_table(_marked(each)), page.paragraph(link))


def _marked(board: Leaderboard) -> TextTable:
    """Return the ranking of a task as a table in which the baseline is marked."""
    table = ranking_table(board)
    rows = [[f"{name} (baseline)" if name == board.marked else name, *cells] for name, *cells in table.rows]
    return replace(table, rows=rows)


def _notes(notes: Sequence[str]) -> Iterator[page.Html]:
    return (page.paragraph(note, kind="note") for note in notes)


def _facts(board: Leaderboard) -> page.Html:
    without = f", {len(board.unscored)} without a score" if board.unscored else ""
    ranked = len(board.eligible)
    without = (f", {len(board.rows) - ranked} excluded" if ranked < len(board.rows) else "") + without
    known = {
        **{"Phase": board.phase, "Date": str(board.day or ""), "Score": board.measure},
        **{"Test set": board.units or "", "Systems": f"{ranked} ranked{without}"},
    }
    return page.facts([(name, value) for name, value in known.items() if value])


def _winner(board: Leaderboard) -> page.Html:
    """Return who has the first rank, and which systems do not differ significantly from the first.

    Systems whose range of ranks is below that of the first are not among these.
    """
    if not board.eligible:
        return page.paragraph("No system is ranked: all are excluded.", kind="refused")
    rows = board.eligible
    first, worst = [row for row in rows if row.rank == 1], (rows[0].ranks or (1, len(rows)))[1]
    alike = [row.name for row in rows if row.cluster == 1 and (row.ranks or (1, 1))[0] <= worst][1:]
    score = f"{first[0].score:.{board.column.precision}f}"
    return _fill("winner", first, score, board, rows, alike, MOST_NAMED, first[0].cluster is not None)


class _Shown(NamedTuple):
    """A row of the ranking; `word` marks rows that are not those of a competing system, `kinds` are its classes."""

    name: str
    word: str
    cells: Sequence[str]
    kinds: Sequence[str]
    system: Description


def _ranking(board: Leaderboard) -> page.Html:
    """Return the ranking with the trivial baselines at their places; systems without a score come last."""
    systems, table = board.descriptions, ranking_table(board)
    described = any(any(own[:-2]) for own in systems.values())  # besides recogniser and official
    sign = 1 if board.column.direction == "higher" else -1
    _, rank, *others = table.header
    header = [rank, "System", *others, *(["Description"] if described else [])]

    def line(name: str, word: str, cells: Sequence[str], *kinds: str) -> _Shown:
        return _Shown(name, word, cells, [*kinds, *["marked"] * bool(word)], systems.get(name, Description()))

    lines: list[tuple[float, _Shown]] = []
    before = board.rows[0].cluster
    for row, (_, *cells) in zip(board.rows, table.rows, strict=False):
        kinds = ["band"] * (row.cluster is not None and row.cluster % 2 == 0)
        kinds += ["begins"] * (row.cluster != before)
        before = row.cluster
        word = row.excluded or ("baseline" if row.name == board.marked else "")
        shown = line(row.name, word, cells, *kinds)._replace(name=row.called)
        lines.append((-math.inf if row.excluded else sign * row.score, shown))
    for answer, score in board.trivial.items():
        place = sum(value >= sign * float(score) for value, _ in lines)
        trivial = line(answer, "trivial baseline", ["–", score, *["–"] * (len(others) - 1)])
        lines.insert(place, (sign * float(score), trivial))
    body = [each for _, each in lines] + [
        line(name, "no score", ["–"] * (1 + len(others))) for name in board.unscored
    ]
    return _fill("ranking", board.measure, header, body, described)


def _pairs(board: Leaderboard) -> page.Html:
    """Return the section on pairs: significance map, rank stability, and differences, neighbours in rank first."""
    table = pairs_table(board)
    summary, more = f"{table.title} ({len(table.rows)} pairs)", len(table.rows) > page.ROWS
    return page.section(
        "Pairs of systems",
        significance_map(board),
        rank_stability(board),
        html_table(table, summary, shown=page.ROWS),
        *_notes([f"All {len(table.rows)} pairs are in pairs.csv."] * more),
    )
