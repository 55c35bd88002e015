"""The token in the environment: other processes of the same user do not find it in the process that uses it."""

import os
import subprocess
import sys
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from speechbundles.model.environment import TOKEN_VARIABLE
from tests.samples.codabench_server import TOKEN
from tests.samples.programs import ROOT
from tests.samples.small_bundles import codabench_bundle, submission_zip

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="/proc")

COMMAND = [sys.executable, "-X", "utf8", str(ROOT / "build_bundle.py")]


def environment(**more):
    return {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), TOKEN_VARIABLE: TOKEN, **more}


def shown(process):
    try:
        return b"".join(Path(f"/proc/{process}/{name}").read_bytes() for name in ("environ", "cmdline"))
    except PermissionError:  # its memory is hidden from other processes of the same user, except root's
        return b""


@pytest.fixture
def server():
    """A server that notes the token of each request, and what its client shows of itself meanwhile."""
    notes = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            notes.append((self.headers["Authorization"], shown(client.pid)))
            self.send_error(404)

        def log_message(self, *_):
            pass

    running = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    client = None

    def call(*words, **options):
        nonlocal client
        address = f"http://127.0.0.1:{running.server_port}"
        client = subprocess.Popen([*COMMAND, *words, "--server", address], **options)
        return client.wait(60), notes

    yield call
    running.shutdown()
    running.server_close()


def test_the_token_is_sent_but_not_shown(server, tmp_path):
    place = str(tmp_path / "ein Ordner")
    code, notes = server("fetch", "7", place, env=environment(), stderr=subprocess.DEVNULL)
    assert code == 1
    assert notes
    for sent, seen in notes:
        assert sent == f"Token {TOKEN}"
        assert TOKEN.encode() not in seen
        assert seen == b"" or b"ein Ordner" in seen


@pytest.mark.thorough
@pytest.mark.default_cases("two words")
@pytest.mark.parametrize("token", ["", "two words", "\udcff"])
def test_what_is_no_token_is_refused_as_before(server, tmp_path, token):
    code, notes = server("fetch", "7", str(tmp_path), env=environment(**{TOKEN_VARIABLE: token}))
    assert (code, notes) == (1, [])


LOOK = """
    import json, os, sys
    from pathlib import Path
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            try:
                content = (process / "environ").read_bytes()
            except OSError:
                continue
            if b"CODABENCH_TOKEN" in content:
                found.append(process.name)
    (Path(sys.argv[2]) / "scores.json").write_text(json.dumps({"accuracy": len(found), "items": 0}))
"""


def test_a_program_in_a_rehearsal_does_not_find_it(tmp_path):
    """`rehearse` needs no token, but a shell that has one gives it to every command."""
    bundle, submission = codabench_bundle(tmp_path, score=LOOK, ingest=None), submission_zip(tmp_path)
    done = subprocess.run(
        [*COMMAND, "rehearse", str(bundle), str(submission), "--engine", "local"],
        env=environment(), capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0
    assert "Accuracy 0.0\n" in done.stdout
    assert TOKEN not in done.stdout + done.stderr
