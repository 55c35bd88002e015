"""Starting kits of synthetic competitions, as unzipped by participants."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from sample_data.audio.board import Line, scored
from speechbundles.bundle.build.kit import make_parts
from speechbundles.bundle.build.steps import set_feedback
from speechbundles.competition.read import read_competitions
from speechbundles.competition.references import load_reference
from speechbundles.model.sources import Sources
from speechbundles.model.zips import write_tree
from spokeneval import score
from spokeneval.challenges import find_task

ROOT = Path(__file__).resolve().parents[2]
TRIVIAL = "trivial.json"
COMPETITION = "competition"
"""The competition folder. It is beside the kits' folders, which have the tasks' names."""


@dataclass(frozen=True)
class Kit:
    """A kit on disk.

    Attributes
    ----------
    folder: the kit's folder.
    references: `set -> folder with its gold standard`.
    metadata_baseline: `set -> folder with the submission of the baseline that uses no sound`.
    trivial: `set -> primary scores of the trivial baselines`, which are `answer -> score`.
    """

    folder: Path
    references: Mapping[str, Path]
    metadata_baseline: Mapping[str, Path]
    trivial: Mapping[str, Mapping[str, float]]


def make_kits(*tasks: str) -> Callable[[Path, int], None]:
    """Return a step that writes tasks' starting kits and runs their metadata baselines.

    The kits are made from the data in a part's competition folder: `reference_data/<task>/<set>/` and
    `starting_kit/<challenge>/data/`.
    """

    def make(folder: Path, seed: int) -> None:
        for task in tasks:
            _make_kit(task, folder / COMPETITION, folder / task)

    return make


def _make_kit(task: str, competition_folder: Path, into: Path) -> None:
    competition = next(each for each in read_competitions(Sources(ROOT)) if each.task == task)
    competition = replace(competition, sources=Sources(ROOT, competition_folder))
    folders = {name: competition_folder / "reference_data" / task / name for name in competition.sets}
    references = {
        name: load_reference(competition.definition, name, folder, competition.options)
        for name, folder in folders.items()
    }
    parts = make_parts(competition, references)
    if parts.failures:
        raise ValueError("\n".join(parts.failures))
    for name, files in parts.solutions.items():
        write_tree(into / "metadata_baseline" / name, files)
    definition = find_task(task).with_options(competition.options)
    trivial = {
        name: set_feedback(definition, reference, None, hidden=False).of_set.trivial
        for name, reference in references.items()
    }
    (into / TRIVIAL).write_text(json.dumps(trivial))
    write_tree(into / "kit", parts.starting_kit)


def open_kit(task: str, folder: Path) -> Kit:
    """Return a kit that `make_kits` has written into a part's folder."""
    into = folder / task
    trivial = json.loads((into / TRIVIAL).read_text())
    references = {name: folder / COMPETITION / "reference_data" / task / name for name in trivial}
    solutions = {path.name: path for path in (into / "metadata_baseline").iterdir()}
    return Kit(into / "kit", references, solutions, trivial)


def run_script(kit: Kit, script: str, *arguments: str | Path) -> str:
    """Run a script of a kit as a participant would, on one thread; return its output.

    Raises
    ------
    ValueError: the script fails; the message has the last line of its standard error.
    """
    command = [sys.executable, script, *map(str, arguments)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    run = subprocess.run(command, cwd=kit.folder, env=environment, capture_output=True, text=True)
    if run.returncode:
        raise ValueError(f"{script}: {(run.stderr.strip() or 'no error message').splitlines()[-1]}")
    return run.stdout


def lines_on_test(folder: Path, task: str, heard: Mapping[str, str], baseline: str = "") -> list[Line]:
    """Return the lines of the synthetic test set: systems that listen, the metadata baseline, trivial baselines.

    Parameters
    ----------
    heard: `system -> folder of its submission`, below `folder`.
    baseline: the name of the metadata baseline; empty to leave it out.
    """
    kit, data = open_kit(task, folder), "synthetic test set"
    places = {name: folder / output for name, output in heard.items()}
    if baseline:
        places[baseline] = kit.metadata_baseline["evaluation"]
    reference, primary = kit.references["evaluation"], find_task(task).primary.key
    return [
        *(
            scored(name, data, score(task, reference=reference, submission=each))
            for name, each in places.items()
        ),
        *(Line(answer, data, {primary: value}) for answer, value in kit.trivial["evaluation"].items()),
    ]
