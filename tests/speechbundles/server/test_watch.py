"""A live competition that is compared with its bundle (`tests.samples.codabench_server`)."""

from datetime import datetime, timedelta

import pytest

from speechbundles.model.bundle import read_built_bundle
from speechbundles.server.fetch import fetch_competition
from speechbundles.server.watch import watch_competition
from tests.samples.codabench import COLLABORATOR, ORGANISER
from tests.samples.live_bundle import COMPETITION, EVALUATION, live_bundle, upload

NOW = datetime(2027, 3, 3)
pytestmark = pytest.mark.usefixtures("quick")


@pytest.fixture
def bundle(server, tmp_path):
    path = live_bundle(tmp_path / "bundle.zip")
    server.offer(path.read_bytes())
    server.enter(EVALUATION, "anna", upload(0))
    server.enter(EVALUATION, "bob", upload(1))
    server.enter(EVALUATION, ORGANISER, read_built_bundle(path).files["solutions/baseline.zip"])
    return path


@pytest.fixture
def look(connection, bundle, tmp_path):
    """Return a function that watches the competition."""
    return lambda **options: watch_competition(
        connection, bundle, COMPETITION, tmp_path / "live", now=NOW, **options
    )


def test_a_competition_that_is_as_in_its_bundle(look, server, bundle, tmp_path):
    before = sorted(tmp_path.rglob("*"))
    found = look()
    assert found.differences == ()
    assert found.notes == (
        f"{tmp_path / 'live'}: nothing fetched, so vanished and identical runs were not looked for",
    )
    read = [what for what, path, _ in server.requests if path != "/accounts/login/"]
    assert {what.split()[1] for what in read} == {"GET"}
    assert sorted(tmp_path.rglob("*")) == before
    found = look(fetching=True)
    assert (found.uncompared, found.differences, found.notes) == ((), (), ())
    assert (tmp_path / "live/index.csv").is_file()
    assert look().notes == ()


def test_each_file_that_changed_is_reported(look, server):
    kit = server.competitions[COMPETITION]["phases"][0]["starting_kit"]["key"]
    for key in (kit, server.tasks[32]["parts"]["reference_data"]):
        server.files[server.datasets[key]["path"]] += b"x"
    del server.tasks[31]["parts"]["ingestion_program"]
    what = ("Development: ingestion program", "Development: starting kit", "Evaluation: reference data")
    assert look().differences == tuple(f"{part} is not the bundle's file" for part in what)


def test_odd_runs_are_listed(look, connection, server, bundle, tmp_path):
    phase = read_built_bundle(bundle).phases[1]
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    first, second, _ = sorted(server.submissions)
    same = server.enter(EVALUATION, "carol", upload(0))
    server.enter(EVALUATION, "anna", upload(0))  # her own upload
    baseline = read_built_bundle(bundle).files["solutions/baseline.zip"]
    server.enter(EVALUATION, "dora", baseline)
    server.enter(EVALUATION, "erik", baseline)
    del server.submissions[second]
    lost = server.enter(EVALUATION, "frida", upload(2))
    server.submissions[lost]["scores"] = {}
    server.now = NOW - timedelta(hours=2)
    stuck = server.enter(EVALUATION, "gerd", upload(3), finished=False)
    server.now = NOW - timedelta(minutes=30)
    server.enter(EVALUATION, "hans", upload(4), finished=False)  # not yet stuck
    server.stuck = True
    server.now = phase.opens - timedelta(days=3)
    early = server._submit(EVALUATION, "ida", None)
    server.submissions[early]["status"] = "Failed"
    when = phase.opens - timedelta(days=3) + timedelta(seconds=1)
    server.submissions[stuck]["status"] = "Submitted"
    expected = [
        f"Evaluation: run {second} of bob (Finished) is no longer on the server",
        f"Evaluation: run {lost} of frida is Finished without scores: accuracy, error",
        f"Evaluation: run {stuck} of gerd is stuck: Submitted since 2027-03-02 22:00:01; cancel each under "
        "Submissions and run it again",
        f"Evaluation: run {early} of ida is early: uploaded at {when}, the phase is open from {phase.opens} to "
        f"{phase.closes}",
    ]
    assert list(look().differences) == expected
    index = (tmp_path / "live/index.csv").read_bytes()
    look()
    assert (tmp_path / "live/index.csv").read_bytes() == index
    identical = f"Evaluation: the same upload by different teams: anna (run {first}), carol (run {same})"
    unlike = f"Evaluation: run {lost} of frida is not scored as here: amend with this bundle"
    assert list(look(fetching=True).differences) == [*expected, unlike, identical]
    assert list(look().differences) == [*expected[1:], identical]


def test_many_odd_runs_of_a_team_are_one_line(look, server, bundle):
    phase = read_built_bundle(bundle).phases[1]
    server.stuck = True
    server.now = phase.opens - timedelta(days=3)
    early = [server._submit(EVALUATION, "ida", None) for _ in range(50)]
    server.now = NOW - timedelta(hours=2)
    waiting = [server._submit(EVALUATION, owner, None) for owner in ("gerd", "hans", "ines", "jan", "gerd")]
    server.now = phase.closes + timedelta(days=1)
    late = server._submit(EVALUATION, "mallory", None)
    for run in (*early, late):
        server.submissions[run]["status"] = "Failed"
    first = phase.opens - timedelta(days=3)
    few = ["{}, {}, {}".format(*runs) for runs in (early, waiting)]
    begins = [
        f"Evaluation: 50 runs of ida are early (runs {few[0]} (and 47 more)): uploaded at "
        f"{first + timedelta(seconds=1)} to {first + timedelta(seconds=50)}, ",
        f"Evaluation: 5 runs of gerd, hans, ines (and 1 more) are stuck (runs {few[1]} (and 2 more)): Submitting",
        f"Evaluation: run {late} of mallory is late: uploaded at {phase.closes + timedelta(days=1, seconds=1)}, ",
    ]
    assert [line[: len(begin)] for line, begin in zip(look().differences, begins, strict=True)] == begins


def test_a_repeated_run_has_the_time_of_its_upload(look, connection, server, bundle, tmp_path):
    phase = read_built_bundle(bundle).phases[1]
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    server.now = phase.closes + timedelta(days=1)
    run = min(server.submissions)
    again = server._submit(EVALUATION, "anna", server.submissions[run]["data"])
    for _ in range(8):
        server._go_on()
    assert "late" in " ".join(look().differences)
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    assert look().differences == ()
    assert server.submissions[again]["status"] == "Finished"


def test_organisers_may_submit_outside_the_dates_of_a_phase(look, server, bundle):
    server.now = read_built_bundle(bundle).phases[1].opens - timedelta(days=30)
    for owner in (ORGANISER, COLLABORATOR):
        server.enter(EVALUATION, owner, read_built_bundle(bundle).files["solutions/baseline.zip"])
    assert look(fetching=True).differences == ()
    early = server.enter(EVALUATION, "ida", upload(1))
    (found,) = look().differences
    assert found.startswith(f"Evaluation: run {early} of ida is early")


def test_a_server_that_does_not_return_files(look, server):
    server.gives_datasets = False
    found = look()
    assert found.differences == ()
    assert found.uncompared[0].startswith("not compared: programs, data and kits: ")


def test_a_run_with_other_scores_than_here_is_reported_and_amend_repeats_it(look, amend, server, bundle):
    assert look(fetching=True).differences == ()
    second = sorted(server.submissions)[1]
    server.submissions[second]["scores"] = server.submissions[second - 1]["scores"] | {"accuracy": 1}
    line = f"Evaluation: run {second} of bob is not scored as here: amend with this bundle"
    assert look().differences == ()  # nothing is computed
    assert look(fetching=True).differences == (line,)
    amend(bundle)
    assert look(fetching=True).differences == ()


def test_a_run_with_scores_and_without_an_entry_is_reported(look, server, bundle):
    """A human approves runs, and the server stores scores before a run is Finished."""
    server.validates = True
    run, again = (server.enter(EVALUATION, "carol", upload(5)) for _ in range(2))
    assert look().differences == ()  # the second run made the server choose the first
    server.submissions[run]["leaderboard"] = False
    why = "Finished with scores, but the team has no entry on the leaderboard"
    assert look().differences == (f"Evaluation: 2 runs of carol are {why} (runs {run}, {again})",)
    server.approves = lambda run: False
    server.now = NOW - timedelta(hours=2)
    waiting = server.enter(EVALUATION, "dora", upload(6))
    advice = "approve each on the compute worker within 24 hours"
    stuck = f"run {waiting} of dora is stuck: 'Awaiting validation' since 2027-03-02 22:00:01; {advice}"
    assert look().differences[0] == f"Evaluation: {stuck}"


def test_the_copies_of_a_stuck_run_are_named(look, server, bundle):
    server.now, server.queues = NOW - timedelta(hours=2), {"carol": 2}
    run = server.enter(EVALUATION, "carol", upload(5), finished=False)
    (line,) = look().differences
    assert line.startswith(f"Evaluation: run {run} (copies {run + 1}, {run + 2}) of carol is stuck: ")
