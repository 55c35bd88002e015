"""A board as one HTML page: the winner, the ranking, plots, pairs, and all further tables.

On a screen, a short script sorts tables and filters the ranking; the page is complete without it. The content policy
allows this script, by its hash, and the page's own styles; nothing can be loaded or sent. In print, everything is
unfolded. Wide tables are divided into parts that fit a sheet of paper.
"""

import base64
import hashlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from speechbundles.leaderboard.about import System
from speechbundles.leaderboard.board import Board, scores_table
from speechbundles.leaderboard.pictures import forest_plot, rank_stability, significance_map
from speechbundles.leaderboard.render import html_table
from spokeneval.formats.problems import count_of
from spokeneval.ranking.tables import headings, pairs_table, shown_cells
from spokeneval.report import page

MOST_NAMED = 5
"""The most systems that are named beside the first."""

_HERE = Path(__file__).parent
_STYLE, _SCRIPT = ("\n" + (_HERE / name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))

_PARTS = Environment(loader=FileSystemLoader(_HERE), undefined=StrictUndefined, trim_blocks=True)
_PARTS.filters |= {"text": page.text, "count_of": count_of}


def _fill(macro: str, *contents: object) -> page.Html:
    """Return a part of the page, filled in by a macro of its template."""
    return page.Html(str(getattr(_PARTS.get_template("page.html").module, macro)(*contents)))


_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()

_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    f"script-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'\">\n"
)
"""The page's content policy, for its head."""


def to_html(board: Board) -> str:
    """Return the board as one self-contained page."""
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
        page.Html(f"<script>{_SCRIPT}</script>"),
    ]
    head = f"{_POLICY}<style>{_STYLE}</style>\n"
    return page.page(f"{board.about.title}: leaderboard", *parts, head=head)


def _notes(notes: Sequence[str]) -> Iterator[page.Html]:
    return (page.paragraph(note, kind="note") for note in notes)


def _facts(board: Board) -> page.Html:
    without = f", {len(board.unscored)} without a score" if board.unscored else ""
    ranked = len(board.eligible)
    without = (f", {len(board.rows) - ranked} excluded" if ranked < len(board.rows) else "") + without
    known = {
        **{"Phase": board.about.phase, "Date": str(board.about.day or ""), "Score": board.measure},
        **{"Test set": board.units or "", "Systems": f"{ranked} ranked{without}"},
    }
    return page.facts([(name, value) for name, value in known.items() if value])


def _winner(board: Board) -> page.Html:
    """Return who has the first rank, and which systems do not differ significantly from the first.

    Systems whose range of ranks is below that of the first are not among these.
    """
    if not board.eligible:
        return page.paragraph("No system is ranked: a rule excludes all of them.", kind="refused")
    rows = board.eligible
    first, worst = [row for row in rows if row.rank == 1], (rows[0].ranks or (1, len(rows)))[1]
    alike = [row.name for row in rows if row.cluster == 1 and (row.ranks or (1, 1))[0] <= worst][1:]
    score = shown_cells(first[0], board.column.precision)[1]
    return _fill("winner", first, score, board, rows, alike, MOST_NAMED, first[0].cluster is not None)


class _Line(NamedTuple):
    """A row of the ranking; `word` marks rows that are not those of a competing system, `kinds` are its classes."""

    name: str
    word: str
    cells: Sequence[str]
    kinds: Sequence[str]
    system: System


def _ranking(board: Board) -> page.Html:
    """Return the ranking with the trivial baselines at their places; systems without a score come last."""
    systems, digits = board.about.systems, board.column.precision
    described = any(map(any, systems.values()))
    sign = 1 if board.column.direction == "higher" else -1
    rank, *others = headings(board)
    header = [rank, "System", *others, *(["Description"] if described else [])]

    def line(name: str, word: str, cells: Sequence[str], *kinds: str) -> _Line:
        return _Line(name, word, cells, [*kinds, *["marked"] * bool(word)], systems.get(name, System()))

    lines: list[tuple[float, _Line]] = []
    before = board.rows[0].cluster
    for row in board.rows:
        kinds = ["band"] * (row.cluster is not None and row.cluster % 2 == 0)
        kinds += ["begins"] * (row.cluster != before)
        before = row.cluster
        word = row.excluded or ("baseline" if row.name == board.about.baseline else "")
        shown = line(row.name, word, shown_cells(row, digits), *kinds)
        lines.append((-math.inf if row.excluded else sign * row.score, shown))
    for answer, score in board.trivial.items():
        place = sum(value >= sign * float(score) for value, _ in lines)
        trivial = line(answer, "trivial baseline", ["–", score, "–", "–", "–"])
        lines.insert(place, (sign * float(score), trivial))
    body = [each for _, each in lines] + [line(name, "no score", ["–"] * 5) for name in board.unscored]
    return _fill("ranking", board.measure, header, body, described)


def _pairs(board: Board) -> page.Html:
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
