"""Temporary folders with hidden labels: the next command deletes those of killed commands, and nothing else."""

import os
import subprocess
import sys
import time

import pytest

import build_bundle
from speechbundles.model import temporary
from speechbundles.model.temporary import PREFIX, sweep, temporary_folder
from tests.samples.programs import ROOT
from tests.samples.small_bundles import codabench_bundle, submission_zip

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders are not locked on Windows")

STALE = f"{PREFIX}bundle-0a_9zzzz"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The folder for temporary files; there is no other in memory."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr(temporary, "MEMORY", folder)
    return folder


def labels_in(folder):
    folder.mkdir(parents=True)
    (folder / "labels.csv").write_text("a,1\n")
    return folder


def copies_of(name, place):
    """Return the files with a name below a folder, whose folders come and go."""
    return [file for folder, _, files in os.walk(place) for file in files if file == name]


def test_the_command_after_a_killed_one_deletes_its_labels(tmp_path, place):
    """A rehearsal is killed while the scoring program runs; a live command and its labels stay."""
    bundle = codabench_bundle(tmp_path, score="import time; time.sleep(60)")
    command = [sys.executable, str(ROOT / "build_bundle.py"), "rehearse", "--engine", "local", str(bundle)]
    environment = {**os.environ, "TMPDIR": str(place)}
    killed = subprocess.Popen([*command, str(submission_zip(tmp_path))], env=environment)
    try:
        deadline = time.monotonic() + 20
        while not copies_of("gold.txt", place) and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        killed.kill()
        killed.wait()
    assert copies_of("gold.txt", place)
    with temporary_folder("live") as live:
        labels_in(live / "all")
        # The processes of the killed command hold its lock until they have ended.
        deadline = time.monotonic() + 20
        while list(place.iterdir()) != [live] and time.monotonic() < deadline:
            assert build_bundle.main(["rank", str(tmp_path / "nothing")]) == 1
        assert list(place.iterdir()) == [live]
        assert len(list(live.iterdir())) == 1
    assert list(place.iterdir()) == []


def test_folders_in_memory_are_swept_whatever_their_permissions(place, tmp_path, monkeypatch):
    monkeypatch.setattr(temporary, "MEMORY", tmp_path / "memory")
    stale = labels_in(tmp_path / "memory" / STALE)
    labels_in(stale / "run/deep").chmod(0)
    labels_in(place / STALE)
    sweep()
    assert [*place.iterdir(), *stale.parent.iterdir()] == []


def test_only_unlocked_folders_of_this_user_are_swept(place, tmp_path, monkeypatch):
    outside = labels_in(tmp_path / "outside")
    (place / STALE).symlink_to(outside)
    labels_in(place / "others" / STALE)
    (place / f"{STALE[:-1]}_").write_text("no folder")
    for name in ("speechbundles-temporary", STALE.upper(), f"{STALE}.keep", f"my-{STALE}"):
        labels_in(place / name)
    (place / f"{STALE[:-1]}0").mkdir()
    (place / f"{STALE[:-1]}0/link").symlink_to(outside)
    before = sorted(place.rglob("*"))
    with monkeypatch.context() as patched:
        patched.setattr(os, "geteuid", lambda: os.getuid() + 1)
        sweep()
    assert sorted(place.rglob("*")) == before
    sweep()
    assert set(before) - set(place.rglob("*")) == {place / f"{STALE[:-1]}0", place / f"{STALE[:-1]}0/link"}
    assert (outside / "labels.csv").exists()


@pytest.mark.parametrize("moment", ["open_folder", "_lock"])
def test_a_folder_that_is_swept_before_it_is_locked_is_made_again(place, monkeypatch, moment):
    """`moment`: what the command is about to do when another one sweeps."""
    original = getattr(temporary, moment)

    def swept_first(*arguments, **options):
        monkeypatch.setattr(temporary, moment, original)
        sweep()
        assert list(place.iterdir()) == []
        return original(*arguments, **options)

    monkeypatch.setattr(temporary, moment, swept_first)
    with temporary_folder("run") as folder:
        sweep()
        assert list(place.iterdir()) == [folder]
