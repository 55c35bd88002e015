"""A server that speaks as much of Codabench's API as `speechbundles.server` needs, and misbehaves on request.

Written from the facts in Codabench's source: `src/apps/api/views` and `serializers` (what is answered, who may),
`competitions/unpackers/v2.py` (what becomes of a bundle), `leaderboards/strategies.py` (what is on a board),
`compute_worker.py` (a run is Finished before its scores and output are there). Storage is a second server at another
port, at signed addresses. Runs go a step further whenever their list is read.

It behaves as version 1.25, or, with `today`, as after these pull requests: submissions outside a phase's dates or over
a limit are refused (2496); programs and data are for signed-in sessions only (2348); runs and their details are not for
others (2525, 2536); the list of runs has pages (2245); an encrypted submission ends as Failed (2294), and does not stay
Preparing.
"""

from __future__ import annotations

import io
import json
import threading
import uuid
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

TOKEN = "0123456789abcdef0123456789abcdef01234567"
PASSWORD = "päss & 'word' = \\1"
CSRF, SESSION = "c5rf" * 8, "5e55ion" * 4
ORGANISER, COLLABORATOR = "organiser", "collaborator"
STEPS = ("Submitted", "Preparing", "Running", "Scoring")
PARTS = ("scoring_program", "ingestion_program", "input_data", "reference_data")

Score = Callable[[dict[str, bytes], bytes], "dict[str, float] | None"]
"""What a run gives: a task's parts and the upload -> scores; None: it fails."""


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


TEXTS = ("title", "description", "contact_email", "reward", "fact_sheet", "docker_image")
# What the server makes of keys that a bundle leaves out.
PHASE = {
    **{"description": None, "max_submissions_per_day": 5, "execution_time_limit": 600, "hide_output": False},
    **{"auto_migrate_to_this_phase": False, "hide_prediction_output": False, "hide_score_output": False},
}
COMPETITION = {
    **{"competition_type": "competition", "enable_detailed_results": False, "auto_run_submissions": True},
    **{"show_detailed_results_in_submission_panel": True, "show_detailed_results_in_leaderboard": True},
    **{"can_participants_make_submissions_public": True, "make_programs_available": False},
    **{"make_input_data_available": False, "registration_auto_approve": False, "forum_enabled": True},
}
BOARD = {"primary_index": 0, "submission_rule": "Add", "hidden": False}
COLUMN = {"sorting": "desc", "precision": 2, "hidden": False, "computation": None}


def _given(content: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    return {key: content.get(key, default) for key, default in defaults.items()}


class CodabenchServer:
    """Started with `with`; `address` is the API's."""

    def __init__(self, score: Score, *, today: bool = False) -> None:
        self.score = score
        self.today = today
        self.mishaps: list[Mishap] = []
        self.requests: list[tuple[str, str, str | None]] = []
        """`API POST`, path, Authorization."""
        self.files: dict[str, bytes] = {}
        self.datasets: dict[str, dict[str, Any]] = {}
        self.tasks: dict[int, dict[str, Any]] = {}
        self.competitions: dict[int, dict[str, Any]] = {}
        self.imports: dict[int, dict[str, Any]] = {}
        self.submissions: dict[int, dict[str, Any]] = {}
        self.numbers = count(1)
        self.quota = 10**9
        self.page_size = 50 if today else None
        self.on_page: Callable[[], None] = lambda: None
        self.signature = 0
        self.expired: set[int] = set()
        self.gives_datasets = True
        self.readable = not today
        """Whether others can download programs and data."""
        self.anonymous = False
        """Whether the request that is being answered has no token."""
        self.wait_import = 1
        self.stuck = False
        self.backwards = False
        """Of runs at the same step, the last made is the first to go on."""
        self.queues: dict[str, int] = {}
        """Owners in groups with queues of their own: a submission gets a copy for each (newer versions)."""
        self.returns_hidden = True
        """Whether scores of hidden columns are returned; newer versions return none."""
        self.change: Callable[[dict[str, Any]], None] = lambda competition: None
        """What the import gets wrong."""
        self.now = datetime(2027, 3, 2, 9, 0, 0, 123456)
        self.lock = threading.RLock()

    def __enter__(self) -> CodabenchServer:
        self._servers = [
            ThreadingHTTPServer(("127.0.0.1", 0), self._handler(name)) for name in ("API", "STORE")
        ]
        for server in self._servers:
            server.daemon_threads = True
            threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self.address, self.storage = (f"http://127.0.0.1:{server.server_port}" for server in self._servers)
        return self

    def __exit__(self, *_: object) -> None:
        for server in self._servers:
            server.shutdown()
            server.server_close()

    # What tests do in others' names

    def enter(self, phase: int, owner: str, upload: bytes, *, finished: bool = True) -> int:
        """A participant's submission, which has run its way."""
        key = self._dataset("submission", "answer.zip", len(upload), owner)
        self.files[self.datasets[key]["path"]] = upload
        run = self._submit(phase, owner, key)
        while finished and self.submissions[run]["step"] < len(STEPS) + 2:
            self._go_on()
        return run

    def delete_upload(self, run: int) -> None:
        """As the owner's soft delete does: the files go, the record stays."""
        self.submissions[run].update(data=None, is_soft_deleted=True, outputs={}, leaderboard=False)

    def called(self, begins: str) -> list[str]:
        return [f"{what} {path}" for what, path, _ in self.requests if f"{what} {path}".startswith(begins)]

    # The application

    def _tick(self) -> str:
        self.now += timedelta(seconds=1)
        return f"{self.now.isoformat()}Z"

    def _dataset(self, kind: str, name: str, size: int, owner: str = ORGANISER) -> str:
        key = str(uuid.UUID(int=len(self.datasets) + 1))
        path = f"/bundles/dataset/{key[-12:]}/{name}"
        self.datasets[key] = {"type": kind, "path": path, "owner": owner, "size": size, "name": name}
        self.datasets[key]["id"] = len(self.datasets) + 1000
        self.files[path] = b""
        return key

    def _sign(self, path: str) -> str:
        self.signature += 1
        return f"{self.storage}{path}?signature={self.signature}"

    def _import(self, key: str) -> int:
        with zipfile.ZipFile(io.BytesIO(self.files[self.datasets[key]["path"]])) as archive:
            files = {name: archive.read(name) for name in archive.namelist()}
        content = yaml.load(files["competition.yaml"], getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        number = len(self.competitions) + 7
        tasks: dict[int, int] = {}
        for task in content["tasks"]:
            own = len(self.tasks) + 31
            parts = {}
            for part in PARTS:
                if part in task:
                    inner = self._dataset(part, task[part], 0)
                    self.files[self.datasets[inner]["path"]] = files[task[part]]
                    parts[part] = inner
            self.tasks[own] = {"id": own, "name": task["name"], "parts": parts}
            tasks[task["index"]] = own
        phases = [
            {
                **{"id": 100 * number + index, "index": index, "name": phase["name"], **_given(phase, PHASE)},
                "start": phase["start"].replace(" ", "T") + "Z",
                "end": phase["end"].replace(" ", "T") + "Z" if phase.get("end") else None,
                "max_submissions_per_person": phase.get("max_submissions", 100),
                "has_max_submissions": True,
                **{kind: self._kit(kind, phase.get(kind), files) for kind in ("starting_kit", "public_data")},
                "tasks": [
                    {key: self.tasks[tasks[task]][key] for key in ("id", "name")} for task in phase["tasks"]
                ],
            }
            for index, phase in enumerate(sorted(content["phases"], key=lambda phase: phase["index"]))
        ]
        board = content["leaderboards"][0]
        served = {
            **{"id": number, "secret_key": str(uuid.UUID(int=5)), "published": False, "queue": None},
            **{"created_by": ORGANISER, "collaborators": [{"id": 2, "name": "Co", "username": COLLABORATOR}]},
            **{key: content.get(key) for key in TEXTS},
            **_given(content, COMPETITION),
            "terms": files[content["terms"]].decode().strip(),
            "pages": [
                {
                    **{"id": index + 1, "title": page["title"], "index": index},
                    "content": files[page["file"]].decode().strip(),
                }
                for index, page in enumerate(content["pages"])
            ],
            "whitelist_emails": [],
            "phases": phases,
            "leaderboards": [
                {
                    **{"title": board["title"], "key": board["key"], **_given(board, BOARD)},
                    "columns": [{**COLUMN, **column} for column in board["columns"]],
                }
            ],
        }
        self.change(served)
        self.competitions[number] = served
        return number

    def _kit(self, kind: str, name: str | None, files: dict[str, bytes]) -> dict[str, Any] | None:
        if name is None:
            return None
        key = self._dataset(kind, name, 0)
        self.files[self.datasets[key]["path"]] = files[name]
        return {"id": self.datasets[key]["id"], "key": key}

    def _phase(self, phase: int) -> tuple[dict[str, Any], dict[str, Any]]:
        for competition in self.competitions.values():
            for found in competition["phases"]:
                if found["id"] == phase:
                    return competition, found
        raise KeyError(phase)

    def _refusal(self, phase: dict[str, Any], owner: str) -> str | None:
        """Why an owner may not submit to a phase now, as `Phase.can_user_make_submissions` has it; None: he may."""
        own = [
            run
            for run in self.submissions.values()
            if (run["phase"], run["owner"], run["parent"]) == (phase["id"], owner, None)
            and run["status"] != "Failed"
        ]
        day = f"{self.now:%Y-%m-%d}"
        if 0 < (phase["max_submissions_per_day"] or 0) <= sum(run["created_when"][:10] == day for run in own):
            return "Reached maximum allowed submissions for today for this phase"
        if 0 < (phase["max_submissions_per_person"] or 0) <= len(own):
            return "Reached maximum allowed submissions for this phase"
        return None

    def _is_active(self, phase: dict[str, Any]) -> bool:
        start, end = (phase[key] and datetime.fromisoformat(phase[key][:-1]) for key in ("start", "end"))
        return bool(start <= self.now and (end is None or self.now < end))

    def _submit(self, phase: int, owner: str, key: str | None, task: int | None = None) -> int:
        number = next(self.numbers)
        competition, found = self._phase(phase)
        self.submissions[number] = {
            **{"id": number, "phase": phase, "owner": owner, "data": key, "created_when": self._tick()},
            **{"status": "Submitting", "step": 0 if competition["auto_run_submissions"] else -1},
            **{"scores": {}, "outputs": {}, "leaderboard": False, "is_soft_deleted": False},
            **{"task": task or found["tasks"][0]["id"], "parent": None},
        }
        self.submissions[number].update(shown_task={"id": self.submissions[number]["task"]})
        for _ in range(self.queues.get(owner, 0)):
            copy = next(self.numbers)
            own = {"id": copy, "parent": number, "scores": {}, "outputs": {}}
            self.submissions[copy] = {**self.submissions[number], **own}
        if owner in self.queues:
            self.submissions[number].update(shown_task=None)
        return number

    def _copies(self, run: dict[str, Any]) -> list[dict[str, Any]]:
        return [copy for copy in self.submissions.values() if copy["parent"] == run["id"]]

    def _go_on(self) -> None:
        """Every run takes its next step."""
        if self.stuck:
            return
        for run in list(self.submissions.values())[:: -1 if self.backwards else 1]:
            step = run["step"]
            if step < 0 or step >= len(STEPS) + 2 or run["is_soft_deleted"]:
                continue
            run["step"] += 1
            if copies := self._copies(run):
                ended = all(copy["status"] in ("Finished", "Failed") for copy in copies)
                run["status"] = "Finished" if ended else "Running"
                continue
            if step == len(STEPS[:2]) and not self.today and self._is_encrypted(run):
                run["step"] = step  # unpacking raises an error that the worker does not report
                continue
            if step < len(STEPS):
                run["status"] = STEPS[step]
            elif step == len(STEPS):
                parts = {
                    part: self.files[self.datasets[key]["path"]]
                    for part, key in self.tasks[run["task"]]["parts"].items()
                }
                run["result"] = self.score(parts, self.files[self.datasets[run["data"]]["path"]])
                run["status"] = "Failed" if run["result"] is None else "Finished"
                for name in ("prediction", "scoring", "detailed", "scoring_stdout", "scoring_stderr"):
                    path = f"/bundles/{name}/{run['id']}"
                    self.files[path] = b""
                    run["outputs"][name] = path
                self.files[run["outputs"]["scoring_stdout"]] = b"scored\n"
            elif run["result"] is not None:
                self._store(run)

    def _is_encrypted(self, run: dict[str, Any]) -> bool:
        upload = self.files[self.datasets[run["data"]]["path"]] if run["data"] else b""
        if not zipfile.is_zipfile(io.BytesIO(upload)):
            return False
        with zipfile.ZipFile(io.BytesIO(upload)) as archive:
            return any(entry.flag_bits & 1 for entry in archive.infolist())

    def _store(self, run: dict[str, Any]) -> None:
        run["scores"] = {key: Decimal(str(score)) for key, score in run["result"].items()}
        signature = "synthetic|items:40|version:1"
        output = io.BytesIO()
        with zipfile.ZipFile(output, "w") as archive:
            archive.writestr("scores.json", json.dumps(run["result"]))
            archive.writestr("signature.txt", signature)
        self.files[run["outputs"]["scoring"]] = output.getvalue()
        self.files[run["outputs"]["prediction"]] = output.getvalue()
        competition, _ = self._phase(run["phase"])
        rule = competition["leaderboards"][0]["submission_rule"]
        own = [
            other
            for other in self.submissions.values()
            if (other["phase"], other["owner"]) == (run["phase"], run["owner"])
        ]
        if rule.startswith("Add"):
            return
        if rule != "Force_Latest_Multiple":
            for other in own:
                other["leaderboard"] = False
        best = [
            other
            for other in own
            if other["status"] == "Finished" and not other["is_soft_deleted"] and not self._copies(other)
        ]
        chosen = min(best, key=self._order(competition)) if rule == "Force_Best" else run
        for other in own:
            if other is chosen or other["parent"] == chosen["parent"] is not None:
                other["leaderboard"] = True

    def _order(self, competition: dict[str, Any]) -> Callable[[dict[str, Any]], Any]:
        board = competition["leaderboards"][0]
        columns = sorted(
            board["columns"], key=lambda column: (column["index"] != board["primary_index"], column["index"])
        )

        def order(run: dict[str, Any]) -> Any:
            key = []
            for column in columns:
                score, down = run["scores"].get(column["key"]), column["sorting"] == "desc"
                if score is None:  # null is the largest to the database
                    key.append((0, 0) if down else (2, 0))
                else:
                    key.append((1, -score if down else score))
            return key, run["created_when"]

        return order

    def _listed(self, run: dict[str, Any]) -> dict[str, Any]:
        competition, _ = self._phase(run["phase"])
        columns = competition["leaderboards"][0]["columns"]
        hidden = {column["key"] for column in columns if column["hidden"]}
        return {
            **{
                key: run[key] for key in ("id", "owner", "phase", "created_when", "status", "is_soft_deleted")
            },
            **{"parent": run["parent"], "task": run["shown_task"], "is_specific_task_re_run": False},
            "on_leaderboard": run["leaderboard"],
            "filename": self.datasets[run["data"]]["name"] if run["data"] else "Deleted File",
            "scores": [
                {"id": 1, "index": 0, "column_key": key, "score": f"{score:.10f}"}
                for key, score in run["scores"].items()
                if self.returns_hidden or key not in hidden
            ],
        }

    def answer(self, method: str, path: str, query: dict[str, str], body: Any) -> tuple[int, Any]:
        """An API's answer: a status and JSON, or an address to go on to."""
        parts = path.strip("/").split("/")
        if parts[:2] == ["datasets", "download"] and method == "GET":
            if not self.gives_datasets:
                return 302, "/accounts/login/?next=/"
            return 302, self._sign(self.datasets[parts[2]]["path"])
        head, rest = parts[1], parts[2:]
        if head == "datasets" and method == "POST":
            if sum(map(len, self.files.values())) + body["file_size"] > self.quota:
                return 400, {"data_file": ["Insufficient space. Your available space is 0.0 B."]}
            key = self._dataset(body["type"], body["request_sassy_file_name"], body["file_size"])
            return 201, {"key": key, "sassy_url": self._sign(self.datasets[key]["path"])}
        if head == "datasets" and method == "GET":
            listed = [{"id": self.datasets[query["key"]]["id"], "key": query["key"]}]
            return 200, {"count": 1, "next": None, "results": listed}
        if head == "datasets" and rest[0] == "completed" and method == "PUT":
            if self.datasets[rest[1]]["type"] != "competition_bundle":
                return 200, {"key": rest[1]}
            status = len(self.imports) + 3
            self.imports[status] = {"key": rest[1], "left": self.wait_import}
            return 200, {"status_id": status}
        if head == "competitions" and rest[1:] == ["creation_status"]:
            started = self.imports[int(rest[0])]
            if started["left"]:
                started["left"] -= 1
                return 200, {"status": "Starting", "details": None, "resulting_competition": None}
            try:
                started.setdefault("competition", self._import(started["key"]))
            except (KeyError, zipfile.BadZipFile) as error:
                return 200, {"status": "Failed", "details": str(error), "resulting_competition": None}
            made = started["competition"]
            return 200, {"status": "Finished", "details": None, "resulting_competition": made}
        if head == "competitions" and rest[1:] == ["toggle_publish"] and method == "POST":
            found = self.competitions[int(rest[0])]
            found["published"] = not found["published"]
            return 200, {"published": found["published"]}
        if head == "competitions" and method == "PATCH":
            found = self.competitions[int(rest[0])]
            found.update({"whitelist_emails": body["whitelist_emails"]})  # without it, an error
            found.update({key: body[key] for key in ("terms", "pages") if key in body})
            for number, page in enumerate(found["pages"], 1):
                page.setdefault("id", 100 + number)
            return 200, {}
        if head == "phases" and method == "PATCH":
            _, found = self._phase(int(rest[0]))
            for kind, number in body.items():
                if number is None:
                    found[kind] = None
                    continue
                key = next(key for key, dataset in self.datasets.items() if dataset["id"] == number)
                found[kind] = {"id": number, "key": key}
            return 200, {}
        if head == "competitions" and int(rest[0]) in self.competitions:
            return 200, self.competitions[int(rest[0])]
        if head == "tasks" and method == "GET":
            task = self.tasks[int(rest[0])]
            shown = {
                part: {"id": 1, "key": task["parts"][part]} if part in task["parts"] else None
                for part in PARTS
            }
            return 200, {"id": task["id"], "name": task["name"], **shown}
        if head == "tasks" and method == "PATCH":
            task = self.tasks[int(rest[0])]
            program = task["parts"]["scoring_program"]
            task["parts"] = {"scoring_program": program, **body}  # what is not sent is lost
            return 200, {"id": task["id"]}
        if head == "can_make_submission":
            reason = self._refusal(self._phase(int(rest[0]))[1], ORGANISER)
            return 200, {"can": reason is None, "reason": reason}
        if head == "phases" and rest[1] == "get_leaderboard":
            competition, _ = self._phase(int(rest[0]))
            runs = sorted(self.submissions.values(), key=self._order(competition))
            shown = [run["id"] for run in runs if run["phase"] == int(rest[0]) and run["leaderboard"]]
            return 200, {"title": "Results", "submissions": [{"id": run, "owner": "?"} for run in shown]}
        if head == "submissions":
            return self._answer_submissions(method, rest, query, body)
        return 404, {"detail": "Not found."}

    def _answer_submissions(
        self, method: str, rest: list[str], query: dict[str, str], body: Any
    ) -> tuple[int, Any]:
        if not rest and method == "POST":
            _, phase = self._phase(body["phase"])
            if self.today and not self._is_active(phase):
                return 400, {"non_field_errors": ["This phase is not active."]}
            if self.today and (reason := self._refusal(phase, ORGANISER)):
                return 400, {"non_field_errors": [reason]}
            return 201, {"id": self._submit(body["phase"], ORGANISER, body["data"], body["tasks"][0])}
        if not rest:
            self._go_on()
            hidden = query.get("show_is_soft_deleted") != "true"
            found = [
                self._listed(run)
                for run in sorted(self.submissions.values(), key=lambda run: -run["id"])
                if run["phase"] == int(query["phase"]) and not (hidden and run["is_soft_deleted"])
                if not self.anonymous or (run["leaderboard"] and not self.today)
            ]
            if self.page_size is None:
                return 200, found
            page = int(query.get("page", "1"))
            shown = found[(page - 1) * self.page_size : page * self.page_size]
            if not shown and page > 1:
                return 404, {"detail": "Invalid page."}
            more = page * self.page_size < len(found)
            self.on_page()
            following = "http://django/next" if more else None
            return 200, {"count": len(found), "next": following, "results": shown}
        run = self.submissions.get(int(rest[0]))
        if run is None or (self.anonymous and (self.today or not run["leaderboard"])):
            return 404, {"detail": "Not found."}
        if method == "DELETE":
            for gone in (*self._copies(run), run):
                del self.submissions[gone["id"]]
            return 204, None
        if rest[1] == "get_details":
            if run["data"] is None:
                return 500, {"detail": "AttributeError"}
            outputs = run["outputs"]
            return 200, {
                "data_file": self._sign(self.datasets[run["data"]]["path"]),
                "prediction_result": self._sign(outputs["prediction"]) if outputs else None,
                "scoring_result": self._sign(outputs["scoring"]) if outputs else None,
                "detailed_result": self._sign(outputs["detailed"]) if outputs else None,
                "logs": [
                    {"name": name, "data_file": self._sign(outputs[name])}
                    for name in ("scoring_stdout", "scoring_stderr")
                    if outputs
                ],
            }
        if rest[1] == "run_submission":
            run["step"] = 0
            return 200, {"id": run["id"]}
        if rest[1] == "submission_leaderboard_connection":
            for other in self.submissions.values():
                if (other["phase"], other["owner"]) == (run["phase"], run["owner"]):
                    other["leaderboard"] = other is run
            return 200, {}
        if rest[1] == "re_run_submission":
            if run["status"] not in ("Finished", "Failed", "Cancelled"):
                return 403, {
                    "detail": "Cannot request a re-run on a submission that has not finished processing."
                }
            return 200, {"id": self._submit(run["phase"], run["owner"], run["data"], run["task"])}
        return 404, {"detail": "Not found."}

    # HTTP

    def _mishap(self, what: str) -> Mishap | None:
        for mishap in self.mishaps:
            if what.startswith(mishap.begins) and mishap.times:
                if mishap.after:
                    mishap.after -= 1
                    continue
                mishap.times -= 1
                return mishap
        return None

    def _handler(outer, name: str) -> type[BaseHTTPRequestHandler]:
        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _serve(self) -> None:
                size = int(self.headers.get("Content-Length") or 0)
                body = self.rfile.read(size)
                what = f"{name} {self.command} {self.path}"
                with outer.lock:
                    outer.requests.append(
                        (f"{name} {self.command}", self.path, self.headers.get("Authorization"))
                    )
                    mishap = outer._mishap(what)
                    kind = mishap.kind if mishap else ""
                    if kind == "drop":
                        self.close_connection = True
                        return
                    status, headers, data = (
                        (kind, mishap.headers, mishap.body)
                        if mishap and isinstance(kind, int)
                        else self._answer(body)
                    )
                if kind == "act-and-drop":
                    self.close_connection = True
                    return
                if kind == "html":
                    data = b"<html>Down for maintenance</html>"
                if kind == "damage":
                    middle = len(data) // 2
                    data = data[:middle] + bytes([data[middle] ^ 255]) + data[middle + 1 :]
                length = len(data) // 2 if kind == "lie" else len(data)
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(length))
                self.end_headers()
                self.wfile.write(data[: len(data) // 2] if kind in ("cut", "lie") else data)
                if kind == "cut":
                    self.close_connection = True

            def _answer(self, body: bytes) -> tuple[int, dict[str, str], bytes]:
                parts = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(parts.query).items()}
                if name == "STORE":
                    return self._store(parts.path, int(query.get("signature", "0")), body)
                if parts.path == "/api/api-token-auth/":
                    return self._give_token(parse_qs(body.decode()))
                if parts.path == "/accounts/login/":
                    return self._sign_in(parse_qs(body.decode()))
                cookies = SimpleCookie(self.headers.get("Cookie", ""))
                if parts.path.startswith("/datasets/"):  # no part of the API: a token counts as nobody
                    session = "sessionid" in cookies and cookies["sessionid"].value == SESSION
                    token = self.headers.get("Authorization") == f"Token {TOKEN}"
                    if not (session or outer.readable or (token and not outer.today)):
                        return 404, {}, b"<html>Not Found</html>"
                anonymous = not self.headers.get("Authorization")
                if not anonymous and self.headers["Authorization"] != f"Token {TOKEN}":
                    return 401, {}, b'{"detail": "Invalid token."}'
                public = parts.path.startswith(("/api/submissions/", "/api/phases/", "/datasets/"))
                if anonymous and not (public and self.command == "GET"):
                    return 401, {}, b'{"detail": "Authentication credentials were not provided."}'
                try:
                    content = json.loads(body) if body else None
                    outer.anonymous = anonymous
                    status, found = outer.answer(self.command, parts.path, query, content)
                except (KeyError, IndexError, ValueError):
                    status, found = 404, {"detail": "Not found."}
                if status == 302:
                    return status, {"Location": found}, b""
                shown = json.dumps(found).encode() if found is not None else b""
                return status, {"Content-Type": "application/json"}, shown

            def _give_token(self, form: dict[str, list[str]]) -> tuple[int, dict[str, str], bytes]:
                if form == {"username": [ORGANISER], "password": [PASSWORD]}:
                    return 200, {}, json.dumps({"token": TOKEN}).encode()
                return 400, {}, b'{"non_field_errors":["Unable to log in with provided credentials."]}'

            def _sign_in(self, form: dict[str, list[str]]) -> tuple[int, dict[str, str], bytes]:
                """Django's form: the token in the cookie and in the form, and a page of this server as referrer."""
                page = b"<html><form method=post></form></html>"
                if self.command == "GET":
                    return 200, {"Set-Cookie": f"csrftoken={CSRF}; Path=/; SameSite=Lax"}, page
                sent = SimpleCookie(self.headers.get("Cookie", ""))
                known = form.pop("csrfmiddlewaretoken", None) == [CSRF] == [sent["csrftoken"].value]
                if not known or self.headers.get("Referer") != f"{outer.address}/accounts/login/":
                    return 403, {}, b"<html>CSRF verification failed.</html>"
                if form != {"username": [ORGANISER], "password": [PASSWORD]}:
                    return 200, {}, page
                return 302, {"Location": "/", "Set-Cookie": f"sessionid={SESSION}; HttpOnly; Path=/"}, b""

            def _store(self, path: str, signature: int, body: bytes) -> tuple[int, dict[str, str], bytes]:
                if self.headers.get("Authorization") or not signature or signature in outer.expired:
                    return 403, {}, b"<Error><Code>AccessDenied</Code></Error>"
                if self.command == "PUT":
                    outer.files[path] = body
                    return 200, {}, b""
                if path not in outer.files:
                    return 404, {}, b"<Error><Code>NoSuchKey</Code></Error>"
                return 200, {"Content-Type": "application/zip"}, outer.files[path]

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _serve

            def log_message(self, *_: object) -> None: ...

        return Handler
