"""A table in each format: what fits a sheet of paper."""

from dataclasses import replace

from speechbundles.leaderboard.page import to_html
from speechbundles.leaderboard.render import WIDEST, _column_groups, entries_table, html_table
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.writers import scores_table
from tests.samples.boards import large


def test_no_column_is_wider_than_a_sheet_or_left_out(small):
    board = large(small, 9)
    wide = scores_table(board)
    assert len(wide.header) > 15
    for table in (wide, board.tables[-1]):
        cells = [table.header, *table.rows]
        groups = _column_groups(cells, 1)
        assert len(groups) > 2
        assert [place for group in groups for place in group[1:]] == [*range(1, len(table.header))]
        assert {group[0] for group in groups} == {0}
        sizes = {*map(len, groups)}
        assert max(sizes) - min(sizes) <= 1
        for group in groups:
            assert sum(1 + max(len(row[place]) for row in table.rows) for place in group[1:]) <= WIDEST
    page = to_html(board)
    for number in range(60):
        assert page.count(f">condition{number} (40)</th>") == 1


def test_a_column_wider_than_a_sheet_is_a_part_of_its_own():
    assert _column_groups([["System", "a", "b", "c"], ["s", "1", "x" * 200, "3"]], 1) == [
        [0, 1],
        [0, 2],
        [0, 3],
    ]
    assert _column_groups([["System"], ["s"]], 1) == [[0]]


def test_a_table_that_is_cut_does_not_claim_to_show_all_rows():
    found = html_table(TextTable("t", ["System"], [[f"s{n}"] for n in range(60)]), shown=50).markup
    assert [found.count(words) for words in ("60 rows", "10 more rows are not shown.", "All")] == [1, 1, 0]


def test_teams_of_a_season_have_their_whole_names(small):
    board = large(small, 2)
    name = "Boğaziçi Üniversitesi Konuşma ve Dil Teknolojileri"
    rows = [replace(row, name=name, upload="2027-03-01T0915.zip") for row in board.rows]
    table = entries_table(replace(board, rows=rows), "Evaluation", "Team")
    assert [row[0] for row in table.rows] == [name, name]
