"""Tests of tables in plain text."""

from __future__ import annotations

import numpy as np

import spokeneval
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.writers import shown_interval, text_table


def test_columns_are_as_wide_as_a_terminal_shows_them():
    rows = [["系统", "1"], ["e\N{COMBINING ACUTE ACCENT}", "20"]]
    lines = ["  System  WER", "  系统      1", "  e\N{COMBINING ACUTE ACCENT}        20"]
    assert text_table(TextTable("", ["System", "WER"], rows)).split("\n") == lines
    classes = ["对", "ab", "c"]
    result = spokeneval.score({"kind": "identification", "classes": classes}, classes, np.eye(3))
    recalls = [line for line in str(result).split("\n") if "Recall" in line]
    assert recalls[0].replace("对", "ab") == recalls[1]


def test_no_dash_is_before_a_number_below_0():
    assert [shown_interval(ends, 1) for ends in ((-2, -1), (0, 1))] == ["-2.0 to -1.0", "0.0 – 1.0"]
