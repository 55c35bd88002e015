"""Live seasons whose commands are killed: groups with queues, human validation, and lists with pages.

The leaderboard at the end is counted here: a team's best upload, of equal ones the earliest.
"""

import json
from functools import partial
from itertools import count

import pytest

from speechbundles.model import dates
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.fetched import read_index
from speechbundles.publication.score import score_all
from speechbundles.server.abandon import abandon_amendment
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.connection import Connection
from speechbundles.server.publish import publish_bundle
from speechbundles.server.watch import watch_competition
from tests.samples.codabench_server import TOKEN
from tests.samples.home_boards import NOW, answers, begin, f1, main, upload_bundle
from tests.samples.live_bundle import AGAIN, COMPETITION, EVALUATION, OPEN, board, live_bundle, upload

FEW = pytest.param(4, 2, 2, id="few")
MANY = pytest.param(67, 50, 20, id="67", marks=pytest.mark.thorough)
MANY_PAGES = pytest.param(67, 2, 20, id="67-pages-of-2", marks=pytest.mark.thorough)
pytestmark = [
    pytest.mark.usefixtures("quick"),
    pytest.mark.parametrize("server", ["today"], indirect=True),
    pytest.mark.parametrize(("teams", "page", "kills"), [FEW, MANY, MANY_PAGES]),
]


class Killed(BaseException):
    """What ends a command as SIGKILL does: nothing but `finally` runs after it."""


@pytest.fixture
def uploads(server, teams, page, tmp_path):
    """Enter two uploads of each team: team -> the items in which they are wrong, in the order of the uploads."""
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
    """Return the leaderboard: teams, best first, with their right items of 40. `exchanged`: the corrected labels."""
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


def test_an_amendment_ends_with_the_leaderboard_of_the_corrected_labels(
    planned, connection, server, uploads, tmp_path, monkeypatch, teams, kills
):
    new, live = live_bundle(tmp_path / "new.zip", wrong=2), tmp_path / "live"
    assert entries(server) == counted(uploads, set())
    times = sum(
        kill(monkeypatch, lambda: list(carry_out_amendment(planned(new))), number % 2, teams * 5 // kills)
        for number in range(kills)
    )
    assert times >= kills // 2
    if not planned(new).empty:
        list(carry_out_amendment(planned(new)))
    assert entries(server) == counted(uploads, {0, 1})
    assert planned(new).empty
    whole = {"fetching": True, "now": server.now}
    assert watch_competition(connection, new, COMPETITION, live, **whole).differences == ()
    if teams > 6:
        scored = score_all(new, live, tmp_path / "out", phase="Evaluation", fetched=True, jobs=2)
        exact = {scored.accounts[name]: result.scores["accuracy"] for name, result in scored.results.items()}
        assert exact == {team: right / 40 for team, right in entries(server)}


def test_an_abandoned_amendment_leaves_the_leaderboard_of_the_earlier_labels(
    planned, connection, server, uploads, tmp_path, monkeypatch, teams, kills
):
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


def test_a_published_baseline_is_submitted_once(
    connection, server, bundle, steps, page, teams, kills, monkeypatch
):
    server.page_size, server.validates = page, True
    steps(bundle)
    server.submissions.clear()
    publish = partial(publish_bundle, connection, bundle, competition=COMPETITION, again=AGAIN, now=OPEN)
    for number in range(kills):
        kill(monkeypatch, lambda: list(publish()), number % 2, number // 2 % 5)
    said, error = steps(competition=COMPETITION)
    assert (error, len(server.submissions)) == (None, 1)
    why = "Finished with scores, but the team has no entry on the leaderboard"
    assert f"warning: Evaluation: run {max(server.submissions)} of organiser is {why}" in said


@pytest.mark.thorough
def test_a_leaderboard_of_labels_at_home_is_that_of_the_approved_uploads(
    server, page, teams, kills, tmp_path, monkeypatch
):
    mine, site = begin(tmp_path / "mine", "  feedback: exact\n"), tmp_path / "site"
    monkeypatch.setattr(dates, "now", lambda: NOW)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    server.page_size, server.score = page, lambda parts, submission: {"received": 1.0}
    number = upload_bundle(server, mine)
    phase = server.competitions[number]["phases"][1]["id"]
    server.queues = {"team001": 2, "team002": 1}
    for wrong in range(teams):
        server.enter(phase, f"team{wrong:03d}", answers(wrong + 1))
    server.validates, server.approves = True, lambda run: False
    waiting = [server.enter(phase, owner, answers(0)) for owner in ("team000", "team001", "dora")]
    call = (number, "--competition", mine, "--out", site, "--server", server.address)
    times = sum(
        kill(monkeypatch, lambda: main(*call), at % 2, 3 + at * teams // 9, [0]) for at in range(kills)
    )
    assert times > kills // 2
    assert main(*call) == 0
    made = json.loads((site / "board.json").read_text())["phases"][0]["entries"]
    assert [(each["name"], float(each["scores"]["f1"])) for each in made] == [
        (f"team{wrong:03d}", pytest.approx(f1(wrong + 1), abs=1e-10)) for wrong in range(teams)
    ]
    index = read_index(mine / "fetched")
    assert [run.id for run in index if run.status == "Awaiting validation"] == waiting
