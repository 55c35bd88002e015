"""The command `init`."""

import subprocess
import sys

import pytest

import build_bundle
from tests.samples.programs import ROOT, write_files


@pytest.mark.parametrize("taken", ["a file", "a folder with something in it"])
def test_init_needs_a_new_or_empty_folder(tmp_path, capsys, taken):
    folder = tmp_path / "own"
    write_files(tmp_path, {"own" if taken == "a file" else "own/data.csv": "mine"})
    before = sorted(tmp_path.rglob("*"))
    assert build_bundle.main(["init", str(folder), "spoken_call"]) == 1
    assert f"{folder} exists already" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


def test_init_takes_no_time_to_import_pandas():
    code = "import sys, speechbundles.cli.init; sys.exit('pandas' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_init_wants_names_or_a_kind(tmp_path, capsys):
    for words in (
        [],
        ["psst_correctness", "--new", "a", "--kind", "decisions"],
        ["--new", "a"],
        ["--kind", "decisions"],
    ):
        assert build_bundle.main(["init", str(tmp_path / "own"), *words]) == 2
        assert "--new NAME with --kind KIND" in capsys.readouterr().err
    words = ["init", str(tmp_path / "own"), "--new", "spoken_call", "--kind", "decisions"]
    assert build_bundle.main(words) == 1
    assert "spoken_call is a task of the repository" in capsys.readouterr().err
    assert not (tmp_path / "own").exists()
