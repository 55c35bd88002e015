"""The command `rank`."""

import csv
import json
from datetime import datetime

import build_bundle
from speechbundles.cli import rank
from speechbundles.model.fetched import Fetched, write_index
from tests.samples.boards import noisy_systems
from tests.samples.own_competition import begun_folder, set_in


def test_the_date_is_an_argument_or_today(tmp_path, capsys, monkeypatch):
    (path,) = noisy_systems(tmp_path, systems=1)
    monkeypatch.setattr(rank, "now", lambda: datetime(2027, 3, 31, 23, 59))
    for arguments, day in (([], "2027-03-31"), (["--date", "2027-02-28"], "2027-02-28")):
        assert build_bundle.main(["rank", str(path), *arguments]) == 0
        assert f"responses · {day}\n" in capsys.readouterr().out


def test_fact_sheets_are_listed_beside_the_leaderboard(tmp_path, capsys):
    """Not on it: the page may be published. The rule is one of the organiser's own."""
    paths = [str(path) for path in noisy_systems(tmp_path / "outputs", systems=2)]
    own, live = begun_folder(tmp_path / "own", ["spoken_call"]), tmp_path / "live"
    question = '{key: hours, title: "Hours of data", type: text, required: true, at_most: 10}'
    set_in(own, "bundles:\n  spoken_call", f"    fact_sheet: [{question}]")
    live.mkdir()
    sheets = {"anna": '{"hours": "10"}', "ben": '{"hours": "20 hours", "data": "%s"}' % ("Lang" * 40)}
    write_index(
        live,
        [
            Fetched(number, "Evaluation", owner, datetime(2027, 3, 1), "Finished", fact_sheet=sheet)
            for number, (owner, sheet) in enumerate(sheets.items())
        ],
    )
    command = ["rank", *paths, "--competition", str(own), "--fact-sheets", str(live)]
    assert build_bundle.main([*command, "--out", str(tmp_path / "board")]) == 0
    printed = capsys.readouterr().out.partition("Fact sheets: 1 of 2 declarations break a rule\n")[2]
    _, first, second, broken = printed.splitlines()
    assert (first, second.partition("…")[0].rstrip("Lang")) == (
        "  anna  0     10",
        "  ben   1     20 hours  ",
    )
    assert broken == "  ben (run 1): hours: 20, but at most 10 are allowed"
    written = (tmp_path / "board/fact_sheets.csv").read_text().splitlines()
    assert written[2] == f'ben,1,20 hours,{"Lang" * 40},"hours: 20, but at most 10 are allowed"'
    assert "20 hours" not in (tmp_path / "board/board.html").read_text()
    assert build_bundle.main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["fact_sheets"][0] == {
        **{"team": "anna", "runs": "0", "hours": "10", "data": "", "breaks a rule": ""}
    }
    assert build_bundle.main([*command, "--anonymous"]) == 2
    assert "--fact-sheets names the teams; leave out --anonymous" in capsys.readouterr().err


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
