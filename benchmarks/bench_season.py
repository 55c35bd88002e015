"""The duration of a season in which every team uploads every day, with sets of the real size.

    python -m benchmarks.bench_season [spoken_call|merlion] [TEAMS DAYS A_DAY]      (default: spoken_call 10 10 3)

Spoken CALL has 1,000 responses. Task 1 of MERLIon CCS has 49,000 synthetic segments, as many as the evaluation set.
Teams get better from day to day, and each has one upload without its last row, which fails. The benchmark times a first
run, and a second one that finds all results kept. Both use the command line and all processors.

It then scores the same submissions with one run on each processor: with `ingest.py` and `score.py` as separate
programs, by `score`, whose processes run many submissions, and by `score` in the reverse order. All must write the same
bytes. A season has thousands of submissions, so the time of starting is left out of the rates of `score`: it is
estimated from half of the submissions. Processor time includes all processes.
"""

from __future__ import annotations

import os
import random
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import numpy as np

import build_bundle
from sample_data import merlion, spoken_call
from speechbundles.leaderboard.score import score_all
from speechbundles.model.bundle import read_built_bundle
from speechbundles.model.label_tag import LABELS_FILE
from speechbundles.model.submissions import PACKED
from speechbundles.model.zips import make_zip
from spokeneval.programs.score import HIDDEN_STATISTICS

ROOT = Path(__file__).resolve().parents[1]

Draw = Callable[[float, int], dict[str, bytes]]


def spoken_call_season(folder: Path) -> tuple[Path, datetime, Draw]:
    """Return the built bundle, the first day of its evaluation phase, and a function that draws a submission."""
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
    own = (f"--reference=merlion_identification/evaluation={reference}", "--leave-out=development")
    bundle = _build("merlion_identification_closed", folder, *own)

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
    """Write a folder for each team with a zip for each upload, named by its time."""
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


def rates(bundle: Path, submissions: list[Path], folder: Path) -> None:
    """Print how many submissions are scored per second, by separate programs and by `score`."""
    built = read_built_bundle(bundle)
    phase = built.phase(None)
    zips = (phase.ingestion_program, phase.input_data, phase.scoring_program, phase.reference_data)
    checker, items, program, reference = (
        built.unpack(name or "", folder / "unpacked" / str(place)) for place, name in enumerate(zips)
    )
    commands = []
    for number, submission in enumerate(submissions):
        inputs = folder / f"input{number}"
        with zipfile.ZipFile(submission) as archive:
            archive.extractall(inputs / "res")
        (inputs / "ref").symlink_to(reference)
        check = [checker / "ingest.py", items, inputs / "res", folder / f"checked{number}"]
        commands.append((check, [program / "score.py", inputs, folder / "separately" / str(number)]))
    environment = {**os.environ, HIDDEN_STATISTICS: "write"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the first run compiles for all

    def run(programs: tuple[list[Path], ...]) -> None:
        for command in programs:
            subprocess.run([sys.executable, *command], env=environment, capture_output=True)

    def run_separately() -> None:
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(run, commands))

    print(f"  {'':<17}per second   ms of processor time each   s to start   the same bytes")

    def show(way: str, each: np.ndarray, start: float) -> None:
        pairs = [(folder / way / str(number), folder / "separately" / str(number)) for number in names]
        same = sum(_written(ours) == _written(theirs) for ours, theirs in pairs)
        rate, used = f"{1 / each[0]:10.1f}", f"{1000 * each[1]:26.1f}"
        print(f"  {way:<17}{rate}   {used}   {start:10.1f}   {same:8} of {len(names)}", flush=True)

    names = dict(enumerate(submissions))
    show("separately", _used(run_separately) / len(names), 0.0)
    for way, order in (("score", [*names]), ("score, reversed", [*names][::-1])):
        few = {str(number): names[number] for number in order[::2]}
        whole = {str(number): names[number] for number in order}
        part = _used(partial(score_all, bundle, few, folder / f"{way}, half"))
        each = (_used(partial(score_all, bundle, whole, folder / way)) - part) / (len(whole) - len(few))
        show(way, each, (part - len(few) * each)[0])


def _used(run: Callable[[], object]) -> np.ndarray:
    """Return the wall-clock time of a run, and its processor time including all its processes."""

    def clocks() -> np.ndarray:
        usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
        return np.array([time.perf_counter(), sum(usage.ru_utime + usage.ru_stime for usage in usages)])

    began = clocks()
    run()
    return clocks() - began


def _written(folder: Path) -> dict[str, bytes]:
    """Return the files that a scoring program wrote, if it finished."""
    packed = folder / PACKED
    if packed.is_file():
        with zipfile.ZipFile(packed) as archive:
            return {name: archive.read(name) for name in archive.namelist() if name != LABELS_FILE}
    if not (folder / "scores.json").is_file():
        return {}
    return {path.name: path.read_bytes() for path in folder.iterdir()}


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
        print(f"  the same output: {said[0] == said[1]}")
        rates(bundle, sorted((folder / "season").rglob("*.zip")), folder)
        print(f"\n{said[0]}")


if __name__ == "__main__":
    main()
