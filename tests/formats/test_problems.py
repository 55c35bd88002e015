"""The words of refusals: which problems are shown, how, and in what order."""

from __future__ import annotations

import pytest

from spokeneval.formats.problems import (
    FEW,
    SHOWN,
    FileProblems,
    Problem,
    Problems,
    ReferenceFileError,
    SubmissionError,
    count_of,
    name,
    quote,
    repeated,
    some_of,
)


def test_what_a_stranger_wrote_is_shown_plain_or_quoted_and_cut():
    assert quote("x" * 100) == "'" + "x" * 100 + "'"
    assert quote("x" * 101) == "'" + "x" * 100 + "'..."
    assert quote("\x1b[31m\n") == r"'\x1b[31m\n'"
    assert quote("abc", 2) == "'ab'..."
    assert (name("a.txt"), name("x" * 120), name("x" * 121)) == ("a.txt", "x" * 120, "'" + "x" * 120 + "'...")
    assert (name(""), name("a b"), name("a\tb")) == ("''", "'a b'", r"'a\tb'")


def test_lists_and_numbers_in_words():
    assert some_of(["a", "b", "c"]) == "a, b, c"
    assert some_of(["a", "b", "c", "d e"]) == "a, b, c (and 1 more)"
    assert some_of(["a b", "c"], shown=1) == "'a b' (and 1 more)"
    assert [count_of(number, "row") for number in (0, 1, 2)] == ["0 rows", "1 row", "2 rows"]
    assert [count_of(number, "entry", "entries") for number in (1, 2)] == ["1 entry", "2 entries"]
    assert repeated("Id 7", 3) == "Id 7 again; first on line 3"


def told(*problems: Problem) -> list[str]:
    return str(FileProblems(problems)).splitlines()


def test_problems_of_a_file_stand_in_the_order_of_their_lines_and_those_without_a_line_last():
    assert told(
        Problem("missing_item", "a.csv", "x"),
        Problem("other", "a.csv", "whole"),
        Problem("value", "a.csv", "late", line=1200),
        Problem("value", "a.csv", "early", line=2),
    ) == [
        "a.csv: 4 problems",
        "",
        "  line 2    early",
        "  line 1200 late",
        "  missing   x",
        "  whole",
    ]


def test_the_whole_submission_has_no_name_and_a_file_keeps_its_own():
    assert told(Problem("link", "", "is empty")) == ["submission: 1 problem", "", "  is empty"]
    assert told(
        Problem("a", "x y", "late", 9), Problem("a", "", "whole"), Problem("a", "x y", "early", 2)
    ) == [
        "3 problems in 2 files",
        "",
        " 'x y'",
        "  line 2    early",
        "  line 9    late",
        "",
        " submission",
        "  whole",
    ]


def test_few_of_a_kind_are_told_one_by_one_and_more_in_one_line():
    few = [Problem("value", "a", f"bad {line}", line) for line in range(1, FEW + 1)]
    assert told(*few)[2:] == [f"  line {line}    bad {line}" for line in range(1, FEW + 1)]
    more = [Problem("value", "a", f"bad {line}", line) for line in range(1, FEW + 2)]
    assert told(*more)[2:] == ["  line 1    bad 1 (5 more such, lines 2, 3, 4, 5, 6)"]
    more.append(Problem("value", "a", "bad", 7))
    assert told(*more)[2:] == ["  line 1    bad 1 (6 more such, lines 2, 3, 4, 5, 6, ...)"]
    twice = [Problem("value", "a", "bad", line) for line in (4, 4, 9, 9, 9, 9)]
    assert told(*twice)[2:] == ["  line 4    bad (5 more such, lines 9)"]
    nowhere = [Problem("value", "a", "bad")] * 6
    assert told(*nowhere)[2:] == ["  bad (5 more such)"]


def test_counts_tell_of_problems_that_are_not_kept():
    kept = [Problem("value", "a", "bad", line) for line in (1, 2, 3)]
    refusal = FileProblems(kept, {"value": 7}, 2)
    assert (refusal.total, refusal.files, refusal.counts) == (7, 2, {"value": 7})
    assert str(refusal).splitlines() == [
        "7 problems in 2 files",
        "",
        " a",
        "  line 1    bad (6 more such, lines 2, 3, ...)",
    ]
    assert refusal.args == (kept, {"value": 7}, 2)
    alone = FileProblems(kept)
    assert (alone.total, alone.files, alone.problems) == (3, 1, tuple(kept))


def test_so_many_lines_are_shown_and_the_others_counted():
    kinds = [Problem(f"kind {number}", "a", f"bad {number}") for number in range(SHOWN + 1)]
    assert len(told(*kinds[:SHOWN])) == 2 + SHOWN
    assert told(*kinds)[-3:] == [f"  bad {SHOWN - 1}", "", "  ... and 1 more"]


def test_so_many_of_a_strangers_problems_are_kept_and_all_are_counted():
    problems = Problems()
    assert not problems
    problems.raise_if_any()
    for line in range(1, SHOWN + 6):
        problems.add("value", f"{line}.csv", "bad", line=line, item=str(line))
    assert problems
    assert problems.kept == [
        Problem("value", f"{line}.csv", "bad", line, str(line)) for line in range(1, SHOWN + 1)
    ]
    with pytest.raises(SubmissionError) as refusal:
        problems.raise_if_any()
    assert (refusal.value.total, refusal.value.files, len(refusal.value.problems)) == (
        SHOWN + 5,
        SHOWN + 5,
        SHOWN,
    )


def test_a_file_that_cannot_be_read_on_ends_the_reading_with_all_problems():
    problems = Problems(ReferenceFileError)
    problems.add("value", "a.csv", "bad", line=2)
    with pytest.raises(ReferenceFileError) as refusal:
        problems.stop("nul_byte", "b.csv", "a NUL byte", line=7)
    assert refusal.value.problems == (
        Problem("value", "a.csv", "bad", 2),
        Problem("nul_byte", "b.csv", "a NUL byte", 7),
    )
    assert (refusal.value.counts, refusal.value.files) == ({"value": 1, "nul_byte": 1}, 2)


def test_all_that_came_before_is_counted_though_not_kept():
    problems = Problems()
    for line in range(SHOWN + 5):
        problems.add("value", f"{line}.csv", "bad")
    with pytest.raises(SubmissionError) as refusal:
        problems.stop("nul_byte", "x.csv", "a NUL byte")
    error = refusal.value
    assert (error.total, error.files, len(error.problems)) == (SHOWN + 6, SHOWN + 6, SHOWN + 1)


def test_the_next_file_is_read_after_one_that_cannot_be():
    problems = Problems()
    with problems.continuing():
        problems.stop("nul_byte", "a.csv", "a NUL byte")
    with pytest.raises(KeyError), problems.continuing():
        raise KeyError
    with pytest.raises(ReferenceFileError), problems.continuing():
        Problems(ReferenceFileError).stop("nul_byte", "a.csv", "a NUL byte")
    assert [problem.code for problem in problems.kept] == ["nul_byte"]
