"""A board's page in a browser: sorting, filtering, and paper; the page is complete without its script."""

import shutil
import subprocess
from dataclasses import replace

import pytest

from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard.about import Description
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.page import to_html
from speechbundles.model.sources import Sources
from tests.samples.boards import HOSTILE, large, noisy_systems
from tests.samples.programs import ROOT

pytest.importorskip("playwright", reason="needs the extra `browser`")
from tests.tools.browser.check import check_page, find_chromium, open_chromium

CHROMIUM = find_chromium()
pytestmark = [pytest.mark.thorough, pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium")]

NAMES = (
    "[...document.querySelectorAll('.ranking tbody tr:not([hidden]) bdi')].map((name) => name.textContent)"
)


@pytest.fixture(scope="module")
def board(tmp_path_factory):
    paths = noisy_systems(tmp_path_factory.mktemp("outputs"), names=HOSTILE)
    return ranking.make_board(Sources(ROOT), read_outputs(paths))


@pytest.fixture(scope="module")
def browser():
    with open_chromium(CHROMIUM) as opened:
        yield opened


def written(folder, board):
    path = folder / "board.html"
    path.write_text(to_html(board), encoding="utf-8")
    return path


def test_the_ranking_is_sorted_and_filtered(board, browser, tmp_path):
    systems = {HOSTILE[3]: Description("Équipe Été"), HOSTILE[0]: Description("Nobody")}
    board = replace(board, descriptions=systems)
    page = browser.new_page()
    complaints = []
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(written(tmp_path, board).as_uri())
    named = [name for name in page.evaluate(NAMES) if name]
    in_order = [row.name for row in board.rows]
    assert [name for name in named if name in in_order] == in_order
    score = page.get_by_role("button", name="Dfull", exact=True).first
    for expected, direction in ((in_order[::-1], "ascending"), (in_order, "descending")):
        score.click()
        found = [name for name in page.evaluate(NAMES) if name in in_order]
        assert [board.rows[in_order.index(name)].score for name in found] == [
            board.rows[in_order.index(name)].score for name in expected
        ]
        assert page.locator(".ranking th[aria-sort]").get_attribute("aria-sort") == direction
    page.get_by_role("button", name="Rank", exact=True).click()
    assert [name for name in page.evaluate(NAMES) if name in in_order][2:] == in_order[2:]
    page.get_by_label("Filter systems").fill("été ÉQUIPE")
    assert page.locator(".ranking tbody tr:visible").count() == 1
    assert HOSTILE[3] in page.locator(".ranking tbody tr:visible").inner_text()
    assert page.locator("output").inner_text().startswith("1 of ")
    page.get_by_label("Filter systems").fill("")
    assert page.locator(".ranking tbody tr:visible").count() == len(
        page.query_selector_all(".ranking tbody tr")
    )
    assert complaints == []
    page.close()


def test_without_scripts_every_row_is_shown(board, browser, tmp_path):
    page = browser.new_page(java_script_enabled=False)
    page.goto(written(tmp_path, board).as_uri())
    assert page.locator(".ranking tbody tr:visible").count() == len(board.rows) + len(board.trivial)
    assert page.locator("button, input").count() == 0
    page.close()


def test_a_wide_board_has_no_defect_on_any_screen_or_on_paper(board, browser, tmp_path):
    assert check_page(browser, written(tmp_path, large(board, 12))) == []


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext")
def test_on_paper_every_column_is_there_and_headers_are_repeated(board, browser, tmp_path):
    page = browser.new_page()
    wide = large(board, 40)
    page.goto(written(tmp_path, wide).as_uri())
    page.pdf(path=tmp_path / "board.pdf", format="A4")
    page.close()
    command = ["pdftotext", "-layout", str(tmp_path / "board.pdf"), "-"]
    sheets = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split("\f")
    words = " ".join(" ".join(sheets).split())
    for number in range(60):
        assert f"condition{number} " in words
    for score in wide.definition.scores:
        assert all(word in words for word in score.heading.split())
    ranked = [sheet for sheet in sheets if "CCCCC" in sheet]
    assert len(ranked) > 2
    assert all("Description" in sheet for sheet in ranked)
    for sheet in sheets:
        lines = [line for line in sheet.split("\n") if line.strip()]
        assert not lines or not lines[-1].strip().startswith(("System", "Rank"))
