"""What the readers make of the corruptions: each one's refusal, and where in the code it was found."""

from __future__ import annotations

import functools
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from spokeneval.formats.problems import FileProblems, Problems
from spokeneval.formats.submission_folder import check_report, list_files
from spokeneval.formats.submission_zip import unpack
from spokeneval.programs.program import accepted_report
from spokeneval.tasks import find_task
from tests.samples.bad_references import bad_references
from tests.samples.cases import CASES
from tests.samples.corruptions import SUBMISSIONS, Mutation
from tests.samples.programs import encoded, write_files

Site = tuple[str, int]
"""Module and line of a problem that was found."""


@dataclass(frozen=True)
class Refusal:
    """What became of a corruption: the error, None if it was accepted, and where its problems were found."""

    error: FileProblems | None
    sites: frozenset[Site]


@functools.cache
def items_of(task: str):
    return find_task(task).format.read_reference(encoded(CASES[task].reference)).items


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
    submission = lay_out(mutation, folder)
    items = items_of(task)
    files = list_files(submission, after_ingestion=mutation.after_ingestion)
    if mutation.race:
        mutation.race(submission)
    find_task(task).format.read_submission(files, items)
    if mutation.after_ingestion:
        check_report(submission, accepted_report(task, len(items)))


def observed(action) -> Refusal:
    """Run something that reads files, and note where it found problems."""
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
"""The methods beside `Problems.add` that a reader tells a problem by."""


@functools.cache
def refusals(task: str) -> dict[str, Refusal]:
    """Of each corruption of a submission."""
    found = {}
    for mutation in SUBMISSIONS[task]:
        with tempfile.TemporaryDirectory() as folder, mutation.during():
            found[mutation.name] = observed(lambda: read(task, mutation, Path(folder)))  # noqa: B023
    return found


@functools.cache
def reference_refusals(task: str) -> dict[str, Refusal]:
    """Of each corruption of a reference."""
    found = {}
    for bad in bad_references(task):
        files = encoded(bad.files)
        with bad.during():
            found[bad.name] = observed(lambda: find_task(task).format.read_reference(files))  # noqa: B023
    return found
