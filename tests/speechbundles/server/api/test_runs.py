"""What is read of a server's answers, also of those that change, are malformed, or never end."""

from decimal import Decimal

import pytest

from speechbundles.model.errors import OrganiserError
from speechbundles.server import api
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


def test_copies_on_several_queues_are_one_run(connection, server, phase):
    server.queues = {"carol": 2}
    number = server.enter(phase, "carol", upload(1))
    *_, run = api.list_runs(connection, phase)
    assert run.copies == (number + 1, number + 2)
    assert (run.status, run.scores["accuracy"], run.on_board) == ("Finished", Decimal("0.975"), True)
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
