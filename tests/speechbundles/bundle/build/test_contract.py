"""The contract of a task in an organiser's own Python: our tasks hold it, and each way to break it is found."""

import shutil

import pytest

import build_bundle
from speechbundles.bundle.build import contract
from tests.samples.own_python import TASK, own_python
from tests.samples.programs import write_files
from tests.samples.tables import table


def built(folder, capsys):
    """Return what a build refuses, in one line; empty if it builds."""
    status = build_bundle.main(["build", "--competition", str(folder), "--platform", "codabench"])
    told = " ".join(capsys.readouterr().err.split())
    assert (status == 1) == ("Nothing was built." in told)
    return told if status else ""


BROKEN = table("broken_tasks")["broken"]


@pytest.mark.thorough
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_contract_is_one_message_with_what_to_change(name, tmp_path, monkeypatch, capsys):
    if "does not end" in name:
        monkeypatch.setattr(contract, "SECONDS", 3.0)
    folder = own_python(tmp_path / "rhythm")
    changes, expected = BROKEN[name]
    text = TASK
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    write_files(folder, {"tasks/pauses.py": text})
    told = built(folder, capsys)
    assert told.startswith("tasks/pauses.py: ")
    assert expected in told
    assert not (folder / "dist").exists()


SAMPLES = table("broken_tasks")["samples"]


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_that_cannot_be_used_is_refused(name, tmp_path, capsys):
    folder = own_python(tmp_path / "rhythm")
    shutil.rmtree(folder / "tasks/pauses")
    files, expected = SAMPLES[name]
    write_files(folder, {f"tasks/pauses/sample/{file}": text for file, text in files.items()})
    assert expected in built(folder, capsys)
