"""Labels that are corrected in mid-season, on a server that keeps old scores (`tests.samples.codabench_server`)."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

import build_bundle
from speechbundles.bundle.rehearse.many import rehearse_all
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import OrganiserError, Unreachable
from speechbundles.model.fetched import LOCK, locked
from speechbundles.model.read import read_built_bundle
from speechbundles.server import api
from speechbundles.server.abandon import abandon
from speechbundles.server.amend import carry_out, plan
from speechbundles.server.amendment import STATE, to_text
from speechbundles.server.fetch import REPLACED, fetch
from speechbundles.server.files import wanted_files
from tests.samples.codabench_server import TOKEN, Mishap
from tests.samples.live_bundle import board, count_here, live_bundle, upload, with_password

COMPETITION, EVALUATION = 7, 701


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    """Skip checks and real rehearsals, which `test_check` and `test_rehearsal` cover."""
    monkeypatch.setattr("speechbundles.server.compared.check_bundle", lambda path: [])
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", count_here)


def test_counting_gives_the_same_scores_as_the_programs(tmp_path):
    bundle = read_built_bundle(live_bundle(tmp_path / "bundle.zip", wrong=2))
    (tmp_path / "answer.zip").write_bytes(upload(5))
    runs = {"one": (bundle.phases[1], tmp_path / "answer.zip")}
    (_, run), (_, counted) = *rehearse_all(bundle, runs, tmp_path, 1), *count_here(bundle, runs, tmp_path, 1)
    assert (run.status, run.scores) == (counted.status, counted.scores)
    assert run.scores["accuracy"] == Decimal("0.925")  # 37 of 40


def season(server, tmp_path, **settings):
    """Enter four teams into a competition whose first two labels turn out to be wrong.

    Of 40 items, anna has 39 and then 38 right, bob 38, carol 37; dora's file is refused. With corrected labels, anna's
    first submission has 37 right, her second 40, bob's 36 and carol's 39.
    """
    old = live_bundle(tmp_path / "old.zip", **settings)
    key = server._dataset("competition_bundle", "old.zip", 0)
    server.files[server.datasets[key]["path"]] = old.read_bytes()
    server._import(key)
    for team, mistakes in (("anna", [5]), ("bob", [6, 7]), ("anna", [0, 1]), ("carol", [0, 1, 8])):
        server.enter(EVALUATION, team, upload(*mistakes))
    server.enter(EVALUATION, "dora", upload(items=[("item000", "correct")]))
    return live_bundle(tmp_path / "new.zip", **settings, wrong=2)


def amend(connection, bundle, tmp_path):
    return list(carry_out(connection, plan(connection, bundle, COMPETITION, tmp_path / "live")))


def test_the_plan_shows_the_new_ranks_and_changes_nothing(connection, server, tmp_path):
    new = season(server, tmp_path)
    before = json.dumps([server.tasks, board(server)], default=str)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert to_text(amendment).splitlines() == [
        "Evaluation: reference data; 5 submissions to run again",
        "",
        "  rank  was         Accuracy    was  change",
        "     1    1  anna          1  0.975  +0.025",
        "     2    3  carol     0.975  0.925   +0.05",
        "     3    2  bob         0.9   0.95   -0.05",
        "",
        "  5 new runs will count towards the teams' daily limits",
    ]
    assert json.dumps([server.tasks, board(server)], default=str) == before
    assert not [call for call in server.called("API POST") if not call.endswith("/accounts/login/")]
    assert not server.called("API PATCH")
    assert not server.called("API DELETE")


@pytest.mark.parametrize(
    ("rule", "was", "becomes"),
    [
        ("Force_Best", "anna 39 bob 38 carol 37", "anna 40 carol 39 bob 36"),
        ("Force_Last", "bob 38 anna 38 carol 37", "anna 40 carol 39 bob 36"),
        ("Force_Latest_Multiple", "anna 39 bob 38 anna 38 carol 37", "anna 40 carol 39 anna 37 bob 36"),
        ("Add", "anna 39 carol 37", "carol 39 anna 37"),  # bob picked none
    ],
)
def test_the_leaderboard_becomes_the_predicted_one(connection, server, tmp_path, rule, was, becomes):
    words = was.split(), becomes.split()
    was, becomes = (list(zip(row[::2], map(int, row[1::2]), strict=True)) for row in words)
    new = season(server, tmp_path, rule=rule)
    if rule == "Add":
        for run in server.submissions.values():
            run["leaderboard"] = (run["owner"], run["scores"].get("accuracy")) in (
                ("anna", Decimal("0.975")),
                ("carol", Decimal("0.925")),
            )
    assert board(server) == was
    server.backwards = True
    kept = {part: key for part, key in server.tasks[32]["parts"].items() if part != "reference_data"}
    said = amend(connection, new, tmp_path)
    assert board(server) == becomes
    assert said == [
        "Evaluation: replaced reference_data",
        "Evaluation: 5 submissions run again",
        f"Evaluation: the leaderboard is as predicted: {len(becomes)} entries, 2 columns, every digit",
    ]
    assert {part: server.tasks[32]["parts"][part] for part in kept} == kept
    assert [run["owner"] for run in server.submissions.values()] != []
    assert len(server.submissions) == 5  # as many as before, because of the teams' limits
    assert not (tmp_path / "live" / STATE).exists()


@pytest.mark.parametrize("server_is", ["old", "new"])
def test_groups_with_queues_and_scores_that_are_not_returned_change_nothing(
    connection, server, tmp_path, server_is
):
    if server_is == "new":
        server.queues, server.returns_hidden = {"anna": 2, "carol": 1}, False
    new = season(server, tmp_path, hidden="error")
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    (phase,) = amendment.phases
    assert {team: rank for team, (rank, _) in phase.before.items()} == {"anna": 1, "bob": 2, "carol": 3}
    assert phase.notes == ("5 new runs will count towards the teams' daily limits",)
    said = list(carry_out(connection, amendment))
    assert said[-1].startswith("Evaluation: the leaderboard is as predicted: 3 entries")
    assert list(dict(board(server)).items()) == [("anna", 40), ("carol", 39), ("bob", 36)]
    roots = [run for run in server.submissions.values() if run["parent"] is None]
    assert len(roots) == 5
    assert plan(connection, new, COMPETITION, tmp_path / "live").empty


def test_old_runs_stay_in_the_folder(connection, server, tmp_path):
    new = season(server, tmp_path)
    amend(connection, new, tmp_path)
    haul = fetch(connection, COMPETITION, tmp_path / "live")
    old, again = haul.runs[:5], [run for run in haul.runs if run.note != REPLACED]
    assert {run.note for run in old} == {REPLACED}
    assert haul.lacking == []
    assert [run.submission for run in again] == [run.submission for run in old]
    assert all((tmp_path / "live" / run.output).is_file() for run in (*old, *again) if run.output)


@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        ("API POST /api/datasets/", "drop"),
        ("API PATCH /api/tasks/", "act-and-drop"),
        ("API POST /api/submissions/3/re_run", "act-and-drop"),
        ("API DELETE /api/submissions/3/", "drop"),
    ],
)
def test_an_interrupted_amendment_is_continued(connection, server, tmp_path, begins, kind):
    new = season(server, tmp_path)
    first = sorted(server.submissions)[1]  # bob's, the second to be run again
    begins = begins.replace("/3/", f"/{first}/")
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    server.mishaps = [Mishap(begins, kind, times=7)]
    with pytest.raises(Unreachable):
        list(carry_out(connection, amendment))
    server.mishaps = []
    assert amend(connection, new, tmp_path)[-1].startswith("Evaluation: the leaderboard is as predicted")
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]
    assert len(server.submissions) == 5


def test_a_run_without_scores_gives_way_on_the_leaderboard(connection, server, tmp_path):
    new = season(server, tmp_path)
    server.submissions[3]["scores"] = {}  # anna's second; null ranks first in the server's database
    server.enter(EVALUATION, "anna", upload(0, 1, 2))
    assert server.submissions[3]["leaderboard"]
    amend(connection, new, tmp_path)
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]


def test_a_submission_that_arrives_meanwhile_is_on_the_predicted_leaderboard(connection, server, tmp_path):
    new = season(server, tmp_path)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    steps = carry_out(connection, amendment)
    next(steps)
    server.enter(EVALUATION, "erik", upload(0, 1, 9), finished=False)
    assert list(steps)[-1].startswith("Evaluation: the leaderboard is as predicted: 4 entries")
    assert board(server)[:2] == [("anna", 40), ("carol", 39)]
    assert board(server)[2:] == [("erik", 39), ("bob", 36)]


def test_a_leaderboard_that_differs_from_the_prediction_is_reported(connection, server, tmp_path):
    new = season(server, tmp_path)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    right = server.score
    server.score = lambda parts, file: (
        {"accuracy": 0.5, "error": 0.5} if file == upload(0, 1) else right(parts, file)
    )
    with pytest.raises(OrganiserError) as error:
        list(carry_out(connection, amendment))
    lines = str(error.value).splitlines()
    assert lines[0] == "Evaluation: the leaderboard differs from the prediction:"
    assert "  the order is carol, an older run, bob; expected anna, carol, bob" in lines
    server.score = right  # the same command runs differing uploads again
    assert amend(connection, new, tmp_path)[0] == "Evaluation: 1 submission run again"
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]


def test_scores_that_differ_before_the_amendment_are_reported(connection, server, tmp_path):
    new = season(server, tmp_path)
    run = sorted(server.submissions)[1]
    server.submissions[run]["scores"] = {}
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    assert f"1 of 5 uploads have other scores on the server than here; runs: {run}" in to_text(amendment)


def test_a_deleted_upload_keeps_its_score_and_a_withdrawn_one_is_left_alone(connection, server, tmp_path):
    new = season(server, tmp_path)
    bob, carol = (sorted(server.submissions)[place] for place in (1, 3))
    server.delete_upload(bob)
    server.submissions[carol]["data"] = None
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    assert f"runs that cannot be repeated, because the upload was deleted: {carol}" in to_text(amendment)
    list(carry_out(connection, amendment))
    assert board(server) == [("anna", 40), ("carol", 37)]


def test_an_upload_is_scored_though_its_copy_was_deleted(connection, server, tmp_path):
    new = season(server, tmp_path)
    copy = server.enter(EVALUATION, "carol", upload(0, 1, 8))
    fetch(connection, COMPETITION, tmp_path / "live")
    server.submissions[copy]["data"] = None
    (phase,) = plan(connection, new, COMPETITION, tmp_path / "live").phases
    scores = {entry.attempt.submission.team: entry.attempt.score("accuracy") for entry in phase.after}
    assert scores["carol"] == Decimal("0.975")


def test_bundles_and_states_that_cannot_be_amended_are_refused(connection, server, tmp_path):
    new = season(server, tmp_path)
    other = live_bundle(tmp_path / "other.zip", wrong=2, title="Another")
    with pytest.raises(
        OrganiserError, match="title: 'Another' in the bundle, 'A synthetic competition' on the server"
    ):
        plan(connection, other, COMPETITION, tmp_path / "live")
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    server.stuck = True
    run = server.enter(EVALUATION, "erik", upload(), finished=False)
    server.submissions[run]["status"] = "Running"
    with pytest.raises(OrganiserError, match=f"unfinished runs: {run} .Running.; wait for them, cancel them"):
        list(carry_out(connection, amendment))
    assert server.called("API PATCH") == []
    del server.submissions[run]
    server.stuck = False
    server.mishaps = [Mishap("API PATCH", 403)]
    with pytest.raises(OrganiserError, match="PATCH /api/tasks/32/: HTTP 403"):
        list(carry_out(connection, amendment))
    newer = live_bundle(tmp_path / "newer.zip", wrong=3)
    with pytest.raises(OrganiserError, match="an amendment with another bundle is in progress"):
        plan(connection, newer, COMPETITION, tmp_path / "live")
    assert amend(connection, new, tmp_path)


def test_a_program_may_change_too(connection, server, tmp_path, monkeypatch):
    new = season(server, tmp_path)
    monkeypatch.setattr("tests.samples.live_bundle.INGEST", b'"""Checks nothing at all."""\n')
    new = live_bundle(tmp_path / "new.zip", wrong=2)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    assert [phase.parts for phase in amendment.phases] == [
        ("ingestion_program",),
        ("ingestion_program", "reference_data"),
    ]
    list(carry_out(connection, amendment))
    parts = {
        part: server.files[server.datasets[key]["path"]] for part, key in server.tasks[31]["parts"].items()
    }
    assert parts == wanted_files(amendment.bundle, amendment.bundle.phases[0])
    assert api.read_parts(connection, 31).keys() == parts.keys()


def test_pages_terms_and_kits_are_exchanged_with_a_label(connection, server, tmp_path):
    """The class sizes and the baseline's score are in the pages."""
    season(server, tmp_path)
    server.competitions[COMPETITION]["whitelist_emails"] = ["a@example.org"]
    server.competitions[COMPETITION]["pages"].append({"id": 9, "title": "More", "content": "x", "index": 1})
    new = live_bundle(tmp_path / "new.zip", wrong=2, page=b"24 correct, 16 incorrect.\n")
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    assert to_text(amendment).splitlines()[:4] == [
        *("pages and terms: replaced", "", "starting kit: replaced", ""),
    ]
    assert list(carry_out(connection, amendment))[:3] == [
        *("Evaluation: replaced reference_data", "replaced starting kit", "replaced the pages"),
    ]
    live = server.competitions[COMPETITION]
    assert [(page["title"], page["id"]) for page in live["pages"]] == [("Overview", 1)]
    assert live["pages"][0]["content"].endswith("24 correct, 16 incorrect.")
    assert live["terms"].endswith("24 correct, 16 incorrect.")
    assert live["whitelist_emails"] == ["a@example.org"]
    kit = server.files[server.datasets[live["phases"][0]["starting_kit"]["key"]]["path"]]
    assert kit == read_built_bundle(new).files["starting_kit.zip"]
    assert plan(connection, new, COMPETITION, tmp_path / "live").empty


@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_the_page_of_board_stays(connection, server, tmp_path, ending):
    season(server, tmp_path)
    pages = server.competitions[COMPETITION]["pages"]
    first = [page["content"] for page in pages]
    pages.append(
        {"id": 99, "title": api.BOARD_TITLE, "content": f"Old.\n\n{api.BOARD_MARK}", "index": len(pages)}
    )
    new = live_bundle(tmp_path / "new.zip", wrong=2, page=b"More.\n")
    steps = carry_out(connection, plan(connection, new, COMPETITION, tmp_path / "live"))
    for step in steps:
        if "pages" in step:
            break
    api.change_board_page(
        connection, api.read_competition(connection, COMPETITION), f"New.\n\n{api.BOARD_MARK}"
    )
    ended = list(abandon(connection, COMPETITION, tmp_path / "live") if ending == "abandon" else steps)
    assert ended
    *others, page = server.competitions[COMPETITION]["pages"]
    assert (page["id"], page["content"].split()[0]) == (99, "New.")
    assert ([other["content"] for other in others] == first) is (ending == "abandon")
    if ending == "continue":
        assert plan(connection, new, COMPETITION, tmp_path / "live").empty


def test_a_run_is_deleted_only_after_the_new_one_has_ended_as_predicted(connection, server, tmp_path):
    new = season(server, tmp_path)
    old = sorted(server.submissions)
    right = server.score
    server.score = lambda parts, file: None if file == upload(0, 1, 8) else right(parts, file)  # carol's
    removed = []
    answer = server.answer

    def watched(method, path, query, body):
        if method == "DELETE":
            run = server.submissions[int(path.strip("/").split("/")[-1])]
            removed.append(run["id"])
            newer = [other for other in server.submissions.values() if other["data"] == run["data"]]
            assert [other for other in newer if other["status"] in ("Finished", "Failed")]
            assert len(newer) > 1
        return answer(method, path, query, body)

    server.answer = watched
    with pytest.raises(OrganiserError, match="is Failed on the server, but Finished here"):
        amend(connection, new, tmp_path)
    assert old[3] in server.submissions  # carol's, whose new run failed
    assert set(old) - set(server.submissions) == set(old) - {old[3]}
    failed = max(run["id"] for run in server.submissions.values() if run["owner"] == "carol")
    runs = set(server.submissions)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live", accept=[failed])
    said = list(carry_out(connection, amendment))
    assert said[0] == "Evaluation: 0 submissions run again"
    assert board(server) == [("anna", 40), ("bob", 36)]
    assert runs - set(server.submissions) == {old[3]}
    with pytest.raises(OrganiserError, match="--accept 9999: no such run"):
        plan(connection, new, COMPETITION, tmp_path / "live", accept=[9999])


def test_a_second_run_of_the_command_does_only_what_is_left(connection, server, tmp_path):
    new = season(server, tmp_path)
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    server.mishaps = [Mishap("API POST /api/submissions/4/re_run", "drop", times=100)]
    with pytest.raises(Unreachable):
        list(carry_out(connection, amendment))
    server.mishaps = []
    (left,) = plan(connection, new, COMPETITION, tmp_path / "live").phases
    assert (left.reruns, left.notes) == (2, ("2 new runs will count towards the teams' daily limits",))
    server.requests = []
    assert (
        amend(connection, new, tmp_path)[0] == "Evaluation: 3 submissions run again"
    )  # 4, 5 and bob's, below
    assert server.called("API POST /api/datasets/") == server.called("API PATCH") == []
    started = [path.split("/")[3] for path in server.called("API POST /api/submissions/")]
    assert started[:2] == ["4", "5"]
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]
    assert len(server.submissions) == 5


def test_an_abandoned_amendment_restores_the_earlier_files(connection, server, tmp_path):
    season(server, tmp_path)
    new = live_bundle(tmp_path / "new.zip", wrong=2, page=b"24 correct.\n")
    parts = {task: dict(found["parts"]) for task, found in server.tasks.items()}
    texts = json.dumps(
        [server.competitions[COMPETITION][key] for key in ("pages", "terms", "phases")], sort_keys=True
    )
    with pytest.raises(OrganiserError, match="no amendment is in progress"):
        list(abandon(connection, COMPETITION, tmp_path / "live"))
    amendment = plan(connection, new, COMPETITION, tmp_path / "live")
    server.mishaps = [Mishap("API POST /api/submissions/4/re_run", "drop", times=100)]
    with pytest.raises(Unreachable):
        list(carry_out(connection, amendment))
    server.mishaps = []
    runs = set(server.submissions)
    kit = server.competitions[COMPETITION]["phases"][0]["starting_kit"]
    other = live_bundle(tmp_path / "other.zip", wrong=3)
    with pytest.raises(OrganiserError, match="finish it with that bundle, or --abandon it"):
        plan(connection, other, COMPETITION, tmp_path / "live")
    lost = parts[32]["reference_data"]
    content = server.files.pop(server.datasets[lost]["path"])
    with pytest.raises(OrganiserError) as error:
        list(abandon(connection, COMPETITION, tmp_path / "live"))
    assert str(error.value).splitlines() == [
        *("competition 7 is not as it was before:", "", "  task 32: reference data is not the earlier file"),
    ]
    server.files[server.datasets[lost]["path"]] = content
    said = list(abandon(connection, COMPETITION, tmp_path / "live"))
    assert said[0].startswith("restored the earlier programs, data, kits, pages and terms")
    assert said[1].startswith("3 runs since then, which may have scores of the abandoned bundle")
    assert {task: found["parts"] for task, found in server.tasks.items()} == parts
    assert (
        json.dumps(
            [server.competitions[COMPETITION][key] for key in ("pages", "terms", "phases")], sort_keys=True
        )
        == texts
    )
    assert kit != server.competitions[COMPETITION]["phases"][0]["starting_kit"]
    assert set(server.submissions) == runs
    assert not (tmp_path / "live" / STATE).exists()


@pytest.mark.thorough
def test_an_odd_zip_of_one_participant_blocks_nothing(connection, server, tmp_path, monkeypatch):
    new = season(server, tmp_path)
    server.enter(EVALUATION, "mallory", upload(9, entry="../predictions.csv"))
    monkeypatch.setattr("speechbundles.server.entrants.rehearse_all", rehearse_all)  # the real programs
    amendment = plan(connection, new, COMPETITION, tmp_path / "live", jobs=2)
    assert "entries that lead out of the zip inside it: ../predictions.csv" in to_text(amendment)
    list(carry_out(connection, amendment, jobs=2))
    assert board(server)[:3] == [("anna", 40), ("carol", 39), ("mallory", 37)]


@pytest.mark.parametrize("teams", [0, pytest.param(200, marks=pytest.mark.thorough)])
def test_an_encrypted_zip_can_be_left_out(connection, server, tmp_path, teams):
    new = season(server, tmp_path)
    late = server.enter(EVALUATION, "mallory", with_password(upload(9)), finished=False)
    for team in range(teams):
        server.enter(EVALUATION, f"team{team}", upload(*range(3, 3 + team % 30)))
    for _ in range(8):
        server._go_on()
    if server.today:  # the run has failed
        assert server.submissions[late]["status"] == "Failed"
        assert amend(connection, new, tmp_path)
        return
    assert server.submissions[late]["status"] == "Preparing"
    before = json.dumps([server.tasks, board(server)], default=str)
    text = to_text(plan(connection, new, COMPETITION, tmp_path / "live"))
    assert (
        f"unfinished runs: {late} (Preparing); wait for them, cancel them at {server.address}/competitions/7/"
        in text
    )
    with pytest.raises(OrganiserError, match=f"{late} .Preparing.*Nothing was changed"):
        amend(connection, new, tmp_path)
    assert json.dumps([server.tasks, board(server)], default=str) == before
    accepting = plan(connection, new, COMPETITION, tmp_path / "live", accept=[late])
    assert "unfinished" not in to_text(accepting)
    server.mishaps = [Mishap("API POST /api/submissions/", "act-and-drop", times=7, after=2)]
    with pytest.raises(Unreachable):
        list(carry_out(connection, accepting))
    server.mishaps = []
    assert "as predicted" in amend(connection, new, tmp_path)[-1]  # `accept` is in the state
    assert server.submissions[late]["status"] == "Preparing"
    assert [team for team, _ in board(server) if not team.startswith("team")] == ["anna", "carol", "bob"]
    assert len(board(server)) == 3 + teams


def test_beside_another_command_in_the_folder_nothing_is_amended(server, tmp_path, monkeypatch, capsys):
    new = season(server, tmp_path)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    folder = tmp_path / "live"
    folder.mkdir()
    arguments = ["amend", str(new), "7", "--dir", str(folder), "--server", server.address]
    with locked(folder / LOCK, folder, "fetch"):
        for more in (["--yes"], ["--abandon"], []):
            capsys.readouterr()
            assert build_bundle.main([*arguments, *more]) == 1
            assert capsys.readouterr().err.startswith(f"{folder}: fetch is using this folder; wait until")
    assert [request for request in server.requests if request[0] != "API GET"] == []


def test_beside_an_amendment_nothing_is_fetched_into_its_folder(server, login, tmp_path, monkeypatch, capsys):
    new = season(server, tmp_path)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    folder = str(tmp_path / "live")
    commands = [["fetch", "7", folder], ["watch", str(new), "7", "--dir", folder, "--fetch", *login]]
    at = ["--server", server.address]
    refusals = []

    def carry_out_beside(*arguments, **options):
        for step in carry_out(*arguments, **options):
            capsys.readouterr()
            for command in commands:
                assert build_bundle.main([*command, *at]) == 1
                refusals.append(capsys.readouterr().err.splitlines()[0])
            yield step

    monkeypatch.setattr("speechbundles.cli.amend.carry_out_amendment", carry_out_beside)
    assert build_bundle.main(["amend", str(new), "7", "--dir", folder, *at, *login, "--yes"]) == 0
    assert set(refusals) == {
        f"{folder}: amend is using this folder; wait until it ends, or choose another folder"
    }
    assert len(refusals) == 2 * 3  # the exchange, the runs, the comparison
    for command in commands:
        assert build_bundle.main([*command, *at]) == 0


def test_the_command(server, login, tmp_path, monkeypatch, capsys):
    new = season(server, tmp_path)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    arguments = ["amend", str(new), "7", "--dir", str(tmp_path / "live"), "--server", server.address, *login]
    assert build_bundle.main(arguments) == 0
    out, err = capsys.readouterr()
    assert "     2    3  carol     0.975  0.925   +0.05" in out
    assert "Nothing was changed. Add --yes" in err
    assert build_bundle.main([*arguments, "--yes"]) == 0
    assert "the leaderboard is as predicted: 3 entries" in capsys.readouterr().out
    assert build_bundle.main([*arguments, "--yes"]) == 0
    assert "there is nothing to amend" in capsys.readouterr().out
    assert build_bundle.main([*arguments, "--abandon"]) == 1
    err = capsys.readouterr().err
    assert "no amendment is in progress; to go back, amend with the old bundle" in err
    assert "continue" not in err  # there is nothing to continue


@pytest.mark.parametrize(("server", "signs_in"), [("today", True), ("today", False)], indirect=["server"])
def test_what_the_command_could_not_compare_when_it_goes_back(
    server, login, signs_in, tmp_path, monkeypatch, capsys
):
    new = season(server, tmp_path)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    arguments = ["amend", str(new), "7", "--dir", str(tmp_path / "live"), "--server", server.address]
    arguments += login * signs_in
    server.mishaps = [Mishap("API PATCH /api/tasks/", 400)]
    assert build_bundle.main([*arguments, "--from", str(tmp_path / "old.zip"), "--yes"]) == 1
    assert capsys.readouterr().err.endswith("\n\nRun the same command again to continue.\n")
    assert build_bundle.main([*arguments, "--abandon"]) == (0 if signs_in else 4)
    assert capsys.readouterr().out.startswith("not compared: ") is not signs_in


# A server that gives its programs and data to no token


@pytest.fixture
def tokens_only(server, connection):
    return replace(connection, account=None)


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_without_the_servers_files_an_earlier_bundle_is_needed(tokens_only, server, tmp_path):
    new = season(server, tmp_path)
    with pytest.raises(OrganiserError) as error:
        plan(tokens_only, new, COMPETITION, tmp_path / "live")
    assert "--login-file" in str(error.value)
    assert "--from with the bundle that is on the server now. Nothing was changed" in str(error.value)
    other = live_bundle(tmp_path / "other.zip", title="Another")
    with pytest.raises(OrganiserError, match="title: 'Another' in the bundle"):
        plan(tokens_only, new, COMPETITION, tmp_path / "live", earlier=other)
    amendment = plan(tokens_only, new, COMPETITION, tmp_path / "live", earlier=tmp_path / "old.zip")
    assert to_text(amendment).startswith(f"not compared: {server.address} does not provide this file")
    assert [phase.parts for phase in amendment.phases] == [("reference_data",)]
    assert list(carry_out(tokens_only, amendment))[-1].startswith(
        "Evaluation: the leaderboard is as predicted"
    )
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]


@pytest.mark.parametrize("server", ["today"], indirect=True)
@pytest.mark.parametrize(
    ("begins", "kind"),
    [
        ("API POST /api/datasets/", "drop"),
        ("API PATCH /api/tasks/", "drop"),
        ("API PATCH /api/tasks/", "act-and-drop"),
        ("API POST /api/submissions/2/re_run", "act-and-drop"),
    ],
)
@pytest.mark.parametrize("ending", ["continue", "abandon"])
def test_an_amendment_from_an_earlier_bundle_is_continued_or_abandoned(
    tokens_only, server, tmp_path, begins, kind, ending
):
    new = season(server, tmp_path)
    before = {number: dict(task["parts"]) for number, task in server.tasks.items()}
    amendment = plan(tokens_only, new, COMPETITION, tmp_path / "live", earlier=tmp_path / "old.zip")
    server.mishaps = [Mishap(begins, kind, times=7)]
    with pytest.raises(Unreachable):
        list(carry_out(tokens_only, amendment))
    server.mishaps = []
    if ending == "abandon":
        said = list(abandon(tokens_only, COMPETITION, tmp_path / "live"))
        assert said[0].startswith(f"not compared: {server.address} does not provide this file to a token")
        assert said[1].endswith("compared them by their keys")
        assert {number: task["parts"] for number, task in server.tasks.items()} == before
        return
    again = plan(tokens_only, new, COMPETITION, tmp_path / "live")  # the files are known by their keys
    assert list(carry_out(tokens_only, again))[-1].startswith("Evaluation: the leaderboard is as predicted")
    assert board(server) == [("anna", 40), ("carol", 39), ("bob", 36)]
