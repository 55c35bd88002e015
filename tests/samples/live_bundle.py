"""A small competition for a server: its bundle, what participants upload, and what this comes to, counted here."""

from __future__ import annotations

import copy
import csv
import io
import zipfile
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from pathlib import Path

from speechbundles.bundle.rehearse.many import KeptResult
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.server.served_files import wanted_files
from tests.samples.bundle_defects import HIDDEN, codabench, inside
from tests.samples.codabench_server import CodabenchServer
from tests.samples.programs import packed

PROGRAM = b'''"""Accuracy and its complement."""

import csv
import json
import sys
from pathlib import Path

import spokeneval

source, output = Path(sys.argv[1]), Path(sys.argv[2])
reference = {row["id"]: row["label"] for row in csv.DictReader((source / "ref/reference.csv").open())}
predictions = {row["id"]: row["decision"] for row in csv.DictReader((source / "res/predictions.csv").open())}
if set(predictions) != set(reference):
    sys.exit("predictions.csv: not the items that are expected")
words = {"correct": "accept", "incorrect": "reject"}
right = sum(predictions[name] == words[label] for name, label in reference.items())
scores = {"accuracy": right / len(reference), "error": 1 - right / len(reference)}
(output / "scores.json").write_text(json.dumps(scores))
(output / "signature.txt").write_text("synthetic|items:40|version:1")
'''
COMPETITION, EVALUATION = 7, 701
"""The numbers of the first competition on a server, and of its second phase."""
AGAIN = "publish it"
OPEN = datetime(2027, 3, 2, 9)
"""A time when the second of two phases is open."""
INGEST = b'"""Checks nothing."""\n'


def live_bundle(
    path: Path,
    *,
    rule: str = "Force_Best",
    wrong: int = 0,
    auto_run: bool = True,
    page: bytes = b"",
    hidden: str = "",
    **changes: object,
) -> Path:
    """A bundle whose gold standard has `wrong` of its labels exchanged, from the first on.

    `page`: what its page, its terms and its kit say besides. `hidden`: a column that participants do not see.
    """
    draft = codabench()
    draft.files = {name: data + page * name.endswith(".md") for name, data in draft.files.items()}
    draft.zips["starting_kit.zip"] = [("README.md", b"# Kit\n\nSynthetic.\n" + page)]
    draft.spec.update(changes)
    draft.spec["auto_run_submissions"] = auto_run
    draft.spec["enable_detailed_results"] = False
    draft.spec["leaderboards"][0]["submission_rule"] = rule
    for column in draft.spec["leaderboards"][0]["columns"]:
        column["hidden"] = column["key"] == hidden
    inside("scoring_program.zip", score__py=PROGRAM)(draft)
    inside("ingestion_program.zip", ingest__py=INGEST)(draft)
    table = draft.inner("reference_data.zip")["reference.csv"].decode().splitlines()
    other = {"correct": "incorrect", "incorrect": "correct"}
    for line in range(1, wrong + 1):
        start, _, label = table[line].rpartition(",")
        table[line] = f"{start},{other[label]}"
    draft.zips["reference_data.zip"] = [("reference.csv", ("\n".join(table) + "\n").encode())]
    for name, entries in draft.zips.items():  # of one date, so that the same content is the same bytes
        draft.zips[name] = [(zipfile.ZipInfo(entry), data) for entry, data in entries]
    path.write_bytes(draft.build())
    return path


def two_phases(tmp_path: Path, **changes: object) -> Path:
    """A bundle with a baseline for both phases."""
    phases = copy.deepcopy(codabench().spec["phases"])
    phases[0]["tasks"] = phases[1]["tasks"]
    return live_bundle(tmp_path / "two.zip", phases=phases, **changes)


def upload(*mistakes: int, items: list[tuple[str, str]] = HIDDEN, entry: str = "predictions.csv") -> bytes:
    """A submission that is wrong for these items."""
    words = ("reject", "accept")
    rows = [
        f"{name},{words[(label == 'correct') != (at in mistakes)]}" for at, (name, label) in enumerate(items)
    ]
    return packed([(zipfile.ZipInfo(entry), ("\n".join(["id,decision", *rows]) + "\n").encode())])


def with_password(zipped: bytes) -> bytes:
    """A zip of one entry whose flag says that it is encrypted."""
    data = bytearray(zipped)
    for record, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        data[data.index(record) + flags] |= 1
    return bytes(data)


def score(parts: dict[str, bytes], submission: bytes) -> dict[str, float] | None:
    """What the platform gets: counted without the program."""
    try:
        rows = _rows(submission, "predictions.csv")
    except (zipfile.BadZipFile, KeyError, RuntimeError):  # the last: encrypted
        return None
    labels = _rows(parts["reference_data"], "reference.csv")
    if len(rows) != len(labels):
        return None
    accepted = {row[0] for row in rows if row[-1] == "accept"}
    wrong = sum((row[0] in accepted) != (row[-1] == "correct") for row in labels)
    return {"accuracy": 1 - wrong / len(labels), "error": wrong / len(labels)}


def _rows(data: bytes, name: str) -> list[list[str]]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:  # unpacked as `extractall` does
        inside = {entry.replace("../", "").lstrip("/"): entry for entry in archive.namelist()}
        return list(csv.reader(archive.read(inside[name]).decode().splitlines()))[1:]


def count_here(
    bundle: BuiltBundle, runs: Mapping[str, tuple[BuiltPhase, Path]], work: Path, jobs: int | None
) -> Iterator[tuple[str, KeptResult]]:
    """Replace `rehearse_all`: give the same results without running programs."""
    for name, (phase, path) in runs.items():
        scores = score(wanted_files(bundle, phase), path.read_bytes())
        stored = {key: round(Decimal(value), 10) for key, value in (scores or {}).items()}
        yield name, KeptResult("Finished" if scores else "Failed", stored, {}, (), ())


def board(server: CodabenchServer) -> list[tuple[str, Decimal]]:
    """Return the teams on the server's leaderboard, with their numbers of correct items."""
    size, server.page_size = server.page_size, None
    _status, answer = server.answer("GET", f"/api/phases/{EVALUATION}/get_leaderboard/", {}, None)
    server.page_size = size
    runs = [server.submissions[entry["id"]] for entry in answer["submissions"]]
    return [(run["owner"], run["scores"]["accuracy"] * 40) for run in runs]
