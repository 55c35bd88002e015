"""What becomes of bundles, submissions and runs on Codabench; `codabench_server` serves it.

Written from the facts in Codabench's source: `competitions/unpackers/v2.py` (what becomes of a bundle),
`leaderboards/strategies.py` (what is on a board), `compute_worker.py` (a run is Finished before its scores and output
are there). Runs go a step further whenever their list is read.

It behaves as version 1.25, or, with `today`, as after these pull requests: submissions outside a phase's dates or over
a limit are refused (2496); programs and data are for signed-in sessions only (2348); runs and their details are not for
others (2525, 2536); lists have pages (2245, 2319); an encrypted submission ends as Failed (2294), and does not stay
Preparing.
"""

from __future__ import annotations

import io
import json
import uuid
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any

import yaml

from tests.samples.programs import packed, unzipped

ORGANISER, COLLABORATOR = "organiser", "collaborator"
STEPS = ("Submitted", "Preparing", "Running", "Scoring")
AWAITING = "Awaiting validation"
PARTS = ("scoring_program", "ingestion_program", "input_data", "reference_data")

SIGNATURE = "synthetic|items:40|version:1"

Score = Callable[[dict[str, bytes], bytes], "dict[str, float] | None"]
"""What a run gives: a task's parts and the upload -> scores; None: it fails."""


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


class Codabench:
    """Competitions and their submissions."""

    storage = ""

    def __init__(self, score: Score, *, today: bool = False) -> None:
        self.score = score
        self.today = today
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
        self.stuck = False
        self.backwards = False
        """Of runs at the same step, the last made is the first to go on."""
        self.validates = False
        """Whether a human has to approve each run (2443). Its scores are then stored before it is Finished."""
        self.approves: Callable[[dict[str, Any]], bool] = lambda run: True
        self.queues: dict[str, int] = {}
        """Owners in groups with queues of their own: a submission gets a copy for each (newer versions)."""
        self.returns_hidden = True
        """Whether scores of hidden columns are returned; newer versions return none."""
        self.change: Callable[[dict[str, Any]], None] = lambda competition: None
        """What the import gets wrong."""
        self.now = datetime(2027, 3, 2, 9, 0, 0, 123456)

    # What tests do in others' names

    def enter(self, phase: int, owner: str, upload: bytes, *, finished: bool = True) -> int:
        """A participant's submission, which has run its way."""
        key = self._dataset("submission", "answer.zip", len(upload), owner)
        self.files[self.datasets[key]["path"]] = upload
        run = self._submit(phase, owner, key)
        while finished and self.submissions[run]["step"] < len(STEPS) + 2:
            self._go_on()
            own = (self.submissions[run], *self._copies(self.submissions[run]))
            if any(each["status"] == AWAITING and not self.approves(each) for each in own):
                break
        return run

    def offer(self, bundle: bytes) -> int:
        """Import an organiser's bundle; return the number of the competition."""
        return self._import(self._store_file("competition_bundle", "bundle.zip", bundle))

    def delete_upload(self, run: int) -> None:
        """As the owner's soft delete does: the files go, the record stays."""
        self.submissions[run].update(data=None, is_soft_deleted=True, outputs={}, leaderboard=False)

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

    def _store_file(self, kind: str, name: str, content: bytes) -> str:
        key = self._dataset(kind, name, 0)
        self.files[self.datasets[key]["path"]] = content
        return key

    def _sign(self, path: str) -> str:
        self.signature += 1
        return f"{self.storage}{path}?signature={self.signature}"

    def _import(self, key: str) -> int:
        files = unzipped(self.files[self.datasets[key]["path"]])
        content = yaml.load(files["competition.yaml"], getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        number = len(self.competitions) + 7
        tasks: dict[int, int] = {}
        for task in content["tasks"]:
            own = len(self.tasks) + 31
            parts = {
                part: self._store_file(part, task[part], files[task[part]]) for part in PARTS if part in task
            }
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
                    {"id": tasks[task], "name": self.tasks[tasks[task]]["name"]} for task in phase["tasks"]
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
        key = self._store_file(kind, name, files[name])
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
            run for run in self._own(phase["id"], owner) if not run["parent"] and run["status"] != "Failed"
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

    def _own(self, phase: int, owner: str) -> list[dict[str, Any]]:
        """Return an owner's submissions to a phase."""
        return [run for run in self.submissions.values() if (run["phase"], run["owner"]) == (phase, owner)]

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
                run.update(status="Finished", step=len(STEPS) + 2) if ended else run.update(
                    status="Running", step=step
                )
                continue
            if step == len(STEPS[:2]) and not self.today and self._is_encrypted(run):
                run["step"] = step  # unpacking raises an error that the worker does not report
                continue
            if step < len(STEPS):
                run["status"] = STEPS[step]
            elif step == len(STEPS):
                if self.validates and (run["status"] != AWAITING or not self.approves(run)):
                    run.update(status=AWAITING, step=step)
                    continue
                given = self.tasks[run["task"]]["parts"]
                parts = {part: self.files[self.datasets[key]["path"]] for part, key in given.items()}
                run["result"] = self.score(parts, self.files[self.datasets[run["data"]]["path"]])
                if run["status"] == AWAITING and run["result"] is not None:
                    self._store_scores(run)
                run["status"] = "Failed" if run["result"] is None else "Finished"
                for name in ("prediction", "scoring", "detailed", "scoring_stdout", "scoring_stderr"):
                    path = f"/bundles/{name}/{run['id']}"
                    self.files[path] = b""
                    run["outputs"][name] = path
                self.files[run["outputs"]["scoring_stdout"]] = b"scored\n"
            elif run["result"] is not None:
                if not run["scores"]:
                    self._store_scores(run)
                output = packed([("scores.json", json.dumps(run["result"])), ("signature.txt", SIGNATURE)])
                self.files.update(
                    dict.fromkeys((run["outputs"]["scoring"], run["outputs"]["prediction"]), output)
                )

    def _is_encrypted(self, run: dict[str, Any]) -> bool:
        upload = self.files[self.datasets[run["data"]]["path"]] if run["data"] else b""
        if not zipfile.is_zipfile(io.BytesIO(upload)):
            return False
        with zipfile.ZipFile(io.BytesIO(upload)) as archive:
            return any(entry.flag_bits & 1 for entry in archive.infolist())

    def _store_scores(self, run: dict[str, Any]) -> None:
        """Store the scores of a run, and choose its owner's entry among the Finished runs and, by then, this one."""
        competition, _ = self._phase(run["phase"])
        board = competition["leaderboards"][0]
        keys = {column["key"] for column in board["columns"]}  # other scores are not stored
        run["scores"] = {key: Decimal(str(score)) for key, score in run["result"].items() if key in keys}
        rule = board["submission_rule"]
        own = self._own(run["phase"], run["owner"])
        if rule.startswith("Add"):
            return
        if rule != "Force_Latest_Multiple":
            for other in own:
                other["leaderboard"] = False
        there = [other for other in own if not other["is_soft_deleted"] and not self._copies(other)]
        best = [other for other in there if other["status"] == "Finished"]
        if rule == "Force_Best" and not best:
            return  # the server answers 500
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
        kept = ("id", "owner", "phase", "created_when", "status", "is_soft_deleted")
        return {
            **{key: run[key] for key in kept},
            **{"parent": run["parent"], "task": run["shown_task"], "is_specific_task_re_run": False},
            "on_leaderboard": run["leaderboard"],
            "fact_sheet_answers": run.get("fact_sheet_answers"),
            "filename": self.datasets[run["data"]]["name"] if run["data"] else "Deleted File",
            "scores": [
                {"id": 1, "index": 0, "column_key": key, "score": f"{score:.10f}"}
                for key, score in run["scores"].items()
                if self.returns_hidden or key not in hidden
            ],
        }
