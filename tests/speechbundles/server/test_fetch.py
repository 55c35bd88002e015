"""Fetch a competition's submissions from an unreliable server (`tests.samples.codabench_server`)."""

import csv
import hashlib
import io
import json
import subprocess
import sys
import time
import zipfile

import pytest

from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.uploads import read_uploads
from speechbundles.model.disk import locked
from speechbundles.model.errors import OrganiserError, Refused, Unreachable
from speechbundles.model.fetched import JOURNAL, LOCK, read_index
from speechbundles.platforms.codabench.client.connection import PAUSES, Connection
from speechbundles.server.fetch import (
    DELETED,
    EMPTY,
    NO_OUTPUT,
    UNREADABLE,
    VANISHED,
    fetch_competition,
)
from spokeneval.formats.tables import begins_formula
from tests.samples.codabench_server import TOKEN, Mishap
from tests.samples.live_bundle import COMPETITION, upload
from tests.samples.programs import ROOT


@pytest.fixture
def fetched(connection, phase, tmp_path):
    """Return a function that fetches the competition into `tmp_path`."""
    return lambda **options: fetch_competition(connection, COMPETITION, tmp_path, **options)


# What is fetched


def test_season_and_rank_can_read_the_folder(fetched, tmp_path):
    runs = fetched().runs
    assert [(run.owner, run.status, run.on_board, run.complete, run.note) for run in runs] == [
        ("anna", "Finished", False, True, ""),
        ("anna", "Finished", True, True, ""),
        ("bob", "Failed", False, True, ""),
    ]
    first, best, failed = runs
    read = [(found.team, found.time, found.sha256) for found in read_uploads(tmp_path / "submissions")]
    assert read == [(run.owner, run.time.replace(microsecond=0), run.sha256) for run in runs]
    assert (tmp_path / failed.submission).read_bytes() == upload(items=[("item000", "correct")])
    outputs = read_outputs(sorted((tmp_path / "outputs/Evaluation").iterdir()))
    accuracies = {f"anna_{first.id}": 38 / 40, f"anna_{best.id}": 39 / 40}
    assert {output.name: output.scores["accuracy"] for output in outputs} == accuracies
    logs = tmp_path / f"logs/Evaluation/anna_{best.id}"
    assert {path.name for path in logs.iterdir()} == {"prediction.zip", "scoring_stdout.txt"}
    assert (logs / "scoring_stdout.txt").read_text() == "scored\n"
    assert read_index(tmp_path) == list(runs)


def test_only_new_or_changed_runs_and_damaged_or_lost_files_are_fetched_again(
    fetched, server, phase, tmp_path
):
    runs = fetched().runs
    server.submissions[runs[0].id]["status"] = "Failed"  # as an organiser can run a submission again
    assert ((haul := fetched()).fetched, haul.runs[0].status) == (1, "Failed")
    server.requests.clear()
    server.enter(phase, "carol", upload(5))
    assert fetched().fetched == 1
    assert len([path for path in server.called("API GET /api/submissions/") if "get_details" in path]) == 1
    good = (tmp_path / runs[0].submission).read_bytes()
    (tmp_path / runs[0].submission).write_bytes(good[:-1])
    (tmp_path / runs[1].output).unlink()
    assert fetched().fetched == 2
    assert (tmp_path / runs[0].submission).read_bytes() == good
    assert (tmp_path / runs[1].output).is_file()


@pytest.mark.parametrize("status", ["Submitted", "Awaiting validation", "Finished"])
def test_an_unfinished_run_is_fetched_again_when_it_has_ended(fetched, server, phase, status):
    """A run is Finished before its output is there; until then the output is an empty file."""
    number = server.enter(phase, "carol", upload(5))
    ended = dict(server.submissions[number])
    server.files["/bundles/empty"] = b""
    outputs = dict.fromkeys(ended["outputs"], "/bundles/empty") if status == "Finished" else {}
    server.submissions[number].update(status=status, scores={}, outputs=outputs, leaderboard=False)
    server.stuck = True
    (left,) = fetched().unfinished
    note = NO_OUTPUT if status == "Finished" else ""
    assert (left.id, left.status, left.output, left.note) == (number, status, "", note)
    server.submissions[number] = ended
    haul = fetched()
    assert (haul.unfinished, haul.fetched, bool(haul.runs[-1].output)) == ([], 1, True)


def test_answers_to_the_fact_sheet_are_in_the_index(fetched, server, tmp_path):
    """Codabench lists them with each run, as `fact_sheet_answers`; owners may change them later."""
    first, second, third = fetched().runs
    assert {run.fact_sheet for run in (first, second, third)} == {""}
    index = tmp_path / "index.csv"
    lines = index.read_text(encoding="utf-8").splitlines()
    older = [line.removesuffix(",fact_sheet").removesuffix(",") for line in lines]
    index.write_text("\n".join(older) + "\n", encoding="utf-8")
    assert read_index(tmp_path) == [first, second, third]
    answers = {"data": '=1;@2\n"ä\ud800', "hours": "150", "own": True, "more": None}
    server.submissions[second.id]["fact_sheet_answers"] = answers
    server.submissions[third.id]["fact_sheet_answers"] = {"data": "x" * 300_000}
    haul = fetched()
    assert haul.fetched == 0
    given = json.loads(haul.runs[1].fact_sheet)
    assert given == {"data": '=1;@2\n"ä\\ud800', "hours": "150", "own": "True", "more": ""}
    assert len(json.loads(haul.runs[2].fact_sheet)["data"]) == 2000
    assert tuple(read_index(tmp_path)) == haul.runs


def test_files_lost_on_the_server_are_listed_and_stay_in_the_folder(fetched, server, phase, tmp_path):
    first, _, failed = fetched().runs
    server.delete_upload(failed.id)
    del server.submissions[first.id]
    new = server.enter(phase, "dora", upload())
    server.delete_upload(new)
    haul = fetched()
    lost = {(first.id, VANISHED), (failed.id, DELETED), (new, DELETED)}
    assert {(run.id, run.note) for run in haul.lacking} == lost
    assert all((tmp_path / run.submission).is_file() for run in (first, failed))
    assert haul.runs[-1].submission == ""


def test_an_upload_has_one_copy_for_each_owner(fetched, server, phase, tmp_path):
    first = fetched().runs[0]
    data = server.submissions[first.id]["data"]
    for owner in ("anna", "mallory"):
        server._submit(phase, owner, data)
    for _ in range(8):
        server._go_on()
    again, other = fetched().runs[-2:]
    assert (again.upload, again.submission) == (first.upload, first.submission)
    assert again.output not in ("", first.output)
    assert other.submission.startswith("submissions/mallory/")
    assert other.sha256 == first.sha256
    assert len(read_uploads(tmp_path / "submissions")) == 4


def damaged_lzma():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr("x", "x" * 99)
    data = bytearray(buffer.getvalue())
    data[35] = 255  # the properties of the compression
    return bytes(data)


@pytest.mark.parametrize(
    ("content", "note"),
    [(b"PK no zip", UNREADABLE), (damaged_lzma(), UNREADABLE), (b"", EMPTY)],
    ids=["no zip", "damaged LZMA", "empty"],
)
def test_an_upload_that_is_no_zip_is_kept_as_it_is_and_listed(
    fetched, server, phase, tmp_path, content, note
):
    run = server.enter(phase, "eve", content)
    fetched()
    haul = fetched()
    (odd,) = haul.lacking
    assert (odd.id, odd.status, note in odd.note) == (run, "Failed", True)
    assert (haul.unfinished, haul.fetched) == ([], 0)
    assert (odd.submission and (tmp_path / odd.submission).read_bytes()) == (content or "")


def test_names_of_owners_are_safe_in_paths_and_in_the_index(connection, server, phase, tmp_path):
    names = ["../../etc", "..", "a/b", "a\\b", "", ".hidden", "con", "x" * 300, "a\xa0b\u200c"]
    names += ["naïve team", "Bob", "=1+1", "'=1", "''@x", "-a;=b", "\uff0bx", " =x", "'quoted'", "a;'b;'+c"]
    odd = ["mal\ud800ory", "mal\udfffory", "nul\0", "carriage\rreturn", "line\u2028break", "x" * 140_000]
    for name in (*names, *odd):
        server.enter(phase, name, upload())
    live = tmp_path / "live"
    runs = fetch_competition(connection, COMPETITION, live).runs
    escaped = [
        "mal\\ud800ory",
        "mal\\udfffory",
        "nul\\x00",
        "carriage\\rreturn",
        "line\\u2028break",
        "x" * 300,
    ]
    digests = [hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12] for name in odd]
    changed = [f"{name}-{digest}" for name, digest in zip(escaped, digests, strict=True)]
    assert [run.owner for run in runs] == ["anna", "anna", "bob", *names, *changed]
    places = {(live / run.submission).resolve().parent for run in runs}
    assert {place.parent for place in places} == {(live / "submissions").resolve()}
    assert len(places) == 2 + len(names) + len(odd)
    assert [path.name for path in tmp_path.iterdir()] == ["live"]
    assert read_index(live) == list(runs)
    assert len(read_uploads(live / "submissions")) == len(runs)
    for row in csv.reader((live / "index.csv").read_text(encoding="utf-8").splitlines()):
        assert not any(begins_formula(part) for cell in row for part in cell.split(";")), row
    folders = {run.owner: run.owner_folder for run in runs}
    server.enter(phase, "BOB", upload())
    again = fetch_competition(connection, COMPETITION, live).runs
    assert {run.owner: run.owner_folder for run in again}.items() >= folders.items()  # they stay the same


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
def test_temporary_failures_are_retried(fetched, server, pauses, tmp_path, begins, kinds, waits):
    server.mishaps = [Mishap(begins, kind) for kind in kinds]
    haul = fetched(jobs=1)
    assert haul.lacking == haul.unfinished == []
    for run in haul.runs:
        uploaded = server.datasets[server.submissions[run.id]["data"]]["path"]
        assert (tmp_path / run.submission).read_bytes() == server.files[uploaded]
        if run.output:
            assert (tmp_path / run.output).read_bytes() == server.files[f"/bundles/scoring/{run.id}"]
    assert not any(mishap.times for mishap in server.mishaps)
    assert pauses == waits
    assert not list(tmp_path.rglob("*.part"))


def test_an_unreachable_server_ends_the_fetch_and_the_next_one_continues(fetched, server, pauses, tmp_path):
    server.mishaps = [Mishap("STORE GET", "drop", times=100, after=6)]
    with pytest.raises(Unreachable, match="connection lost"):
        fetched(jobs=1)
    assert pauses == [*PAUSES]
    assert [run.complete for run in read_index(tmp_path)] == [True, False, False]
    server.mishaps.clear()
    haul = fetched()
    assert haul.fetched == 2
    assert haul.lacking == haul.unfinished == []


def test_a_fetch_that_is_killed_loses_no_run(connection, server, phase, tmp_path):
    """The process gets no chance to write anything."""
    for _ in range(4):
        server.enter(phase, "carol", upload(5))
    server.mishaps = [Mishap("STORE GET", "drop", times=100, after=12)]
    live, token = tmp_path / "live", tmp_path / "token"
    token.write_text(TOKEN)
    token.chmod(0o600)
    words = ["fetch", "7", str(live), "--jobs", "1", "--server", server.address, "--token-file", str(token)]
    with subprocess.Popen(
        [sys.executable, "build_bundle.py", *words], cwd=ROOT, stderr=subprocess.PIPE
    ) as process:
        assert b"retrying" in process.stderr.readline()
        deadline = time.monotonic() + 20  # runs that were fetched are recorded by another thread
        while not (live / JOURNAL).exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.kill()
    with locked(live / LOCK, live, "a test"):  # nobody has it now
        before = {run.id: run for run in read_index(live)}
    complete = [run for run, row in before.items() if row.complete]
    assert len(before) == 7
    assert 1 <= len(complete) <= 4
    with (live / JOURNAL).open("a") as journal:
        journal.write('["8", "Evaluat')  # a line that was not written to its end
    (live / "submissions/carol").mkdir(exist_ok=True)
    (live / "submissions/carol/2027-03-02T090005_5.zip.part").write_bytes(b"PK")
    server.mishaps.clear()
    server.requests.clear()
    haul = fetch_competition(connection, COMPETITION, live)
    assert haul.fetched == 7 - len(complete)
    assert not any(server.called(f"API GET /api/submissions/{run}/") for run in complete)
    assert haul.lacking == haul.unfinished == []
    assert len(read_uploads(live / "submissions")) == 7
    assert not (live / JOURNAL).exists()
    assert read_index(live) == list(haul.runs)


def test_a_new_link_is_requested_after_one_has_expired(fetched, server, phase):
    server.expired = {server.signature + 1, server.signature + 3}
    assert fetched(jobs=1).lacking == []
    server.mishaps = [Mishap("STORE GET /bundles/dataset", 403, times=100)]
    run = server.enter(phase, "carol", upload(5))
    (left,) = fetched().lacking
    assert (left.id, left.complete) == (run, False)
    assert "127.0.0.1 does not provide the file (HTTP 403)" in left.note


ODD_ADDRESSES = [
    *(f"https://{host}/x" for host in ("a" * 70 + ".example", "a..example", "*", "\ud800")),
    *("https://[::1", "//x", "https://x:99999/", ["https://x/"], {"a": 1}, 5),
]


@pytest.mark.parametrize("address", [*ODD_ADDRESSES, None])
def test_an_error_with_one_run_concerns_only_this_run(fetched, server, tmp_path, address):
    run = next(iter(server.submissions))
    details = {"data_file": address, "prediction_result": None, "scoring_result": None}
    body = json.dumps({**details, "detailed_result": None, "logs": []}).encode()
    status = 200 if address else 500
    server.mishaps = [Mishap(f"API GET /api/submissions/{run}/", status, times=100, body=body)]
    assert [left.id for left in fetched().lacking] == [run]
    assert len(list(tmp_path.glob("submissions/*/*.zip"))) == 2


def test_only_an_organiser_can_fetch(fetched, connection, server, tmp_path):
    del server.competitions[COMPETITION]["secret_key"]
    with pytest.raises(OrganiserError, match="does not belong to one of its organisers"):
        fetched()
    with pytest.raises(Refused, match="404"):
        fetch_competition(connection, 8, tmp_path)
    with pytest.raises(Refused, match="does not accept this token"):
        fetch_competition(Connection(server.address, "f" * 40), COMPETITION, tmp_path)


def test_a_foreign_index_is_refused(fetched, tmp_path):
    index = tmp_path / "index.csv"
    index.write_text("name,place\n")
    with pytest.raises(OrganiserError, match="expected the columns id, phase"):
        fetched()
    index.unlink()
    fetched()
    rows = list(csv.reader(index.read_text().splitlines()))
    rows[1][6] = "submissions/../../secret"
    with index.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    with pytest.raises(OrganiserError, match="expected a file below submissions/"):
        read_index(tmp_path)


# Secrets


def test_nothing_that_is_written_has_the_token_or_a_signature(
    fetched, connection, server, tmp_path, monkeypatch
):
    """Not even the password that requests would find in a .netrc is sent."""
    netrc = tmp_path.with_name("netrc")
    netrc.write_text("machine 127.0.0.1 login me password secret\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server.mishaps = [Mishap("STORE GET", "drop")]
    fetched()
    sent = {(what.split()[0], token) for what, _, token in server.requests}
    assert sent == {("API", f"Token {TOKEN}"), ("STORE", None)}
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert not [secret for secret in (TOKEN.encode(), b"signature=") if secret in written]
    assert TOKEN not in repr(connection)
