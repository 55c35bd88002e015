"""The steps of Codabench's compute worker for a results submission: prediction, then scoring (`compute_worker.py`).

Version 1.25 copies the submission to the output of prediction, before ingestion runs. The reworked worker of newer
versions (pull requests 2294 and 2303; `run_reworked`) copies it to the input of scoring, over the files that ingestion
wrote. It runs no command of a submission, and scoring sees the submission at `/app/ingested_program` too.
"""

import json
import shlex
import shutil
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

from speechbundles.bundle.rehearse.run import (
    Run,
    RunFailed,
    Step,
    command_text,
    make_read_only,
    new_folder,
    replace_variables,
)
from speechbundles.model.errors import BundleError
from speechbundles.platforms.codabench.layout import APP, METADATA_FILES, PAGE, REPORT, SUBMITTED, VARIABLES
from speechbundles.platforms.facts import CODABENCH

STUCK = (
    "On version 1.25 of Codabench, this run never ends: it stays Preparing until it is cancelled, and counts towards "
    "the limits. Newer workers report Failed."
)
"""What becomes of an encrypted zip: unpacking it raises an error that the worker does not report."""


def run_submission(run: Run, submission: Path) -> Path:
    """Run a submission as version 1.25 does; return the scoring program's output."""
    submitted, app = _unpack(run, submission, METADATA_FILES, STUCK)
    shutil.copytree(submitted, app / "output")
    results = _predict(run, app)
    base = run.root / CODABENCH.scoring_folder
    run.lay_out_scoring(results, base)
    return run.score(_words(base / "program", "scoring_program"), base, APP, f"{APP}/program")


def run_reworked(run: Run, submission: Path) -> Path:
    """Run a submission as the reworked worker does; return the scoring program's output."""
    submitted, app = _unpack(run, submission, ())
    new_folder(app / "output")
    make_read_only(submitted)
    results = _predict(run, app)
    base = run.root / CODABENCH.scoring_folder
    run.lay_out_scoring(results, base, submitted)
    words = _words(base / "program", "scoring_program")
    return run.score(words, base, APP, f"{APP}/program", (SUBMITTED,))


def _unpack(
    run: Run, submission: Path, metadata_files: Sequence[str], password: str = ""
) -> tuple[Path, Path]:
    """Unpack the submission; return its folder, and the folder that prediction sees as `/app`."""
    app = new_folder(run.root / "prediction/app")
    submitted = new_folder(app / SUBMITTED)
    run.unpack_submission(submission, submitted, metadata_files, password=password)
    return submitted, app


def check_output(output: Path, step: str) -> None:
    if (output / REPORT).exists():
        raise _not_its_own(step)


def _not_its_own(step: str) -> RunFailed:
    return RunFailed(
        f"the {step} program wrote a file named {REPORT} to its output; only the worker may write it"
    )


def page_warnings(output: Path, enabled: bool) -> list[str]:
    written = (output / PAGE).is_file()
    if enabled and not written:
        return [f"detailed results are enabled, but there is no {PAGE} in the output"]
    if written and not enabled:
        return [f"{PAGE} was written, but is not shown, because enable_detailed_results is off"]
    return []


def _predict(run: Run, app: Path) -> Path:
    """Run ingestion; return the output, with the worker's report."""
    output = app / "output"
    mounts = {f"{APP}/output": output, f"{APP}/{SUBMITTED}": app / SUBMITTED}
    if run.phase.input_data is not None:
        mounts[f"{APP}/input_data"] = run.bundle.unpack(run.phase.input_data, app / "input_data")
        make_read_only(app / "input_data")
    step = None
    if run.phase.ingestion_program is not None:
        mounts[f"{APP}/program"] = run.bundle.unpack(run.phase.ingestion_program, app / "program")
        step = _ingest(run, mounts)
    seconds = None if step is None else step.seconds
    report = {
        "elapsedTime": seconds,
        "exitCode": None,
        "ingestionElapsedTime": seconds,
        "ingestionExitCode": None if step is None else step.exit_code,
    }
    lines = [f"{key}: {json.dumps(value)}\n" for key, value in report.items()]
    try:
        run.place.write(output / REPORT, "".join(lines).encode())
    except FileExistsError:
        raise _not_its_own("ingestion") from None
    except OSError as error:
        raise RunFailed(
            f"the report cannot be written to the output of ingestion: {error.strerror}"
        ) from None
    return output


def _ingest(run: Run, mounts: Mapping[str, Path]) -> Step | None:
    words = _words(mounts[f"{APP}/program"], "ingestion_program")
    if words is None:
        run.warnings.append("the ingestion program has no command in metadata.yaml, so it is not run")
        return None
    step = run.execute("ingestion", words, mounts, f"{APP}/program")
    if step.why_stopped is not None:
        # The worker has one limit, on time; after exceeding it, a submission is not scored.
        raise RunFailed(f"ingestion was stopped: {step.why_stopped}")
    if step.exit_code:
        run.warnings.append(
            f"ingestion ended with exit code {step.exit_code}; the platform scores the submission anyway"
        )
    return step


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
