"""Fetch a competition's submissions from an unreliable server (`tests.samples.codabench_server`)."""

import csv
import hashlib
import io
import itertools
import json
import os
import re
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
import tracemalloc
import zipfile
from contextlib import suppress
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from email.utils import format_datetime

import pytest

import build_bundle
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.errors import Gone, OrganiserError, Refused, Unreachable
from speechbundles.model.fetched import JOURNAL, folded, folders_of, read_index, safe_name
from speechbundles.publication.outputs import read_outputs
from speechbundles.publication.season.uploads import read_submissions
from speechbundles.server import api
from speechbundles.server.account import Account, read_account, read_server, read_token
from speechbundles.server.connection import PAUSES, Connection
from speechbundles.server.fetch import DELETED, EMPTY, NO_OUTPUT, UNREADABLE, VANISHED, fetch
from spokeneval.formats.tables import begins_formula
from tests.samples.codabench_server import CSRF, ORGANISER, PASSWORD, TOKEN, CodabenchServer, Mishap
from tests.samples.live_bundle import live_bundle, score, upload
from tests.samples.programs import ROOT


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return live_bundle(tmp_path_factory.mktemp("bundle") / "bundle.zip").read_bytes()


@pytest.fixture
def phase(server, bundle):
    """The evaluation phase of a competition with three uploads: two by anna, and one by bob that fails."""
    key = server._dataset("competition_bundle", "bundle.zip", 0)
    server.files[server.datasets[key]["path"]] = bundle
    phase = server.competitions[server._import(key)]["phases"][1]["id"]
    server.enter(phase, "anna", upload(0, 1))
    server.enter(phase, "anna", upload(0))
    server.enter(phase, "bob", upload(items=[("item000", "correct")]))
    return phase


COMPETITION = 7


# What is fetched


def test_season_and_rank_can_read_the_folder(connection, server, phase, tmp_path):
    haul = fetch(connection, COMPETITION, tmp_path / "live")
    assert [(run.owner, run.status, run.on_board, run.complete, run.note) for run in haul.runs] == [
        ("anna", "Finished", False, True, ""),
        ("anna", "Finished", True, True, ""),
        ("bob", "Failed", False, True, ""),
    ]
    first, best, failed = haul.runs
    submissions = read_submissions(tmp_path / "live/submissions")
    assert [(upload.team, upload.time) for upload in submissions] == [
        (run.owner, run.time.replace(microsecond=0)) for run in haul.runs
    ]
    assert [upload.sha256 for upload in submissions] == [run.sha256 for run in haul.runs]
    assert (tmp_path / "live" / failed.submission).read_bytes() == upload(items=[("item000", "correct")])
    outputs = read_outputs(sorted((tmp_path / "live/outputs/Evaluation").iterdir()))
    assert {output.name: output.scores["accuracy"] for output in outputs} == {
        f"anna_{first.id}": 38 / 40,
        f"anna_{best.id}": 39 / 40,
    }
    logs = tmp_path / f"live/logs/Evaluation/anna_{best.id}"
    assert {path.name for path in logs.iterdir()} == {"prediction.zip", "scoring_stdout.txt"}
    assert (logs / "scoring_stdout.txt").read_text() == "scored\n"
    assert read_index(tmp_path / "live") == list(haul.runs)


def test_a_second_fetch_gets_only_new_runs(connection, server, phase, tmp_path):
    fetch(connection, COMPETITION, tmp_path)
    server.requests.clear()
    server.enter(phase, "carol", upload(5))
    assert fetch(connection, COMPETITION, tmp_path).fetched == 1
    assert len(server.called("API GET /api/submissions/")) == 3  # two lists, one run's files


def test_a_damaged_or_lost_file_is_fetched_again(connection, phase, tmp_path):
    runs = fetch(connection, COMPETITION, tmp_path).runs
    good = (tmp_path / runs[0].submission).read_bytes()
    (tmp_path / runs[0].submission).write_bytes(good[:-1])
    (tmp_path / runs[1].output).unlink()
    assert fetch(connection, COMPETITION, tmp_path).fetched == 2
    assert (tmp_path / runs[0].submission).read_bytes() == good
    assert (tmp_path / runs[1].output).is_file()


def test_an_unfinished_run_is_fetched_again_when_it_has_ended(connection, server, phase, tmp_path):
    run = server.enter(phase, "carol", upload(5), finished=False)
    server.stuck = True
    haul = fetch(connection, COMPETITION, tmp_path)
    assert [(left.id, left.status) for left in haul.unfinished] == [(run, "Submitting")]
    server.stuck = False
    for _ in range(4):
        server._go_on()
    server.submissions[run]["scores"] = {}
    server.stuck = True
    server.submissions[run]["status"] = "Finished"  # the output is still an empty file
    server.submissions[run]["outputs"] = dict.fromkeys(
        ("prediction", "scoring", "detailed", "scoring_stdout", "scoring_stderr"), "/bundles/empty"
    )
    server.files["/bundles/empty"] = b""
    assert fetch(connection, COMPETITION, tmp_path).runs[-1].note == NO_OUTPUT
    server.stuck = False
    server.submissions[run]["step"] = 4
    haul = fetch(connection, COMPETITION, tmp_path)
    haul = fetch(connection, COMPETITION, tmp_path)
    assert haul.unfinished == []
    assert haul.runs[-1].output


def test_a_complete_run_whose_status_changes_is_fetched_again(connection, server, phase, tmp_path):
    """An organiser can run a submission again on the server; its number stays the same."""
    run = fetch(connection, COMPETITION, tmp_path).runs[0]
    assert (run.status, run.complete) == ("Finished", True)
    server.submissions[run.id]["status"] = "Failed"
    haul = fetch(connection, COMPETITION, tmp_path)
    assert (haul.fetched, haul.runs[0].status) == (1, "Failed")
    assert fetch(connection, COMPETITION, tmp_path).fetched == 0


def test_files_lost_on_the_server_are_listed_and_stay_in_the_folder(connection, server, phase, tmp_path):
    first, _, failed = fetch(connection, COMPETITION, tmp_path).runs
    server.delete_upload(failed.id)
    del server.submissions[first.id]
    new = server.enter(phase, "dora", upload())
    server.delete_upload(new)
    haul = fetch(connection, COMPETITION, tmp_path)
    assert {(run.id, run.note) for run in haul.lacking} == {
        (first.id, VANISHED),
        (failed.id, DELETED),
        (new, DELETED),
    }
    assert all((tmp_path / run.submission).is_file() for run in (first, failed))
    assert haul.runs[-1].submission == ""


def test_a_lost_upload_is_listed_each_time_and_is_an_error_the_first_time(
    server, phase, tmp_path, monkeypatch, capsys
):
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)

    def call():
        capsys.readouterr()
        status = build_bundle.main(["fetch", "7", str(tmp_path), "--server", server.address])
        printed = capsys.readouterr()
        return status, printed.out.splitlines(), printed.err.splitlines()[-1].partition(";")[0]

    def lose(run):
        del server.files[server.datasets[server.submissions[run]["data"]]["path"]]

    first, second, third = server.submissions
    lose(first)
    status, (line,), counted = call()
    assert (status, counted) == (1, "3 runs, 3 fetched now")
    assert line.startswith(f"  Evaluation  anna  {first}  submissions/anna/")
    assert read_index(tmp_path)[0].note in line
    assert call() == (0, [line], "3 runs, 0 fetched now")
    (tmp_path / read_index(tmp_path)[1].submission).unlink()
    lose(second)
    status, lines, counted = call()
    assert (status, len(lines), counted) == (1, 2, "3 runs, 1 fetched now")
    assert call() == (0, lines, "3 runs, 0 fetched now")
    server.submissions[third].update(status="Running", step=99)
    for _ in range(2):
        status, (*_, last), counted = call()
        assert (status, last) == (1, f"  Evaluation  bob  {third}  still Running")
    server.submissions[third].update(status="Failed")
    assert call() == (0, lines, "3 runs, 1 fetched now")


def test_a_run_of_an_upload_that_is_here_has_no_second_copy(connection, server, phase, tmp_path):
    first = fetch(connection, COMPETITION, tmp_path).runs[0]
    server._submit(phase, "anna", server.submissions[first.id]["data"])
    for _ in range(8):
        server._go_on()
    again = fetch(connection, COMPETITION, tmp_path).runs[-1]
    assert again.id > first.id
    assert again.upload == first.upload
    assert again.submission == first.submission
    assert again.output != first.output
    assert len(read_submissions(tmp_path / "submissions")) == 3


def damaged_lzma():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x", "x" * 99)
    data = bytearray(buffer.getvalue())
    data[35] = 255  # the properties of the compression
    return bytes(data)


@pytest.mark.parametrize("content", [b"PK no zip", damaged_lzma()], ids=["no zip", "damaged LZMA"])
def test_a_broken_upload_is_kept_as_it_is(connection, server, phase, tmp_path, content):
    run = server.enter(phase, "eve", content)
    haul = fetch(connection, COMPETITION, tmp_path)
    assert (tmp_path / haul.runs[-1].submission).read_bytes() == content
    assert [(left.id, UNREADABLE in left.note) for left in haul.lacking] == [(run, True)]


def test_an_empty_upload_is_listed_and_is_not_waited_for(connection, server, phase, tmp_path):
    run = server.enter(phase, "carol", b"")
    fetch(connection, COMPETITION, tmp_path / "live")
    haul = fetch(connection, COMPETITION, tmp_path / "live")
    (empty,) = haul.lacking
    assert (empty.id, empty.status, empty.submission, empty.note) == (run, "Failed", "", EMPTY)
    assert (haul.unfinished, haul.fetched) == ([], 0)


def test_names_are_safe(connection, server, phase, tmp_path):
    names = ["../../etc", "..", "a/b", "a\\b", "", ".hidden", "con", "x" * 300, "line\nbreak", "naïve team"]
    for name in names:
        server.enter(phase, name, upload())
    runs = fetch(connection, COMPETITION, tmp_path / "live").runs
    assert [run.owner for run in runs] == ["anna", "anna", "bob", *names]
    places = {(tmp_path / "live" / run.submission).resolve().parent for run in runs}
    assert {place.parent for place in places} == {(tmp_path / "live/submissions").resolve()}
    assert len(places) == 2 + len(names)
    assert [path.name for path in tmp_path.iterdir()] == ["live"]
    assert read_index(tmp_path / "live") == list(runs)
    assert len(read_submissions(tmp_path / "live/submissions")) == 3 + len(names)


def test_owners_that_differ_only_in_case_have_different_folders(connection, server, phase, tmp_path):
    """On a file system that ignores case, two owners would share a folder; the first one keeps the plain name."""
    server.enter(phase, "Anna", upload())
    folders = {
        run.owner: run.submission.split("/")[1] for run in fetch(connection, COMPETITION, tmp_path).runs
    }
    assert folders == {"anna": "anna", "bob": "bob", "Anna": "Anna-bf4fcc"}
    server.enter(phase, "ANNA", upload())
    server.enter(phase, "Anna", upload())
    *_, upper, again = fetch(connection, COMPETITION, tmp_path).runs
    assert upper.submission.startswith("submissions/ANNA-")
    assert again.submission.startswith("submissions/Anna-bf4fcc/")


def test_no_owner_takes_the_folder_of_another(connection, server, phase, tmp_path):
    """The third owner is named as the folder that the second one would get."""
    digest = hashlib.sha256(b"Bob").hexdigest()[:6]
    owners = [f"BOB-{digest}", "Bob", "BOB", "bob", "straße", "STRASSE", "e\u0301", "\u00c9"]
    for owner in owners:
        server.enter(phase, owner, upload())
    places = {}
    for _ in range(2):  # the folders stay the same
        for run in fetch(connection, COMPETITION, tmp_path).runs:
            place = run.submission.split("/")[1]
            assert places.setdefault(run.owner, place) == place
        server.enter(phase, "bOB", upload())
    assert len({folded(place) for place in places.values()}) == len(places)
    assert places["bob"] == "bob"
    names = [
        "a",
        "A",
        "a-" + hashlib.sha256(b"A").hexdigest()[:6],
        "A-" + hashlib.sha256(b"a").hexdigest()[:6],
    ]
    for order in itertools.permutations(names):
        assert len({folded(folder) for folder in folders_of(order).values()}) == len(names)


def test_an_upload_that_another_owner_submits_is_a_file_of_both(connection, server, phase, tmp_path):
    first = fetch(connection, COMPETITION, tmp_path).runs[0]
    server._submit(phase, "mallory", server.submissions[first.id]["data"])
    run = fetch(connection, COMPETITION, tmp_path).runs[-1]
    assert run.submission.startswith("submissions/mallory/")
    assert run.sha256 == first.sha256


def test_no_cell_of_the_index_is_a_formula(connection, server, phase, tmp_path):
    owners = ["=1+1", "'=1", "''@x", "-a;=b", "\uff0bx", " =x", "'quoted'", "a;'b;'+c"]
    for owner in owners:
        server.enter(phase, owner, upload())
    runs = fetch(connection, COMPETITION, tmp_path).runs
    assert [run.owner for run in runs[3:]] == owners
    assert read_index(tmp_path) == list(runs)
    for row in csv.reader((tmp_path / "index.csv").read_text(encoding="utf-8").splitlines()):
        for cell in row:
            assert not any(begins_formula(part) for part in cell.split(";")), cell


def test_different_names_stay_different():
    names = ["a/b", "a_b", "a\\b", "a:b", "a_b ", " a_b", ".a", "_a", "x" * 100, "x" * 101]
    assert len({safe_name(name) for name in names}) == len(names)
    assert safe_name("Team-1_b@x") == "Team-1_b@x"


def test_pages_of_50_are_read(connection, server, phase, tmp_path):
    server.page_size = 50
    for _ in range(60):
        server._submit(phase, "carol", server._dataset("submission", "answer.zip", 0))
    server.stuck = True
    assert [run.id for run in api.list_runs(connection, phase)] == sorted(server.submissions)
    assert len(server.called("API GET /api/submissions/?")) == 2


# Bad days


@pytest.mark.parametrize(
    ("begins", "kinds", "waits"),
    [
        ("API GET /api/submissions/", ("drop", "cut", "lie", "html", 500, 503), [1, 2, 4, 8, 16, 32]),
        ("STORE GET", ("drop", "cut", 500, 502), [1, 2, 4, 8]),
        ("STORE GET", ("lie",), []),  # a truncated zip is fetched once more
        ("STORE GET", ("damage",), []),
    ],
)
def test_temporary_failures_are_retried(connection, server, phase, pauses, tmp_path, begins, kinds, waits):
    server.mishaps = [Mishap(begins, kind) for kind in kinds]
    haul = fetch(connection, COMPETITION, tmp_path, jobs=1)
    assert haul.lacking == haul.unfinished == []
    for run in haul.runs:
        uploaded = server.datasets[server.submissions[run.id]["data"]]["path"]
        assert (tmp_path / run.submission).read_bytes() == server.files[uploaded]
        if run.output:
            assert (tmp_path / run.output).read_bytes() == server.files[f"/bundles/scoring/{run.id}"]
    assert not any(mishap.times for mishap in server.mishaps)
    assert pauses == waits
    assert not list(tmp_path.rglob("*.part"))


def test_the_pause_that_a_server_asks_for_is_kept(connection, server, phase, pauses, tmp_path):
    date = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=90), usegmt=True)
    server.mishaps = [
        Mishap("API GET /api/competitions/", 429, headers={"Retry-After": "33"}),
        Mishap("API GET /api/competitions/", 503, headers={"Retry-After": date}),
    ]
    fetch(connection, COMPETITION, tmp_path)
    assert pauses[0] == 33
    assert 80 < pauses[1] <= 90
    server.mishaps = [Mishap("API GET /api/competitions/", 429, headers={"Retry-After": "7200"})]
    with pytest.raises(Unreachable, match="a pause of 120 minutes"):
        fetch(connection, COMPETITION, tmp_path)


def test_an_unreachable_server_ends_the_fetch_and_the_next_one_continues(
    connection, server, phase, pauses, tmp_path
):
    server.mishaps = [Mishap("STORE GET", "drop", times=100, after=6)]
    with pytest.raises(Unreachable, match="connection lost"):
        fetch(connection, COMPETITION, tmp_path, jobs=1)
    assert pauses == [*PAUSES]
    assert [run.complete for run in read_index(tmp_path)] == [True, False, False]
    server.mishaps.clear()
    haul = fetch(connection, COMPETITION, tmp_path)
    assert haul.fetched == 2
    assert haul.lacking == haul.unfinished == []


def test_a_fetch_that_is_killed_loses_no_run(connection, server, phase, tmp_path):
    """The process gets no chance to write anything."""
    for _ in range(4):
        server.enter(phase, "carol", upload(5))
    server.mishaps = [Mishap("STORE GET", "drop", times=100, after=12)]
    token = tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    words = ["fetch", "7", str(tmp_path / "live"), "--jobs", "1", "--server", server.address]
    command = [sys.executable, "build_bundle.py", *words, "--token-file", str(token)]
    with subprocess.Popen(command, cwd=ROOT, stderr=subprocess.PIPE, text=True) as process:
        assert "retrying" in process.stderr.readline()
        process.kill()
    before = {run.id: run for run in read_index(tmp_path / "live")}
    complete = [run for run, row in before.items() if row.complete]
    assert len(before) == 7
    assert 2 <= len(complete) <= 4
    with (tmp_path / "live" / JOURNAL).open("a") as journal:
        journal.write('["8", "Evaluat')  # a line that was not written to its end
    (tmp_path / "live/submissions/carol").mkdir(exist_ok=True)
    (tmp_path / "live/submissions/carol/2027-03-02T090005_5.zip.part").write_bytes(b"PK")
    server.mishaps.clear()
    server.requests.clear()
    haul = fetch(connection, COMPETITION, tmp_path / "live")
    assert haul.fetched == 7 - len(complete)
    assert not any(server.called(f"API GET /api/submissions/{run}/") for run in complete)
    assert haul.lacking == haul.unfinished == []
    assert len(read_submissions(tmp_path / "live/submissions")) == 7
    assert not (tmp_path / "live" / JOURNAL).exists()
    assert read_index(tmp_path / "live") == list(haul.runs)


def test_a_request_that_was_never_sent_is_retried_even_if_not_repeatable(pauses):
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(Unreachable, match=r"POST 127.*: no connection$"):
        Connection(address, TOKEN, sleep=pauses.append).call("POST", "/", {}, repeatable=False)
    assert pauses == [*PAUSES]


def test_a_new_link_is_requested_after_one_has_expired(connection, server, phase, tmp_path):
    server.expired = {server.signature + 1, server.signature + 3}
    haul = fetch(connection, COMPETITION, tmp_path, jobs=1)
    assert haul.lacking == []
    server.mishaps = [Mishap("STORE GET /bundles/dataset", 403, times=100)]
    run = server.enter(phase, "carol", upload(5))
    haul = fetch(connection, COMPETITION, tmp_path)
    assert [left.id for left in haul.lacking] == [run]
    assert "127.0.0.1 does not provide the file (HTTP 403)" in haul.lacking[0].note
    assert not haul.runs[-1].complete


def test_a_run_with_a_server_error_is_listed_and_the_others_are_fetched(connection, server, phase, tmp_path):
    number = next(iter(server.submissions))
    server.mishaps = [Mishap(f"API GET /api/submissions/{number}/", 500, times=100)]
    haul = fetch(connection, COMPETITION, tmp_path)
    assert [run.id for run in haul.lacking] == [number]
    assert len(list(tmp_path.glob("submissions/*/*.zip"))) == 2


def test_pages_that_change_while_they_are_read(connection, server, phase):
    for _ in range(4):
        server.enter(phase, "carol", upload(5))
    server.page_size, server.stuck = 3, True
    whole = [run.id for run in api.list_runs(connection, phase)]
    assert whole == sorted(server.submissions)
    changes = [
        lambda: server.submissions.pop(whole[-1]),  # an item of the second page moves to the first
        lambda: None,
        lambda: server._submit(phase, "dora", None),  # and back to the second
    ]
    server.on_page = lambda: changes.pop(0)() if changes else None
    assert [run.id for run in api.list_runs(connection, phase)] == sorted(server.submissions)
    server.on_page = lambda: server._submit(phase, "dora", None)
    with pytest.raises(OrganiserError, match="changed during each of 5 attempts to read it"):
        api.list_runs(connection, phase)


def test_only_an_organiser_can_fetch(connection, server, phase, tmp_path):
    del server.competitions[COMPETITION]["secret_key"]
    with pytest.raises(OrganiserError, match="does not belong to one of its organisers"):
        fetch(connection, COMPETITION, tmp_path)
    with pytest.raises(Refused, match="404"):
        fetch(connection, 8, tmp_path)
    with pytest.raises(Refused, match="does not accept this token"):
        fetch(Connection(server.address, "f" * 40), COMPETITION, tmp_path)


LISTED = {
    **{"id": 1, "owner": "anna", "created_when": "2027-03-02T09:00:00Z", "status": "Finished"},
    **{"scores": [], "parent": None, "is_specific_task_re_run": False, "on_leaderboard": False},
    **{"is_soft_deleted": False, "filename": "a.zip"},
}


@pytest.mark.parametrize(
    "change",
    [
        {"id": True},
        {"id": -1},
        {"id": 10**40},
        {"id": "1"},
        {"owner": None},
        {"owner": {"name": "anna"}},
        {"created_when": 5},
        {"created_when": "0001-01-01T00:00:00+14:00"},
        {"status": ["Finished"]},
        {"scores": 7},
        {"scores": [{"column_key": "accuracy", "score": "NaN"}]},
        {"scores": [{"column_key": "accuracy", "score": 1e300}]},
        {"scores": [{"column_key": "accuracy", "score": "1e999999"}]},
    ],
)
def test_a_malformed_answer_is_refused(connection, server, phase, tmp_path, change):
    server.mishaps = [
        Mishap("API GET /api/submissions/?", 200, body=json.dumps([LISTED]).encode()),
        Mishap("API GET /api/submissions/?", 200, body=json.dumps([LISTED | change]).encode()),
    ]
    assert [run.owner for run in api.list_runs(connection, phase)] == ["anna"]
    with pytest.raises(OrganiserError, match="has no valid list of submissions") as refusal:
        fetch(connection, COMPETITION, tmp_path)
    assert len(str(refusal.value)) < 300


def test_a_run_with_a_copy_for_each_queue_is_one_run_with_the_files_of_a_copy(
    connection, server, phase, tmp_path
):
    server.queues = {"carol": 2}
    number = server.enter(phase, "carol", upload(1))
    *_, run = fetch(connection, COMPETITION, tmp_path).runs
    assert (run.id, run.status, run.on_board, run.complete, run.note) == (number, "Finished", True, True, "")
    assert (tmp_path / run.submission).read_bytes() == upload(1)
    with zipfile.ZipFile(tmp_path / run.output) as output:
        assert json.loads(output.read("scores.json"))["accuracy"] == 39 / 40
    *_, live = api.list_runs(connection, phase)
    assert live.copies == (number + 1, number + 2)
    assert live.scores["accuracy"] == Decimal("0.975")
    server.submissions[number + 1].update(status="Failed", scores={}, leaderboard=False)
    *_, live = api.list_runs(connection, phase)
    assert (live.status, live.files, live.on_board) == ("Finished", number + 2, True)
    for copy in live.copies:
        server.submissions[copy].update(status="Failed", scores={}, leaderboard=False)
    *_, failed = api.list_runs(connection, phase)
    assert (failed.status, failed.on_board) == ("Failed", False)


def test_a_run_that_waits_for_a_persons_approval_is_fetched_when_it_has_ended(
    connection, server, phase, tmp_path
):
    number = server.enter(phase, "carol", upload(1))
    run = dict(server.submissions[number])
    server.submissions[number].update(status="Awaiting validation", scores={}, outputs={}, leaderboard=False)
    haul = fetch(connection, COMPETITION, tmp_path)
    assert [(run.id, run.status, run.output) for run in haul.unfinished] == [
        (number, "Awaiting validation", "")
    ]
    server.submissions[number] = run
    haul = fetch(connection, COMPETITION, tmp_path)
    assert (haul.unfinished, haul.fetched) == ([], 1)
    assert (tmp_path / haul.runs[-1].output).is_file()


def test_a_lone_surrogate_is_written_as_its_code(connection, server, phase, tmp_path):
    server.enter(phase, "mal\ud800ory", upload())
    server.enter(phase, "mal\udfffory", upload())
    server.enter(phase, "nul\0", upload())
    runs = fetch(connection, COMPETITION, tmp_path).runs
    assert [run.owner for run in runs[3:]] == ["mal\\ud800ory", "mal\\udfffory", "nul\\0"]
    assert read_index(tmp_path) == list(runs)
    assert len(read_submissions(tmp_path / "submissions")) == 6


@pytest.mark.parametrize(
    "address",
    [
        f"https://{'a' * 70}.example/x",
        "https://[::1",
        "https://a..example/x",
        "https://*/x",
        "https://\ud800/x",
        "//x",
        "https://x:99999/",
        ["https://x/"],
        {"a": 1},
        5,
    ],
)
def test_an_odd_address_concerns_only_its_run(connection, server, phase, tmp_path, address):
    run = next(iter(server.submissions))
    details = {"data_file": address, "prediction_result": None, "scoring_result": None}
    body = json.dumps({**details, "detailed_result": None, "logs": []}).encode()
    server.mishaps = [Mishap(f"API GET /api/submissions/{run}/", 200, times=9, body=body)]
    haul = fetch(connection, COMPETITION, tmp_path)
    assert [left.id for left in haul.lacking] == [run]
    assert len(list(tmp_path.glob("submissions/*/*.zip"))) == 2


def test_an_answer_takes_a_limited_amount_of_memory(connection, server, phase, tmp_path):
    """As lists in a list, this answer would take 800 MB."""
    body = b"[" + b"[]," * 12_000_000 + b"[]]"
    server.mishaps = [Mishap("API GET /api/submissions/?", 200, body=body)]
    tracemalloc.start()
    try:
        with pytest.raises(OrganiserError, match="the answer has more than 4000000 values"):
            fetch(connection, COMPETITION, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 5 * len(body)  # the server's copies count too
    finally:
        tracemalloc.stop()


def test_a_list_without_end_is_left(connection, server, phase, monkeypatch):
    following = iter(range(10_000))

    def endless(method, path, query, body):
        return 200, {"count": 9, "next": "more", "results": [LISTED | {"id": next(following) + 1}]}

    monkeypatch.setattr(server, "answer", endless)
    monkeypatch.setattr("speechbundles.server.api.MOST_PAGES", 30)
    with pytest.raises(OrganiserError, match="more than 30 pages"):
        api.list_runs(connection, phase)
    assert len(server.called("API GET")) == 30
    monkeypatch.setattr("speechbundles.server.api.LONGEST_LIST", 0)
    with pytest.raises(OrganiserError, match="takes longer than 0 minutes"):
        api.list_runs(connection, phase)


def test_an_answer_that_arrives_too_slowly_is_left(tmp_path, monkeypatch):
    """One byte at a time: each arrives before the limit for a single byte."""
    monkeypatch.setattr("speechbundles.server.connection.LONGEST_ANSWER", 0.3)

    def drip(listening):
        with listening.accept()[0] as peer:
            peer.recv(10_000)
            peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            with suppress(OSError):
                while True:
                    peer.sendall(b"1")
                    time.sleep(0.01)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        threading.Thread(target=drip, args=[listening], daemon=True).start()
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        with pytest.raises(OrganiserError, match="the answer is not complete after 0 minutes"):
            Connection(address, TOKEN).call("GET", "/")


def test_a_foreign_index_is_refused(connection, phase, tmp_path):
    (tmp_path / "index.csv").write_text("name,place\n")
    with pytest.raises(OrganiserError, match="expected the columns id, phase"):
        fetch(connection, COMPETITION, tmp_path)
    fetch(connection, COMPETITION, tmp_path / "live")
    index = tmp_path / "live/index.csv"
    rows = list(csv.reader(index.read_text().splitlines()))
    rows[1][6] = "submissions/../../secret"
    with index.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    with pytest.raises(OrganiserError, match="expected a file below submissions/"):
        read_index(tmp_path / "live")


# The token


def test_the_token_is_sent_only_to_the_server(connection, server, phase, tmp_path, monkeypatch):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.mishaps = [Mishap("STORE GET", "drop", times=1)]
    fetch(connection, COMPETITION, tmp_path / "live")
    assert {sent for what, _, sent in server.requests if what.startswith("API")} == {f"Token {TOKEN}"}
    assert {sent for what, _, sent in server.requests if what.startswith("STORE")} == {None}
    written = b"".join(path.read_bytes() for path in (tmp_path / "live").rglob("*") if path.is_file())
    assert TOKEN.encode() not in written
    assert b"signature=" not in written
    assert TOKEN not in repr(connection)


def test_no_redirect_carries_the_token_away(connection, server, phase, tmp_path):
    server.mishaps = [
        Mishap("API GET /api/competitions/", 302, headers={"Location": f"{server.storage}/stolen"})
    ]
    with pytest.raises(Refused, match="redirects to 127"):
        fetch(connection, COMPETITION, tmp_path)
    assert server.called("STORE") == []


@pytest.mark.parametrize("address", ["https://[", "//[::1", "http://x:port", "https://[v1.x]/"])
def test_a_redirect_to_no_valid_address_is_refused(connection, server, phase, tmp_path, address):
    """Neither the server's nor the storage's redirect is followed."""
    target = tmp_path / "file"
    requests = {
        "API GET /api/": lambda: connection.call("GET", "/api/competitions/"),
        "API GET /datasets/": lambda: connection.download(lambda: connection.location("/datasets/x/"), target),
        "STORE GET": lambda: connection.download(lambda: f"{server.storage}/x", target),
        "STORE PUT": lambda: connection.upload(f"{server.storage}/x", b"a"),
    }  # fmt: skip
    server.mishaps = [Mishap(begins, 302, times=100, headers={"Location": address}) for begins in requests]
    for request in requests.values():
        with pytest.raises(OrganiserError):
            request()
    assert not target.exists()


def test_a_message_never_has_the_token_or_a_signature(connection, server, phase, tmp_path):
    server.mishaps = [Mishap("API GET /api/competitions/", 400, body=f'{{"detail": "{TOKEN}"}}'.encode())]
    with pytest.raises(Refused) as refusal:
        fetch(connection, COMPETITION, tmp_path)
    assert TOKEN not in str(refusal.value)
    assert "(the token)" in str(refusal.value)
    logged = []
    server.mishaps = [Mishap("STORE GET", "drop", times=100)]
    with pytest.raises(Unreachable) as lost:
        fetch(Connection(server.address, TOKEN, lambda seconds: None, logged.append), COMPETITION, tmp_path)
    assert logged
    assert not any("signature" in text for text in [*logged, str(lost.value)])


def test_files_must_have_encrypted_addresses(connection, tmp_path):
    away = Connection("https://codabench.example", TOKEN)
    for address, reason in (
        ("http://storage.example/x", "not encrypted"),
        ("http://localhost/x", "not encrypted"),
        ("https://localhost:9000/x", "an address on this machine"),
        ("ftp://storage.example/x", "begins with https://"),
        ("https://me:secret@storage.example/x", "begins with https://"),
        ("https://storage.example:port/x", "not a valid address"),
    ):
        with pytest.raises(OrganiserError, match=reason) as refusal:
            away.download(lambda address=address: address, tmp_path / "file")
        assert "secret" not in str(refusal.value)


def test_a_servers_address():
    assert read_server("https://www.codabench.org/") == "https://www.codabench.org"
    assert read_server("http://localhost:8000") == "http://localhost:8000"
    for address in (
        "http://www.codabench.org",
        "www.codabench.org",
        "https://x.org/competitions/7/",
        "https://",
    ):
        with pytest.raises(OrganiserError):
            read_server(address)


@pytest.mark.skipif(not (shutil.which("bash") and shutil.which("curl")), reason="needs bash and curl")
def test_the_guides_recipe_gets_a_token(server, tmp_path):
    guide = (ROOT / "docs/how-to/live-season.md").read_text(encoding="utf-8")
    recipe = re.search(r"^\(umask 077;.*?\)\n(?=```)", guide, re.MULTILINE | re.DOTALL)[0]
    recipe = recipe.replace("https://www.codabench.org", server.address)
    file = tmp_path / ".codabench-token"
    for password in ("wrong", PASSWORD):
        subprocess.run(
            ["bash", "-c", recipe],
            input=f"{ORGANISER}\n{password}\n".encode(),
            env={"HOME": str(tmp_path), "PATH": os.environ["PATH"]},
            check=True,
        )
        assert file.stat().st_mode & 0o777 == 0o600
        if password == "wrong":
            with pytest.raises(OrganiserError, match="not a token"):
                read_token(file)
    assert read_token(file) == TOKEN


def test_the_token_comes_from_a_file_or_the_environment(tmp_path, monkeypatch):
    monkeypatch.delenv(TOKEN_VARIABLE, raising=False)
    with pytest.raises(OrganiserError, match="no token"):
        read_token(None)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    assert read_token(None) == TOKEN
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n")
    file.chmod(0o600)
    assert read_token(file) == TOKEN
    file.write_text("two words")
    with pytest.raises(OrganiserError, match="this is not a token"):
        read_token(file)
    with pytest.raises(OrganiserError, match="No such file"):
        read_token(tmp_path / "none")


@pytest.mark.skipif(os.name != "posix", reason="modes are POSIX's")
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_that_other_users_can_read_is_refused(tmp_path, mode):
    file = tmp_path / "token"
    file.write_text(TOKEN)
    file.chmod(mode)
    assert stat.S_IMODE(file.stat().st_mode) == mode
    with pytest.raises(OrganiserError, match="chmod 600"):
        read_token(file)


def test_an_incomplete_file_does_not_get_its_name(connection, server, phase, tmp_path):
    links = api.read_links(connection, next(iter(server.submissions)))
    target = tmp_path / "file.zip"
    for kind, error in (("cut", Unreachable), (403, Gone)):
        server.mishaps = [Mishap("STORE GET", kind, times=100)]
        with pytest.raises(error):
            connection.download(lambda: links.upload, target)
        assert list(tmp_path.glob("file*")) == []


# Signing in


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_an_account_signs_in_once_for_files_that_a_token_does_not_open(server, connection, tmp_path):
    keys = [server._dataset("input_data", "a.zip", 0) for _ in range(3)]
    for key in keys:
        assert "signature=" in connection.location(f"/datasets/download/{key}/")
    assert len(server.called("API POST /accounts/login/")) == 1
    with pytest.raises(Refused, match=r"to a token; newer .* an account that signs in: add --login-file"):
        Connection(server.address, TOKEN).location(f"/datasets/download/{keys[0]}/")
    wrong = Connection(server.address, TOKEN, account=Account(ORGANISER, "wr0ng"))
    with pytest.raises(OrganiserError, match="does not accept this name and password") as error:
        wrong.location(f"/datasets/download/{keys[0]}/")
    assert not isinstance(error.value, Refused)  # no command continues, and tries the password again
    assert "wr0ng" not in f"{error.value} {wrong!r}"


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_an_account_signs_in_again_when_its_session_has_expired(server, connection):
    path = f"/datasets/download/{server._dataset('input_data', 'a.zip', 0)}/"
    connection.location(path)
    server.mishaps = [Mishap("API GET /datasets/", 404)]
    assert "signature=" in connection.location(path)
    assert len(server.called("API POST /accounts/login/")) == 2


@pytest.mark.parametrize("server", ["today"], indirect=True)
def test_a_cookie_that_is_set_for_two_paths(server, connection):
    path = f"/datasets/download/{server._dataset('input_data', 'a.zip', 0)}/"
    cookies = {"Set-Cookie": f"csrftoken={CSRF}; Path=/", "set-cookie": "csrftoken=other; Path=/accounts/"}
    server.mishaps = [Mishap("API GET /accounts/login/", 200, headers=cookies)]
    assert "signature=" in connection.location(path)


@pytest.mark.parametrize("server", ["today"], indirect=True)
@pytest.mark.parametrize("moment", [0, 1])
def test_the_password_follows_no_redirect(server, connection, moment):
    """`moment`: of the two requests to the sign-in form, the one that is redirected."""
    with CodabenchServer(score) as elsewhere:
        headers = {"Location": f"{elsewhere.address}/accounts/login/"}
        server.mishaps = [Mishap("API", 302, after=1 + moment, headers=headers)]
        key = server._dataset("input_data", "a.zip", 0)
        with pytest.raises(OrganiserError):
            connection.location(f"/datasets/download/{key}/")
        assert elsewhere.requests == []


def test_files_with_an_account(tmp_path):
    file = tmp_path / "login"
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "utf-8")
    file.chmod(0o644)
    with pytest.raises(OrganiserError, match="other users can read this password"):
        read_account(file)
    file.chmod(0o600)
    assert read_account(file) == Account(ORGANISER, PASSWORD)
    file.write_text(f"{ORGANISER}\r\n{PASSWORD}\r\n", "utf-8-sig")  # as editors on Windows save it
    assert read_account(file) == Account(ORGANISER, PASSWORD)
    file.write_text(f"{ORGANISER}\n{PASSWORD} \n", "utf-8")  # a password may end in a space
    assert read_account(file) == Account(ORGANISER, f"{PASSWORD} ")
    for content in ("", "name\n", "name\nword\nmore\n", " \nword\n"):
        file.write_text(content)
        with pytest.raises(OrganiserError, match="expected two lines"):
            read_account(file)
    file.write_text(f"{ORGANISER}\n{PASSWORD}\n", "latin-1")
    with pytest.raises(OrganiserError, match="not UTF-8"):
        read_account(file)
