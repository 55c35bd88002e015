"""The command `score`."""

import csv

import build_bundle
from speechbundles.server.fetch import fetch_competition
from tests.samples.live_bundle import COMPETITION, upload


def test_the_command(connection, server, phase, small_bundle, tmp_path, capsys, monkeypatch):
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(small_bundle)
    server.enter(phase, "scores.csv", upload())
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    monkeypatch.chdir(tmp_path)
    command = ["score", str(bundle), "--fetched", "live", "--phase", "Evaluation"]
    assert build_bundle.main(command) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[2].split() == ["2", "anna", "0.975"]
    assert "2 scored and 1 refused in" in err
    with open("scored/Evaluation/scores.csv", encoding="utf-8", newline="") as rows:
        assert [row["submission"] for row in csv.DictReader(rows)] == ["scores.csv_", "anna", "bob"]
    for words, reason in (
        ([*command[:-2]], "--phase"),
        ([*command, "live"], "expected either DIR or --fetched DIR"),
        ([*command[:-1], "Development"], "no run of the phase 'Development'; phases with runs: 'Evaluation'"),
        ([*command[:3], "nowhere", *command[4:]], "expected the index that `fetch` writes"),
    ):
        assert build_bundle.main(words) == 2
        assert reason in " ".join(capsys.readouterr().err.split())
