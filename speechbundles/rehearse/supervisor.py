"""Runs a program for the sandbox. This is a script that uses the standard library only and starts in milliseconds.

    supervisor.py STATUS_FD MEMORY_BYTES FILE_BYTES PROCESSES COMMAND...

It sets the limits, starts the command in its own session, and writes two lines to STATUS_FD: `started` when the command
has replaced the forked copy of this process, and its exit code (128 + n after signal n, as a container reports it). On
Linux it is a *subreaper*: all processes that the command starts remain descendants of this process, also after double
forks and in new sessions, so the sandbox finds all of them. It ends when it has no descendants left, or when the
sandbox dies.
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
    """Lower a soft and hard limit, unless it is lower already."""
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


def restrict(memory_bytes: int, file_bytes: int, processes: int) -> None:
    """Start a new session for this process and set its limits; it ends with the process that started it."""
    os.setsid()
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    lower(resource.RLIMIT_CORE, 0)
    lower(resource.RLIMIT_FSIZE, file_bytes)
    if sys.platform == "linux":
        lower(resource.RLIMIT_AS, memory_bytes)
        lower(resource.RLIMIT_NPROC, processes)


def exit_code(status: int) -> int:
    """Return the exit code as a container reports it: 128 + n after signal n."""
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
