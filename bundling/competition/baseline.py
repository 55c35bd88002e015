"""A starting kit's baseline, run as a participant would run it."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from bundling.zips import read_tree, write_tree


@dataclass(frozen=True)
class Baseline:
    """What a baseline submits for each set, its scores on the public ones, and why it did not run, a line each."""

    solutions: dict[str, dict[str, bytes]] = field(default_factory=dict)
    scores: dict[str, dict[str, float]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)


def run_baseline(kit: Mapping[str, bytes], sets: Sequence[str], public: Collection[str]) -> Baseline:
    """Run a kit's `baseline.py` on each set, side by side; check what it writes as the kit does, and score it on the
    public sets."""
    baseline = Baseline()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor() as pool:
        place = Path(folder)
        kit_folder = write_tree(place / "kit", kit)
        runs = pool.map(lambda name: run_program(kit_folder, "baseline.py", name, str(place / name)), sets)
        for name, run in zip(sets, runs, strict=True):
            if run.returncode:
                baseline.failures.append(f"no baseline solution for the {name} set: {_reason(run.stderr)}")
                continue
            refusal = _refusal(place, name)
            if refusal:
                baseline.failures.append(
                    f"no baseline solution for the {name} set: the bundle refuses it: {refusal}"
                )
                continue
            baseline.solutions[name] = read_tree(place / name)
            if name in public:
                _score(place, name, baseline)
    return baseline


def run_program(kit: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run one of a kit's programs in its folder."""
    return subprocess.run([sys.executable, *words], cwd=kit, capture_output=True, text=True)


def _refusal(place: Path, name: str) -> str:
    """Why the kit's own checks refuse what the baseline wrote; empty where they accept it."""
    folders = (place / "kit" / name / "input", place / name, place / f"{name}-report")
    run = run_program(place / "kit", "ingest.py", *map(str, folders))
    return _reason(run.stderr) if run.returncode else ""


def _score(place: Path, name: str, baseline: Baseline) -> None:
    inputs, output = place / f"{name}-input", place / f"{name}-output"
    shutil.copytree(place / "kit" / name / "reference", inputs / "ref")
    shutil.copytree(place / name, inputs / "res")
    run = run_program(place / "kit", "score.py", str(inputs), str(output))
    if run.returncode:
        baseline.failures.append(f"no baseline score for the {name} set: {_reason(run.stderr)}")
    else:
        baseline.scores[name] = json.loads((output / "scores.json").read_text(encoding="utf-8"))


def _reason(words: str) -> str:
    """The line of a program's words that says why: a refusal's first, a traceback's last."""
    lines = (words.strip() or "no word why").splitlines()
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]
