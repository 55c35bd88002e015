"""The series in a minute: build every bundle, rehearse each through its built zip, print the boards.

    python -m sample_data.demo

Spoken CALL meets four submissions: perfect, the grammar baseline, a random one, and one that breaks the 50 % rule.
Every other bundle meets a perfect one, its baseline and a random one, which must rank in that order.
"""

from __future__ import annotations

import sys
import tempfile
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build_bundle
from bundling.competition.competition import Competition
from bundling.competition.read import read_competitions
from bundling.rehearse.rehearse import Rehearsal, rehearse
from bundling.zips import make_zip
from sample_data import caller_experience, content_accuracy, merlion, psst, spoken_call

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 6


def submissions(task: str) -> dict[str, dict[str, bytes]]:
    """A task's submissions for the evaluation set, the best first, without the baseline."""
    if task.startswith("psst"):
        return psst.submissions(task, "evaluation")
    if task.startswith("merlion"):
        return merlion.submissions(task, "evaluation")
    modules = {
        "spoken_call": spoken_call,
        "caller_experience": caller_experience,
        "content_accuracy": content_accuracy,
    }
    made: dict[str, dict[str, bytes]] = modules[task].submissions("evaluation")
    return made


def main() -> int:
    print("Building every bundle for Codabench and CodaLab\n", flush=True)
    if build_bundle.main(["build"]):
        return 1
    status = 0
    for bundle in read_competitions(ROOT / "competition.yaml"):
        path = Path("dist/codabench", f"{bundle.name}.zip")
        with zipfile.ZipFile(path) as built:
            baseline = built.read("solutions/baseline_evaluation.zip")
        best, *others = submissions(bundle.task).items()
        zips = {best[0]: make_zip(best[1]), "baseline": baseline}
        zips.update({name: make_zip(files) for name, files in others})
        print(f"\n{bundle['title']}\n", flush=True)
        if not print_board(bundle, list(zips), rehearse_all(path, zips)):
            print(f"\n  {path}: this is not the order of a sound board", file=sys.stderr)
            status = 1
    return status


def rehearse_all(bundle: Path, zips: Mapping[str, bytes]) -> dict[str, Rehearsal]:
    """Each submission through the built bundle, two at a time."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        paths = {}
        for number, (name, content) in enumerate(zips.items()):
            paths[name] = Path(folder, f"{number}.zip")
            paths[name].write_bytes(content)
        return dict(zip(paths, pool.map(lambda path: rehearse(bundle, path), paths.values()), strict=True))


def print_board(bundle: Competition, expected: list[str], rehearsals: Mapping[str, Rehearsal]) -> bool:
    """Print a bundle's board; whether all submissions finished and rank as expected."""
    failed = {name: rehearsal for name, rehearsal in rehearsals.items() if rehearsal.status != "Finished"}
    for name, rehearsal in failed.items():
        print(f"  {name}: {rehearsal}", file=sys.stderr)
    if failed:
        return False
    sign = -1 if bundle.columns[0].direction == "higher" else 1
    primary = bundle.columns[0].key
    ranked = sorted(rehearsals, key=lambda name: sign * rehearsals[name].scores[primary])
    cells = [cell for cell in rehearsals[ranked[0]].row if not cell.hidden][:SHOWN]
    width = max(len(name) for name in ranked)
    print(f"  rank  {'submission':<{width}}" + "".join(f"  {cell.title:>9}" for cell in cells))
    for rank, name in enumerate(ranked, 1):
        row = [cell for cell in rehearsals[name].row if not cell.hidden][:SHOWN]
        print(
            f"  {rank:<4}  {name:<{width}}" + "".join(f"  {c.fixed():>{max(9, len(c.title))}}" for c in row)
        )
    return ranked[:3] == expected[:3]


if __name__ == "__main__":
    sys.exit(main())
