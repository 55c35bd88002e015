"""The plan of an amendment: what would change, and what is refused, before anything is changed."""

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.amendment import amendment_to_text
from tests.samples.codabench_server import Mishap
from tests.samples.live_bundle import EVALUATION, board, live_bundle, upload
from tests.samples.live_season import AS_PREDICTED, CORRECTED

pytestmark = pytest.mark.usefixtures("quick")


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
    with pytest.raises(OrganiserError, match=f"unfinished runs: {run} .Running.; wait for them, cancel each"):
        list(carry_out_amendment(amendment))
    assert server.called("API PATCH") == []
    del server.submissions[run]
    server.stuck = False
    server.mishaps = [Mishap("API PATCH", 403)]
    with pytest.raises(OrganiserError, match="PATCH /api/tasks/32/: HTTP 403"):
        list(carry_out_amendment(amendment))
    with pytest.raises(OrganiserError, match="finish it with that bundle, or --abandon it"):
        planned(live_bundle(tmp_path / "newer.zip", wrong=3))
    assert amend(new)


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_without_the_servers_files_an_earlier_bundle_is_needed(planned_without_files, server, new, tmp_path):
    planned = planned_without_files
    with pytest.raises(OrganiserError, match=r"--login-file.*--from with the bundle .*Nothing was changed"):
        planned(new)
    other = live_bundle(tmp_path / "other.zip", title="Another")
    with pytest.raises(OrganiserError, match="title: 'Another' in the bundle"):
        planned(new, earlier=other)
    amendment = planned(new, earlier=tmp_path / "old.zip")
    said = f"not compared: {server.address} does not provide this file"
    assert amendment_to_text(amendment).startswith(said)
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert list(carry_out_amendment(amendment))[-1].startswith(AS_PREDICTED)
    assert board(server) == CORRECTED
