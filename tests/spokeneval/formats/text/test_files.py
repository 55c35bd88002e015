"""Files of a submission are read up to their limits, and closed."""

from __future__ import annotations

import io
import os

import pytest

from spokeneval.formats import text as text_module
from spokeneval.formats.problems import Problems
from spokeneval.formats.text import content_of, open_file, read_blocks
from tests.samples.refusals import refused


def test_a_file_of_the_limit_is_read_and_none_larger(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abc")
    for source in (path, b"abc"):
        files = {"a.csv": source}
        assert read_whole(files, "a.csv", 3, Problems()) == b"abc"
        for read in (read_whole, open_file):
            assert refused(read, files, "a.csv", 2, Problems()) == ("file_too_large", None)


def read_whole(files, file, limit, problems):
    return content_of(files, file, problems, limit)


def read_in_blocks(files, file, limit, problems):
    with open_file(files, file, limit, problems) as stream:
        return list(read_blocks(stream, file, problems, limit))


@pytest.mark.parametrize("read", [read_whole, read_in_blocks])
def test_a_file_that_grows_while_it_is_read_is_too_large(tmp_path, monkeypatch, read):
    monkeypatch.setattr(text_module, "_BLOCK", 100)
    path = tmp_path / "file"
    path.write_bytes((b"x" * 399 + b"\n") * 10)
    sizes = os.stat_result((*path.stat()[:6], 1, *path.stat()[7:10]))
    monkeypatch.setattr(os, "fstat", lambda descriptor: sizes)
    files = {"a.csv": path}
    assert refused(read, files, "a.csv", 3999, Problems()) == ("file_too_large", None)
    assert len(read(files, "a.csv", 4000, Problems())) in (10, 4000)


def test_of_a_file_without_end_no_more_is_read_than_shows_that_it_is_too_large(tmp_path, monkeypatch):
    asked = []

    class Endless(io.BytesIO):
        def read(self, size):
            asked.append(size)
            return b"x" * size

        readline = read

    monkeypatch.setattr(os, "fdopen", lambda descriptor, mode: os.close(descriptor) or Endless())
    (tmp_path / "file").touch()
    for read in (read_whole, read_in_blocks):
        files = {"a.csv": tmp_path / "file"}
        assert refused(read, files, "a.csv", 10, Problems())[0] == "file_too_large"
    assert asked == [11, text_module._BLOCK, 11]


@pytest.mark.parametrize("kind", ["large", "pipe"])
def test_what_is_not_read_is_closed(tmp_path, kind):
    path = tmp_path / "file"
    path.write_bytes(b"abc") if kind == "large" else os.mkfifo(path)
    before = len(os.listdir("/proc/self/fd"))
    refused(read_whole, {"a.csv": path}, "a.csv", 2, Problems())
    assert len(os.listdir("/proc/self/fd")) == before
