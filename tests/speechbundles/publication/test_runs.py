"""Many runs of programs that others wrote."""

import shutil
from pathlib import Path

import pytest

from speechbundles.bundle.rehearse.process import own_programs
from speechbundles.model.errors import OrganiserError
from speechbundles.model.read import read_built_bundle
from speechbundles.publication import runs, score_all
from tests.samples.programs import write_files
from tests.samples.small_bundles import AS_ON_THE_PLATFORM, codabench_bundle, zipped

SUBMISSIONS = {
    "a.zip": zipped({"answer.txt": "42\n"}),
    "b.zip": zipped({"answer.txt": "41\n"}),
    "c.zip": b"no zip",
}


@pytest.fixture(autouse=True)
def programs_of_others(monkeypatch):
    monkeypatch.setattr(runs, "own_programs", own_programs)


def scored(folder, bundle):
    found = score_all(bundle, write_files(folder / "uploads", SUBMISSIONS), folder / "out", jobs=2)
    return {name: (result.status, result.shown.get("accuracy")) for name, result in found.results.items()}


def test_each_is_run_by_the_engine_for_programs_of_others(tmp_path, monkeypatch):
    chosen = []
    monkeypatch.setattr(
        runs,
        "choose_engine",
        lambda name, *_, **options: chosen.append((name, options)) or AS_ON_THE_PLATFORM,
    )
    bundle = codabench_bundle(tmp_path)
    expected = {"a": ("Finished", "0.8765"), "b": ("Finished", "0.2500"), "c": ("Failed", None)}
    assert scored(tmp_path, bundle) == expected
    assert [name for name, _ in chosen] == ["auto"]
    assert (tmp_path / "out" / "a" / "scores.json").is_file()
    assert scored(tmp_path, bundle) == expected
    assert len(chosen) == 1  # the results were kept


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="needs bubblewrap")
def test_they_run_in_bubblewrap_with_the_folders_of_the_worker(tmp_path):
    program = """
        import json, os
        json.dump({"accuracy": 1.0, "items": len(os.listdir("/app/input/res"))}, open("/app/output/scores.json", "w"))
        open("/app/output/home.txt", "w").write(str(os.path.exists(HOME)))
    """.replace("HOME", repr(str(Path(__file__).resolve())))
    assert scored(tmp_path, codabench_bundle(tmp_path, score=program, ingest=None))["a"] == (
        "Finished",
        "1.0000",
    )
    assert (tmp_path / "out" / "a" / "home.txt").read_text() == "False"


def test_a_cluster_and_a_missing_bubblewrap_are_refused(tmp_path, monkeypatch):
    bundle = read_built_bundle(codabench_bundle(tmp_path))
    needed = {"a": (bundle.phases[0], tmp_path / "a.zip")}
    with pytest.raises(OrganiserError, match="--scheduler is for this project's programs"):
        list(runs.rehearse_runs(bundle, needed, tmp_path, scheduler="tcp://x"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(OrganiserError, match="not this project's own"):
        list(runs.rehearse_runs(bundle, needed, tmp_path))
    assert list(runs.rehearse_runs(bundle, {}, tmp_path)) == []
