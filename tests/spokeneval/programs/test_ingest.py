"""The program that checks a submission before scoring: its report, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from spokeneval.challenges import find_task
from spokeneval.formats.format import Items
from spokeneval.formats.problems import FREE_ATTEMPT, SubmissionError
from spokeneval.formats.submission_folder import read_files
from tests.samples.cases import IDS, SHEETS
from tests.samples.programs import ROOT, run_here, write_files

TASK = "psst_correctness"
ANSWERS = {"correctness.tsv": SHEETS[TASK].text([(item, "true") for item in IDS])}
BAD = ANSWERS["correctness.tsv"].replace("true", "maybe", 1)
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
    write_files(tmp_path / "below/out/ingestion_report.txt", {"planted": ""})
    assert ingest(tmp_path, items="x\n")[3] is None
    assert ingest(tmp_path, options={"options": {"of no task": "on"}})[0] == 1


def test_a_useless_submission_is_accepted_with_a_warning(tmp_path):
    ids = [f"u{number}" for number in range(12)]
    answers = {"correctness.tsv": SHEETS[TASK].text([(item, "true") for item in ids])}
    accepted = "psst_correctness: structure accepted, 12 items checked.\n"
    warning = "Warning: all 12 values of prediction are the same. Is it the right file?\n"
    items = "\n".join(["utterance_id", *ids, ""])
    assert ingest(tmp_path, answers, items) == (0, accepted + warning, "", accepted)


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"stray/notes.txt": ""}, ["nested_folder", "unknown_value"]),
        ({"notes.md": ""}, ["unexpected_file", "unknown_value"]),
        ({"metadata": "x"}, ["metadata_file", "unknown_value"]),
        ({"correctness.tsv": BAD.replace("\t", ";")}, ["missing_column", "unknown_value"]),
    ],
)
def test_one_refusal_lists_the_problems_of_files_and_of_rows(tmp_path, answers, expected):
    folder = write_files(tmp_path, {"correctness.tsv": BAD, **answers})
    with pytest.raises(SubmissionError) as refused:
        read_files(folder, lambda files: find_task(TASK).format.read_submission(files, Items(IDS)))
    assert [problem.code for problem in refused.value.problems] == expected
    assert refused.value.total == 2
    if "correctness.tsv" not in answers:
        status, _, stderr, report = ingest(tmp_path / "again", {"correctness.tsv": BAD, **answers})
        assert (status, stderr.count("\n  "), report.count("'maybe'")) == (1, 2, 1)
