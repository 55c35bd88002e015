"""Files that are written whole, and state that was damaged."""

import os
import sys
from datetime import datetime

import pytest

from speechbundles.model.disk import read_state, write_state, write_whole
from speechbundles.model.fetched import JOURNAL, Fetched, append_to_journal


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
