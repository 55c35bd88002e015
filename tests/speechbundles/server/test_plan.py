"""The plan of an amendment: what would change, and what is refused, before anything is changed."""

from decimal import Decimal

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.server.amend import carry_out
from speechbundles.server.amendment import to_text
from speechbundles.server.fetch import fetch
from tests.samples.codabench_server import Mishap
from tests.samples.live_bundle import COMPETITION, EVALUATION, board, live_bundle, upload, with_password
from tests.samples.live_season import AS_PREDICTED, CORRECTED, state_of

pytestmark = pytest.mark.usefixtures("quick")


def test_the_plan_shows_the_new_ranks_and_changes_nothing(planned, server, new):
    before = state_of(server), board(server)
    amendment = planned(new)
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert to_text(amendment).splitlines() == [
        "Evaluation: reference data; 5 submissions to run again",
        "",
        "  rank  was         Accuracy    was  change",
        "     1    1  anna          1  0.975  +0.025",
        "     2    3  carol     0.975  0.925   +0.05",
        "     3    2  bob         0.9   0.95   -0.05",
        "",
        "  5 new runs will count towards the teams' daily limits",
    ]
    assert (state_of(server), board(server)) == before
    assert {what for what, path, _ in server.requests if path != "/accounts/login/"} <= {
        "API GET",
        "STORE GET",
    }


def test_scores_that_differ_before_the_amendment_are_reported(planned, server, new):
    run = sorted(server.submissions)[1]
    server.submissions[run]["scores"] = {}
    assert f"1 of 5 uploads have other scores on the server than here; runs: {run}" in to_text(planned(new))


def test_bundles_and_states_that_cannot_be_amended_are_refused(
    planned, amend, connection, server, new, tmp_path
):
    other = live_bundle(tmp_path / "other.zip", wrong=2, title="Another")
    with pytest.raises(OrganiserError, match="title: 'Another' in the bundle, 'A synthetic competition' on"):
        planned(other)
    with pytest.raises(OrganiserError, match="--accept 9999: no such run"):
        planned(new, accept=[9999])
    amendment = planned(new)
    server.stuck = True
    run = server.enter(EVALUATION, "erik", upload(), finished=False)
    server.submissions[run]["status"] = "Running"
    with pytest.raises(OrganiserError, match=f"unfinished runs: {run} .Running.; wait for them, cancel them"):
        list(carry_out(amendment))
    assert server.called("API PATCH") == []
    del server.submissions[run]
    server.stuck = False
    server.mishaps = [Mishap("API PATCH", 403)]
    with pytest.raises(OrganiserError, match="PATCH /api/tasks/32/: HTTP 403"):
        list(carry_out(amendment))
    with pytest.raises(OrganiserError, match="finish it with that bundle, or --abandon it"):
        planned(live_bundle(tmp_path / "newer.zip", wrong=3))
    assert amend(new)


def test_an_upload_is_scored_though_its_copy_was_deleted(planned, connection, server, new, tmp_path):
    copy = server.enter(EVALUATION, "carol", upload(0, 1, 8))
    fetch(connection, COMPETITION, tmp_path / "live")
    server.submissions[copy]["data"] = None
    (phase,) = planned(new).phases
    scores = {entry.attempt.submission.team: entry.attempt.score("accuracy") for entry in phase.after}
    assert scores["carol"] == Decimal("0.975")


@pytest.mark.parametrize("teams", [0, pytest.param(200, marks=pytest.mark.thorough)])
def test_an_encrypted_zip_can_be_left_out(planned, amend, interrupted, server, new, teams):
    late = server.enter(EVALUATION, "mallory", with_password(upload(9)), finished=False)
    for team in range(teams):
        server.enter(EVALUATION, f"team{team}", upload(*range(3, 3 + team % 30)))
    for _ in range(8):
        server._go_on()
    if server.today:  # the run has failed
        assert server.submissions[late]["status"] == "Failed"
        assert amend(new)
        return
    before = state_of(server), board(server)
    page = f"{server.address}/competitions/7/"
    unfinished = f"unfinished runs: {late} (Preparing); wait for them, cancel them at {page}"
    assert unfinished in to_text(planned(new))
    with pytest.raises(OrganiserError, match=f"{late} .Preparing.*Nothing was changed"):
        amend(new)
    assert (state_of(server), board(server)) == before
    accepting = planned(new, accept=[late])
    assert "unfinished" not in to_text(accepting)
    interrupted(accepting, "API POST /api/submissions/", "act-and-drop", after=2)
    assert "as predicted" in amend(new)[-1]  # `accept` is in the state
    assert server.submissions[late]["status"] == "Preparing"
    assert [team for team, _ in board(server) if not team.startswith("team")] == ["anna", "carol", "bob"]
    assert len(board(server)) == 3 + teams


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_without_the_servers_files_an_earlier_bundle_is_needed(planned_without_files, server, new, tmp_path):
    planned = planned_without_files
    with pytest.raises(OrganiserError, match=r"--login-file.*--from with the bundle .*Nothing was changed"):
        planned(new)
    other = live_bundle(tmp_path / "other.zip", title="Another")
    with pytest.raises(OrganiserError, match="title: 'Another' in the bundle"):
        planned(new, earlier=other)
    amendment = planned(new, earlier=tmp_path / "old.zip")
    assert to_text(amendment).startswith(f"not compared: {server.address} does not provide this file")
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert list(carry_out(amendment))[-1].startswith(AS_PREDICTED)
    assert board(server) == CORRECTED
