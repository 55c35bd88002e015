"""Targets of fuzzing: every reader of files from others, on samples of a few items.

A target takes bytes and returns `scored`, `accepted` or `refused`. Anything else is a finding: an exception that is not
a typed refusal, a program that reports a failure, or a score that is not finite.
"""

from __future__ import annotations

import io
import json
import math
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import replace
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any
from urllib.parse import urlsplit

import numpy as np
from urllib3 import HTTPResponse

from speechbundles.competition.read import read_competitions
from speechbundles.leaderboard.outputs import read_outputs
from speechbundles.leaderboard.rank import make_board
from speechbundles.model.bounded import parse_json
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.errors import OrganiserError
from speechbundles.model.fetched import read_index
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.platforms.codabench import client as api
from speechbundles.platforms.codabench.client.account import check_address
from speechbundles.platforms.codabench.client.connection import Connection
from speechbundles.server.amendment import AmendedPhase, Amendment, amendment_to_text
from speechbundles.server.entrants import predict, read_entrants
from speechbundles.server.fetch import fetch_competition
from speechbundles.server.served_files import ServedFiles
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.format import Answers, Items
from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.submission_zip import unpack
from spokeneval.kinds.declared import declared_task
from spokeneval.ranking.writers import to_csv
from spokeneval.scoring.options import SIGNATURE_FILE, Settings, Signature, choose_options
from spokeneval.scoring.scored import STATISTICS_FILE, score_submission, write_statistics
from spokeneval.task import Task
from tests.samples.cases import CASES
from tests.samples.live_bundle import live_bundle
from tests.samples.merlion_identification import TWO
from tests.samples.programs import ROOT, encoded, write_files
from tests.tools.fuzz import organiser
from tests.tools.fuzz.workplace import Finding, Target, Workplace, outcome

MANIFEST = Path(__file__).with_name("competition.yaml").read_bytes()


def scoring(task: str, place: Workplace) -> Target:
    """Fuzz a submission's first file; the whole scoring program runs on it."""
    sample = CASES[task]
    inputs = place.path / task
    write_files(inputs / "ref", sample.reference)
    write_files(inputs / "res", sample.submission)
    fuzzed = inputs / "res" / next(iter(sample.submission))
    output = place.path / f"{task}-output"
    code, path = _program("scoring_program", task, "score.py")

    def target(data: bytes) -> str:
        fuzzed.write_bytes(data)
        status, said = _run(code, path, inputs, output)
        scores = output / "scores.json"
        if status == 0:
            found = json.loads(scores.read_text())
            if not all(type(score) in (int, float) and math.isfinite(score) for score in found.values()):
                raise Finding(f"scores {found}")
            return "scored"
        if scores.exists() or (output / "scores.txt").exists():
            raise Finding("refused, but scores were written")
        if status != 1 or not said.startswith(("submission: ", fuzzed.name, "2 problems", "3 problems")):
            raise Finding(f"exit status {status}: {said}")
        return "refused"

    return target


def _program(kind: str, task: str, file: str) -> tuple[CodeType, Path]:
    path = ROOT / kind / task / file
    return compile(path.read_text(encoding="utf-8"), str(path), "exec"), path


def _run(code: CodeType, path: Path, *arguments: Path) -> tuple[int, str]:
    """Run a program in this process; return its exit status and standard error."""
    before, sys.argv = sys.argv, [str(path), *map(str, arguments)]
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    try:
        with redirect_stdout(io.TextIOWrapper(io.BytesIO(), encoding="utf-8")), redirect_stderr(said):
            exec(code, {"__name__": "__main__", "__file__": str(path)})
    except SystemExit as end:
        said.seek(0)
        return int(end.code or 0), said.read()
    finally:
        sys.argv = before
    raise Finding("the program did not end with an exit status")


def reference(task: str, place: Workplace) -> Target:
    """Fuzz a reference's first file, or its second after a zero byte; the public files made from it are read again."""
    task_format = find_task(task).format

    def target(data: bytes) -> str:
        return outcome(lambda: read(data), ReferenceFileError)

    def read(data: bytes) -> None:
        found = task_format.read_reference(encoded(replaced(CASES[task].reference, data)))
        public = task_format.public_files(found, PUBLIC)
        if sorted(task_format.read_items(public).ids) != sorted(found.items.ids):
            raise Finding("the public items are not the reference's")

    return target


PUBLIC = {"class_sizes": "public"}


def replaced(files: Mapping[str, str | bytes], data: bytes) -> dict[str, str | bytes]:
    """Return the files with new content for the first, or for the second if the content begins with a zero byte."""
    first, *others = files
    second = others and data[:1] == b"\0"
    return {**files, others[0] if second else first: data[1:] if second else data}


def public_files(task: str) -> dict[str, bytes]:
    task_format = find_task(task).format
    found = task_format.read_reference(encoded(CASES[task].reference))
    return task_format.public_files(found, PUBLIC)


def items(task: str, place: Workplace) -> Target:
    """Fuzz a file of the public item list, the first or the second as for references."""
    files, read = public_files(task), find_task(task).format.read_items
    return lambda data: outcome(lambda: read(encoded(replaced(files, data))), FileProblems)


def zipped(place: Workplace) -> Target:
    """Fuzz a submission's zip; its files must be unpacked inside their folder, and are then listed."""
    path = place.path / "submission.zip"

    def target(data: bytes) -> str:
        path.write_bytes(data)
        folder = place.empty("unpacked")
        before = sorted(entry.name for entry in place.path.iterdir())
        word = outcome(lambda: (unpack(path, folder), list_files(folder)), SubmissionError)
        if sorted(entry.name for entry in place.path.iterdir()) != before:
            raise Finding("something was unpacked outside")
        if any(entry.is_symlink() for entry in folder.rglob("*")):
            raise Finding("a link was unpacked")
        return word

    return target


def manifest(place: Workplace) -> Target:
    """Fuzz a `competition.yaml`, beside the series' own schema, programs and pages."""
    root = place.path / "series"
    root.mkdir(exist_ok=True)
    for name in ("competition.schema.json", "pages", "scoring_program"):
        if not (root / name).exists():
            (root / name).symlink_to(ROOT / name)
    path = root / "competition.yaml"

    def target(data: bytes) -> str:
        path.write_bytes(data)
        return outcome(lambda: read_competitions(Sources(path.parent)), OrganiserError)

    return target


def output(place: Workplace, files: Mapping[str, bytes]) -> Target:
    """Fuzz the statistics of an output, or its scores after a zero byte; the output is ranked."""

    def target(data: bytes) -> str:
        return _ranked(write_files(place.path / "ranked", {**files, **replaced(files, data)}))

    return target


def _ranked(folder: Path) -> str:
    return outcome(lambda: to_csv(make_board(Sources(ROOT), read_outputs([folder]))), OrganiserError)


def answer(place: Workplace) -> Target:
    """Fuzz the answers of a server, one JSON object by request, as `fetch` and `amend` read them."""
    bundle = read_built_bundle(live_bundle(place.path / "live.zip"))
    built = bundle.phases[0]

    def target(data: bytes) -> str:
        try:
            connection = Server(parse_json(data))
        except ValueError:
            return "refused"
        # The errors are those that the commands expect.
        return outcome(lambda: fetch_and_amend(connection), OrganiserError, OSError, UnicodeEncodeError)

    def fetch_and_amend(connection: Connection) -> None:
        folder = place.empty("fetched")
        fetched = fetch_competition(connection, 1, folder, jobs=1).runs
        if fetched != tuple(read_index(folder)):
            raise Finding("the index has other runs")
        phases = []
        for phase in api.phases_of(api.read_competition(connection, 1)):
            entrants = read_entrants(connection, phase, fetched, folder)
            runs = {entrant.run.id: entrant for entrant in entrants}
            listed = [entrant.run for entrant in entrants]
            board = [runs[run] for run in api.read_board(connection, phase.id, listed) if run in runs]
            before = {one.run.owner: (1, one.run.scores.get("accuracy")) for one in board}
            after = predict(bundle, built, [replace(entrant, path=None) for entrant in entrants], ())
            parts = tuple(api.read_parts(connection, 1))
            phases.append(AmendedPhase(built, phase, parts, before, after, len(runs), ()))
        files = ServedFiles(connection)
        amendment_to_text(Amendment(bundle, "", 1, folder, tuple(phases), None, {}, None, (), files))

    return target


ANSWERS = {
    "competitions": {
        "secret_key": "key",
        "phases": [{"id": 2, "index": 0, "name": "Evaluation", "tasks": [{"id": 3}]}],
    },
    "submissions": {
        "count": 1,
        "next": None,
        "results": [
            {
                "id": 7,
                "owner": "anna",
                "created_when": "2027-03-01T09:15:00.123456Z",
                "status": "Finished",
                "scores": [{"column_key": "accuracy", "score": "0.95"}],
                "on_leaderboard": True,
                "is_soft_deleted": False,
                "fact_sheet_answers": {"hours": "100"},
                "filename": "run.zip",
                "parent": None,
                "is_specific_task_re_run": False,
            }
        ],
    },
    "get_details": {
        "data_file": "https://storage.example.org/upload.zip?signed",
        "prediction_result": None,
        "scoring_result": "https://storage.example.org/output.zip",
        "detailed_result": "",
        "logs": [{"name": "scoring_stdout", "data_file": "https://storage.example.org/log"}],
    },
    "get_leaderboard": {"submissions": [{"id": 7}]},
    "tasks": {"scoring_program": {"key": "abc"}, "ingestion_program": None},
}
"""What a server with one run answers, by a word in the request's path."""


class Server(Connection):
    """A connection to a server that gives these answers, whatever the request; other addresses have a zip."""

    def __init__(self, answers: Any) -> None:
        super().__init__("https://example.org", "token", sleep=lambda seconds: None)
        object.__setattr__(self, "answers", answers if isinstance(answers, dict) else {})

    @contextmanager
    def _request(self, method: str, address: str, **options: Any) -> Iterator[Any]:
        check_address(address, local=False)
        parts = urlsplit(address)
        word = next((word for word in reversed(ANSWERS) if word in parts.path), None)
        content = make_zip({"a": b"a"})
        if parts.hostname == "example.org":
            content = json.dumps(self.answers.get(word)).encode()
        raw = HTTPResponse(io.BytesIO(content), preload_content=False)
        yield SimpleNamespace(is_redirect=False, ok=True, status_code=200, url=address, headers={}, raw=raw)


def scoring_output() -> dict[str, bytes]:
    """Return the files of a small submission to Spoken CALL: statistics, scores and signature."""
    labels = {"language": np.array([1, 1, 1, 0, 0, 0]), "meaning": np.array([1, 1, 1, 1, 0, 0])}
    return _output_of(find_task("spoken_call"), labels, {"Accept": np.array([1, 1, 0, 0, 0, 1])})


def _output_of(task: Task, labels: Any, answers: Any) -> dict[str, bytes]:
    ids = Items(tuple("abcdef"[: len(next(iter(answers.values())))]))
    signature = Signature(task.name)
    settings = Settings(choose_options(task, {}), False, signature)
    scored = score_submission(task, Answers(ids, labels), Answers(ids, answers), settings)
    with tempfile.TemporaryDirectory() as folder:
        write_statistics(Path(folder), signature, scored.statistics, {}, task.declaration)
        statistics = (Path(folder) / STATISTICS_FILE).read_bytes()
    scores = json.dumps(dict(scored.scores)).encode()
    return {STATISTICS_FILE: statistics, "scores.json": scores, SIGNATURE_FILE: str(signature).encode()}


def declared_output() -> dict[str, bytes]:
    """Return the same files of a small submission to a declared task."""
    task = declared_task("small", {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"})
    labels, answers = {"label": np.array([0, 1, 1, 0])}, {"label": np.array([0, 1, 0, 0])}
    return _output_of(task, labels, answers)


def targets(place: Workplace) -> dict[str, Target]:
    """Return every target by name: `score-spoken_call`, `zip`, `manifest`, `output`."""
    made: dict[str, Target] = {
        "zip": zipped(place),
        "manifest": manifest(place),
        "output": output(place, scoring_output()),
        "declared": output(place, declared_output()),
        "answer": answer(place),
        "decode": organiser.decoding(place),
        "intake": organiser.intake(place),
        "redirect": organiser.redirects(place),
    }
    for task in task_names():
        made[f"score-{task}"] = scoring(task, place)
        made[f"reference-{task}"] = reference(task, place)
        made[f"items-{task}"] = items(task, place)
    return made


def seeds(target: str) -> list[bytes]:
    """Return valid inputs to start from."""
    kind, _, task = target.partition("-")
    if kind in organiser.SEEDS:
        return organiser.SEEDS[kind]
    if kind == "manifest":
        return [MANIFEST]
    if kind in ("output", "declared"):
        statistics, scores, _ = (scoring_output() if kind == "output" else declared_output()).values()
        return [statistics, b"\0" + scores]
    if kind == "answer":
        return [json.dumps(ANSWERS).encode()]
    if kind == "zip":
        return [
            make_zip({"results.csv": b"Id\tAccept\n"}),
            make_zip({"inner/a.txt": b"a", "__MACOSX/._a": b"b"}),
        ]
    if kind == "score":
        first = next(iter(CASES[task].submission.values()))
        return [first.encode(), *([TWO.encode()] if task == "merlion_identification" else [])]
    files = CASES[task].reference if kind == "reference" else public_files(task)
    first, *rest = (content if isinstance(content, bytes) else content.encode() for content in files.values())
    return [first, *(b"\0" + content for content in rest)]
