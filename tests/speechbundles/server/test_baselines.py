"""Test submissions to each phase: those that are left out, used again, or refused."""

from datetime import datetime
from decimal import Decimal

import pytest

from speechbundles.bundle.rehearse import engines, rehearse_phase
from speechbundles.server import baselines
from tests.samples.codabench_server import ORGANISER, Mishap
from tests.samples.live_bundle import COMPETITION, EVALUATION, OPEN, live_bundle, two_phases, upload

both = pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)


LATER = datetime(2027, 2, 20)


@pytest.mark.parametrize(
    ("now", "left", "when"),
    [
        (OPEN, "Development", "it ended on 2027-03-01 00:00 UTC"),
        (LATER, "Evaluation", "it opens on 2027-03-01 00:00 UTC; test it then: publish it --competition 7"),
    ],
)
@both
def test_a_phase_that_refuses_its_baseline_is_left_out_and_the_rest_opened(
    steps, server, tmp_path, now, left, when
):
    server.now = now
    done, error = steps(two_phases(tmp_path), opening=True, now=now)
    assert (done[-1], error) == ("published", None)
    assert server.competitions[COMPETITION]["published"]
    tested = [step.partition(":")[0] for step in done if "same scores as in the rehearsal" in step]
    assert tested == [name for name in ("Development", "Evaluation") if name != left or not server.today]
    said = [step for step in done if step.startswith(f"{left}: left out")]
    assert len(said) == server.today == sum("left out" in step for step in done)
    assert not said or said[0].endswith(f"This phase is not active.); {when}")


@pytest.mark.parametrize("status", [401, 404, 500])
def test_only_a_phase_that_is_not_open_is_left_out(steps, server, tmp_path, status):
    """Nothing is opened because the server has another reason to refuse a submission."""
    server.now = LATER
    server.mishaps = [Mishap("API GET /api/can_make_submission/701/", status, times=7)]
    done, error = steps(two_phases(tmp_path), opening=True, now=LATER)
    assert error.startswith("Evaluation: the server refuses the baseline: ")
    assert not any("left out" in step for step in done)
    assert not server.competitions[COMPETITION]["published"]


@both
def test_a_run_of_the_baseline_is_used_again(steps, server):
    """The limit is three a day."""
    for _ in range(5):
        done, error = steps(competition=COMPETITION if server.competitions else None)
        assert error is None
    assert done[3] == "Evaluation: solutions/baseline.zip is run 1, submitted on 2027-03-02 09:00 UTC"
    assert len(server.submissions) == 1
    server.submissions[1]["scores"]["accuracy"] = Decimal("0.5")  # of other labels: it proves nothing now
    assert steps(competition=COMPETITION)[1] is None
    assert len(server.submissions) == 2


@both
def test_a_limit_that_is_used_up_is_reported_in_the_servers_words(steps, server):
    steps()
    server.submissions.clear()
    for _ in range(3):
        server.enter(EVALUATION, ORGANISER, upload(0))
    _, error = steps(competition=COMPETITION)
    assert "baseline: Reached maximum allowed submissions for today for this phase." in error


def test_runs_that_wait_are_started(steps, server, tmp_path):
    assert steps(live_bundle(tmp_path / "held.zip", auto_run=False))[1] is None
    assert len(server.called("API POST /api/submissions/1/run_submission/")) == 1


def test_programs_of_others_are_not_rehearsed_without_walls(steps, server, monkeypatch, tmp_path):
    """Nothing is sent either: the rehearsal comes first."""
    monkeypatch.setattr(baselines, "choose_engine", engines.choose_engine)
    monkeypatch.setattr(baselines, "rehearse_phase", rehearse_phase)
    monkeypatch.setenv("PATH", str(tmp_path))  # without bubblewrap
    assert "not this project's own" in steps(two_phases(tmp_path), opening=True)[1]
    assert not server.competitions
