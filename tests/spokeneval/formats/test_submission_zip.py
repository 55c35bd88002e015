"""Tests of a submission's zip: unpacking, its limits, and files that are no zip."""

from __future__ import annotations

import contextlib
import errno
import io
import stat
import struct
import zipfile
from unittest import mock

import pytest

from spokeneval.formats import submission_zip
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_zip import MAX_DIRECTORY, is_packed, open_zip, unpack
from tests.samples.programs import packed
from tests.samples.zips import zipped


def unpacked(folder, data) -> dict[str, bytes]:
    """The files of an unpacked zip, with None for folders."""
    (folder / "x.zip").write_bytes(data)
    target = folder / "unpacked"
    target.mkdir()
    unpack(folder / "x.zip", target)
    return {
        path.relative_to(target).as_posix(): path.read_bytes() if path.is_file() else None
        for path in sorted(target.rglob("*"))
    }


def refused(folder, data):
    """The code and file of each problem."""
    with pytest.raises(SubmissionError) as refusal:
        unpacked(folder, data)
    return [(problem.code, problem.file) for problem in refusal.value.problems]


def of_entries(*entries) -> bytes:
    """A zip of entries `(name, mode)`."""
    made = {name: zipfile.ZipInfo(name) for name, _ in entries}
    for name, mode in entries:
        made[name].external_attr = mode << 16
    return packed((entry, "x") for entry in made.values())


@pytest.mark.parametrize(
    ("name", "data", "refusal"),
    [
        ("a.csv", b"id,label\n", None),
        ("a.csv", b"", None),
        ("a.ZIP", b"id,label\n", "but a text file; zip it, and submit the zip"),
        ("a.zip", b"", "but an empty file; create it again"),
        ("a.csv", b"Rar!\x1a\x07\1\0", "but a RAR archive; unpack it and zip its files instead"),
    ],
)
def test_a_file_that_is_named_zip_is_unpacked_or_refused_as_one(tmp_path, name, data, refusal):
    path = tmp_path / name
    path.write_bytes(data)
    assert is_packed(path) == (refusal is not None)
    if refusal:
        with pytest.raises(SubmissionError, match=f"is not a readable zip file, {refusal}"):
            unpack(path, tmp_path)


def test_files_and_folders_are_unpacked(tmp_path):
    long = "n" * 255
    deep = "/".join("123456789") + "/x"
    files = {
        "a.txt": b"a" * 200_000,
        "b/c/d.txt": b"d",
        "b/c/e.txt": b"",
        "b/x:y": b"x",
        long: b"1",
        deep: b"2",
    }
    found = unpacked(tmp_path, zipped({"f/g/": b"", **files, "b/": b""}))
    assert {name: content for name, content in found.items() if content is not None} == files
    assert found["f/g"] is None
    plain = of_entries(("a", 0), ("b", stat.S_IFREG | 0o644), ("c/", stat.S_IFDIR | 0o755))
    (tmp_path / "plain").mkdir()
    assert sorted(unpacked(tmp_path / "plain", plain)) == ["a", "b", "c"]
    (tmp_path / "none").mkdir()
    assert unpacked(tmp_path / "none", zipped({})) == {}


@pytest.mark.parametrize(
    ("number", "place"), [(errno.ENOSPC, "full"), (errno.EINVAL, "before"), (None, "nothing")]
)
def test_a_disk_that_is_full_is_not_the_zips_fault(tmp_path, monkeypatch, number, place):
    extract = mock.Mock(side_effect=OSError(number, "words"))
    monkeypatch.setattr(submission_zip, "_extract", extract)
    if place == "full":
        with pytest.raises(OSError, match="words"):
            unpacked(tmp_path, zipped({"a": b"1"}))
    else:
        assert refused(tmp_path, zipped({"a": b"1"})) == [("bad_zip", "")]


def test_the_limit_on_unpacked_bytes_does_not_trust_the_directory(tmp_path, monkeypatch):
    monkeypatch.setattr(submission_zip, "MAX_BYTES", 1 << 17)
    assert (
        len(unpacked(tmp_path, zipped({"a": b"a" * 99, "b": b"b" * ((1 << 17) - 99)}))["b"]) == (1 << 17) - 99
    )
    too_large = [("zip_too_large", "")]
    (tmp_path / "told").mkdir()
    assert refused(tmp_path / "told", zipped({"../a": b"a" * 99, "b": b"b" * ((1 << 17) - 98)})) == too_large
    # If what is told could be less than the truth, it would be noticed while a file is written.
    monkeypatch.setattr(submission_zip, "_check_entries", lambda entries, problems: None)
    for first, second, written in (
        (60_000, 300_000, 1 << 17),
        (99_000, 300_000, 1 << 16),
        (0, (1 << 17) + 1, (1 << 17) + 1),
    ):
        place = tmp_path / str(first)
        place.mkdir()
        assert refused(place, zipped({"a": b"a" * first, "b": b"b" * second, "c": b"c"})) == too_large
        sizes = {path.name: path.stat().st_size for path in (place / "unpacked").iterdir()}
        assert sizes == {"a": first, "b": written}


def end_of(size, *, large=False, comment=b"", offset=bytes(4), place=0) -> bytes:
    """The end of a zip with a directory of so many bytes, given in its own record or in the ZIP64 record at a place."""
    record = b"PK\6\6" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, 1, 1, size, 0)
    locator = b"PK\6\7" + struct.pack("<LQL", 0, place, 1)
    end = struct.pack("<4H", 0, 0, 1, 1) + struct.pack("<L", 0 if large else size) + offset
    return (record + locator if large else b"") + b"PK\5\6" + end + struct.pack("<H", len(comment)) + comment


@pytest.mark.parametrize("before", [b"", b"x" * 100_000, b"PK\5\6" + bytes(99)])
@pytest.mark.parametrize("comment", [b"", b"x" * 65535, b"PK", b"words\0\0"])
@pytest.mark.parametrize("large", [False, True])
def test_a_directory_that_would_fill_the_memory_is_not_read(before, comment, large):
    for size in (MAX_DIRECTORY + 1, *([1 << 56] if large else [])):
        with pytest.raises(zipfile.BadZipFile, match="far more entries than are needed"):
            open_zip(io.BytesIO(before + end_of(size, large=large, comment=comment, place=len(before))))
    with pytest.raises(zipfile.BadZipFile) as refusal:
        open_zip(io.BytesIO(before + end_of(MAX_DIRECTORY, large=large, comment=comment, place=len(before))))
    assert "far more" not in str(refusal.value)


@pytest.mark.parametrize("before", [b"", b"x" * 100_000])
def test_a_zip64_locator_that_points_elsewhere_is_refused(before):
    """Versions of Python differ in which of two ZIP64 records they read; a small one before the locator hid a large."""
    hidden = end_of(MAX_DIRECTORY + 1, large=True)[:56]
    for place in (len(before), 0, len(before) + 57, 1 << 40):
        with pytest.raises(zipfile.BadZipFile, match="its ZIP64 directory is not where it is expected"):
            open_zip(io.BytesIO(before + hidden + end_of(0, large=True, place=place)))
    whole = zipped({"a": b"1"})
    directory, record = whole.index(b"PK\1\2"), whole.index(b"PK\5\6")
    large = b"PK\6\6" + struct.pack("<Q2H2L4Q", 44, 45, 45, 0, 0, 1, 1, record - directory, directory)
    for place, names in ((record, ["a"]), (0, None)):
        with contextlib.nullcontext() if names else pytest.raises(zipfile.BadZipFile):
            found = whole[:record] + large + b"PK\6\7" + struct.pack("<LQL", 0, place, 1) + whole[record:]
            assert open_zip(io.BytesIO(found)).namelist() == names


def test_the_end_of_a_zip_is_where_zipfile_looks_for_it():
    # Without a comment the record is the last thing, whatever its own bytes look like.
    with pytest.raises(zipfile.BadZipFile, match="far more entries than are needed"):
        open_zip(io.BytesIO(bytes(99) + end_of(MAX_DIRECTORY + 1, offset=b"PK\5\6")))
    with pytest.raises(zipfile.BadZipFile, match="File is not a zip file"):
        open_zip(io.BytesIO(b"x" * 99))
    with open_zip(io.BytesIO(zipped({"a": b"1"}))) as archive:
        assert archive.read("a") == b"1"
