"""Runs a rehearsal's programs with this Python: each is started once and then copied.

A short run spends most of its time on starting Python, importing numpy and reading the same reference. A `fork_server`
does this once and gives each run a copy of its process, under the same limits as `sandbox.run`. Copying takes half of
the remaining time. Therefore this project's own programs (`own_programs`) run many times in one copy: they only read a
submission's data, and the copy is replaced if a run changed it. The program's output and exit code are identical to
those of a separate start: a shared run that ends in neither scores nor a refusal does not count.

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
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from speechbundles.bundle.rehearse.engine import USUAL, LocalEngine, environment, local_words
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome, attend, begin
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.sources import Sources, installed_root
from speechbundles.model.zips import TASK_FILE, read_all
from speechbundles.platforms.codabench.layout import METADATA_FILES
from spokeneval.formats.problems import FREE_ATTEMPT
from spokeneval.run.options import OPTIONS_FILE

VENDORED = "spokeneval"
"""The package beside a program of this project. Such a program can be imported without running."""

_SETTINGS = {*METADATA_FILES, OPTIONS_FILE, TASK_FILE}
"""Files of a program that are not code; CodaLab's metadata file is one of Codabench's."""

_SERVER = Path(__file__).with_name("fork_server.py")

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a server: a forked process may have one thread only, and each run has its own processor anyway."""

GRACE = 1.0
"""Seconds for a server to end by itself, so that its time is counted, before it is killed."""


class OutOfOrder(Exception):
    """A shared run ended in neither scores nor a refusal: repeat the submission with `alone`, in new folders."""

    def __init__(self, alone: LocalEngine) -> None:
        self.alone = alone


class WarmEngine:
    """Runs programs with the `VENDORED` package in fork servers, one for each program and thread; others in `cold`.

    Use it in a `with` statement, which stops the servers at its end. A server also ends with the thread that began it.

    Parameters
    ----------
    variables: environment variables for the programs, besides the usual ones.
    own: folders of programs whose runs may share a process: `own_programs`.
    """

    def __init__(self, variables: Mapping[str, str] | None = None, own: Collection[Path] = ()) -> None:
        self.cold = LocalEngine(variables)
        self.own = frozenset(folder.resolve() for folder in own)
        self.servers: dict[tuple[int, str, Limits], _Server] = {}

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
        """See `LocalEngine.run`.

        Raises
        ------
        OutOfOrder: see there.
        """
        python, *words = local_words(command, mounts)
        script = (mounts[cwd] / (words or [""])[0]).resolve()
        if python != sys.executable or not (script.is_file() and (script.parent / VENDORED).is_dir()):
            return self.cold.run(command, mounts, cwd=cwd, scratch=scratch, seconds=seconds, limits=limits)
        words[0] = str(script)
        request = {
            "words": words,
            "cwd": str(mounts[cwd]),
            "env": environment(scratch, self.cold.variables),
            "limits": limits.of_a_process(),
            "shared": script.parent in self.own,
        }
        key = threading.get_ident(), words[0], limits
        server = self.servers.get(key)
        if server is not None and server.process.poll() is not None:
            server.end()
            server = None
        if server is None:
            server = self.servers[key] = _Server()
        outcome = server.run(request, seconds, limits)
        if request["shared"] and not _in_order(outcome):
            server.end()
            raise OutOfOrder(self.cold)
        return outcome


def own_programs(bundle: BuiltBundle) -> list[Path]:
    """Return the folders of an unpacked bundle's programs in which all code is this project's own, byte for byte."""
    source = Sources(installed_root())
    code = set(source.read_library().items())
    for folder in ("scoring_program", "ingestion_program"):
        code |= {(Path(name).name, content) for name, content in source.read_files(folder).items()}
    programs = {name for phase in bundle.phases for name in (phase.scoring_program, phase.ingestion_program)}
    return [
        folder
        for name, folder in bundle.unpacked.items()
        if name in programs
        and {file for file in read_all(folder).items() if file[0] not in _SETTINGS} <= code
    ]


def _in_order(outcome: Outcome) -> bool:
    """Return whether a program wrote scores or a refusal; no limit has any effect on these."""
    if outcome.exit_code == 0:
        return not outcome.stderr
    return outcome.exit_code == 1 and outcome.stderr.endswith(f"{FREE_ATTEMPT}\n")


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
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(GRACE)
        self.family.end()
