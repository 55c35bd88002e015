"""What many runs come to: rehearsed side by side, and kept so that none is rehearsed twice."""

import hashlib
import json
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.text import printable
from speechbundles.rehearse.rehearsal import FAILED, LONGEST_LINE, Rehearsal, rehearse_phase
from speechbundles.rehearse.warm import WarmEngine
from spokeneval.formats.submission_zip import MAX_BYTES

REASON_LINES = 4
"""Lines of a refusal that are kept."""

MEMORY = Path("/dev/shm")
"""Holds files in memory, where a system has it."""
ROOM = 4 * MAX_BYTES
"""Bytes of files that a run may need: its submission in each step, and what is written."""


@dataclass(frozen=True)
class Result:
    """What is kept of a rehearsal. `scores` and `shown` by column key, empty where a failed run stored nothing."""

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
    """Rehearse submissions side by side; each result is kept as soon as it is there.

    In threads: the work is done in the programs' own processes. These end with the thread that started them, so
    that a killed season leaves none behind, as it would with a pool of processes.

    Parameters
    ----------
    runs: `name -> phase and submission`.
    work: where each result is kept, as `NAME.json`.
    variables: environment variables that the programs get besides the usual ones.
    outputs: `name -> folder` that receives what the scoring program wrote, in place of what is there.
    """
    with (
        TemporaryDirectory(prefix="bundle-", dir=_place_for(jobs)) as folder,
        WarmEngine(variables) as engine,
        ThreadPoolExecutor(jobs) as pool,
    ):
        place = Path(folder)
        unpacked = bundle.unpack_once(place)

        def run(name: str, phase: BuiltPhase, submission: Path) -> Result:
            output = (outputs or {}).get(name)
            if output is not None and output.exists():
                shutil.rmtree(output)
            rehearsal = rehearse_phase(
                unpacked, phase, submission, keep_output=output, engine=engine, place=place
            )
            result = result_of(rehearsal)
            write_result(work / f"{name}.json", result)
            return result

        futures = {pool.submit(run, name, *needed): name for name, needed in runs.items()}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _place_for(jobs: int) -> Path | None:
    """A folder in memory, where there is room for this many runs; else None, the usual place for temporary files."""
    try:
        roomy = shutil.disk_usage(MEMORY).free > jobs * ROOM
    except OSError:
        return None
    return MEMORY if roomy and os.access(MEMORY, os.W_OK) else None


def lost_result(reason: str) -> Result:
    """Of a run that came to no end."""
    return Result(FAILED, {}, {}, (printable(reason),), ())


def result_of(rehearsal: Rehearsal) -> Result:
    """What is kept of a rehearsal."""
    return Result(
        status=rehearsal.status,
        scores={cell.key: cell.stored for cell in rehearsal.row},
        shown={cell.key: cell.fixed() for cell in rehearsal.row},
        reasons=_reasons(rehearsal) if rehearsal.status == FAILED else (),
        warnings=rehearsal.warnings,
    )


def _reasons(rehearsal: Rehearsal) -> tuple[str, ...]:
    """The first lines of a refusal: what the programs that failed said, ingestion first, else what the platform would.

    Where ingestion refuses what scoring would take, scoring says no more than that.
    """
    lines = [line for problem in rehearsal.problems for line in problem.splitlines()]
    failed = [step for step in rehearsal.steps if step.exit_code]
    said = dict.fromkeys(step.stderr.strip() or step.stdout.strip() for step in failed)
    printed = [line for text in said for line in text.splitlines()]
    stopped = any(step.why_stopped for step in failed)
    lines = printed if printed and not stopped else [*lines, *printed]
    # The temporary folder's name is another one each time.
    lines = [
        re.sub(r"[^\s\"'(]*/rehearsal-[^/\s]+/run/", "", line[:LONGEST_LINE])
        for line in lines
        if line.strip()
    ]
    if len(lines) > REASON_LINES:
        lines[REASON_LINES:] = [f"(and {len(lines) - REASON_LINES} more lines)"]
    return tuple(printable(line, kept="\n") for line in lines)


def write_result(path: Path, result: Result) -> None:
    """Write a result at once or not at all, under its digest, so that a broken file is known for what it is."""
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
