"""What the bundles of a task are made of, the same for every platform and track."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from spokeneval.results.options import items_fingerprint

from .manifest import Bundle, Column
from .references import ReferenceSet

DECIDING_SET = "evaluation"
_KEPT = {".py", ".tsv", ".csv", ".txt", ".json", ".xml", ".md", ".html", ".css"}


@dataclass(frozen=True)
class Parts:
    """The contents of the inner zips, `name -> content`, without a platform's own metadata.

    Attributes
    ----------
    references: set -> its reference.
    solutions: set -> the baseline's submission, where the baseline runs on the set.
    failures: why a baseline did not run, one line each.
    """

    scoring_program: Mapping[str, bytes]
    ingestion_program: Mapping[str, bytes]
    starting_kit: Mapping[str, bytes]
    references: Mapping[str, ReferenceSet]
    solutions: Mapping[str, Mapping[str, bytes]]
    failures: tuple[str, ...]


def reference_zip(name: str) -> str:
    """The name of a set's reference data in a bundle."""
    return "reference_data.zip" if name == DECIDING_SET else f"reference_data_{name}.zip"


def input_zip(name: str) -> str:
    """The name of a set's input data in a bundle."""
    return "input_data.zip" if name == DECIDING_SET else f"input_data_{name}.zip"


def make_parts(root: Path, bundle: Bundle, references: Mapping[str, ReferenceSet]) -> Parts:
    """Programs, starting kit and baseline solutions for a bundle's task."""
    public = [name for name in bundle["public_sets"] if name in references]
    options: dict[str, Any] = {
        "options": bundle.options,
        "public_references": [references[name].fingerprint for name in public],
        "rounded_sets": [items_fingerprint(references[name].items) for name in bundle["rounded_sets"]],
    }
    vendored = {f"spokeneval/{name}": content for name, content in read_tree(root / "spokeneval").items()}
    scoring = read_tree(root / "scoring_program" / bundle.task)
    scoring = {**scoring, **vendored, "options.json": _json(options)}
    ingestion = {**read_tree(root / "ingestion_program" / bundle.task), **vendored}
    kit = {
        **_challenge_kit(root, bundle),
        **read_tree(root / "starting_kit" / bundle.task),
        "try_submission.py": (root / "starting_kit" / "try_submission.py").read_bytes(),
        **scoring,
        **ingestion,
    }
    for name, reference in references.items():
        kit.update({f"{name}/input/{file}": content for file, content in reference.public.items()})
        if name in public:
            kit.update({f"{name}/reference/{file}": content for file, content in reference.files.items()})
    solutions, failures, baselines = _run_baseline(kit, list(references), public)
    options["detailed_results"] = bundle.detailed_results
    if bundle.detailed_results:
        options["baselines"] = {references[name].fingerprint: scores for name, scores in baselines.items()}
        options["columns"] = [_shown_column(column) for column in bundle.columns]
    for program in (scoring, kit):
        program["options.json"] = _json(options)
    return Parts(scoring, ingestion, kit, references, solutions, tuple(failures))


def _json(content: Mapping[str, Any]) -> bytes:
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()


def _shown_column(column: Column) -> dict[str, Any]:
    """What a report page says of a leaderboard's column."""
    shown = ("key", "title", "direction", "precision", "description")
    return {name: getattr(column, name) for name in shown}


def _challenge_kit(root: Path, bundle: Bundle) -> dict[str, bytes]:
    """What the kits of a challenge's tasks share, `starting_kit/<challenge>/`, if there is such a folder: its files,
    and every task's programs, in a folder of the task's name."""
    folder = root / "starting_kit" / bundle.challenge
    if bundle.challenge == bundle.task or not folder.is_dir():
        return {}
    files = read_tree(folder)
    for task in bundle.challenge_tasks:
        for programs in ("scoring_program", "ingestion_program"):
            tree = read_tree(root / programs / task)
            files.update({f"{task}/{name}": content for name, content in tree.items()})
    return files


def read_tree(folder: Path) -> dict[str, bytes]:
    """The files below a folder that belong into a zip, `relative name -> content`."""
    files = {}
    for path in sorted(folder.rglob("*")):
        inner = path.relative_to(folder)
        if (
            path.suffix in _KEPT
            and path.is_file()
            and not any(part.startswith((".", "__pyc")) for part in inner.parts)
        ):
            files[inner.as_posix()] = path.read_bytes()
    return files


def _run_baseline(
    kit: Mapping[str, bytes], sets: list[str], public: list[str]
) -> tuple[dict[str, dict[str, bytes]], list[str], dict[str, dict[str, float]]]:
    """What the kit's baseline submits for each set, run as a participant would run it; why it did not; and its
    scores on the public sets."""
    solutions: dict[str, dict[str, bytes]] = {}
    scores: dict[str, dict[str, float]] = {}
    failures: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name, content in kit.items():
            path = Path(folder, "kit", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        runs = {name: _start_baseline(Path(folder), name) for name in sets}
        for name, run in runs.items():
            _, errors = run.communicate()
            if run.returncode == 0:
                solutions[name] = read_tree(Path(folder, name))
                if name in public:
                    scores.update(_score_baseline(Path(folder), name, failures))
            else:
                failures.append(f"no baseline solution for the {name} set: {_why(errors)}")
    return solutions, failures, scores


def _score_baseline(folder: Path, name: str, failures: list[str]) -> dict[str, dict[str, float]]:
    """`set -> its scores` of the baseline on a public set, by the kit's own scoring program."""
    inputs, output = folder / f"{name}-input", folder / f"{name}-output"
    shutil.copytree(folder / "kit" / name / "reference", inputs / "ref")
    shutil.copytree(folder / name, inputs / "res")
    command = [sys.executable, "score.py", str(inputs), str(output)]
    run = subprocess.run(command, cwd=folder / "kit", capture_output=True, text=True)
    if run.returncode:
        failures.append(f"no baseline score for the {name} set: {_why(run.stderr)}")
        return {}
    return {name: json.loads((output / "scores.json").read_text(encoding="utf-8"))}


def _why(words: str) -> str:
    """The line of a program's words that says why: a refusal's first, a traceback's last."""
    lines = (words.strip() or "no word why").splitlines()
    return lines[-1] if lines[0].startswith("Traceback") else lines[0]


def _start_baseline(folder: Path, name: str) -> subprocess.Popen[str]:
    command = [sys.executable, "baseline.py", name, str(folder / name)]
    return subprocess.Popen(
        command, cwd=folder / "kit", stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
