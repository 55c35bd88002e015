"""The board's page: what it shows, what it explains, and that it can be read, printed and published as it is."""

import base64
import hashlib
import html
import re
from dataclasses import replace
from datetime import date
from itertools import combinations

import pytest

from speechbundles.leaderboard.about import Description
from speechbundles.leaderboard.page import to_html
from speechbundles.leaderboard.pictures import MOST_DRAWN
from tests.samples.boards import HOSTILE, large, rows
from tests.samples.tables import table
from tests.tools.colours import alike


class Cells:
    """The texts of the cells of each row of the first table, and the row's classes."""

    def __init__(self, markup):
        table = markup.partition("</table>")[0]
        found = re.findall(r'<tr(?: class="([^"]*)")?>(.*?)(?=<tr|$)', table, re.DOTALL)
        self.kinds = [kind for kind, _ in found]
        cells = [re.findall(r"<t[dh][^>]*>(.*?)(?=</?t[dhr])", row, re.DOTALL) for _, row in found]
        self.rows = [[html.unescape(re.sub(r"<[^>]+>", "", cell)) for cell in row] for row in cells]


# What it shows


def test_the_page_names_competition_phase_and_date(small):
    of = {"title": "Track <open>", "phase": "Evaluation (sealed)", "day": date(2027, 3, 14)}
    page = to_html(replace(small, **of))
    assert "<title>Track &lt;open&gt;: leaderboard</title>" in page
    facts = ("Evaluation (sealed)", "2027-03-14", "300 responses", "5 ranked", "Dfull (higher is better)")
    for fact in facts:
        assert f"<dd>{fact}</dd>" in page
    assert "Phase" not in to_html(small).partition("<section>")[0]


def test_the_ranking_has_the_systems_the_baseline_and_the_trivial_baselines_in_order(small):
    scores = [row.score for row in small.rows]
    assert scores[1] > scores[2] > scores[3]
    trivial = {
        "the best": f"{scores[0] + 1:.4f}",
        "between": f"{(scores[2] + scores[3]) / 2:.4f}",
        "none": "0",
    }
    board = replace(small, trivial=trivial, marked=HOSTILE[3], unscored=["failed"])
    head, *body = (found := Cells(to_html(board))).rows
    assert head == ["Rank", "System", "Dfull", "95 % interval", "Ranks (95 %)", "Cluster"]
    names = [row.name for row in small.rows]
    marked = [f"{name} baseline" if name == HOSTILE[3] else name for name in names]
    expected = ["the best trivial baseline", *marked[:3], "between trivial baseline", *marked[3:]]
    assert [cells[1] for cells in body] == [*expected, "none trivial baseline", "failed no score"]
    assert [cells[0] for cells in body] == ["–", "1=", "1=", "3", "–", "4", "5", "–", "–"]
    is_marked = ["marked" in kinds.split() for kinds in found.kinds[1:]]
    assert is_marked == [name.endswith(("baseline", "no score")) for name in (cells[1] for cells in body)]
    assert [cells[2] for cells in body if cells[1].startswith("between")] == [trivial["between"]]


def test_where_lower_scores_are_better_the_trivial_baselines_are_below(small):
    column = small.column._replace(direction="lower")
    board = replace(small, column=column, rows=rows((1, 2), (1, 2))[::-1], pairs=[], trivial={"none": "7.5"})
    assert [cells[1] for cells in Cells(to_html(board)).rows[1:]] == ["s2", "none trivial baseline", "s1"]


@pytest.mark.parametrize(("clusters", "ranks", "sentences"), table("leaderboard_cases")["winners"])
def test_the_winner_and_systems_like_it_are_named_first(small, clusters, ranks, sentences):
    found = [
        replace(row, rank=rank, tied=False)
        for row, rank in zip(rows(*[(1, 2)] * len(clusters), clusters=clusters), ranks, strict=True)
    ]
    page = to_html(replace(small, rows=found, pairs=[]))
    first = page[page.index("<h1") : page.index("<h2>Ranking")]
    words = " ".join(re.sub("<(?!/div)[^>]*>", "", first).replace("</div>", "</div> ").split())
    words = re.sub(r"systems: .* is better\.", "systems: X", words)
    assert sentences in words.replace("Not significantly different from", "Not").replace(" </div>", "</div>")


def test_systems_are_described_with_everything_escaped(small):
    system = Description("<b>T</b>", "A & B", "open", "\u202eone <i>line</i>")
    page = to_html(replace(small, descriptions={HOSTILE[3]: system}))
    assert "<b>T" not in page
    assert "<i>" not in page
    assert "\u202e" not in page
    found = {cells[1]: cells[-1] for cells in Cells(page).rows[1:]}
    assert found[HOSTILE[3]] == "<b>T</b> openA & B\\u202eone <i>line</i>"
    assert found[HOSTILE[0]] == ""


# Its order


# Labels and sizes


def test_a_page_of_a_hundred_systems_draws_the_first_thirty_and_is_small(small):
    board = large(small, 100)
    page = to_html(board)
    assert len(page.encode()) < 1_000_000
    assert page.count(f"The first {MOST_DRAWN} of 100 systems</figcaption>") == 3
    texts = re.findall(r"<text[^>]*>(\d+) [^<]*</text>", page)
    assert texts == [str(number) for number in range(1, MOST_DRAWN + 1)] * 2
    listed = [cells[1] for cells in Cells(page).rows[1:]]
    assert len(listed) == 100
    assert listed[99].endswith(" 99")
    (differ,) = re.findall(r'aria-label="(\d+) of 435 pairs differ', page)
    assert int(differ) == sum(second > first + 9 for first, second in combinations(range(30), 2))


def test_pictures_have_room_for_long_names(small):
    """41 cells of 8.5 units each, and 8 units before the map."""
    board = large(small, 9)
    name = "Boğaziçi Üniversitesi Konuşma Grubu (2)"
    page = to_html(replace(board, rows=[replace(row, name=name) for row in board.rows]))
    assert page.count(f'<text x="348" y="40" text-anchor="end">1 {name}</text>') == 2
    assert 'd="M356 26h20v20h-20zM376 46h' in page


def test_a_map_has_a_square_for_each_significant_pair_of_the_drawn_systems(small):
    page = to_html(large(small, 12))
    (squares,) = re.findall(r'<path d="([^"]*)" style="fill: var\(--blue', page)
    # Rows are 20 units high and columns as wide; pairs are ten or more places apart. The longest labels take 450.
    assert re.findall(r"M(\d+) (\d+)h20", squares) == [("650", "26"), ("670", "26"), ("670", "46")]


# Publishing and printing


def test_the_page_is_complete_without_its_script_and_loads_nothing(small):
    page = to_html(small)
    (script,) = re.findall(r"<script>(.*?)</script>", page, flags=re.DOTALL)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'" in page
    whole = page.replace(f"<script>{script}</script>", "").replace(" src=x", "")
    tags = ("<script", "<link", "<button", "<input")
    for outside in (*tags, " src=", "url(http", "@import", " hidden", "onclick"):
        assert outside not in whole
    assert not re.search(r"fetch|XMLHttpRequest|import|WebSocket|location|innerHTML", script)
    assert whole.count("<table") == whole.count("<caption>")
    assert '<html lang="en">' in page


def test_the_plots_can_be_read_without_colours(small):
    assert alike(to_html(small)) == []
    assert alike(to_html(large(small, 12))) == []
