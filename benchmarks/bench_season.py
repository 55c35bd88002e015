"""How long a season takes: every team uploads every day, at the real size of the set.

Run as `python -m benchmarks.bench_season [spoken_call|merlion] [TEAMS DAYS A_DAY]` (default: spoken_call 10 10 3).
Spoken CALL has 1,000 responses; MERLion's first task 49,000 segments, synthetic as the evaluation set is. Teams get
better from day to day, and each has one upload with a row missing, which fails. Timed are a first run and a second,
that finds every result kept; both through the command line, on as many processors as there are.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np

import build_bundle
from bundling.zips import make_zip
from sample_data import merlion, spoken_call

ROOT = Path(__file__).resolve().parents[1]

Draw = Callable[[float, int], dict[str, bytes]]


def spoken_call_season(folder: Path) -> tuple[Path, datetime, Draw]:
    """The built bundle, the first day of its evaluation phase, and what a system of some skill submits."""
    bundle = _build("spoken_call", folder)
    rows = spoken_call.make_sheet("evaluation")
    correct = [row["language"] == "correct" for row in rows]

    def draw(skill: float, seed: int) -> dict[str, bytes]:
        chance = random.Random(seed)
        accept = [right if chance.random() < skill else not right for right in correct]
        return {"results.csv": spoken_call.decisions_text(rows, accept)}

    return bundle, datetime(2027, 3, 1), draw


def merlion_season(folder: Path) -> tuple[Path, datetime, Draw]:
    tables = merlion.generate("full", "evaluation", 1)
    reference = folder / "reference"
    reference.mkdir()
    merlion.write_identification_set(tables, reference)
    bundle = _build(
        "merlion_identification_closed", folder, f"--reference=merlion_identification/evaluation={reference}"
    )

    def draw(skill: float, seed: int) -> dict[str, bytes]:
        right = merlion.identification_scores(tables.labels, "perfect", seed)
        noise = np.random.default_rng(seed).normal(0, 1, right.shape)
        with tempfile.TemporaryDirectory() as written:
            merlion.write_identification(tables.labels, skill * right + noise, Path(written))
            return {path.name: path.read_bytes() for path in Path(written).iterdir()}

    return bundle, datetime(2023, 2, 16), draw


def _build(name: str, folder: Path, *options: str) -> Path:
    arguments = ["build", name, "--platform", "codabench", "--out", str(folder), *options]
    if build_bundle.main(arguments):
        sys.exit("the bundle could not be built")
    return folder / "codabench" / f"{name}.zip"


def write_season(folder: Path, first: datetime, draw: Draw, teams: int, days: int, a_day: int) -> None:
    """One folder a team; in it a zip for each upload, named by its time."""
    for team in range(teams):
        own = folder / f"team {team + 1:02}"
        own.mkdir(parents=True)
        for number in range(days * a_day):
            day, upload = divmod(number, a_day)
            files = draw(0.7 + 0.1 * team / teams + 0.1 * day / days, 1000 * team + number)
            if number == team % (days * a_day):
                files = {name: content.rsplit(b"\n", 2)[0] for name, content in files.items()}
            time = first + timedelta(days=day, hours=8 + 12 * upload // a_day, minutes=team)
            (own / f"{time:%Y-%m-%dT%H%M}_run{number + 1}.zip").write_bytes(make_zip(files))


def main() -> None:
    which, *numbers = sys.argv[1:] or ["spoken_call"]
    teams, days, a_day = map(int, numbers or (10, 10, 3))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        make = merlion_season if which == "merlion" else spoken_call_season
        bundle, first, draw = make(folder)
        write_season(folder / "season", first, draw, teams, days, a_day)
        print(f"{which}: {teams} teams, {days} days, {a_day} uploads a day", flush=True)
        said = []
        for run in ("first run", "second run"):
            command = [sys.executable, str(ROOT / "build_bundle.py"), "season", bundle, folder / "season"]
            start = time.perf_counter()
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            print(f"  {run}  {time.perf_counter() - start:7.1f} s   {done.stderr.strip()}", flush=True)
            said.append(done.stdout)
        print(f"  the same output: {said[0] == said[1]}\n\n{said[0]}")


if __name__ == "__main__":
    main()
