"""The program that checks a submission before scoring: its report, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

from spokeneval.formats.problems import FREE_ATTEMPT
from tests.samples.cases import IDS, SHEETS
from tests.samples.programs import ROOT, run_here, write_files

TASK = "psst_correctness"
ANSWERS = {"correctness.tsv": SHEETS[TASK].text([(item, "true") for item in IDS])}
ITEM_LIST = "\n".join(["utterance_id", *IDS, ""])


def ingest(folder: Path, answers=ANSWERS, items=ITEM_LIST, options=None):
    """Exit status, both streams, and the report, or None if there is none."""
    write_files(folder / "in", {"utterance_list.tsv": items})
    write_files(folder / "res", answers)
    program = (ROOT / "ingestion_program" / TASK / "ingest.py").read_bytes()
    write_files(folder / "program", {"ingest.py": program, "options.json": json.dumps(options or {})})
    report = folder / "below" / "out" / "ingestion_report.txt"
    words = [folder / "program" / "ingest.py", folder / "in", folder / "res", report.parent]
    done = run_here(*words)
    return (*done, report.read_text(encoding="utf-8") if report.exists() else None)


def test_ingestion_leaves_its_report_in_place_of_any_other(tmp_path):
    accepted = "psst_correctness: structure accepted, 4 items checked.\n"
    assert ingest(tmp_path) == (0, accepted, "", accepted)
    answers = {"correctness.tsv": ANSWERS["correctness.tsv"].replace("Zoë-2\t", "Zoë-2 \t")}
    status, stdout, stderr, report = ingest(tmp_path, answers)
    told, _, end = stderr.rpartition("\n\n")
    assert (status, stdout, end) == (1, "", f"{FREE_ATTEMPT}\n")
    assert report == f"psst_correctness: refused.\n\n{told}\n"
    assert "Zoë-2" in report
    status, _, stderr, report = ingest(tmp_path, items="x\n")
    assert (status, report) == (1, None)
    assert stderr.startswith("The organisers' input data cannot be used (1 problem)")
    assert ingest(tmp_path, options={"options": {"of no task": "on"}})[0] == 1
