"""Rehearsals in containers: the commands of the container engine, and real runs where an engine is available.

The first half uses a program made here in place of Docker and Podman, which records its arguments. The second half
needs one of them, and an image with Python and numpy, which SPOKENEVAL_TEST_IMAGE names.
Expected capabilities and mounts are those of Codabench's compute_worker.py,
`_run_program_directory`.
"""

import json
import os
import subprocess
import sys
from unittest.mock import Mock

import pytest

import build_bundle
from speechbundles.bundle.rehearse import containers
from speechbundles.bundle.rehearse.containers import LABEL, ContainerEngine, find_program
from speechbundles.bundle.rehearse.engine import Program
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.errors import OrganiserError
from tests.samples.small_bundles import codabench_bundle, run, submission_zip

MB = 1 << 20

FAKE = f"""#!{sys.executable} -I
import json, os, sys, time
from pathlib import Path
name, place = os.path.basename(sys.argv[0]), Path(sys.argv[0]).parent
answers = json.loads((place / "answers.json").read_text())
with open(place / "asked", "a") as file:
    file.write(json.dumps([name, *sys.argv[1:]]) + "\\n")
answer = answers.get(f"{{name}} {{sys.argv[1]}}", answers.get(sys.argv[1], {{}}))
print(answer.get("out", ""), end="", flush=True)
print(answer.get("error", ""), end="", file=sys.stderr, flush=True)
time.sleep(answer.get("seconds", 0) if not (place / "killed").exists() else 0)
if sys.argv[1] == "kill":
    (place / "killed").touch()
sys.exit(answer.get("code", 0))
"""
"""Stands for `docker` and `podman`; `answers.json` says what each of its commands prints and how it ends."""


@pytest.fixture
def fake(tmp_path, monkeypatch):
    """Return what sets the answers, and returns the commands that have been asked for since."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in containers.PROGRAMS:
        (folder / name).write_text(FAKE)
        (folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.setattr(containers, "KILL_SECONDS", 3)  # no fake program ends when its container is killed

    def set_answers(**answers):
        usual = {"start": {"out": "to out", "error": "told"}, "inspect": {"out": "false false 0\n"}}
        (folder / "answers.json").write_text(json.dumps({**usual, **answers}))
        return lambda *words: [
            asked[1:]
            for asked in map(json.loads, (folder / "asked").read_text().splitlines())
            if asked[1 : len(words) + 1] == [*words]
        ]

    return set_answers


def scored(tmp_path, seconds=60):
    mounts = {f"/app/{name}": tmp_path / name for name in ("program", "output", "shared")}
    command = ["python3", "/app/program/score.py", "/app/input"]
    program = Program("scoring", command, "/app/program", mounts, {"/app/input": tmp_path / "input"})
    limits = Limits(seconds, memory_bytes=300 * MB, output_bytes=8 * MB, processes=17)
    return ContainerEngine("image:1").run(program, tmp_path, limits)


def test_the_container_is_made_as_the_worker_makes_it_and_tighter(fake, tmp_path):
    asked = fake()
    outcome = scored(tmp_path)
    assert outcome == Outcome(0, "to out", "told", outcome.seconds)
    ((_, name, *words),) = asked("create")
    name = name.removeprefix("--name=")
    options = [
        word.removeprefix("--").split("=", 1) for word in words if word.startswith("--") and "=" in word
    ]
    found = {key: [value for other, value in options if other == key] for key, _ in options}
    dropped = "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP"
    assert found == {
        "label": [LABEL],
        "workdir": ["/app/program"],
        "user": [f"{os.getuid()}:{os.getgid()}"],
        "userns": ["host"],
        "network": ["none"],
        "security-opt": ["no-new-privileges"],
        "cap-drop": [*dropped.split(), "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"],
        "memory": [str(300 * MB)],
        "memory-swap": [str(300 * MB)],
        "pids-limit": ["17"],
        "ulimit": [f"fsize={8 * MB}:{8 * MB}"],
        "log-driver": ["none"],
        "env": ["PYTHONUNBUFFERED=1", *(["HOME=/tmp"] if os.getuid() else [])],
        "volume": [
            f"{tmp_path}/input:/app/input:ro,z",
            f"{tmp_path}/output:/app/output:z",
            f"{tmp_path}/shared:/app/shared:z",
            f"{tmp_path}/program:/app/program:z",
        ],
    }
    assert words[-4:] == ["image:1", "python3", "/app/program/score.py", "/app/input"]
    assert asked("start") == [["start", "--attach", name]]
    assert asked("rm") == [["rm", "--force", "--volumes", name]]


@pytest.mark.parametrize(
    ("there", "gpus"), [("docker", "--gpus=all"), ("podman", "--device=nvidia.com/gpu=all")]
)
def test_a_strangers_program_writes_to_memory_only_and_may_get_gpus(fake, tmp_path, there, gpus):
    others = [name for name in containers.PROGRAMS if name != there]
    asked = fake(**{f"{name} info": {"code": 1} for name in others})
    answers = {"/app/answers.tar": tmp_path / "answers.tar"}
    program = Program("run", ["sh"], "/app/code", answers, {"/app/code": tmp_path}, {"/tmp": 64 * MB})
    ContainerEngine("image:1", gpu=True).run(program, tmp_path, Limits(60.0))
    ((_, _, *words),) = asked("create")
    assert {f"--tmpfs=/tmp:rw,exec,mode=1777,size={64 * MB}", "--read-only=true", gpus} <= {*words}
    assert f"--volume={tmp_path}:/app/code:ro,z" in words


@pytest.mark.parametrize(
    ("answers", "code", "why"),
    [
        ({"inspect": {"out": "false false 3"}}, 3, None),
        ({"inspect": {"out": "false false 137"}}, 137, "memory limit: killed, with at most 300 MB allowed"),
        ({"inspect": {"out": "false true 0"}}, 137, "memory limit: killed, with at most 300 MB allowed"),
        (
            {"start": {"out": "to out", "seconds": 30}, "inspect": {"out": "true false 0"}},
            137,
            "time limit: still running after 0.5 s",
        ),
    ],
)
def test_how_a_container_ends(fake, tmp_path, answers, code, why):
    asked = fake(**answers)
    outcome = scored(tmp_path, seconds=0.5 if "start" in answers else 60)
    assert (outcome.exit_code, outcome.why_stopped, outcome.stdout) == (code, why, "to out")
    assert [len(asked(word)) for word in ("kill", "rm")] == [int("start" in answers), 1]


def test_an_interrupt_removes_the_container(fake, tmp_path, monkeypatch):
    asked = fake(start={"seconds": 30}, inspect={"out": "true false 0"})

    monkeypatch.setattr(
        "speechbundles.bundle.rehearse.sandbox._over_time", Mock(side_effect=KeyboardInterrupt)
    )
    with pytest.raises(KeyboardInterrupt):
        scored(tmp_path)
    assert [len(asked(word)) for word in ("kill", "rm")] == [1, 1]


@pytest.mark.parametrize(
    ("answers", "program", "root"),
    [
        ({"info": {"out": " Security Options:\n  rootless\n"}}, "docker", True),
        ({"info": {"out": " Security Options:\n  seccomp\n"}}, "docker", os.getuid() == 0),
        ({"docker info": {"code": 1}, "info": {"out": "    rootless: true\n"}}, "podman", True),
        ({"docker info": {"code": 1}, "info": {"out": "    rootless: false\n"}}, "podman", os.getuid() == 0),
    ],
)
def test_a_rootless_engine_shows_this_user_as_root(fake, answers, program, root):
    fake(**answers)
    found, user = find_program()
    assert (os.path.basename(found), user == "0:0") == (program, root)


def docker_run(tmp_path, image):
    """Rehearse a small bundle of a stranger in containers of its image; return the exit status."""
    bundle = codabench_bundle(tmp_path, changes={"docker_image": image})
    return build_bundle.main(["rehearse", str(bundle), str(submission_zip(tmp_path)), "--engine", "docker"])


@pytest.mark.parametrize(
    ("answers", "refusal"),
    [
        (
            {"info": {"code": 1, "error": "no daemon"}},
            "neither Docker nor Podman answers; start one of them, or set DOCKER_HOST\n  docker: no daemon",
        ),
        (
            {"image": {"code": 1}, "pull": {"code": 1, "error": "no network"}},
            "image image:1 is not on this computer and cannot be pulled: no network",
        ),
        ({"create": {"code": 125, "error": "no space"}}, "a container of image:1 cannot be run: no space"),
    ],
)
def test_what_cannot_be_run_is_named(fake, tmp_path, capsys, answers, refusal):
    fake(**answers)
    assert docker_run(tmp_path, "image:1") == 2
    assert refusal in capsys.readouterr().err


def test_a_strangers_programs_run_in_their_image_and_write_where_the_worker_permits_it(
    fake, tmp_path, capsys
):
    asked = fake()
    assert docker_run(tmp_path, "some/image:7") == 1
    assert "wrote neither scores.json nor" in capsys.readouterr().out  # no program was run
    seen = []
    for words in asked("create"):
        assert "some/image:7" in words
        seen.append({word.split(":", 1)[1] for word in words if word.startswith("--volume=")})
    assert seen == [
        {f"/app/{name}:z" for name in ("program", "output", "ingested_program", "input_data")},
        {f"/app/{name}:z" for name in ("program", "output", "input", "shared")},
    ]


# Real containers

IMAGE = os.environ.get("SPOKENEVAL_TEST_IMAGE", "")


@pytest.fixture(scope="module")
def engine():
    try:
        program, _ = find_program()
    except OrganiserError:
        pytest.skip("neither Docker nor Podman answers here: only their command lines are tested")
    if subprocess.run([program, "image", "inspect", IMAGE], capture_output=True).returncode:
        pytest.skip(f"no image {IMAGE!r}: SPOKENEVAL_TEST_IMAGE names one with Python and numpy")
    yield ContainerEngine(IMAGE)
    listed = subprocess.run(
        [program, "ps", "--all", "--quiet", f"--filter=label={LABEL}"], capture_output=True
    )
    assert listed.stdout == b""


def test_a_rehearsal_in_a_container(engine, tmp_path):
    result = run(tmp_path, engine=engine)
    assert (result.status, result.warnings, result.problems) == ("Finished", (), ())
    assert result.scores == {"accuracy": 0.87654321, "items": 3}
    assert [step.stdout for step in result.steps] == ["items a b c\n", "scored\n"]


MISBEHAVIOUR = {
    "network": ("import socket; socket.create_connection(('192.0.2.1', 53), 3)", "Network is unreachable"),
    "memory": ("hoard = []\nwhile True:\n    hoard.append(b'x' * (8 << 20))", "memory limit"),
    "link": (
        "import os; os.symlink('/etc/passwd', '/app/output/a')\n"
        "open('/app/output/scores.json', 'w').write('{\"accuracy\": 1, \"items\": 3}')",
        "contains a link, 'a'",
    ),
}


@pytest.mark.parametrize("misbehaviour", sorted(MISBEHAVIOUR))
def test_a_container_holds_what_misbehaves(engine, tmp_path, misbehaviour):
    source, expected = MISBEHAVIOUR[misbehaviour]
    limits = Limits(seconds=5, memory_bytes=200 * MB, output_bytes=8 * MB, processes=20)
    result = run(tmp_path, score=source, ingest=None, engine=engine, limits=limits)
    assert result.status == "Failed"
    assert expected in str(result)
