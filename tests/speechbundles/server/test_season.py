"""The commands of the live guides in their order, with 200 submissions, each killed once, on both servers."""

import itertools
import random
from urllib.parse import urlsplit

import pytest

import build_bundle
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.server.connection import Connection
from tests.samples.codabench_server import TOKEN
from tests.samples.live_bundle import board, count_here, live_bundle, upload

EVALUATION = 701
KILLED = {
    "publish": ("POST /api/submissions/", "GET /api/tasks/"),
    "fetch": ("GET /bundles/scoring/", "GET /api/submissions/150/"),
    "watch": ("GET /api/tasks/", "GET /api/submissions/?"),
    "amend": ("PATCH /api/tasks/", "POST /api/submissions/9", "DELETE /api/submissions/"),
}
"""Of each command, the requests after which it is killed, one after the other."""


class Killed(BaseException):
    """As the signal would end the process; no code catches it."""


@pytest.fixture
def killed_after(monkeypatch):
    """Kill the command after the answer to a request that begins so."""
    sent = Connection._request
    wanted = []

    def request(self, method, address, authorise, **options):
        parts = urlsplit(address)
        what = f"{method} {parts.path}?{parts.query}"
        if wanted and what.startswith(wanted[0]):
            wanted.clear()
            with sent(self, method, address, authorise, **options):
                raise Killed
        return sent(self, method, address, authorise, **options)

    monkeypatch.setattr(Connection, "_request", request)
    return wanted


@pytest.mark.thorough
@pytest.mark.parametrize("server", ["v1.25", "today"], indirect=True)
@pytest.mark.parametrize("signs_in", [True, False])
def test_a_season_of_200_submissions(server, login, signs_in, killed_after, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", count_here)
    monkeypatch.setattr("speechbundles.model.dates.now", lambda: server.now)
    old, new = live_bundle(tmp_path / "old.zip"), live_bundle(tmp_path / "new.zip", wrong=2)
    at = ["--server", server.address]
    live, signed = str(tmp_path / "live"), login * signs_in
    not_compared = 4 if server.today and not signs_in else 0

    def run(*words, status=not_compared):
        for begins in KILLED[words[0]]:
            killed_after[:] = [begins]
            with pytest.raises(Killed):
                build_bundle.main([*words, *at])
        killed_after.clear()
        assert build_bundle.main([*words, *at]) == status, capsys.readouterr()

    assert build_bundle.main(["publish", str(old), *at, *signed]) == not_compared
    server.submissions.clear()
    run("publish", str(old), "--competition", "7", *signed)
    assert len(server.submissions) == 1  # the baseline was sent once
    mistakes = random.Random(7).sample(list(itertools.combinations(range(40), 3)), 200)
    for number, wrong in enumerate(mistakes):
        server.enter(EVALUATION, f"team{number % 40}", upload(*wrong))
    run("fetch", "7", live, status=0)
    run("watch", str(old), "7", "--dir", live, *signed)
    earlier = ["--from", str(old)] * bool(not_compared)
    run("amend", str(new), "7", "--dir", live, "--yes", *signed, *earlier)
    assert len(server.submissions) == 201
    ranked = [right for _, right in board(server)]
    assert len(ranked) == 41
    assert ranked == sorted(ranked, reverse=True)
    run("watch", str(new), "7", "--dir", live, "--fetch", *signed)
