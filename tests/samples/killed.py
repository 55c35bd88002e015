"""Live seasons whose commands are killed: groups with queues, human validation, and lists with pages."""

from __future__ import annotations

from itertools import count

import pytest

from speechbundles.platforms.codabench.client.connection import Connection
from tests.samples.live_bundle import EVALUATION, board, live_bundle, upload


def killed_seasons(test):
    """Run a test with few teams and kills, and as thorough tests with 67 teams and 20 kills."""
    many = [
        pytest.param(67, page, 20, id=f"67, pages of {page}", marks=pytest.mark.thorough) for page in (50, 2)
    ]
    sizes = [pytest.param(4, 2, 2, id="few"), *many]
    test = pytest.mark.parametrize(("teams", "page", "kills"), sizes)(test)
    return pytest.mark.parametrize("server", ["today"], indirect=True)(test)


class Killed(BaseException):
    """What ends a command as SIGKILL does: nothing but `finally` runs after it."""


def enter_twice(server, teams, page, tmp_path):
    """Enter two uploads of each team; return the team and the items in which each is wrong, in their order."""
    server.offer(live_bundle(tmp_path / "old.zip").read_bytes())
    server.page_size = page
    server.queues = {"team001": 2, "team002": 1}
    made = []
    for turn in range(2):
        for number in range(teams):
            mistakes = {(number * 7 + turn) % 5, (number + turn) % 3, 10 + number % 4, 14 + number // 4}
            made.append((f"team{number:03d}", mistakes))
            server.enter(EVALUATION, made[-1][0], upload(*mistakes), finished=False)
    for _ in range(8):
        server._go_on()
    server.validates = True
    asked = count()
    server.approves = lambda run: next(asked) % 3 == 0
    return made


def counted(uploads, exchanged):
    """Return the leaderboard, counted here: teams, best first, and their right items of 40.

    A team has its best upload, of equal ones the earliest. `exchanged`: the items whose labels were corrected.
    """
    wrong = [(len(mistakes ^ exchanged), order, team) for order, (team, mistakes) in enumerate(uploads)]
    best = {team: min(row for row in wrong if row[-1] == team) for _, _, team in wrong}
    return [(team, 40 - missed) for missed, _, team in sorted(best.values())]


def entries(server):
    """Return the leaderboard on the server; the copies of a run on several queues are one entry."""
    return [*dict(board(server)).items()]


def kill(monkeypatch, command, after, moment, reads=()):
    """Run a command; kill it at its `moment`-th request that changes something or reads; return whether it was."""
    changes, real = count(), Connection._send

    def send(self, method, *arguments, **options):
        last = (method != "GET" or reads) and next(changes) == moment
        if last and not after:
            raise Killed
        answer = real(self, method, *arguments, **options)
        if last:
            raise Killed
        return answer

    with monkeypatch.context() as patch:
        patch.setattr(Connection, "_send", send)
        try:
            command()
        except Killed:
            return True
    return False
