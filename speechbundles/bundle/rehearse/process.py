"""Runs programs on this computer with the user's rights: for code of this project, and code that the user trusts.

A short run spends most of its time on starting Python, importing numpy and reading the same reference. Therefore this
project's own programs (`own_programs`) run many times in one process (`pool_worker`), under the same limits: they only
read a submission's data. If such a run ends with anything else than scores or a refusal, the program runs again at once
in a process of its own, where it replaces what it wrote. Programs of a task in an organiser's Python run in children of
such a process.

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
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from speechbundles.bundle.rehearse import sandbox
from speechbundles.bundle.rehearse.engine import USUAL, Program
from speechbundles.bundle.rehearse.pool_worker import ORGANISER, PROJECT
from speechbundles.bundle.rehearse.run import METADATA_FILES
from speechbundles.bundle.rehearse.sandbox import Limits, Outcome
from speechbundles.model.bundle import BuiltBundle
from speechbundles.model.errors import BundleError
from speechbundles.model.platform import platforms
from speechbundles.model.sources import Sources, installed_root
from speechbundles.model.zips import TASK_FILE
from spokeneval.formats.problems import FREE_ATTEMPT
from spokeneval.scoring.options import OPTIONS_FILE

_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Environment of a worker at its start: each has its own processor anyway."""

_SETTINGS = {*METADATA_FILES, OPTIONS_FILE, TASK_FILE}
"""Files of a program that are not code."""

_WORKER = Path(__file__).with_name("pool_worker.py")

GRACE = 1.0
"""Seconds for a worker to end by itself, so that its time is counted, before it is killed."""


class ProcessEngine:
    """Runs programs in the sandbox (see `engine.Engine`).

    Nothing is mounted: a folder replaces its name at the start of a word, or after a `=` in it; the files of inputs are
    made read-only. Use an engine with programs of its own in a `with` statement, which ends their processes. One also
    ends with the thread that began it.

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
        strict: bool = True,
    ) -> None:
        self.python, self.strict = python, strict
        self.variables = dict(variables or {})
        self.own = {folder.resolve(): whose for folder, whose in own.items()}
        self.workers: dict[tuple[object, ...], _Worker] = {}

    def __enter__(self) -> ProcessEngine:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self.workers.values():
            worker.end()

    def run(self, program: Program, scratch: Path, limits: Limits) -> Outcome:
        """See `Engine.run`."""
        folders = program.folders
        words = [_with_folder(word, folders) for word in program.words]
        if words[:1] in (["python"], ["python3"]):
            words[0] = self.python
        for folder in program.inputs.values():
            make_read_only(folder)
        for name in ("home", "tmp"):
            (scratch / name).mkdir(exist_ok=True)
        env = {**USUAL, "HOME": str(scratch / "home"), "TMPDIR": str(scratch / "tmp"), **self.variables}
        cwd = folders[program.cwd]
        script = (cwd / (words[1:] or [""])[0]).resolve()
        if words[:1] != [sys.executable] or script.parent not in self.own:
            return sandbox.run(words, cwd=cwd, env=env, limits=limits)
        whose = self.own[script.parent]
        data = Path((words[2:] or [""])[0]) if whose == PROJECT else Path()
        shared = data / "ref" if (data / "ref").is_dir() else data
        key = threading.get_ident(), script, shared.resolve(), replace(limits, seconds=1)
        if key not in self.workers:
            self.workers[key] = _Worker(whose, [str(script), *words[2:]], limits)
        worker = self.workers[key]
        outcome = worker.run({"words": [str(script), *words[2:]], "cwd": str(cwd), "env": env}, limits)
        counts = whose == ORGANISER or _in_order(outcome)
        if worker.family.supervisor.poll() is not None or not counts:
            self.workers.pop(key).end()
        return outcome if counts else sandbox.run(words, cwd=cwd, env=env, limits=limits)


def _in_order(outcome: Outcome) -> bool:
    """Return whether a program wrote scores or a refusal; no limit has any effect on these."""
    if outcome.exit_code == 0:
        return not outcome.stderr
    return outcome.exit_code == 1 and outcome.stderr.endswith(f"{FREE_ATTEMPT}\n")


def own_programs(bundle: BuiltBundle) -> dict[str, str]:
    """Return the zips of a bundle's programs whose runs can share a process, and whose code they are.

    All code is this project's, byte for byte, except that a task in Python is its organiser's; that one needs Linux.
    """
    source = Sources(installed_root())
    code = {*source.read_library().items(), *platforms()[bundle.platform].program.items()}
    for folder in ("scoring_program", "ingestion_program"):
        code |= {(Path(name).name, content) for name, content in source.read_files(folder).items()}
    tasks = [task for phase in bundle.phases for task in phase.tasks]
    pairs = ((task.scoring_program, task.ingestion_program) for task in tasks)
    programs = dict.fromkeys(name for pair in pairs for name in pair if name)
    others: set[str] = set()
    for name in programs:
        try:
            entries = bundle.entries(name)
            others |= {entry for entry, content in entries if (entry, content) not in code} - _SETTINGS
        except BundleError:
            return {}  # a run reports it
    others = {entry for entry in others if not entry.endswith("/")}
    if not others:
        return dict.fromkeys(programs, PROJECT)
    others -= {"score.py", "ingest.py"}
    is_task = len(others) == 1 and re.fullmatch(r"spokeneval/challenges/[a-z]\w*\.py", others.pop())
    return dict.fromkeys(programs, ORGANISER) if is_task and sys.platform == "linux" else {}


def make_read_only(folder: Path) -> None:
    """Make the files of a folder read-only; links lead to files that several runs share, and stay as they are."""
    for path in () if folder.is_symlink() else (folder, *folder.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & ~0o222)


def _with_folder(word: str, folders: Mapping[str, Path]) -> str:
    """Return a word of a command with the folder in place of its mounted name."""
    for name in reversed([*folders]):  # the inner ones first
        match = name in word and re.fullmatch(rf"(|[^=/]*=){re.escape(name)}(/.*)?", word, re.DOTALL)
        if match:
            return f"{match[1]}{folders[name]}{match[2] or ''}"
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

    def run(self, request: Mapping[str, object], limits: Limits) -> Outcome:
        began = time.monotonic()
        ours, theirs = zip(*(os.pipe() for _ in range(3)), strict=True)
        try:
            with suppress(OSError):  # the worker has ended: the status stays empty
                socket.send_fds(self.requests, [json.dumps(request).encode()], theirs)
        finally:
            for descriptor in theirs:
                os.close(descriptor)
        outcome = self.family.attend(ours[1:], ours[0], began, limits)
        for descriptor in ours[1:]:
            os.close(descriptor)
        return outcome

    def end(self) -> None:
        self.requests.close()
        with suppress(subprocess.TimeoutExpired):
            self.family.supervisor.wait(GRACE)
        self.family.kill()
        os.close(self.status)
