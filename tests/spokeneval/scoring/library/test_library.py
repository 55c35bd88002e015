"""Tests that `spokeneval score` and `spokeneval.score` give the same scores as a bundle's score.py."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any
from unicodedata import normalize

import numpy as np
import pytest

import spokeneval
from spokeneval.__main__ import main
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.speakers import independence_note
from spokeneval.kinds.declared import KINDS
from spokeneval.metrics.counts import total
from spokeneval.metrics.jackknife import FEWEST_UNITS
from spokeneval.scoring.scored import parse_statistics
from spokeneval.task import ENDS
from tests.samples.cases import CASES
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, run_score, write_files
from tests.samples.zips import zipped


@pytest.fixture(params=task_names())
def task(request) -> str:
    return request.param


@pytest.fixture
def place(task, tmp_path) -> Path:
    """A folder with the folders `reference` and `submission` of a small set of the task."""
    write_files(tmp_path / "reference", CASES[task].reference)
    write_files(tmp_path / "submission", CASES[task].submission)
    return tmp_path


def run(capsys, task: str, reference: Path, submission: Path, *options: str) -> tuple[int, str, str]:
    """Run the command in this process, and return exit status, standard output and standard error."""
    arguments = ["score", task, "--reference", str(reference), "--submission", str(submission), *options]
    status = main(arguments)
    return status, *capsys.readouterr()


def test_scores_are_those_of_the_scoring_program_and_follow_from_its_statistics(task, tmp_path, capsys):
    """Those of the program are the same to the last bit."""
    sample = ROOT / "reference_data" / task / "evaluation"
    submission = write_files(tmp_path / "submission", near_misses(task, sample))
    files = {file: (sample / file).read_bytes() for file in find_task(task).format.reference_files}
    options = {"public_references": [spokeneval.scoring.reference.fingerprint(files)]}
    program = run_score(task, tmp_path, files, near_misses(task, sample), options)
    status, printed, _ = run(capsys, task, sample, submission, "--json")
    result = json.loads(printed)
    assert result.pop("arguments")[:2] == ["score", task]
    key = find_task(task).primary.key  # the only one whose interval a program writes
    ends = {key + end: result["intervals"][key][place] for place, end in enumerate(ENDS)}
    assert status == 0
    assert repr({**result["scores"], **ends}) == repr(program.scores)
    assert result["signature"] == (tmp_path / "output" / "signature.txt").read_text().strip()
    text = (tmp_path / "output" / "statistics.json").read_text()
    statistics = json.loads(text)
    assert len(text) < 500_000
    assert (len(statistics["units"]), len(statistics["columns"])) == np.shape(statistics["values"])
    parts = {part: total(counts) for part, counts in parse_statistics(statistics).parts.items()}
    for score in find_task(task).scores:
        found = score.value(find_task(task).part(score, parts))
        np.testing.assert_allclose(found, program.scores[score.key], rtol=0, atol=1e-11)
    assert (result["task"], result["unit"]) == (task, statistics["unit"])
    assert (result["units"], result["items"]) == (len(statistics["units"]), int(program.stdout.split()[1]))
    from_python = spokeneval.score(task, reference=sample, submission=str(submission))
    assert json.loads(json.dumps(from_python.to_dict())) == result
    for key, (low, high) in from_python.intervals.items():
        assert low <= from_python.scores[key] <= high


def test_a_file_a_folder_and_a_zip_give_the_same(task, place, capsys):
    expected = run(capsys, task, place / "reference", place / "submission")
    assert (expected[0], expected[2]) == (0, "")
    (place / "upload.zip").write_bytes(zipped(CASES[task].submission))
    assert run(capsys, task, place / "reference", place / "upload.zip") == expected
    for side in ("reference", "submission"):
        first, *others = (place / side).iterdir()
        other_name = first.rename(place / f"my {side}.txt")
        paths = {"reference": place / "reference", "submission": place / "upload.zip", side: other_name}
        status, printed, told = run(capsys, task, paths["reference"], paths["submission"])
        if others:
            assert (status, printed) == (2, "")
            assert f"my {side}.txt: {'a' if side == 'submission' else 'the'} {side}" in told
            assert "expected their folder" in told
        else:
            assert (status, printed, told) == expected
        other_name.rename(first)


def test_every_score_is_printed_by_its_title(task, place, capsys):
    _, printed, _ = run(capsys, task, place / "reference", place / "submission")
    result = spokeneval.score(task, reference=place / "reference", submission=place / "submission")
    title, _, *lines, _, signature = printed.splitlines()
    lines, told = lines[: len(result.scores)], " ".join(lines[len(result.scores) :]).strip()
    few = result.units < FEWEST_UNITS
    assert told == ("" if few else independence_note(result.unit, {}))
    assert bool(told) == (result.unit not in ("speaker", "session") and not few)
    over = "no intervals over " if few else "intervals over "
    assert title.startswith(f"{find_task(task).title}: {result.items} items, {over}{result.units} ")
    assert signature == result.signature
    for score, line in zip(find_task(task).scores, lines, strict=True):
        value = result.scores[score.key]
        assert line.split("95 %")[0].split() == [
            *score.heading.split(), str(value) if isinstance(value, int) else f"{value:.4f}"
        ]  # fmt: skip
        assert ("95 % interval" in line) == bool((score.bounds or score.interval) and not few)


# What is refused


def test_a_wrong_call(tmp_path, capsys):
    write_files(tmp_path / "reference", CASES["spoken_call"].reference)
    for reference, submission in ((tmp_path / "reference", tmp_path / "none"), (tmp_path / "none", tmp_path)):
        with pytest.raises(FileNotFoundError):
            spokeneval.score("spoken_call", reference=reference, submission=submission)
    told = run(capsys, "zebra", tmp_path, tmp_path)[2]
    assert told.startswith("Unknown task zebra; choose one of ")
    assert all(name in told for name in (*task_names(), *KINDS))
    with pytest.raises(ValueError, match="unknown task 'spoken_cal'; expected one of"):
        spokeneval.score("spoken_cal", reference=tmp_path, submission=tmp_path)
    for arguments in (["score", "spoken_call"], ["score", "spoken_call", "--reference", "x"]):
        assert main(arguments) == 2
    for arguments in ([], ["scores"]):
        with pytest.raises(SystemExit) as ended:
            main(arguments)
        assert ended.value.code == 2


def test_help_and_a_terminal_without_greek():
    environment = {"PATH": os.defpath, "PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "ascii"}
    for words, expected in ((["tasks"], "Mean \\u03ba"), (["score", "--help"], "a zip of them")):
        command = [sys.executable, "-m", "spokeneval", *words]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        assert expected in " ".join(done.stdout.split())


def test_the_rows_beside_a_stray_folder_are_checked_too(tmp_path):
    write_files(tmp_path, {"transcripts.csv": "id,transcript\na,yes\nc,no\n", "notes/read.me": ""})
    with pytest.raises(spokeneval.SubmissionError) as refused:
        spokeneval.score({"kind": "transcripts"}, {"a": "yes", "b": "no"}, tmp_path)
    assert {problem.code for problem in refused.value.problems} == {
        "nested_folder",
        "unknown_item",
        "missing_item",
    }


def test_a_refusal_names_the_file_as_the_person_does(tmp_path):
    write_files(tmp_path, {"up.csv": "id,transcript\na,yes\nc,no\n"})
    with pytest.raises(spokeneval.SubmissionError, match=r"\Aup\.csv: 2 problems\n") as refused:
        spokeneval.score({"kind": "transcripts"}, {"a": "yes", "b": "no"}, tmp_path / "up.csv")
    assert {problem.file for problem in refused.value.problems} == {"up.csv"}


def _rows(header: str, *columns: Any) -> str:
    return "".join(",".join(map(str, row)) + "\n" for row in [header.split(","), *zip(*columns, strict=True)])


IDS, WHO = [f"r\u00e9{n}" for n in range(12)], [f"Jo\u00e3o{n % 6}" for n in range(12)]
FIRST = [("sain", "fatigu\u00e9")[n % 6 % 2] for n in range(12)]
SECOND = [*FIRST[:9], "sain", "sain", "fatigu\u00e9"]
WORDS = [f"caf\u00e9 {n % 5} \u00e0 la cr\u00e8me" for n in range(12)]
HEARD = [*WORDS[:9], "caf\u00e9", "cafe", "\u00e0 la"]
SAID = {"transcripts.csv": _rows("id,transcript,regi\u00e3o,speaker", IDS, WORDS, FIRST, WHO)}
TURNS = [
    f"SPEAKER {r} 1 {n} 2 <NA> <NA> {w} <NA> <NA>\n" for n, (r, w) in enumerate(zip(IDS, FIRST, strict=True))
]
SEGMENTS = [
    {"session_id": r, "speaker": w, "start_time": n, "end_time": n + 3, "words": t}
    for n, (r, w, t) in enumerate(zip(IDS, WHO, WORDS, strict=True))
]
ACCENTED = {
    "decisions": (
        {"classes": ["sain", "fatigu\u00e9"], "positive": "fatigu\u00e9"},
        {"labels.csv": _rows("id,label,speaker", IDS, FIRST, WHO)},
        {"decisions.csv": _rows("id,label", IDS, SECOND)},
    ),
    "ratings": (
        {"raters": ["Jo\u00e3o", "Zo\u00eb"], "scale": [1, 5]},
        {"ratings.csv": _rows("id,Jo\u00e3o,Zo\u00eb,speaker", IDS, [1, 2, 3, 4] * 3, [1, 2, 4] * 4, WHO)},
        {"ratings.csv": _rows("id,rating", IDS, [1, 2, 3] * 4)},
    ),
    "transcripts": (
        {"mean_over": "regi\u00e3o"},
        SAID,
        {"transcripts.csv": _rows("id,transcript", IDS, HEARD)},
    ),
    "phones": (
        {"units": "phones", "phones": ["\u00e3", "\u00e9", "t"]},
        {"transcripts.csv": _rows("id,transcript,speaker", IDS, ["\u00e3 t", "\u00e9"] * 6, WHO)},
        {"transcripts.csv": _rows("id,transcript", IDS, ["\u00e3", "\u00e9", "t"] * 4)},
    ),
    "turns": (
        {"classes": ["sain", "fatigu\u00e9"], "missing": "missed"},
        {"turns.rttm": "".join(TURNS), "regions.uem": "".join(f"{each} 1 0 14\n" for each in IDS)},
        {"turns.rttm": "".join(TURNS[:9])},
    ),
    "meetings": (
        {"missing": "missed"},
        {"meetings.json": json.dumps(SEGMENTS, ensure_ascii=False)},
        {"meetings.json": json.dumps(SEGMENTS[:9], ensure_ascii=False)},
    ),
}
"""Tasks with accents in ids, labels, speakers, columns and words: parameters, both sides."""


@pytest.mark.parametrize("kind", ACCENTED)
def test_scores_and_intervals_do_not_depend_on_the_unicode_form(kind, tmp_path):
    declared, *sides = ACCENTED[kind]
    declared = {"kind": "transcripts" if kind == "phones" else kind, **declared}

    def nfd(text: str, some: int) -> str:
        """Every line, or every second line, in the form NFD; JSON as escapes."""
        lines = [normalize("NFD", line) if n % some == 0 else line for n, line in enumerate(text.split("\n"))]
        joined = "\n".join(lines)
        return json.dumps(json.loads(joined)) if text[0] == "[" else joined

    def result(task: Any, *forms: int) -> tuple[Any, ...]:
        folders = []
        for side, (files, some) in enumerate(zip(sides, forms, strict=True)):
            made = {name: nfd(text, some) if some else text for name, text in files.items()}
            folders.append(write_files(tmp_path / f"{side} {some}", {n: t.encode() for n, t in made.items()}))
        found = spokeneval.score(task, *folders)
        return found.scores, found.intervals, found.unit, found.units

    expected = result(declared, 0, 0)
    decomposed = json.loads(normalize("NFD", json.dumps(declared, ensure_ascii=False)))
    for task, *forms in ((declared, 1, 0), (declared, 0, 1), (declared, 2, 2), (decomposed, 0, 1)):
        assert result(task, *forms) == expected
