"""Tests of text files: limits, encoding, line ends, numbers, and blocks."""

from __future__ import annotations

import io
import math
import random
import sys
from itertools import product

import numpy as np
import pytest

from spokeneval.formats import text as text_module
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.text import (
    BYTES_A_LINE,
    decimal,
    decimals,
    decode,
    expected_number,
    integer,
    nfc,
    read_blocks,
    text_of,
)
from tests.samples.refusals import refused

LIMIT = 1 << 20


def test_marks_of_a_files_beginning_count_there_alone():
    assert decode(b"\xef\xbb\xbfa\r\nb", "a.csv", Problems()) == "a\nb"
    assert decode(b"\xef\xbb\xbfa", "a.csv", Problems(), 2) == "\ufeffa"
    assert decode(b"PK\x03\x04", "a.csv", Problems(), 2) == "PK\x03\x04"
    assert refused(decode, b"\xff\xfe", "a.csv", Problems(), 2) == ("not_utf8", 2)


def test_runs_of_accents_that_no_language_has_are_not_sorted():
    """Python sorts the accents of a letter in a time that grows with the square of their number."""
    accents = "\u0315\u0316" * 15
    assert nfc(f"e\u0301 e{accents}") == f"\u00e9 e{sorted(accents)[-1] * 15}{sorted(accents)[0] * 15}"
    for run in (f"{accents}\u0315", accents * 100_000):
        assert decode(f"e\u0301 e{run} e\u0301".encode(), "a.csv", Problems()) == f"\u00e9 e{run} \u00e9"


def test_no_sign_becomes_one_that_separates_columns():
    """The Kelvin sign is the only other character whose form NFC is in ASCII; it is the letter K."""
    text = "".join(chr(code) for code in range(128, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    changed = {char for char in map(nfc, text) if char.isascii()}
    assert changed == {"K"}
    assert decode("a\u0301;b\u037e\u0301 c\u1fef".encode(), "a.csv", Problems()) == "á;b\u037e\u0301 c\u1fef"


def blocks(content, limit=LIMIT):
    return list(read_blocks(io.BytesIO(content), "a.csv", Problems(), limit))


def whole(content):
    return text_of({"a.csv": content}, "a.csv", Problems())


def test_lines_of_every_length_are_held_against_the_limit(monkeypatch):
    monkeypatch.setattr(text_module, "LONGEST_LINE", 2)
    for length in range(9):
        for characters in product("a\n", repeat=length):
            content = "".join(characters)
            long = [line for line, cells in enumerate(content.split("\n"), 5) if len(cells) > 2]
            if long:
                found = refused(text_module.decode_lines, content.encode(), "a.csv", Problems(), 5)
                assert found == ("file_too_large", long[0])
            else:
                kept = content[:-1] if content.endswith("\n") else content
                assert text_module.decode_lines(content.encode(), "a.csv", Problems(), 5) == kept


def test_so_many_lines_and_no_more():
    limit = 4 * BYTES_A_LINE
    for good in (b"a\nb\nc\nd\n", b"a\nb\nc\nd"):
        assert blocks(good, limit) == ["a\nb\nc\nd"]
    assert refused(blocks, b"a\nb\nc\nd\ne", limit) == ("file_too_large", None)


NUMBERS = {"1": 1, "-1.5e-3": -0.0015, "+.5": 0.5, "7.": 7, "1E2": 100, "00": 0, "-0": 0, "1e-999": 0}
NUMBERS.update({"0" * 3000 + "1": 1, "1" + "0" * 20 + "e-20": 1})
NO_NUMBERS = [
    *("", "nan", "inf", "1e999", "1e" + "9" * 500, "0x1", "0b1", "1_0", "1,5", " 1", "1\n", "٣", "½"),
    *("e5", ".", "1e", "--1", "1e1.5", "1 1"),
]


def test_decimal_numbers():
    for number, value in NUMBERS.items():
        assert decimal(number) == value
    assert [decimal(other) for other in NO_NUMBERS] == [None] * len(NO_NUMBERS)
    assert math.copysign(1, decimal("-0")) == -1


def test_many_decimal_numbers_at_once():
    found = decimals(list(NUMBERS))
    assert (found.tolist(), found.dtype) == (list(NUMBERS.values()), np.float64)
    for other in NO_NUMBERS:
        assert decimals(["1", other, "2"]) is None


@pytest.mark.parametrize(
    ("number", "value"), [("4", 4), ("-12", -12), ("+3", 3), ("007", 7), ("9" * 18, 10**18 - 1)]
)
def test_whole_numbers(number, value):
    assert integer(number) == value
    for other in (number + ".0", number + "\n", "x" + number, "", "1" * 19, "1e3"):
        assert integer(other) is None


@pytest.mark.parametrize(
    ("cell", "hint"),
    [
        *((cell, " (a decimal point, not a comma)") for cell in ("1,5", "-12,25")),
        (" 1.5", ", without spaces around it"),
        *((cell, "") for cell in ("abc", "1,5x", " x")),
    ],
)
def test_a_cell_that_is_not_a_number_is_reported_with_a_remedy(cell, hint):
    assert expected_number(cell) == f"'{cell}'; expected a finite decimal number{hint}"


PIECES = [
    *(b"a", b"b,", b"\t", b" ", b"\n", b"\n", b"\n\n", b"\r\n", b"\xc3\xa9", b"\xef\xbb\xbf", b'"', b"0.5")
]
FAULTS = [b"\r", b"\x00", b"\xff", b"\xff\xfe", b"\xfe\xff", b"\xc3", b"x" * 70_000]


def faults(content):
    """The expected `(code, line)` of every problem in a content, found byte by byte."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return {("not_utf8", None)}
    found = set()
    for number, line in enumerate(content.split(b"\n"), 1):
        line = line[:-1] if line.endswith(b"\r") and number <= content.count(b"\n") else line
        text = line.decode("utf-8", errors="replace")
        found |= {("nul_byte", number)} if b"\0" in line else set()
        found |= {("carriage_return", number)} if b"\r" in line else set()
        found |= {("not_utf8", number)} if "\ufffd" in text else set()
        found |= {("file_too_large", number)} if len(text) > 65536 else set()
    text = content.decode("utf-8", errors="replace")
    if not text.removeprefix("\ufeff").strip("\r\n"):
        found.add(("empty_file", None))
    return found


def read(content):
    return list(read_blocks(io.BytesIO(content), "file", Problems(), LIMIT))


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 15])
def test_blocks_joined_are_the_text_and_every_fault_is_found_in_its_line(monkeypatch, block):
    monkeypatch.setattr(text_module, "_BLOCK", block)
    rng = random.Random(block)
    accepted = 0
    for _ in range(800):
        pieces = rng.choices(PIECES, k=rng.randint(0, 40))
        if rng.random() < 0.4:
            pieces[rng.randint(0, len(pieces)) : 0] = [rng.choice(FAULTS)]
        content = b"".join(pieces)
        expected = faults(content)
        if expected:
            with pytest.raises(FileProblems) as refusal:
                read(content)
            assert {(problem.code, problem.line) for problem in refusal.value.problems} <= expected, content
            continue
        whole = content.decode("utf-8-sig").replace("\r\n", "\n").rstrip("\n")
        found = read(content)
        assert "\n".join(found).rstrip("\n") == whole, content
        assert all(block.strip("\n") for block in found)
        accepted += 1
    assert 150 < accepted < 700
