"""The names of folders in a fetched competition, and files that are written whole."""

import hashlib
import itertools
import os
import sys
from datetime import datetime

import pytest

from speechbundles.model.fetched import (
    JOURNAL,
    Fetched,
    append_to_journal,
    folded,
    folders_of,
    read_state,
    safe_name,
    write_state,
    write_whole,
)


def test_different_names_stay_different():
    names = ["a/b", "a_b", "a\\b", "a:b", "a_b ", " a_b", ".a", "_a", "x" * 100, "x" * 101]
    assert len({safe_name(name) for name in names}) == len(names)
    assert safe_name("Team-1_b@x") == "Team-1_b@x"


def test_no_owner_takes_the_folder_of_another():
    """On a file system that ignores case, two owners would share a folder; the first one keeps the plain name."""
    assert folders_of(["anna", "Anna"]) == {"anna": "anna", "Anna": "Anna-bf4fcc"}
    digest = hashlib.sha256(b"Bob").hexdigest()[:6]
    owners = [f"BOB-{digest}", "Bob", "BOB", "bob", "straße", "STRASSE", "e\u0301", "\u00c9"]
    names = ["a", "A", *(f"{a}-{hashlib.sha256(b).hexdigest()[:6]}" for a, b in (("a", b"A"), ("A", b"a")))]
    for order in (owners, *itertools.permutations(names)):
        assert len({folded(folder) for folder in folders_of(order).values()}) == len(order)


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_file_gets_its_name_once_its_bytes_are_on_the_disk(tmp_path, monkeypatch):
    """First the file is written to the disk, then its name in the folder; the journal is written at once."""
    on_disk, real = [], os.fsync

    def fsync(handle):
        on_disk.append(
            (os.readlink(f"/proc/self/fd/{handle}"), os.fstat(handle).st_size, (tmp_path / "a").exists())
        )
        real(handle)

    monkeypatch.setattr(os, "fsync", fsync)
    write_whole(tmp_path / "a", "four")
    (part, size, named), (folder, _, named_then) = on_disk
    assert (part.endswith(".part"), size, named, folder, named_then) == (True, 4, False, str(tmp_path), True)
    append_to_journal(tmp_path, Fetched(1, "p", "anna", datetime(2027, 1, 1), "Finished"))
    assert on_disk[2][0].endswith(JOURNAL)
    assert on_disk[2][1] > 0


def test_damaged_state_counts_as_none_and_is_set_aside(tmp_path, capsys):
    """A flipped bit, half a file, an empty one, and bytes that are no text."""
    path = tmp_path / "a.json"
    write_state(path, {"seconds": 0.1, "log": "ä\n\0"})
    assert read_state(path) == {"seconds": 0.1, "log": "ä\n\0"}
    whole = path.read_bytes()
    for damaged in (whole.replace(b"0.1", b"0.5"), whole[:80], b"", b"\xff\xfe"):
        path.write_bytes(damaged)
        assert read_state(path) is None
        assert "a.json: damaged, and so renamed to a.json.damaged" in capsys.readouterr().err
        assert (tmp_path / "a.json.damaged").read_bytes() == damaged
    assert read_state(path) is None
    assert capsys.readouterr().err == ""
