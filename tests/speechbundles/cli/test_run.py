"""The command `run`: programs from a server, through all stages, to the leaderboard."""

import csv
import json
import re
import shutil
import subprocess
import sys
import time
import uuid
from datetime import datetime
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest

import build_bundle
from speechbundles.cli import run as cli
from speechbundles.model import dates
from speechbundles.model.environment import TOKEN_VARIABLE
from speechbundles.model.statuses import CODES
from speechbundles.model.zips import make_zip
from speechbundles.runs.outcomes import read_stage
from tests.samples.codabench_server import TOKEN, CodabenchServer
from tests.samples.home_boards import NAME, NOW, ROWS, upload_bundle
from tests.samples.programs import ROOT, run_program, unzipped, write_files
from tests.samples.programs_at_home import (
    GOOD,
    READS,
    SETTINGS,
    WRITES,
    WRONG,
    begin_with_sound,
    program,
    tone,
    uploaded,
)

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


def run(*arguments):
    return build_bundle.main(["run", *map(str, arguments)])


def shown(site):
    board = json.loads((site / "board.json").read_text("utf-8"))
    return {entry["name"]: entry["scores"]["f1"] for entry in board["phases"][0]["systems"]}


@pytest.mark.thorough
def test_programs_are_fetched_run_scored_and_published(tmp_path, monkeypatch, capsys):
    """A program that hears the labels gets F1 = 1; the other ones are those of the kit, which answer without sound."""
    monkeypatch.setattr(dates, "now", lambda: NOW)
    monkeypatch.setattr("speechbundles.platforms.codabench.client.connection.PAUSES", (0,))
    monkeypatch.setenv(TOKEN_VARIABLE, TOKEN)
    mine, site = begin_with_sound(tmp_path, f"{SETTINGS}  board_names: anonymous\n"), tmp_path / "site"
    with CodabenchServer(lambda parts, submission: {"received": 1.0}) as server:
        number = upload_bundle(server, mine)
        bundle = unzipped((mine / f"dist/codabench/{NAME}.zip").read_bytes())
        baseline = bundle["solutions/baseline_evaluation.zip"]
        phase = server.competitions[number]["phases"][1]["id"]
        for owner, content in (("anna", program(GOOD)), ("kit", baseline), ("eva", program("1/0"))):
            server.enter(phase, owner, content)
        call = (number, "--competition", mine, "--out", site, "--page", "--server", server.address)
        assert run(*call) == 0
        first = {path.name: path.read_bytes() for path in site.iterdir()}
        assert first.keys() == {"index.html", "board.csv", "board.json", "runs.csv"}
        (page,) = (each for each in server.competitions[number]["pages"] if each["title"] == "Leaderboard")
        assert "1.0" in page["content"]
        assert run(*call) == 0
        assert first == {path.name: path.read_bytes() for path in site.iterdir()}
    told = capsys.readouterr()
    assert "smoke_failed: the program ended with an error on the public recordings" in told.out
    assert "bubblewrap " in told.err
    assert "; Landlock: " in told.err
    assert sorted(map(float, shown(site).values()))[-1] == 1.0
    assert {row["code"] for row in csv.DictReader(first["runs.csv"].decode().splitlines())} == {
        "ok",
        "smoke_failed",
    }
    published = b"".join(first.values()).decode()
    assert not {item for item, *_ in ROWS} & set(re.findall(r"\w+", published))  # a digest may contain an id
    assert not [owner for owner in ("anna", "kit", "eva") if owner in published]
    for name, content in bundle.items():
        assert str(tmp_path / "sound").encode() not in content, name
    for content, status, said in (
        (baseline, 0, "Finished"),
        (make_zip({"decisions.csv": b""}), 1, "main.py"),
    ):
        (tmp_path / "upload.zip").write_bytes(content)
        capsys.readouterr()
        path = mine / f"dist/codabench/{NAME}.zip"
        assert build_bundle.main(["rehearse", str(path), str(tmp_path / "upload.zip")]) == status
        told = capsys.readouterr()
        assert said in told.out
        assert "detailed results" not in told.out + told.err


@pytest.mark.thorough
def test_the_program_without_a_server_and_json(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(dates, "now", lambda: NOW)
    mine = begin_with_sound(tmp_path, SETTINGS.replace("disk_mb: 64", "disk_mb: 64, real_time_factor: true"))
    uploaded(mine, ("anna", program(GOOD)), ("bob", program(WRONG)))
    real, jobs = cli.make_home_board, []
    monkeypatch.setattr(cli, "make_home_board", lambda *given: jobs.append(given[4]) or real(*given))
    assert run("--competition", mine, "--out", tmp_path / "site", "--json", "--repeat", 2, "--jobs", 1) == 0
    assert jobs == [1]
    captured = capsys.readouterr()
    assert "\n2 entries until 2027-03-10 00:00 UTC, 0 runs left out\n" in captured.err
    printed = json.loads(captured.out)
    assert [(each["owner"], each["code"]) for each in printed["runs"]] == [("anna", "ok"), ("bob", "ok")]
    assert "run2: ok" in Path(printed["runs"][0]["log"]).read_text("utf-8")
    assert set(shown(tmp_path / "site")) == {"anna", "bob"}
    factors = [row["real_time_factor"] for row in csv_rows(tmp_path / "site/runs.csv")]
    assert all(re.fullmatch("up to [0-9.]+", factor) for factor in factors)
    assert (mine / "fetched/.runs").stat().st_mode & 0o077 == 0
    assert run("--competition", mine, "--release", 1, "--release", 7) == 1
    assert "--release 7: no such run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "changes", "said"),
    [
        ("run", {"submissions: code": "labels: home"}, "participants upload answers; use the command board"),
        ("board", {}, "participants upload programs; make the leaderboard with the command run"),
        ("run", {"seconds: 20": "seconds: 20, gpu: true"}, "gives programs no GPU"),
    ],
)
def test_a_wrong_call_is_refused(tmp_path, capsys, monkeypatch, command, changes, said):
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:9")
    mine = begin_with_sound(tmp_path)
    text = (mine / "competition.yaml").read_text("utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    if "labels: home" in text:
        text = "\n".join(
            line for line in text.splitlines() if not line.startswith(("  sound", "  run_limits"))
        )
    write_files(mine, {"competition.yaml": text})
    uploaded(mine, ("anna", program(GOOD)))
    words = ["--engine", "bubblewrap"] if command == "run" else []
    assert (
        build_bundle.main([command, "--competition", str(mine), "--out", str(tmp_path / "site"), *words]) == 1
    )
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("site", ["sound", "sound/site"])
def test_recordings_are_in_no_folder_to_publish(tmp_path, capsys, site):
    mine = begin_with_sound(tmp_path)
    uploaded(mine)
    before = sorted(tmp_path.rglob("*"))
    assert run("--competition", mine, "--out", tmp_path / site) == 1
    assert "which is private; name a folder to publish" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.fixture(scope="module")
def kit(tmp_path_factory):
    """The unpacked kit of a competition that takes programs, and the folder with all recordings."""
    place = tmp_path_factory.mktemp("kit")
    mine = begin_with_sound(place)
    assert build_bundle.main(["build", "--competition", str(mine), "--platform", "codabench"]) == 0
    bundle = unzipped((mine / f"dist/codabench/{NAME}.zip").read_bytes())
    write_files(place / "kit", unzipped(bundle["starting_kit.zip"]))
    return place / "kit", place / "sound/development"


TRIED = {
    "the kit's own": (None, 0, "program.zip is ready to upload"),
    "one that listens": (GOOD, 0, "program.zip is ready to upload"),
    "one that fails": ("1/0", 1, "it ended with exit status 1"),
    "one that needs the network": (
        "import socket\nsocket.create_connection(('192.0.2.1', 53), 3)",
        1,
        "Network is unreachable",
    ),
    "one that writes too much": (f"{GOOD}\nopen('/tmp/x', 'wb').write(bytes(65 << 20))", 1, "File too large"),
    "one that changes recordings": (
        f"{GOOD}\nopen(f'{{inputs}}/sound/new', 'w')",
        1,
        "Read-only file system",
    ),
    "no answers": (READS, 1, "the answers were refused"),
    "a link": ("link", 1, "is a link; expected an ordinary file"),
}


@pytest.mark.default_cases("one that listens", "a link")
@pytest.mark.parametrize("what", TRIED)
def test_the_kit_tries_a_program_as_the_organisers_run_it(kit, tmp_path, what):
    source, status, said = TRIED[what]
    place, sound = kit
    code = write_files(tmp_path / "code", {"main.py": source or ""}) if source else place / "code"
    if source == "link":
        (code / "more").symlink_to("/etc/passwd")
    words = (str(code), "--sound", str(sound), *["--expect"] * (what == "one that listens"))
    done = run_program(str(place / "try_code.py"), *words, cwd=tmp_path)
    assert (done.returncode, said in done.stdout + done.stderr) == (status, True), done.stdout + done.stderr
    assert (tmp_path / "program.zip").exists() == (status == 0)
    assert "ready to upload to" not in done.stdout
    if what == "one that listens":
        assert "1.0000" in done.stdout  # F1 on the public recordings
        files = unzipped((tmp_path / "program.zip").read_bytes())
        assert files.keys() == {"main.py", "expected/decisions.csv"}
        assert files["expected/decisions.csv"].startswith(b"id,label")


@pytest.mark.thorough
def test_the_kit_tries_a_program_with_the_files_of_its_weights(kit, tmp_path):
    place, sound = kit
    code = write_files(tmp_path / "code", {"main.py": f"assert open('weights/a').read() == 'a'\n{GOOD}"})
    write_files(tmp_path / "weights", {"a": "a"})
    words = (str(code), "--sound", str(sound))
    for weights, status in ((("--weights", str(tmp_path / "weights")), 0), ((), 1)):
        assert run_program(str(place / "try_code.py"), *words, *weights, cwd=tmp_path).returncode == status
    assert unzipped((tmp_path / "program.zip").read_bytes()).keys() == {"main.py"}


def test_the_page_for_participants_lists_limits_and_codes(kit):
    place, _ = kit
    bundle = unzipped((place.parent / f"mine/dist/codabench/{NAME}.zip").read_bytes())
    page = bundle["pages/code.md"].decode()
    assert "| memory | 300 MB |" in page
    assert page.count("quarters") == 1  # in the table, whose row depends on real_time_factor
    assert all(f"| `{code}` | {meaning} |" in page for code, meaning in CODES.items())
    assert "python3 try_code.py code --sound DIR" in (place / "README.md").read_text("utf-8")


def csv_rows(path):
    return [*csv.DictReader(path.read_text("utf-8").splitlines())]


@pytest.mark.thorough
def test_uploads_are_run_again_and_again_until_ctrl_c(tmp_path, monkeypatch, capsys):
    waited = []

    def sleep(seconds):
        waited.append(seconds)
        if len(waited) == 2:
            raise KeyboardInterrupt

    clock = SimpleNamespace(time=lambda: 90.0, sleep=sleep)  # a minute and a half after a call is due
    monkeypatch.setattr("speechbundles.cli.run.time", clock)
    mine = begin_with_sound(tmp_path)
    uploaded(mine, ("anna", program(GOOD)))
    assert run("--competition", mine, "--every", 30) == 130
    assert waited == [1710, 1710]
    assert "Submissions run so far are kept" in capsys.readouterr().err


@pytest.mark.thorough
def test_a_command_that_is_killed_leaves_no_process_and_goes_on(tmp_path, monkeypatch):
    """It is killed while the program waits on the hidden recordings; the smoke run is not repeated."""
    monkeypatch.setattr(dates, "now", lambda: NOW)
    mine, mark = begin_with_sound(tmp_path), f"9.{uuid.uuid4().int % 10**9}"
    waits = f"import subprocess\n{READS}len(items) == 120 and subprocess.run(['sleep', '{mark}'])\n{WRITES}"
    uploaded(mine, ("anna", program(waits)))
    words = [sys.executable, str(ROOT / "build_bundle.py"), "run", "--competition", str(mine)]
    command = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not waiting(mark):
        assert command.poll() is None
        time.sleep(0.05)
    command.kill()
    command.wait()
    assert psutil.wait_procs(waiting(mark), timeout=5)[1] == []
    (smoke,) = (mine / "fetched/.runs").glob("*/smoke.json")
    before = smoke.stat().st_mtime_ns
    assert read_stage(smoke.parent / "run1.json") is None
    assert read_stage(smoke.parent / "run1.json", begun=True).lost == 20  # the limit, whenever it was killed
    assert run("--competition", mine, "--out", tmp_path / "site") == 0
    assert (shown(tmp_path / "site").keys(), smoke.stat().st_mtime_ns) == ({"anna"}, before)


def waiting(mark):
    """The processes that sleep for this time."""
    return [each for each in psutil.process_iter(["cmdline"]) if each.info["cmdline"] == ["sleep", mark]]


@pytest.fixture(scope="module")
def clinic(tmp_path_factory):
    """A challenge with two tasks to which participants upload programs."""
    mine = tmp_path_factory.mktemp("clinic") / "mine"
    assert build_bundle.main(["init", str(mine), "--example", "memory_clinic"]) == 0
    text = (mine / "competition.yaml").read_text("utf-8")
    (mine / "competition.yaml").write_text(text.replace("defaults:\n", f"defaults:\n{SETTINGS}", 1), "utf-8")
    for name in ("development", "evaluation"):
        write_files(mine.parent / "sound" / name, {"one.wav": tone(True)})
    return mine


KNOWS = """
import csv, sys
inputs, outputs = sys.argv[1:]
with open("known.csv") as known, open(f"{inputs}/items.csv") as items, open(f"{outputs}/FILE", "w") as file:
    wanted = {row["id"] for row in csv.DictReader(items)}
    rows = [*csv.reader(known)]
    csv.writer(file).writerows([rows[0][:2], *(row[:2] for row in rows[1:] if row[0] in wanted)])
"""


@pytest.mark.thorough
def test_all_bundles_of_a_challenge_are_run_and_ranked_together(clinic, tmp_path, monkeypatch, capsys):
    """Of two programs that know the labels, one shifts them by an item: it is second in both tasks."""
    monkeypatch.setattr(dates, "now", lambda: datetime(2027, 3, 10))
    for kind, labels in (("decisions", "labels.csv"), ("scores", "scores.csv")):
        bundle = f"memory_clinic_{kind}"
        tables = [
            (clinic / f"reference_data/{bundle}/{name}/{labels}").read_text("utf-8").splitlines()
            for name in ("development", "evaluation")
        ]
        rows = [line.split(",") for line in [*tables[0], *tables[1][1:]]]
        shifted = [
            rows[0],
            *([row[0], other[1]] for row, other in zip(rows[1:], [*rows[2:], rows[1]], strict=True)),
        ]
        uploads = [
            (name, program(KNOWS.replace("FILE", f"{kind}.csv"), **{"known.csv": text_of(known)}))
            for name, known in (("anna", rows), ("bob", shifted))
        ]
        uploaded(clinic / "fetched" / bundle, *uploads, below="")
    words = ("memory_clinic", "--competition", clinic, "--out", tmp_path / "site")
    assert run(*words, "--json") == 0, capsys.readouterr().err
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [(each["owner"], each["code"]) for each in runs] == [("anna", "ok"), ("bob", "ok")] * 2
    assert {path.name for path in (tmp_path / "site").iterdir()} == {
        "memory_clinic_decisions",
        "memory_clinic_scores",
    }
    monkeypatch.setattr(dates, "now", lambda: datetime(2027, 8, 1))
    assert build_bundle.main(["board", *map(str, words[:3]), "--out", str(tmp_path / "joint")]) == 0
    board = json.loads((tmp_path / "joint/board.json").read_text("utf-8"))
    assert {each["name"]: each["rank"] for each in board["systems"]} == {"anna": 1, "bob": 2}
    assert run("memory_clini", *words[1:]) == 1
    assert "no challenge with a joint ranking" in capsys.readouterr().err


def text_of(rows):
    return "".join(f"{','.join(row[:2])}\n" for row in rows).encode()


@pytest.mark.thorough
def test_the_kit_of_a_challenge_tries_the_programs_of_each_task(clinic, tmp_path):
    assert build_bundle.main(["build", "memory_clinic", "--competition", str(clinic)]) == 0
    bundle = unzipped((clinic / "dist/codabench/memory_clinic_scores.zip").read_bytes())
    write_files(tmp_path / "kit", unzipped(bundle["starting_kit.zip"]))
    sound = ("code", "--sound", str(clinic.parent / "sound/development"))
    assert "--unpack" in run_program("try_code.py", *sound, cwd=tmp_path / "kit").stderr
    words = ("--task", "memory_clinic_scores", "--unpack", str(tmp_path / "one"))
    assert run_program("try_submission.py", *words, cwd=tmp_path / "kit").returncode == 0
    done = run_program("try_code.py", *sound, cwd=tmp_path / "one")
    assert (done.returncode, "program.zip is ready to upload" in done.stdout) == (0, True), done.stderr
