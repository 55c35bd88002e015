"""The series in two minutes: build every bundle, rehearse each through its built zip, print the boards.

A board holds exact scores, as organisers rank at home, and last what the platform's own board would show of them.

    python -m sample_data.demo

Spoken CALL meets four submissions: perfect, the grammar baseline, a random one, and one that breaks the 50 % rule.
Every other bundle meets a perfect one, its baseline and a random one, which must rank in that order. A task that has
no generator here, as a new one, meets its baseline alone.
"""

from __future__ import annotations

import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import build_bundle
from sample_data import caller_experience, content_accuracy, merlion, psst, spoken_call
from speechbundles.competition.read import read_competitions
from speechbundles.model.competition import Competition
from speechbundles.model.sources import Sources
from speechbundles.model.zips import make_zip
from speechbundles.rehearse.rehearsal import Rehearsal, rehearse
from spokeneval import score
from spokeneval.run.library import Result
from spokeneval.task import ENDS

ROOT = Path(__file__).resolve().parent.parent
SHOWN = 6
SHOWN_THERE = "the platform shows"


def submissions(task: str) -> dict[str, dict[str, bytes]]:
    """A task's submissions for the evaluation set, the best first, without the baseline; none without a generator."""
    for shared in (psst, merlion):
        if f"sample_data.{task}".startswith(shared.__name__):
            return shared.submissions(task, "evaluation")
    for own in (spoken_call, caller_experience, content_accuracy):
        if f"sample_data.{task}" == own.__name__:
            return own.submissions("evaluation")
    return {}


def main() -> int:
    bundles = read_competitions(Sources(ROOT))
    print(
        f"Building {len(bundles)} bundles for Codabench and CodaLab, then rehearsing each: one to two minutes in all\n",
        flush=True,
    )
    if build_bundle.main(["build"]):
        return 1
    print(
        "\nExact scores, as organisers rank at home. The platform shows those of hidden sets in steps of about one\n"
        "standard error, and nothing worse than the baseline or answers that know nothing: docs/trust.md says why."
    )
    status = 0
    began = time.monotonic()
    for done, bundle in enumerate(bundles):
        left = (time.monotonic() - began) / done * (len(bundles) - done) if done else None
        to_go = f", about {left:.0f} s to go" if left else ""
        print(f"\nBoard {done + 1} of {len(bundles)}{to_go}", file=sys.stderr, flush=True)
        path = Path("dist/codabench", f"{bundle.name}.zip")
        with zipfile.ZipFile(path) as built:
            baseline = built.read("solutions/baseline_evaluation.zip")
        made = [(name, make_zip(files)) for name, files in submissions(bundle.task).items()]
        zips = dict([*made[:1], ("baseline", baseline), *made[1:]])
        print(f"\n{bundle['title']}\n", flush=True)
        if not print_board(bundle, list(zips), *try_all(path, bundle.task, zips)):
            print(f"\n  {path}: this is not the order of a sound board", file=sys.stderr)
            status = 1
    return status


def try_all(
    bundle: Path, task: str, zips: Mapping[str, bytes]
) -> tuple[dict[str, Rehearsal], dict[str, Result]]:
    """Each submission through the built bundle, two at a time, and its exact scores."""
    reference = ROOT / "reference_data" / task / "evaluation"
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        paths = {}
        for number, (name, content) in enumerate(zips.items()):
            paths[name] = Path(folder, f"{number}.zip")
            paths[name].write_bytes(content)
        rehearsals = pool.map(lambda path: rehearse(bundle, path), paths.values())
        exact = {name: score(task, reference=reference, submission=path) for name, path in paths.items()}
        return dict(zip(paths, rehearsals, strict=True)), exact


def print_board(
    bundle: Competition,
    expected: list[str],
    rehearsals: Mapping[str, Rehearsal],
    exact: Mapping[str, Result],
) -> bool:
    """Print a bundle's board; whether all submissions finished and rank as expected."""
    failed = {name: rehearsal for name, rehearsal in rehearsals.items() if rehearsal.status != "Finished"}
    for name, rehearsal in failed.items():
        print(f"  {name}: {rehearsal}", file=sys.stderr)
    if failed:
        return False
    lines = {name: {**result.scores, **_ends(result)} for name, result in exact.items()}
    sign = -1 if bundle.columns[0].direction == "higher" else 1
    ranked = sorted(lines, key=lambda name: sign * lines[name][bundle.columns[0].key])
    columns = [column for column in bundle.columns if not column.hidden][:SHOWN]
    width = max(len(name) for name in ranked)
    titles = "".join(f"  {column.title:>9}" for column in columns)
    print(f"  rank  {'submission':<{width}}{titles}   {SHOWN_THERE}")
    for rank, name in enumerate(ranked, 1):
        cells = "".join(
            f"  {lines[name][column.key]:>{max(9, len(column.title))}.{column.precision}f}"
            for column in columns
        )
        shown = rehearsals[name].row[0].shown
        print(f"  {rank:<4}  {name:<{width}}{cells}   {shown:>{len(SHOWN_THERE)}}")
    return ranked[:3] == expected[:3]


def _ends(result: Result) -> dict[str, float]:
    """The ends of a result's intervals, by the keys of their columns."""
    return {
        key + end: value
        for key, interval in result.intervals.items()
        for end, value in zip(ENDS, interval, strict=True)
    }


if __name__ == "__main__":
    sys.exit(main())
