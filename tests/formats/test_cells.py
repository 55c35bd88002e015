"""Cells of columns: the arrays that they become, and what is said of each that does not fit."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats.cells import parse_words, real_numbers, whole_numbers, words
from spokeneval.formats.phones import split_run, suggest_phone, transcripts
from spokeneval.formats.problems import Problems
from spokeneval.formats.tables import Table


def parsed(parser, *cells):
    """The array of a column "x" whose rows are called 0, 1, ...; code, line, item and message of each problem."""
    table = Table(
        "a.csv",
        "Id",
        {"Id": list(map(str, range(len(cells)))), "x": list(cells)},
        [*range(2, 2 + len(cells))],
    )
    problems = Problems()
    values = parser(table, "x", problems)
    assert {problem.file for problem in problems.kept} <= {"a.csv"}
    return values, [(problem.code, problem.line, problem.item, problem.message) for problem in problems.kept]


ANSWERS = {"no": 0, "yes": 2}


def test_words_are_their_numbers():
    values, found = parsed(words(ANSWERS), "yes", "no", " no", "Yes", "", " maybe ", "no")
    assert (values.tolist(), values.dtype) == ([2, 0, -1, -1, -1, -1, 0], np.int64)
    assert found == [
        ("unknown_value", 4, "2", "Id 2: x ' no'; expected 'no' or 'yes', without blanks around it"),
        ("unknown_value", 5, "3", "Id 3: x 'Yes'; expected 'no' or 'yes'"),
        ("unknown_value", 6, "4", "Id 4: x nothing; expected 'no' or 'yes'"),
        ("unknown_value", 7, "5", "Id 5: x ' maybe '; expected 'no' or 'yes'"),
    ]


def test_words_may_be_spelled_and_called_in_other_ways():
    values, found = parsed(words(ANSWERS, called="answer", spelled=str.lower), "YES", "No", "YES ")
    assert values.tolist() == [2, 0, -1]
    message = "Id 2: answer 'YES '; expected 'no' or 'yes', without blanks around it"
    assert found == [("unknown_value", 4, "2", message)]


def test_words_in_rows_that_are_not_used_are_not_told():
    def parser(table, column, problems):
        return parse_words(table, column, problems, ANSWERS, used=np.array([True, False, True]))

    values, found = parsed(parser, "1", "2", "no")
    assert (values.tolist(), [line for _, line, *_ in found]) == ([-1, -1, 0], [2])


def test_whole_numbers_of_a_scale():
    values, found = parsed(whole_numbers(1, 5), "1", "5", "0", "6", "3.0", "+3", "03", " 1", "", " 6 ", "x")
    assert (values.tolist(), values.dtype) == ([1, 5, *[0] * 9], np.int64)
    told = "expected an integer from 1 to 5"
    assert found == [
        ("off_scale", 4, "2", f"Id 2: x '0'; {told}"),
        ("off_scale", 5, "3", f"Id 3: x '6'; {told}"),
        ("off_scale", 6, "4", f"Id 4: x '3.0'; {told}, without a decimal point"),
        ("off_scale", 7, "5", f"Id 5: x '+3'; {told}"),
        ("off_scale", 8, "6", f"Id 6: x '03'; {told}"),
        ("off_scale", 9, "7", f"Id 7: x ' 1'; {told}, without blanks around it"),
        ("off_scale", 10, "8", f"Id 8: x nothing; {told}"),
        ("off_scale", 11, "9", f"Id 9: x ' 6 '; {told}"),
        ("off_scale", 12, "10", f"Id 10: x 'x'; {told}"),
    ]


def test_whole_numbers_without_an_end():
    values, found = parsed(whole_numbers(-2), "-2", "1000000", "+3", "03", "-3", "7.5")
    assert values.tolist() == [-2, 1000000, 3, 3, -3, -3]
    assert [(line, message) for _, line, _, message in found] == [
        (6, "Id 4: x '-3'; expected an integer of -2 or more"),
        (7, "Id 5: x '7.5'; expected an integer of -2 or more"),
    ]


def test_real_numbers_are_rounded_and_bounded():
    values, found = parsed(real_numbers(-2, 7, decimals=3), "-2", "7", "1.23456", ".5e1")
    assert (values.tolist(), found) == ([-2, 7, 1.235, 5], [])
    for cell, told in (
        ("7.0001", "expected a number from -2 to 7"),
        ("-2.5", "expected a number from -2 to 7"),
    ):
        values, found = parsed(real_numbers(-2, 7, decimals=3), cell, "1.23456", "-2", "7")
        assert values.tolist() == [0, 1.235, -2, 7]
        assert found == [("out_of_bounds", 2, "0", f"Id 0: x '{cell}'; {told}")]
    values, found = parsed(real_numbers(-2, 7, decimals=3), "2", "1,5", "8")
    assert values.tolist() == [2, 0, 0]
    comma = "Id 1: x '1,5'; expected a finite decimal number (a decimal point, not a comma)"
    assert [found[0], found[1][:3]] == [("not_a_number", 3, "1", comma), ("out_of_bounds", 4, "2")]


PHONES = ("AE", "AW", "D", "AO", "G", "K", "T")
FILLERS = {"<spn>", "<sil>"}


def test_transcripts_are_split_at_blanks_and_each_unknown_token_is_told_once():
    values, found = parsed(transcripts(lambda: PHONES, FILLERS), "K AE  T", "", "ae <sil> Q ae", "D\tG")
    assert values.dtype == object
    assert values.tolist() == [["K", "AE", "T"], [], ["ae", "<sil>", "Q", "ae"], ["D", "G"]]
    fillers = "they are written AE, AW, D, ..., the fillers <sil>, <spn>"
    assert found == [
        ("unknown_phone", 4, "2", "Id 2: 'ae' is not one of the 7 phones; write AE, in capitals"),
        ("unknown_phone", 4, "2", f"Id 2: 'Q' is not one of the 7 phones; {fillers}"),
    ]


@pytest.mark.parametrize(
    ("token", "advice"),
    [
        ("sil", "<sil>"),
        ("<SPN>", "<spn>"),
        ("aw", "AW, in capitals"),
        ("AO1", "AO, without the stress digit"),
        ("ao0", "AO, without the stress digit"),
        ("DAOG", "D AO G, with blanks between the phones"),
        ("d-ao1-g", "D AO G, with blanks between the phones"),
        ("D" * 60, " ".join("D" * 60) + ", with blanks between the phones"),
        ("D" * 61, None),
        ("DAOQ", None),
        ("XsilX", None),
        ("D:G", None),
        ("_", None),
    ],
)
def test_what_to_write_in_place_of_a_token(token, advice):
    told = f"write {advice}" if advice else "they are written AE, AW, D, ..., the fillers <sil>, <spn>"
    assert suggest_phone(token, PHONES, FILLERS) == told


@pytest.mark.parametrize(
    ("run", "phones", "expected"),
    [
        ("DAOG", PHONES, ["D", "AO", "G"]),
        ("K", PHONES, ["K"]),
        (
            "ABCC",
            ("A", "AB", "BC", "C"),
            ["A", "BC", "C"],
        ),  # of two ways, that whose last phone is told first
        ("ABCC", ("C", "BC", "AB", "A"), ["AB", "C", "C"]),
        ("AOX", PHONES, None),
        ("XAO", PHONES, None),
        ("O", PHONES, None),
        ("", PHONES, []),
    ],
)
def test_phones_that_were_run_together(run, phones, expected):
    assert split_run(run, phones) == expected
