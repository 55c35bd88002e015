"""Starts a Python program once and runs it many times, each time in its own process. A script, run by `warm`.

    fork_server.py WAY SOCKET_FD

A request is a line of JSON on the socket with three descriptors: for the status, standard output and standard error. On
the first request, this process imports the program's modules and reads its reference or its items. For every request, a
copy of this process becomes the program, under its limits. The status is written as by `supervisor.py`, followed by
`alone` if no process of the program is left. This process is the helper of a guard (see `supervisor.py`).
"""

import gc
import io
import json
import os
import runpy
import socket
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import supervisor  # type: ignore[import-not-found]  # the script beside this one

LONGEST_REQUEST = 1 << 16


def serve(requests: socket.socket) -> None:
    own_path = sys.path[0]
    while True:
        line, descriptors, _, _ = socket.recv_fds(requests, LONGEST_REQUEST, 3)
        if not line:
            return
        request = json.loads(line)
        script, *arguments = request["words"]
        if sys.path[0] == own_path:
            sys.path[0] = os.path.dirname(script)
            prepare(script, arguments)
        status_fd = descriptors[0]
        child = os.fork()
        if child == 0:
            requests.close()
            become(request, descriptors)
        os.write(status_fd, b"started\n")
        while True:
            ended, status = os.wait()
            if ended == child:
                break
        alone = b"" if leaves_something() else b"alone\n"
        os.write(status_fd, b"%d\n%s" % (supervisor.exit_code(status), alone))
        for descriptor in descriptors:
            os.close(descriptor)


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


def become(request: dict[str, Any], descriptors: list[int]) -> None:
    """Turn this process into the program."""
    code = 127
    try:
        for place, descriptor in enumerate(descriptors[1:], 1):
            os.dup2(descriptor, place)
        for descriptor in descriptors:
            os.close(descriptor)
        sys.stdout, sys.stderr = unbuffered(1), unbuffered(2)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        supervisor.restrict(*request["limits"])
        sys.argv = request["words"]
        code = run(sys.argv[0])
    finally:
        os._exit(code)


def unbuffered(descriptor: int) -> io.TextIOWrapper:
    return io.TextIOWrapper(open(descriptor, "wb", 0, closefd=False), encoding="utf-8", write_through=True)


def run(script: str) -> int:
    """Run a script as `python script` does; return its exit code."""
    code: object = 0
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as end:
        code = end.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if not (code is None or isinstance(code, int)):
        os.write(2, f"{code}\n".encode())
        code = 1
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    return (code or 0) & 0xFF


if __name__ == "__main__":
    supervisor.fork_helper(sys.argv[1], int(sys.argv[2]))
    serve(socket.socket(fileno=int(sys.argv[2])))
