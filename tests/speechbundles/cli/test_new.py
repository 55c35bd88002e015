"""The command `new`."""

import build_bundle


def test_new_is_refused_where_there_is_no_clone(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr("speechbundles.cli.new.ROOT", tmp_path)
    assert build_bundle.main(["new", "speech_rate"]) == 1
    assert capsys.readouterr().err.endswith(" in a clone of it\n\nNothing was written.\n")
    assert list(tmp_path.iterdir()) == []


def test_new_is_listed_only_in_a_clone(monkeypatch, capsys):
    for clone in (True, False):
        monkeypatch.setattr("speechbundles.cli.program.CLONE", clone)
        assert build_bundle.main(["--help"]) == 0
        assert ("  new " in capsys.readouterr().out) == clone
