"""What is read of a server's answers, also of those that change, are malformed, or never end."""

from decimal import Decimal

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench import client as api
from tests.samples.codabench_server import LISTED
from tests.samples.live_bundle import upload


def numbers(connection, phase):
    return [run.id for run in api.list_runs(connection, phase)]


def test_pages_that_change_while_they_are_read(connection, server, phase):
    for _ in range(4):
        server.enter(phase, "carol", upload(5))
    server.page_size, server.stuck = 3, True
    whole = numbers(connection, phase)
    assert whole == sorted(server.submissions)
    assert len(server.called("API GET /api/submissions/?")) == 3
    changes = [
        lambda: server.submissions.pop(whole[-1]),  # an item of the second page moves to the first
        lambda: None,
        lambda: server._submit(phase, "dora", None),  # and back to the second
    ]
    server.on_page = lambda: changes.pop(0)() if changes else None
    assert numbers(connection, phase) == sorted(server.submissions)
    server.on_page = lambda: server._submit(phase, "dora", None)
    with pytest.raises(OrganiserError, match="changed during each of 5 attempts to read it"):
        api.list_runs(connection, phase)


@pytest.mark.parametrize("size", [2, 50, None])
def test_a_leaderboard_is_read_to_its_last_page(connection, server, phase, size):
    """67 teams and those of the fixture, of which anna is on the leaderboard."""
    mistakes = {
        server.enter(phase, f"team{n}", upload(*range(n % 30)), finished=False): n % 30 for n in range(67)
    }
    for _ in range(8):
        server._go_on()
    server.page_size, server.requests = size, []
    expected = sorted({2: 1, **mistakes}.items(), key=lambda pair: (pair[1], pair[0]))
    assert api.read_board(connection, phase, []) == [run for run, _ in expected]
    assert len(server.called("API GET /api/phases/")) == (-(-68 // size) if size else 1)
    withdrawn = [expected[0][0]]
    server.on_page = lambda: server.delete_upload(withdrawn.pop()) if withdrawn else None
    assert api.read_board(connection, phase, []) == [run for run, _ in expected[size is not None :]]


def test_copies_on_several_queues_are_one_run(connection, server, phase):
    server.queues = {"carol": 2}
    number = server.enter(phase, "carol", upload(1))
    *_, run = api.list_runs(connection, phase)
    assert run.copies == (number + 1, number + 2)
    assert (run.status, run.scores["accuracy"], run.on_board) == ("Finished", Decimal("0.975"), True)
    server.submissions[number].update(status="Running")
    for statuses in (("Running", "Awaiting validation"), ("Failed", "Awaiting validation")):
        for copy, status in zip((number + 1, number + 2), statuses, strict=True):
            server.submissions[copy].update(status=status)
        assert api.list_runs(connection, phase)[-1].status == "Awaiting validation"
    server.submissions[number + 2].update(status="Finished")
    assert api.list_runs(connection, phase)[-1].status == "Running"  # its copies have ended, but it has not
    server.submissions[number].update(status="Finished")
    failed = {"status": "Failed", "scores": {}, "leaderboard": False}
    server.submissions[number + 1].update(failed)
    *_, run = api.list_runs(connection, phase)
    assert (run.status, run.files, run.on_board) == ("Finished", number + 2, True)
    server.submissions[number + 2].update(failed)
    *_, run = api.list_runs(connection, phase)
    assert (run.status, run.on_board) == ("Failed", False)


def test_a_list_without_end_is_left(connection, server, monkeypatch):
    following = iter(range(10_000))

    def endless(method, path, query, body):
        return 200, {"count": 9, "next": "more", "results": [LISTED | {"id": next(following) + 1}]}

    monkeypatch.setattr(server, "answer", endless)
    monkeypatch.setattr(api.pages, "MOST_PAGES", 30)
    with pytest.raises(OrganiserError, match="more than 30 pages"):
        api.list_runs(connection, 701)
    assert len(server.called("API GET")) == 30
    monkeypatch.setattr(api.pages, "LONGEST_LIST", 0)
    with pytest.raises(OrganiserError, match="takes longer than 0 minutes"):
        api.list_runs(connection, 701)
