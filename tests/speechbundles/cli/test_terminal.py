"""`--json` of every command that a script may call: one JSON document on standard output, also on refusal."""

from __future__ import annotations

import json
from importlib import import_module

import pytest

import build_bundle
from speechbundles.cli.program import COMMANDS
from speechbundles.model.environment import TOKEN_VARIABLE
from spokeneval.challenges import find_task
from spokeneval.scoring.reference import parse_reference
from tests.samples.cases import CASES
from tests.samples.codabench_server import TOKEN
from tests.samples.live_bundle import live_bundle, upload
from tests.samples.programs import encoded, run_score
from tests.samples.tables import table

TASK = "psst_correctness"


@pytest.fixture
def place(tmp_path, server, monkeypatch):
    """A folder with a bundle, submissions and outputs of a scoring program; the bundle is on a server, too."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    bundle = live_bundle(tmp_path / "bundle.zip")
    live_bundle(tmp_path / "corrected.zip", wrong=1)
    (tmp_path / "sent" / "anna").mkdir(parents=True)
    (tmp_path / "sent" / "anna" / "2027-03-01T0915.zip").write_bytes(upload(0))
    server.offer(bundle.read_bytes())
    server.enter(701, "anna", upload(0))
    case = CASES[TASK]
    known = parse_reference(find_task(TASK), encoded(case.reference)).fingerprint
    for name in ("first", "second"):
        run_score(TASK, tmp_path / name, case.reference, case.submission, {"public_references": [known]})
    return tmp_path


def run(capsys, arguments: str, server=None) -> tuple[int, object]:
    """Run a command; return its status and the one JSON document that it printed."""
    words = [*arguments.split(), *(["--server", server.address] if server else []), "--json"]
    status = build_bundle.main(words)
    printed, _ = capsys.readouterr()
    assert printed.isascii()
    return status, json.loads(printed)


SUCCEEDS = {
    "check": ("bundle.zip", lambda said: said["bundles"][0]["path"] == "bundle.zip"),
    "rehearse": ("bundle.zip sent/anna/2027-03-01T0915.zip", lambda said: said["status"] == "Finished"),
    "score": ("bundle.zip sent", lambda said: said["submissions"][0]["scores"]["accuracy"] == "0.9750000000"),
    "rank": ("first/output second/output", lambda said: [row["rank"] for row in said["systems"]] == [1, 1]),
    "season": ("bundle.zip sent", lambda said: said["attempts"][0]["name"] == "anna"),
}
ON_A_SERVER = {
    "fetch": ("7 live", lambda said: (said["runs"], said["fetched"], said["incomplete"]) == (1, 1, [])),
    "watch": ("bundle.zip 7", lambda said: said["differences"] == []),
    "publish": ("bundle.zip --competition 7", lambda said: len(said["steps"]) > 1),
    "amend": ("corrected.zip 7", lambda said: said["plan"] and not said["empty"] and not said["steps"]),
}


@pytest.mark.parametrize("command", [*SUCCEEDS, *ON_A_SERVER])
def test_a_result_is_one_json_document(place, server, monkeypatch, capsys, command):
    if command == "publish":
        monkeypatch.setattr("speechbundles.server.compared.check_bundle", lambda path: [])
    arguments, holds = (SUCCEEDS | ON_A_SERVER)[command]
    status, found = run(capsys, f"{command} {arguments}", server if command in ON_A_SERVER else None)
    closed = command in ON_A_SERVER and server.today  # the server gives no programs and data to a token
    if closed and command == "amend":
        assert status == 1
        return
    assert status in (0, 1 if command == "check" else 0) if not closed or command == "fetch" else status == 4
    assert holds(found)


@pytest.mark.thorough
def test_a_build_is_one_json_document(tmp_path, capsys):
    status, found = run(capsys, f"build {TASK} --platform codabench --out {tmp_path}")
    (bundle,) = found["bundles"]
    assert (status, bundle["verdict"], bundle["findings"]) == (0, "passed the check", [])
    assert bundle["path"] == str(tmp_path / "codabench" / f"{TASK}.zip")


REFUSED = table("wrong_calls")["json"]


@pytest.mark.parametrize("arguments", REFUSED)
def test_a_refusal_is_one_json_document_and_keeps_its_status(tmp_path, monkeypatch, capsys, arguments):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    plain = build_bundle.main(arguments.split())
    said = capsys.readouterr()
    assert (plain, said.out) == (REFUSED[arguments], "")
    status, found = run(capsys, arguments)
    assert (status, list(found)) == (plain, ["error"])
    assert found["error"].split()[0] in said.err


def test_every_command_with_json_was_refused_once():
    commands = {name: import_module(f"speechbundles.cli.{name}").command for name in COMMANDS}
    with_json = {name for name, each in commands.items() if any(one.name == "as_json" for one in each.params)}
    assert {arguments.split()[0] for arguments in REFUSED} == with_json
