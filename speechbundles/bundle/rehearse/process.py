"""Runs a rehearsal's programs with this Python on this computer; `containers` runs them in the bundle's own image.

A short run spends most of its time on starting Python, importing numpy and reading the same reference. Therefore this
project's own programs (`own_programs`) run many times in one process (`pool_worker`), under the same limits as in
`sandbox.run`: they only read a submission's data, and the process is replaced if a run changed it. Programs of a task
in an organiser's Python run in children of such a process. A shared run counts only if it is `in_order`; the caller
repeats any other without sharing.

A shared program sees its own files and its reference as they were when it was first started. Share only runs of one
bundle from folders that do not change (`BuiltBundle.unpack_once`).
"""

from __future__ import annotations

import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.containers import INPUTS
from speechbundles.bundle.rehearse.pool_worker import ORGANISER, PROJECT
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.sources import Sources, installed_root
from speechbundles.model.zips import TASK_FILE, read_all
from speechbundles.platforms.codabench.layout import METADATA_FILES
from spokeneval.formats.problems import FREE_ATTEMPT
from spokeneval.run.options import OPTIONS_FILE

USUAL = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "PYTHONUNBUFFERED": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}
"""Environment variables of every program."""

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a worker at its start: each has its own processor anyway."""

_SETTINGS = {*METADATA_FILES, OPTIONS_FILE, TASK_FILE}
"""Files of a program that are not code; CodaLab's metadata file is one of Codabench's."""

_WORKER = Path(__file__).with_name("pool_worker.py")

GRACE = 1.0
"""Seconds for a worker to end by itself, so that its time is counted, before it is killed."""


class Engine(Protocol):
    """Runs the programs of rehearsals: `ProcessEngine`, `BubblewrapEngine` or `ContainerEngine`.

    `read_only`: folders that a program cannot write to, by the last part of their names; if empty, as on the platform.
    """

    read_only: Collection[str]

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
        """Run a command as if each folder were mounted under its name in `mounts` (`/app/input`), in the folder `cwd`.

        `scratch` is a writable folder outside all mounts, for the program's home and temporary files.
        """


class ProcessEngine:
    """Runs programs under the limits of `sandbox.run`.

    Nothing is mounted: a folder replaces its name at the start of a word, or after a `=` in it. Use an engine with
    programs of its own in a `with` statement, which ends their processes. One also ends with the thread that began it.

    Parameters
    ----------
    variables: environment variables for the programs, besides the usual ones.
    own: folders of programs whose runs share a process on each thread, and whose code they are: `own_programs`.
    python: what runs as `python` and `python3`.
    """

    def __init__(
        self,
        variables: Mapping[str, str] | None = None,
        own: Mapping[Path, str] = MappingProxyType({}),
        *,
        python: str = sys.executable,
        read_only: Collection[str] = INPUTS,
    ) -> None:
        self.python, self.read_only = python, read_only
        self.variables = dict(variables or {})
        self.own = {folder.resolve(): whose for folder, whose in own.items()}
        self.workers: dict[tuple[int, str, Limits], _Worker] = {}

    def __enter__(self) -> ProcessEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers.values():
            worker.end()

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
        """See `Engine.run`."""
        words = [_with_folder(word, mounts) for word in command]
        if words[0] in ("python", "python3"):
            words[0] = self.python
        for name in ("home", "tmp"):
            (scratch / name).mkdir(exist_ok=True)
        env = {**USUAL, "HOME": str(scratch / "home"), "TMPDIR": str(scratch / "tmp"), **self.variables}
        script = (mounts[cwd] / (words[1:] or [""])[0]).resolve()
        if words[0] != sys.executable or script.parent not in self.own:
            return sandbox.run(words, cwd=mounts[cwd], env=env, seconds=seconds, limits=limits)
        words[1] = str(script)
        key = threading.get_ident(), words[1], limits
        if key not in self.workers:
            self.workers[key] = _Worker(self.own[script.parent], words[1:], limits)
        worker = self.workers[key]
        outcome = worker.run({"words": words[1:], "cwd": str(mounts[cwd]), "env": env}, seconds, limits)
        if worker.has_ended() or not in_order(outcome.exit_code, outcome.stderr):
            self.workers.pop(key).end()
        return outcome


def in_order(exit_code: int, stderr: str) -> bool:
    """Return whether a program wrote scores or a refusal; no limit has any effect on these."""
    if exit_code == 0:
        return not stderr
    return exit_code == 1 and stderr.endswith(f"{FREE_ATTEMPT}\n")


def own_programs(bundle: BuiltBundle) -> dict[Path, str]:
    """Return the folders of an unpacked bundle's programs whose runs can share a process, and whose code they are.

    All code is this project's, byte for byte, except that a task in Python is its organiser's; that one needs Linux.
    """
    source = Sources(installed_root())
    code = set(source.read_library().items())
    for folder in ("scoring_program", "ingestion_program"):
        code |= {(Path(name).name, content) for name, content in source.read_files(folder).items()}
    tasks = [task for phase in bundle.phases for task in phase.tasks]
    programs = {name for task in tasks for name in (task.scoring_program, task.ingestion_program)}
    folders = [folder for name, folder in bundle.unpacked.items() if name in programs]
    files = (file for folder in folders for file in read_all(folder).items() if file[0] not in _SETTINGS)
    others = {name for name, content in files if (name, content) not in code}
    if not others:
        return dict.fromkeys(folders, PROJECT)
    others -= {"score.py", "ingest.py"}
    is_task = len(others) == 1 and re.fullmatch(r"spokeneval/challenges/[a-z]\w*\.py", others.pop())
    return dict.fromkeys(folders, ORGANISER) if is_task and sys.platform == "linux" else {}


def _with_folder(word: str, mounts: Mapping[str, Path]) -> str:
    """Return a word of a command with the folder in place of its mounted name."""
    for name in sorted(mounts, key=len, reverse=True):
        match = name in word and re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{mounts[name]}{match[2] or ''}"
    return word


class _Worker:
    """A running `pool_worker.py` for a script."""

    def __init__(self, whose: str, words: Sequence[str], limits: Limits) -> None:
        self.requests, theirs = socket.socketpair()
        with theirs:
            self.family, self.status = sandbox.start(
                [sys.executable, str(_WORKER), str(theirs.fileno()), whose, *words],
                Path("/"),
                {**USUAL, **(_ONE_THREAD if whose == PROJECT else {})},
                limits,
                output=subprocess.DEVNULL,
                inherited=(theirs.fileno(),),
            )

    def has_ended(self) -> bool:
        return self.family.supervisor.poll() is not None

    def run(self, request: Mapping[str, object], seconds: float, limits: Limits) -> Outcome:
        began = time.monotonic()
        ours, theirs = zip(*(os.pipe() for _ in range(3)), strict=True)
        try:
            with suppress(OSError):  # the worker has ended: the status stays empty
                socket.send_fds(self.requests, [json.dumps(request).encode()], theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        outcome = sandbox.attend(self.family, ours[1:], ours[0], began, seconds, limits)
        for descriptor in ours[1:]:
            os.close(descriptor)
        return outcome

    def end(self) -> None:
        self.requests.close()
        with suppress(subprocess.TimeoutExpired):
            self.family.supervisor.wait(GRACE)
        self.family.kill()
        os.close(self.status)
