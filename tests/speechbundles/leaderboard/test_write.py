"""The files of a board: escaped names, full numbers, the same bytes each time."""

import csv
import io
import re
from dataclasses import replace

import pytest

from speechbundles.leaderboard import page as board_page
from speechbundles.leaderboard import rank as ranking
from speechbundles.leaderboard import write as plain
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.model.sources import Sources
from spokeneval.ranking import writers
from tests.samples.boards import scored, write_output
from tests.samples.programs import ROOT
from tests.samples.spoken_call import decided


@pytest.mark.parametrize("name", ["=1", "+1", "-1", "@1", "＝1", "﹢1", " ＠a", "\u2212" + "1"])
def test_a_name_that_a_spreadsheet_would_run_is_marked_as_text(small, name):
    def cell(name):
        board = replace(small, rows=[replace(small.rows[0], name=name)])
        return next(csv.DictReader(io.StringIO(writers.to_csv(board))))["system"]

    assert (cell(name), cell(f"a{name}"), cell("1="), cell("")) == (f"'{name}", f"a{name}", "1=", "")


def test_names_are_escaped_in_every_format(small):
    page = board_page.to_html(small)
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    markdown = plain.to_markdown(small)
    assert "<img" not in markdown
    assert r"a\|b\_c" in markdown
    assert r"\*b\* \[l\](x) \`c\`" in markdown
    rows = list(csv.DictReader(io.StringIO(writers.to_csv(small))))
    assert "'=cmd|' '!A0" in {row["system"] for row in rows}
    for text in (page, markdown, plain.to_text(small)):
        assert "\u202e" not in text


def test_no_key_of_a_score_is_a_formula_in_the_header(tmp_path):
    scores, statistics = scored(decided((6, 2, 5, 1, 1)))
    keys = {"=cmd|' '!A0": "'=cmd|' '!A0", "x;=1": "x;'=1", "a,b": "a,b"}
    path = write_output(tmp_path / "a", {**scores, **dict.fromkeys(keys, 1.0)}, statistics)
    text = writers.to_csv(ranking.make_board(Sources(ROOT), read_outputs([path])))
    header = next(csv.reader(io.StringIO(text)))
    assert set(keys.values()) <= set(header)
    assert not any(re.match(r"\s*[=+@-]", cell) for cell in re.split("[;\t]", text.partition("\n")[0]))


def test_the_csv_has_the_numbers_in_full(small):
    rows = list(csv.DictReader(io.StringIO(writers.to_csv(small))))
    for row, expected in zip(rows, small.rows, strict=True):
        assert float(row["d_full"]) == expected.score
        assert (float(row["d_full_low"]), float(row["d_full_high"])) == expected.interval
        assert (int(row["best_rank"]), int(row["worst_rank"])) == expected.ranks
        assert (int(row["rank"]), int(row["tied"])) == (expected.rank, expected.tied)
        assert float(row["d_a"]) == expected.scores["d_a"]
        assert (float(row["d_a_low"]), float(row["d_a_high"])) == expected.intervals["d_a"]
        assert expected.intervals["d_a"][0] < expected.scores["d_a"] < expected.intervals["d_a"][1]
        assert "ca_low" not in row
