"""Tests of cells with phones: how they are split, and what to write in place of an unknown one."""

from __future__ import annotations

import pytest

from spokeneval.formats.phones import split_run, suggest_phone, transcripts
from tests.spokeneval.formats.test_cells import parsed

PHONES = ("AE", "AW", "D", "AO", "G", "K", "T")


FILLERS = {"<spn>", "<sil>"}


def test_transcripts_are_split_at_blanks():
    values, found = parsed(transcripts(lambda: PHONES, FILLERS), "K AE  T", "", "ae <sil> Q ae", "D\tG")
    assert values.dtype == object
    assert values.tolist() == [["K", "AE", "T"], [], ["ae", "<sil>", "Q", "ae"], ["D", "G"]]
    assert list(found) == ["2"]


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
