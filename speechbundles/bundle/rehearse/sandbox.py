"""Run a program under enforced limits, and leave no process of it behind.

The limits are on wall-clock time, on the memory and the number of all processes that the program starts (both polled),
on the size of a file (by the operating system), and on the captured output. On Linux every descendant is found, also
one that detaches itself or kills its parents (`supervisor.py`); on other systems, those that were seen in a poll. If a
program exceeds a limit, all its processes are suspended, so that none can start another, and then killed.
The limits do not protect the user's files and network. `docs/explanation/promises.md` lists what is promised.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import psutil

from speechbundles.bundle.rehearse.supervisor import NAMESPACE, REAPER
from speechbundles.model.temporary import closing
from speechbundles.model.text import say

LOG_BYTES = 1 << 20
"""Most bytes kept of standard output and of standard error: the first and the last half of this number."""
POLL = 0.1
"""Seconds between two polls of the processes; longer if a poll takes long, as with thousands of processes."""
BACKSTOP_BYTES = 4 << 30
"""Address space beyond the memory limit that one process may reserve: libraries reserve much more than they use."""
FILE_BYTES, KILL_SECONDS = 1 << 10, 10.0
"""What the kernel needs for a file in memory, beside its content; the time for all processes to end after a kill."""

REAPER_NOTE = (
    "Note: this system does not permit a program its own PID namespace. A program that kills the helper processes of "
    "its rehearsal can leave processes behind. Run only bundles that you trust, or use --engine docker."
)

T = TypeVar("T")
_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass(frozen=True)
class Limits:
    """Limits on a program. Platforms have only the first; the others protect this computer.

    Attributes
    ----------
    seconds: wall-clock time; in a rehearsal, the phase's `execution_time_limit`.
    memory_bytes: resident memory of all its processes together.
    output_bytes: size of each file that it writes (a write beyond it fails), and of the captured standard output and
        standard error (at most `LOG_BYTES` each; the rest is dropped).
    processes: number of simultaneous processes; at most four times as many threads and ended processes.
    """

    seconds: float
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
    peak_bytes: the most resident memory of all its processes in a poll; 0 if it is not known.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    why_stopped: str | None = None
    peak_bytes: int = field(default=0, compare=False)


class Capture:
    """Keeps the first and the last bytes of a stream of any length."""

    def __init__(self, limit: int) -> None:
        self.half, self.data, self.dropped = limit // 2, bytearray(), 0

    def add(self, data: bytes) -> None:
        self.data += data
        if len(self.data) > 6 * self.half:
            self._trim()

    def _trim(self) -> None:
        excess = max(0, len(self.data) - 2 * self.half)
        del self.data[self.half : self.half + excess]
        self.dropped += excess

    def text(self) -> str:
        self._trim()
        note = f"\n[... {self.dropped} bytes dropped ...]\n".encode() if self.dropped else b""
        return (self.data[: self.half] + note + self.data[self.half :]).decode("utf-8", "replace")


ways = [NAMESPACE, REAPER]
"""The ways to supervise a program (see `supervisor.py`); the first is used until the system refuses it."""
_lock = threading.Lock()


def run(
    command: Sequence[str], *, cwd: Path, env: Mapping[str, str], limits: Limits, memory: Sequence[str] = ()
) -> Outcome:
    """Run a command with empty standard input until it ends or exceeds a limit; then no process of it is left.

    Parameters
    ----------
    command: program and arguments; run without a shell.
    env: the complete environment; nothing is inherited.
    memory: folders below its own root whose files are kept in memory, and count as `FILE_BYTES` each.

    Raises
    ------
    ValueError: the command is empty, or a limit is not a positive number.
    RuntimeError: a process could not be killed.
    """
    for name, limit in vars(limits).items():
        if not limit > 0:
            raise ValueError(f"{name} is {limit!r}; expected a positive number")
    if not command:
        raise ValueError("the command is empty")
    began = time.monotonic()
    family, status_fd = start(command, cwd, env, limits)
    with family.supervisor as supervisor:
        assert supervisor.stdout is not None
        assert supervisor.stderr is not None
        streams = supervisor.stdout.fileno(), supervisor.stderr.fileno()
        return family.attend(streams, status_fd, began, limits, memory)


def start(
    command: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    limits: Limits,
    *,
    output: int = subprocess.PIPE,
    inherited: Sequence[int] = (),
) -> tuple[Family, int]:
    """Start a command in the safest way that this system permits.

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
    while True:
        way = ways[0]
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
        try:
            if _line(status_fd):
                return Family(supervisor, way), status_fd
        except BaseException:
            supervisor.kill()
            raise
        os.close(status_fd)
        with supervisor:  # closes its streams, and waits for it
            _give_up(way)


def _give_up(way: str) -> None:
    """Use the weaker way from now on, and print this once."""
    with _lock:
        if way == REAPER:
            raise RuntimeError("the sandbox cannot start a process")
        if ways[0] == way:
            ways.remove(way)
            say(REAPER_NOTE, error=True)


def _line(descriptor: int) -> bytes:
    line = b""
    while not line.endswith(b"\n") and (byte := os.read(descriptor, 1)):
        line += byte
    return line


def watch(
    streams: Sequence[int],
    status_fd: int,
    began: float,
    limits: Limits,
    over_limit: Callable[[bytes], str | None],
    end: Callable[[bytes], int | None],
) -> Outcome:
    """Capture a program's output until it has ended or exceeds a limit, and return how it ended.

    Parameters
    ----------
    streams: its standard output and standard error.
    status_fd: a descriptor that has two lines, or its end, when the program has ended; it is closed here.
    began: `time.monotonic()` when it was started.
    over_limit: returns the exceeded limit, if any but that of time, given what was read from `status_fd`.
    end: ends what is left of the program, given the same, and returns the exit code; None if it is not known.
    """
    kept = {fd: Capture(min(limits.output_bytes, LOG_BYTES)) for fd in streams}
    status, why_stopped, ended = b"", None, False
    try:
        with selectors.DefaultSelector() as selector:
            for fd in (*streams, status_fd):
                selector.register(fd, selectors.EVENT_READ)
            next_poll = began + POLL
            while not ended and why_stopped is None:
                for key, _ in selector.select(max(0.0, next_poll - time.monotonic())):
                    data = os.read(key.fd, 1 << 16)
                    if key.fd == status_fd:
                        status += data
                        ended = not data or status.count(b"\n") >= 2
                    elif data:
                        kept[key.fd].add(data)
                    else:
                        selector.unregister(key.fd)
                now = time.monotonic()
                if not ended and now >= next_poll:
                    why_stopped = _over_time(now - began, limits) or over_limit(status)
                    took = time.monotonic() - now
                    next_poll = now + took + max(POLL, 10 * took)
        seconds = time.monotonic() - began
    finally:
        try:
            code = end(status)
            for fd in streams:
                _drain(fd, kept[fd])
        finally:
            os.close(status_fd)
    if code is None and why_stopped is None:
        why_stopped = "its supervisor ended first"
    stdout, stderr = map(Capture.text, kept.values())
    return Outcome(137 if code is None or why_stopped else code, stdout, stderr, seconds, why_stopped)


def _over_time(elapsed: float, limits: Limits) -> str | None:
    return f"time limit: still running after {limits.seconds:g} s" if elapsed > limits.seconds else None


class Family:
    """The descendants of a supervisor."""

    def __init__(self, supervisor: subprocess.Popen[bytes], way: str = REAPER) -> None:
        self.supervisor, self.way = supervisor, way
        self.root = psutil.Process(supervisor.pid)
        self.found, self.seen, self.peak = list[psutil.Process](), set[psutil.Process](), 0

    def attend(
        self, streams: Sequence[int], status_fd: int, began: float, limits: Limits, memory: Sequence[str] = ()
    ) -> Outcome:
        """Watch a program of these until it ends; then none is left, unless its status ends with `alone`."""

        def end(status: bytes) -> int | None:
            if not status.endswith(b"alone\n"):
                self.kill()
            lines = status.split()
            return int(lines[1]) if len(lines) > 1 else None

        outcome = watch(streams, status_fd, began, limits, partial(self._over_limit, limits, memory), end)
        return replace(outcome, peak_bytes=self.peak)

    def _over_limit(self, limits: Limits, folders: Sequence[str], status: bytes) -> str | None:
        """Return an exceeded limit, if any. Memory counts once the command runs: before, it is a copy of Python."""
        guard = self.supervisor.pid  # the parent of the helper, which does not count
        members = [each for each in self._alive() if _of(each, psutil.Process.ppid, guard) != guard]
        if len(members) > limits.processes:
            return f"process limit: {len(members)} processes at once; at most {limits.processes} are allowed"
        most, tasks = 4 * limits.processes, sum(_of(it, psutil.Process.num_threads, 1) for it in self.found)
        if tasks > most:
            return f"process limit: {tasks} threads at once; at most {most} are allowed"
        memory = sum(_of(each, lambda process: int(process.memory_info().rss), 0) for each in members)
        memory += FILE_BYTES * max((_files_of(each.pid, folders) for each in members), default=0)
        self.peak = max(self.peak, memory if status else 0)
        if status and memory > limits.memory_bytes:
            most = limits.memory_bytes >> 20
            return f"memory limit: {memory >> 20} MB in use; at most {most} MB are allowed"
        return None

    def _alive(self) -> list[psutil.Process]:
        with suppress(psutil.NoSuchProcess):
            self.found = self.root.children(recursive=True)
            self.seen.update(self.found)
        self.seen = {each for each in self.seen if _of(each, _is_alive, False)}
        return list(self.seen)

    def kill(self) -> None:
        """Kill all processes, also those that start others all the time, and then the supervisor.

        In a PID namespace, the kernel kills all when the first one, the helper, ends, and none can start another; the
        supervisor ends after them. Otherwise: suspend all until no new ones appear, then kill them, until none remain.
        The helper is killed too: it may be about to start the command. None remain only if two lists are empty: one may
        lack a process whose parent ended while it was made.
        """
        halted: set[psutil.Process] = set()
        try:
            if self.way == NAMESPACE:
                self._kill_namespace()
            deadline = time.monotonic() + KILL_SECONDS
            while members := self._alive() or self._alive():
                if time.monotonic() > deadline:
                    raise RuntimeError(f"processes could not be killed: {[each.pid for each in members]}")
                if new := [member for member in members if member not in halted]:
                    for each in new:
                        _of(each, psutil.Process.suspend, None)
                    halted.update(new)
                    continue
                for each in members:
                    _of(each, psutil.Process.kill, None)
                halted.clear()
                time.sleep(0.001)
        finally:
            self.supervisor.kill()
            self.supervisor.wait()

    def _kill_namespace(self) -> None:
        """Kill the first process of the namespace, and wait for the supervisor, which ends after all others."""
        helpers: list[psutil.Process] = _of(self.root, lambda root: list(root.children()), [])
        for helper in helpers:
            _of(helper, psutil.Process.kill, None)
        if helpers:  # a wait with a limit would sleep between looks
            supervisor = self.supervisor.pid
            with (
                selectors.DefaultSelector() as selector,
                suppress(OSError),
                closing(os.pidfd_open(supervisor)) as end,
            ):
                selector.register(end, selectors.EVENT_READ)
                selector.select(KILL_SECONDS)


def _files_of(process: int, folders: Sequence[str]) -> int:
    """Return the number of files in folders of a process, each of which is a mount; 0 if its root is this one's."""
    with suppress(OSError):  # it has ended, or is about to start
        if folders and not os.path.samefile(f"/proc/{process}/root", "/"):
            mounts = [os.statvfs(f"/proc/{process}/root{name}") for name in folders]
            return sum(mount.f_files - mount.f_ffree for mount in mounts)
    return 0


def _is_alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def _of(process: psutil.Process, ask: Callable[[psutil.Process], T], else_: T) -> T:
    """Return what is asked of a process, or another value if it has ended."""
    try:
        return ask(process)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return else_


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
