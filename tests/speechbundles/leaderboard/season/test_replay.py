"""Which submissions of a season a platform would run: open phases and limits."""

from datetime import datetime

import pytest
import yaml

from speechbundles.leaderboard.season.play import play_submissions
from speechbundles.leaderboard.season.replay import replay
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import BundleError
from tests.samples.programs import unzipped
from tests.samples.seasons import COLUMNS, PLATFORMS, codabench, codalab, season_of, statuses, write_bundle
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
    assert got[4].reasons == ("already 2 submissions; Development allows 2 in total",)


def test_a_limit_of_zero_is_none_on_codabench_and_nothing_on_codalab(tmp_path):
    uploads = [("a", f"2027-01-05 10:{minute:02}:00", 1) for minute in range(40)]
    assert statuses(codabench(tmp_path, per_day=0, total=0), *uploads) == ["Finished"] * 40
    assert statuses(codalab(tmp_path, per_day=0), *uploads) == ["Refused"] * 40
    assert statuses(codalab(tmp_path, total=0), *uploads) == ["Refused"] * 40
    for closed in ({"per_day": 0}, {"total": 0}):
        (attempt,) = replay(read_built_bundle(codalab(tmp_path, **closed)), *season_of(uploads[0]))
        assert attempt.reasons == ("phase Development accepts no submissions",)


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
        play_submissions(codabench(tmp_path, **changes), [], tmp_path)
