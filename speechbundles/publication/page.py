"""A board as one HTML page: the first clusters, the ranking, plots, pairs, and all further tables.

On a screen, a short script sorts tables and filters the ranking; the page is complete without it. The content policy
allows this script, by its hash, and the page's own styles; nothing can be loaded or sent. In print, everything is
unfolded. Wide tables are divided into parts that fit a sheet of paper.
"""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from speechbundles.publication.about import System
from speechbundles.publication.board import Board, scores_table
from speechbundles.publication.contradictions import (
    intervals_beside_tests,
    overlaps_beside_tests,
    ranges_beside_tests,
)
from speechbundles.publication.pictures import forest_plot, rank_stability, significance_map
from speechbundles.publication.render import html_table
from spokeneval.formats.problems import count_of
from spokeneval.ranking.tables import headings, pairs_table, shown_cells
from spokeneval.report import page

MOST_CLUSTERS, MOST_NAMED = 3, 5
"""The most clusters on the podium, and the most systems that are named in each."""

_STYLE, _SCRIPT = (
    "\n" + Path(__file__).with_name(name).read_text(encoding="utf-8") for name in ("page.css", "page.js")
)

_HASH = base64.b64encode(hashlib.sha256(_SCRIPT.encode()).digest()).decode()

_POLICY = (
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
    f"script-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'\">\n"
)
"""The page's content policy, for its head."""


def to_html(board: Board) -> str:
    """Return the board as one self-contained page."""
    parts = [
        _facts(board),
        _podium(board),
        page.section(
            "Ranking",
            _ranking(board),
            forest_plot(board),
            *_notes(overlaps_beside_tests(board)),
        ),
        page.section("How to read the ranking", *_notes(board.notes)),
        _pairs(board) if board.pairs else None,
    ]
    for table in [scores_table(board), *board.tables]:
        parts.append(
            page.section(table.title, html_table(table), *_notes([table.note] if table.note else []))
        )
    parts += [
        page.section("How it was computed", page.paragraph(page.code(board.signature))),
        page.Html(f"<script>{_SCRIPT}</script>"),
    ]
    head = f"{_POLICY}<style>{_STYLE}</style>\n"
    return page.page(f"{board.about.title}: leaderboard", *parts, head=head)


def _notes(notes: Sequence[str]) -> Iterator[page.Html]:
    return (page.paragraph(note, kind="note") for note in notes)


def _facts(board: Board) -> page.Html:
    without = f", {len(board.unscored)} without a score" if board.unscored else ""
    known = {
        "Phase": board.about.phase,
        "Date": str(board.about.day or ""),
        "Score": board.measure,
        "Test set": board.units or "",
        "Systems": f"{len(board.rows)} ranked{without}",
    }
    return page.facts([(name, value) for name, value in known.items() if value])


def _podium(board: Board) -> page.Html | None:
    """Return the systems of the first clusters; None without clusters."""
    if board.rows[0].cluster is None:
        return None
    digits, baseline = board.column.precision, board.about.baseline
    clusters = [list(group) for _, group in groupby(board.rows, lambda row: row.cluster)]
    cards = []
    for number, systems in enumerate(clusters[:MOST_CLUSTERS], 1):
        named = "".join(
            f"<li>{_name(row.name)} <span>{row.score:.{digits}f}</span>"
            f"{_tag('baseline') if row.name == baseline else ''}</li>"
            for row in systems[:MOST_NAMED]
        )
        more = len(systems) - MOST_NAMED
        rest = f"\n<p>and {count_of(more, 'other system')}</p>" if more > 0 else ""
        cards.append(f"<div>\n<h3>Cluster {number}</h3>\n<ul>{named}</ul>{rest}\n</div>")
    how = "No system differs significantly from the first of its cluster; the order within a cluster may be chance."
    if len(clusters) == 1:
        how = "No system differs significantly from the first; their order may be chance."
    return page.section(
        "First clusters" if len(clusters) > 1 else "One cluster",
        page.Html(f'<div class="podium">\n{"".join(cards)}\n</div>'),
        page.paragraph(how, kind="note"),
    )


def _name(name: str) -> str:
    """Return a system's name, whose direction of writing does not change that of the text around it."""
    return f"<bdi>{page.text(name)}</bdi>"


def _ranking(board: Board) -> page.Html:
    """Return the ranking with the trivial baselines at their places; systems without a score come last."""
    about, digits = board.about, board.column.precision
    sign = 1 if board.column.direction == "higher" else -1
    rank, *others = headings(board)
    header = [rank, "System", *others]
    header += ["Description"] if any(map(any, about.systems.values())) else []
    lines: list[tuple[float, page.Html]] = []
    before = board.rows[0].cluster
    for row in board.rows:
        kinds = ["band"] if row.cluster is not None and row.cluster % 2 == 0 else []
        kinds += ["begins"] if row.cluster != before else []
        before = row.cluster
        word = "baseline" if row.name == about.baseline else ""
        lines.append((sign * row.score, _row(board, row.name, word, shown_cells(row, digits), kinds)))
    for answer, score in board.trivial.items():
        place = sum(value >= sign * float(score) for value, _ in lines)
        line = _row(board, answer, "trivial baseline", ["–", score, "–", "–", "–"], [])
        lines.insert(place, (sign * float(score), line))
    body = [line for _, line in lines]
    body += [_row(board, name, "no score", ["–"] * 5, []) for name in board.unscored]
    head = "".join(
        f'<th scope="col"{_WORDS if title in ("System", "Description") else _NUMBER}>{page.text(title)}</th>'
        for title in header
    )
    rows = "\n".join(line.markup for line in body)
    return page.Html(
        '<div class="scroll" role="region" aria-label="Ranking" tabindex="0">\n<table class="ranking">\n'
        f"<caption><span>{page.text(board.measure)}</span></caption>\n"
        f"<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


_NUMBER, _WORDS = ' class="number"', ""


def _row(board: Board, name: str, word: str, numbers: Sequence[str], kinds: Sequence[str]) -> page.Html:
    """Return a row of the ranking; `word` marks rows that are not those of a competing system."""
    kinds = [*kinds, *(["marked"] if word else [])]
    attribute = f' class="{" ".join(kinds)}"' if kinds else ""
    mark = _tag(word) if word else ""
    rank, *others = (f"<td{_NUMBER}>{number}</td>" for number in numbers)
    systems = board.about.systems
    described = _described(systems.get(name, System())) if any(map(any, systems.values())) else ""
    return page.Html(
        f'<tr{attribute}>{rank}<th scope="row">{_name(name)}{mark}</th>{"".join(others)}{described}</tr>'
    )


def _described(system: System) -> str:
    track = _tag(system.track) if system.track else ""
    lines = [f"<small>{page.text(line)}</small>" for line in (system.affiliation, system.description) if line]
    return f"<td>{_name(system.team)}{track}{''.join(lines)}</td>"


def _tag(word: str) -> str:
    return f' <span class="tag">{page.text(word)}</span>'


def _pairs(board: Board) -> page.Html:
    """Return the section on pairs: significance map, rank stability, and differences, neighbours in rank first."""
    table = pairs_table(board)
    return page.section(
        "Pairs of systems",
        significance_map(board),
        *_notes(ranges_beside_tests(board)),
        rank_stability(board),
        html_table(table, f"{table.title} ({len(table.rows)} pairs)", shown=page.ROWS),
        *_notes([f"All {len(table.rows)} pairs are in pairs.csv."] if len(table.rows) > page.ROWS else []),
        *_notes(intervals_beside_tests(board)),
    )
