"""The command `rehearse`."""

import json
import sys

import pytest

import build_bundle
from tests.samples.small_bundles import codabench_bundle, submission_zip, zipped
from tests.samples.tables import table


@pytest.mark.parametrize(("words", "expected"), table("wrong_calls")["rehearse"])
def test_a_path_that_cannot_be_used_is_named_and_not_traced(tmp_path, monkeypatch, capsys, words, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("no zip")
    codabench_bundle(tmp_path)
    assert build_bundle.main(["rehearse", *words.split()]) == 2
    assert expected in capsys.readouterr().err


@pytest.mark.parametrize("engine", ["bubblewrap", "docker"])
def test_a_missing_engine_is_refused_after_all_that_needs_none(tmp_path, monkeypatch, capsys, engine):
    monkeypatch.setenv("PATH", str(tmp_path))
    bundle, submission = codabench_bundle(tmp_path), submission_zip(tmp_path)
    call = ["rehearse", str(bundle), "--engine", engine]
    assert build_bundle.main([*call, "no.zip"]) == 2
    assert capsys.readouterr().err.startswith("no.zip: no such file")
    (tmp_path / "broken").mkdir()
    broken = codabench_bundle(tmp_path / "broken", inner={"scoring_program.zip": b"PK"})
    assert build_bundle.main(["rehearse", str(broken), "--engine", engine, str(submission)]) == 2
    assert "scoring_program.zip" in capsys.readouterr().err
    assert build_bundle.main([*call, str(submission)]) == 2
    assert "not installed" in capsys.readouterr().err


def test_windows_is_told_at_once_what_does_not_run_there(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    commands = ("rehearse b.zip s.zip", "season b.zip s", "publish b.zip", "amend b.zip 7")
    assert [build_bundle.main(command.split()) for command in commands] == [1] * 4
    assert capsys.readouterr().err.count("not rehearsed on Windows; run this in WSL") == 4


SOLUTIONS = {
    "solutions": [
        {"index": 0, "tasks": [0, 1], "path": "right.zip"},
        {"index": 1, "tasks": [1], "path": "wrong.zip"},
    ]
}


def test_a_bundle_alone_rehearses_its_sample_solutions_in_each_phase(tmp_path, capsys):
    inner = {name: zipped({"answer.txt": text}) for name, text in (("right.zip", "42"), ("wrong.zip", "7"))}
    bundle = str(codabench_bundle(tmp_path, changes=SOLUTIONS, inner=inner))
    assert build_bundle.main(["rehearse", bundle, "--engine", "local", "--json"]) == 0
    found = [
        (one["phase"], one["solution"], one["row"][0]["shown"]) for one in json.loads(capsys.readouterr().out)
    ]
    assert found == [
        ("Development", "right.zip", "0.25"),
        ("Evaluation", "right.zip", "0.8765"),
        ("Evaluation", "wrong.zip", "0.25"),
    ]
    assert build_bundle.main(["rehearse", bundle, "--engine", "local", "--phase", "Development"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("Development, right.zip: Finished in ")
    assert line.endswith("Accuracy 0.25")


def test_a_bundle_without_a_sample_solution_needs_a_submission(tmp_path, capsys):
    assert build_bundle.main(["rehearse", str(codabench_bundle(tmp_path)), "--engine", "local"]) == 2
    assert (
        "the bundle has no sample solution; name one: rehearse BUNDLE SUBMISSION.zip"
        in capsys.readouterr().err
    )
