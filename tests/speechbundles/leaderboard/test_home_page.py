"""The files and pages of a leaderboard whose labels stay at home."""

import csv
import html
import re
from dataclasses import replace

from speechbundles.leaderboard.home_page import to_csv, to_html, to_markdown, write_home_board
from tests.samples.home_boards import (
    board,
    fetched,
)


def test_hostile_names_do_no_harm(exact, tmp_path):
    folder = fetched(tmp_path, ("a", "2027-03-01T09:00", 20, {"owner": "=<b>\x1b[2J&"}))
    made = board(exact, folder)
    page, table, _ = (path.read_text("utf-8") for path in write_home_board(made, tmp_path / "site"))
    assert "<b>" not in page
    assert "\x1b" not in page + table
    assert next(csv.DictReader(table.splitlines()))["name"].startswith("'=")
    assert to_csv(made) == table


def one(name, wrong):
    return (name, "2027-03-02T09:00", wrong)


def test_the_page_on_the_server_shows_nothing_that_the_public_page_does_not(coarse, exact, tmp_path):
    for home, anonymous in ((coarse, False), (exact, True)):
        folder = fetched(tmp_path / f"{anonymous}", one("anna", 20), one("*b|ob* <b>", 9))
        made = board(home, folder, anonymous=anonymous)
        lines = to_markdown(made).splitlines()
        rows = [re.split(r" (?<!\\)\| ", line[2:-2]) for line in lines if line.startswith("| ")]
        cells = {
            html.unescape(re.sub(r"\\(.)", r"\1", cell)) for row in rows for cell in row if "---" not in cell
        }
        names = {entry.name for entry in made.phases[0].rows}
        assert names <= cells
        assert {cell for cell in cells if cell not in html.unescape(to_html(made))} == set()
        assert "<b>" not in to_markdown(made)
        assert ("anna" in names) is not anonymous


def test_a_long_page_on_the_server_shows_the_best_entries(exact, tmp_path, monkeypatch):
    made = board(exact, fetched(tmp_path, one("anna", 9)))
    entries = [replace(made.phases[0].rows[0], name=f"team{number}") for number in range(6)]
    made = replace(made, phases=[replace(made.phases[0], rows=entries)])
    assert to_markdown(made, 4).count("| team") == 4
    assert "The best 4 of 6 entries:" in to_markdown(made, 4)
    monkeypatch.setattr("speechbundles.leaderboard.home_page.LARGEST_PAGE", len(to_markdown(made, 3)))
    assert "team0" in to_markdown(made)
    assert "The best 3 of 6 entries:" in to_markdown(made)
