"""Build every bundle, run sample submissions through each built zip, and print the leaderboards: about one minute.

    python -m sample_data.demo

Each bundle gets a perfect submission, its baseline and a random submission, which must rank in this order; Spoken CALL
also gets one that breaks its 50 % rule. A task without a generator in this folder, such as a new one, gets its baseline
alone. The tables contain exact scores and, in the last column, the score that the platform would show.
"""

from __future__ import annotations

import sys
import tempfile
import time
import zipfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sample_data import caller_experience, content_accuracy, merlion, psst, spoken_call
from speechbundles.bundle.build.built import write as write_bundles
from speechbundles.bundle.build.plan import plan as plan_bundles
from speechbundles.bundle.rehearse.rehearsal import Rehearsal, rehearse
from speechbundles.cli.progress import steps
from speechbundles.competition.read import read_competitions
from speechbundles.model.competition import Competition
from speechbundles.model.console import fitted_table, wrap
from speechbundles.model.errors import OrganiserError
from speechbundles.model.finding import format_findings
from speechbundles.model.sources import Sources
from speechbundles.model.zips import HOME, make_zip
from spokeneval import score
from spokeneval.result import Result
from spokeneval.task import Column

ROOT = Path(__file__).resolve().parent.parent
OUT = Path("dist")

WELCOME = """\
This demo takes about one minute:

  1. It builds {count} competitions from synthetic data as bundles for Codabench.
  2. It runs sample submissions through each bundle, as the platform would, and
     prints the leaderboards.

Nothing is sent anywhere. The bundles are written to {out}/.
"""

HOW_TO_READ = """\
Each table has the exact scores, which organisers see, with 95 % confidence
intervals. The last column is the score that participants see on the platform:
it is rounded to steps of about one standard error, to protect the hidden
labels, or to steps of 25 %, and has no interval. A submission that does not beat
the baseline and the trivial baselines is shown with the best of their scores:
"0.8 (≤ baseline)" means that the platform shows 0.8. See "What a leaderboard
reveals" in the documentation."""


def submissions(task: str) -> dict[str, dict[str, bytes]]:
    """A task's submissions to the evaluation set, best first, without the baseline; none without a generator."""
    made: dict[str, dict[str, bytes]] = {}
    for module in (psst, merlion, spoken_call, caller_experience, content_accuracy):
        if f"sample_data.{task}" == module.__name__:
            made = module.submissions("evaluation")
        elif module in (psst, merlion) and f"sample_data.{task}".startswith(module.__name__):
            made = module.submissions(task, "evaluation")
    return made


def main() -> int:
    bundles = read_competitions(Sources(ROOT))
    print(WELCOME.format(count=len(bundles), out=OUT), flush=True)
    if not build([bundle.name for bundle in bundles]):
        return 1
    print(f"\n{HOW_TO_READ}", flush=True)
    status = 0
    began = time.monotonic()
    for done, bundle in enumerate(bundles):
        left = (time.monotonic() - began) / done * (len(bundles) - done) if done else None
        to_go = f", about {left:.0f} s to go" if left else ""
        print(f"\nBoard {done + 1} of {len(bundles)}{to_go}", file=sys.stderr, flush=True)
        path = OUT / "codabench" / f"{bundle.name}.zip"
        with zipfile.ZipFile(path) as built:
            baseline = built.read("solutions/baseline_evaluation.zip")
        made = [(name, make_zip(files)) for name, files in submissions(bundle.task).items()]
        zips = dict([*made[:1], ("baseline", baseline), *made[1:]])
        print(f"\n{wrap(bundle['title'])}\n", flush=True)
        if not print_board(bundle, list(zips), *try_all(path, bundle.task, zips)):
            print(wrap(f"\n  {path}: expected the ranking {', '.join(list(zips)[:3])}"), file=sys.stderr)
            status = 1
    return status


def build(names: Sequence[str]) -> bool:
    """Build bundles for Codabench and print a line for each; whether Codabench would accept all of them.

    Warnings are not printed: they concern the settings of the sample competitions.
    """
    try:
        with steps() as progress:
            planned = plan_bundles(Sources(ROOT), names, {}, kept=OUT / HOME, progress=progress)
            built = list(write_bundles(planned, OUT, progress=progress))
    except OrganiserError as error:
        print(f"{wrap(str(error))}\n\nNothing was built.", file=sys.stderr)
        return False
    rows = [["bundle", "size"], *([str(bundle.path), f"{bundle.size / 1000:.0f} kB"] for bundle in built)]
    print("\n".join(fitted_table(rows, left={0})), flush=True)
    broken = [bundle for bundle in built if any(finding.level == "error" for finding in bundle.findings)]
    for bundle in broken:
        print(f"\n{bundle.path}\n{wrap(format_findings(bundle.findings))}", file=sys.stderr)
    return not broken


def try_all(
    bundle: Path, task: str, zips: Mapping[str, bytes]
) -> tuple[dict[str, Rehearsal], dict[str, Result]]:
    """Run each submission through the built bundle, two at a time; return the rehearsals and the exact scores."""
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
    """Print a bundle's leaderboard; whether all submissions finished and rank as expected."""
    failed = {name: rehearsal for name, rehearsal in rehearsals.items() if rehearsal.status != "Finished"}
    for name, rehearsal in failed.items():
        print(wrap(f"{name}: {rehearsal}", "  "), file=sys.stderr)
    if failed:
        return False
    primary = bundle.columns[0]
    sign = -1 if primary.direction == "higher" else 1
    ranked = sorted(exact, key=lambda name: sign * exact[name].scores[primary.key])
    rows = [["rank", "submission", f"{primary.title} [95 % interval]", "on the platform"]]
    for rank, name in enumerate(ranked, 1):
        cell = rehearsals[name].row[0]
        score = _with_interval(exact[name], primary)
        rows.append([str(rank), name, score, cell.with_bound(cell.shown)])
    print("\n".join(fitted_table(rows, left={0, 1})))
    return ranked[:3] == expected[:3]


def _with_interval(result: Result, column: Column) -> str:
    score = f"{result.scores[column.key]:.{column.precision}f}"
    interval = result.intervals.get(column.key)
    return (
        score
        if interval is None
        else f"{score} [{', '.join(f'{end:.{column.precision}f}' for end in interval)}]"
    )


if __name__ == "__main__":
    sys.exit(main())
