"""Runs a Python program many times. This is a script that `process` starts in the sandbox.

    pool_worker.py SOCKET_FD WHOSE SCRIPT ARGUMENT...

If the code is the `project` 's, it imports the program and reads its reference or its items once, and calls its main
function for each run. If some is an `organiser` 's, it imports only the library, and forks a child for each run, which
alone runs that code and reads the reference and the submission; so no run can change the next one.

A request is a line of JSON on the socket with three descriptors: for the status, standard output and standard error.
The status is written as by `supervisor.py`, followed by `alone` if this process stays for the next request.
"""

import ctypes
import gc
import io
import json
import os
import runpy
import socket
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

PROJECT, ORGANISER = "project", "organiser"

LONGEST_REQUEST = 1 << 16

PR_SET_DUMPABLE = 4
PR_SET_CHILD_SUBREAPER = 36


def serve(requests: socket.socket, run: Callable[[], int]) -> None:
    """Answer requests, until there are no more or a run leaves a process."""
    alone = True
    while alone:
        line, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 3)
        if not line:
            return
        status, *streams = descriptors
        os.write(status, b"started\n")
        with warnings.catch_warnings():  # a warning that is shown once is shown once in each run
            become(json.loads(line), streams)
            code = run()
        alone = not has_children()
        os.write(status, b"%d\nalone\n" % code if alone else b"%d\n" % code)
        os.close(status)


def become(request: dict[str, Any], streams: Sequence[int]) -> None:
    """Give this process the output, the folder, the environment and the arguments of a program."""
    for place, descriptor in enumerate(streams, 1):
        os.dup2(descriptor, place)
        os.close(descriptor)
    sys.stdout, sys.stderr = unbuffered(1, sys.__stdout__), unbuffered(2, sys.__stderr__)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    sys.argv = request["words"]


def unbuffered(descriptor: int, first: Any) -> io.TextIOWrapper:
    """Return a stream that treats errors as Python's own first one does."""
    raw = io.FileIO(descriptor, "wb", closefd=False)
    return io.TextIOWrapper(raw, encoding="utf-8", errors=first.errors, write_through=True)


def prepare(script: str, arguments: Sequence[str]) -> Callable[[], int]:
    """Import and read everything that all runs of a project's program share; return its main function."""
    names = runpy.run_path(script, run_name="prepared")
    from spokeneval.scoring.options import OPTIONS_FILE, read_options  # the program's own
    from spokeneval.scoring.reference import read_items, read_reference

    task = read_options(Path(script).with_name(OPTIONS_FILE)).vary(names["TASK"])
    with suppress(ImportError):
        import_module("spokeneval.report.results")
    if "score_main" in names:
        reference = read_reference(task, Path(arguments[0], "ref"))
        return partial(names["score_main"], names["TASK"], reference=reference)
    return partial(names["ingest_main"], names["TASK"], items=read_items(task, Path(arguments[0])))


def import_library() -> None:
    """Import what the two programs need, as far as it travels; nothing of an organiser. Then guard this process.

    A run cannot change its memory, unless it is root's, and processes that a run leaves become its children.
    """
    for name in ("programs.ingest", "programs.score", "report.results"):
        with suppress(ImportError):
            import_module(f"spokeneval.{name}")
    prctl(PR_SET_DUMPABLE, 0)
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def run_child(requests: socket.socket) -> int:
    """Run the program in a child, which ends as any Python program does; return its exit code."""
    child = os.fork()
    if not child:
        os.close(requests.detach())
        os.closerange(3, 16)  # the status
        prctl(PR_SET_DUMPABLE, 1)
        os.setsid()
        sys.modules["numpy"].random.seed()
        run_script(sys.argv[0])
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def run_script(path: str) -> NoReturn:
    """Run a script, and end as Python does; a traceback begins in the script."""
    main = sys.modules["__main__"] = ModuleType("__main__")
    main.__file__ = path
    try:
        exec(compile(Path(path).read_bytes(), path, "exec"), vars(main))
    except Exception as error:
        inner = error.__traceback__ and error.__traceback__.tb_next
        sys.excepthook(type(error), error.with_traceback(inner), inner)
        sys.exit(1)
    sys.exit()


def prctl(option: int, value: int) -> None:
    ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def has_children() -> bool:
    with suppress(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)
        return True
    return False


if __name__ == "__main__":
    descriptor, whose, *words = sys.argv[1:]
    sys.path[0] = os.path.dirname(words[0])
    requests = socket.socket(fileno=int(descriptor))
    if whose == PROJECT:
        run = prepare(words[0], words[1:])
    else:
        import_library()
        run = partial(run_child, requests)
    gc.collect()
    gc.freeze()
    serve(requests, run)
