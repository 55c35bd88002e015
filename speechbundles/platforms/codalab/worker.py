"""CodaLab's worker (`worker.py`), and how the server handles scores.

A results submission is only scored. In a phase that is not `is_scoring_only`, the command of a code submission and the
ingestion program run at the same time before that.

Source of the scores: `update_submission` in codalab/apps/web/tasks.py; the database has `float` columns.
"""

import io
import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from errno import EFBIG
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import (
    LARGEST_SCORES,
    Computation,
    Program,
    Run,
    RunFailed,
    check_time,
    command_text,
    new_folder,
    replace_variables,
)
from speechbundles.model.bounded import read_file
from speechbundles.model.keys import MOST_DECIMALS
from speechbundles.platforms.codabench import facts as codabench
from speechbundles.platforms.codalab import PLATFORM
from speechbundles.platforms.codalab.facts import (
    HIDDEN,
    INGESTION_VARIABLES,
    METADATA_FILES,
    PAGE,
    RUN,
    VARIABLES,
)
from spokeneval.task import Column

COMPUTATIONS: Mapping[str, Computation] = {}


def run_submission(run: Run, submission: Path) -> Path:
    """Run a submission; return the scoring program's output.

    With our own programs, a submission that Codabench would run as a program after importing the bundle is refused.
    """
    results = new_folder(run.root / "submission")
    run.unpack_submission(submission, results, codabench.METADATA_FILES)
    if not run.phase.results_only and any((results / name).exists() for name in METADATA_FILES):
        results = _predict(run, results)
    base = run.root / PLATFORM.scoring_folder
    run.lay_out_scoring(results, base)
    new_folder(base / "temp")
    (base / "output" / PAGE).touch(0o777)
    mounts = {RUN: base, **{f"{RUN}/{name}": base / name for name in ("output", "shared", "program")}}
    words = _words(base / "program") or ()
    return run.score(Program("scoring", words, RUN, mounts, {f"{RUN}/input": base / "input"}), base)


RUNS = (run_submission,)


def _predict(run: Run, submitted: Path) -> Path:
    """Run a code submission and the ingestion program; return their output, with the worker's report."""
    base = run.root / "prediction/run"
    for name in ("output", "temp", "shared"):
        new_folder(base / name)
    zips = {
        "input": run.task.input_data,
        "ingestion_program": run.task.ingestion_program,
        HIDDEN: run.task.reference_data,
    }
    folders = {name: run.bundle.unpack(zipped, base.parent / name) for name, zipped in zips.items() if zipped}
    mounts = {RUN: base, f"{RUN}/program": submitted}
    mounts |= {f"{RUN}/{name}": base / name for name in ("output", "temp", "shared")}
    inputs = {f"{RUN}/input": folders.get("input", base / "temp")}
    programs = []
    words = _words(submitted)
    if words is not None:
        programs.append(Program("submission", words, RUN, mounts, inputs))
    if run.task.ingestion_program:
        words = _words(folders["ingestion_program"], INGESTION_VARIABLES)
        if words is None:
            what = "the ingestion program has no command in its metadata"
            raise RunFailed(f"{what}: CodaLab's worker stops there")
        inner = {f"{RUN}/{name}": folder for name, folder in folders.items() if name != "input"}
        command = ["env", f"PYTHONPATH={RUN}/program", *words]
        programs.append(Program("ingestion", command, RUN, {**mounts, **inner}, inputs))
    (base / "output" / PAGE).touch(0o777)
    steps = run.execute(*programs)
    check_time(steps)
    for step in steps:
        if step.exit_code:
            raise RunFailed(f"{step.name} ended with exit code {step.exit_code}")
    codes = {step.name: step.exit_code for step in steps}
    report = f"exitCode: {codes.get('submission', 0)}\ningestionExitCode: {codes.get('ingestion', 0)}\n"
    with suppress(FileExistsError):
        run.place.write(base / "output/metadata", report.encode())
    return base / "output"


def check_output(output: Path) -> None:
    """Check that the page which the worker created is still there: the worker reads it even if pages are disabled."""
    try:
        (output / PAGE).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not UTF-8"
        raise RunFailed(
            f"the scoring program left no readable {PAGE} ({reason}). The worker creates an empty one before the "
            "program starts, and the run fails without it. Do not delete it, even if you want no page"
        ) from None


def page_warnings(output: Path, enabled: bool) -> list[str]:
    """Return warnings on pages that are not shown.

    The worker uploads the page when it changes, but not after the program has ended. If the page is empty then, the
    worker uploads all pages in the output, those in folders last.
    """
    if (output / PAGE).stat().st_size:
        return [
            f"{PAGE} is lost if it is written in the last second of a run, because the watcher ends with the program. "
            "Leave this file empty, and write the page into a folder of the output"
        ]
    written = any(path.stat().st_size for path in output.rglob("*.html"))
    if enabled and not written:
        return ["detailed results are enabled, but there is no page in the output"]
    if written and not enabled:
        return [
            "a page was written, but enable_detailed_results is off: the page is served, but no link leads to it"
        ]
    return []


def _words(program: Path, variables: Mapping[str, str] = VARIABLES) -> list[str] | None:
    """Return a program's command, split at single spaces."""
    text = command_text(program, METADATA_FILES)
    return None if text is None else [replace_variables(word, variables) for word in text.split(" ")]


def read_scores(output: Path) -> Mapping[Any, Any]:
    """Read `scores.txt`, with `key: value` in each line."""
    try:
        text = io.StringIO(read_file(output / "scores.txt", LARGEST_SCORES).decode(), newline=None).getvalue()
    except (OSError, ValueError) as error:
        why = (
            f": it {error.strerror}"
            if isinstance(error, OSError) and error.errno == EFBIG
            else "; CodaLab reads no other file"
        )
        raise RunFailed(f"the scoring program wrote no readable scores.txt{why}") from None
    scores: dict[str, Any] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line:
            continue
        parts = line.split(":")
        if len(parts) != 2:
            raise RunFailed(f"scores.txt, line {number}: {line!r:.100}; expected `key: value` with one colon")
        scores[parts[0].strip()] = _number(parts[1].strip())
    return scores


def _number(text: str) -> int | float | str:
    """Return a finite number as the program wrote it, or else the text."""
    for kind in (int, float):
        # OverflowError: an integer beyond all floating-point numbers.
        with suppress(ValueError, OverflowError):
            number = kind(text)
            if math.isfinite(number):
                return number
    return text


def store_scores(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Return the stored floating-point numbers; a non-numeric score fails the submission."""
    stored: dict[str, Decimal] = {}
    for column in columns:
        if column.key not in scores:
            continue
        try:
            value = float(scores[column.key])
        except ValueError:
            raise RunFailed(
                f"scores.txt: {column.key} is {scores[column.key]!r:.100}; expected a number"
            ) from None
        if not math.isfinite(value):
            raise RunFailed(f"scores.txt: {column.key} is {value}; the database accepts finite numbers only")
        stored[column.key] = Decimal(repr(value))
    return stored


def show_score(stored: Decimal, precision: int) -> str:
    """Return the text on the leaderboard, with at least one decimal and all trailing zeros."""
    return f"{float(stored):.{min(MOST_DECIMALS, max(1, precision))}f}"
