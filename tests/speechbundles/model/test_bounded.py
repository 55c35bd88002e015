"""Untrusted files: what is read, the limits, and the text of each refusal."""

from __future__ import annotations

import errno
import hashlib
import io
import os
import re
import tracemalloc
import zipfile

import pytest

from speechbundles.model import bounded
from speechbundles.model.bounded import (
    DEEPEST,
    LONGEST_NUMBER,
    MOST_NODES,
    MOST_YAML,
    decode_yaml,
    open_file,
    parse_json,
    parse_yaml,
    read_entry,
    read_file,
    sha256,
)

MANY = "more than 20000 values, counting each repeat of an alias"
DEEP = "nested too deeply, or contains itself"


def refused(words, read, *arguments):
    """Assert that a reader refuses something with this message."""
    with pytest.raises(ValueError, match=re.escape(words)) as refusal:
        read(*arguments)
    assert str(refusal.value) == words


def test_a_regular_file_within_the_limit_is_read(tmp_path):
    (tmp_path / "a").write_bytes(b"abc")
    (tmp_path / "link").symlink_to("a")
    with open_file(tmp_path / "link", 3) as stream:
        assert stream.read() == b"abc"
    assert read_file(tmp_path / "a", 3) == b"abc"
    (tmp_path / "large").write_bytes(b"x" * ((1 << 20) + 1))
    assert sha256(tmp_path / "large", 1 << 21) == hashlib.sha256(b"x" * ((1 << 20) + 1)).hexdigest()


def test_of_a_file_that_grows_only_the_limit_is_read(monkeypatch):
    monkeypatch.setattr(bounded, "open_file", lambda path, most: io.BytesIO(b"abcdef"))
    assert read_file("a", 4) == b"abcd"


def test_files_that_are_not_regular_or_too_large_are_not_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, size in {"3": 3, "2001": 2001, "2500000": 2_500_000, "sparse": 1 << 40}.items():
        with (tmp_path / name).open("wb") as stream:
            stream.truncate(size)
    descriptors = len(os.listdir("/dev/fd"))
    for name, most, code, words in (
        (".", 9, errno.EINVAL, "is a folder"),
        ("pipe", 9, errno.EINVAL, "is not a regular file"),
        ("3", 2, errno.EFBIG, "is larger than 0 kB"),
        ("2001", 2000, errno.EFBIG, "is larger than 1 kB"),
        ("2500000", 999_999, errno.EFBIG, "is larger than 976 kB"),
        ("2500000", 1_000_000, errno.EFBIG, "is larger than 1 MB"),
        ("sparse", 2_500_001, errno.EFBIG, "is larger than 3 MB"),
        ("none", 9, errno.ENOENT, "No such file or directory"),
    ):
        for read in (open_file, read_file, sha256):
            with pytest.raises(OSError, match=words) as refusal:
                read(tmp_path / name, most)
            error = refusal.value
            assert (error.errno, error.strerror, str(error.filename)) == (code, words, str(tmp_path / name))
    assert len(os.listdir("/dev/fd")) == descriptors


def entry_of(offset, value):
    """A zip with one entry of ten bytes, in whose directory one number is changed."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", b"0123456789")
    data = bytearray(buffer.getvalue())
    start = data.index(b"PK\1\2") + offset
    data[start : start + len(value)] = value
    return zipfile.ZipFile(io.BytesIO(bytes(data)))


def test_an_entry_is_read_if_it_agrees_with_the_directory():
    with entry_of(0, b"") as archive:
        assert read_entry(archive, archive.infolist()[0]) == b"0123456789"
    crc = "cannot be read (Bad CRC-32 for file 'a')"
    for offset, value, words in (
        (8, b"\1", "encrypted"),
        (8, b"\3", "encrypted"),
        (10, b"\x0c", "compressed with an uncommon method; make an ordinary zip"),
        (10, b"\x63", "compressed with an uncommon method; make an ordinary zip"),
        (16, b"abcd", crc),
        (24, b"\x09", crc),
        (24, b"\0", crc),
        (42, b"\x05", "cannot be read (Bad magic number for file header)"),
    ):
        with entry_of(offset, value) as archive:
            refused(words, read_entry, archive, archive.infolist()[0])


def test_an_entry_larger_than_its_size_in_the_directory_is_not_unpacked():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", bytes(10_000_000))
    with zipfile.ZipFile(buffer) as archive:
        (entry,) = archive.infolist()
        entry.file_size = 10
        tracemalloc.start()
        refused("cannot be read (Bad CRC-32 for file 'a')", read_entry, archive, entry)
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
        tracemalloc.stop()


def test_json_is_read_or_refused_in_one_line():
    given = b'{"a": [1, {"b": "\\u00e9"}], "c": {"b": null}}'
    assert parse_json(given) == {"a": [1, {"b": "é"}], "c": {"b": None}}
    assert parse_json('"é"'.encode()) == "é"
    for data, words in (
        (b'"\xe9"', "not UTF-8"),
        (b"\n{", "not JSON (line 2)"),
        (b"", "not JSON (line 1)"),
        (b"[" * 100_000, "nested too deeply"),
        (b'[{"a": 1, "b": {}, "a": 1}]', "'a' appears twice in one object"),
        (b'{"%s": 1, "%s": 2}' % (b"x" * 200, b"x" * 200), "'" + "x" * 99 + " appears twice in one object"),
    ):
        refused(words, parse_json, data)


def test_yaml_is_read_within_its_limits():
    given = "\ufeffa: &x [1, 2]\nb: *x\nc: {<<: {d: é}}\n".encode()
    assert parse_yaml(given) == {"a": [1, 2], "b": [1, 2], "c": {"d": "é"}}
    assert parse_yaml(b"") is None
    assert parse_yaml(b"a") == "a"
    assert parse_yaml(b"9" * LONGEST_NUMBER) == int("9" * LONGEST_NUMBER)
    assert parse_yaml(b"x" * (LONGEST_NUMBER + 1)) == "x" * (LONGEST_NUMBER + 1)
    assert len(parse_yaml(aliases(56))["c"]) == 218 + 56
    for deepest in ("[" * DEEPEST + "]" * DEEPEST, "[" * (DEEPEST - 1) + "1" + "]" * (DEEPEST - 1)):
        assert isinstance(parse_yaml(deepest.encode()), list)
    assert decode_yaml(b"x" * MOST_YAML) == "x" * MOST_YAML


def aliases(more):
    """A mapping of three lists: a has 10 values, b 9 times as many and 1, c 218 times those of b, 1 and `more`.

    With its three keys, the mapping has 19944 values and `more`.
    """
    return f"a: &a [{'1,' * 9}]\nb: &b [{'*a,' * 9}]\nc: [{'*b,' * 218}{'1,' * more}]".encode()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"#" * (MOST_YAML + 1), "larger than 256 kB"),
        (b"a: \xe9", "'utf-8' codec can't decode byte 0xe9 in position 3: unexpected end of data"),
        ("a: [1\nb: 2", "while parsing a flow sequence"),
        ("a: 1\n--- 2", "expected a single document in the stream"),
        ("a: !new x", "could not determine a constructor for the tag '!new'"),
        (f"a:\n  - {'9' * (LONGEST_NUMBER + 1)}", "line 2: a number of 101 characters"),
        (f"a: 1.{'9' * LONGEST_NUMBER}", "line 1: a number of 102 characters"),
        (aliases(57), MANY),
        # Twenty million values; the values of a and b are measured only once.
        (f"a: &a [{'1,' * 99}]\nb: &b [{'*a,' * 99}]\nc: [{'*b,' * 2000}]", MANY),
        ("a: &a [*a]", DEEP),
        ("[" * (DEEPEST + 1) + "]" * (DEEPEST + 1), DEEP),
        ("{a: " * DEEPEST + "1" + "}" * DEEPEST, DEEP),
        ("[" * DEEPEST + "1" + "]" * DEEPEST, DEEP),
    ],
)
def test_yaml_that_is_refused(content, words):
    refused(words, parse_yaml, content if isinstance(content, bytes) else content.encode())


@pytest.mark.thorough
def test_yaml_of_many_or_deep_values_is_not_read_to_its_end():
    """The error at the end of each is not found."""
    for depth, words in ((DEEPEST - 1, MANY), (DEEPEST, DEEP), (200, DEEP)):
        refused(words, parse_yaml, b"[" * depth + b"a," * (2 * MOST_NODES) + b"}")
    assert len(parse_yaml(b"[" + b"a," * (MOST_NODES - 1) + b"]")) == MOST_NODES - 1
    refused(MANY, parse_yaml, b"[" + b"a," * MOST_NODES + b"}")
