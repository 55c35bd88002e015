"""Whole seasons from files to text, kept results, and the command."""

import json
import re
from dataclasses import replace

import pytest

from speechbundles.bundle.rehearse import many
from speechbundles.bundle.rehearse.rehearsal import Rehearsal
from speechbundles.bundle.rehearse.run import Step
from speechbundles.leaderboard.season.files import season_files
from speechbundles.leaderboard.season.play import play_season
from speechbundles.leaderboard.season.summary import season_to_dict, season_to_text
from tests.samples.seasons import PLATFORMS, codabench, submit


def small_season(tmp_path):
    """Write the submissions of three teams: one fails in every way, and some upload more than twice a day."""
    odd = "<b>x<b>\x1b[2J \u202eteam"
    for team, name, accuracy in (
        *(("alpha", "2027-01-05T0900_a", 0.7), ("alpha", "2027-02-11T0900_a", 0.7)),
        *((odd, f"2027-01-05T1{n}00_{'abc'[n]}", score) for n, score in enumerate((0.6, 0.8, 0.9))),
        ("gamma", "2027-02-05T0900_e", 0.9),
    ):
        submit(tmp_path, team, f"{name}.zip", {"accuracy": accuracy, "cost": 1, "secret": 1})
    refusal = "results.csv: 5 problems\n\n" + "\n".join(f"  line {n}   \x1b[1mbad\u202e" for n in range(5))
    submit(tmp_path, "gamma", "2027-01-05T0900_a.zip", {"refusal": refusal})
    hostile = {"metadata": "command: rm -rf /", "told.json": "{}"}
    submit(tmp_path, "gamma", "2027-01-05T0901_b.zip", files=hostile)
    submit(tmp_path, "gamma", "2027-01-05T0902_c.zip").write_bytes(b"no zip")
    submit(tmp_path, "gamma", "2027-01-05T0903_d.zip", {"crash": "at line 7"})
    return tmp_path / "season"


def test_a_season_from_files_to_text(tmp_path):
    folder = small_season(tmp_path)
    bundle = codabench(tmp_path, per_day=2)
    told = []
    season = play_season(bundle, folder, jobs=2, progress=lambda *numbers: told.append(numbers))
    gamma = [one for one in season.attempts if one.submission.team == "gamma"]
    assert [one.submission.name[-5] for one in gamma] == list("abcde")
    assert [one.status for one in gamma] == ["Failed"] * 4 + ["Refused"]
    assert season.rehearsed == 8  # of ten; not run: the third of a day, and the one between the phases
    assert told[0] == (0, 6)  # gamma's third and fourth are run only after the first two have failed
    assert told[-1] == (8, 8)
    text = season_to_text(season)
    lines = [line.rstrip() for line in text.splitlines()]
    board = lines.index("2027-01-05, Development: 3 finished, 4 failed, 1 refused")
    assert [line.split() for line in lines[board + 1 : board + 4]] == [
        ["Team", "Rank", "Accuracy", "Change", "Submission"],
        ["<b>x<b>\\x1b[2J", "\\u202eteam", "1", "0.8000", "new", "2027-01-05T1100_b.zip"],
        ["alpha", "2", "0.7000", "new", "2027-01-05T0900_a.zip"],
    ]
    lost = lines[lines.index("Refused and failed: 6 attempts") + 1 :]
    assert lost[:5] == [
        "  2027-01-05 09:00  gamma/2027-01-05T0900_a.zip  Failed",
        "      results.csv: 5 problems",
        *(f"        line {number}   \\x1b[1mbad\\u202e" for number in range(3)),
    ]
    assert lost[5] == "      (and 2 more lines)"
    listed = " ".join(map(str.strip, lost))
    for words in ("contains a file named metadata", "is not a readable zip", "RuntimeError: at line 7"):
        assert words in listed
    assert "already 2 submissions on 2027-01-05 (UTC); Development allows 2 a day" in lost[-4]
    assert "no phase is open: Development closed at 2027-02-01 00:00, Evaluation opens" in lost[-2]
    assert str(tmp_path) not in text
    assert all(char.isprintable() or char == "\n" for char in text)

    files = season_files(season)
    kinds = ("board.html", "board.md", "board.csv", "board.json")
    folders = ("1/2027-01-05", "1", "2/2027-02-11", "2")
    assert {*files} == {f"{folder}/{kind}" for folder in folders for kind in kinds}
    assert all(files[f"1/{kind}"] == files[f"1/2027-01-05/{kind}"] for kind in kinds)
    page = files["1/board.html"].decode()
    assert "<script" not in page
    assert "&lt;b&gt;x&lt;b&gt;\\x1b[2J \\u202eteam" in page
    assert page.count("<table") == 1
    assert not re.search(r"Force_|\d\d:\d\d:\d\d", page)
    assert files["1/board.csv"].decode().splitlines() == [
        "team,submission,rank,accuracy,cost,secret",
        "<b>x<b>\\x1b[2J \\u202eteam,2027-01-05T1100_b.zip,1,0.8000000000,1.0000000000,1.0000000000",
        "alpha,2027-01-05T0900_a.zip,2,0.7000000000,1.0000000000,1.0000000000",
    ]

    as_json = season_to_dict(season)
    assert {**as_json["days"][0]} == json.loads(files["1/2027-01-05/board.json"])
    assert [entry["team"] for entry in as_json["days"][0]["board"]] == ["<b>x<b>\x1b[2J \u202eteam", "alpha"]
    # halved in the second phase
    assert as_json["final"][1]["board"][0]["scores"]["accuracy"] == "0.3500000000"
    assert len(as_json["attempts"]) == 10

    # The programs' paths differ this time.
    again = play_season(bundle, folder, work=tmp_path / "fresh", jobs=1)
    assert again.rehearsed == 8
    assert (season_to_text(again), season_files(again)) == (text, files)
    assert season_to_dict(again) == as_json


@PLATFORMS
def test_results_are_kept_and_broken_ones_made_again(tmp_path, make_bundle):
    submit(tmp_path, "a", "2027-01-05T0900.zip")
    submit(tmp_path, "b", "2027-01-05T1000.zip")  # the same zip: one run is enough
    submit(tmp_path, "b", "2027-01-05T1100.zip", {"refusal": "no"})
    submit(tmp_path, "b", "2027-02-11T1100.zip")  # the same in another phase: another run
    bundle = make_bundle(tmp_path)
    season = play_season(bundle, tmp_path / "season")
    assert season.rehearsed == 3
    again = play_season(bundle, tmp_path / "season")
    assert again.rehearsed == 0
    assert replace(again, rehearsed=3) == season
    first, second, third = sorted((tmp_path / "season/.season").iterdir())
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(second.read_bytes().replace(b"0.5", b"0.9").replace(b'"no"', b'"yes"'))
    second.write_bytes(second.read_bytes() + b" ")
    third.write_bytes(b"\xff")
    again = play_season(bundle, tmp_path / "season")
    assert replace(again, rehearsed=3) == season
    assert again.rehearsed == 3
    other = make_bundle(tmp_path, per_day=4)

    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play_season(other, tmp_path / "season", jobs=1, progress=stop)
    assert play_season(other, tmp_path / "season").rehearsed <= 1


def test_a_refusal_at_ingestion_keeps_its_reason(tmp_path, monkeypatch):
    """Scoring only repeats that ingestion refused the submission; identical output is kept once."""
    why = "results.csv: 1 problem\n\n  cannot meet the 50 % rule whatever the labels\n"
    report = ["ingestion_report.txt: 1 problem", "  its log says why"]
    for scoring, kept in (("{}\n\n{}\n".format(*report), report), (why, [])):
        said = {"ingestion": why, "scoring": scoring}
        steps = tuple(Step(name, (), 1, 0.1, "", words, None) for name, words in said.items())
        rehearsal = Rehearsal("Failed", "codabench", "Development", 0.0, {}, (), (), ("exit code 1",), steps)
        monkeypatch.setattr(many, "rehearse_phase", lambda *_, done=rehearsal, **__: done)
        submit(tmp_path, "a", "2027-01-05T0900.zip")
        season = play_season(codabench(tmp_path), tmp_path / "season", work=tmp_path / scoring[:9])
        (attempt,) = season.attempts
        told = ["results.csv: 1 problem", "  cannot meet the 50 % rule whatever the labels"]
        assert list(attempt.reasons) == told + kept
