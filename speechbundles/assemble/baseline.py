"""Run a starting kit's baseline as a participant would run it."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from speechbundles.model.zips import read_tree, write_tree


@dataclass(frozen=True)
class Baseline:
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


def run_baseline(kit: Mapping[str, bytes], sets: Sequence[str], public: Collection[str]) -> Baseline:
    """Run a kit's `baseline.py` on all sets in parallel; check its output with the kit's programs, and score it on the
    public sets.
    """
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        place = Path(folder)
        write_tree(place / "kit", kit)
        runs = list(pool.map(lambda name: _run_on(place, name, labelled=name in public), sets))
    return Baseline(
        solutions={name: files for run in runs for name, files in run.solutions.items()},
        scores={name: scores for run in runs for name, scores in run.scores.items()},
        failures=[failure for run in runs for failure in run.failures],
    )


def run_program(kit: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one of a kit's programs in its folder."""
    return subprocess.run([sys.executable, *words], cwd=kit, capture_output=True, text=True)


def _run_on(place: Path, name: str, *, labelled: bool) -> Baseline:
    """Run the baseline of `place/kit` on one set."""
    kit = place / "kit"
    run = run_program(kit, "baseline.py", name, str(place / name))
    if run.returncode:
        return Baseline(failures=[f"baseline.py failed on the {name} set: {_reason(run.stderr)}"])
    run = run_program(
        kit, "ingest.py", *map(str, (kit / name / "input", place / name, place / f"{name}-report"))
    )
    if run.returncode:
        return Baseline(
            failures=[f"ingest.py rejects the baseline's {name} submission: {_reason(run.stderr)}"]
        )
    solutions = {name: read_tree(place / name)}
    if not labelled:
        return Baseline(solutions)
    inputs, output = place / f"{name}-input", place / f"{name}-output"
    shutil.copytree(kit / name / "reference", inputs / "ref")
    shutil.copytree(place / name, inputs / "res")
    run = run_program(kit, "score.py", str(inputs), str(output))
    if run.returncode:
        failure = f"score.py failed on the baseline's {name} submission: {_reason(run.stderr)}"
        return Baseline(solutions, failures=[failure])
    return Baseline(solutions, {name: json.loads((output / "scores.json").read_text(encoding="utf-8"))})


def _reason(stderr: str) -> str:
    """Return the line of an error output that gives the reason: the last of a traceback, otherwise the first."""
    lines = (stderr.strip() or "no error message").splitlines()
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
