"""Stands between the sandbox and a program it runs. Run as a script: standard library alone, starts in milliseconds.

    supervisor.py STATUS_FD MEMORY_BYTES FILE_BYTES PROCESSES COMMAND...

It sets the limits, starts the command in a session of its own, and writes two lines to STATUS_FD: `started` when the
command has taken the place of the copy of this process that starts it, and its exit code (128 + n after signal n, as
a container reports it). On Linux it is a *subreaper*: whatever the command starts stays below this process, double
forks and sessions of their own included, so that the sandbox finds all of it. It ends when nothing is left below it,
or when the sandbox dies.
"""

import ctypes
import os
import resource
import signal
import sys

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def lower(limit: int, value: int) -> None:
    """Lower a soft and hard limit; one that is lower already stays."""
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


def restrict(memory_bytes: int, file_bytes: int, processes: int) -> None:
    """Put this process into a session of its own, under its limits; it ends with the one that started it."""
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, file_bytes)
    if sys.platform == "linux":
        lower(resource.RLIMIT_AS, memory_bytes)
        lower(resource.RLIMIT_NPROC, processes)


def exit_code(status: int) -> int:
    """The exit code as a container reports it: 128 + n after signal n."""
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def become(command: list[str], memory_bytes: int, file_bytes: int, processes: int) -> None:
    """Turn this process into the command, under its limits."""
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        restrict(memory_bytes, file_bytes, processes)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: cannot be run: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def supervise(status_fd: int, memory_bytes: int, file_bytes: int, processes: int, command: list[str]) -> None:
    os.set_inheritable(status_fd, False)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    started_read, started_write = os.pipe()  # closed when the command starts
    child = os.fork()
    if child == 0:
        become(command, memory_bytes, file_bytes, processes)
    os.close(1)
    os.close(2)
    os.close(started_write)
    os.read(started_read, 1)
    os.write(status_fd, b"started\n")
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            return
        if ended == child:
            os.write(status_fd, b"%d\n" % exit_code(status))


if __name__ == "__main__":
    status_fd, memory_bytes, file_bytes, processes = (int(word) for word in sys.argv[1:5])
    supervise(status_fd, memory_bytes, file_bytes, processes, sys.argv[5:])
