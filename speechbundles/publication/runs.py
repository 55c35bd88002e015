"""Rehearses many submissions: beside each other in shared processes, or, with programs of others, in bubblewrap."""

import os
import shutil
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import replace
from pathlib import Path

from speechbundles.bundle.rehearse import (
    Result,
    choose_engine,
    own_programs,
    rehearse_all,
    rehearse_phase,
    result_of,
    write_result,
)
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import OrganiserError


def rehearse_runs(
    bundle: BuiltBundle,
    runs: Mapping[str, tuple[BuiltPhase, Path]],
    work: Path,
    jobs: int | None = None,
    *,
    scheduler: str | None = None,
    variables: Mapping[str, str] | None = None,
    outputs: Mapping[str, Path] | None = None,
) -> Iterable[tuple[str, Result]]:
    """Rehearse submissions in parallel, as `rehearse_all` does; programs of others run in bubblewrap.

    Raises
    ------
    OrganiserError: also for programs of others without bubblewrap, or on a cluster.
    """
    if not runs or own_programs(bundle):
        yield from rehearse_all(
            bundle, runs, work, jobs, scheduler=scheduler, variables=variables, outputs=outputs
        )
        return
    if scheduler:
        raise OrganiserError(
            "--scheduler is for this project's programs; those of others run in bubblewrap, here"
        )
    engine = choose_engine("auto", bundle, variables=variables)

    def run(name: str, phase: BuiltPhase, submission: Path) -> tuple[str, Result]:
        output = (outputs or {}).get(name)
        if output is not None and output.exists():
            shutil.rmtree(output)
        first = replace(phase, tasks=phase.tasks[:1])
        result = result_of(rehearse_phase(bundle, first, submission, keep_output=output, engine=engine))
        write_result(work / f"{name}.json", result)
        return name, result

    with ThreadPoolExecutor(jobs or os.cpu_count() or 1) as pool:
        futures = [pool.submit(run, name, *needed) for name, needed in runs.items()]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)
