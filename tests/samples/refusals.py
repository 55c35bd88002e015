"""The refusals of the corruptions by the readers, with the places in the code where problems were added."""

from __future__ import annotations

import functools
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

import pytest

from spokeneval.challenges import find_task
from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.submission_folder import check_report, read_files
from spokeneval.formats.submission_zip import unpack
from spokeneval.programs.program import accepted_report
from tests.samples.bad_references import bad_references
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS
from tests.samples.mutation import Mutation
from tests.samples.programs import encoded, write_files

Site = tuple[str, int]
"""The module and line of a call that added a problem."""


@dataclass(frozen=True)
class Refusal:
    """The refusal of a corruption: the error, or None if it was accepted, and the places that added its problems."""

    error: FileProblems | None
    sites: frozenset[Site]


@functools.cache
def items_of(task: str):
    return find_task(task).format.read_reference(encoded(CASES[task].reference)).items


def lay_out(mutation: Mutation, folder: Path) -> Path:
    """Unpack a submission as a platform does. Raises SubmissionError if the zip is refused."""
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
    """Read a submission as the programs do, without scoring it."""
    submission = lay_out(mutation, folder)
    items = items_of(task)

    def answers(files):
        if mutation.race:
            mutation.race(submission)
        return find_task(task).format.read_submission(files, items)

    read_files(submission, answers, after_ingestion=mutation.after_ingestion)
    if mutation.after_ingestion:
        check_report(submission, accepted_report(task, len(items)))


def observed(action) -> Refusal:
    """Run a function that reads files, and record where it adds problems."""
    sites = set()
    plain_add = Problems.add

    def add(self, *arguments, **keywords):
        frame = sys._getframe(1)
        while frame.f_code.co_name in HANDED_ON:
            frame = frame.f_back
        sites.add((Path(frame.f_code.co_filename).stem, frame.f_lineno))
        plain_add(self, *arguments, **keywords)

    error = None
    with mock.patch.object(Problems, "add", add):
        try:
            action()
        except FileProblems as refusal:
            error = refusal
    return Refusal(error, frozenset(sites))


HANDED_ON = ("stop", "add_problem")
"""The methods, besides `Problems.add`, with which readers add problems."""


@functools.cache
def refusals(task: str) -> dict[str, Refusal]:
    """The refusal of each corruption of a submission."""
    found = {}
    for mutation in SUBMISSIONS[task]:
        with tempfile.TemporaryDirectory() as folder, mutation.during():
            found[mutation.name] = observed(lambda: read(task, mutation, Path(folder)))  # noqa: B023
    return found


@functools.cache
def reference_refusals(task: str) -> dict[str, Refusal]:
    """The refusal of each corruption of a reference."""
    found = {}
    for bad in bad_references(task):
        files = encoded(bad.files)
        with bad.during():
            found[bad.name] = observed(lambda: find_task(task).format.read_reference(files))  # noqa: B023
    return found


def refused(read: Callable[..., object], *arguments: object) -> tuple[str, int | None]:
    """The code and line of the problem that ends the reading of `a.csv`."""
    with pytest.raises(FileProblems) as refusal:
        read(*arguments)
    (problem,) = refusal.value.problems
    assert problem.file == "a.csv"
    return problem.code, problem.line
