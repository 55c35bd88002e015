"""Rehearses many submissions in parallel, and keeps the results so that none is rehearsed twice."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from speechbundles.bundle.rehearse.left_behind import temporary_place
from speechbundles.bundle.rehearse.rehearsal import FAILED, LONGEST_LINE, Rehearsal, rehearse_phase
from speechbundles.bundle.rehearse.warm import WarmEngine, own_programs
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.temporary import MEMORY, PREFIX
from speechbundles.model.text import printable
from spokeneval.formats.problems import count_of
from spokeneval.formats.submission_zip import MAX_BYTES

REASON_LINES = 4
"""Most lines of a refusal that are kept."""

ROOM = 4 * MAX_BYTES
"""Bytes that the files of a run may need: its submission in each step, and its output."""


@dataclass(frozen=True)
class Result:
    """The kept part of a rehearsal. `scores` and `shown`, by column key, are empty if a failed run stored nothing."""

    status: str
    scores: Mapping[str, Decimal | None]
    shown: Mapping[str, str]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]


def rehearse_all(
    bundle: BuiltBundle,
    runs: Mapping[str, tuple[BuiltPhase, Path]],
    work: Path,
    jobs: int,
    *,
    variables: Mapping[str, str] | None = None,
    outputs: Mapping[str, Path] | None = None,
) -> Iterable[tuple[str, Result]]:
    """Rehearse submissions in parallel; each result is saved as soon as its run ends.

    Threads are enough, because the work is done in the programs' own processes. These end with the thread that started
    them, so a killed season leaves no processes behind, which a pool of processes would.

    Parameters
    ----------
    runs: `name -> phase and submission`.
    work: folder for the results, each in `NAME.json`.
    jobs: number of parallel runs.
    variables: environment variables for the programs, besides the usual ones.
    outputs: `name -> folder` that receives the scoring program's output; an existing folder is replaced.
    """
    with temporary_place("bundle", _place_for(jobs)) as place:
        unpacked = bundle.unpack_once(place.path)

        def run(name: str, phase: BuiltPhase, submission: Path) -> Result:
            output = (outputs or {}).get(name)
            if output is not None and output.exists():
                shutil.rmtree(output)
            rehearsal = rehearse_phase(
                unpacked, phase, submission, keep_output=output, engine=engine, place=place.path
            )
            result = result_of(rehearsal)
            write_result(work / f"{name}.json", result)
            return result

        own = own_programs(unpacked)
        with ThreadPoolExecutor(jobs) as pool, WarmEngine(variables, own) as engine:
            futures = {pool.submit(run, name, *needed): name for name, needed in runs.items()}
            try:
                for future in as_completed(futures):
                    yield futures[future], future.result()
            finally:
                for future in futures:
                    future.cancel()
                wait(futures)  # the servers end after their runs and before the threads that started them


def _place_for(jobs: int) -> Path | None:
    """Return a folder in memory if it has room for this many runs, else None: the usual folder for temporary files."""
    try:
        roomy = shutil.disk_usage(MEMORY).free > jobs * ROOM
    except OSError:
        return None
    return MEMORY if roomy and os.access(MEMORY, os.W_OK) else None


def lost_result(reason: str) -> Result:
    """Return the result of a run that did not end."""
    return Result(FAILED, {}, {}, (printable(reason),), ())


def result_of(rehearsal: Rehearsal) -> Result:
    """Return the part of a rehearsal that is kept."""
    return Result(
        status=rehearsal.status,
        scores={cell.key: cell.stored for cell in rehearsal.row},
        shown={cell.key: cell.fixed() for cell in rehearsal.row},
        reasons=_reasons(rehearsal) if rehearsal.status == FAILED else (),
        warnings=rehearsal.warnings,
    )


def _reasons(rehearsal: Rehearsal) -> tuple[str, ...]:
    """Return the first lines of the output of failed programs, ingestion first; else the platform's reasons.

    If ingestion refuses a submission, scoring only repeats that.
    """
    lines = [line for problem in rehearsal.problems for line in problem.splitlines()]
    failed = [step for step in rehearsal.steps if step.exit_code]
    said = dict.fromkeys(step.stderr.strip() or step.stdout.strip() for step in failed)
    printed = [line for text in said for line in text.splitlines()]
    stopped = any(step.why_stopped for step in failed)
    lines = printed if printed and not stopped else [*lines, *printed]
    # The temporary folder has a different name in each run.
    lines = [
        re.sub(rf"[^\s\"'(]*/{PREFIX}[^/\s]+/run/", "", line[:LONGEST_LINE]) for line in lines if line.strip()
    ]
    if len(lines) > REASON_LINES:
        lines[REASON_LINES:] = [f"(and {count_of(len(lines) - REASON_LINES, 'more line')})"]
    return tuple(printable(line, kept="\n") for line in lines)


def write_result(path: Path, result: Result) -> None:
    """Write a result atomically, below its digest, so that a damaged file is recognised."""
    scores = {key: None if score is None else str(score) for key, score in result.scores.items()}
    text = json.dumps({**vars(result), "scores": scores})
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(f"{hashlib.sha256(text.encode()).hexdigest()}\n{text}", encoding="utf-8")
    part.replace(path)


def read_result(path: Path) -> Result | None:
    try:
        digest, _, text = path.read_text(encoding="utf-8").partition("\n")
    except (OSError, ValueError):
        return None
    if digest != hashlib.sha256(text.encode()).hexdigest():
        return None
    kept = json.loads(text)
    return Result(
        status=kept["status"],
        scores={key: None if score is None else Decimal(score) for key, score in kept["scores"].items()},
        shown=kept["shown"],
        reasons=tuple(kept["reasons"]),
        warnings=tuple(kept["warnings"]),
    )
