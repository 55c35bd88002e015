"""The two programs that a platform runs: check a submission (`ingest_main`), score it (`score_main`).

    python3 ingest.py INPUT_DATA_DIR SUBMISSION_DIR OUTPUT_DIR
    python3 score.py INPUT_DIR OUTPUT_DIR          (INPUT_DIR/ref, INPUT_DIR/res)

Exit status 0: accepted, scored. 1: refused, every problem on standard error, and no scores. Nothing that
either prints depends on a gold label.
"""

from __future__ import annotations

import os
import shutil
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Callable

from ..formats.problems import (
    FREE_ATTEMPT,
    FileProblems,
    ReferenceFileError,
    SubmissionError,
    count_of,
    name,
)
from ..formats.submission_folder import REPORT_FILE, check_report, list_files
from ..task import Task
from .feedback import describe_line, shown_scores
from .files import write_file
from .options import OPTIONS_FILE, read_options, wants_page, with_options
from .reference import read_items, read_reference, read_submission
from .scores import SCORE_FILES, check_scores, write_scores
from .scoring import score_submission
from .statistics import STATISTICS_FILE, write_statistics

SIGNATURE_FILE = "signature.txt"
PAGE_FILE = "detailed_results.html"

PAGE_FOLDER = "detailed_results"
"""Where the page goes if an empty one lies in the output beforehand. CodaLab's worker puts it there, fails a run that
takes it away, and loses what is written over it in a run's last second; a page in a folder arrives."""

HIDDEN_STATISTICS = "SPOKENEVAL_HIDDEN_STATISTICS"
"""Environment variable: `write` gives the statistics of a hidden reference too, and exact scores, as organisers want
them at home. No participant gets at a platform's environment."""


def accepted_report(task: str, items: int) -> str:
    """What the ingestion program leaves beside a submission that it accepts."""
    return f"{task}: structure accepted, {items} items checked.\n"


def score_main(default: Task) -> int:
    """Score `INPUT_DIR/res` against `INPUT_DIR/ref` into `OUTPUT_DIR`; returns the exit status.

    Writes `scores.json` and `scores.txt`, `signature.txt`, where the labels are public `statistics.json`, and where
    the options say so `detailed_results.html`, last: nothing that goes wrong with it changes a score. An empty page
    that is there already stays as it is.
    """
    settings = _settings()

    def program() -> None:
        inputs, output = _directories("INPUT_DIR", "OUTPUT_DIR")
        task = with_options(settings, default)
        output.mkdir(parents=True, exist_ok=True)
        page = () if _is_empty_file(output / PAGE_FILE) else (PAGE_FILE,)
        for file in (*SCORE_FILES, SIGNATURE_FILE, STATISTICS_FILE, PAGE_FOLDER, *page):
            _remove(output / file)
        reference = read_reference(task, inputs / "ref")
        options = read_options(settings, task, inputs / "ref", reference)
        at_home = os.environ.get(HIDDEN_STATISTICS) == "write"
        if at_home:
            options = replace(options, steps=None)
        files = list_files(inputs / "res", after_ingestion=True)
        submission = read_submission(task, files, reference)
        check_report(inputs / "res", accepted_report(task.name, len(reference.items)))
        scored = score_submission(task, reference.labels, submission, options)
        line = shown_scores(scored.scores, options.steps, options.floor, task.primary)
        scores = line if options.coarse else scored.scores
        check_scores(scores)
        signature = options.signature(task)
        write_file(output / SIGNATURE_FILE, signature + "\n")
        if options.labels_public or at_home:
            write_statistics(output, task.name, signature, scored.statistics, options.trivial)
        scored_items = f"checked, those of the {reference.part} part scored" if reference.part else "scored"
        said = [f"{task.name}: {len(reference.items)} items {scored_items}.", signature]
        if options.steps and options.labels_public:
            said.append(describe_line(line, options.steps, options.floor, task.primary))
        print("\n".join(said), flush=True)
        write_scores(output, scores)  # after all else that can fail: a run that fails leaves none
        if options.detailed_results:
            _write_page(
                output,
                lambda results: results.scored_page(
                    task, options, scores, scored, reference, submission, files
                ),
            )

    def refused(words: str, refusal: Exception) -> None:
        if len(sys.argv) == 3 and wants_page(settings):
            _write_page(Path(sys.argv[2]), lambda results: results.refused_page(default, words, refusal))

    return _run(program, refused)


def _write_page(output: Path, make: Callable[[Any], str]) -> None:
    """Write the report page; if that fails, one line without a value says so, and all else stands."""
    try:
        from .report import results

        folder = output / PAGE_FOLDER if _is_empty_file(output / PAGE_FILE) else output
        folder.mkdir(exist_ok=True)
        write_file(folder / PAGE_FILE, make(results))
    except Exception as error:
        print(
            f"The report page could not be made ({type(error).__name__}); all else stands.", file=sys.stderr
        )


def ingest_main(default: Task) -> int:
    """Check `SUBMISSION_DIR` against the public items in `INPUT_DATA_DIR`; returns the exit status.

    Leaves `ingestion_report.txt` in `OUTPUT_DIR`, in place of any file of that name that a submission planted.
    """

    def program() -> None:
        inputs, submitted, output = _directories("INPUT_DATA_DIR", "SUBMISSION_DIR", "OUTPUT_DIR")
        task = with_options(_settings(), default)
        output.mkdir(parents=True, exist_ok=True)
        report = output / REPORT_FILE
        _remove(report)
        items = read_items(task, inputs)
        try:
            task.format.read_submission(list_files(submitted), items)
        except SubmissionError as refusal:
            write_file(report, f"{task.name}: refused.\n\n{refusal}\n")
            raise
        accepted = accepted_report(task.name, len(items))
        write_file(report, accepted)
        print(accepted, end="")

    return _run(program)


def _settings() -> Path:
    """Where the organiser's choices are, beside the program that runs."""
    return Path(sys.argv[0]).resolve().parent / OPTIONS_FILE


def _directories(*names: str) -> Sequence[Path]:
    if len(sys.argv) != len(names) + 1:
        raise _Usage(f"usage: python3 {Path(sys.argv[0]).name} {' '.join(names)}")
    return [Path(argument) for argument in sys.argv[1:]]


class _Usage(Exception):
    """The program was called with the wrong number of folders."""


def _remove(path: Path) -> None:
    """Remove whatever has this name, a link or a folder too."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(str(path))
    elif path.exists() or path.is_symlink():
        path.unlink()


def _is_empty_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size == 0


def _run(
    program: Callable[[], None], refused: Callable[[str, Exception], None] = lambda words, refusal: None
) -> int:
    """Run a program; what goes wrong is said on standard error, and to `refused`."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]
    try:
        program()
    except _Usage as usage:
        print(usage, file=sys.stderr)
        return 1
    except Exception as error:
        words = describe_error(error)
        print(words, file=sys.stderr, flush=True)
        refused(words, error)
        return 1
    return 0


def describe_error(error: Exception) -> str:
    """What went wrong, for the participant: no words of a reference's own, which may be labels."""
    if isinstance(error, SubmissionError):
        return f"{error}\n\n{FREE_ATTEMPT}"
    if isinstance(error, FileProblems):
        return describe_bad_reference(error)
    if isinstance(error, OSError):
        file = Path(str(error.filename or "file")).name
        return f"{name(file)}: {error.strerror}\nNothing was scored."
    return describe_failure(error)


def describe_bad_reference(refusal: FileProblems) -> str:
    """A broken reference or item list: its problems may quote labels, so only their number is told."""
    kind = "reference data" if isinstance(refusal, ReferenceFileError) else "input data"
    return (
        f"The organisers' {kind} cannot be used ({count_of(refusal.total, 'problem')}); building the bundle names "
        "them. Please tell the organisers.\nNothing was scored."
    )


def describe_failure(error: Exception) -> str:
    """A defect in the program: where it is, but no value, because a value may be a label."""
    frames = traceback.extract_tb(error.__traceback__)
    return "\n".join(
        [
            f"The program failed ({type(error).__name__}). Please tell the organisers:",
            *(f"  {Path(frame.filename).name} line {frame.lineno} in {frame.name}" for frame in frames[-4:]),
            "Nothing was scored.",
        ]
    )
