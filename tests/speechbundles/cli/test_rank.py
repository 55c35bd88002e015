"""The command `rank`."""

import csv
import json
from datetime import datetime

import build_bundle
from speechbundles.cli import rank
from tests.samples.boards import noisy_systems


def test_the_date_is_an_argument_or_today(tmp_path, capsys, monkeypatch):
    (path,) = noisy_systems(tmp_path, systems=1)
    monkeypatch.setattr(rank, "now", lambda: datetime(2027, 3, 31, 23, 59))
    for arguments, day in (([], "2027-03-31"), (["--date", "2027-02-28"], "2027-02-28")):
        assert build_bundle.main(["rank", str(path), *arguments]) == 0
        assert f"responses · {day}\n" in capsys.readouterr().out


def test_the_command_prints_and_writes_the_same_bytes_each_time(tmp_path, capsys):
    paths = [str(path) for path in noisy_systems(tmp_path / "outputs")]
    printed, files = [], []
    for out in (tmp_path / "one", tmp_path / "two"):
        assert build_bundle.main(["rank", *paths, "--items", "--out", str(out)]) == 0
        printed.append(capsys.readouterr().out)
        files.append({file.name: file.read_bytes() for file in out.iterdir()})
    assert printed[0] == printed[1]
    assert build_bundle.main(["rank", *paths, "--items"]) == 2
    assert "--items needs --out DIR" in capsys.readouterr().err
    assert build_bundle.main(["rank", *paths]) == 0
    *lines, more = printed[0].splitlines()
    whole = capsys.readouterr().out.splitlines()
    assert (lines, more) == (whole[:15], f"... and {len(whole) - 15} more lines, in board.md")
    assert files[0] == files[1]
    assert set(files[0]) == {
        *("board.csv", "board.json", "board.md", "board.tex", "board.html"),
        *("pairs.csv", "items.csv"),
    }
    written = json.loads(files[0]["board.json"])
    assert [system["name"] for system in written["systems"]] == [
        row["system"] for row in csv.DictReader(files[0]["board.csv"].decode().splitlines())
    ]
    assert len(written["pairs"]) == len(files[0]["pairs.csv"].splitlines()) - 1
    assert written["systems"][0]["intervals"].keys() >= {written["primary"]}
    assert build_bundle.main(["rank", paths[0], paths[0]]) == 1
    assert "the same output" in capsys.readouterr().err
