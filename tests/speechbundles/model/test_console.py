"""The width of everything that commands print: at most 80 columns, also with long and with wide names."""

import sys

import pytest
from click.exceptions import Exit
from rich.cells import cell_len

from speechbundles.cli.terminal import refuse
from speechbundles.model.console import WIDTH, fitted_table, shorten, wrap


def test_lines_are_wrapped_with_their_indentation():
    assert wrap("short\n  also short") == "short\n  also short"
    lines = wrap("  word" + " more words" * 10).splitlines()
    assert lines == ["  word" + " more words" * 6 + " more", "    words" + " more words" * 3]
    assert wrap("x" * 100) == "x" * 100  # a path can be copied
    assert [cell_len(line) for line in wrap("声" * 60).splitlines()] == [80, 42]


@pytest.mark.parametrize("terminal", [True, False])
def test_errors_are_wrapped_on_a_terminal(monkeypatch, capsys, terminal):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    with pytest.raises(Exit):
        refuse("a word " * 20, 1)
    assert len(capsys.readouterr().err.splitlines()) == 1 + terminal


def test_long_names_keep_both_ends():
    assert shorten("team/first_submission_v2", 16) == "team/fir…sion_v2"
    assert shorten("声声声声声声", 7) == "声声…声"
    assert shorten("short", 16) == "short"


def test_wide_tables_are_narrowed_then_printed_in_blocks():
    header = ["System", *(f"a long heading {number}" for number in range(12))]
    lines = fitted_table([header, ["name" * 30, *["0.1234"] * 12]], left={0})
    assert max(map(cell_len, lines)) <= WIDTH
    assert "".join(lines).count("0.1234") == 12
    assert lines.count("") == 2  # three blocks, each with the name
    assert sum("name" in line for line in lines) == 3
