"""What many tests need: the programs run as a platform runs them, and bundles built once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


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
