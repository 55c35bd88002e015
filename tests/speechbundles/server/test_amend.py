"""Labels that are corrected in mid-season, on a server that keeps old scores (`tests.samples.codabench_server`)."""

from decimal import Decimal

import pytest

from speechbundles.leaderboard.score import score_all
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.platforms.codabench import client as api
from speechbundles.server.abandon import abandon_amendment
from speechbundles.server.amend import carry_out_amendment
from speechbundles.server.amendment import STATE, amendment_to_text
from speechbundles.server.fetch import REPLACED, fetch_competition
from speechbundles.server.served_files import wanted_files
from speechbundles.server.watch import watch_competition
from tests.samples.killed import counted, enter_twice, entries, kill, killed_seasons
from tests.samples.live_bundle import COMPETITION, EVALUATION, board, live_bundle, upload
from tests.samples.live_season import AS_PREDICTED, CORRECTED, season

pytestmark = pytest.mark.usefixtures("quick")


@pytest.mark.parametrize(
    ("rule", "was", "becomes"),
    [
        ("Force_Best", "anna 39 bob 38 carol 37", "anna 40 carol 39 bob 36"),
        ("Force_Last", "bob 38 anna 38 carol 37", "anna 40 carol 39 bob 36"),
        ("Force_Latest_Multiple", "anna 39 bob 38 anna 38 carol 37", "anna 40 carol 39 anna 37 bob 36"),
        ("Add", "anna 39 carol 37", "carol 39 anna 37"),  # bob picked none
    ],
)
def test_the_leaderboard_becomes_the_predicted_one(amend, connection, server, tmp_path, rule, was, becomes):
    new = season(server, tmp_path, rule=rule)
    if rule == "Add":
        for run in server.submissions.values():
            picked = ("anna", Decimal("0.975")), ("carol", Decimal("0.925"))
            run["leaderboard"] = (run["owner"], run["scores"].get("accuracy")) in picked
    assert " ".join(f"{team} {right:.0f}" for team, right in board(server)) == was
    server.backwards = True
    kept = {part: key for part, key in server.tasks[32]["parts"].items() if part != "reference_data"}
    said = amend(new)
    assert " ".join(f"{team} {right:.0f}" for team, right in board(server)) == becomes
    assert said[:2] == ["Evaluation: replaced reference_data", "Evaluation: 5 submissions run again"]
    assert said[2:] == [f"{AS_PREDICTED}: {len(becomes.split()) // 2} entries, 2 columns, every digit"]
    assert server.tasks[32]["parts"].items() >= kept.items()
    assert len(server.submissions) == 5  # as many as before, because of the teams' limits
    assert not (tmp_path / "live" / STATE).exists()
    haul = fetch_competition(connection, COMPETITION, tmp_path / "live")
    old, again = haul.runs[:5], [run for run in haul.runs if run.note != REPLACED]
    assert ({run.note for run in old}, haul.lacking) == ({REPLACED}, [])
    assert {run.submission for run in again} == {run.submission for run in old}
    assert all((tmp_path / "live" / run.output).is_file() for run in (*old, *again) if run.output)


def test_groups_with_queues_and_scores_that_are_not_returned_change_nothing(planned, amend, server, tmp_path):
    server.queues, server.returns_hidden = {"anna": 2, "carol": 1}, False
    new = season(server, tmp_path, hidden="error")
    (phase,) = planned(new).phases
    assert {team: rank for team, (rank, _) in phase.before.items()} == {"anna": 1, "bob": 2, "carol": 3}
    assert phase.notes == ("5 new runs will count towards the teams' daily limits",)
    assert amend(new)[-1].startswith(f"{AS_PREDICTED}: 3 entries")
    assert list(dict(board(server)).items()) == CORRECTED
    assert len([run for run in server.submissions.values() if run["parent"] is None]) == 5
    assert planned(new).empty


def test_a_run_without_scores_gives_way_on_the_leaderboard(amend, server, new):
    server.submissions[3]["scores"] = {}  # anna's second; null ranks first in the server's database
    server.enter(EVALUATION, "anna", upload(0, 1, 2))
    assert server.submissions[3]["leaderboard"]
    amend(new)
    assert board(server) == CORRECTED


def test_a_submission_that_arrives_meanwhile_is_on_the_predicted_leaderboard(planned, server, new):
    steps = carry_out_amendment(planned(new))
    next(steps)
    server.enter(EVALUATION, "erik", upload(0, 1, 9), finished=False)
    assert list(steps)[-1].startswith(f"{AS_PREDICTED}: 4 entries")
    assert board(server) == [("anna", 40), ("carol", 39), ("erik", 39), ("bob", 36)]


def test_a_leaderboard_that_differs_from_the_prediction_is_reported(amend, server, new):
    right, half = server.score, {"accuracy": 0.5, "error": 0.5}
    server.score = lambda parts, file: half if file == upload(0, 1) else right(parts, file)
    with pytest.raises(
        OrganiserError, match="the order is carol, an older run, bob; expected anna, carol, bob"
    ):
        amend(new)
    server.score = right  # the same command runs differing uploads again
    assert amend(new)[0] == "Evaluation: 1 submission run again"
    assert board(server) == CORRECTED


def test_a_deleted_upload_keeps_its_score_and_a_withdrawn_one_is_left_alone(planned, connection, server, new):
    _, bob, _, carol, _ = sorted(server.submissions)
    server.delete_upload(bob)
    server.submissions[carol]["data"] = None
    amendment = planned(new)
    said = f"runs that cannot be repeated, because the upload was deleted: {carol}"
    assert said in amendment_to_text(amendment)
    list(carry_out_amendment(amendment))
    assert board(server) == [("anna", 40), ("carol", 37)]


def test_a_program_may_change_too(planned, connection, server, new, tmp_path, monkeypatch):
    monkeypatch.setattr("tests.samples.live_bundle.INGEST", b'"""Checks nothing at all."""\n')
    amendment = planned(live_bundle(tmp_path / "new.zip", wrong=2))
    changed = [("ingestion_program",), ("ingestion_program", "reference_data")]
    assert [phase.parts for phase in amendment.phases] == changed
    list(carry_out_amendment(amendment))
    keys = server.tasks[31]["parts"]
    parts = {part: server.files[server.datasets[key]["path"]] for part, key in keys.items()}
    assert parts == wanted_files(amendment.bundle, amendment.bundle.phases[0], api.PARTS)


def test_pages_terms_and_kits_are_exchanged_with_a_label(planned, amend, server, tmp_path):
    """The class sizes and the baseline's score are in the pages."""
    new = season(server, tmp_path, page=b"24 correct, 16 incorrect.\n")
    live = server.competitions[COMPETITION]
    live["whitelist_emails"] = ["a@example.org"]
    live["pages"].append({"id": 9, "title": "More", "content": "x", "index": 1})
    steps = ["Evaluation: replaced reference_data", "replaced starting kit", "replaced the pages"]
    assert amend(new)[:3] == steps
    assert [(page["title"], page["id"]) for page in live["pages"]] == [("Overview", 1)]
    assert live["pages"][0]["content"].endswith("24 correct, 16 incorrect.")
    assert live["terms"].endswith("24 correct, 16 incorrect.")
    assert live["whitelist_emails"] == ["a@example.org"]
    kit = server.files[server.datasets[live["phases"][0]["starting_kit"]["key"]]["path"]]
    assert kit == read_built_bundle(new).files["starting_kit.zip"]
    assert planned(new).empty


def test_a_run_is_deleted_only_after_the_new_one_has_ended_as_predicted(planned, amend, server, new):
    old = sorted(server.submissions)
    right, answer = server.score, server.answer
    server.score = lambda parts, file: None if file == upload(0, 1, 8) else right(parts, file)  # carol's

    def watched(method, path, query, body):
        if method == "DELETE":
            data = server.submissions[int(path.strip("/").split("/")[-1])]["data"]
            newer = [other["status"] for other in server.submissions.values() if other["data"] == data]
            assert len(newer) > 1
            assert {"Finished", "Failed"}.intersection(newer)
        return answer(method, path, query, body)

    server.answer = watched
    with pytest.raises(OrganiserError, match="is Failed on the server, but Finished here"):
        amend(new)
    assert set(old) & set(server.submissions) == {old[3]}  # carol's, whose new run failed
    failed = max(run["id"] for run in server.submissions.values() if run["owner"] == "carol")
    runs = set(server.submissions)
    assert amend(new, accept=[failed])[0] == "Evaluation: 0 submissions run again"
    assert board(server) == [("anna", 40), ("bob", 36)]
    assert runs - set(server.submissions) == {old[3]}


# Interruptions


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        ("API PATCH /api/tasks/", "act-and-drop"),
        ("API POST /api/submissions/2/re_run", "act-and-drop"),  # bob's, the second to be run again
        ("API DELETE /api/submissions/2/", "drop"),
    ],
)
def test_an_interrupted_amendment_is_continued(planned, amend, interrupted, server, new, begins, kind):
    interrupted(planned(new), begins, kind)
    assert amend(new)[-1].startswith(AS_PREDICTED)
    assert board(server) == CORRECTED
    assert len(server.submissions) == 5


def test_a_second_run_of_the_command_does_only_what_is_left(planned, amend, interrupted, server, new):
    interrupted(planned(new), "API POST /api/submissions/4/re_run")
    (left,) = planned(new).phases
    assert (left.reruns, left.notes) == (2, ("2 new runs will count towards the teams' daily limits",))
    server.requests = []
    assert amend(new)[0] == "Evaluation: 3 submissions run again"  # 4, 5 and bob's, below
    assert server.called("API POST /api/datasets/") == server.called("API PATCH") == []
    started = [path.split("/")[3] for path in server.called("API POST /api/submissions/")]
    assert started[:2] == ["4", "5"]
    assert board(server) == CORRECTED
    assert len(server.submissions) == 5


@killed_seasons
def test_an_amendment_ends_with_the_leaderboard_of_the_corrected_labels(
    planned, connection, server, tmp_path, monkeypatch, teams, page, kills
):
    uploads = enter_twice(server, teams, page, tmp_path)
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


@pytest.mark.thorough
@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_the_page_of_board_stays(planned, connection, server, tmp_path, ending):
    new = season(server, tmp_path, page=b"More.\n")
    pages = server.competitions[COMPETITION]["pages"]
    first = [page["content"] for page in pages]
    text = f"Old.\n\n{api.BOARD_MARK}"
    pages.append({"id": 99, "title": api.BOARD_TITLE, "content": text, "index": len(pages)})
    steps = carry_out_amendment(planned(new))
    assert any("pages" in step for step in steps)
    live = api.read_competition(connection, COMPETITION)
    api.change_board_page(connection, live, f"New.\n\n{api.BOARD_MARK}")
    abandoned = abandon_amendment(connection, COMPETITION, tmp_path / "live")
    assert list(abandoned if ending == "abandon" else steps)
    *others, page = server.competitions[COMPETITION]["pages"]
    assert (page["id"], page["content"].split()[0]) == (99, "New.")
    assert ([other["content"] for other in others] == first) is (ending == "abandon")
    if ending == "continue":
        assert planned(new).empty
