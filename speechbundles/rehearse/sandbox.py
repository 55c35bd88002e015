"""Run a program under limits that hold, and leave nothing of it behind.

Limited are wall-clock time, the memory and the number of processes of everything the program starts (polled),
the size of a file (by the operating system) and the output that is kept. On Linux every descendant is found,
whatever it did to get away (`supervisor.py`); elsewhere, those that were seen in a poll. A program that runs
over a limit is stopped as a whole: all of it is first halted, so that nothing new can start, then killed.

This bounds mistakes of programs the organiser knows. It is no wall against hostile code: files, network and
other processes of the same user stay within reach.
"""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

LOG_BYTES = 1 << 20
"""Bytes kept of stdout and of stderr at most: the first and the last half."""
POLL = 0.1
"""Seconds between two looks at the processes; longer where a look takes long, as with thousands of processes."""
BACKSTOP_BYTES = 4 << 30
"""Address space beyond the memory limit that one process may reserve: libraries reserve much more than they use."""
KILL_SECONDS = 10.0
"""Time for everything to be gone after a kill; only a process stuck in the kernel takes longer."""

_SUPERVISOR = Path(__file__).with_name("supervisor.py")


@dataclass(frozen=True)
class Limits:
    """Bounds on a program. A platform has only the first; the others protect this machine.

    Attributes
    ----------
    seconds: wall-clock time; None: the phase's `execution_time_limit`.
    memory_bytes: resident memory of all its processes together.
    output_bytes: size of each file it writes (a write beyond it fails), and of what is kept of standard output and
        of standard error (at most `LOG_BYTES` each; the rest is dropped).
    processes: processes at once.
    """

    seconds: float | None = None
    memory_bytes: int = 4 << 30
    output_bytes: int = 64 << 20
    processes: int = 128

    def of_a_process(self) -> tuple[int, int, int]:
        """What the operating system holds each process to: address space, size of a file, number of processes."""
        return self.memory_bytes + BACKSTOP_BYTES, self.output_bytes, _threads() + 4 * self.processes


@dataclass(frozen=True)
class Outcome:
    """How a program ended.

    Attributes
    ----------
    exit_code: as a container reports it: 128 + n after signal n, 137 where the sandbox stopped it, 127 where
        the command could not be run.
    stdout, stderr: what it printed, undecodable bytes replaced; where bytes were dropped, the text says how many.
    seconds: wall-clock time.
    why_stopped: the limit that stopped it; None where it ended by itself.
    """

    exit_code: int
    stdout: str
    stderr: str
    seconds: float
    why_stopped: str | None = None


class Capture:
    """The first and the last bytes of a stream of any length."""

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
    """Run a command, standard input empty, until it ends or runs over a limit; then nothing of it is left.

    Parameters
    ----------
    command: program and arguments; run without a shell.
    env: the whole environment; nothing is inherited.
    seconds: wall-clock limit, in place of that in `limits`.

    Raises
    ------
    ValueError: for an empty command or a limit that is not positive.
    RuntimeError: where a process would not die.
    """
    limits = replace(limits, seconds=seconds)
    for name, limit in vars(limits).items():
        if not limit > 0:
            raise ValueError(f"{name} is {limit!r}; expected a positive number")
    if not command:
        raise ValueError("the command is empty")

    status_read, status_write = os.pipe()
    began = time.monotonic()
    try:
        supervisor = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", str(_SUPERVISOR), str(status_write)),
                *map(str, limits.of_a_process()),
                *command,
            ],
            cwd=cwd,
            env=dict(env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=(status_write,),
            start_new_session=True,
        )
    except BaseException:
        os.close(status_read)
        raise
    finally:
        os.close(status_write)
    assert supervisor.stdout is not None
    assert supervisor.stderr is not None
    with supervisor.stdout, supervisor.stderr:
        streams = (supervisor.stdout.fileno(), supervisor.stderr.fileno())
        return attend(Family(supervisor), streams, status_read, began, seconds, limits)


def attend(
    family: Family,
    streams: tuple[int, int],
    status_fd: int,
    began: float,
    seconds: float,
    limits: Limits,
) -> Outcome:
    """Follow a program to its end, or to the limit that it runs over; then nothing of it is left.

    Parameters
    ----------
    streams: what it prints, standard output and standard error.
    status_fd: where its supervisor writes `started` and the exit code, and `alone` where it knows that nothing is left;
        it is closed here.
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
        why_stopped = "its supervisor ended before it did"
    exit_code = int(code[0]) if code and why_stopped is None else 137
    stdout, stderr = (kept[fd].text() for fd in streams)
    return Outcome(exit_code, stdout, stderr, ended - began, why_stopped)


def _over_limit(family: Family, elapsed: float, seconds: float, limits: Limits, started: bool) -> str | None:
    """Why to stop; memory counts once the command has started, because what is there before is a copy of Python."""
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
    """Every process below a supervisor. `stays`: it does not end with what is below it."""

    def __init__(self, supervisor: subprocess.Popen[bytes], *, stays: bool = False) -> None:
        self.supervisor = supervisor
        self.stays = stays
        self.root = psutil.Process(supervisor.pid)
        self.seen: set[psutil.Process] = set()

    def members(self) -> list[psutil.Process]:
        """Those alive, not counting the supervisor."""
        with suppress(psutil.NoSuchProcess):
            self.seen.update(self.root.children(recursive=True))
        alive = [member for member in self.seen if _alive(member)]
        self.seen = set(alive)
        return alive

    def kill(self) -> None:
        """Halt all, and those that started meanwhile, until there are no new ones; then kill; until none is left.

        The supervisor ends when there is nothing below it; until then it may be about to start the command.
        """
        deadline = time.monotonic() + KILL_SECONDS
        halted: set[psutil.Process] = set()
        while (members := self.members()) or not (self.stays or self.supervisor.poll() is not None):
            new = [member for member in members if member not in halted]
            if new:
                _each(new, psutil.Process.suspend)
                halted.update(new)
                continue
            _each(members, psutil.Process.kill)
            halted.clear()
            if time.monotonic() > deadline:
                self.supervisor.kill()
                self.supervisor.wait()
                raise RuntimeError(
                    f"processes that would not die: {sorted(member.pid for member in members)}"
                )
            time.sleep(0.001)


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
    """Read what is left in a pipe that nobody writes to any more."""
    os.set_blocking(fd, False)
    with suppress(BlockingIOError):
        while data := os.read(fd, 1 << 16):
            capture.add(data)


def _threads() -> int:
    """Threads on this machine: the operating system counts a user's against its process limit, whoever started them."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 1 << 16
