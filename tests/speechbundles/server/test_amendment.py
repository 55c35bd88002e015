"""What the text of a plan says."""

import pytest

from speechbundles.server.amendment import amendment_to_text
from tests.samples.live_bundle import board
from tests.samples.live_season import state_of

pytestmark = pytest.mark.usefixtures("quick")


def test_the_plan_shows_the_new_ranks_and_changes_nothing(planned, server, new):
    before = state_of(server), board(server)
    amendment = planned(new)
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert amendment_to_text(amendment).splitlines() == [
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
    asked = {what for what, path, _ in server.requests if path != "/accounts/login/"}
    assert asked <= {"API GET", "STORE GET"}


def test_scores_that_differ_before_the_amendment_are_reported(planned, server, new):
    run = sorted(server.submissions)[1]
    server.submissions[run]["scores"] = {}
    said = f"1 of 5 uploads have other scores on the server than here; runs: {run}"
    assert said in amendment_to_text(planned(new))
