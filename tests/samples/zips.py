"""Zips, good and corrupted."""

from __future__ import annotations

import gzip
import io
import stat
import tarfile
import warnings
import zipfile
from collections.abc import Iterator, Mapping

from spokeneval.formats.submission_zip import MAX_BYTES
from tests.samples.cases import Files
from tests.samples.mutation import Mutation, refused


def zip_mutations(good: Files) -> Iterator[Mutation]:
    """Corruptions of the zip, the same for every task."""
    file = next(iter(good))
    whole = zipped(good)
    for name, archive, code in (
        ("no zip at all", b"Id\tAccept\n", "bad_zip"),
        ("an empty upload", b"", "bad_zip"),
        ("a zip cut off", whole[: len(whole) // 2], "bad_zip"),
        ("a zip without its beginning", whole[40:], "bad_zip"),
        ("another format", gzip.compress(b"x"), "bad_zip"),
        ("a RAR archive", b"Rar!\x1a\x07\1\0" + bytes(99), "bad_zip"),
        ("a 7-Zip archive", b"7z\xbc\xaf\x27\x1c\0\4" + bytes(99), "bad_zip"),
        ("a tar archive", _tar(good), "bad_zip"),
        ("a byte changed", _changed(whole, good), "bad_zip"),
        ("a size that lies", _patched(whole, 24, 3, 4), "bad_zip"),
        ("a size above all bounds", _patched(whole, 24, MAX_BYTES + 1, 4), "zip_too_large"),
        ("entries that overlap", _overlapping(good), "bad_zip"),
        ("a file that is a folder too", zipped({**good, f"{file}/x": "x"}), "unsafe_entry"),
    ):
        yield refused(name, code, "", archive=archive)
    for name, archive, code in (
        ("an unknown compression", _with_method(whole, 99), "bad_zip"),
        ("LZMA, which may ask for gigabytes", _with_method(whole, zipfile.ZIP_LZMA), "bad_zip"),
        ("bzip2", _with_method(whole, zipfile.ZIP_BZIP2), "bad_zip"),
        ("an encrypted zip", _patched(whole, 8, 1, 2), "encrypted_zip"),
        ("a link in the zip", _linked(file), "link"),
        ("an entry twice", zipped([*good.items(), (file, "x")]), "duplicate_entry"),
    ):
        yield refused(name, code, file, archive=archive)
    slashed = f"mine\\{file}"
    yield refused("a backslash in the zip", "backslash", slashed, archive=zipped({slashed: "x"}))
    again = "./" + file
    twice = zipped([*good.items(), (again, "x")])
    yield refused("an entry twice, in other words", "duplicate_entry", again, archive=twice)
    for name in (
        *("../" + file, "a/../../ref/x", "/etc/passwd", "..\\" + file, "C:/x", "c:x", "../../ref"),
        *("/", ".", "./", "x" * 300, "d/" * 1500 + "x"),
    ):
        yield refused(f"the entry {name!r}", "unsafe_entry", name, archive=zipped({**good, name: "x"}))


def zipped(files: Files | list[tuple[str, str | bytes]]) -> bytes:
    """A zip of exactly these entries, including repeated names."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, content in files.items() if isinstance(files, Mapping) else files:
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _patched(archive: bytes, offset: int, value: int, size: int) -> bytes:
    """A zip with a changed field in the first entry of its central directory; `offset` as in the specification."""
    changed = bytearray(archive)
    start = archive.index(b"PK\x01\x02") + offset
    changed[start : start + size] = value.to_bytes(size, "little")
    return bytes(changed)


def _with_method(archive: bytes, method: int) -> bytes:
    changed = bytearray(_patched(archive, 10, method, 2))
    changed[8:10] = method.to_bytes(2, "little")
    return bytes(changed)


def _changed(archive: bytes, good: Files) -> bytes:
    start = 30 + len(next(iter(good)).encode())
    return archive[: start + 2] + bytes([archive[start + 2] ^ 0x55]) + archive[start + 3 :]


def _tar(files: Files) -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for name in files:
            archive.addfile(tarfile.TarInfo(name))
    return buffer.getvalue()


def _linked(name: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        entry = zipfile.ZipInfo(name)
        entry.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(entry, "../ref/reference.csv")
    return buffer.getvalue()


def _overlapping(good: Files) -> bytes:
    """Two entries of the directory that share one entry's bytes."""
    archive = zipped({**good, "other": next(iter(good.values()))})
    second = archive.index(b"PK\x01\x02", archive.index(b"PK\x01\x02") + 1)
    while archive[second + 46 : second + 51] != b"other":
        second = archive.index(b"PK\x01\x02", second + 1)
    return archive[: second + 42] + bytes(4) + archive[second + 46 :]
