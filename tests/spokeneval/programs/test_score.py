"""Tests of both programs in this process: the full text of all output and files for a small set."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import subprocess
import sys
from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest import mock

import pytest

from spokeneval import __version__
from spokeneval.challenges import find_task
from spokeneval.formats.problems import Problem, SubmissionError
from spokeneval.programs.ingest import ingest_main
from spokeneval.programs.program import accepted_report
from spokeneval.programs.score import score_main
from spokeneval.scoring.reference import fingerprint, items_fingerprint, parse_reference
from tests.samples.cases import CASES, IDS, SHEETS
from tests.samples.programs import ROOT, encoded, write_files

TASK = find_task("psst_correctness")
REFERENCE = CASES[TASK.name].reference
ANSWERS = {"correctness.tsv": SHEETS[TASK.name].text([(item, "true") for item in IDS])}
"""All responses are predicted correct, and two of four are: precision 1/2, recall 1, F1 2/3 in both sessions."""

EXACT = {"f1": 2 / 3, "precision": 0.5, "recall": 1.0, "accuracy": 0.5}
EXACT |= {"balanced_accuracy": 0.5, "matthews": 0.0, "specificity": 0.0}
ITEM_LIST = "".join(f"{line}\n" for line in ["utterance_id", *IDS])
ITEMS = items_fingerprint(IDS)
LABELS = fingerprint(encoded(REFERENCE))
BY_ID = parse_reference(TASK, encoded(REFERENCE)).label_fingerprint(TASK.format)[:12]
SIGNATURES = {
    "hidden": f"psst_correctness|items:{ITEMS[:12]}|spokeneval:{__version__}",
    "steps": f"psst_correctness|feedback:coarse|items:{ITEMS[:12]}|spokeneval:{__version__}",
    "public": f"psst_correctness|reference:{BY_ID}|spokeneval:{__version__}",
}
TOLD = {"steps": {"f1": 0.5}, "floor": {"f1": 0.5}, "trivial": {"none": 0.5}, "best": "none"}
STEPS = {"feedback": "coarse", "sets": {ITEMS: TOLD, LABELS: TOLD}}
PUBLIC = {"public_references": [LABELS]}
LEFT_BEHIND = ["scores.json", "scores.txt", "signature.txt", "statistics.json", "detailed_results.html"]


def call(main, *words: object, task=TASK) -> tuple[int, str, str]:
    """The exit status and the output of a program on streams with another encoding."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2)]
    with (
        mock.patch.object(sys, "argv", [str(word) for word in words]),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        status = main(task)
    stdout, stderr = (stream.flush() or stream.buffer.getvalue().decode() for stream in streams)
    return status, stdout, stderr


def lay_out(folder: Path, options=None, reference=REFERENCE, answers=ANSWERS) -> list[Path]:
    """Write the input of the scoring program, and return its arguments."""
    write_files(folder / "in" / "ref", reference)
    write_files(folder / "in" / "res", answers)
    write_files(folder / "program", {"options.json": json.dumps(options or {})})
    return [folder / "program" / "score.py", folder / "in", folder / "below" / "out"]


def score(folder: Path, options=None, reference=REFERENCE, answers=ANSWERS, **how):
    """Exit status, both streams, and the names of the files that exist afterwards."""
    words = lay_out(folder, options, reference, answers)
    done = call(score_main, *words, **how)
    return (*done, sorted(path.name for path in words[-1].iterdir()) if words[-1].exists() else None)


def written(folder: Path, name: str = "scores.json"):
    return json.loads((folder / "below" / "out" / name).read_text())


# What is scored


def test_of_hidden_labels_the_scores_are_written_and_nothing_else(tmp_path):
    said = f"psst_correctness: 4 items scored.\n{SIGNATURES['hidden']}\n"
    assert score(tmp_path) == (0, said, "", ["scores.json", "scores.txt", "signature.txt"])
    scores = written(tmp_path)
    assert {key: scores[key] for key in EXACT} == EXACT
    assert list(scores) == [*EXACT, "f1_low", "f1_high"]
    assert (tmp_path / "below/out/signature.txt").read_text() == SIGNATURES["hidden"] + "\n"


def test_of_hidden_labels_in_steps_a_board_shows_the_floor_or_better(tmp_path):
    said = f"psst_correctness: 4 items scored.\n{SIGNATURES['steps']}\nThe leaderboard shows F1 0.5, which means "
    status, stdout, stderr, _ = score(tmp_path, STEPS)
    assert (status, stderr, stdout.startswith(f"{said}≤ trivial baseline")) == (0, "", True)
    assert written(tmp_path) == TOLD["floor"]  # 2/3 is 0.5 on the grid
    assert score(tmp_path, STEPS, answers=CASES[TASK.name].submission)[0] == 0
    assert written(tmp_path) == {"f1": 1.0}


@pytest.mark.parametrize("variable", ["write", "yes"])
def test_at_home_hidden_scores_are_exact_with_their_counts(tmp_path, monkeypatch, variable):
    monkeypatch.setenv("SPOKENEVAL_HIDDEN_STATISTICS", variable)
    _, stdout, _, names = score(tmp_path, STEPS)
    home = variable == "write"
    assert stdout.splitlines()[1] == SIGNATURES["hidden" if home else "steps"]
    assert ("The leaderboard shows" in stdout) == (not home)
    assert (written(tmp_path) == TOLD["floor"], "statistics.json" in names) == (not home, home)
    if home:
        found = written(tmp_path, "statistics.json")
        assert (found["task"], found["signature"]) == (TASK.name, SIGNATURES["hidden"])
        assert (found["trivial"], found["unit"], found["units"]) == (TOLD["trivial"], "session", ["s0", "s1"])


def test_on_public_labels_everything_is_shown(tmp_path):
    said = f"psst_correctness: 4 items scored.\n{SIGNATURES['public']}\n"
    names = ["scores.json", "scores.txt", "signature.txt", "statistics.json"]
    assert score(tmp_path / "exact", PUBLIC) == (0, said, "", names)
    board = "With hidden labels, the leaderboard would show F1 0.5, which means ≤ trivial baseline: "
    status, stdout, *_ = score(tmp_path / "steps", {**PUBLIC, **STEPS})
    assert (status, stdout.startswith(said + board)) == (0, True)
    assert written(tmp_path / "steps") == written(tmp_path / "exact")


def test_what_an_option_rules_out_is_not_scored(tmp_path):
    def refuse(totals, options):
        raise SubmissionError([Problem("x", "", f"ruled out of {options.signature.reference}")])

    status, _, stderr, names = score(tmp_path, PUBLIC, task=replace(TASK, refuse=refuse))
    assert (status, names) == (1, [])
    assert f"ruled out of {BY_ID}\n" in stderr


def test_of_a_part_all_answers_are_checked_and_some_are_scored(tmp_path):
    lines = REFERENCE["utterances.tsv"].splitlines(keepends=True)
    part = {"utterances.tsv": "".join(lines[:3]), "part.txt": "open\n", "items/utterance_list.tsv": ITEM_LIST}
    status, stdout, _, _ = score(tmp_path, reference=part)
    assert status == 0
    assert stdout.startswith("psst_correctness: 4 items checked, those of the open part scored.\n")
    one = {"correctness.tsv": "utterance_id\tprediction\na-1\ttrue\n"}
    assert score(tmp_path, reference=part, answers=one)[0] == 1


def test_what_was_read_before_is_not_read_again(tmp_path):
    """Neither the reference nor the items are in their folders."""
    known = parse_reference(TASK, encoded(REFERENCE))
    expected = score(tmp_path / "read")
    words = lay_out(tmp_path / "known", reference={})
    assert call(partial(score_main, reference=known), *words) == expected[:3]
    assert written(tmp_path / "known") == written(tmp_path / "read")
    words = [words[0].with_name("ingest.py"), tmp_path, tmp_path / "known/in/res", tmp_path / "out"]
    accepted = f"{accepted_report(TASK.name, 4)}"
    assert call(partial(ingest_main, items=known.items), *words) == (0, accepted, "")


# The page


def test_of_public_labels_the_page_shows_the_answers(tmp_path):
    case = CASES["caller_experience"]
    labels = fingerprint({name: text.encode() for name, text in case.reference.items()})
    options = {"public_references": [labels], "detailed_results": True}
    how = {"reference": case.reference, "answers": case.submission, "task": find_task("caller_experience")}
    assert score(tmp_path, options, **how)[::2] == (0, "")
    assert "submission 5" in (tmp_path / "below/out/detailed_results.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("answers", [ANSWERS, {"x": ""}])
def test_where_an_empty_page_lies_it_stays_and_the_page_goes_into_a_folder(tmp_path, answers):
    output = write_files(tmp_path / "below" / "out", {"detailed_results.html": ""})
    for _ in range(2):
        *_, stderr, names = score(tmp_path, {"detailed_results": True}, answers=answers)
        assert "report page" not in stderr
        assert names[:2] == ["detailed_results", "detailed_results.html"]
        assert (output / "detailed_results.html").read_bytes() == b""
        assert (output / "detailed_results/detailed_results.html").stat().st_size > 1000
    assert score(tmp_path, answers=answers)[3][:1] == ["detailed_results.html"]


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (ZeroDivisionError("a label"), "ZeroDivisionError"),
        (OSError(errno.ENOSPC, "No space left on device"), "detailed_results.html: No space left on device"),
        (OSError("a label"), "OSError"),
    ],
)
def test_a_page_that_fails_costs_nothing(tmp_path, monkeypatch, error, why):
    expected = score(tmp_path / "without")
    monkeypatch.setattr("spokeneval.report.results.scored_page", mock.Mock(side_effect=error))
    told = f"The report page could not be made ({why}). The scores are not affected.\n"
    found = score(tmp_path, {"detailed_results": True})
    assert found == (*expected[:2], told, expected[3])


def test_a_warning_that_fails_costs_nothing(tmp_path, monkeypatch):
    labels = fingerprint({name: text.encode() for name, text in REFERENCE.items()})
    options = {"public_references": [labels]}
    expected = score(tmp_path / "without", options)
    monkeypatch.setattr("spokeneval.report.verdict.slips", mock.Mock(side_effect=TypeError("a label")))
    told = "The list of warnings could not be made (TypeError). The scores are not affected.\n"
    assert score(tmp_path, options) == (*expected[:2], told, expected[3])


# What lies in the output


def test_what_an_earlier_run_left_goes_whatever_it_is(tmp_path):
    output, elsewhere = tmp_path / "below" / "out", write_files(tmp_path / "elsewhere", {"mine": ""})
    for kind in ("file", "folder", "link to a file", "link to a folder", "link to nothing"):
        for name in (*LEFT_BEHIND, "detailed_results"):
            if kind == "file":
                write_files(output, {name: "old"})
            elif kind == "folder":
                write_files(output / name, {"inner": ""})
            else:
                target = {"file": elsewhere / "mine", "folder": elsewhere, "nothing": tmp_path / "nothing"}
                (output / name).symlink_to(target[kind.split()[-1]])
        write_files(output, {"kept": ""})
        assert score(tmp_path, answers={})[::3] == (1, ["kept"]), kind
    assert [path.name for path in elsewhere.iterdir()] == ["mine"]


def test_a_score_that_no_platform_can_store_is_not_written(tmp_path):
    told = {ITEMS: {**TOLD, "floor": {"f1": 1e10}}}
    status, stdout, stderr, names = score(tmp_path, {**STEPS, "sets": told})
    assert (status, stdout, names) == (1, "", [])
    assert stderr.startswith("The program failed (ValueError). Please send these lines to the organisers:\n")


# What is refused


def test_what_is_no_participants_fault_is_on_the_page_in_the_same_words(tmp_path):
    reference = {"utterances.tsv": REFERENCE["utterances.tsv"].replace("TRUE", "FALSE")}
    told = (
        "The organisers' reference data cannot be used (1 problem). Please inform the organisers: building the bundle "
        "lists the problems.\nNothing was scored.\n"
    )
    options = {"detailed_results": True}
    assert score(tmp_path, options, reference) == (1, "", told, ["detailed_results.html"])
    page = (tmp_path / "below/out/detailed_results.html").read_text(encoding="utf-8")
    assert "building the bundle lists the problems" in page
    (tmp_path / "below" / "out").rename(tmp_path / "before")
    status, _, stderr, names = score(tmp_path, {**options, "options": {"of no task": "on"}})
    assert (status, names) == (1, ["detailed_results.html"])  # in a folder that was not there yet
    assert "(ValueError)" in stderr
    status, _, stderr, names = score(tmp_path / "unknown", {**options, "feedbak": "exact"})
    assert (status, names) == (1, None)  # what cannot be read asks for no page
    assert "(ValueError)" in stderr


def test_a_wrong_call(tmp_path):
    words = lay_out(tmp_path, {"detailed_results": True})
    program = tmp_path / "program" / "sc\udcffre.py"
    usage = "usage: python3 sc\\udcffre.py "
    for wrong in (words[1:2], [*words[1:], words[1]], []):
        assert call(score_main, program, *wrong) == (1, "", f"{usage}INPUT_DIR OUTPUT_DIR\n")
    assert not words[-1].exists()
    for wrong in (words[1:], [*words, words[1]]):
        said = f"{usage}INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR\n"
        assert call(ingest_main, program, *wrong) == (1, "", said)


# A closed pipe, and Ctrl-C


@pytest.mark.skipif(sys.platform == "win32", reason="pipes are closed in another way")
@pytest.mark.parametrize(
    ("stream", "words"), [("stdout", ["in", "out"]), ("stderr", ["nowhere", "out"]), ("stderr", [])]
)
def test_a_program_whose_reader_is_gone_says_nothing_and_writes_its_files(tmp_path, stream, words):
    write_files(tmp_path / "in" / "ref", REFERENCE)
    write_files(tmp_path / "in" / "res", ANSWERS)
    reading, writing = os.pipe()
    os.close(reading)
    program = ROOT / "scoring_program" / "psst_correctness" / "score.py"
    other = {"stdout": "stderr", "stderr": "stdout"}[stream]
    done = subprocess.run(
        [sys.executable, program, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        **{stream: writing, other: subprocess.PIPE},
        text=True,
    )
    os.close(writing)
    assert (getattr(done, other), done.returncode) == ("", int(stream == "stderr"))
    assert (tmp_path / "out" / "scores.json").exists() == (stream == "stdout")


# A task's own code


NOISY = """
import logging, os, sys, warnings
from dataclasses import replace
from spokeneval.formats.problems import Problem, SubmissionError
from spokeneval.programs.score import score_main
from spokeneval.challenges import find_task

TASK = find_task("psst_correctness")

def count(reference, submission):
    label = "labels: " + str(reference.columns)
    print(label)
    print(label, file=sys.stderr)
    print(label, end="", file=sys.__stdout__)
    os.write(1, label.encode())
    os.write(2, label.encode())
    os.system("echo labels; echo labels >&2")
    warnings.warn(label)
    logging.error(label)
    {end}
    return TASK.count(reference, submission)

def interval(counts):
    label = "labels: " + str(counts)
    {later}
    return 0.0, 1.0, 0.1

scores = (TASK.primary._replace(interval=interval), *TASK.scores[1:])
sys.exit(score_main(replace(TASK, count=count, scores=scores, code="0123456789ab")))
"""
ENDS = {
    "": "",
    "raise ValueError(label)": "ValueError",
    "raise OSError(2, label, label)": "FileNotFoundError",
    "raise SubmissionError([Problem('x', 'x', label)])": "SubmissionError",
    "raise SystemExit(label)": "SystemExit",
}


@pytest.mark.parametrize(("where", "end"), [*(("end", end) for end in ENDS), ("later", [*ENDS][3])])
def test_nothing_that_a_task_prints_or_raises_reaches_the_participant(tmp_path, where, end):
    program, *words = lay_out(tmp_path)
    program.write_text(NOISY.format(**{"end": "", "later": "", where: end}))
    done = subprocess.run(
        [sys.executable, program, *words],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "label" not in done.stdout + done.stderr
    if ENDS[end]:
        assert done.stderr.startswith(f"The program failed ({ENDS[end]}")
        assert (done.returncode, done.stdout) == (1, "")
        assert not (tmp_path / "below/out/scores.json").exists()
    else:
        signature = SIGNATURES["hidden"].replace("|", "|code:0123456789ab|", 1)
        said = f"psst_correctness: 4 items scored.\n{signature}\n"
        assert (done.returncode, done.stdout, done.stderr) == (0, said, "")
