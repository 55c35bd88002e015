"""EvalAI's worker: it imports the evaluation script as a package, calls `evaluate`, and stores what this returns.

Source: `extract_challenge_data` and `run_submission` in scripts/workers/submission_worker.py.
"""

import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import LARGEST_SCORES, Computation, Program, Run, RunFailed, new_folder
from speechbundles.model.bounded import read_file
from speechbundles.platforms.evalai import PLATFORM
from spokeneval.task import Column

COMPUTATIONS: Mapping[str, Computation] = {}

RUN = "/evalai"
RESULT = "result.json"

CALL = f"""import json, sys
sys.path.insert(0, sys.argv[1])
from challenge import evaluate
found = evaluate(*sys.argv[2:5], output=sys.argv[5], submission_metadata={{}})
with open(sys.argv[5] + "{RESULT}", "w") as file:
    json.dump(found, file)
"""
"""The worker's call. `output` is ours: it keeps the scoring program's files."""


def run_submission(run: Run, submission: Path) -> Path:
    """Call `evaluate` with the labels' zip and the submission's; return the scoring program's output."""
    base = run.root / PLATFORM.scoring_folder
    run.new_folder(base.parent)
    run.bundle.unpack(run.task.scoring_program, base / "challenge")
    new_folder(base / "output")
    labels = run.bundle.files.get(str(run.task.reference_data))
    if labels is None:
        raise RunFailed(f"{run.task.reference_data} is not in the bundle, so the worker has no labels")
    (new_folder(base / "input") / "annotations.zip").write_bytes(labels)
    shutil.copyfile(submission, base / "input/submission.zip")
    files = [f"{RUN}/input/annotations.zip", f"{RUN}/input/submission.zip"]
    words = ["python3", "-c", CALL, RUN, *files, run.phase.number, f"{RUN}/output/"]
    inputs = {f"{RUN}/{name}": base / name for name in ("input", "challenge")}
    return run.score(
        Program("scoring", words, RUN, {RUN: base, f"{RUN}/output": base / "output"}, inputs), base
    )


RUNS = (run_submission,)


def check_output(output: Path) -> None:
    """The worker reads no file of the output."""


def page_warnings(output: Path, enabled: bool) -> list[str]:
    """EvalAI has no place for pages."""
    return []


def read_scores(output: Path) -> Mapping[Any, Any]:
    """Return what `evaluate` returned for the first split; of a nested value its type alone, which is no score."""
    try:
        (scores,) = json.loads(read_file(output / RESULT, LARGEST_SCORES).decode())["result"][0].values()
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise RunFailed(
            "evaluate returned no scores; expected {'result': [{SPLIT: {COLUMN: SCORE}}]}"
        ) from None
    if not isinstance(scores, dict):
        raise RunFailed(f"evaluate returned {scores!r:.100} for a split; expected the scores of its columns")
    nested = (dict, list)
    return {
        key: type(value).__name__ if isinstance(value, nested) else value for key, value in scores.items()
    }


def store_scores(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Return the numbers. The database has no NaN and no infinity, and the board cannot sort other values."""
    stored: dict[str, Decimal] = {}
    for column in columns:
        value = scores.get(column.key, 0)
        if not isinstance(value, (int, float)) or not -sys.float_info.max <= value <= sys.float_info.max:
            raise RunFailed(f"{column.key} is {value!r:.100}; expected a finite number")
        if column.key in scores:
            stored[column.key] = Decimal(repr(float(value)))
    return stored


def show_score(stored: Decimal, precision: int) -> str:
    """Return the text on the leaderboard, with commas between thousands."""
    return f"{float(stored):,.{precision}f}"
