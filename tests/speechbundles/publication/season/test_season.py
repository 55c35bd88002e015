"""Seasons with small bundles made here. Expected results follow the platforms' source code.

Codabench: `Phase.can_user_make_submissions` (competitions/models.py), `PhaseSerializer.get_status` and
`LeaderboardPhaseSerializer` (api/serializers), leaderboards/strategies.py, competitions/unpackers/v2.py.
CodaLab: `CompetitionSubmission.save`, `CompetitionPhase.is_active` and `rank_values` (web/models.py),
`push_submission_to_leaderboard_if_best` (web/utils.py).
"""

import io
import json
import os
import random
import re
import subprocess
import sys
import textwrap
import time
import zipfile
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from pathlib import Path

import psutil
import pytest
import yaml

import build_bundle
import speechbundles.bundle.rehearse.many
from speechbundles.bundle.rehearse.many import Result
from speechbundles.bundle.rehearse.rehearsal import Rehearsal
from speechbundles.bundle.rehearse.run import Step
from speechbundles.bundle.rehearse.scores import Cell
from speechbundles.model.errors import BundleError, OrganiserError
from speechbundles.publication.season.board import boards_by_day, rank
from speechbundles.publication.season.page import to_html
from speechbundles.publication.season.play import Season, play, read_season_bundle
from speechbundles.publication.season.replay import replay
from speechbundles.publication.season.report import to_json, to_text
from speechbundles.publication.season.uploads import Submission, read_submissions
from tests.samples.programs import ROOT
from tests.tools.colours import alike

SCORE = """
    import json, sys, time
    from pathlib import Path
    source, output = Path(sys.argv[1]), Path(sys.argv[2])
    told = json.loads((source / 'res/told.json').read_text())
    time.sleep(told.pop('sleep', 0))
    if 'refusal' in told:
        sys.exit(told['refusal'])
    if 'crash' in told:
        raise RuntimeError(told['crash'])
    if (source / 'ref/gold.txt').read_text() == 'evaluation':
        told['accuracy'] /= 2
    (output / 'scores.json').write_text(json.dumps(told))
    (output / 'scores.txt').write_text(''.join(f'{key}: {value}\\n' for key, value in told.items()))
"""
"""Writes the scores that the submission asks for: half of them in the evaluation phase."""

COLUMNS = [
    {"key": "accuracy", "title": "Accuracy", "index": 0, "sorting": "desc", "precision": 4},
    {"key": "cost", "title": "Cost", "index": 1, "sorting": "asc", "precision": 1},
    {"key": "secret", "title": "Secret", "index": 2, "sorting": "desc", "precision": 1, "hidden": True},
]
PHASES = [
    {"name": "Development", "start": "2027-01-01 00:00:00", "end": "2027-01-31 23:59:59"},
    {"name": "Evaluation", "start": "2027-02-10 00:00:00", "end": "2027-02-20 12:00:00"},
]


def zipped(files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


def codabench(
    tmp_path, *, rule="Force_Best", per_day=3, total=30, columns=COLUMNS, phases=PHASES, changes=()
):
    limits = {"max_submissions_per_day": per_day, "max_submissions": total, "execution_time_limit": 20}
    competition = {
        "version": 2,
        "title": "Synthetic",
        "tasks": [
            {"index": 0, "scoring_program": "score.zip", "reference_data": "development.zip"},
            {"index": 1, "scoring_program": "score.zip", "reference_data": "evaluation.zip"},
        ],
        "phases": [
            {"index": index, "tasks": [min(index, 1)], **limits, **phase}
            for index, phase in enumerate(phases)
        ],
        "leaderboards": [{"primary_index": 0, "submission_rule": rule, "columns": columns}],
        **dict(changes),
    }
    return write_bundle(tmp_path, competition)


def codalab(tmp_path, *, rule="Force_Best", per_day=3, total=30, sort="desc", changes=()):
    phases = [
        ("Development", "2027-01-01 00:00:00", per_day, total),
        ("Closed", "2027-02-01 00:00:00", 0, 0),
        ("Evaluation", "2027-02-10 00:00:00", per_day, total),
    ]
    competition = {
        "title": "Synthetic",
        "end_date": "2027-02-20 12:00:00",
        "force_submission_to_leaderboard": rule == "Force_Last",
        "phases": {
            number: {
                "phasenumber": number,
                "label": label,
                "start_date": start,
                "max_submissions_per_day": day,
                "max_submissions": most,
                "force_best_submission_to_leaderboard": rule == "Force_Best",
                "scoring_program": "score.zip",
                "reference_data": "evaluation.zip" if label == "Evaluation" else "development.zip",
            }
            for number, (label, start, day, most) in enumerate(phases, 1)
        },
        "leaderboard": {
            "columns": {"accuracy": {"rank": 1, "sort": sort}, "cost": {"rank": 2, "sort": "asc"}}
        },
        **dict(changes),
    }
    return write_bundle(tmp_path, competition)


PLATFORMS = pytest.mark.parametrize("make_bundle", [codabench, codalab])


def write_bundle(tmp_path, competition):
    command = yaml.safe_dump({"command": "python3 $program/score.py $input $output"})
    sets = {f"{name}.zip": zipped({"gold.txt": name}) for name in ("development", "evaluation")}
    program = zipped({"score.py": textwrap.dedent(SCORE), "metadata": command})
    path = tmp_path / "bundle.zip"
    text = yaml.safe_dump(competition, sort_keys=False)
    path.write_bytes(zipped({"competition.yaml": text, "score.zip": program, **sets}))
    return path


def submit(tmp_path, team, name, told=None, *, files=None):
    """Write a team's submission; `told`: instructions for the scoring program."""
    path = tmp_path / "season" / team / name
    path.parent.mkdir(parents=True, exist_ok=True)
    scores = {"accuracy": 0.5, "cost": 1, "secret": 0}
    path.write_bytes(zipped(files or {"told.json": json.dumps(told or scores)}))
    return path


def season_of(*uploads):
    """Return submissions with their results, from (team, time, scores); scores are None for a run that Failed."""
    submissions, results = [], {}
    for number, (team, when, scores) in enumerate(sorted(uploads, key=lambda upload: upload[1])):
        one = Submission(
            datetime.fromisoformat(when), team, f"{number}.zip", Path(f"{number}.zip"), str(number)
        )
        submissions.append(one)
        results[one] = result_of(scores)
    return submissions, lambda submission, phase: results[submission]


def result_of(scores):
    if scores is None:
        return Result("Failed", {}, {}, ("results.csv: 1 problem",), ())
    if not isinstance(scores, dict):
        scores = {"accuracy": scores, "cost": 0, "secret": 0}
    kept = {key: None if score is None else Decimal(str(score)) for key, score in scores.items()}
    return Result("Finished", kept, {key: str(score) for key, score in kept.items()}, (), ())


def statuses(bundle, *uploads):
    return [one.status for one in replay(read_season_bundle(bundle), *season_of(*uploads))]


def boards(bundle, *uploads):
    """Return the board at the end of each day that changed it: (day, phase, [(rank, team, accuracy)])."""
    competition = read_season_bundle(bundle)
    attempts = replay(competition, *season_of(*uploads))

    def shown(entry):
        return entry.rank, entry.attempt.submission.team, entry.attempt.shown("accuracy")

    days = boards_by_day(competition, attempts)
    return [(str(day.day), day.phase.name, list(map(shown, day.board))) for day in days]


def final(bundle, *uploads):
    return boards(bundle, *uploads)[-1][2]


# Limits


@PLATFORMS
def test_the_day_is_that_of_utc(tmp_path, make_bundle):
    bundle = make_bundle(tmp_path, per_day=1)
    first, last, next_day = (
        ("a", when, 1) for when in ("2027-01-05 23:59:58", "2027-01-05 23:59:59", "2027-01-06 00:00:00")
    )
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
    got = replay(read_season_bundle(bundle), *season_of(*uploads))
    assert [one.status for one in got] == ["Finished"] * 4 + ["Refused"] * 2 + ["Finished"] * 2
    assert got[4].reasons == ("already 2 submissions; Development allows 2 in total",)


def test_a_limit_of_zero_is_none_on_codabench_and_nothing_on_codalab(tmp_path):
    uploads = [("a", f"2027-01-05 10:{minute:02}:00", 1) for minute in range(40)]
    assert statuses(codabench(tmp_path, per_day=0, total=0), *uploads) == ["Finished"] * 40
    assert statuses(codalab(tmp_path, per_day=0), *uploads) == ["Refused"] * 40
    assert statuses(codalab(tmp_path, total=0), *uploads) == ["Refused"] * 40
    for closed in ({"per_day": 0}, {"total": 0}):
        (attempt,) = replay(read_season_bundle(codalab(tmp_path, **closed)), *season_of(uploads[0]))
        assert attempt.reasons == ("phase Development accepts no submissions",)


def test_limits_that_are_not_written_down(tmp_path):
    """5 a day and 100 in all on Codabench, 999 and 100 on CodaLab."""
    for make_bundle, expected in ((codabench, [(5, 100)] * 2), (codalab, [(999, 100)] * 3)):
        with zipfile.ZipFile(make_bundle(tmp_path)) as archive:
            content = yaml.safe_load(archive.read("competition.yaml"))
        phases = content["phases"]
        for phase in phases if isinstance(phases, list) else phases.values():
            del phase["max_submissions_per_day"], phase["max_submissions"]
        found = read_season_bundle(write_bundle(tmp_path, content)).phases
        assert [(phase.per_day, phase.total) for phase in found] == expected


# Phases


@pytest.mark.parametrize(
    ("when", "on_codabench", "on_codalab"),
    [
        ("2026-12-31 23:59:59", None, None),
        ("2027-01-01 00:00:00", "Development", "Development"),
        ("2027-01-31 23:59:59", "Development", "Development"),
        ("2027-02-01 00:00:00", None, "Closed"),
        ("2027-02-09 23:59:59", None, "Closed"),
        ("2027-02-10 00:00:00", "Evaluation", "Evaluation"),
        ("2027-02-20 11:59:59", "Evaluation", "Evaluation"),
        # At the end: Codabench closes at `end < now`, CodaLab is open at `end_date > now`.
        ("2027-02-20 12:00:00", "Evaluation", None),
        ("2027-02-20 12:00:01", None, None),
    ],
)
def test_the_phase_is_the_one_that_is_open(tmp_path, when, on_codabench, on_codalab):
    for make_bundle, expected in ((codabench, on_codabench), (codalab, on_codalab)):
        (one,) = replay(read_season_bundle(make_bundle(tmp_path)), *season_of(("a", when, 1)))
        assert (one.phase and one.phase.name) == expected
        assert one.status == ("Finished" if expected in ("Development", "Evaluation") else "Refused")


def test_a_refusal_says_when_a_phase_is_open(tmp_path):
    competition = read_season_bundle(codabench(tmp_path))
    (one,) = replay(competition, *season_of(("a", "2027-02-05 00:00:00", 1)))
    assert one.reasons == (
        "no phase is open: Development closed at 2027-02-01 00:00, Evaluation opens at 2027-02-10 00:00",
    )
    (one,) = replay(read_season_bundle(codalab(tmp_path)), *season_of(("a", "2027-02-05 00:00:00", 1)))
    assert one.reasons == ("phase Closed accepts no submissions",)


def test_the_last_phase_may_have_no_end(tmp_path):
    phases = [{"name": "Only", "start": "2027-01-01 00:00:00"}]
    assert statuses(codabench(tmp_path, phases=phases), ("a", "2099-01-01 00:00:00", 1)) == ["Finished"]
    bundle = codalab(tmp_path, changes={"end_date": None})
    assert statuses(bundle, ("a", "2099-01-01 00:00:00", 1)) == ["Finished"]


def test_an_unquoted_date_loses_its_time_as_it_does_on_codabench(tmp_path):
    phases = [{"name": "Only", "start": datetime(2027, 1, 1, 18), "end": "2027-01-31 23:59:59"}]
    (phase,) = read_season_bundle(codabench(tmp_path, phases=phases)).phases
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
        read_season_bundle(codabench(tmp_path, **changes))


# Boards


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


@pytest.mark.parametrize(
    "bundle",
    [
        lambda tmp_path: codabench(tmp_path, rule="Add"),
        lambda tmp_path: codabench(tmp_path, rule="Add_And_Delete_Multiple"),
        lambda tmp_path: codalab(tmp_path, rule="participants pick"),
    ],
)
def test_where_participants_pick_the_best_is_shown_and_said_to_be_a_guess(tmp_path, bundle):
    competition = read_season_bundle(bundle(tmp_path))
    assert final(tmp_path / "bundle.zip", *UPLOADS) == [(1, "a", "0.7"), (2, "b", "0.6")]
    attempts = tuple(replay(competition, *season_of(*UPLOADS)))
    days = tuple(boards_by_day(competition, attempts))
    text = to_text(Season(competition, attempts, days, 0))
    assert "Development: participants choose their submission on the leaderboard" in text


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
    competition = read_season_bundle(bundle)
    own = [
        ("a", "2027-01-01 10:00:00", scores(2, 0)),
        ("a", "2027-01-01 11:00:00", scores(2, 1)),
        ("a", "2027-01-01 12:00:00", scores(2, 1)),
    ]
    (entry,) = rank(competition, competition.phases[0], replay(competition, *season_of(*own)))
    assert entry.attempt.submission.time.hour == 11


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
    competition = read_season_bundle(bundle)
    board = rank(competition, competition.phases[0], replay(competition, *season_of(*uploads)))
    assert [(entry.tied, entry.attempt.score("cost")) for entry in board] == [
        (True, 0),
        (True, 2),
        (False, 0),
    ]


@pytest.mark.parametrize(
    ("make_bundle", "ranks"), [(codabench, ["1", "2–3", "2–3"]), (codalab, ["1", "2=", "2="])]
)
def test_ties_are_told_by_the_ranks_that_they_take(tmp_path, make_bundle, ranks):
    competition = read_season_bundle(make_bundle(tmp_path))
    uploads = [("a", 0.7), ("b", 0.5), ("c", 0.5)]
    season = season_of(*((team, "2027-01-01 10:00:00", score) for team, score in uploads))
    attempts = tuple(replay(competition, *season))
    lines = to_text(
        Season(competition, attempts, tuple(boards_by_day(competition, attempts)), 0)
    ).splitlines()
    board = next(number for number, line in enumerate(lines) if line.startswith("Final leaderboard"))
    assert [line.split()[0] for line in lines[board + 2 : board + 5]] == ranks


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


# The folder


def test_names_tell_the_time(tmp_path):
    names = ["2027-03-01T0915.zip", "2027-03-01T091459_b c.zip", "2027-03-01T0914Z_x.ZIP"]
    for name in names:
        submit(tmp_path, "team", name)
    (tmp_path / "season/.DS_Store").write_text("x")
    (tmp_path / "season/team/.hidden").write_text("x")
    got = [(one.time, one.name) for one in read_submissions(tmp_path / "season")]
    assert got == [
        (datetime(2027, 3, 1, 9, 14), names[2]),
        (datetime(2027, 3, 1, 9, 14, 59), names[1]),
        (datetime(2027, 3, 1, 9, 15), names[0]),
    ]


def test_every_bad_name_is_told_at_once_and_nothing_is_run(tmp_path):
    good = submit(tmp_path, "alpha", "2027-03-01T0915_ok.zip")
    for name in ("run1.zip", "2027-02-30T1200_x.zip", "2027-03-01T2500_x.zip", "2027-03-01T0915_x.tar"):
        submit(tmp_path, "alpha", name)
    submit(tmp_path, "be\x1b[31mta", "2027-03-01_x\n.zip")
    (tmp_path / "season/2027-03-01T0915_stray.zip").write_bytes(good.read_bytes())
    (tmp_path / "season/alpha/2027-03-01T0916_folder.zip").mkdir()
    with pytest.raises(OrganiserError) as refusal:
        play(codabench(tmp_path), tmp_path / "season")
    expected = "expected a name with the UTC time of the upload, such as 2027-03-01T0915_anything.zip"
    assert str(refusal.value).splitlines()[2:] == [
        "  2027-03-01T0915_stray.zip: expected a team's folder with its submissions",
        "  alpha/2027-02-30T1200_x.zip: 2027-02-30T1200 is not a valid date and time",
        f"  alpha/2027-03-01T0915_x.tar: {expected}",
        "  alpha/2027-03-01T0916_folder.zip: is a folder; expected the uploaded zip",
        "  alpha/2027-03-01T2500_x.zip: 2027-03-01T2500 is not a valid date and time",
        f"  alpha/run1.zip: {expected}",
        f"  be\\x1b[31mta/2027-03-01_x\\n.zip: {expected}",
        "",
        "Nothing was rehearsed.",
    ]
    assert not (tmp_path / "season/.season").exists()


def test_submissions_that_wait_for_an_organiser_are_noted(tmp_path):
    submit(tmp_path, "a", "2027-01-05T0900.zip")
    text = to_text(play(codabench(tmp_path, changes={"auto_run_submissions": False}), tmp_path / "season"))
    assert "submissions wait until an organiser runs them" in text


def test_a_folder_without_a_season(tmp_path):
    with pytest.raises(OrganiserError, match="expected a folder"):
        play(codabench(tmp_path), tmp_path / "absent")
    (tmp_path / "empty").mkdir()
    with pytest.raises(OrganiserError, match="no submissions; expected one folder"):
        play(codabench(tmp_path), tmp_path / "empty")


# Runs


def small_season(tmp_path):
    """Write the submissions of three teams: one fails in every way, and some upload more than twice a day."""
    odd = "<b>x<b>\x1b[2J \u202eteam"
    submit(tmp_path, "alpha", "2027-01-05T0900_a.zip", {"accuracy": 0.7, "cost": 1, "secret": 1})
    submit(tmp_path, "alpha", "2027-02-11T0900_a.zip", {"accuracy": 0.7, "cost": 1, "secret": 1})
    submit(tmp_path, odd, "2027-01-05T1000_a.zip", {"accuracy": 0.6, "cost": 1, "secret": 1})
    submit(tmp_path, odd, "2027-01-05T1100_b.zip", {"accuracy": 0.8, "cost": 1, "secret": 1})
    submit(tmp_path, odd, "2027-01-05T1200_c.zip", {"accuracy": 0.9, "cost": 1, "secret": 1})
    refusal = "results.csv: 5 problems\n\n" + "\n".join(f"  line {n}   \x1b[1mbad\u202e" for n in range(5))
    submit(tmp_path, "gamma", "2027-01-05T0900_a.zip", {"refusal": refusal})
    submit(
        tmp_path, "gamma", "2027-01-05T0901_b.zip", files={"metadata": "command: rm -rf /", "told.json": "{}"}
    )
    submit(tmp_path, "gamma", "2027-01-05T0902_c.zip").write_bytes(b"no zip")
    submit(tmp_path, "gamma", "2027-01-05T0903_d.zip", {"crash": "at line 7"})
    submit(tmp_path, "gamma", "2027-02-05T0900_e.zip", {"accuracy": 0.9, "cost": 1, "secret": 1})
    return tmp_path / "season"


def test_a_season_from_files_to_text(tmp_path):
    folder = small_season(tmp_path)
    bundle = codabench(tmp_path, per_day=2)
    told = []
    season = play(bundle, folder, jobs=2, progress=lambda *numbers: told.append(numbers))
    gamma = [one for one in season.attempts if one.submission.team == "gamma"]
    assert [one.submission.name[-5] for one in gamma] == list("abcde")
    assert [one.status for one in gamma] == ["Failed"] * 4 + ["Refused"]
    assert season.rehearsed == 8  # of ten; not run: the third of a day, and the one between the phases
    assert told[0] == (0, 6)  # gamma's third and fourth are run only after the first two have failed
    assert told[-1] == (8, 8)
    text = to_text(season)
    lines = [line.rstrip() for line in text.splitlines()]
    assert "3 teams, 10 attempts: 4 finished, 4 failed, 2 refused" in lines
    assert "2027-01-05, Development: 3 finished, 4 failed, 1 refused" in lines
    board = lines.index("2027-01-05, Development: 3 finished, 4 failed, 1 refused")
    assert [line.split() for line in lines[board + 1 : board + 4]] == [
        ["rank", "team", "Accuracy", "change", "submission"],
        ["1", "<b>x<b>\\x1b[2J", "\\u202eteam", "0.8000", "new", "2027-01-05T1100_b.zip"],
        ["2", "alpha", "0.7000", "new", "2027-01-05T0900_a.zip"],
    ]
    assert "2027-02-11, Evaluation: 1 finished, 0 failed, 0 refused" in lines
    lost = lines[lines.index("Refused and failed: 6 attempts") + 1 :]
    assert lost[:5] == [
        "  2027-01-05 09:00  gamma/2027-01-05T0900_a.zip  Failed",
        "      results.csv: 5 problems",
        *(f"        line {number}   \\x1b[1mbad\\u202e" for number in range(3)),
    ]
    assert lost[5] == "      (and 2 more lines)"
    assert "the submission contains a file named metadata" in " ".join(map(str.strip, lost[6:12]))
    assert "is not a readable zip" in " ".join(map(str.strip, lost))
    assert "RuntimeError: at line 7" in " ".join(lost)
    assert lost[-5:] == [
        "  2027-01-05 12:00  <b>x<b>\\x1b[2J \\u202eteam/2027-01-05T1200_c.zip  Refused",
        "      already 2 submissions on 2027-01-05 (UTC); Development allows 2 a day",
        "  2027-02-05 09:00  gamma/2027-02-05T0900_e.zip  Refused",
        "      no phase is open: Development closed at 2027-02-01 00:00, Evaluation opens",
        "        at 2027-02-10 00:00",
    ]
    assert str(tmp_path) not in text
    assert all(char.isprintable() or char == "\n" for char in text)

    page = to_html(season)
    assert "<script" not in page
    assert "&lt;b&gt;x&lt;b&gt;\\x1b[2J \\u202eteam" in page
    assert page.count("<table") == len(season.final) == 2
    assert "10 attempts: 4 finished, 4 failed, 2 refused" in page
    assert not re.search(r"Force_|\d\d:\d\d:\d\d", page)

    as_json = json.loads(to_json(season))
    assert [entry["team"] for entry in as_json["days"][0]["board"]] == ["<b>x<b>\x1b[2J \u202eteam", "alpha"]
    assert (
        as_json["final"][1]["board"][0]["scores"]["accuracy"] == "0.3500000000"
    )  # halved in the second phase
    assert len(as_json["attempts"]) == 10

    again = play(bundle, folder, work=tmp_path / "fresh", jobs=1)  # the programs' paths differ this time
    assert again.rehearsed == 8
    assert (to_text(again), to_json(again)) == (text, to_json(season))


@pytest.mark.parametrize("direction", ["desc", "asc"])
def test_the_chart_has_the_course_of_each_team_with_better_scores_above(tmp_path, direction):
    """SVG counts downwards: the course of the improving team ends at a smaller number."""
    columns = [{**COLUMNS[0], "sorting": direction}]
    bundle = read_season_bundle(codabench(tmp_path, columns=columns, rule="Force_Last"))
    better, worse = (0.9, 0.1) if direction == "desc" else (0.1, 0.9)
    uploads = [(f"_team $ {n:02}", f"2027-01-01 10:00:{n:02}", 0.5) for n in range(13)]
    uploads += [("rising", "2027-01-01 09:00:00", worse), ("rising", "2027-01-03 09:00:00", better)]
    attempts = tuple(replay(bundle, *season_of(*uploads)))
    page = to_html(Season(bundle, attempts, tuple(boards_by_day(bundle, attempts)), 0))
    (svg,) = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    words = re.findall(r">\s*([^<>]+?)\s*</text>", svg)
    assert {"day", "Accuracy", "rising", "_team $ 00", "_team $ 10"} < set(words)
    assert "_team $ 11" not in words  # twelve teams have names
    course = re.findall(r'<path d="M ([^"]*)"\s*clip-path[^>]*stroke: var\(--blue', svg)[0]
    heights = [float(point.split()[1]) for point in course.split("L")]
    assert heights[-1] < heights[0]
    assert alike(page) == []


@PLATFORMS
def test_results_are_kept_and_broken_ones_made_again(tmp_path, make_bundle):
    submit(tmp_path, "a", "2027-01-05T0900.zip")
    submit(tmp_path, "b", "2027-01-05T1000.zip")  # the same zip: one run is enough
    submit(tmp_path, "b", "2027-01-05T1100.zip", {"refusal": "no"})
    submit(tmp_path, "b", "2027-02-11T1100.zip")  # the same in another phase: another run
    bundle = make_bundle(tmp_path)
    season = play(bundle, tmp_path / "season")
    assert season.rehearsed == 3
    again = play(bundle, tmp_path / "season")
    assert again.rehearsed == 0
    assert replace(again, rehearsed=3) == season
    first, second, third = sorted((tmp_path / "season/.season").iterdir())
    first.write_bytes(first.read_bytes()[:-1])
    second.write_bytes(second.read_bytes().replace(b"0.5", b"0.9").replace(b'"no"', b'"yes"'))
    second.write_bytes(second.read_bytes() + b" ")
    third.write_bytes(b"\xff")
    again = play(bundle, tmp_path / "season")
    assert replace(again, rehearsed=3) == season
    assert again.rehearsed == 3
    other = make_bundle(tmp_path, per_day=4)
    assert play(other, tmp_path / "season").rehearsed == 3


@pytest.mark.thorough
def test_a_killed_season_goes_on_where_it_stopped(tmp_path):
    for number in range(6):
        submit(
            tmp_path, f"team {number}", f"2027-01-05T090{number}.zip", {"accuracy": number / 10, "sleep": 0.3}
        )
    bundle, work, scratch = codabench(tmp_path), tmp_path / "work", tmp_path / "scratch"
    scratch.mkdir()
    command = [sys.executable, str(ROOT / "build_bundle.py"), "season", bundle, tmp_path / "season"]
    killed = subprocess.Popen(
        [*map(str, command), "--work", str(work), "--jobs", "1"],
        env={**os.environ, "TMPDIR": str(scratch)},
        stdout=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + 20
        while len(list(work.glob("*.json"))) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        children = psutil.Process(killed.pid).children(recursive=True)
    finally:
        killed.kill()
        killed.wait()
    assert psutil.wait_procs(children, timeout=5)[1] == []

    kept = {path: path.stat().st_mtime_ns for path in work.glob("*.json")}
    assert 2 <= len(kept) < 6
    season = play(bundle, tmp_path / "season", work=work, jobs=3)
    assert season.rehearsed == 6 - len(kept)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(list(work.glob("*.json"))) == 6
    assert [entry.attempt.submission.team for entry in season.final[0].board] == [
        f"team {number}" for number in (5, 4, 3, 2, 1, 0)
    ]


def test_a_refusal_at_ingestion_keeps_its_reason(tmp_path, monkeypatch):
    """Scoring only repeats that ingestion refused the submission; identical output is kept once."""
    why = "results.csv: 1 problem\n\n  cannot meet the 50 % rule whatever the labels\n"
    report = ["ingestion_report.txt: 1 problem", "  its log says why"]
    for scoring, kept in (("{}\n\n{}\n".format(*report), report), (why, [])):
        said = {"ingestion": why, "scoring": scoring}
        steps = tuple(Step(name, (), 1, 0.1, "", words, None) for name, words in said.items())
        rehearsal = Rehearsal("Failed", "codabench", "Development", 0.0, {}, (), (), ("exit code 1",), steps)
        monkeypatch.setattr(
            speechbundles.bundle.rehearse.many, "rehearse_phase", lambda *_, done=rehearsal, **__: done
        )
        submit(tmp_path, "a", "2027-01-05T0900.zip")
        (attempt,) = play(codabench(tmp_path), tmp_path / "season", work=tmp_path / scoring[:9]).attempts
        told = ["results.csv: 1 problem", "  cannot meet the 50 % rule whatever the labels"]
        assert list(attempt.reasons) == told + kept


@pytest.mark.thorough
def test_no_run_is_in_vain_and_none_is_missing(tmp_path, monkeypatch):
    """Random seasons, compared with an oracle that replays them upload by upload with known results."""
    ended = []

    def fake(bundle, phase, submission, **_):
        ended.append(submission)
        status = "Failed" if b'"fail"' in submission.read_bytes() else "Finished"
        cell = Cell("accuracy", "Accuracy", Decimal(1), "1", 2, "desc", False)
        row = (cell,) if status == "Finished" else ()
        return Rehearsal(status, "codabench", "Development", 0.0, {}, row, (), ("no",), ())

    monkeypatch.setattr(speechbundles.bundle.rehearse.many, "rehearse_phase", fake)
    draw = random.Random(6)
    for trial in range(25):
        folder = tmp_path / str(trial)
        uploads = []
        for _ in range(draw.randrange(1, 40)):
            team, day, second = draw.choice("ab"), draw.randrange(1, 4), draw.randrange(10_000, 60_000)
            fails = draw.random() < 0.5
            name = f"2027-01-0{day}T{second // 3600:02}{second // 60 % 60:02}{second % 60:02}.zip"
            told = {"accuracy": 1, "salt": len(uploads), **({"fail": 1} if fails else {})}
            submit(folder, team, name, told)
            uploads = [upload for upload in uploads if upload[:2] != (team, name)]  # the file is overwritten
            uploads.append((team, name, fails))
        per_day, total = draw.randrange(1, 5), draw.randrange(1, 9)

        expected, count = {}, {}
        for team, name, fails in sorted(uploads, key=lambda upload: (upload[1], upload[0])):
            today, in_all = count.get((team, name[:10]), 0), count.get(team, 0)
            if today == per_day or in_all == total:
                expected[team, name] = "Refused"
            elif fails:
                expected[team, name] = "Failed"
            else:
                expected[team, name] = "Finished"
                count[team, name[:10]], count[team] = today + 1, in_all + 1

        ended.clear()
        season = play(codabench(folder, per_day=per_day, total=total), folder / "season", jobs=2)
        assert {(one.submission.team, one.submission.name): one.status for one in season.attempts} == expected
        assert sorted((path.parent.name, path.name) for path in ended) == sorted(
            upload for upload, status in expected.items() if status != "Refused"
        )


# The command


def test_the_command_prints_text_or_json_and_says_what_is_wrong(tmp_path, capsys):
    submit(tmp_path, "a", "2027-01-05T0900.zip")
    bundle, folder = str(codabench(tmp_path)), str(tmp_path / "season")
    assert build_bundle.main(["season", bundle, folder]) == 0
    said = capsys.readouterr()
    assert "Final leaderboard, Development: each team's best submission" in said.out
    assert said.err.startswith("1 runs in ")
    assert build_bundle.main(["season", bundle, folder, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["final"][0]["board"][0]["team"] == "a"
    for wrong in (["absent.zip", folder], [bundle, "absent"], [bundle, folder, "--jobs", "0"]):
        assert build_bundle.main(["season", *wrong]) == 2
        assert capsys.readouterr().err


def test_windows_is_told_at_once_what_does_not_run_there(monkeypatch, capsys):
    monkeypatch.setattr(sys, "platform", "win32")
    commands = (
        ["rehearse", "b.zip", "s.zip"],
        ["season", "b.zip", "s"],
        ["publish", "b.zip"],
        ["amend", "b.zip", "7"],
    )
    assert [build_bundle.main(command) for command in commands] == [1] * 4
    assert capsys.readouterr().err.count("not rehearsed on Windows; run this in WSL") == 4
