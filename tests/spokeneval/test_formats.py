"""Tests that every refusal in the code is reached by a corruption, and that no corrupted submission is scored."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from spokeneval.challenges import merlion_diarization, spoken_call
from spokeneval.formats.format import Answers, Items
from spokeneval.formats.problems import ReferenceFileError, SubmissionError
from spokeneval.formats.tables import Table
from spokeneval.formats.text import LONGEST_LINE, Files
from spokeneval.formats.turns import MOST_TURNS
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.accept_reject import Decisions
from spokeneval.scoring.groups import groups_of_column
from spokeneval.scoring.options import Settings, Signature
from tests.samples import labelled_turns, meetings, transcript_files
from tests.samples.bad_references import bad_references
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.mistakes import words_of
from tests.samples.programs import ROOT, encoded, write_files
from tests.samples.refusals import HANDED_ON, Refusal, Site, observed, reference_refusals, refusals
from tests.samples.tables import table as rows_of


def faults(case, error, expected_error: type) -> list[str]:
    """The differences between a refusal and the table."""
    if error is None:
        return [f"{case.name}: accepted"]
    assert type(error) is expected_error, case.name
    problems = sorted(error.problems, key=lambda problem: problem.line or 10**9)
    rows = [(problem.code, problem.file, problem.line, problem.item) for problem in problems]
    codes = getattr(case, "codes", ())
    if codes:
        assert tuple(problem.code for problem in problems) == codes, case.name
        rows = rows[:1]
    wrong = []
    if sorted(rows, key=repr) != sorted(case.expected, key=repr):
        wrong.append(f"{case.name}: {rows}; expected {case.expected}")
    if case.words not in problems[0].message:
        wrong.append(f"{case.name}: {problems[0].message!r} without {case.words!r}")
    return wrong


def _refusal(task, files: Files, items: Items) -> str:
    with pytest.raises(SubmissionError) as refusal:
        task.format.read_submission(files, items)
    return str(refusal.value)


MISTAKES = rows_of("mistakes")


@pytest.mark.parametrize("kit", MISTAKES)
def test_each_mistake_of_a_participant_gets_its_sentence(kit, tmp_path, monkeypatch):
    missed = []
    for number, (mistake, sentence, _) in enumerate(MISTAKES[kit]):
        monkeypatch.chdir(write_files(tmp_path / str(number), {}))
        words = words_of(kit, mistake, Path())
        missed += [] if sentence in words else [(mistake, sentence, words[:300])]
    assert not missed


@pytest.mark.parametrize("kit", [kit for kit in MISTAKES if kit != "shell"])
def test_a_good_submission_gets_no_warning(kit, tmp_path):
    assert words_of(kit, ["zip"], tmp_path) == "accepted"


def test_the_sentences_about_mistakes_are_clear_to_a_fresh_reader():
    marks = [mark for rows in MISTAKES.values() for _, _, mark in rows]
    assert len(marks) >= 150
    assert min(marks) > 0
    assert np.mean(marks) >= 2.8


def test_an_id_that_could_be_two_items_gets_no_advice():
    task = declared_task("decisions", {"kind": "decisions", "classes": ["yes", "no"], "positive": "yes"})
    files = {"decisions.csv": b"id,label\na1,yes\na01,no\nb,no\n"}
    assert "line 2    id a1 is not one of the 3 items\n" in _refusal(task, files, Items(("A1", "a01", "b")))


@pytest.mark.parametrize("first", [0, 1])
def test_row_numbers_and_another_sets_ids_are_named_before_other_problems(first):
    task, items = declared_task("scores", {"kind": "scores", "scale": [0, 5]}), Items(("utt7", "utt8"))
    rows = "".join(f"{number},none\n" for number in range(first, first + 30))
    words = _refusal(task, {"scores.csv": f"id,score\n{rows}".encode()}, items)
    hint = f"line 2    id {first}: none of the 30 items belongs to this set of 2, such as utt7; "
    assert words.split("\n")[2] == f"  {hint}are these the numbers of rows? Write the ids of the items"
    assert "expected a finite decimal number (29 more" in words.split("\n")[3]


@pytest.mark.parametrize("side", ["submission", "reference"])
@pytest.mark.parametrize("task", CASES)
def test_each_corruption_gets_its_refusal(task, side):
    if side == "submission":
        table, found, error = SUBMISSIONS[task], refusals(task), SubmissionError
    else:
        table, found, error = list(bad_references(task)), reference_refusals(task), ReferenceFileError
    assert len({each.name for each in table}) == len(table)
    wrong = [line for each in table for line in faults(each, found[each.name].error, error)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("task", CASES)
def test_every_message_is_one_printable_line_of_bounded_length(task):
    for name, refusal in {**refusals(task), **reference_refusals(task)}.items():
        for line in str(refusal.error).splitlines():
            assert line.isprintable(), (name, line)
            assert len(line) < 700, (name, line[:200])


def refusal_sites() -> dict[Site, tuple[int, str]]:
    """Every `problems.add("code", ...)` in the readers: `(module, first line) -> (last line, code)`."""
    sites = {}
    paths = [path for room in ("formats", "challenges") for path in (ROOT / "spokeneval" / room).glob("*.py")]
    for path in sorted(paths):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
                continue
            if node.func.attr in ("add", *HANDED_ON):
                code = node.args[node.func.attr == "add_problem"]
                if len(node.args) >= 3 and isinstance(code, ast.Constant):
                    sites[path.stem, node.lineno] = (node.end_lineno, code.value)
                ours = len(node.args) == 1 or isinstance(code, ast.Constant) or path.stem in HANDING_ON
                assert ours, (path, node.lineno)
    return sites


HANDING_ON = ("problems", "segment_problems", "tables", "turns", "meetings")
"""The modules of the methods in `HANDED_ON`."""


def other_refusals() -> list[Refusal]:
    """Refusals outside the tables: the two of the 50 % rule (a number of accepted responses, and the option to refuse),
    those of class sizes and times that no bundle contains, and those of a kind's own files."""
    sizes = encoded({"test_sheet.csv": "Id\n1\n", "class_sizes.json": '{"correct": "many"}'})
    times = encoded({"recordings.csv": "audio_name\nx.wav\n", "times.json": '{"latest_ms": 0}'})
    accepted = Answers(Items(("1", "2")), {"Accept": np.array([1, 1])})
    broken = {"decisions": Decisions(2, 3, 5, 0, 0)}
    kinds = [(side, side.make()) for side in (labelled_turns, meetings)]
    options = Settings({"fifty_percent_rule": "reject"}, False, Signature("spoken_call"))
    declared = {"kind": "identification", "target": "A"}
    trials = declared_task("own", {**declared, "other_unit": "noise"})
    rows = encoded({"labels.csv": "id,label,speaker,noise\n1,A,s,low\n2,B,s,high\n3,B,t,\n"})
    texts = declared_task("own", {"kind": "transcripts"})
    file = texts.format.layouts[0].file
    in_memory = {file: Table(file, "id", {"id": ["1"], "transcript": ["a"]}, [0], place="row")}
    wide = Table(file, "id", {"a": ["1"], "b": ["a" * LONGEST_LINE]}, [2], header=[(1, ["id", "transcript"])])
    events = declared_task("own", {"kind": "events", "classes": ["a"]})
    header, recordings = "recording,start,end,label", ["r", *map(str, range(99))]
    regions = {"regions.csv": "\n".join(["recording,start,end", *(f"{each},0,9" for each in recordings), ""])}
    labels, unknown = ({"events.csv": f"{header}\nr,0,1,{label}\n"} for label in "ac")
    items = events.format.read_reference(encoded({**labels, **regions})).items
    many = {"events.csv": "\n".join([f"{header},score", *["r,0,1,a,1"] * (MOST_TURNS + 1), ""])}
    return [
        observed(lambda: events.format.read_reference(encoded(labels))),
        observed(lambda: events.format.read_reference(encoded({**unknown, **regions}))),
        observed(lambda: events.format.read_submission(encoded(many), items)),
        observed(lambda: groups_of_column(texts, in_memory, "noise")),
        observed(lambda: texts.format.read_reference({file: wide})),
        observed(lambda: groups_of_column(texts, {"text": b"1 a\n"}, "noise")),
        observed(lambda: trials.format.read_reference(rows)),
        observed(lambda: groups_of_column(declared_task("own", declared), rows, "noise")),
        observed(lambda: spoken_call.require_possible(accepted, {"correct": 1, "incorrect": 1})),
        observed(lambda: spoken_call.refuse_ineligible(broken, options)),
        observed(lambda: spoken_call.read_items(sizes)),
        observed(lambda: merlion_diarization.TASK.format.read_items(times)),
        *(
            observed(partial(kind.read_submission, task, f))
            for kind, task in kinds
            for f, _ in kind.BAD_SUBMISSIONS
        ),
        *(
            observed(partial(transcript_files.rows, read, text))
            for read, text, *_ in transcript_files.BAD_LINES
        ),
        *(
            observed(partial(task.format.read_reference, f))
            for kind, task in kinds
            for f, _ in kind.BAD_REFERENCES
        ),
    ]


def test_every_refusal_in_the_code_has_a_corruption_that_reaches_it():
    reached: set[Site] = set()
    tables = [table(task) for task in CASES for table in (refusals, reference_refusals)]
    for refusal in [*(each for table in tables for each in table.values()), *other_refusals()]:
        assert refusal.error is not None
        reached |= refusal.sites
    known = refusal_sites()
    assert len(known) > 60
    missed = [
        f"{module}.py line {first}: {code}"
        for (module, first), (last, code) in known.items()
        if not any(name == module and first <= line <= last for name, line in reached)
    ]
    assert not missed, "no corruption gets these refusals:\n" + "\n".join(missed)
