"""Run a program under enforced limits, and leave no process of it behind.

The limits are on wall-clock time, on the memory and the number of all processes that the program starts (both polled),
on the size of a file (by the operating system), and on the captured output. On Linux every descendant is found, also
one that detaches itself or kills its parents (`supervisor.py`); on other systems, those that were seen in a poll. If a
program exceeds a limit, all its processes are suspended, so that none can start another, and then killed.

The limits do not protect the user's files and network from a program. What is promised is listed in
`docs/explanation/promises.md`.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from speechbundles.bundle.rehearse.supervisor import NAMESPACE, REAPER
from speechbundles.model.text import say

LOG_BYTES = 1 << 20
"""Most bytes kept of standard output and of standard error: the first and the last half of this number."""
POLL = 0.1
"""Seconds between two polls of the processes; longer if a poll takes long, as with thousands of processes."""
BACKSTOP_BYTES = 4 << 30
"""Address space beyond the memory limit that one process may reserve: libraries reserve much more than they use."""
KILL_SECONDS = 10.0
"""Time for all processes to end after a kill; only a process that hangs in the kernel takes longer."""

REAPER_NOTE = (
    "Note: this system does not permit a program its own PID namespace. A program that kills the helper processes of "
    "its rehearsal can leave processes behind. Run only bundles that you trust, or use --engine docker."
)

_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass(frozen=True)
class Limits:
    """Limits on a program. Platforms have only the first; the others protect this computer.

    Attributes
    ----------
    seconds: wall-clock time; None: the phase's `execution_time_limit`.
    memory_bytes: resident memory of all its processes together.
    output_bytes: size of each file that it writes (a write beyond it fails), and of the captured standard output and
        standard error (at most `LOG_BYTES` each; the rest is dropped).
    processes: number of simultaneous processes.
    """

    seconds: float | None = None
    memory_bytes: int = 4 << 30
    output_bytes: int = 64 << 20
    processes: int = 128

    def of_a_process(self) -> tuple[int, int, int]:
        """Return the operating system's limits on each process: address space, file size, number of processes."""
        return self.memory_bytes + BACKSTOP_BYTES, self.output_bytes, _threads() + 4 * self.processes


@dataclass(frozen=True)
class Outcome:
    """How a program ended.

    Attributes
    ----------
    exit_code: as a container reports it: 128 + n after signal n, 137 if the sandbox stopped the program, 127 if the
        command could not be run.
    stdout, stderr: the output, with undecodable bytes replaced and the number of dropped bytes noted.
    seconds: wall-clock time.
    why_stopped: the limit that was exceeded; None if the program ended by itself.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    why_stopped: str | None = None


class Capture:
    """Keeps the first and the last bytes of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self.half = limit // 2
        self.head = bytearray()
        self.tail = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        self.total += len(data)
        room = self.half - len(self.head)
        self.head += data[:room]
        self.tail += data[room:]
        if len(self.tail) > 4 * self.half:
            self._trim()

    def _trim(self) -> None:
        del self.tail[: max(0, len(self.tail) - self.half)]

    def text(self) -> str:
        self._trim()
        dropped = self.total - len(self.head) - len(self.tail)
        note = f"\n[... {dropped} bytes dropped ...]\n".encode() if dropped else b""
        return (bytes(self.head) + note + bytes(self.tail)).decode("utf-8", "replace")


def run(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], seconds: float, limits: Limits
) -> Outcome:
    """Run a command with empty standard input until it ends or exceeds a limit; then no process of it is left.

    Parameters
    ----------
    command: program and arguments; run without a shell.
    env: the complete environment; nothing is inherited.
    seconds: wall-clock limit, instead of the one in `limits`.

    Raises
    ------
    ValueError: the command is empty, or a limit is not positive.
    RuntimeError: a process could not be killed.
    """
    limits = replace(limits, seconds=seconds)
    for name, limit in vars(limits).items():
        if not limit > 0:
            raise ValueError(f"{name} is {limit!r}; expected a positive number")
    if not command:
        raise ValueError("the command is empty")

    began = time.monotonic()
    family, status_fd = start(command, cwd, env, limits)
    supervisor = family.supervisor
    assert supervisor.stdout is not None
    assert supervisor.stderr is not None
    with supervisor.stdout, supervisor.stderr:
        streams = (supervisor.stdout.fileno(), supervisor.stderr.fileno())
        return attend(family, streams, status_fd, began, seconds, limits)


def start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    limits: Limits,
    *,
    output: int = subprocess.PIPE,
    inherited: Sequence[int] = (),
) -> tuple[Family, int]:
    """Start a command in the safest way that this system permits (see `supervisor.py`).

    Parameters
    ----------
    output: its standard output and standard error, as in `subprocess.Popen`.
    inherited: descriptors that it gets.

    Returns
    -------
    Its processes, and the descriptor to which its supervisor writes `started` and the exit code.

    Raises
    ------
    RuntimeError: no supervisor can be started.
    """
    for way in (NAMESPACE, REAPER):
        if way == NAMESPACE and not namespaces.is_set():
            continue
        if way == REAPER:
            _report_reaper()
        supervisor, status_fd = _supervisor(way, command, cwd, env, limits, output, inherited)
        try:
            helper = int(_line(status_fd) or 0)
        except BaseException:
            supervisor.kill()
            raise
        if helper:
            return Family(supervisor, helper), status_fd
        os.close(status_fd)
        for stream in (supervisor.stdout, supervisor.stderr):
            if stream is not None:
                stream.close()
        supervisor.wait()
    raise RuntimeError("the sandbox cannot start a process")


def _supervisor(
    way: str,
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    limits: Limits,
    output: int,
    inherited: Sequence[int],
) -> tuple[subprocess.Popen[bytes], int]:
    status_fd, theirs = os.pipe()
    words = [sys.executable, "-I", "-S", str(_SUPERVISOR), way, str(theirs)]
    try:
        supervisor = subprocess.Popen(
            [*words, *map(str, limits.of_a_process()), *command],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            pass_fds=(theirs, *inherited),
            start_new_session=True,
        )
    except BaseException:
        os.close(status_fd)
        raise
    finally:
        os.close(theirs)
    return supervisor, status_fd


namespaces = threading.Event()
"""Whether this system permits programs their own PID namespaces; unset after the first refusal."""
if sys.platform == "linux":
    namespaces.set()
reported = threading.Lock()


def _report_reaper() -> None:
    """Print once that the weaker way is used."""
    namespaces.clear()
    if reported.acquire(blocking=False):  # never released
        say(REAPER_NOTE, error=True)


def _line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(descriptor, 1)):
        line += byte
    return line


def attend(
    family: Family,
    streams: tuple[int, int],
    status_fd: int,
    began: float,
    seconds: float,
    limits: Limits,
) -> Outcome:
    """Watch a program until it ends or exceeds a limit; then no process of it is left.

    Parameters
    ----------
    streams: its standard output and standard error.
    status_fd: the descriptor to which its supervisor writes `started`, the exit code, and `alone` if it knows that no
        process is left to be ended; it is closed here.
    began: `time.monotonic()` when it was started.
    """
    kept = {fd: Capture(min(limits.output_bytes, LOG_BYTES)) for fd in streams}
    status = b""
    ended: float | None = None
    why_stopped: str | None = None
    try:
        with selectors.DefaultSelector() as selector:
            for fd in (*streams, status_fd):
                selector.register(fd, selectors.EVENT_READ)
            next_poll = began + POLL
            while ended is None and why_stopped is None:
                for key, _ in selector.select(max(0.0, next_poll - time.monotonic())):
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == status_fd:
                        status += data
                        if not data or len(status.splitlines()) >= 2:
                            ended = time.monotonic()
                    elif data:
                        kept[key.fd].add(data)
                    else:
                        selector.unregister(key.fd)
                now = time.monotonic()
                if ended is None and now >= next_poll:
                    why_stopped = _over_limit(family, now - began, seconds, limits, bool(status))
                    took = time.monotonic() - now
                    next_poll = now + took + max(POLL, 10 * took)
        ended = ended or time.monotonic()
    finally:
        try:
            if not status.endswith(b"alone\n"):
                family.kill()
            for fd in streams:
                _drain(fd, kept[fd])
        finally:
            os.close(status_fd)
    code = status.splitlines()[1:2]
    if why_stopped is None and not code:
        why_stopped = "its supervisor ended first"
    exit_code = int(code[0]) if code and why_stopped is None else 137
    stdout, stderr = (kept[fd].text() for fd in streams)
    return Outcome(exit_code, stdout, stderr, ended - began, why_stopped)


def _over_limit(family: Family, elapsed: float, seconds: float, limits: Limits, started: bool) -> str | None:
    """Return the exceeded limit, if any. Memory counts once the command has started: before, it is a copy of Python."""
    if elapsed > seconds:
        return f"time limit: still running after {seconds:g} s"
    members = family.members()
    if len(members) > limits.processes:
        return f"process limit: {len(members)} processes at once; at most {limits.processes} are allowed"
    memory = sum(_resident(member) for member in members)
    if started and memory > limits.memory_bytes:
        return f"memory limit: {memory >> 20} MB in use; at most {limits.memory_bytes >> 20} MB are allowed"
    return None


class Family:
    """The descendants of a supervisor and of its helper."""

    def __init__(self, supervisor: subprocess.Popen[bytes], helper: int) -> None:
        self.supervisor = supervisor
        self.helper = helper
        self.root = psutil.Process(supervisor.pid)
        self.seen: set[psutil.Process] = set()

    def members(self) -> list[psutil.Process]:
        """Return the processes that are alive, without the supervisor and its helper."""
        return [member for member in self._alive() if member.pid != self.helper]

    def _alive(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            self.seen.update(self.root.children(recursive=True))
        alive = [member for member in self.seen if _alive(member)]
        self.seen = set(alive)
        return alive

    def kill(self) -> None:
        """Suspend all processes until no new ones appear, then kill them, until none remain; then the supervisor.

        The helper is killed too: it may be about to start the command. None remain only if two lists are empty: one may
        lack a process whose parent ended while it was made.
        """
        deadline = time.monotonic() + KILL_SECONDS
        halted: set[psutil.Process] = set()
        try:
            while members := self._alive() or self._alive():
                if time.monotonic() > deadline:
                    raise RuntimeError(
                        f"processes could not be killed: {sorted(member.pid for member in members)}"
                    )
                new = [member for member in members if member not in halted]
                if new:
                    _each(new, psutil.Process.suspend)
                    halted.update(new)
                    continue
                _each(members, psutil.Process.kill)
                halted.clear()
                time.sleep(0.001)
        finally:
            self.supervisor.kill()
            self.supervisor.wait()


def _each(members: Iterable[psutil.Process], action: Callable[[psutil.Process], object]) -> None:
    for member in members:
        with suppress(psutil.NoSuchProcess):
            action(member)


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def _drain(fd: int, capture: Capture) -> None:
    """Read the rest of a pipe that has no writers any more."""
    os.set_blocking(fd, False)
    with suppress(BlockingIOError):
        while data := os.read(fd, 1 << 16):
            capture.add(data)


def _threads() -> int:
    """Return the number of threads on this computer: all of a user's threads count towards the process limit."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 1 << 16
