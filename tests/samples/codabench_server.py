"""A server that speaks as much of Codabench's API as `speechbundles.server` needs, and misbehaves on request.

Written from the facts in Codabench's source, `src/apps/api/views` and `serializers`: what is answered, and who may.
Storage is a second server at another port, at signed addresses; `codabench` has what becomes of bundles and runs.
"""

from __future__ import annotations

import json
import re
import sys
import threading
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.samples.codabench import ORGANISER, PARTS, Codabench, Score

TOKEN = "0123456789abcdef0123456789abcdef01234567"
PASSWORD = "päss & 'word' = \\1"
CSRF, SESSION = "c5rf" * 8, "5e55ion" * 4

LISTED = {
    **{"id": 1, "owner": "anna", "created_when": "2027-03-02T09:00:00Z", "status": "Finished"},
    **{"scores": [], "parent": None, "is_specific_task_re_run": False, "on_leaderboard": False},
    **{"is_soft_deleted": False, "filename": "a.zip"},
}
"""A run in a list, as the API returns it."""

Answer = tuple[int, Any]


@dataclass
class Mishap:
    """What befalls the next `times` requests whose method and path begin so, after `after` others.

    `kind`: a status, or `drop` (no answer), `cut` (half of the body), `lie` (a `Content-Length` that is too small),
    `html` (a page for a browser), `damage` (a byte is another one), `act-and-drop` (it is done, but no answer comes).
    """

    begins: str
    kind: int | str
    times: int = 1
    headers: dict[str, str] = field(default_factory=dict)
    after: int = 0
    body: bytes = b'{"detail": "no"}'


ROUTES: list[tuple[re.Pattern[str], Callable[..., Answer]]] = []


def _route(what: str) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Answer requests of this method and path, of which each `*` is a parameter."""

    def add(answer: Callable[..., Answer]) -> Callable[..., Answer]:
        ROUTES.append((re.compile(what.replace("*", "([^/]+)")), answer))
        return answer

    return add


class _Server(ThreadingHTTPServer):
    """A server that prints nothing where a client has gone: `socketserver` would print it into a command's output."""

    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class CodabenchServer(Codabench):
    """Started with `with`; `address` is the API's."""

    def __init__(self, score: Score, *, today: bool = False) -> None:
        super().__init__(score, today=today)
        self.mishaps: list[Mishap] = []
        self.requests: list[tuple[str, str, str | None]] = []
        """`API POST`, path, Authorization."""
        self.expired: set[int] = set()
        self.gives_datasets = True
        self.readable = not today
        """Whether others can download programs and data."""
        self.anonymous = False
        """Whether the request that is being answered has no token."""
        self.lock = threading.RLock()

    def __enter__(self) -> CodabenchServer:
        self._servers = [_Server(("127.0.0.1", 0), handler) for handler in (_Api, _Storage)]
        for server in self._servers:
            server.application = self  # type: ignore[attr-defined]
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.address, self.storage = (f"http://127.0.0.1:{server.server_port}" for server in self._servers)
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    def called(self, begins: str) -> list[str]:
        return [f"{what} {path}" for what, path, _ in self.requests if f"{what} {path}".startswith(begins)]

    def mishap(self, what: str) -> Mishap | None:
        """Return what befalls a request, and count it."""
        for mishap in self.mishaps:
            if what.startswith(mishap.begins) and mishap.times:
                if mishap.after:
                    mishap.after -= 1
                    continue
                mishap.times -= 1
                return mishap
        return None

    # The API

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """An API's answer: a status and JSON, or an address to go on to."""
        for pattern, answer in ROUTES:
            if found := pattern.fullmatch(f"{method} {path}"):
                places = [int(place) if place.isdigit() else place for place in found.groups()]
                return answer(self, query, body, *places)
        return 404, {"detail": "Not found."}

    @_route("GET /datasets/download/*/")
    def _download(self, query: Any, body: Any, key: str) -> Answer:
        return 302, self._sign_dataset(key) if self.gives_datasets else "/accounts/login/?next=/"

    def _sign_dataset(self, key: str) -> str:
        return self._sign(self.datasets[key]["path"])

    @_route("POST /api/datasets/")
    def _make_dataset(self, query: Any, body: Any) -> Answer:
        if sum(map(len, self.files.values())) + body["file_size"] > self.quota:
            return 400, {"data_file": ["Insufficient space. Your available space is 0.0 B."]}
        key = self._dataset(body["type"], body["request_sassy_file_name"], body["file_size"])
        return 201, {"key": key, "sassy_url": self._sign_dataset(key)}

    @_route("GET /api/datasets/")
    def _find_dataset(self, query: Any, body: Any) -> Answer:
        return self._paged(query, [{"id": self.datasets[query["key"]]["id"], "key": query["key"]}])

    @_route("PUT /api/datasets/completed/*/")
    def _complete(self, query: Any, body: Any, key: str) -> Answer:
        if self.datasets[key]["type"] != "competition_bundle":
            return 200, {"key": key}
        status = len(self.imports) + 3
        self.imports[status] = {"key": key, "left": 1}
        return 200, {"status_id": status}

    @_route("GET /api/competitions/*/creation_status/")
    def _tell_import(self, query: Any, body: Any, number: int) -> Answer:
        started = self.imports[number]
        found = {"status": "Finished", "details": None, "resulting_competition": None}
        if started["left"]:
            started["left"] -= 1
            return 200, {**found, "status": "Starting"}
        try:
            started.setdefault("competition", self._import(started["key"]))
        except (KeyError, zipfile.BadZipFile) as error:
            return 200, {**found, "status": "Failed", "details": str(error)}
        return 200, {**found, "resulting_competition": started["competition"]}

    @_route("POST /api/competitions/*/toggle_publish/")
    def _toggle(self, query: Any, body: Any, number: int) -> Answer:
        self.competitions[number]["published"] ^= True
        return 200, {}

    @_route("GET /api/competitions/*/")
    def _competition(self, query: Any, body: Any, number: int) -> Answer:
        return 200, self.competitions[number]

    @_route("PATCH /api/competitions/*/")
    def _change_competition(self, query: Any, body: Any, number: int) -> Answer:
        found = self.competitions[number]
        found.update(whitelist_emails=body["whitelist_emails"])  # without it, an error
        found.update({key: body[key] for key in ("terms", "pages") if key in body})
        for place, page in enumerate(found["pages"], 1):
            page.setdefault("id", 100 + place)
        return 200, {}

    @_route("PATCH /api/phases/*/")
    def _change_phase(self, query: Any, body: Any, number: int) -> Answer:
        keys = {dataset["id"]: key for key, dataset in self.datasets.items()}
        for kind, kit in body.items():
            self._phase(number)[1][kind] = None if kit is None else {"id": kit, "key": keys[kit]}
        return 200, {}

    @_route("GET /api/tasks/*/")
    def _task(self, query: Any, body: Any, number: int) -> Answer:
        task = self.tasks[number]
        keys = {part: task["parts"].get(part) for part in PARTS}
        shown = {part: key and {"id": 1, "key": key} for part, key in keys.items()}
        return 200, {"id": task["id"], "name": task["name"], **shown}

    @_route("PATCH /api/tasks/*/")
    def _change_task(self, query: Any, body: Any, number: int) -> Answer:
        program = self.tasks[number]["parts"]["scoring_program"]
        self.tasks[number]["parts"] = {"scoring_program": program, **body}  # what is not sent is lost
        return 200, {"id": number}

    @_route("GET /api/can_make_submission/*/")
    def _may_submit(self, query: Any, body: Any, phase: int) -> Answer:
        reason = self._refusal(self._phase(phase)[1], ORGANISER)
        return 200, {"can": reason is None, "reason": reason}

    @_route("GET /api/phases/*/get_leaderboard/")
    def _board(self, query: Any, body: Any, phase: int) -> Answer:
        runs = sorted(self.submissions.values(), key=self._order(self._phase(phase)[0]))
        shown = [{"id": run["id"]} for run in runs if run["phase"] == phase and run["leaderboard"]]
        status, answer = self._paged(query, shown, "submissions")
        return status, {"title": "Results", **answer} if isinstance(answer, dict) else {"submissions": answer}

    @_route("POST /api/submissions/")
    def _make_submission(self, query: Any, body: Any) -> Answer:
        _, phase = self._phase(body["phase"])
        inactive = None if self._is_active(phase) else "This phase is not active."
        if self.today and (reason := inactive or self._refusal(phase, ORGANISER)):
            return 400, {"non_field_errors": [reason]}
        return 201, {"id": self._submit(body["phase"], ORGANISER, body["data"], body["tasks"][0])}

    @_route("GET /api/submissions/")
    def _list_submissions(self, query: Any, body: Any) -> Answer:
        self._go_on()
        hidden = query.get("show_is_soft_deleted") != "true"
        found = [
            self._listed(run)
            for run in sorted(self.submissions.values(), key=lambda run: -run["id"])
            if run["phase"] == int(query["phase"]) and not (hidden and run["is_soft_deleted"])
            if not self.anonymous or (run["leaderboard"] and not self.today)
        ]
        return self._paged(query, found)

    def _paged(self, query: dict[str, str], rows: list[Any], key: str = "results") -> Answer:
        """Answer with a page of a list, or, in older versions, with the whole list."""
        if self.page_size is None:
            return 200, rows
        if "page_size" in query:
            return 500, {"detail": "AttributeError"}  # `all`, which nobody needs
        page = int(query.get("page", "1"))
        shown = rows[(page - 1) * self.page_size : page * self.page_size]
        if not shown and page > 1:
            return 404, {"detail": "Invalid page."}
        more = page * self.page_size < len(rows)
        self.on_page()
        return 200, {"count": len(rows), "next": "http://django/next" if more else None, key: shown}

    def _run(self, number: int) -> dict[str, Any]:
        """Return a run; KeyError where the caller may not see it."""
        run = self.submissions[number]
        if self.anonymous and (self.today or not run["leaderboard"]):
            raise KeyError(number)
        return run

    @_route("DELETE /api/submissions/*/")
    def _delete(self, query: Any, body: Any, number: int) -> Answer:
        for gone in (*self._copies(self._run(number)), self._run(number)):
            del self.submissions[gone["id"]]
        return 204, None

    @_route("GET /api/submissions/*/get_details/")
    def _details(self, query: Any, body: Any, number: int) -> Answer:
        run = self._run(number)
        if run["data"] is None:
            return 500, {"detail": "AttributeError"}
        links = {name: self._sign(path) for name, path in run["outputs"].items()}
        results = {f"{name}_result": links.get(name) for name in ("prediction", "scoring", "detailed")}
        logs = [name for name in ("scoring_stdout", "scoring_stderr") if links]
        shown = [{"name": name, "data_file": links[name]} for name in logs]
        return 200, {"data_file": self._sign_dataset(run["data"]), **results, "logs": shown}

    @_route("POST /api/submissions/*/run_submission/")
    def _start(self, query: Any, body: Any, number: int) -> Answer:
        self._run(number)["step"] = 0
        return 200, {"id": number}

    @_route("POST /api/submissions/*/submission_leaderboard_connection/")
    def _pick(self, query: Any, body: Any, number: int) -> Answer:
        run = self._run(number)
        for other in self._own(run["phase"], run["owner"]):
            other["leaderboard"] = other is run
        return 200, {}

    @_route("POST /api/submissions/*/re_run_submission/")
    def _run_again(self, query: Any, body: Any, number: int) -> Answer:
        run = self._run(number)
        if run["status"] not in ("Finished", "Failed", "Cancelled"):
            return 403, {
                "detail": "Cannot request a re-run on a submission that has not finished processing."
            }
        return 200, {"id": self._submit(run["phase"], run["owner"], run["data"], run["task"])}


Response = tuple[int, dict[str, str], bytes]


class _Handler(BaseHTTPRequestHandler):
    name: str
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    @property
    def own(self) -> CodabenchServer:
        return self.server.application  # type: ignore[attr-defined, no-any-return]

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Response:
        raise NotImplementedError

    def _serve(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        query = {key: values[0] for key, values in parse_qs(parts.query).items()}
        with self.own.lock:
            said = self.headers.get("Authorization")
            self.own.requests.append((f"{self.name} {self.command}", self.path, said))
            mishap = self.own.mishap(f"{self.name} {self.command} {self.path}")
            kind = mishap.kind if mishap else ""
            self.close_connection |= kind in ("drop", "act-and-drop", "cut")
            if kind == "drop":
                return
            if mishap and isinstance(mishap.kind, int):
                status, headers, data = mishap.kind, mishap.headers, mishap.body
            else:
                status, headers, data = self.respond(parts.path, query, body)
        if kind == "act-and-drop":
            return
        data = b"<html>Down for maintenance</html>" if kind == "html" else data
        half = len(data) // 2
        if kind == "damage":
            data = data[:half] + bytes([data[half] ^ 255]) + data[half + 1 :]
        self.send_response(status)
        for key, value in {**headers, "Content-Length": str(half if kind == "lie" else len(data))}.items():
            self.send_header(key, value)
        self.end_headers()
        self.wfile.write(data[:half] if kind in ("cut", "lie") else data)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

    def log_message(self, *_: object) -> None: ...


class _Api(_Handler):
    name = "API"

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Response:
        if path == "/api/api-token-auth/":
            return self._give_token(parse_qs(body.decode()))
        if path == "/accounts/login/":
            return self._sign_in(parse_qs(body.decode()))
        said = self.headers.get("Authorization")
        if path.startswith("/datasets/") and not self._may_download(said):
            return 404, {}, b"<html>Not Found</html>"
        if said and said != f"Token {TOKEN}":
            return 401, {}, b'{"detail": "Invalid token."}'
        public = path.startswith(("/api/submissions/", "/api/phases/", "/datasets/"))
        if not said and not (public and self.command == "GET"):
            return 401, {}, b'{"detail": "Authentication credentials were not provided."}'
        try:
            self.own.anonymous = not said
            status, found = self.own.answer(self.command, path, query, json.loads(body) if body else None)
        except (KeyError, IndexError, ValueError):
            status, found = 404, {"detail": "Not found."}
        if status == 302:
            return status, {"Location": found}, b""
        shown = json.dumps(found).encode() if found is not None else b""
        return status, {"Content-Type": "application/json"}, shown

    def _may_download(self, said: str | None) -> bool:
        """Programs and data are no part of the API: a token counts as nobody in newer versions."""
        cookies = SimpleCookie(self.headers.get("Cookie", ""))
        session = "sessionid" in cookies and cookies["sessionid"].value == SESSION
        return session or self.own.readable or (said == f"Token {TOKEN}" and not self.own.today)

    def _give_token(self, form: dict[str, list[str]]) -> Response:
        if form == {"username": [ORGANISER], "password": [PASSWORD]}:
            return 200, {}, json.dumps({"token": TOKEN}).encode()
        return 400, {}, b'{"non_field_errors":["Unable to log in with provided credentials."]}'

    def _sign_in(self, form: dict[str, list[str]]) -> Response:
        """Django's form: the token in the cookie and in the form, and a page of this server as referrer."""
        page = b"<html><form method=post></form></html>"
        if self.command == "GET":
            return 200, {"Set-Cookie": f"csrftoken={CSRF}; Path=/; SameSite=Lax"}, page
        sent = SimpleCookie(self.headers.get("Cookie", ""))
        known = form.pop("csrfmiddlewaretoken", None) == [CSRF] == [sent["csrftoken"].value]
        if not known or self.headers.get("Referer") != f"{self.own.address}/accounts/login/":
            return 403, {}, b"<html>CSRF verification failed.</html>"
        if form != {"username": [ORGANISER], "password": [PASSWORD]}:
            return 200, {}, page
        return 302, {"Location": "/", "Set-Cookie": f"sessionid={SESSION}; HttpOnly; Path=/"}, b""


class _Storage(_Handler):
    name = "STORE"

    def respond(self, path: str, query: dict[str, str], body: bytes) -> Response:
        signature = int(query.get("signature", "0"))
        if self.headers.get("Authorization") or not signature or signature in self.own.expired:
            return 403, {}, b"<Error><Code>AccessDenied</Code></Error>"
        if self.command == "PUT":
            self.own.files[path] = body
            return 200, {}, b""
        if path not in self.own.files:
            return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
        return 200, {"Content-Type": "application/zip"}, self.own.files[path]
