"""The command `rehearse`."""

import sys

import pytest

import build_bundle
from tests.samples.small_bundles import codabench_bundle


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("no.zip taken", "no.zip: No such file or directory; expected a bundle's zip"),
        ("taken taken", "taken: is not a zip; expected a bundle's zip"),
        ("bundle.zip no.zip", "no.zip: no such file; expected the zip of a submission"),
        ("bundle.zip .", ".: is a folder; expected the zip of a submission"),
        ("bundle.zip bundle.zip --keep taken/x", "taken/x: Not a directory"),
        ("bundle.zip bundle.zip --statistics", "--keep"),
    ],
)
def test_a_path_that_cannot_be_used_is_named_and_not_traced(tmp_path, monkeypatch, capsys, words, expected):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").write_text("no zip")
    codabench_bundle(tmp_path)
    assert build_bundle.main(["rehearse", *words.split()]) == 2
    assert expected in capsys.readouterr().err


def test_windows_is_told_at_once_what_does_not_run_there(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    commands = ("rehearse b.zip s.zip", "season b.zip s", "publish b.zip", "amend b.zip 7")
    assert [build_bundle.main(command.split()) for command in commands] == [1] * 4
    assert capsys.readouterr().err.count("not rehearsed on Windows; run this in WSL") == 4
