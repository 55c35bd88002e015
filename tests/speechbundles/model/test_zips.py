"""The zips in a bundle: their names, which files go into them, and their bytes."""

from __future__ import annotations

import io
import re
import zipfile

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.model.zips import make_zip, read_all, read_tree, write_tree


def test_read_tree_skips_files_left_behind_and_read_all_does_not(tmp_path):
    names = ("b.py", "a/c.tsv", "a/b/d.wav", "a.CSV", "README", "a/list.py.c")
    kept = {name: name.encode() for name in names}
    systems = ("a.csv~", "~$a.xlsx", "__MACOSX/a.csv", "a/thumbs.db", "Desktop.ini")
    left = dict.fromkeys(
        ("a.pyc", ".hidden.py", ".git/a.py", "a/__pycache__/b.py", "x/.y/z.md", *systems), b"0"
    )
    folder = tmp_path / ".folder"
    assert read_all(folder) == {}
    assert write_tree(folder, {**kept, **left}) == folder
    (folder / "folder.py").mkdir()
    assert list(read_tree(folder).items()) == [
        (name, kept[name]) for name in ("README", "a/b/d.wav", "a/c.tsv", "a/list.py.c", "a.CSV", "b.py")
    ]
    assert read_all(folder) == {**kept, **left}
    assert read_all(write_tree(folder, {"a/c.tsv": b"new"}))["a/c.tsv"] == b"new"


@pytest.mark.parametrize("name", ["../x/labels.csv", "{}/labels.csv", "anna/../../evil.eaf", ".."])
def test_nothing_is_written_if_a_name_leads_out_of_the_folder(tmp_path, name):
    name, out = name.format(tmp_path), tmp_path / "place/out"
    with pytest.raises(
        OrganiserError, match=re.escape(f"{name}, ../b: not in {out}; expected relative names")
    ):
        write_tree(out, {"a..b/c..csv": b"", name: b"", "../b": b""})
    assert not list(tmp_path.iterdir())


def test_a_zip_of_the_same_files_has_the_same_bytes():
    files = {"b.txt": b"b" * 99, "c.png": b"c" * 99, "a/d.zip": b"d" * 99}
    data = make_zip(files)
    assert data == make_zip(dict(reversed(files.items())))
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert {name: archive.read(name) for name in archive.namelist()} == files
        stored, deflated = zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED
        found = [(entry.filename, entry.compress_type) for entry in archive.infolist()]
        assert found == [("a/d.zip", stored), ("b.txt", deflated), ("c.png", stored)]
        for entry in archive.infolist():
            assert (entry.date_time, entry.create_system) == ((1980, 1, 1, 0, 0, 0), 3)
            assert entry.external_attr == 0o100644 << 16


def test_one_file_can_be_put_first():
    with zipfile.ZipFile(io.BytesIO(make_zip({"a": b"", "b": b"", "c": b""}, first="b"))) as archive:
        assert archive.namelist() == ["b", "a", "c"]
