"""Rehearses many submissions in parallel, here or on a Dask cluster, and keeps the results.

On a cluster, this process sends the bundle to every worker once and each submission when it is needed. Labels go to the
workers directly, not through the scheduler. If a worker dies, its runs are repeated on another one.
"""

from __future__ import annotations

import atexit
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed, wait
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse.engine import Engine
from speechbundles.bundle.rehearse.engines import choose_engine
from speechbundles.bundle.rehearse.left_behind import temporary_place
from speechbundles.bundle.rehearse.process import ProcessEngine, own_programs
from speechbundles.bundle.rehearse.rehearsal import FAILED, FINISHED, LONGEST_LINE, Rehearsal, rehearse_phase
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.disk import read_state, write_state
from speechbundles.model.errors import OrganiserError
from speechbundles.model.temporary import MEMORY, PREFIX, sweep, temporary_folder
from speechbundles.model.zips import read_all, write_tree
from spokeneval.formats.problems import count_of, printable
from spokeneval.formats.submission_zip import MAX_BYTES

REASON_LINES = 20
"""Most lines of a refusal that are kept."""

ROOM = 4 * MAX_BYTES
"""Bytes that the files of a run may need: its submission in each step, and its output."""

AHEAD = 4
"""Submissions sent per thread of a cluster: enough to keep all workers busy, few enough for their memory."""

WAIT = 60
"""Seconds to wait for a cluster's scheduler, and then for its first worker."""


@dataclass(frozen=True)
class KeptResult:
    """The kept part of a rehearsal. `scores` and `shown`, by column key, are empty if a failed run stored nothing."""

    status: str
    scores: Mapping[str, Decimal | None]
    shown: Mapping[str, str]
    reasons: tuple[str, ...]
    warnings: tuple[str, ...]

    def score(self, key: str) -> Decimal | None:
        """Return a score of a run that Finished; None without it."""
        return self.scores.get(key) if self.status == FINISHED else None


Runner = Callable[[BuiltPhase, Path, Path | None], KeptResult]
"""Rehearses a submission to a phase; the scoring program's output goes to a folder, if one is given."""


class RunLost(Exception):
    """Raised with the reason why a run did not end."""


def rehearse_all(
    bundle: BuiltBundle,
    runs: Mapping[str, tuple[BuiltPhase, Path]],
    work: Path,
    jobs: int | None = None,
    *,
    scheduler: str | None = None,
    variables: Mapping[str, str] | None = None,
    outputs: Mapping[str, Path] | None = None,
) -> Iterable[tuple[str, KeptResult]]:
    """Rehearse submissions in parallel; each result is saved as soon as its run ends.

    This project's own programs run in processes that they share; those of others in bubblewrap.

    Threads are enough, because the work is done in the programs' own processes. These end with the thread that started
    them, so a killed season leaves no processes behind, which a pool of processes would.

    Parameters
    ----------
    runs: `name -> phase and submission`.
    work: folder for the results, each in `NAME.json`.
    jobs: number of parallel runs here; default: the number of processors.
    scheduler: address of a Dask cluster's scheduler, such as `tcp://10.0.0.1:8786`, to run the submissions there.
    variables: environment variables for the programs, besides the usual ones.
    outputs: `name -> folder` that receives the scoring program's output; an existing folder is replaced.

    Raises
    ------
    OrganiserError: `distributed` is not installed, no scheduler answers, or it has no worker; or programs of others
        cannot run here, because bubblewrap is missing.
    """
    if not runs:
        return

    def save(name: str, phase: BuiltPhase, submission: Path) -> KeptResult:
        output = (outputs or {}).get(name)
        if output is not None and output.exists():
            shutil.rmtree(output)
        result = run(phase, submission, output)
        write_result(work / f"{name}.json", result)
        return result

    jobs = jobs or os.cpu_count() or 1
    runner = _cluster(scheduler, bundle, variables) if scheduler else _here(bundle, variables, jobs)
    with runner as (pool, run):
        futures = {pool.submit(save, name, *needed): name for name, needed in runs.items()}
        try:
            for future in as_completed(futures):
                try:
                    result = future.result()
                except RunLost as loss:
                    result = lost_result(str(loss))
                yield futures[future], result
        finally:
            for future in futures:
                future.cancel()
            wait(futures)


@contextmanager
def _here(
    bundle: BuiltBundle, variables: Mapping[str, str] | None, jobs: int
) -> Iterator[tuple[ThreadPoolExecutor, Runner]]:
    """Run submissions here; the programs' processes end before the threads that started them."""
    with ThreadPoolExecutor(jobs) as pool, _prepared(bundle, variables, _place_for(jobs)) as run:
        yield pool, run


@contextmanager
def _prepared(
    bundle: BuiltBundle, variables: Mapping[str, str] | None, above: Path | None = None
) -> Iterator[Runner]:
    """Prepare a bundle for all runs; give a function that rehearses one submission with a phase's first task."""

    def run(phase: BuiltPhase, submission: Path, output: Path | None) -> KeptResult:
        first = replace(phase, tasks=phase.tasks[:1])
        done = rehearse_phase(ready, first, submission, keep_output=output, engine=engine, place=place.path)
        return result_of(done)

    with temporary_place("bundle", above) as place, ExitStack() as stack:
        own = own_programs(bundle)
        # Programs of others may write to their folders.
        ready = bundle.unpack_once(place.path) if own else bundle
        engine: Engine
        if own:
            folders = {ready.unpacked[name]: whose for name, whose in own.items()}
            engine = stack.enter_context(ProcessEngine(variables, folders))
        else:
            engine = choose_engine("auto", bundle, variables=variables)
        yield run


@contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """Give a client of a Dask scheduler that has a worker.

    Raises
    ------
    OrganiserError: `distributed` is not installed, no scheduler answers, or it has no worker.
    """
    try:
        import distributed
    except ImportError:
        needs = "--scheduler needs the package distributed; install it with pip install '.[cluster]'"
        raise OrganiserError(needs) from None
    connect: Any = distributed.Client
    try:
        client = connect(scheduler, timeout=WAIT, direct_to_workers=True)
    except (OSError, ValueError) as error:
        raise OrganiserError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            what = f"the scheduler at {scheduler} got no worker within {WAIT} s"
            raise OrganiserError(f"{what}; start one with dask worker {scheduler}") from None
        yield client


@contextmanager
def _cluster(
    scheduler: str, bundle: BuiltBundle, variables: Mapping[str, str] | None
) -> Iterator[tuple[ThreadPoolExecutor, Runner]]:
    """Run submissions on a Dask cluster; if a run's worker dies, on another one."""

    def run(phase: BuiltPhase, submission: Path, output: Path | None) -> KeptResult:
        work = _run_there, shipped, shipped.key, phase, submission.read_bytes(), variables
        try:
            result, files = client.submit(*work, pure=False).result()
        except Exception as error:
            raise RunLost(f"no worker finished this run: {error}") from None
        if output is not None:
            write_tree(output, files)
        kept: KeptResult = result
        return kept

    with connected(scheduler) as client:
        (shipped,) = client.scatter([bundle], broadcast=True, direct=True)
        with ThreadPoolExecutor(AHEAD * sum(client.nthreads().values())) as pool:
            yield pool, run


_PREPARED: dict[str, Runner] = {}


def _run_there(
    bundle: BuiltBundle, key: str, phase: BuiltPhase, submission: bytes, variables: Mapping[str, str] | None
) -> tuple[KeptResult, dict[str, bytes]]:
    """Rehearse one submission on a worker; return the result and the files that the scoring program wrote."""
    if key not in _PREPARED:
        sweep()
        stack = ExitStack()
        atexit.register(stack.close)
        _PREPARED[key] = stack.enter_context(_prepared(bundle, variables))
    with temporary_folder("submission") as folder:
        path, output = folder / "submission.zip", folder / "output"
        path.write_bytes(submission)
        return _PREPARED[key](phase, path, output), read_all(output)


def _place_for(jobs: int) -> Path | None:
    """Return a folder in memory if it has room for this many runs, else None: the usual folder for temporary files."""
    with suppress(OSError):
        if shutil.disk_usage(MEMORY).free > jobs * ROOM and os.access(MEMORY, os.W_OK):
            return MEMORY
    return None


def lost_result(reason: str) -> KeptResult:
    """Return the result of a run that did not end."""
    return KeptResult(FAILED, {}, {}, (printable(reason),), ())


def result_of(rehearsal: Rehearsal) -> KeptResult:
    """Return the part of a rehearsal that is kept."""
    return KeptResult(
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
    if rehearsal.lacks:
        return (printable(rehearsal.lacks),)
    lines = [line for problem in rehearsal.problems for line in problem.splitlines()]
    failed = [step for step in rehearsal.steps if step.exit_code]
    said = dict.fromkeys(step.stderr.strip() or step.stdout.strip() for step in failed)
    printed = [line for text in said for line in text.splitlines()]
    lines = printed if printed and not any(step.why_stopped for step in failed) else [*lines, *printed]
    # The temporary folder has a different name in each run.
    place = re.compile(rf"[^\s\"'(]*/{PREFIX}[^/\s]+/run/")
    lines = [place.sub("", line[:LONGEST_LINE]) for line in lines if line.strip()]
    if len(lines) > REASON_LINES:
        lines[REASON_LINES:] = [f"(and {count_of(len(lines) - REASON_LINES, 'more line')})"]
    return tuple(printable(line, kept="\n") for line in lines)


def write_result(path: Path, result: KeptResult) -> None:
    write_state(path, vars(result))


def read_result(path: Path) -> KeptResult | None:
    if (kept := read_state(path)) is None:
        return None
    scores = {key: score and Decimal(score) for key, score in kept["scores"].items()}
    return KeptResult(kept["status"], scores, kept["shown"], tuple(kept["reasons"]), tuple(kept["warnings"]))
