"""Runs a program for the sandbox. This is a script that uses the standard library only and starts in milliseconds.

    supervisor.py WAY STATUS_FD MEMORY_BYTES FILE_BYTES PROCESSES COMMAND...

It forks a *helper*, which sets the limits, starts the command in its own session, and writes to STATUS_FD: `started`
when the command has replaced the forked copy of the helper, and its exit code (128 + n after signal n, as a container
reports it). This process itself is the *guard*: it writes the helper's process id first, and ends when it has no
descendants left, or when the sandbox dies. The way in which no process of the command is lost is WAY:

- `namespace`: the helper is the first process of a PID namespace (Linux). Processes in it do not see any others, so
  they cannot stop the helper or the guard, and the kernel kills all of them when the helper ends.
- `reaper`: helper and guard are *subreapers* (Linux): all processes that the command starts remain descendants of the
  guard, also after double forks and in new sessions, so the sandbox finds all of them, unless the command kills both.

If the first way is not permitted, the guard ends without a process id.
"""

import ctypes
import os
import signal
import sys

if (
    sys.platform != "win32"
):  # the sandbox imports the names of the ways on Windows too, but runs nothing there
    import resource

NAMESPACE = "namespace"
REAPER = "reaper"

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID_NODEV_NOEXEC = 2 | 4 | 8
MS_REC_PRIVATE = 0x4000 | 0x40000
LINUX_CAPABILITY_VERSION_3 = 0x20080522


def prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def fork_helper(way: str, report_fd: int) -> None:
    """Return in a new process, the helper, and report its id; this process becomes the guard and does not return."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        if way == NAMESPACE:
            unshare()
        (ready_read, ready_write), (noted_read, noted_write) = os.pipe(), os.pipe()
        helper = os.fork()
        if helper == 0:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            if way == NAMESPACE:
                enter_namespace()
            os.write(ready_write, b"1")  # fails if the guard has been killed
            os.close(noted_write)
            os.read(noted_read, 1)
            for descriptor in (ready_read, ready_write, noted_read):
                os.close(descriptor)
            return
        os.close(ready_write)
        if os.read(ready_read, 1):
            os.write(report_fd, b"%d\n" % helper)
            os.write(noted_write, b"1")
    except OSError:
        os._exit(1)
    for descriptor in (1, 2, report_fd):
        os.close(descriptor)
    while True:
        try:
            os.wait()
        except ChildProcessError:
            os._exit(0)


def unshare() -> None:
    """Give the next child its own PID namespace, and this process its own mounts; as a user, in a user namespace.

    A user keeps user and group, and cannot reach processes outside through `/proc` either.
    """
    user, group = os.geteuid(), os.getegid()
    libc = ctypes.CDLL(None, use_errno=True)
    if user == 0 and libc.unshare(CLONE_NEWPID | CLONE_NEWNS) == 0:
        return
    check(libc.unshare(CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS))
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def enter_namespace() -> None:
    """Mount the `/proc` of this process's namespaces; as a user, give up the rights over them."""
    libc = ctypes.CDLL(None, use_errno=True)
    check(libc.mount(b"none", b"/", None, ctypes.c_ulong(MS_REC_PRIVATE), None))
    check(libc.mount(b"proc", b"/proc", b"proc", ctypes.c_ulong(MS_NOSUID_NODEV_NOEXEC), None))
    if os.geteuid() != 0:
        check(libc.capset((ctypes.c_uint32 * 2)(LINUX_CAPABILITY_VERSION_3, 0), (ctypes.c_uint32 * 6)()))


def check(result: int) -> None:
    if result:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


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


def supervise(
    way: str, status_fd: int, memory_bytes: int, file_bytes: int, processes: int, command: list[str]
) -> None:
    os.set_inheritable(status_fd, False)
    fork_helper(way, status_fd)
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
            if way == NAMESPACE:
                return


if __name__ == "__main__":
    status_fd, memory_bytes, file_bytes, processes = (int(word) for word in sys.argv[2:6])
    supervise(sys.argv[1], status_fd, memory_bytes, file_bytes, processes, sys.argv[6:])
