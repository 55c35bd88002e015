"""Text files: their limits, their encoding, their line ends, and the numbers in them."""

from __future__ import annotations

import io
import math
import os
from itertools import product

import numpy as np
import pytest

from spokeneval.formats import text
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.text import (
    BYTES_A_LINE,
    LONGEST_LINE,
    decimal,
    decimals,
    decode,
    expected_number,
    integer,
    read_blocks,
    read_bytes,
    read_text,
    size_limit,
)

LIMIT = 1 << 20


def refused(read, *arguments):
    """The one problem for which a file cannot be read on: code, line, message."""
    with pytest.raises(FileProblems) as refusal:
        read(*arguments)
    (problem,) = refusal.value.problems
    assert problem.file == "a.csv"
    return problem.code, problem.line, problem.message


def test_the_limit_grows_with_the_items():
    assert (size_limit(0), size_limit(1000)) == (1048576, 1048576 + 1_024_000)


def test_a_file_of_the_limit_is_read_and_none_larger(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    assert read_bytes(path, "a.csv", Problems(), 3) == b"abc"
    words = "is larger than 2 bytes, far more than its items need"
    assert refused(read_bytes, path, "a.csv", Problems(), 2) == ("file_too_large", None, words)


def test_a_file_that_grows_while_it_is_read_is_too_large(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"abc\n" * 1000)
    real = os.fstat(os.open(path, os.O_RDONLY))
    sizes = os.stat_result((*real[:6], 1, *real[7:10]))
    monkeypatch.setattr(text.os, "fstat", lambda descriptor: sizes)
    words = "is larger than 3999 bytes, far more than its items need"
    assert refused(read_bytes, path, "a.csv", Problems(), 3999) == ("file_too_large", None, words)
    assert read_bytes(path, "a.csv", Problems(), 4000) == b"abc\n" * 1000
    assert refused(lambda: list(read_blocks(path, "a.csv", Problems(), 3999))) == (
        "file_too_large",
        None,
        words,
    )


def test_of_a_file_without_end_no_more_is_read_than_shows_that_it_is_too_large(tmp_path, monkeypatch):
    asked = []

    class Endless(io.BytesIO):
        def read(self, size):
            asked.append(size)
            return b"x" * size

        readline = read

    monkeypatch.setattr(text.os, "fdopen", lambda descriptor, mode: os.close(descriptor) or Endless())
    (tmp_path / "file").touch()
    for read in (read_bytes, read_text):
        assert refused(read, tmp_path / "file", "a.csv", Problems(), 10)[0] == "file_too_large"
    assert asked == [11, text._BLOCK, 11]


def test_links_folders_pipes_and_nothing_are_no_files(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    (tmp_path / "link").symlink_to(tmp_path / "file")
    os.mkfifo(tmp_path / "pipe")
    for name, words in (
        ("link", "cannot be read: Too many levels of symbolic links"),
        ("none", "cannot be read: No such file or directory"),
        ("pipe", "is not an ordinary file"),
        (".", "is not an ordinary file"),
    ):
        found = refused(read_bytes, tmp_path / name, "a.csv", Problems(), 10)
        assert found == ("unreadable_file", None, words)


@pytest.mark.parametrize("kind", ["large", "pipe"])
def test_what_is_not_read_is_closed(tmp_path, kind):
    path = tmp_path / "file"
    path.write_bytes(b"abc") if kind == "large" else os.mkfifo(path)
    before = len(os.listdir("/proc/self/fd"))
    refused(read_bytes, path, "a.csv", Problems(), 2)
    assert len(os.listdir("/proc/self/fd")) == before


NUL = "a NUL byte; expected UTF-8 text (not UTF-16, not a binary file)"
LATIN = "is not UTF-8 (Latin-1 or Windows-1252?); save the file as UTF-8"
UTF16 = "is UTF-16 (often called 'Unicode'); save it as UTF-8"
BARE = "a bare carriage return; expected lines that end in LF or CRLF"


@pytest.mark.parametrize(
    ("content", "code", "line", "message"),
    [
        (b"\xff\xfea\0", "not_utf8", None, UTF16),
        (b"\xfe\xff\0a", "not_utf8", None, UTF16),
        (
            b"PK\x03\x04...",
            "not_text",
            None,
            "is a zip or an Excel workbook (unzip it, or save it as the text that the task's page asks for); expected "
            "UTF-8 text",
        ),
        (b"\x1f\x8b\0", "not_text", None, "is compressed (unzip it); expected UTF-8 text"),
        (b"\0", "nul_byte", 1, NUL),
        (b"a\nb\n\0\n\0", "nul_byte", 3, NUL),
        (b"a\n\xe9\n", "not_utf8", 2, f"byte 0xe9 {LATIN}"),
        (b"\n\n\x0a\x80", "not_utf8", 4, f"byte 0x80 {LATIN}"),
        (b"a\r\nb\rc\r\nd\r", "carriage_return", 2, BARE),
        (b"\r", "carriage_return", 1, BARE),
        (b"\n\0", "nul_byte", 2, NUL),
        (b"\na\rb\nc\n", "carriage_return", 2, BARE),
    ],
)
def test_what_is_no_text_is_told_with_its_line(content, code, line, message):
    assert refused(decode, content, "a.csv", Problems()) == (code, line, message)
    if line:
        assert refused(decode, content, "a.csv", Problems(), 11) == (code, line + 10, message)


def test_marks_of_a_files_beginning_count_there_alone():
    assert decode(b"\xef\xbb\xbfa\r\nb", "a.csv", Problems()) == "a\nb"
    assert decode(b"\xef\xbb\xbfa", "a.csv", Problems(), 2) == "\ufeffa"
    assert decode(b"PK\x03\x04", "a.csv", Problems(), 2) == "PK\x03\x04"
    found = refused(decode, b"\xff\xfe", "a.csv", Problems(), 2)
    assert found == ("not_utf8", 2, f"byte 0xff {LATIN}")


def blocks(folder, content, limit=LIMIT):
    (folder / "file").write_bytes(content)
    return list(read_blocks(folder / "file", "a.csv", Problems(), limit))


def test_a_text_comes_in_blocks_of_whole_lines(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "_BLOCK", 4)
    assert blocks(tmp_path, b"ab\ncd\nef\n\n\ngh") == ["ab\ncd", "ef\n\n", "gh"]
    assert blocks(tmp_path, b"a\n\n\n\n\n\n\nb\n\n\n") == ["a\n\n\n", "\n\n\nb"]
    assert read_text(tmp_path / "file", "a.csv", Problems(), LIMIT) == "a\n\n\n\n\n\n\nb"
    found = refused(blocks, tmp_path, b"ab\ncd\nef\ngh\n\0\n")
    assert found == ("nul_byte", 5, NUL)


def test_blank_lines_join_the_next_block_and_other_blanks_are_text(tmp_path, monkeypatch):
    assert blocks(tmp_path, b"\n X \n\n") == ["\n X \n"]
    assert read_text(tmp_path / "file", "a.csv", Problems(), LIMIT) == "\n X "
    assert blocks(tmp_path, b" \n") == [" "]
    assert blocks(tmp_path, b"X") == ["X"]
    assert read_text(tmp_path / "file", "a.csv", Problems(), LIMIT) == "X"
    monkeypatch.setattr(text, "_BLOCK", 2)
    assert blocks(tmp_path, b"a\n\n\n\n\nb") == ["a\n", "\n\n\nb"]


def test_what_is_no_file_has_no_text(tmp_path):
    words = "cannot be read: No such file or directory"
    for read in (read_text, lambda *arguments: list(read_blocks(*arguments))):
        assert refused(read, tmp_path / "none", "a.csv", Problems(), LIMIT) == (
            "unreadable_file",
            None,
            words,
        )


def test_the_limit_is_that_of_all_blocks_together(tmp_path, monkeypatch):
    monkeypatch.setattr(text, "_BLOCK", 100)
    content = (b"x" * 399 + b"\n") * 10
    path = tmp_path / "file"
    path.write_bytes(content)
    assert len(list(read_blocks(path, "a.csv", Problems(), 4000))) == 10
    sizes = os.stat_result((*path.stat()[:6], 1, *path.stat()[7:10]))
    monkeypatch.setattr(text.os, "fstat", lambda descriptor: sizes)
    words = "is larger than 3999 bytes, far more than its items need"
    found = refused(lambda: list(read_blocks(path, "a.csv", Problems(), 3999)))
    assert found == ("file_too_large", None, words)


def test_lines_of_every_length_are_held_against_the_limit(monkeypatch):
    monkeypatch.setattr(text, "LONGEST_LINE", 2)
    for length in range(9):
        for characters in product("a\n", repeat=length):
            content = "".join(characters)
            long = [line for line, cells in enumerate(content.split("\n"), 5) if len(cells) > 2]
            if long:
                found = refused(text._decode_lines, content.encode(), "a.csv", Problems(), 5)
                assert found == ("file_too_large", long[0], "a line of more than 2 characters")
            else:
                kept = content[:-1] if content.endswith("\n") else content
                assert text._decode_lines(content.encode(), "a.csv", Problems(), 5) == kept


@pytest.mark.parametrize("content", [b"", b"\n", b"\n\r\n\n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_refused(tmp_path, content):
    assert refused(blocks, tmp_path, content) == ("empty_file", None, "is empty")


def test_so_many_lines_and_no_more(tmp_path):
    limit = 4 * BYTES_A_LINE
    for good in (b"a\nb\nc\nd\n", b"a\nb\nc\nd"):
        assert blocks(tmp_path, good, limit) == ["a\nb\nc\nd"]
    words = "has more than 4 lines, far more than its items need"
    assert refused(blocks, tmp_path, b"a\nb\nc\nd\ne", limit) == ("file_too_large", None, words)
    assert BYTES_A_LINE == 256


def test_a_line_has_so_many_characters_and_no_more(tmp_path):
    longest = "é" * LONGEST_LINE
    good = f"{longest}\nb\n{longest}\n".encode()
    assert blocks(tmp_path, good) == [longest, f"b\n{longest}"]
    words = f"a line of more than {LONGEST_LINE} characters"
    for content in (f"a\nb\n{longest}x\n", f"a\nb\n{longest}x\nc\n", f"a\nb\n{longest}x"):
        assert refused(blocks, tmp_path, content.encode()) == ("file_too_large", 3, words)
    assert LONGEST_LINE == 65536


NUMBERS = {"1": 1, "-1.5e-3": -0.0015, "+.5": 0.5, "7.": 7, "1E2": 100, "00": 0, "-0": 0}
NO_NUMBERS = [
    "",
    "nan",
    "inf",
    "1e999",
    "0x1",
    "1_0",
    "1,5",
    " 1",
    "1\n",
    "٣",
    "e5",
    ".",
    "1e",
    "--1",
    "1e1.5",
    "1 1",
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
    ("cell", "words"),
    [
        ("abc", "'abc'; expected a finite decimal number"),
        ("", "nothing; expected a finite decimal number"),
        ("1,5", "'1,5'; expected a finite decimal number (a decimal point, not a comma)"),
        ("-12,25", "'-12,25'; expected a finite decimal number (a decimal point, not a comma)"),
        ("1,5x", "'1,5x'; expected a finite decimal number"),
        (" 1.5", "' 1.5'; expected a finite decimal number, without blanks around it"),
        (" x", "' x'; expected a finite decimal number"),
    ],
)
def test_a_cell_that_is_no_number_is_told_with_what_mends_it(cell, words):
    assert expected_number(cell) == words
