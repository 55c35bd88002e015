"""Whole seasons: which submissions a platform would run, the leaderboard of each day, texts and files, the command."""

import json
import re
from dataclasses import replace
from datetime import datetime

import pytest
import yaml

from speechbundles.bundle.rehearse import many
from speechbundles.bundle.rehearse.rehearsal import Rehearsal
from speechbundles.bundle.rehearse.run import Step
from speechbundles.leaderboard.season import placed, play_season, ranked, replay
from speechbundles.leaderboard.season_text import season_files, season_to_dict, season_to_text
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import BundleError
from tests.samples.programs import unzipped
from tests.samples.seasons import (
    COLUMNS,
    PLATFORMS,
    boards,
    codabench,
    codalab,
    final,
    played,
    season_of,
    statuses,
    submit,
    write_bundle,
)
from tests.samples.tables import table


@PLATFORMS
def test_the_day_is_that_of_utc(tmp_path, make_bundle):
    bundle = make_bundle(tmp_path, per_day=1)
    moments = ("2027-01-05 23:59:58", "2027-01-05 23:59:59", "2027-01-06 00:00:00")
    first, last, next_day = (("a", when, 1) for when in moments)
    assert statuses(bundle, first, last) == ["Finished", "Refused"]
    assert statuses(bundle, last, next_day) == ["Finished", "Finished"]


@PLATFORMS
def test_failed_runs_are_free_for_the_day_and_in_all(tmp_path, make_bundle):
    """Both platforms' sources do not count runs that Failed."""
    uploads = [("a", f"2027-01-05 0{hour}:00:00", None) for hour in range(4)]
    uploads += [("a", f"2027-01-05 1{hour}:00:00", 1) for hour in range(3)]
    expected = ["Failed"] * 4 + ["Finished"] * 2 + ["Refused"]
    assert statuses(make_bundle(tmp_path, per_day=2), *uploads) == expected
    assert statuses(make_bundle(tmp_path, total=2), *uploads) == expected


@PLATFORMS
def test_the_total_is_a_teams_and_a_phases(tmp_path, make_bundle):
    bundle = make_bundle(tmp_path, total=2)
    days = ["2027-01-01", "2027-01-02", "2027-01-03", "2027-02-11"]
    uploads = [(team, f"{day} 12:00:0{second}", 1) for day in days for second, team in enumerate("ab")]
    got = replay(read_built_bundle(bundle), *season_of(*uploads))
    assert [one.status for one in got] == ["Finished"] * 4 + ["Refused"] * 2 + ["Finished"] * 2
    assert got[4].result.reasons == ("already 2 submissions; Development allows 2 in total",)


def test_a_limit_of_zero_is_none_on_codabench_and_nothing_on_codalab(tmp_path):
    uploads = [("a", f"2027-01-05 10:{minute:02}:00", 1) for minute in range(40)]
    assert statuses(codabench(tmp_path, per_day=0, total=0), *uploads) == ["Finished"] * 40
    assert statuses(codalab(tmp_path, per_day=0), *uploads) == ["Refused"] * 40
    assert statuses(codalab(tmp_path, total=0), *uploads) == ["Refused"] * 40
    for closed in ({"per_day": 0}, {"total": 0}):
        (attempt,) = replay(read_built_bundle(codalab(tmp_path, **closed)), *season_of(uploads[0]))
        assert attempt.result.reasons == ("phase Development accepts no submissions",)


def test_limits_that_are_not_written_down(tmp_path):
    """5 a day and 100 in all on Codabench, 999 and 100 on CodaLab."""
    for make_bundle, expected in ((codabench, [(5, 100)] * 2), (codalab, [(999, 100)] * 3)):
        content = yaml.safe_load(unzipped(make_bundle(tmp_path).read_bytes())["competition.yaml"])
        phases = content["phases"]
        for phase in phases if isinstance(phases, list) else phases.values():
            del phase["max_submissions_per_day"], phase["max_submissions"]
        found = read_built_bundle(write_bundle(tmp_path, content)).phases
        assert [(phase.per_day, phase.total) for phase in found] == expected


# Phases


@pytest.mark.parametrize(("when", "on_codabench", "on_codalab"), table("leaderboard_cases")["open phases"])
def test_the_phase_is_the_one_that_is_open(tmp_path, when, on_codabench, on_codalab):
    for make_bundle, expected in ((codabench, on_codabench), (codalab, on_codalab)):
        (one,) = replay(read_built_bundle(make_bundle(tmp_path)), *season_of(("a", when, 1)))
        assert (one.phase and one.phase.name) == expected
        assert one.status == ("Finished" if expected in ("Development", "Evaluation") else "Refused")


def test_the_last_phase_may_have_no_end(tmp_path):
    phases = [{"name": "Only", "start": "2027-01-01 00:00:00"}]
    assert statuses(codabench(tmp_path, phases=phases), ("a", "2099-01-01 00:00:00", 1)) == ["Finished"]
    bundle = codalab(tmp_path, changes={"end_date": None})
    assert statuses(bundle, ("a", "2099-01-01 00:00:00", 1)) == ["Finished"]


def test_an_unquoted_date_loses_its_time_as_it_does_on_codabench(tmp_path):
    phases = [{"name": "Only", "start": datetime(2027, 1, 1, 18), "end": "2027-01-31 23:59:59"}]
    (phase,) = read_built_bundle(codabench(tmp_path, phases=phases)).phases
    assert phase.opens == datetime(2027, 1, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rule": "Best"}, "submission_rule is 'Best'"),
        ({"phases": [{"name": "Only", "start": "soon"}]}, "Only: 'soon' is not a date"),
        ({"phases": [{"name": "Only"}]}, "incomplete or malformed: KeyError"),
        ({"columns": [{**COLUMNS[0], "index": 7}]}, "primary_index names no column"),
    ],
)
def test_a_bundle_without_a_season_is_refused(tmp_path, changes, message):
    with pytest.raises(BundleError, match=message):
        play_season(codabench(tmp_path, **changes), [], tmp_path)


UPLOADS = [
    ("a", "2027-01-01 10:00:00", 0.7),
    ("b", "2027-01-01 11:00:00", 0.6),
    ("a", "2027-01-02 10:00:00", 0.5),
    ("b", "2027-01-03 10:00:00", None),
]


@PLATFORMS
def test_best_and_last_give_different_boards(tmp_path, make_bundle):
    """On the second day a's best run is still the first one, and its last is worse; on the third nothing changes."""
    first = ("2027-01-01", "Development", [(1, "a", "0.7"), (2, "b", "0.6")])
    assert boards(make_bundle(tmp_path, rule="Force_Best"), *UPLOADS) == [first]
    assert boards(make_bundle(tmp_path, rule="Force_Last"), *UPLOADS) == [
        first,
        ("2027-01-02", "Development", [(1, "b", "0.6"), (2, "a", "0.5")]),
    ]


def test_all_are_on_the_board_of_force_latest_multiple(tmp_path):
    bundle = codabench(tmp_path, rule="Force_Latest_Multiple")
    assert final(bundle, *UPLOADS) == [(1, "a", "0.7"), (2, "b", "0.6"), (3, "a", "0.5")]


def test_lower_is_better_where_the_primary_column_says_so(tmp_path):
    bundle = codabench(tmp_path, columns=[{**COLUMNS[0], "sorting": "asc"}, *COLUMNS[1:]])
    assert final(bundle, *UPLOADS) == [(1, "a", "0.5"), (2, "b", "0.6")]
    assert final(codalab(tmp_path, sort="asc"), *UPLOADS) == [(1, "a", "0.5"), (2, "b", "0.6")]


def test_equal_primary_scores_on_codabench(tmp_path):
    """The other columns decide, each in its direction, then time; for the best run, hidden columns count too."""

    def scores(cost, secret):
        return {"accuracy": 0.5, "cost": cost, "secret": secret}

    bundle = codabench(tmp_path)
    uploads = [
        ("late", "2027-01-01 12:00:00", scores(2, 9)),
        ("early", "2027-01-01 11:00:00", scores(2, 0)),
        ("cheap", "2027-01-01 13:00:00", scores(1, 0)),
    ]
    assert [team for _, team, _ in final(bundle, *uploads)] == ["cheap", "early", "late"]
    competition = read_built_bundle(bundle)
    own = [
        ("a", "2027-01-01 10:00:00", scores(2, 0)),
        ("a", "2027-01-01 11:00:00", scores(2, 1)),
        ("a", "2027-01-01 12:00:00", scores(2, 1)),
    ]
    (attempt,) = placed(competition, competition.phases[0], replay(competition, *season_of(*own)))
    assert attempt.submission.time.hour == 11


def test_equal_primary_scores_on_codalab(tmp_path):
    """They share a rank, whatever the other columns; the next score has the next rank. Of a team's runs, the last."""
    bundle = codalab(tmp_path)
    uploads = [
        ("a", "2027-01-01 10:00:00", {"accuracy": 0.5, "cost": 1}),
        ("a", "2027-01-01 11:00:00", {"accuracy": 0.5, "cost": 2}),
        ("b", "2027-01-01 10:30:00", {"accuracy": 0.5, "cost": 0}),
        ("c", "2027-01-01 10:40:00", {"accuracy": 0.4, "cost": 0}),
    ]
    assert final(bundle, *uploads) == [(1, "b", "0.5"), (1, "a", "0.5"), (2, "c", "0.4")]
    competition = read_built_bundle(bundle)
    phase = competition.phases[0]
    board = ranked(competition, phase, placed(competition, phase, replay(competition, *season_of(*uploads))))
    assert [(entry.tied, entry.scores["cost"]) for entry in board] == [
        (True, 0),
        (True, 2),
        (False, 0),
    ]


def test_a_missing_primary_score_is_first_on_codabench_where_more_is_better(tmp_path):
    """PostgreSQL sorts NULL first in a descending order, last in an ascending one."""
    nothing = {"accuracy": None, "cost": 1, "secret": 0}
    uploads = [*UPLOADS, ("b", "2027-01-04 10:00:00", nothing), ("c", "2027-01-04 11:00:00", 0.9)]
    bundle = codabench(tmp_path)
    assert final(bundle, *uploads) == [(1, "b", "None"), (2, "c", "0.9"), (3, "a", "0.7")]
    lower = codabench(tmp_path, columns=[{**COLUMNS[0], "sorting": "asc"}, *COLUMNS[1:]])
    assert final(lower, *uploads) == [(1, "a", "0.5"), (2, "b", "0.6"), (3, "c", "0.9")]
    assert final(codalab(tmp_path), *uploads) == [(1, "c", "0.9"), (2, "a", "0.7"), (3, "b", "0.6")]


def test_each_phase_has_its_own_board(tmp_path):
    uploads = [("a", "2027-01-31 10:00:00", 0.7), ("b", "2027-02-10 10:00:00", 0.6)]
    assert boards(codabench(tmp_path), *uploads) == [
        ("2027-01-31", "Development", [(1, "a", "0.7")]),
        ("2027-02-10", "Evaluation", [(1, "b", "0.6")]),
    ]


def small_season(tmp_path):
    """Write the submissions of three teams: one fails in every way, and some upload more than twice a day."""
    odd = "<b>x<b>\x1b[2J \u202eteam"
    for team, name, accuracy in (
        *(("alpha", "2027-01-05T0900_a", 0.7), ("alpha", "2027-02-11T0900_a", 0.7)),
        *((odd, f"2027-01-05T1{n}00_{'abc'[n]}", score) for n, score in enumerate((0.6, 0.8, 0.9))),
        ("gamma", "2027-02-05T0900_e", 0.9),
    ):
        submit(tmp_path, team, f"{name}.zip", {"accuracy": accuracy, "cost": 1, "secret": 1})
    refusal = "results.csv: 21 problems\n\n" + "\n".join(f"  line {n}   \x1b[1mbad\u202e" for n in range(21))
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
    season = played(bundle, folder, jobs=2, progress=lambda *numbers: told.append(numbers))
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
    assert lost[:22] == [
        "  2027-01-05 09:00  gamma/2027-01-05T0900_a.zip  Failed",
        "      results.csv: 21 problems",
        *(f"        line {number}   \\x1b[1mbad\\u202e" for number in range(19)),
        "      (and 2 more lines)",
    ]
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
        "phase,rank,tied,system,submission,uploaded,accuracy,best_rank,worst_rank,cluster,cost,secret",
        "Development,1,0,<b>x<b>\\x1b[2J \\u202eteam,2027-01-05T1100_b.zip,2027-01-05 11:00:00,0.8,,,,1,1",
        "Development,2,0,alpha,2027-01-05T0900_a.zip,2027-01-05 09:00:00,0.7,,,,1,1",
    ]

    as_json = season_to_dict(season)
    assert {**as_json["days"][0]} == json.loads(files["1/2027-01-05/board.json"])
    assert [entry["name"] for entry in as_json["days"][0]["systems"]] == [
        "<b>x<b>\x1b[2J \u202eteam",
        "alpha",
    ]
    # halved in the second phase
    assert as_json["final"][1]["systems"][0]["scores"]["accuracy"] == "0.35"
    assert len(as_json["attempts"]) == 10

    # The programs' paths differ this time.
    again = played(bundle, folder, work=tmp_path / "fresh", jobs=1)
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
    season = played(bundle, tmp_path / "season")
    assert season.rehearsed == 3
    again = played(bundle, tmp_path / "season")
    assert again.rehearsed == 0
    assert replace(again, rehearsed=3) == season
    first, second, third = sorted((tmp_path / "season/.season").iterdir())
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(second.read_bytes().replace(b"0.5", b"0.9").replace(b'"no"', b'"yes"'))
    second.write_bytes(second.read_bytes() + b" ")
    third.write_bytes(b"\xff")
    again = played(bundle, tmp_path / "season")
    assert replace(again, rehearsed=3) == season
    assert again.rehearsed == 3
    other = make_bundle(tmp_path, per_day=4)

    def stop(done, of):
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played(other, tmp_path / "season", jobs=1, progress=stop)
    assert played(other, tmp_path / "season").rehearsed <= 1


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
        season = played(codabench(tmp_path), tmp_path / "season", work=tmp_path / scoring[:9])
        (attempt,) = season.attempts
        told = ["results.csv: 1 problem", "  cannot meet the 50 % rule whatever the labels"]
        assert list(attempt.result.reasons) == told + kept
