"""Weights pinned by hash: from a folder and from a server, kept, read-only, and refused if they are others."""

import hashlib
import io
import shutil
import socket
import sys
import threading
import time
from contextlib import suppress
from dataclasses import replace

import pytest
import requests

from speechbundles.runs import weights
from speechbundles.runs.download import download
from speechbundles.runs.weights import _SCRIPT as SCRIPT
from speechbundles.runs.weights import fetch_weights
from spokeneval.programs.code import Weights
from tests.samples.programs import write_files
from tests.samples.programs_at_home import GOOD, program, uploaded

CONTENT = b"1, 2, 3"
DIGEST = hashlib.sha256(CONTENT).hexdigest()
PINNED = Weights("model.pt", DIGEST, 7, "https://models.example/model.pt")
READS_WEIGHTS = f"assert open('weights/model.pt').read() == '1, 2, 3'\n{GOOD}"
POISONS = f"open('weights/model.pt', 'a')\n{GOOD}"


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_programs_read_pinned_weights_and_cannot_change_them(home, begun, tmp_path):
    _, chosen, *_ = begun
    line = f"model.pt sha256:{DIGEST} 7 {PINNED.url}  # ours\n"
    given = {"weights.txt": line.encode()}
    uploaded(tmp_path, ("good", program(READS_WEIGHTS, **given)), ("bad", program(POISONS, **given)))
    for environment, codes in (
        ("image", ["refused", "refused"]),
        ("own", ["build_failed", "build_failed"]),
        ("own", ["ok", "smoke_failed"]),
    ):
        if codes[0] == "ok":
            write_files(tmp_path / "wheels", {"model.pt": CONTENT})
        else:
            write_files(tmp_path / "wheels", {"model.pt": b"3, 2, 1"})
        own = replace(chosen, settings={**chosen.settings, "environment": environment})
        assert [each.step.code for each in home(competition=own, wheels=tmp_path / "wheels")] == codes
    assert (tmp_path / "packages/weights" / DIGEST).read_bytes() == CONTENT


class Answer(requests.Response):
    def __init__(self, content=CONTENT, status=200, **headers):
        super().__init__()
        self.raw, self.status_code = io.BytesIO(content), status
        self.headers.update(headers)


OTHER = Answer(status=302, location="https://cdn.example/x")
SERVED = {
    "the file": ([Answer()], "93.184.215.14", True),
    "after a redirect": ([OTHER, Answer()], "93.184.215.14", True),
    "other bytes": ([Answer(b"3, 2, 1")], "93.184.215.14", False),
    "short": ([Answer(b"1")], "93.184.215.14", False),
    "an error": ([Answer(status=404)], "93.184.215.14", False),
    "redirects without end": ([OTHER] * 9, "93.184.215.14", False),
    "a redirect to http": (
        [Answer(status=302, location="http://cdn.example/x"), Answer()],
        "93.184.215.14",
        False,
    ),
    "this machine": ([Answer()], "127.0.0.1", False),
    "a private network": ([Answer()], "10.0.0.7", False),
    "a cloud's own address": ([Answer()], "169.254.169.254", False),
    "a private network, IPv6": ([Answer()], "fd00::1", False),
}


@pytest.mark.parametrize("what", SERVED)
def test_a_download_is_whole_public_and_tells_no_reason(tmp_path, monkeypatch, what):
    answers, address, good = SERVED[what]
    served = iter(answers)
    monkeypatch.setattr(requests, "get", lambda url, **_: next(served, Answer(status=404)))
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: [(0, 0, 0, "", (address, 443))])
    monkeypatch.setattr(weights, "_download", lambda url, new, limits: download(url, new))
    found, step = fetch_weights([PINNED], tmp_path / "cache", None, 1 << 20)
    assert (step.code == "ok", [*found]) == (good, ["model.pt"] * good)
    assert good or step.log == "model.pt: no file of 7 bytes with this SHA-256 could be fetched"
    assert [path.read_bytes() for path in (tmp_path / "cache").iterdir()] == [CONTENT] * good
    if good:  # a second program needs no network; a damaged file is fetched again
        assert fetch_weights([PINNED], tmp_path / "cache", None, 1 << 20)[1].code == "ok"
        found["model.pt"].write_bytes(b"damaged")
        assert fetch_weights([PINNED], tmp_path / "cache", None, 1 << 20)[1].code == "build_failed"


HEAD = b"HTTP/1.1 200 OK\r\n"
SLOW = {
    "the file": (HEAD + b"Content-Length: 7\r\n\r\n" + CONTENT, b""),
    "a slow body": (HEAD + b"Content-Length: 1000\r\n\r\n", b"x"),
    "slow headers": (HEAD, b"X: y\r\n"),
    "endless interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "too much": (HEAD + b"\r\n", bytes(1 << 20)),
}


@pytest.fixture
def slow_server(tmp_path, monkeypatch):
    """Return a function that starts a server on this machine, which sends some bytes, and then others again and again;
    downloads take its address for a public one."""
    script = tmp_path / "script.py"
    monkeypatch.setattr(weights, "_SCRIPT", script)
    with socket.create_server(("127.0.0.1", 0)) as server:
        script.write_text(
            "import requests, runpy, sys\nget = requests.get\n"
            f"requests.get = lambda url, **how: get('http://127.0.0.1:{server.getsockname()[1]}', **how)\n"
            f"run = runpy.run_path({str(SCRIPT)!r})\n"
            "run['download'].__globals__['socket'] = type('', (), dict(SOCK_STREAM=1, getaddrinfo="
            "lambda *_, **__: [(0, 0, 0, '', ('93.184.215.14', 443))]))\n"
            "run['download'](sys.argv[1], run['Path'](sys.argv[2]))\n"
        )

        def serve(first, again):
            with suppress(OSError), server.accept()[0] as connection:
                connection.sendall(first)
                while again:
                    connection.sendall(again)
                    time.sleep(0.05)

        yield lambda *sent: threading.Thread(target=serve, args=sent, daemon=True).start()


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are those of Linux")
@pytest.mark.default_cases("the file", "endless interim answers")
@pytest.mark.parametrize("what", SLOW)
def test_no_server_holds_a_download_beyond_its_time(tmp_path, monkeypatch, slow_server, what):
    monkeypatch.setattr(weights, "_SECONDS", 5.0 if what in ("the file", "too much") else 1.0)
    slow_server(*SLOW[what])
    found, step = fetch_weights([PINNED], tmp_path / "cache", None, 1 << 20)
    assert [path.read_bytes() for path in found.values()] == [CONTENT] * (what == "the file")
    assert step.seconds < 5


def test_weights_have_a_largest_size(tmp_path):
    assert fetch_weights([PINNED], tmp_path, None, 6)[1].code == "build_failed"
