"""Programs in bubblewrap that try to get out: each attempt ends with the expected error, and nothing of it is left."""

import json
import os
import shutil
import socket
import subprocess
import sys
import textwrap
import uuid
from pathlib import Path

import psutil
import pytest

import build_bundle
from speechbundles.bundle.rehearse import ProcessEngine, engines
from speechbundles.bundle.rehearse.bubblewrap import BubblewrapEngine, equal_share
from speechbundles.bundle.rehearse.engine import Program
from speechbundles.bundle.rehearse.pool_worker import ORGANISER, PROJECT
from speechbundles.bundle.rehearse.sandbox import Limits
from speechbundles.model.bundle import read_built_bundle
from tests.samples.programs import ROOT, write_files
from tests.samples.small_bundles import codabench_bundle, submission_zip
from tests.samples.tables import table

MB = 1 << 20

pytestmark = pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")


@pytest.fixture
def walled(tmp_path, monkeypatch):
    """Return what runs a program in bubblewrap and leaves no process; the home, a token and the labels are secret."""
    mark = "walled-" + uuid.uuid4().hex
    monkeypatch.setenv("CODABENCH_TOKEN", "secret")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("home/.ssh", "program", "input/ref", "output", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("home/.ssh/id", "home/token", "input/ref/gold"):
        (tmp_path / name).write_text("secret")
    engine = BubblewrapEngine()

    def go(source, *words, seconds=20.0, **limits):
        (tmp_path / "program/main.py").write_text(textwrap.dedent(source))
        folders = {f"/app/{name}": tmp_path / name for name in ("program", "output")}
        inputs = {"/app/input": tmp_path / "input"}
        program = Program("x", words or ["python3", "main.py", mark], "/app/program", folders, inputs)
        bounds = {"memory_bytes": 300 * MB, "output_bytes": 80 * MB, **limits}
        return engine.run(program, tmp_path / "scratch", Limits(seconds, **bounds))

    yield go
    left = [
        process for process in psutil.process_iter(["cmdline"]) if mark in (process.info["cmdline"] or [])
    ]
    assert psutil.wait_procs(left, timeout=3)[1] == []


ATTEMPTS = table("escapes")["bubblewrap"]


@pytest.mark.parametrize("attempt", ATTEMPTS)
def test_a_program_does_not_get_out(walled, tmp_path, attempt):
    expression, expected = ATTEMPTS[attempt]
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        word = f"outside-{os.getpid()}"
        abstract.bind("\0" + word)
        abstract.listen()
        facts = {"outside": tmp_path, "project": ROOT, "process": os.getpid(), "word": word}
        facts["port"] = server.getsockname()[1]
        facts["cache"] = {"x86_64": (27, 187, 221, 327, 451)}.get(
            os.uname().machine, (232, 213, 223, 286, 451)
        )
        outcome = walled(
            "import ctypes, os, re, socket, subprocess, sys\nlibc = ctypes.CDLL(None, use_errno=True)\n"
            + "".join(
                f"{name} = {value if name == 'cache' else str(value)!r}\n" for name, value in facts.items()
            )
            + f"try:\n    print({expression})\nexcept OSError as error:\n    print(error.strerror)\n"
        )
    assert (outcome.exit_code, outcome.stdout.strip()) == (0, expected), outcome.stderr
    assert (tmp_path / "input/ref/gold").read_text() == "secret"


def test_nothing_of_an_earlier_run_is_there(walled, tmp_path):
    source = """
        import os, sys
        from pathlib import Path
        for folder in (os.environ["HOME"], "/tmp", "/dev/shm"):
            # but for the folders of Python
            print(sorted(set(os.listdir(folder)) - {".pyenv", ".local", *sys.prefix.split("/")}), folder)
            Path(folder, "left").touch()
            Path("/app/output/kept").touch()
    """
    for _ in range(2):
        assert walled(source).stdout == "[] /root\n[] /tmp\n[] /dev/shm\n"
    assert (tmp_path / "output/kept").exists()


DAEMON = (
    "import os, time\nif os.fork() == 0:\n    os.setsid()\n    os.fork() or time.sleep(60)\n    os._exit(0)\n"
)


@pytest.mark.parametrize(("source", "limits", "code", "why"), table("escapes")["limits"])
def test_the_limits_hold_in_bubblewrap_too(walled, tmp_path, source, limits, code, why):
    outcome = walled(source, **limits)
    assert (outcome.exit_code, (outcome.why_stopped or "").startswith(why or "")) == (code, True)
    assert not [path for path in tmp_path.rglob("core*") if path.is_file()]


@pytest.mark.parametrize(
    ("command", "code", "stdout"),
    [
        (
            "pwd; id -u; echo $PATH | cut -d: -f1; ls /app",
            0,
            "/app/program\n0\n/opt/commands\ninput\noutput\nprogram\n",
        ),
        ("python -c 'import numpy, sys; print(sys.prefix)'", 0, f"{sys.prefix}\n"),
        ("kill -TERM $$", 143, ""),
    ],
)
def test_a_program_finds_what_the_worker_gives_it(walled, command, code, stdout):
    outcome = walled("", "bash", "-c", command)
    assert (outcome.exit_code, outcome.stdout) == (code, stdout), outcome.stderr


def test_a_command_that_is_not_there_ends_as_in_a_container(walled):
    outcome = walled("", "Rscript", "score.R")
    assert (outcome.exit_code, outcome.why_stopped) == (127, None)
    assert "Rscript: not found" in outcome.stderr


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_user_without_rights_has_the_same_walls():
    source = """
        import os, sys, tempfile
        from pathlib import Path
        from speechbundles.bundle.rehearse import bubblewrap, Limits, Program
        sys.executable, os.environ["HOME"] = "/usr/bin/python3", "/nowhere"
        os.setgroups([]), os.setgid(65534), os.setuid(65534)
        with tempfile.TemporaryDirectory() as name:
            place = Path(name)
            engine = bubblewrap.BubblewrapEngine(python=bubblewrap.Python("/usr/bin/python3", ()))
            words = ["sh", "-c", "id -u; touch made; touch /app/input/new"]
            program = Program("x", words, "/app/output", {"/app/output": place}, {"/app/input": place})
            print(engine.run(program, place, Limits(20)))
            print((place / "made").exists())
    """
    words = [sys.executable, "-c", textwrap.dedent(source)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    if "PermissionError" in done.stderr:
        pytest.skip("other users may not read this folder")
    assert done.stdout.startswith("Outcome(exit_code=1, stdout='0\\n', stderr=\"touch: ")
    assert "Read-only file system" in done.stdout
    assert done.stdout.endswith("True\n")


def rehearsed(tmp_path, capsys, score, *words):
    bundle, upload = codabench_bundle(tmp_path, score=score, ingest=None), submission_zip(tmp_path)
    status = build_bundle.main(["rehearse", str(bundle), str(upload), *words])
    return status, capsys.readouterr()


def test_a_strangers_bundle_runs_there_and_may_write_as_on_the_platform(tmp_path, capsys):
    source = """
        import pathlib
        pathlib.Path('/app/input/res/answer.txt').write_text('changed')
        pathlib.Path('/app/output/scores.json').write_text('{"accuracy": 0.5, "items": 3}')
    """
    status, printed = rehearsed(tmp_path, capsys, source)
    assert (status, printed.out.split("   ")[1:]) == (0, ["Accuracy 0.5\n"])
    assert printed.err.startswith("bubblewrap ")


@pytest.mark.parametrize(("source", "lacks"), table("escapes")["lacks"])
def test_what_this_machine_lacks_is_one_line(tmp_path, capsys, source, lacks):
    status, printed = rehearsed(tmp_path, capsys, source, "--json")
    found = json.loads(printed.out)
    assert (status, found["status"], bool(found["lacks"])) == (1, "Failed", bool(lacks))
    assert found["lacks"].startswith(lacks)
    assert "\n" not in found["lacks"]


def test_a_version_that_a_program_needs_is_named_even_if_it_hides_the_error(tmp_path, capsys):
    source = """
        import numpy
        for call in ("numpy.float(1)", "import nothing"):
            try:
                exec(call)
            except Exception as error:
                print(error)
        open('/app/output/scores.json', 'w').write('{"accuracy": -1, "items": 3}')
    """
    status, printed = rehearsed(tmp_path, capsys, source)
    assert (status, "scoring needs another version of a module: 'numpy' has no attribute" in printed.out) == (
        0,
        True,
    )
    assert "nothing" not in printed.out


@pytest.mark.parametrize("engine", ["bubblewrap", "local"])
def test_a_program_runs_in_an_environment_of_ones_own(tmp_path, capsys, engine):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", tmp_path / "own"], check=True)
    source = """
        import os, sys
        sys.exit(sum(os.system(f"{name} -c 'import sys; print(sys.prefix)'") for name in ("python", "python3")) or 1)
    """
    words = ["--engine", engine, "--python", str(tmp_path / "own"), "--json"]
    _, printed = rehearsed(tmp_path, capsys, source, *words)
    assert json.loads(printed.out)["steps"][0]["stdout"] == f"{tmp_path}/own\n" * 2


@pytest.mark.parametrize(
    ("version", "words", "refusal"),
    [
        (None, (), "bubblewrap is not installed"),
        ("echo bubblewrap 0.6.1", (), "bubblewrap 0.6.1 is too old"),
        ("test $1 = --version && echo bubblewrap 0.9.0 || echo 'bwrap: denied' >&2", (), "bwrap: denied"),
        (None, ("--python", "nothing"), "--python nothing: "),
        (None, ("--python", "nothing", "--engine", "docker"), "an image has its own Python"),
    ],
)
def test_without_bubblewrap_a_strangers_bundle_is_refused(
    tmp_path, monkeypatch, capsys, version, words, refusal
):
    if version:
        (tmp_path / "bwrap").write_text(f"#!/bin/sh\n{version}\n")
        (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    status, printed = rehearsed(tmp_path, capsys, "", *words)
    assert (status, refusal in printed.err, printed.out) == (2, True, "")
    assert words or "--engine docker" in printed.err


@pytest.mark.parametrize(
    ("whose", "there", "local"), [(PROJECT, True, True), (ORGANISER, True, False), (ORGANISER, False, True)]
)
def test_the_projects_own_programs_run_locally(tmp_path, monkeypatch, whose, there, local):
    """An organiser's Python task runs in bubblewrap only where that is installed."""
    monkeypatch.setattr(engines, "own_programs", lambda bundle: dict.fromkeys(["scoring_program.zip"], whose))
    monkeypatch.setenv("PATH", os.environ["PATH"] if there else "")
    engine = engines.choose_engine("auto", read_built_bundle(codabench_bundle(tmp_path)))
    assert isinstance(engine, ProcessEngine) == local
    assert engine.strict


@pytest.mark.parametrize(
    ("listed", "files", "shares"),
    [
        ("0::/user/x", {"cgroup.procs": f"{os.getpid()}\n"}, True),
        ("0::/user/x/command", {"cgroup.procs": ""}, True),  # where the first run has moved this process
        ("0::/user/x", {"cgroup.procs": f"1\n{os.getpid()}\n"}, False),
        ("0::/user/x", {}, False),
        ("5:cpu,cpuacct:/user/x\n0::/other", {"../../cpu/user/x/tasks": ""}, True),
        ("5:cpu,cpuacct:/other\n0::/user/x", {"cgroup.procs": f"{os.getpid()}\n"}, False),
        ("4:memory:/user/x", {}, False),
    ],
    ids=["alone", "moved", "beside others", "no group", "version 1", "version 1, no group", "no processors"],
)
def test_a_run_gets_a_control_group_if_this_process_may_make_one(tmp_path, listed, files, shares):
    """In a folder laid out as one of control groups, whose files the kernel does not read."""
    write_files(tmp_path / "user/x", files)
    write_files(tmp_path, {"listed": listed})
    with equal_share("run", tmp_path, tmp_path / "listed") as words:
        printed = subprocess.run([*words, "echo", "ran"], capture_output=True, text=True).stdout
        groups = [path.parent for path in tmp_path.rglob("run/cgroup.procs")]
    assert (printed, bool(words)) == ("ran\n", shares)
    assert groups == [tmp_path / ("cpu" if "cpu," in listed else "") / "user/x/run"] * shares
    if groups and "cpu," not in listed:
        assert (groups[0].parent / "cgroup.subtree_control").read_text() == "+cpu"
        assert (groups[0].parent / "command/cgroup.procs").read_text() == str(os.getpid())


def test_the_kernel_puts_a_run_into_its_control_group_and_removes_it():
    with equal_share("speechbundles-test") as words:
        if not words:
            pytest.skip("this process may make no control groups")
        listed = subprocess.run([*words, "cat", "/proc/self/cgroup"], capture_output=True, text=True).stdout
        assert "/speechbundles-test\n" in listed
    assert [*Path("/sys/fs/cgroup").glob("**/speechbundles-test")] == []
