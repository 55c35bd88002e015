"""The kit's download of large files, against a server on this computer that cuts connections."""

import hashlib
import importlib.util
import json
import os
import shutil
import threading
from collections import namedtuple
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.samples.programs import ROOT

CONTENT = bytes(range(256)) * 10_000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
CUT = 1_000_000
ASKED = []


class Handler(BaseHTTPRequestHandler):
    """Serves /cut, whose answers end early; /whole, without ranges; /away, elsewhere; /old, another file; /short."""

    def do_GET(self):
        begin = self.headers["Range"]
        ASKED.append((self.path, begin))
        begin = int(begin[len("bytes=") : -1]) if begin else 0
        content = {"/old": CONTENT[::-1], "/short": CONTENT[:9], "/long": CONTENT + b"x"}.get(
            self.path, CONTENT
        )
        if self.path == "/whole":
            begin = 0
        if self.path in ("/away", "/none", "/busy") or begin >= len(content):
            self.send_response({"/away": 302, "/none": 404, "/busy": 503}.get(self.path, 416))
            self.send_header("Location", "ftp://127.0.0.1/cut")
            self.end_headers()
            return
        self.send_response(206 if begin else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        if begin:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        self.wfile.write(content[begin:][: CUT if self.path == "/cut" else None])

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def server():
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture
def kit(tmp_path, server, monkeypatch):
    """Return a function that downloads a path of the server as `aufnahmen.zip`, and the file's path."""
    spec = importlib.util.spec_from_file_location("get_data", ROOT / "starting_kit" / "get_data.py")
    program = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(program)
    monkeypatch.setattr(program, "SCHEME", "http")
    monkeypatch.setattr(program, "PAUSES", (0, 0))
    monkeypatch.setattr(program, "HERE", tmp_path)
    monkeypatch.setattr(program, "LIST", tmp_path / "downloads.json")
    ASKED.clear()

    def get(path, *names):
        entry = {"url": server + path, "size": len(CONTENT), "sha256": SHA256}
        (tmp_path / "downloads.json").write_text(json.dumps({"aufnahmen.zip": entry}))
        return program.main(list(names))

    return get, tmp_path / "data" / "aufnahmen.zip"


def test_a_download_that_is_cut_continues_where_it_stopped(kit, capsys):
    get, file = kit
    assert get("/cut") == 0
    assert file.read_bytes() == CONTENT
    assert ASKED == [("/cut", None), ("/cut", "bytes=1000000-"), ("/cut", "bytes=2000000-")]
    assert os.listdir(file.parent) == ["aufnahmen.zip"]
    assert get("/cut", "aufnahmen.zip") == 0  # it is there, and is not downloaded again
    assert len(ASKED) == 3
    assert capsys.readouterr().out.splitlines()[-1] == "data/aufnahmen.zip: is there"


def test_a_later_run_continues_a_partial_file_or_begins_anew_where_the_server_cannot(kit):
    get, file = kit
    for path, begun in (("/whole", b"other"), ("/cut", CONTENT[:5])):
        file.parent.mkdir(exist_ok=True)
        file.with_name("aufnahmen.zip.part").write_bytes(begun)
        assert get(path) == 0
        assert file.read_bytes() == CONTENT
        file.unlink()
    assert [begin for _, begin in ASKED] == [
        "bytes=5-",
        "bytes=5-",
        "bytes=1000005-",
        "bytes=2000005-",
    ]


@pytest.mark.parametrize(
    ("path", "said", "left"),
    [
        ("/old", f"not the declared {SHA256}. It was deleted.", None),
        ("/long", "more than the declared 2560000 bytes", len(CONTENT)),
        ("/short", "has at most 9 bytes, not the declared 2560000", None),
        ("/none", "404 Not Found", None),
        (
            "/busy",
            "503 Service Unavailable; 0 MB of 2.56 MB are there. Run the same command again later",
            None,
        ),
        ("/away", "redirects to ftp://127.0.0.1/cut, which does not begin with http", None),
    ],
)
def test_other_files_and_servers_that_fail_are_refused(kit, capsys, path, said, left):
    get, file = kit
    assert get(path) == 1
    assert said in capsys.readouterr().err
    part = file.with_name("aufnahmen.zip.part")
    assert not file.exists()
    assert left is None or part.stat().st_size <= left
    assert path != "/old" or not part.exists()


def test_nothing_is_fetched_over_a_wrong_file_or_onto_a_full_disk(kit, capsys, monkeypatch):
    get, file = kit
    file.parent.mkdir()
    file.write_bytes(b"mine")
    assert get("/cut") == 1
    assert "has 4 bytes, not the declared 2560000. Move this file away" in capsys.readouterr().err
    assert file.read_bytes() == b"mine"
    file.unlink()
    monkeypatch.setattr(shutil, "disk_usage", lambda path: namedtuple("Usage", "free")(1_000_000))
    assert get("/cut") == 1
    assert "needs 2.56 MB more, but the disk has 1 MB left" in capsys.readouterr().err
    assert ASKED == []
