"""Runs a program for the sandbox. This is a script that uses the standard library only and starts in milliseconds.

    supervisor.py WAY STATUS_FD MEMORY_BYTES FILE_BYTES PROCESSES COMMAND...

It forks a *helper*, which sets the limits, starts the command in its own session, and writes lines to STATUS_FD:
`ready`; `started` when the command has replaced the forked copy of the helper; and its exit code (128 + n after signal
n, as a container reports it). This process itself is the *guard*: it ends when it has no descendants left, or when the
sandbox dies. The way in which no process of the command is lost is WAY:

- `namespace`: the helper is the first process of a PID namespace (Linux). Processes in it do not see any others, so
  they cannot stop the helper or the guard, and the kernel kills all of them when the helper ends.
- `reaper`: helper and guard are *subreapers* (Linux): all processes that the command starts remain descendants of the
  guard, also after double forks and in new sessions, so the sandbox finds all of them, unless the command kills both.

If the first way is not permitted, nothing is written.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress

if sys.platform != "win32":  # the sandbox imports the names on Windows too, but runs nothing there
    import resource

NAMESPACE = "namespace"
REAPER = "reaper"

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36

CLONE_NEWNS = 0x00020000
CLONE_NEWUSER = 0x10000000
CLONE_NEWPID = 0x20000000
MS_NOSUID_NODEV_NOEXEC = 2 | 4 | 8
MS_BIND, MS_RDONLY_REMOUNT_BIND = 0x1000, 1 | 0x20 | 0x1000
MS_REC_PRIVATE = 0x4000 | 0x40000
LINUX_CAPABILITY_VERSION_3 = 0x20080522


def prctl(option: int, value: int) -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def call(name: str, *arguments: object) -> None:
    """Call a function of the C library.

    Raises
    ------
    OSError: it failed, or this system does not have it.
    """
    if getattr(ctypes.CDLL(None, use_errno=True), name, lambda *_: -1)(*arguments):
        raise OSError(ctypes.get_errno(), name)


def fork_helper(way: str, status_fd: int) -> None:
    """Return in a new process, the helper; this process becomes the guard and does not return."""
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    try:
        if way == NAMESPACE:
            unshare()
        if not os.fork():
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
            prctl(PR_SET_CHILD_SUBREAPER, 1)
            if way == NAMESPACE:
                enter_namespace()
            os.write(status_fd, b"ready\n")  # fails if the sandbox has died
            return
    except OSError:
        os._exit(1)
    for descriptor in (1, 2, status_fd):
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
    if user == 0:
        try:
            call("unshare", CLONE_NEWPID | CLONE_NEWNS)
            return
        except OSError:
            pass  # root of a container that lacks this right may still have a user namespace
    call("unshare", CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS)
    maps = {"setgroups": "deny", "uid_map": f"{user} {user} 1", "gid_map": f"{group} {group} 1"}
    for name, text in maps.items():
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def enter_namespace() -> None:
    """Mount the `/proc` of this process's namespaces; as a user, give up the rights over them.

    As root, nobody here can change the rights of the computer's devices, which is not a way to use them.
    """
    call("mount", b"none", b"/", None, ctypes.c_ulong(MS_REC_PRIVATE), None)
    call("mount", b"proc", b"/proc", b"proc", ctypes.c_ulong(MS_NOSUID_NODEV_NOEXEC), None)
    if os.geteuid() != 0:
        header = ctypes.c_uint32 * 2, ctypes.c_uint32 * 6
        call("capset", header[0](LINUX_CAPABILITY_VERSION_3, 0), header[1]())
        return
    for device in (b"/dev/full", b"/dev/null", b"/dev/random", b"/dev/tty", b"/dev/urandom", b"/dev/zero"):
        with suppress(OSError):  # as of a container without some of them
            call("mount", device, device, None, ctypes.c_ulong(MS_BIND), None)
            call("mount", None, device, None, ctypes.c_ulong(MS_RDONLY_REMOUNT_BIND), None)


def lower(limit: int, value: int) -> None:
    """Lower a soft and hard limit, unless it is lower already."""
    _, hard = resource.getrlimit(limit)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(limit, (value, value))


def become(command: list[str], memory_bytes: int, file_bytes: int, processes: int) -> None:
    """Turn this process into the command, in a session of its own, under its limits; it ends with its parent."""
    try:
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        os.setsid()
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        lower(resource.RLIMIT_CORE, 0)
        lower(resource.RLIMIT_FSIZE, file_bytes)
        if sys.platform == "linux":
            lower(resource.RLIMIT_AS, memory_bytes)
            lower(resource.RLIMIT_NPROC, processes)
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: cannot be run: {error.strerror}\n".encode())
    finally:
        os._exit(127)


def supervise(way: str, status_fd: int, limits: list[int], command: list[str]) -> None:
    os.set_inheritable(status_fd, False)
    fork_helper(way, status_fd)
    started_read, started_write = os.pipe()  # closed when the command starts
    child = os.fork()
    if not child:
        become(command, *limits)
    for descriptor in (1, 2, started_write):
        os.close(descriptor)
    os.read(started_read, 1)
    os.write(status_fd, b"started\n")
    while True:
        try:
            ended, status = os.wait()
        except ChildProcessError:
            return
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            os.write(status_fd, b"%d\n" % (code if code >= 0 else 128 - code))
            if way == NAMESPACE:
                return


if __name__ == "__main__":
    status_fd, *limits = (int(word) for word in sys.argv[2:6])
    supervise(sys.argv[1], status_fd, limits, sys.argv[6:])
