"""Tests of the parsers of cells: their arrays, and the message for each invalid cell."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.formats.phones import split_run, suggest_phone
from spokeneval.formats.problems import Problems
from spokeneval.formats.tables import Table, parse_words, real_numbers, whole_numbers, words


def parsed(parser, *cells):
    """The array of a column "x" whose rows are named 0, 1, ..., and the message of each problem by its row."""
    items = list(map(str, range(len(cells))))
    table = Table("a.csv", "Id", {"Id": items, "x": list(cells)}, [*range(2, 2 + len(cells))])
    problems = Problems()
    values = parser(table, "x", problems)
    return values, {problem.item: problem.message.partition("; ")[2] for problem in problems.kept}


ANSWERS = {"no": 0, "yes": 2}


def test_words_are_their_numbers():
    told, blanks = "expected 'no' or 'yes'", ", without spaces around it"
    values, found = parsed(words(ANSWERS), "yes", "no", " no", "Yes", "", " maybe ", "no")
    assert (values.tolist(), values.dtype) == ([2, 0, -1, -1, -1, -1, 0], np.int64)
    assert found == {"2": told + blanks, "3": f"{told}: write yes, in small letters", "4": told, "5": told}
    values, found = parsed(words(ANSWERS, called="answer", spelled=str.lower), "YES", "No", "YES ")
    assert (values.tolist(), found) == ([2, 0, -1], {"2": told + blanks})
    used = np.array([True, False, True])
    values, found = parsed(lambda *column: parse_words(*column, ANSWERS, used=used), "1", "2", "no")
    assert (values.tolist(), found) == ([-1, -1, 0], {"0": told})


def test_whole_numbers_of_a_scale_and_without_an_end():
    told, blanks = "expected an integer from 1 to 5", ", without spaces around it"
    values, found = parsed(whole_numbers(1, 5), "1", "5", "0", "6", "3.0", "+3", "03", " 1", "", " 6 ")
    assert (values.tolist(), values.dtype) == ([1, 5, *[0] * 8], np.int64)
    assert found == {str(row): told for row in range(2, 10)} | {
        "4": f"{told}, without a decimal point",
        "7": told + blanks,
    }
    values, found = parsed(whole_numbers(-2), "-2", "1000000", "+3", "03", "-3", "7.5")
    assert values.tolist() == [-2, 1000000, 3, 3, -3, -3]
    assert found == dict.fromkeys("45", "expected an integer of -2 or more")


@pytest.mark.parametrize(
    ("cells", "expected", "refused"),
    [
        (["-2", "7", "1.23456", ".5e1"], [-2, 7, 1.235, 5], ""),
        (["7.0001", "1.23456", "-2", "7"], [0, 1.235, -2, 7], "0"),
        (["2", "1,5", "-2.5"], [2, 0, 0], "12"),
    ],
)
def test_real_numbers_are_rounded_and_bounded(cells, expected, refused):
    values, found = parsed(real_numbers(-2, 7, decimals=3), *cells)
    assert (values.tolist(), "".join(found)) == (expected, refused)


PHONES = ("AE", "AW", "D", "AO", "G", "K", "T")
FILLERS = {"<spn>", "<sil>"}


@pytest.mark.parametrize(
    ("token", "advice"),
    [
        ("ao0", "AO, without the stress digit"),
        ("d-ao1-g", "D AO G, with spaces between the phones"),
        ("D" * 60, " ".join("D" * 60) + ", with spaces between the phones"),
        *((token, None) for token in ("D" * 61, "DAOQ", "XsilX", "D:G", "_")),
    ],
)
def test_what_to_write_in_place_of_a_token(token, advice):
    told = f"write {advice}" if advice else "use AE, AW, D, ... or the fillers <sil>, <spn>"
    assert suggest_phone(token, PHONES, FILLERS) == told


@pytest.mark.parametrize(
    ("run", "phones", "expected"),
    [
        ("DAOG", PHONES, ["D", "AO", "G"]),
        # Of two ways, that whose last phone comes first in the inventory.
        ("ABCC", ("A", "AB", "BC", "C"), ["A", "BC", "C"]),
        ("ABCC", ("C", "BC", "AB", "A"), ["AB", "C", "C"]),
        *((run, PHONES, None) for run in ("AOX", "XAO", "O")),
        ("", PHONES, []),
    ],
)
def test_phones_that_were_run_together(run, phones, expected):
    assert split_run(run, phones) == expected
