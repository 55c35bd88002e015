"""The command `season`."""

import json

import build_bundle
from tests.samples.seasons import codabench, submit


def test_the_command_prints_text_or_json_and_says_what_is_wrong(tmp_path, capsys):
    submit(tmp_path, "a", "2027-01-05T0900.zip")
    bundle, folder = str(codabench(tmp_path)), str(tmp_path / "season")
    assert build_bundle.main(["season", bundle, folder]) == 0
    said = capsys.readouterr()
    assert "Final leaderboard, Development: each team's best submission" in said.out
    assert said.err.startswith("1 runs in ")
    assert build_bundle.main(["season", bundle, folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["final"][0]["systems"][0]["name"] == "a"
    out = tmp_path / "boards"
    assert build_bundle.main(["season", bundle, folder, "--out", str(out)]) == 0
    assert f"wrote 8 files to {out}\n" in capsys.readouterr().err
    assert json.loads((out / "1/2027-01-05/board.json").read_bytes())["systems"][0]["name"] == "a"
    for wrong in (["absent.zip", folder], [bundle, "absent"], [bundle, folder, "--jobs", "0"]):
        assert build_bundle.main(["season", *wrong]) == 2
        assert capsys.readouterr().err
