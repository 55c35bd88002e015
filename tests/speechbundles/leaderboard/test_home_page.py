"""The files and pages of a leaderboard whose labels stay at home."""

import csv
import html
import re
from dataclasses import replace

import pytest

from speechbundles.leaderboard.home_page import to_markdown, write_home_board
from spokeneval.formats.problems import printable
from tests.samples.home_boards import (
    board,
    fetched,
)


def one(name, wrong):
    return (name, "2027-03-02T09:00", wrong)


@pytest.mark.parametrize(
    ("home", "anonymous"), [("exact", False), pytest.param("coarse", True, marks=pytest.mark.thorough)]
)
def test_the_page_on_the_server_shows_nothing_that_the_public_page_does_not(
    home, anonymous, request, tmp_path
):
    """Names can have marks of HTML, Markdown, terminals and spreadsheets."""
    hostile = ("bob", "2027-03-02T09:00", 9, {"owner": "=*b|ob* <b>\x1b[2J&"})
    folder = fetched(tmp_path, one("anna", 20), hostile)
    made = board(request.getfixturevalue(home), folder, anonymous=anonymous)
    page, table, _ = (path.read_text("utf-8") for path in write_home_board(made, tmp_path / "site"))
    lines = to_markdown(made).splitlines()
    rows = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in lines if line.startswith("| ")]
    cells = {
        html.unescape(re.sub(r"\\(.)", r"\1", cell)) for row in rows for cell in row if "---" not in cell
    }
    names = {entry.name for entry in made.phases[0].rows}
    assert {printable(name) for name in names} <= cells
    assert {cell for cell in cells if cell not in html.unescape(page)} == set()
    assert "<b>" not in to_markdown(made) + page
    assert "\x1b" not in page + table
    assert anonymous or next(csv.DictReader(table.splitlines()))["system"].startswith("'=")
    assert ("anna" in names) is not anonymous


@pytest.mark.thorough
def test_a_long_page_on_the_server_shows_the_best_entries(exact, tmp_path, monkeypatch):
    made = board(exact, fetched(tmp_path, one("anna", 9)))
    entries = [replace(made.phases[0].rows[0], name=f"team{number}") for number in range(6)]
    made = replace(made, phases=[replace(made.phases[0], rows=entries)])
    assert to_markdown(made, 4).count("| team") == 4
    assert "The best 4 of 6 entries:" in to_markdown(made, 4)
    monkeypatch.setattr("speechbundles.leaderboard.home_page.LARGEST_PAGE", len(to_markdown(made, 3)))
    assert "team0" in to_markdown(made)
    assert "The best 3 of 6 entries:" in to_markdown(made)
