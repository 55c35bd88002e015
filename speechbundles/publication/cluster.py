"""Rehearse submissions on a Dask cluster: the same runs as on one computer, each on a free worker.

This process sends the bundle to every worker once and each submission when it is needed. The results are written to the
same files as those of a local run. Labels go to the workers directly, not through the scheduler. If a worker dies, its
runs are repeated on another one.
"""

import atexit
import shutil
from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import Any

from speechbundles.bundle.rehearse import (
    Result,
    WarmEngine,
    lost_result,
    own_programs,
    rehearse_phase,
    result_of,
    temporary_place,
    write_result,
)
from speechbundles.model.bundle import BuiltBundle, BuiltPhase
from speechbundles.model.errors import OrganiserError
from speechbundles.model.temporary import sweep, temporary_folder
from speechbundles.model.zips import read_all, write_tree

AHEAD = 4
"""Submissions sent per available thread: enough to keep all workers busy, few enough for their memory."""

WAIT = 60
"""Seconds to wait for the scheduler, and then for its first worker."""


def rehearse_on_cluster(
    scheduler: str,
    bundle: BuiltBundle,
    runs: Mapping[str, tuple[BuiltPhase, Path]],
    work: Path,
    *,
    variables: Mapping[str, str],
    outputs: Mapping[str, Path],
) -> Iterable[tuple[str, Result]]:
    """Rehearse submissions on a cluster; see `rehearse_all`.

    Parameters
    ----------
    scheduler: address of the scheduler, such as `tcp://10.0.0.1:8786`.

    Raises
    ------
    OrganiserError: `distributed` is not installed, no scheduler answers, or it has no worker.
    """
    try:
        from distributed import Client, as_completed
    except ImportError:
        raise OrganiserError(
            "--scheduler needs the package distributed; install it with pip install '.[cluster]'"
        ) from None
    if not runs:
        return
    try:
        client = Client(scheduler, timeout=WAIT, direct_to_workers=True)
    except (OSError, ValueError) as error:
        raise OrganiserError(f"no Dask scheduler answers at {scheduler}: {error}") from None
    with client:
        try:
            client.wait_for_workers(1, timeout=WAIT)
        except TimeoutError:
            raise OrganiserError(
                f"the scheduler at {scheduler} got no worker within {WAIT} s; start one with dask worker {scheduler}"
            ) from None
        (shipped,) = client.scatter([bundle], broadcast=True, direct=True)
        waiting = iter(runs.items())
        names: dict[Any, str] = {}
        running = as_completed()

        def send(count: int) -> None:
            for name, (phase, submission) in islice(waiting, count):
                data = submission.read_bytes()
                future = client.submit(_run, shipped, shipped.key, phase, data, variables, pure=False)
                names[future.key] = name
                running.add(future)

        send(AHEAD * sum(client.nthreads().values()))
        for future in running:
            name = names.pop(future.key)
            try:
                result, files = future.result()  # if the worker died, waits for the run on another one
            except Exception as error:
                result = lost_result(f"no worker finished this run: {error}")
            else:
                if outputs[name].exists():
                    shutil.rmtree(outputs[name])
                write_tree(outputs[name], files)
                write_result(work / f"{name}.json", result)
            send(1)
            yield name, result


_PREPARED: dict[str, tuple[BuiltBundle, WarmEngine]] = {}


def _run(
    bundle: BuiltBundle, key: str, phase: BuiltPhase, submission: bytes, variables: Mapping[str, str]
) -> tuple[Result, dict[str, bytes]]:
    """Rehearse one submission on a worker; return the result and the files that the scoring program wrote."""
    if key not in _PREPARED:
        sweep()
        stack = ExitStack()
        atexit.register(stack.close)
        place = stack.enter_context(temporary_place("bundle"))
        unpacked = bundle.unpack_once(place.path)
        _PREPARED[key] = unpacked, WarmEngine(variables, own_programs(unpacked))
    unpacked, engine = _PREPARED[key]
    with temporary_folder("submission") as folder:
        path, output = folder / "submission.zip", folder / "output"
        path.write_bytes(submission)
        result = result_of(rehearse_phase(unpacked, phase, path, keep_output=output, engine=engine))
        return result, read_all(output)
