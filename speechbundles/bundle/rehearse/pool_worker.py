"""Runs a Python program many times in one process. A script, run by `process` in the sandbox.

    pool_worker.py SOCKET_FD WHOSE SCRIPT ARGUMENT...

If the code is the `project` 's, it imports the program's modules and reads its reference or its items once, and ends if
a run left a trace in it (see `state`), after `MOST_RUNS` runs, or if it has grown. If some is an `organiser` 's, it
imports only the library, and forks a child for each run, which alone runs that code and reads the reference and the
submission; so no run can change the next one.

A request is a line of JSON on the socket with three descriptors: for the status, standard output and standard error.
The status is written as by `supervisor.py`, followed by `alone` if this process stays for the next request.
"""

import ctypes
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
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

PROJECT, ORGANISER = "project", "organiser"

LONGEST_REQUEST = 1 << 16

MOST_RUNS = 1000
"""Runs of one process."""

MOST_GROWTH = 256 << 20
"""Bytes of memory by which it may grow."""

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def serve(requests: socket.socket, whose: str) -> None:
    with open(os.devnull):  # in the place of the status
        before, most_memory = state(), peak_memory() + MOST_GROWTH
    for runs_left in reversed(range(MOST_RUNS)):
        line, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 3)
        if not line:
            return
        status, *streams = descriptors
        os.write(status, b"started\n")
        with warnings.catch_warnings():  # a warning that is shown once is shown once in each run
            request = json.loads(line)
            shared = whose == PROJECT
            code = become(request, streams) if shared else run_child(request, streams, requests, status)
        stays = (
            runs_left and state() == before and peak_memory() <= most_memory and not has_started_processes()
        )
        os.write(status, b"%d\nalone\n" % code if stays else b"%d\n" % code)
        if not stays:
            return
        os.close(status)


def run_child(request: dict[str, Any], streams: Sequence[int], requests: socket.socket, status: int) -> int:
    """Run a request in a child, which ends as any Python program does; return its exit code."""
    child = os.fork()
    if not child:
        os.close(requests.detach())
        os.close(status)
        prctl(PR_SET_DUMPABLE, 1)
        os.setsid()
        sys.modules["numpy"].random.seed()
        sys.exit(become(request, streams))
    for descriptor in streams:
        os.close(descriptor)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def import_library() -> None:
    """Import what the two programs need, as far as it travels; nothing of an organiser. Then guard this process.

    A run cannot change its memory, unless it is root's, and processes that a run leaves become its children.
    """
    for name in ("programs.ingest", "programs.score", "report.results"):
        with suppress(ImportError):
            import_module(f"spokeneval.{name}")
    gc.freeze()
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)


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


def has_started_processes() -> bool:
    with suppress(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
        return True
    return False


def peak_memory() -> int:
    """Return the most bytes of memory that this process had at once."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak << 10


def become(request: dict[str, Any], streams: Sequence[int]) -> int:
    """Turn this process into the program, with its standard output and standard error; return its exit code."""
    for place, descriptor in enumerate(streams, 1):
        os.dup2(descriptor, place)
        os.close(descriptor)
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout, sys.stderr = unbuffered(1, sys.__stdout__), unbuffered(2, sys.__stderr__)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = request["words"]
    return run(sys.argv[0])


def unbuffered(descriptor: int, first: Any) -> io.TextIOWrapper:
    """Return a stream that treats errors as Python's own first one does."""
    return io.TextIOWrapper(
        open(descriptor, "wb", 0, closefd=False), encoding="utf-8", errors=first.errors, write_through=True
    )


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
    descriptor, whose, *words = sys.argv[1:]
    sys.path[0] = os.path.dirname(words[0])
    if whose == PROJECT:
        prepare(words[0], words[1:])
    else:
        import_library()
    serve(socket.socket(fileno=int(descriptor)), whose)
