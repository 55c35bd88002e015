"""Uploads that are scored here and run again there, odd ones among them."""

from decimal import Decimal

import pytest

from speechbundles.bundle.rehearse.many import rehearse_all
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.amendment import amendment_to_text
from speechbundles.server.fetch import fetch_competition
from tests.samples.live_bundle import (
    COMPETITION,
    EVALUATION,
    board,
    count_here,
    live_bundle,
    upload,
    with_password,
)
from tests.samples.live_season import state_of

pytestmark = pytest.mark.usefixtures("quick")


def test_counting_gives_the_same_scores_as_the_programs(tmp_path):
    bundle = read_built_bundle(live_bundle(tmp_path / "bundle.zip", wrong=2))
    (tmp_path / "answer.zip").write_bytes(upload(5))
    runs = {"one": (bundle.phases[1], tmp_path / "answer.zip")}
    (_, run), (_, counted) = *rehearse_all(bundle, runs, tmp_path, 1), *count_here(bundle, runs, tmp_path, 1)
    assert (run.status, run.scores) == (counted.status, counted.scores)
    assert run.scores["accuracy"] == Decimal("0.925")  # 37 of 40


@pytest.mark.thorough
def test_an_odd_zip_of_one_participant_blocks_nothing(planned, connection, server, new, monkeypatch):
    server.enter(EVALUATION, "mallory", upload(9, entry="../predictions.csv"))
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", rehearse_all)  # the real programs
    amendment = planned(new, jobs=2)
    assert "the platform unpacks them inside its folder: ../predictions.csv" in amendment_to_text(amendment)
    list(carry_out_amendment(amendment))
    assert board(server)[:3] == [("anna", 40), ("carol", 39), ("mallory", 37)]


def test_an_upload_is_scored_though_its_copy_was_deleted(planned, connection, server, new, tmp_path):
    copy = server.enter(EVALUATION, "carol", upload(0, 1, 8))
    fetch_competition(connection, COMPETITION, tmp_path / "live")
    server.submissions[copy]["data"] = None
    (phase,) = planned(new).phases
    scores = {entry.name: entry.scores.get("accuracy") for entry in phase.after}
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
    clicks = f"cancel each under Submissions and run it again ({server.address}/competitions/7/)"
    unfinished = f"unfinished runs: {late} (Preparing); wait for them, {clicks}, or leave them"
    assert unfinished in amendment_to_text(planned(new))
    with pytest.raises(OrganiserError, match=f"{late} .Preparing.*Nothing was changed"):
        amend(new)
    assert (state_of(server), board(server)) == before
    accepting = planned(new, accept=[late])
    assert "unfinished" not in amendment_to_text(accepting)
    interrupted(accepting, "API POST /api/submissions/", "act-and-drop", after=2)
    assert "as predicted" in amend(new)[-1]  # `accept` is in the state
    assert server.submissions[late]["status"] == "Preparing"
    assert [team for team, _ in board(server) if not team.startswith("team")] == ["anna", "carol", "bob"]
    assert len(board(server)) == 3 + teams
