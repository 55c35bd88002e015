"""Tests of the text of refusals: which problems are shown, how, and in which order."""

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
    list_every_problem,
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
    assert [count_of(2, noun) for noun in ("café", "Sitz", "说话人", "वक्ता")] == [
        "2 cafés",
        "2 Sitzs",
        "2 说话人",
        "2 वक्ता",
    ]
    assert repeated("Id 7", 3) == "Id 7 already appears on line 3; keep only one"


def told(*problems: Problem) -> list[str]:
    return str(FileProblems(problems)).splitlines()


def test_problems_of_a_file_are_sorted_by_line_and_those_without_a_line_come_last():
    assert told(
        Problem("missing_item", "a.csv", "x"),
        Problem("other", "a.csv", "whole"),
        Problem("value", "a.csv", "late", line=1200),
        Problem("value", "a.csv", "early", line=2),
    ) == ["a.csv: 4 problems", "", "  line 2    early", "  line 1200 late", "  missing   x", "  whole"]


def test_the_whole_submission_has_no_name_and_a_file_keeps_its_own():
    assert told(Problem("link", "", "is empty")) == ["submission: 1 problem", "", "  is empty"]
    found = told(Problem("a", "x y", "late", 9), Problem("a", "", "whole"), Problem("a", "x y", "early", 2))
    assert found[0] == "3 problems in 2 files"
    assert found[1:] == ["", " 'x y'", "  line 2    early", "  line 9    late", "", " submission", "  whole"]


def test_a_few_problems_of_a_code_are_listed_and_more_are_summarised():
    few = [Problem("value", "a", f"bad {line}", line) for line in range(1, FEW + 1)]
    assert told(*few)[2:] == [f"  line {line}    bad {line}" for line in range(1, FEW + 1)]
    more = [Problem("value", "a", f"bad {line}", line) for line in range(1, FEW + 2)]
    assert told(*more)[2:] == ["  line 1    bad 1 (5 more like this, lines 2, 3, 4, 5, 6)"]
    more.append(Problem("value", "a", "bad", 7))
    assert told(*more)[2:] == ["  line 1    bad 1 (6 more like this, lines 2, 3, 4, 5, 6, ...)"]
    twice = [Problem("value", "a", "bad", line) for line in (4, 4, 9, 9, 9, 9)]
    assert told(*twice)[2:] == ["  line 4    bad (5 more like this, lines 9)"]
    nowhere = [Problem("value", "a", "bad")] * 6
    assert told(*nowhere)[2:] == ["  bad (5 more like this)"]


def test_the_same_mistake_in_many_files_is_one_line():
    problems = Problems()
    for number in range(SHOWN + 5):
        problems.add("missing_file", f"{number}.txt", "is missing")
        problems.add("unexpected_file", f"{number}.rttm", "is not part of a submission")
    with pytest.raises(SubmissionError) as refusal:
        problems.raise_if_any()
    lines = str(refusal.value).splitlines()
    assert lines[0] == "50 problems in 50 files"
    others = "24 more like this, also in 1.txt, 2.txt, 3.txt, 4.txt, 5.txt, ..."
    assert lines[2:4] == [" 0.txt", f"  is missing ({others})"]
    assert len(lines) == 7


def test_so_many_lines_are_shown_and_the_others_counted():
    kinds = [Problem(f"kind {number}", "a", f"bad {number}") for number in range(SHOWN + 1)]
    assert len(told(*kinds[:SHOWN])) == 2 + SHOWN
    assert told(*kinds)[-3:] == [f"  bad {SHOWN - 1}", "", "  ... and 1 more"]


@pytest.mark.parametrize(("error", "kept"), [(SubmissionError, SHOWN), (ReferenceFileError, SHOWN + 5)])
def test_so_many_of_a_strangers_problems_are_kept_and_all_are_counted(error, kept):
    problems = Problems(error)
    assert not problems
    problems.raise_if_any()
    expected = [Problem("value", f"{line}.csv", "bad", line, str(line)) for line in range(1, SHOWN + 6)]
    for problem in expected:
        problems.add(problem.code, problem.file, problem.message, line=problem.line, item=problem.item)
    assert problems
    assert problems.kept == expected[:kept]
    with pytest.raises(error) as refusal:
        problems.raise_if_any()
    found = refusal.value
    assert (found.total, found.files, len(found.problems)) == (SHOWN + 5, SHOWN + 5, kept)
    with pytest.raises(error) as refusal:
        problems.stop("nul_byte", "x.csv", "a NUL byte")
    found = refusal.value
    assert (found.total, found.files, len(found.problems)) == (SHOWN + 6, SHOWN + 6, kept + 1)


def test_the_next_file_is_read_after_one_that_cannot_be():
    problems = Problems()
    with problems.continuing():
        problems.stop("nul_byte", "a.csv", "a NUL byte")
    with pytest.raises(KeyError), problems.continuing():
        raise KeyError
    with pytest.raises(ReferenceFileError), problems.continuing():
        Problems(ReferenceFileError).stop("nul_byte", "a.csv", "a NUL byte")
    assert [problem.code for problem in problems.kept] == ["nul_byte"]


def test_every_problem_is_listed_where_a_participant_asks_for_all(monkeypatch):
    monkeypatch.setattr("spokeneval.formats.problems._every", False)
    list_every_problem()
    found = Problems()
    for line in range(1, 51):
        found.add("bad", "a.csv", f"bad {line}", line=line)
        found.add("worse", "b.csv", f"worse {some_of(['x', 'y', 'z', 'w'])}", line=line)
    with pytest.raises(SubmissionError) as refusal:
        found.raise_if_any()
    lines = str(refusal.value).splitlines()
    assert lines[0] == "100 problems in 2 files"
    assert [line for line in lines if "bad" in line] == [f"  {f'line {n}':9} bad {n}" for n in range(1, 51)]
    assert sum("worse x, y, z, w" in line for line in lines) == 50
