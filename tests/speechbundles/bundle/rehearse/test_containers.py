"""Rehearsals in containers: the requests to the engine's API, and real runs where an engine is available.

The first half uses a server made here, which answers as Docker's API does. The second half needs Docker or Podman, and
an image with Python and numpy: `make container-image` makes one from Debian packages; SPOKENEVAL_TEST_IMAGE can name
another. Expected capabilities and mounts are those of Codabench's compute_worker.py, `_run_program_directory`.
"""

import json
import os
import re
import socketserver
import struct
import tempfile
import threading
import zipfile
from contextlib import closing
from http.server import BaseHTTPRequestHandler

import pytest
import yaml

import build_bundle
from speechbundles.bundle.rehearse.containers import LABEL, ContainerEngine, connect
from speechbundles.bundle.rehearse.rehearsal import rehearse
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.errors import OrganiserError
from tests.samples.small_bundles import codabench_bundle, run, submission_zip

docker = pytest.importorskip("docker", reason="the docker package is not installed")

MB = 1 << 20


class FakeApi(BaseHTTPRequestHandler):
    """The part of the Docker API (v1.41) that one container needs; the server records the requests."""

    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "a unix socket"

    def log_message(self, *_):
        pass

    def attach(self):
        """Each frame: stream (1, 2), three zeros, length as 4 bytes, content. Sent when the container has started."""
        self.send_response(200)
        self.send_header("Content-Type", "application/vnd.docker.raw-stream")
        self.end_headers()
        self.server.started.wait(10)
        for stream, text in (1, b"to "), (2, b"told"), (1, b"out"):
            self.wfile.write(struct.pack(">BxxxL", stream, len(text)) + text)
        self.close_connection = True

    def handle_any(self):
        server = self.server
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or b"null")
        path = re.sub(r"^/v[0-9.]+", "", self.path).partition("?")[0]
        server.asked.append((self.command, path, body))
        last = path.rpartition("/")[2]
        if last == "attach":
            self.attach()
            return
        if last == "wait" and not server.ended.wait(10):
            return
        event = {"start": server.started, "kill": server.ended}.get(last)
        if event:
            event.set()
        inspected = {"Id": "abc", "Name": "/abc", "State": server.state, "Config": {"Tty": False}}
        image = (200, {"Id": "sha256:1"}) if server.image else (404, {"message": "no such image"})
        status, answer = {
            "/version": (200, {"ApiVersion": "1.41"}),
            "/info": (200, {"SecurityOptions": server.security}),
            "/images/image:1/json": image,
            "/images/some/image:7/json": image,
            "/images/create": (500, {"message": "no network"}),
            "/containers/create": (201, {"Id": "abc", "Warnings": []}),
            "/containers/abc/wait": (200, {"StatusCode": server.state["ExitCode"]}),
            "/containers/abc/json": (200, inspected),
        }.get(path, (204, ""))
        content = json.dumps(answer).encode() if answer else b""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_DELETE = do_HEAD = handle_any


class FakeServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, path):
        super().__init__(path, FakeApi)
        self.asked = []
        self.security = ["name=seccomp,profile=default"]
        self.image = True
        self.state = {"ExitCode": 0, "OOMKilled": False}
        self.started, self.ended = threading.Event(), threading.Event()
        self.ended.set()

    def bodies(self, path):
        return [body for _, asked, body in self.asked if asked == path]


@pytest.fixture
def server():
    with tempfile.TemporaryDirectory() as folder:  # a socket's path must be short
        path = f"{folder}/api.sock"
        with FakeServer(path) as api:
            threading.Thread(target=api.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
            api.address = f"unix://{path}"
            yield api
            api.shutdown()


@pytest.fixture
def client(server):
    with closing(docker.DockerClient(base_url=server.address, version="1.41")) as client:
        yield client


def scored(client, tmp_path, seconds=60):
    folders = {name: tmp_path / name for name in ("program", "input", "output", "shared")}
    return ContainerEngine("image:1", client).run(
        ["python3", "/app/program/score.py", "/app/input"],
        {f"/app/{name}": folder for name, folder in folders.items()},
        cwd="/app/program",
        scratch=tmp_path,
        seconds=seconds,
        limits=Limits(memory_bytes=300 * MB, output_bytes=8 * MB, processes=17),
    )


def test_the_container_is_made_as_the_worker_makes_it_and_tighter(server, client, tmp_path):
    outcome = scored(client, tmp_path)
    assert outcome == Outcome(0, "to out", "told", outcome.seconds)
    (asked,) = server.bodies("/containers/create")
    command = ["python3", "/app/program/score.py", "/app/input"]
    assert (asked["Image"], asked["Cmd"], asked["WorkingDir"]) == ("image:1", command, "/app/program")
    assert "PYTHONUNBUFFERED=1" in asked["Env"]
    assert asked["User"] == f"{os.getuid()}:{os.getgid()}"
    assert LABEL in asked["Labels"]
    host = asked["HostConfig"]
    assert sorted(host["Binds"]) == [
        f"{tmp_path}/input:/app/input:ro,z",
        f"{tmp_path}/output:/app/output:z",
        f"{tmp_path}/program:/app/program:z",
        f"{tmp_path}/shared:/app/shared:z",
    ]
    dropped = "AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE NET_RAW SETFCAP"
    assert host["CapDrop"] == [*dropped.split(), "SETGID", "SETPCAP", "SETUID", "SYS_CHROOT"]
    assert host["SecurityOpt"] == ["no-new-privileges"]
    assert (host["UsernsMode"], host["NetworkMode"]) == ("host", "none")
    assert (host["Memory"], host["MemorySwap"], host["PidsLimit"]) == (300 * MB, 300 * MB, 17)
    assert host["Ulimits"] == [{"Name": "fsize", "Soft": 8 * MB, "Hard": 8 * MB}]
    assert [path for method, path, _ in server.asked if method == "DELETE"] == ["/containers/abc"]


def test_a_container_over_its_time_is_killed_and_removed(server, client, tmp_path):
    server.ended.clear()
    outcome = scored(client, tmp_path, seconds=0.2)
    assert (outcome.exit_code, outcome.why_stopped) == (137, "time limit: still running after 0.2 s")
    assert outcome.stdout == "to out"
    ways = [(method, path) for method, path, _ in server.asked]
    assert ways.index(("POST", "/containers/abc/kill")) < ways.index(("DELETE", "/containers/abc"))


@pytest.mark.parametrize("state", [{"ExitCode": 137, "OOMKilled": False}, {"ExitCode": 0, "OOMKilled": True}])
def test_a_container_over_its_memory_is_said_to_be(server, client, tmp_path, state):
    server.state = state
    outcome = scored(client, tmp_path)
    assert outcome.exit_code == 137
    assert outcome.why_stopped == "memory limit: killed, with at most 300 MB allowed"


def test_an_interrupt_removes_the_container(server, client, tmp_path, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(ContainerEngine, "_ended_within", interrupted)
    with pytest.raises(KeyboardInterrupt):
        scored(client, tmp_path)
    assert server.asked[-1][:2] == ("DELETE", "/containers/abc")


def test_a_rootless_engine_shows_this_user_as_root(server, client, tmp_path):
    server.security = ["name=rootless"]
    scored(client, tmp_path)
    assert server.bodies("/containers/create")[0]["User"] == "0:0"


def test_an_image_that_cannot_be_had_is_named(server, client):
    server.image = False
    with pytest.raises(OrganiserError, match="image image:1 is not on this computer and cannot be pulled"):
        ContainerEngine("image:1", client)


def docker_run(tmp_path, image):
    """Rehearse a small bundle of a stranger in containers of its image; return the exit status."""
    bundle = codabench_bundle(tmp_path, changes={"docker_image": image})
    return build_bundle.main(["rehearse", str(bundle), str(submission_zip(tmp_path)), "--engine", "docker"])


def test_no_engine_at_all_is_said_with_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/nothing.sock")
    with pytest.raises(OrganiserError, match=r"start one of them, or set DOCKER_HOST\n.*nothing\.sock"):
        connect()
    assert docker_run(tmp_path, "image:1") == 2
    assert "neither Docker nor Podman answers" in capsys.readouterr().err


def test_the_image_is_the_bundles_own(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("DOCKER_HOST", server.address)
    assert docker_run(tmp_path, "some/image:7") == 1
    assert "wrote neither scores.json nor" in capsys.readouterr().out  # no program was run
    ingestion, scoring = server.bodies("/containers/create")
    assert ingestion["Image"] == scoring["Image"] == "some/image:7"


def test_a_strangers_programs_may_write_where_the_worker_permits_it(server, tmp_path, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", server.address)
    docker_run(tmp_path, "some/image:7")
    asked = server.bodies("/containers/create")
    assert [body["WorkingDir"] for body in asked] == ["/app/program"] * 2
    folders = [{bind.split(":", 1)[1] for bind in body["HostConfig"]["Binds"]} for body in asked]
    assert folders[0] == {
        f"/app/{name}:z" for name in ("program", "output", "ingested_program", "input_data")
    }
    assert folders[1] == {f"/app/{name}:z" for name in ("program", "output", "input", "shared")}


# Real containers

IMAGE = os.environ.get("SPOKENEVAL_TEST_IMAGE", "localhost/spokeneval-test")


@pytest.fixture(scope="module")
def engine():
    try:
        client = connect()
    except OrganiserError:
        pytest.skip("neither Docker nor Podman answers here: containers are tested against a fake API only")
    try:
        client.images.get(IMAGE)
    except docker.errors.ImageNotFound:
        pytest.skip(f"no image {IMAGE}: `make container-image` makes it from Debian packages")
    yield ContainerEngine(IMAGE, client)
    assert client.containers.list(all=True, filters={"label": LABEL}) == []
    client.close()


def test_a_rehearsal_in_a_container(engine, tmp_path):
    result = run(tmp_path, engine=engine)
    assert (result.status, result.warnings, result.problems) == ("Finished", (), ())
    assert result.scores == {"accuracy": 0.87654321, "items": 3}
    assert [step.stdout for step in result.steps] == ["items a b c\n", "scored\n"]


def test_a_built_bundle_scores_in_its_image_as_it_does_here(engine, tmp_path):
    """End to end: the built Spoken CALL bundle with the test's image gives the same scores in both engines."""
    assert build_bundle.main(["build", "spoken_call", "--platform", "codabench", "--out", str(tmp_path)]) == 0
    built = tmp_path / "codabench" / "spoken_call.zip"
    bundle, submission = tmp_path / "bundle.zip", tmp_path / "submission.zip"
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(bundle, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name == "competition.yaml":
                content = yaml.safe_dump({**yaml.safe_load(content), "docker_image": IMAGE}).encode()
            target.writestr(name, content)
        submission.write_bytes(source.read("solutions/baseline_evaluation.zip"))
    inside, here = rehearse(bundle, submission, engine=engine), rehearse(bundle, submission)
    assert inside.status == here.status == "Finished"
    assert inside.scores == here.scores
    assert inside.row == here.row


MISBEHAVIOUR = {
    "network": ("import socket; socket.create_connection(('192.0.2.1', 53), 3)", "Network is unreachable"),
    "input": ("open('/app/input/res/planted', 'w')", "Read-only file system"),
    "reference": ("open('/app/input/ref/gold.txt', 'a')", "Permission denied"),
    "large file": ("open('/app/output/x', 'wb').write(bytes(9 << 20))", "File too large"),
    "processes": ("import os, time\nfor _ in range(99):\n    os.fork() or time.sleep(30)", "BlockingIOError"),
    "sleeper": ("import time; time.sleep(60)", "time limit"),
    "memory": ("hoard = []\nwhile True:\n    hoard.append(b'x' * (8 << 20))", "memory limit"),
    "link": (
        "import os; os.symlink('/etc/passwd', '/app/output/a')\n"
        "open('/app/output/scores.json', 'w').write('{\"accuracy\": 1, \"items\": 3}')",
        "contains a link, 'a'",
    ),
    "rights": ("import os; os.chown('/app/output', 1, 1)", "Operation not permitted"),
}


@pytest.mark.parametrize("misbehaviour", sorted(MISBEHAVIOUR))
def test_a_container_holds_what_misbehaves(engine, tmp_path, misbehaviour):
    source, expected = MISBEHAVIOUR[misbehaviour]
    limits = Limits(seconds=5, memory_bytes=200 * MB, output_bytes=8 * MB, processes=20)
    if misbehaviour == "sleeper":
        limits = Limits(seconds=1)
    result = run(tmp_path, score=source, ingest=None, engine=engine, limits=limits)
    assert result.status == "Failed"
    assert expected in str(result)
