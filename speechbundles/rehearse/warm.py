"""Runs a rehearsal's programs with this Python: each is started once and then copied for every run.

A short run spends most of its time on starting Python, importing numpy and reading the same reference. A `fork_server`
does this once and gives each submission its own process, under the same limits as `sandbox.run`. The program's output
and exit code are identical to those of a separate start.

A program sees its own files and its reference as they were when it was first started. Use it for runs of one bundle
from folders that do not change (`BuiltBundle.unpack_once`).
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from speechbundles.rehearse.engine import USUAL, LocalEngine, environment, local_words
from speechbundles.rehearse.sandbox import Limits, Outcome, attend, begin

VENDORED = "spokeneval"
"""The package beside a program of this project. Such a program can be imported without running."""

_SERVER = Path(__file__).with_name("fork_server.py")

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a server: a forked process may have one thread only, and each run has its own processor anyway."""


class WarmEngine:
    """Runs this project's programs in fork servers, one for each program and thread; runs others as `LocalEngine` does.

    Use it in a `with` statement, which stops the servers at its end. A server also ends with the thread that began it.
    """

    def __init__(self, variables: Mapping[str, str] | None = None) -> None:
        self.cold = LocalEngine(variables)
        self.servers: dict[tuple[int, str], _Server] = {}

    def __enter__(self) -> WarmEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for server in self.servers.values():
            server.end()

    def run(
        self,
        command: Sequence[str],
        mounts: Mapping[str, Path],
        *,
        cwd: str,
        scratch: Path,
        seconds: float,
        limits: Limits,
    ) -> Outcome:
        """See `LocalEngine.run`."""
        python, *words = local_words(command, mounts)
        script = (mounts[cwd] / (words or [""])[0]).resolve()
        if python != sys.executable or not (script.parent / VENDORED).is_dir():
            return self.cold.run(command, mounts, cwd=cwd, scratch=scratch, seconds=seconds, limits=limits)
        words[0] = str(script)
        request = {
            "words": words,
            "cwd": str(mounts[cwd]),
            "env": environment(scratch, self.cold.variables),
            "limits": limits.of_a_process(),
        }
        key = threading.get_ident(), words[0]
        server = self.servers.get(key)
        if server is not None and server.process.poll() is not None:
            server.end()
            server = None
        if server is None:
            server = self.servers[key] = _Server()
        return server.run(request, seconds, limits)


class _Server:
    """A running `fork_server.py`."""

    def __init__(self) -> None:
        self.family, _ = begin(self._start, stays=True)
        self.process = self.family.supervisor

    def _start(self, way: str) -> tuple[subprocess.Popen[bytes], int]:
        self.requests, theirs = socket.socketpair()
        with theirs:
            process = subprocess.Popen(
                [sys.executable, str(_SERVER), way, str(theirs.fileno())],
                env={**USUAL, **_ONE_THREAD},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        return process, self.requests.fileno()

    def run(self, request: Mapping[str, object], seconds: float, limits: Limits) -> Outcome:
        began = time.monotonic()
        ours, theirs = zip(*(os.pipe() for _ in range(3)), strict=True)
        try:
            with suppress(OSError):  # the server has died: the status stays empty
                socket.send_fds(self.requests, [json.dumps(request).encode()], theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        outcome = attend(self.family, ours[1:], ours[0], began, seconds, limits)
        for descriptor in ours[1:]:
            os.close(descriptor)
        if outcome.why_stopped:
            self.end()
        return outcome

    def end(self) -> None:
        self.requests.close()
        self.family.end()
