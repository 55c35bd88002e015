"""Every refusal has a corruption that reaches it, and no corruption of a good submission scores."""

from __future__ import annotations

import ast
import functools
import importlib
import json
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

from spokeneval.results.programs import accepted_report
from spokeneval.submissions import spoken_call
from spokeneval.submissions.archive import unpack
from spokeneval.submissions.folder import REPORT_FILE, check_report, list_files
from spokeneval.submissions.problems import FileProblems, Problems, ReferenceFileError, SubmissionError
from spokeneval.submissions.spoken_call import require_possible, rule_broken
from tests import mutations
from tests.mutations import CASES, BadReference, Mutation
from tests.support import ROOT, run_program, write_files

Site = tuple[str, int]
"""Module and line of a `problems.add(...)` that was reached."""


@dataclass(frozen=True)
class Refusal:
    """What became of a corruption: the error, None if it was accepted, and where its problems were found."""

    error: FileProblems | None
    sites: frozenset[Site]


@functools.cache
def items_of(task: str):
    module = importlib.import_module(f"spokeneval.submissions.{task}")
    with tempfile.TemporaryDirectory() as folder:
        return module.read_reference(write_files(Path(folder), CASES[task].reference)).items


def lay_out(mutation: Mutation, folder: Path) -> Path:
    """The submission as a platform unpacks it. Raises SubmissionError where its zip is refused."""
    submission = folder / "res"
    submission.mkdir()
    if mutation.archive is not None:
        (folder / "submission.zip").write_bytes(mutation.archive)
        unpack(folder / "submission.zip", submission)
    else:
        write_files(submission, mutation.files or {})
    if mutation.spoil:
        mutation.spoil(submission)
    return submission


def read(task: str, mutation: Mutation, folder: Path) -> None:
    """What the programs do with a submission, but for the scores."""
    module = importlib.import_module(f"spokeneval.submissions.{task}")
    submission = lay_out(mutation, folder)
    items = items_of(task)
    files = list_files(submission, after_ingestion=mutation.after_ingestion)
    if mutation.race:
        mutation.race(submission)
    module.read_submission(files, items)
    if mutation.after_ingestion:
        check_report(submission, accepted_report(task, len(items)))


def observed(action) -> Refusal:
    """Run something that reads files, and note where it found problems."""
    sites = set()
    plain_add = Problems.add

    def add(self, *arguments, **keywords):
        caller = sys._getframe(1)
        sites.add((Path(caller.f_code.co_filename).stem, caller.f_lineno))
        plain_add(self, *arguments, **keywords)

    error = None
    with mock.patch.object(Problems, "add", add):
        try:
            action()
        except FileProblems as refusal:
            error = refusal
    return Refusal(error, frozenset(sites))


@functools.cache
def refusals(task: str) -> dict[str, Refusal]:
    found = {}
    for mutation in mutations.SUBMISSIONS[task]:
        with tempfile.TemporaryDirectory() as folder, mutation.during():
            found[mutation.name] = observed(lambda: read(task, mutation, Path(folder)))  # noqa: B023
    return found


@functools.cache
def reference_refusals(task: str) -> dict[str, Refusal]:
    module = importlib.import_module(f"spokeneval.submissions.{task}")

    def refuse(bad: BadReference) -> Refusal:
        with tempfile.TemporaryDirectory() as folder, bad.during():
            written = write_files(Path(folder), bad.files)
            return observed(lambda: module.read_reference(written))

    return {bad.name: refuse(bad) for bad in mutations.bad_references(task)}


def told(error: FileProblems) -> list[mutations.Row]:
    return sorted(
        ((problem.code, problem.file, problem.line, problem.item) for problem in error.problems), key=repr
    )


@pytest.mark.parametrize("task", CASES)
def test_the_good_submission_is_read_against_either_labelling(task, tmp_path):
    module = importlib.import_module(f"spokeneval.submissions.{task}")
    case = CASES[task]
    references = [
        module.read_reference(write_files(tmp_path / str(number), files))
        for number, files in enumerate((case.reference, case.relabelled))
    ]
    assert case.reference != case.relabelled
    assert references[0].items == references[1].items
    files = list_files(write_files(tmp_path / "res", case.submission))
    module.read_submission(files, references[0].items)


@pytest.mark.parametrize("task", CASES)
def test_each_corruption_gets_its_refusal(task):
    table = mutations.SUBMISSIONS[task]
    assert len({mutation.name for mutation in table}) == len(table)
    wrong = []
    for mutation in table:
        error = refusals(task)[mutation.name].error
        if error is None:
            wrong.append(f"{mutation.name}: accepted")
            continue
        assert type(error) is SubmissionError, mutation.name
        found, expected = told(error), sorted(mutation.expected, key=repr)
        if mutation.codes:
            by_line = sorted(error.problems, key=lambda problem: problem.line or 10**9)
            found = [(by_line[0].code, by_line[0].file, by_line[0].line, by_line[0].item)]
            assert [problem.code for problem in by_line] == list(mutation.codes), mutation.name
        if found != expected:
            wrong.append(f"{mutation.name}: {found}; expected {expected}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("task", CASES)
def test_each_corruption_of_a_reference_gets_its_refusal(task):
    wrong = []
    for bad in mutations.bad_references(task):
        error = reference_refusals(task)[bad.name].error
        if error is None or told(error) != sorted(bad.expected, key=repr):
            wrong.append(f"{bad.name}: {error and told(error)}; expected {bad.expected}")
        assert error is None or type(error) is ReferenceFileError
    assert not wrong, "\n".join(wrong)


def test_every_message_is_one_printable_line_of_bounded_length():
    for task in CASES:
        for name, refusal in {**refusals(task), **reference_refusals(task)}.items():
            for line in str(refusal.error).splitlines():
                assert line.isprintable(), (task, name, line)
                assert len(line) < 700, (task, name, line[:200])


def refusal_sites() -> dict[Site, tuple[int, str]]:
    """Every `problems.add("code", ...)` in the readers: module and first line -> last line and code."""
    sites = {}
    for path in sorted((ROOT / "spokeneval" / "submissions").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "add"
            ):
                code = node.args[0]
                if len(node.args) >= 3 and isinstance(code, ast.Constant):
                    sites[path.stem, node.lineno] = (node.end_lineno, code.value)
                assert len(node.args) == 1 or isinstance(code, ast.Constant), (path, node.lineno)
    return sites


def other_refusals(folder: Path) -> list[Refusal]:
    """The 50 % rule's two refusals: of a number of accepts, and where the organiser's policy is to refuse; and that
    of class sizes that a bundle's builder never writes."""
    write_files(folder, {"test_sheet.csv": "Id\n1\n", "class_sizes.json": '{"correct": "many"}'})
    return [
        observed(lambda: require_possible(np.array([True, True]), (1, 1))),
        observed(lambda: rule_broken((0.4, 0.9)).raise_if_any()),
        observed(lambda: spoken_call.read_items(folder)),
    ]


def test_every_refusal_in_the_code_has_a_corruption_that_reaches_it(tmp_path):
    reached: set[Site] = set()
    for refusal in [*(r for task in CASES for r in refusals(task).values()), *other_refusals(tmp_path)]:
        assert refusal.error is not None
        reached |= refusal.sites
    for task in CASES:
        for refusal in reference_refusals(task).values():
            reached |= refusal.sites
    known = refusal_sites()
    assert len(known) > 60
    missed = [
        f"{module}.py line {first}: {code}"
        for (module, first), (last, code) in known.items()
        if not any(name == module and first <= line <= last for name, line in reached)
    ]
    assert not missed, "no corruption gets these refusals:\n" + "\n".join(missed)


def test_each_task_reaches_the_refusals_that_its_reader_promises():
    """A shared refusal that one task's reader forgot to ask for would be reached by the other tasks' tables."""
    everywhere = {
        *("missing_file", "unexpected_file", "metadata_file", "nested_folder", "link", "special_file"),
        *("unreadable_file", "not_accepted", "file_too_large", "not_utf8", "nul_byte"),
        *("carriage_return", "wrong_field_count", "bad_zip", "unsafe_entry", "duplicate_entry"),
        *("encrypted_zip", "zip_too_large"),
    }
    tables = {"empty_file", "missing_column", "duplicate_column", "unclosed_quote"}
    items = {"missing_item", "unknown_item", "duplicate_item"}
    for task in CASES:
        codes = Counter(p.code for r in refusals(task).values() if r.error for p in r.error.problems)
        promised = everywhere | (tables | items if task in mutations.SHEETS else set())
        promised |= items | {"wrong_id", "out_of_order"} if task == "merlion_identification" else set()
        assert promised <= set(codes), (task, promised - set(codes))


SELECTED = ("a row doubled", "easy segment twice", "turns: an end before its start")


@pytest.mark.parametrize("task", CASES)
def test_the_programs_refuse_with_the_same_words_and_leave_nothing(task, tmp_path):
    """One corruption of each kind through the real programs; `test_leaks` sends more through built bundles."""
    case = CASES[task]
    module = importlib.import_module(f"spokeneval.submissions.{task}")
    (mutation,) = [each for each in mutations.SUBMISSIONS[task] if each.name in SELECTED]
    write_files(tmp_path / "input" / "ref", case.reference)
    public = module.public_items(module.read_reference(tmp_path / "input" / "ref"), {})
    write_files(tmp_path / "input" / "res", mutation.files)
    write_files(tmp_path / "items", public)
    write_files(tmp_path / "output", dict.fromkeys(("scores.json", "scores.txt", "statistics.json"), "old"))
    scored = run_program(ROOT / f"scoring_program/{task}/score.py", tmp_path / "input", tmp_path / "output")
    ingested = run_program(
        ROOT / f"ingestion_program/{task}/ingest.py",
        tmp_path / "items",
        tmp_path / "input/res",
        tmp_path / "ingested",
    )
    assert (scored.returncode, ingested.returncode) == (1, 1)
    assert scored.stderr == ingested.stderr
    assert scored.stdout == ingested.stdout == ""
    refusal = refusals(task)[mutation.name].error
    assert scored.stderr.startswith(f"{refusal}\n\nNothing was scored")
    assert not list((tmp_path / "output").iterdir())
    assert [path.name for path in (tmp_path / "ingested").iterdir()] == [REPORT_FILE]
    assert "refused" in json.dumps((tmp_path / "ingested" / REPORT_FILE).read_text())
