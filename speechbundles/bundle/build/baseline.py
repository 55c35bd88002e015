"""Run a starting kit's baseline as a participant would run it."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from speechbundles.model.zips import read_tree, write_tree

SECONDS = 1800.0
"""The longest time of a kit's program on one set during a build."""


@dataclass(frozen=True)
class BaselineRuns:
    """The outcome of running a baseline on several sets.

    Attributes
    ----------
    solutions: set -> the submission that the baseline wrote, `name -> content`.
    scores: public set -> the scores of this submission.
    failures: why the baseline failed on a set, one line each.
    """

    solutions: dict[str, dict[str, bytes]] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def run_baseline(kit: Mapping[str, bytes], sets: Sequence[str], public: Collection[str]) -> BaselineRuns:
    """Run a kit's `baseline.py` on all sets in parallel; check its output with the kit's programs, and score it on the
    public sets.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        place = write_tree(Path(folder) / "kit", kit).parent
        runs = list(pool.map(lambda name: _run_on(place, name, labelled=name in public), sets))
    return BaselineRuns(
        solutions={name: files for run in runs for name, files in run.solutions.items()},
        scores={name: scores for run in runs for name, scores in run.scores.items()},
        failures=[failure for run in runs for failure in run.failures],
    )


def run_program(kit: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one of a kit's programs in its folder; one that does not end has failed after `SECONDS`."""
    command = [sys.executable, *words]
    try:
        return subprocess.run(command, cwd=kit, capture_output=True, text=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return subprocess.CompletedProcess(command, 1, "", f"it was still running after {SECONDS:g} s")


def _run_on(place: Path, name: str, *, labelled: bool) -> BaselineRuns:
    """Run the baseline of `place/kit` on one set."""
    kit = place / "kit"
    run = run_program(kit, "baseline.py", name, str(place / name))
    if run.returncode:
        return BaselineRuns(failures=[f"baseline.py failed on the {name} set: {_reason(run.stderr)}"])
    report = place / f"{name}-report"
    run = run_program(kit, "ingest.py", *map(str, (kit / name / "input", place / name, report)))
    if run.returncode:
        why = f"ingest.py rejects the baseline's {name} submission: {_refusal(run.stderr)}"
        return BaselineRuns(failures=[why])
    solutions = {name: read_tree(place / name)}
    if not labelled:
        return BaselineRuns(solutions)
    inputs, output = place / f"{name}-input", place / f"{name}-output"
    shutil.copytree(kit / name / "reference", inputs / "ref")
    shutil.copytree(place / name, inputs / "res")
    run = run_program(kit, "score.py", str(inputs), str(output))
    if run.returncode:
        failure = f"score.py failed on the baseline's {name} submission: {_refusal(run.stderr)}"
        return BaselineRuns(solutions, failures=[failure])
    return BaselineRuns(solutions, {name: json.loads((output / "scores.json").read_text(encoding="utf-8"))})


def _reason(stderr: str) -> str:
    """Return the line of a baseline's error output that gives the reason.

    That is the error of a traceback, without what follows it, or argparse's message, without the usage. Otherwise it is
    the last line, because warnings and progress come before it.
    """
    lines = [line for line in stderr.splitlines() if line.strip()] or ["no error message"]
    if TRACEBACK in lines:
        after = lines[len(lines) - lines[::-1].index(TRACEBACK) :]
        return next((line for line in after if not line.startswith(" ")), lines[-1])
    return lines[-1].partition(": error: ")[2] or lines[-1].strip()


def _refusal(stderr: str) -> str:
    """Return the first line of what a program prints; of a list of problems, its head and the first problem."""
    lines = [line.strip() for line in stderr.splitlines() if line.strip()] or ["no error message"]
    return ": ".join(lines[: 2 if _HEAD.search(lines[0]) else 1])


TRACEBACK = "Traceback (most recent call last):"

_HEAD = re.compile(r"\d+ problems?( in \d+ files)?$")
"""The head of a refusal, above its problems."""
