"""Codabench's compute worker for a results submission, and how the server stores and shows its scores.

The steps are prediction, then scoring (`compute_worker.py`). Version 1.25 copies the submission to the output of
prediction, before ingestion runs. The reworked worker of newer versions (pull requests 2294 and 2303; `run_reworked`)
copies it to the input of scoring, over the files that ingestion wrote. It runs no command of a submission, and scoring
sees the submission at `/app/ingested_program` too.

Source of the scores: `push_scores` in compute_worker.py, `upload_submission_scores` on the server, PostgreSQL's
`numeric(20, 10)`.
"""

import json
import shlex
import shutil
from collections.abc import Iterable, Mapping, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from functools import lru_cache
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import (
    LARGEST_SCORES,
    PLACES,
    Computation,
    Program,
    Run,
    RunFailed,
    ScoresLost,
    check_time,
    command_text,
    new_folder,
    replace_variables,
)
from speechbundles.model.bounded import DEEPEST, parse_yaml, read_file
from speechbundles.model.errors import BundleError
from speechbundles.platforms.codabench import PLATFORM
from speechbundles.platforms.codabench.facts import APP, METADATA_FILES, PAGE, REPORT, SUBMITTED, VARIABLES
from spokeneval.task import Column

_DIGITS = Context(prec=20)

STUCK = (
    "On version 1.25 of Codabench, this run never ends: it stays Preparing until it is cancelled, and counts towards "
    "the limits. Newer workers report Failed."
)
"""What becomes of an encrypted zip: unpacking it raises an error that the worker does not report."""

BESIDE = (
    "ingestion_only_during_scoring: ingestion and scoring ran at the same time here, as documented; workers since "
    "version 1.22 of Codabench run scoring first, and programs that wait for each other never end there"
)
"""Source: `_run_container_engine_cmd` in compute_worker.py waits for a container without yielding since 71370f75."""


COMPUTATIONS: Mapping[str, Computation] = {
    "avg": lambda values: sum(values, Decimal(0)) / len(values),
    "sum": lambda values: sum(values, Decimal(0)),
    "min": min,
    "max": max,
}
"""How the server computes a column from others that have a score. Source: `COMPUTATION_FUNCTIONS` in its models."""


def run_submission(run: Run, submission: Path) -> Path:
    """Run a submission as version 1.25 does; return the scoring program's output."""
    app = run.root / "prediction/app"
    submitted = new_folder(app / SUBMITTED)
    if not run.unpack_submission(submission, submitted, METADATA_FILES, password=STUCK):
        shutil.copytree(submitted, app / "output")
    return _score(run, _predict(run, app, _words(submitted, "submission")))


def run_reworked(run: Run, submission: Path) -> Path:
    """Run a submission as the reworked worker does; return the scoring program's output."""
    app = run.root / "prediction/app"
    submitted = new_folder(app / SUBMITTED)
    run.unpack_submission(submission, submitted, ())
    new_folder(app / "output")
    return _score(run, _predict(run, app), submitted)


RUNS = (run_submission, run_reworked)


def _score(run: Run, results: Path, submitted: Path | None = None) -> Path:
    """Score results; an ingestion program for scoring only runs beside the scoring program."""
    base = run.root / PLATFORM.scoring_folder
    run.lay_out_scoring(results, base, submitted)
    step, beside = "scoring_program", []
    mounts = {f"{APP}/{name}": base / name for name in ("output", "shared")}
    inputs = {f"{APP}/input": base / "input"}
    if run.task.ingestion_only_during_scoring:
        step = "beside_scoring"
        inputs |= _input_data(run, base)
        seen = {**inputs, f"{APP}/{SUBMITTED}": base / "input/res"}
        beside = _ingestion(run, base / "ingestion_program", mounts, seen, "ingestion_beside_scoring")
        run.warnings += [BESIDE] * bool(beside)
    if submitted is not None:
        inputs[f"{APP}/{SUBMITTED}"] = base / SUBMITTED
    words = _words(base / "program", step)
    return run.score(_program("scoring", words, base / "program", mounts, inputs), base, beside)


def check_output(output: Path) -> None:
    if (output / REPORT).exists():
        raise _not_its_own("scoring")


def _not_its_own(step: str) -> RunFailed:
    what = f"the {step} program wrote a file named {REPORT} to its output"
    return RunFailed(f"{what}; only the worker may write it")


def page_warnings(output: Path, enabled: bool) -> list[str]:
    written = (output / PAGE).is_file()
    if enabled and not written:
        return [f"detailed results are enabled, but there is no {PAGE} in the output"]
    if written and not enabled:
        return [f"{PAGE} was written, but is not shown, because enable_detailed_results is off"]
    return []


def _predict(run: Run, app: Path, command: list[str] | None = None) -> Path:
    """Run ingestion, and a submission's own command beside it; return the output, with the worker's report."""
    output, submitted = app / "output", app / SUBMITTED
    mounts, inputs = {f"{APP}/output": output}, _input_data(run, app)
    programs = []
    if command is not None:
        programs.append(_program("submission", command, submitted, mounts, inputs))
    if not run.task.ingestion_only_during_scoring:
        programs += _ingestion(run, app / "program", mounts, {**inputs, f"{APP}/{SUBMITTED}": submitted})
    if not programs and not output.exists():
        raise RunFailed("the submission's metadata has no command, and no ingestion program runs before it")
    output.mkdir(exist_ok=True)
    steps = {step.name: step for step in run.execute(*programs)}
    check_time(steps.values())
    for name, step in steps.items():
        if step.exit_code:
            failed = f"{name} ended with exit code {step.exit_code}"
            run.warnings.append(f"{failed}; the platform scores the submission anyway")
    submission, ingestion = steps.get("submission"), steps.get("ingestion")
    first = submission or ingestion
    report = {
        "elapsedTime": first and first.seconds,
        "exitCode": submission and submission.exit_code,
        "ingestionElapsedTime": ingestion and ingestion.seconds,
        "ingestionExitCode": ingestion and ingestion.exit_code,
    }
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in report.items()]
    try:
        run.place.write(output / REPORT, "".join(lines).encode())
    except FileExistsError:
        raise _not_its_own(" and ".join(steps)) from None
    except OSError as error:
        reason = f"the report cannot be written to the output of ingestion: {error.strerror}"
        raise RunFailed(reason) from None
    return output


def _input_data(run: Run, app: Path) -> dict[str, Path]:
    """Return the folder with the input data, by the name under which programs see it."""
    if run.task.input_data is None:
        return {}
    return {f"{APP}/input_data": run.bundle.unpack(run.task.input_data, app / "input_data")}


def _ingestion(
    run: Run,
    folder: Path,
    mounts: Mapping[str, Path],
    inputs: Mapping[str, Path],
    step: str = "ingestion_program",
) -> list[Program]:
    """Return the ingestion program, unpacked into a folder; empty if there is none to run."""
    if run.task.ingestion_program is None:
        return []
    run.bundle.unpack(run.task.ingestion_program, folder)
    words = _words(folder, step)
    if words is None:
        run.warnings.append("the ingestion program has no command in metadata.yaml, so it is not run")
        return []
    return [_program("ingestion", words, folder, mounts, inputs)]


def _program(
    name: str,
    words: Sequence[str] | None,
    folder: Path,
    mounts: Mapping[str, Path],
    inputs: Mapping[str, Path],
) -> Program:
    """Return a program that runs in its own folder."""
    return Program(name, words or (), f"{APP}/program", {**mounts, f"{APP}/program": folder}, inputs)


def _words(program: Path, step: str) -> list[str] | None:
    """Return a program's command, split as by a shell."""
    text = command_text(program, METADATA_FILES)
    return None if text is None else [*_split(text, step)]


@lru_cache
def _split(text: str, step: str) -> list[str]:
    try:
        return shlex.split(replace_variables(text, VARIABLES[step]))
    except ValueError as error:
        raise BundleError(f"the command {text!r} cannot be split into words: {error}") from None


def read_scores(output: Path) -> Mapping[Any, Any]:
    """Read `scores.json`, or else `scores.txt` as YAML."""
    if (output / "scores.json").exists():
        try:
            scores = json.loads(read_file(output / "scores.json", LARGEST_SCORES).decode("utf-8"))
        except json.JSONDecodeError as error:
            raise RunFailed(f"scores.json is not valid JSON: {error}") from None
        except (ValueError, OSError, RecursionError) as error:
            raise ScoresLost(f"the worker crashes on scores.json: {error}") from None
    elif (output / "scores.txt").exists():
        try:
            scores = parse_yaml(read_file(output / "scores.txt", LARGEST_SCORES))
        except (ValueError, OSError) as error:
            raise ScoresLost(f"the worker crashes on scores.txt: {error}") from None
    else:
        neither = "wrote neither scores.json nor scores.txt"
        raise RunFailed(f"the scoring program ended without an error but {neither}")
    if _depth(scores) > DEEPEST:
        raise ScoresLost("the scores are nested too deeply")
    if not isinstance(scores, dict):
        raise ScoresLost(f"the scores are {scores!r:.100}; expected numbers by key")
    return scores


def _depth(value: object) -> int:
    depth, level = 0, [value]
    while level := [inner for outer in level for inner in _inside(outer)]:
        depth += 1
    return depth


def _inside(value: object) -> Iterable[object]:
    return value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()


def store_scores(
    scores: Mapping[str, Any], columns: Sequence[Column], warnings: list[str]
) -> dict[str, Decimal]:
    """Return the stored scores. They are stored in the order of the file, up to the first that the database refuses."""
    bad = []
    for key, value in scores.items():
        try:
            json.dumps(value, allow_nan=False)
        except (ValueError, TypeError):
            bad.append(f"{key} is {value!r}")
    if bad:
        why = f"the worker crashes because {', '.join(bad)}"
        warnings.append(f"the run is Finished, but no score is stored: {why}")
        return {}
    known = {column.key for column in columns}
    stored: dict[str, Decimal] = {}
    for key, value in scores.items():
        if key not in known:
            continue
        try:
            stored[key] = _decimal(value)
        except (InvalidOperation, ValueError, TypeError):
            kept = ", ".join(stored) or "nothing"
            warnings.append(
                f"{key} is {value!r:.100}, which the server cannot store; expected a number below 1e10. The run is "
                f"Finished, but the server keeps {kept}, loses {key} and all keys after it, and ranks no entry"
            )
            break
        if isinstance(value, (str, bool)):
            warnings.append(f"{key} is {value!r}; expected a number, although the server accepts this")
    return stored


def _decimal(value: object) -> Decimal:
    """Return a number with the 20 digits, 10 of them decimal places, of the database field."""
    if isinstance(value, float):
        number = _DIGITS.create_decimal_from_float(value)
    elif isinstance(value, (int, str)):
        number = Decimal(value)
    else:
        raise TypeError
    if not number.is_finite():
        raise ValueError
    return number.quantize(PLACES, rounding=ROUND_HALF_UP, context=_DIGITS)


def show_score(stored: Decimal, precision: int) -> str:
    """Return the text on the leaderboard, without trailing zeros: 4.09 for 4.090."""
    return str(round(float(stored), precision))
