"""Starts a Python program once and runs it many times in copies of this process. A script, run by `warm`.

    fork_server.py WAY SOCKET_FD

A request is a line of JSON on the socket with three descriptors: for the status, standard output and standard error. On
the first request, this process imports the program's modules and reads its reference or its items. A copy of this
process, the *worker*, then becomes the program, under its limits. If the request is `shared`, the worker stays for the
next one, unless the run left a trace in it (see `state`) or it has grown; else the next request gets a new worker.

The status is written as by `supervisor.py`, followed by `alone` if no process of the run is left but a worker that
stays. This process is the helper of a guard (see `supervisor.py`).
"""

import gc
import io
import json
import locale
import logging
import os
import random
import resource
import runpy
import socket
import sys
import threading
import traceback
import warnings
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import supervisor  # type: ignore[import-not-found]  # the script beside this one

LONGEST_REQUEST = 1 << 16

MOST_RUNS = 1000
"""Runs of one worker."""

MOST_GROWTH = 256 << 20
"""Bytes of memory by which a worker may grow."""


def serve(requests: socket.socket) -> None:
    own_path = sys.path[0]
    worker: socket.socket | None = None
    child = 0
    while True:
        line, descriptors = receive(requests)
        if not line:
            break
        if worker is None:
            request = json.loads(line)
            if sys.path[0] == own_path:
                script, *arguments = request["words"]
                sys.path[0] = os.path.dirname(script)
                prepare(script, arguments)
            worker, theirs = socket.socketpair()
            child = os.fork()
            if child == 0:
                for descriptor in (requests.fileno(), worker.fileno(), *descriptors):
                    os.close(descriptor)
                work(theirs, request["limits"], request["shared"])
            theirs.close()
        socket.send_fds(worker, [line], descriptors)
        os.write(descriptors[0], b"started\n")
        code = worker.recv(4)
        left = False
        if not code:  # the worker does not stay
            worker.close()
            worker = None
            while True:
                ended, status = os.wait()
                if ended == child:
                    break
            code = b"%d" % supervisor.exit_code(status)
            left = leaves_something()
        os.write(descriptors[0], code + (b"\n" if left else b"\nalone\n"))
        for descriptor in descriptors:
            os.close(descriptor)
    if worker is not None:
        worker.close()
        os.waitpid(child, 0)  # so that its time is counted


def receive(requests: socket.socket) -> tuple[bytes, list[int]]:
    line, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 3)
    return line, descriptors


def leaves_something() -> bool:
    """Return whether any process that the program started is still running; processes that ended are reaped."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def prepare(script: str, arguments: list[str]) -> None:
    """Import and read everything that all submissions share. Errors are ignored: each run will report them."""
    with suppress(BaseException):
        names = runpy.run_path(script, run_name="prepared")
        from spokeneval.run.options import OPTIONS_FILE, read_options  # the program's own
        from spokeneval.run.reference import read_items, read_reference

        task = read_options(Path(script).with_name(OPTIONS_FILE)).vary(names["TASK"])
        if "score_main" in names:
            from spokeneval.programs import score
            from spokeneval.report import results  # noqa: F401  # imported once, for all copies

            place = os.path.realpath(os.path.join(arguments[0], "ref"))
            reference = read_reference(task, Path(place))
            score.score_main = informed(score.score_main, "ref", place, reference=reference)
        else:
            from spokeneval.programs import ingest

            place = os.path.realpath(arguments[0])
            ingest.ingest_main = informed(ingest.ingest_main, "", place, items=read_items(task, Path(place)))
    gc.collect()
    gc.freeze()


def informed(main: Callable[..., int], inside: str, place: str, **known: object) -> Callable[..., int]:
    """Return a program's main function that reuses the files read from `place` when this is its input again.

    Parameters
    ----------
    inside: the path of the place in the program's first folder.
    """

    def main_again(task: Any) -> int:
        again = os.path.realpath(os.path.join(sys.argv[1], inside)) == place
        return main(task, **known if again else {})

    return main_again


def work(requests: socket.socket, limits: list[int], shared: bool) -> None:
    """Be a worker: run programs, write the exit code of each to the socket, and exit with that of the last."""
    code = 127
    try:
        supervisor.restrict(*limits)
        before, most_memory = state() if shared else (), peak_memory() + MOST_GROWTH
        for runs_left in reversed(range(MOST_RUNS if shared else 1)):
            line, descriptors = receive(requests)
            if not line:
                return
            request = json.loads(line)
            if not shared:
                requests.close()
            code = 127
            with warnings.catch_warnings():  # a warning that is shown once is shown once in each run
                code = become(request, descriptors)
            if not runs_left or state() != before or peak_memory() > most_memory or leaves_something():
                return  # the last run; the only one of a program that is not shared
            requests.send(b"%d" % code)
    finally:
        os._exit(code)


def state() -> tuple[object, ...]:
    """Return the state that a run could change for the next one, except settings that each run replaces."""
    import numpy as np  # the program's own

    umask = os.umask(0o77)
    os.umask(umask)
    _, keys, *position = np.random.get_state()  # noqa: NPY002
    log = logging.getLogger()
    return (
        umask,
        locale.setlocale(locale.LC_ALL),
        [*sys.path],
        random.getstate(),
        (np.asarray(keys).tobytes(), *position),
        np.geterr(),
        (log.level, [*log.handlers], log.manager.disable),
        threading.active_count(),
        os.listdir("/dev/fd"),
    )


def peak_memory() -> int:
    """Return the most bytes of memory that this process had at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def become(request: dict[str, Any], descriptors: list[int]) -> int:
    """Turn this process into the program; return its exit code."""
    for place, descriptor in enumerate(descriptors[1:], 1):
        os.dup2(descriptor, place)
    for descriptor in descriptors:
        os.close(descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = unbuffered(1), unbuffered(2)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = request["words"]
    return run(sys.argv[0])


def unbuffered(descriptor: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(open(descriptor, "wb", 0, closefd=False), encoding="utf-8", write_through=True)


def run(script: str) -> int:
    """Run a script as `python script` does; return its exit code."""
    code: object = 0
    server = sys.modules["__main__"]
    sys.modules["__main__"] = main = ModuleType("__main__")
    main.__file__ = script
    try:
        exec(compiled(script), vars(main))
    except SystemExit as end:
        code = end.code
    except BaseException as error:
        trace = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != script:
            trace = trace.tb_next
        traceback.print_exception(error.with_traceback(trace))
        code = 1
    finally:
        sys.modules["__main__"] = server
    if not (code is None or isinstance(code, int)):
        os.write(2, f"{code}\n".encode())
        code = 1
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    return (code or 0) & 0xFF


@lru_cache(maxsize=1)
def compiled(script: str) -> CodeType:
    return compile(Path(script).read_bytes(), script, "exec", dont_inherit=True)


if __name__ == "__main__":
    supervisor.fork_helper(sys.argv[1], int(sys.argv[2]))
    serve(socket.socket(fileno=int(sys.argv[2])))
