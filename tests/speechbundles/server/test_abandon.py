"""Amendments that are abandoned: the earlier files are restored."""

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.server.abandon import abandon_amendment
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.amendment import STATE, amendment_to_text
from tests.samples.killed import counted, enter_twice, entries, kill, killed_seasons
from tests.samples.live_bundle import COMPETITION, board, live_bundle
from tests.samples.live_season import season, state_of

pytestmark = pytest.mark.usefixtures("quick")


def test_an_abandoned_amendment_restores_the_earlier_files(
    planned, interrupted, connection, server, tmp_path
):
    new = season(server, tmp_path, page=b"24 correct.\n")
    before = state_of(server)
    lost = server.tasks[32]["parts"]["reference_data"]

    def go_back():
        return list(abandon_amendment(connection, COMPETITION, tmp_path / "live"))

    with pytest.raises(OrganiserError, match="no amendment is in progress"):
        go_back()
    interrupted(planned(new), "API POST /api/submissions/4/re_run")
    assert state_of(server) != before
    runs = set(server.submissions)
    content = server.files.pop(server.datasets[lost]["path"])
    with pytest.raises(OrganiserError, match="task 32: reference data is another file"):
        go_back()
    server.files[server.datasets[lost]["path"]] = content
    said = go_back()
    assert said[0].startswith("restored the earlier programs, data, kits, pages and terms")
    assert said[1].startswith("3 runs since then, which may have scores of the abandoned bundle")
    assert state_of(server) == before
    assert set(server.submissions) == runs
    assert not (tmp_path / "live" / STATE).exists()


@pytest.mark.default_cases("Force_Best-True", "Force_Last-False")
@pytest.mark.parametrize("ended", [True, False])
@pytest.mark.parametrize("rule", ["Force_Best", "Force_Last", "Force_Latest_Multiple"])
def test_the_runs_of_an_abandoned_amendment_are_repeated_or_deleted(
    planned, amend, interrupted, connection, server, tmp_path, rule, ended
):
    """Some uploads are run again, with the abandoned labels or, if the runs end later, with the restored ones."""
    new, old = season(server, tmp_path, rule=rule), tmp_path / "old.zip"
    before = board(server)
    assert planned(old).empty
    interrupted(planned(new), "API POST /api/submissions/4/re_run")
    for _ in range(8 * ended):
        server._go_on()
    again = ", ".join(str(run) for run in server.submissions if run > 5)
    *_, said = abandon_amendment(connection, COMPETITION, tmp_path / "live")
    assert said.endswith(f": {again}. Amend with the earlier bundle now, which runs all uploads again")
    for _ in range(8):
        server._go_on()
    plan = planned(old)
    if ended:
        assert board(server) != before
        assert amendment_to_text(plan).startswith("Evaluation: no file differs; ")
        assert " of 5 uploads have other scores on the server than here; runs: " in amendment_to_text(plan)
    if not plan.empty:
        list(carry_out_amendment(plan))
    assert board(server) == before
    assert planned(old).empty


@killed_seasons
def test_an_abandoned_amendment_leaves_the_leaderboard_of_the_earlier_labels(
    planned, connection, server, tmp_path, monkeypatch, teams, page, kills
):
    uploads = enter_twice(server, teams, page, tmp_path)
    new, old = live_bundle(tmp_path / "new.zip", wrong=2), tmp_path / "old.zip"
    for number in range(kills // 2):
        step = teams * 3 // kills
        kill(monkeypatch, lambda: list(carry_out_amendment(planned(new))), number % 2, step)
    for _ in range(30):
        server._go_on()
    kill(monkeypatch, lambda: list(abandon_amendment(connection, COMPETITION, tmp_path / "live")), True, 1)
    list(abandon_amendment(connection, COMPETITION, tmp_path / "live"))
    for _ in range(99):
        server._go_on()
    for number in range(kills // 2):
        kill(monkeypatch, lambda: list(carry_out_amendment(planned(old))), number % 2, teams * 9 // kills)
    if not planned(old).empty:
        list(carry_out_amendment(planned(old)))
    assert entries(server) == counted(uploads, set())
    assert planned(old).empty
