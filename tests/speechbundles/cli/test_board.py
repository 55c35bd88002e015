"""The command `board`, and what other commands state where labels stay at home."""

import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
from copy import deepcopy
from datetime import datetime
from pathlib import Path

import pytest
import yaml

import build_bundle
from speechbundles.leaderboard.private import PRIVATE
from speechbundles.model import dates
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.fetched import read_index
from speechbundles.model.zips import make_zip, write_tree
from speechbundles.new.workflow import workflow_files
from speechbundles.platforms.codabench.client.account import Account
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.server.watch import watch_competition
from tests.samples.codabench_server import ORGANISER, PASSWORD, TOKEN, CodabenchServer, Mishap
from tests.samples.home_boards import (
    LABELS,
    NAME,
    NOW,
    OTHER,
    ROWS,
    answers,
    begin,
    f1,
    fetched,
    main,
    upload_bundle,
)
from tests.samples.killed import kill, killed_seasons
from tests.samples.own_competition import own_folder
from tests.samples.programs import ROOT, unzipped, write_files


@pytest.fixture
def mine(tmp_path):
    return begin(tmp_path / "mine")


@pytest.fixture
def at_home(request, mine, monkeypatch):
    """A server with the competition: its `number`, and `phase`, to which submissions are made."""
    monkeypatch.setattr(dates, "now", lambda: NOW)
    monkeypatch.setattr("speechbundles.server.wait.PAUSE", 0)
    monkeypatch.setattr("speechbundles.platforms.codabench.client.connection.PAUSES", (0,))
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    today = getattr(request, "param", False)
    with CodabenchServer(lambda parts, submission: {"received": 1.0}, today=today) as server:
        server.number = upload_bundle(server, mine)
        server.phase = server.competitions[server.number]["phases"][1]["id"]
        yield server


def test_the_command_fetches_scores_and_publishes(tmp_path, mine, at_home, capsys):
    at_home.enter(at_home.phase, "anna", answers(20))
    at_home.enter(at_home.phase, "bob", answers(9))
    site = tmp_path / "site"
    call = (at_home.number, "--competition", mine, "--out", site, "--server", at_home.address)
    assert main(*call) == 0
    first = json.loads((site / "board.json").read_text())
    at_home.enter(at_home.phase, "carol", answers(1))
    at_home.requests.clear()
    assert main(*call) == 0
    assert len(at_home.called("API GET /api/submissions/")) == 3  # two lists, and the new run's files
    names = [entry["name"] for entry in first["phases"][0]["systems"]]
    assert names == ["bob", "anna"]
    later = json.loads((site / "board.json").read_text())
    assert [entry["name"] for entry in later["phases"][0]["systems"]] == ["carol", *names]
    assert {path.name for path in site.iterdir()} == {"index.html", "board.csv", "board.json"}
    assert "rounded to steps" in (site / "index.html").read_text("utf-8")
    before = {path.name: path.read_bytes() for path in site.iterdir()}
    shutil.rmtree(site)
    capsys.readouterr()
    assert main("--competition", mine, "--out", site, "--json") == 0  # without a server
    printed = json.loads(capsys.readouterr().out)
    assert (printed["entries"], len(printed["files"]), printed["left_out"]) == (3, 3, [])
    assert before == {path.name: path.read_bytes() for path in site.iterdir()}
    assert (mine / "fetched" / PRIVATE).stat().st_mode & 0o077 == 0


@pytest.mark.thorough
@pytest.mark.parametrize(
    "at_home", [False, pytest.param(True, marks=pytest.mark.thorough)], indirect=True, ids=["v1.25", "today"]
)
def test_the_command_writes_a_page_of_the_competition(mine, at_home, capsys):
    live = at_home.competitions[at_home.number]
    imported = deepcopy((live["terms"], live["pages"]))
    at_home.enter(at_home.phase, "anna", answers(20))
    calls = (at_home.number, "--competition", mine, "--page", "--server", at_home.address)
    pages = []
    for again, kind in enumerate(("", "", "act-and-drop")):
        if kind:
            at_home.enter(at_home.phase, "bob", answers(9))
            at_home.mishaps = [Mishap("API PATCH", kind, times=9)]
            assert main(*calls) == 1
            at_home.mishaps = []
        at_home.requests.clear()
        assert main(*calls) == 0
        assert len(at_home.called("API PATCH")) == (0 if again else 1)
        *others, page = live["pages"]
        assert (live["terms"], others) == imported
        assert (page["title"], page["index"]) == ("Leaderboard", len(others))
        pages.append(page["content"])
    assert (pages[0] == pages[1], "bob" in pages[2]) == (True, True)
    connection = Connection(at_home.address, TOKEN, account=Account(ORGANISER, PASSWORD))
    bundle = mine / f"dist/codabench/{NAME}.zip"
    assert watch_competition(connection, bundle, at_home.number, mine / "fetched", now=NOW).differences == ()
    live["pages"][-1]["content"] = "An organiser's own page."
    capsys.readouterr()
    assert main(*calls) == 1
    assert "has a page Leaderboard that `board` did not write" in capsys.readouterr().err
    live["title"] = "Another"
    assert main(*calls) == 1
    assert live["pages"][-1]["content"] == "An organiser's own page."
    for more in (["--page"], []):
        assert main("--competition", mine, *more) == 1


@pytest.mark.parametrize(
    ("out", "settings", "message"),
    [
        ("mine", "labels: home", "which is private"),
        (".", "labels: home", "which is private"),
        ("mine/dist", "labels: home", "which is private"),
        ("mine/reference_data/health", "labels: home", "which is private"),
        ("mine/fetched/site", "labels: home", "which is private"),
        ("mine/competition.yaml", "labels: home", "is a file; name a folder"),
        ("site", "labels: platform", "no bundle has labels: home"),
        ("site", "labels: home", "give COMPETITION to fetch"),
    ],
)
def test_a_wrong_call_is_refused_in_a_line(out, settings, message, mine, tmp_path, capsys):
    text = (mine / "competition.yaml").read_text("utf-8").replace("labels: home", settings)
    (mine / "competition.yaml").write_text(text, "utf-8")
    assert main("--competition", mine, "--out", tmp_path / out) == 1
    assert message in capsys.readouterr().err
    assert not Path(tmp_path / "site").exists()


def test_without_a_platform_a_folder_of_uploads_gives_the_board_that_fetched_runs_give(
    tmp_path, mine, monkeypatch, capsys
):
    """A resubmission, one too early, one refused, a folder instead of a zip, and a name in two Unicode forms."""
    monkeypatch.setattr(dates, "now", lambda: NOW)
    runs = [
        ("Zürich Ü", "2027-03-01T09:15", 30),
        ("Zürich Ü", "2027-03-02T09:15", 20),
        ("bob", "2027-03-02T10:00", 9),
    ]
    fetched(mine / "fetched", *runs)
    sites = [tmp_path / "site", tmp_path / "again"]
    assert main("--competition", mine, "--out", sites[0]) == 0
    uploads = {
        unicodedata.normalize("NFD", "Zürich Ü") + "/2027-03-01T0915_a.zip": answers(30),
        "Zürich Ü/2027-03-02T0915_b.zip": answers(20),
        "bob/2027-03-02T1000.zip": answers(9),
        "bob/2026-02-02T1000_early.zip": answers(0),
        "carol/2027-03-03T1000.zip": make_zip({"decisions.csv": b"id,label\n"}),
        "carol/2027-03-03T1100_folder/decisions.csv": "id,label\n",
    }
    season, mail = write_files(tmp_path / "season", uploads), tmp_path / "mail"
    given = ("--competition", mine, "--season", season, "--out", sites[1], "--mail", mail, "--json")
    text = (mine / "competition.yaml").read_text("utf-8").replace("labels: home", "labels: platform")
    (mine / "competition.yaml").write_text(text, "utf-8")
    capsys.readouterr()
    assert main(NAME, *given) == 0
    printed = json.loads(capsys.readouterr().out)
    assert (printed["entries"], len(printed["left_out"])) == (2, 3)
    assert (sites[0] / "board.csv").read_text("utf-8") == (sites[1] / "board.csv").read_text("utf-8")
    texts = {path.stem: path.read_text("utf-8") for path in mail.iterdir()}
    assert sorted(texts) == ["Zürich Ü", "bob", "carol"]
    assert "no phase is open" in texts["bob"]
    assert "120 recordings expected, 0 found" in texts["carol"]
    assert "submission: is a folder; expected a zip" in texts["carol"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--mail", "mail"), "give --season DIR"),
        (("12", "--season", "season"), "give the name of a bundle"),
        (("absent", "--season", "season"), "no bundle absent; expected one of health"),
        (("--season", "season", "--mail", "site/mail"), "is private"),
        (("--season", "season", "--out", "season/site"), "is private"),
    ],
)
def test_a_wrong_call_without_a_platform_is_refused(words, message, mine, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_files(tmp_path, {"season/bob/2027-03-02T1000.zip": answers(9)})
    assert main("--competition", mine, "--out", "site", *words) == 1
    assert message in capsys.readouterr().err


@pytest.mark.thorough
def test_other_commands_state_what_participants_see_and_what_to_do(tmp_path, mine, at_home, capsys):
    folder, out = tmp_path / "fetched", tmp_path / "out"
    bundle, server = mine / f"dist/codabench/{NAME}.zip", ("--server", at_home.address)
    at_home.now = datetime(2027, 3, 2)
    at_home.enter(at_home.phase, "anna", answers(20))
    rows = [[*row] for row in ROWS]
    rows[50][1] = OTHER[rows[50][1]]
    (mine / LABELS).write_text("\n".join(["id,label,speaker", *map(",".join, rows), ""]), "utf-8")
    assert build_bundle.main(["build", "--competition", str(mine), "--platform", "codabench"]) == 0
    sent, whole = folder / "submissions", mine / f"dist/sealed/{NAME}/evaluation/all"
    live = (bundle, at_home.number, "--dir", folder, *server)
    no_label = "note: reference_data.zip: these reference data contain no hidden label"
    for command, words, status, expected in (
        ("amend", live, 0, ["nothing to amend. Its labels stay at home", "run `board`"]),
        ("watch", live, 4, ["its baseline has not run on the server"]),
        ("publish", (bundle, *server), 0, ["measured on 2", no_label]),
        ("season", (bundle, folder), 0, ["participants see only Received on the platform; `board` makes"]),
        ("score", (bundle, "--fetched", folder, "--phase", "Evaluation"), 2, ["leaderboard with `board`"]),
        ("score", (bundle, sent, "--out", out), 2, ["give them with --reference: the folder `all`"]),
        ("score", (bundle, sent, "--out", out, "--reference", whole), 0, ["compare these outputs with `rank`"]),
    ):  # fmt: skip
        capsys.readouterr()
        at_home.readable = command == "publish"
        assert build_bundle.main([command, *map(str, words)]) == status
        shown = " ".join("".join(capsys.readouterr()).split())
        assert [text for text in expected if text not in shown] == [], shown
        # not of the development set
        assert (shown.count("contain no hidden label"), "use labels: home" in shown) == (
            command == "publish",
            False,
        )
    assert at_home.called("API PATCH") == []
    (packed,) = out.rglob("scoring_output.zip")
    scores = json.loads(unzipped(packed.read_bytes())["scores.json"])
    assert scores["f1"] == pytest.approx(f1(20, rows), abs=1e-10)


WHEEL = "spokeneval-1.2.3-py3-none-any.whl"


@pytest.mark.thorough
def test_the_workflow_publishes_the_page_and_no_label(tmp_path):
    mine = begin(tmp_path / "mine")
    settings = (mine / "competition.yaml").read_text("utf-8").replace("2027-", "2024-")
    (mine / "competition.yaml").write_text(settings, "utf-8")
    wheel = write_files(tmp_path, {WHEEL: b"a wheel"}) / WHEEL
    write_tree(mine, workflow_files(ROOT, str(wheel)))
    workflow = yaml.safe_load((mine / ".github/workflows/board.yml").read_text("utf-8"))
    jobs = workflow["jobs"]
    used = [step["uses"] for job in jobs.values() for step in job["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w/-]+@[0-9a-f]{40}", action) for action in used)
    assert workflow["permissions"] == {}
    assert jobs["board"]["permissions"] == {"contents": "read"}
    # gets nothing but the artifact
    assert [sorted(step) for step in jobs["publish"]["steps"]] == [["id", "uses"]]
    (install, make) = (step for step in jobs["board"]["steps"] if "run" in step)
    assert (mine / install["run"].split()[-1]).is_file()
    (artifact,) = (step["with"]["path"] for step in jobs["board"]["steps"] if "pages" in step.get("uses", ""))
    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        number = upload_bundle(server, mine)
        shutil.rmtree(mine / "dist")
        server.now = datetime(2024, 3, 2)
        phase = server.competitions[number]["phases"][1]["id"]
        server.enter(phase, "anna", answers(20))
        call = f'exec "{sys.executable}" "{ROOT / "build_bundle.py"}" "$@" --server {server.address}'
        program = write_files(tmp_path / "bin", {"speech-bundles": f"#!/bin/sh\n{call}\n"}) / "speech-bundles"
        program.chmod(0o755)
        given = {"${{ vars.COMPETITION }}": str(number), "${{ secrets.CODABENCH_TOKEN }}": TOKEN}
        environment = {name: given[value] for name, value in make["env"].items()}
        environment["PATH"] = f"{program.parent}:{os.environ['PATH']}"
        subprocess.run(["bash", "-e", "-c", make["run"]], cwd=mine, env=environment, check=True)
    published = {path.relative_to(mine / artifact).as_posix() for path in (mine / artifact).rglob("*")}
    assert published == {"index.html", "board.csv", "board.json"}
    assert json.loads((mine / artifact / "board.json").read_text())["phases"][0]["systems"]
    for path in (mine / artifact).iterdir():
        assert not [item for item, *_ in ROWS if item in path.read_text("utf-8")]
    ignored = (own_folder(tmp_path / "own", ["spoken_call"]) / ".gitignore").read_text("utf-8").split()
    assert {f"{artifact}/", "fetched/"} <= {*ignored}


@killed_seasons
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
    made = json.loads((site / "board.json").read_text())["phases"][0]["systems"]
    assert [(each["name"], float(each["scores"]["f1"])) for each in made] == [
        (f"team{wrong:03d}", pytest.approx(f1(wrong + 1), abs=1e-10)) for wrong in range(teams)
    ]
    index = read_index(mine / "fetched")
    assert [run.id for run in index if run.status == "Awaiting validation"] == waiting
