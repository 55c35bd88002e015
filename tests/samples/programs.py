"""What many tests need: the programs run as a platform runs them, and bundles built once."""

from __future__ import annotations

import contextlib
import io
import json
import os
import runpy
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]

VENDORED = [
    *sorted(
        path
        for folder in ("spokeneval", "scoring_program", "ingestion_program")
        for path in (ROOT / folder).rglob("*.py")
    ),
    ROOT / "starting_kit" / "try_submission.py",
    ROOT / "starting_kit" / "content_accuracy" / "content.py",
]
"""What runs on servers and at participants' homes, with Python 3.9 and numpy 1.19 as well as with the newest."""


@dataclass(frozen=True)
class Run:
    """What a program did: exit status, its words, and the scores that it wrote (None: no `scores.json`)."""

    status: int
    stdout: str
    stderr: str
    scores: dict[str, float] | None


def write_files(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write `relative name -> content` below a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


def repository_with(folder: Path, files: Mapping[str, str | bytes], source: Path = ROOT) -> Path:
    """The repository, by links to its files, but for some: `relative name -> content`."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir():
        inside = {
            name.partition("/")[2]: content
            for name, content in files.items()
            if name.partition("/")[0] == path.name
        }
        if "" in inside:
            write_files(folder, {path.name: inside[""]})
        elif inside:
            repository_with(folder / path.name, inside, path)
        elif not path.name.startswith("."):
            (folder / path.name).symlink_to(path)
    return folder


def run_program(program: Path, *arguments: Path) -> subprocess.CompletedProcess[str]:
    """Run a program with the repository's package."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(program), *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True)


def run_score(
    task: str,
    folder: Path,
    reference: Mapping[str, str | bytes],
    submission: Mapping[str, str | bytes],
    options: Mapping[str, object] | None = None,
) -> Run:
    """Score a submission's files against a reference's, in a folder of its own."""
    program = ROOT / "scoring_program" / task / "score.py"
    if options is not None:
        copy = folder / "program"
        write_files(copy, {"score.py": program.read_bytes(), "options.json": json.dumps(options)})
        program = copy / "score.py"
    write_files(folder / "input" / "ref", reference)
    write_files(folder / "input" / "res", submission)
    done = run_program(program, folder / "input", folder / "output")
    scores = folder / "output" / "scores.json"
    written = json.loads(scores.read_text()) if scores.exists() else None
    return Run(done.returncode, done.stdout, done.stderr, written)


def run_here(program: Path, *arguments: Path) -> tuple[int, str, str]:
    """Run a program's file in this process, where numpy is loaded already: its exit status and its words."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True) for _ in range(2)]
    status = 0
    with (
        mock.patch.object(sys, "argv", [str(program), *map(str, arguments)]),
        contextlib.redirect_stdout(streams[0]),
        contextlib.redirect_stderr(streams[1]),
    ):
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as ended:
            status = int(ended.code or 0)
    stdout, stderr = (stream.buffer.getvalue().decode() for stream in streams)
    return status, stdout, stderr
