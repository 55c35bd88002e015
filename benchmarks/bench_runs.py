"""The time that a run of a participant's program takes beside the program's own: python -m benchmarks.bench_runs

A program that answers 1,000 items measures itself, from its first line to its last. Overhead is everything else in all
stages: the static check, two starts in bubblewrap and of Python, and the reading and writing of answers.
"""

from __future__ import annotations

import math
import statistics
import tempfile
import time
import wave
from pathlib import Path

from speechbundles.bundle.rehearse import Limits
from speechbundles.model.zips import make_zip
from speechbundles.runs.job import Job, SoundSet
from speechbundles.runs.outcomes import read_stage
from speechbundles.runs.stages import take_through
from spokeneval.kinds.declared import declared_task

ROUNDS = 20
ITEMS = 1000
PROGRAM = """
import time
began = time.perf_counter()
import sys
inputs, outputs = sys.argv[1:]
items = open(f"{inputs}/items.csv").read().split()[1:]
with open(f"{outputs}/decisions.csv", "w") as file:
    print("id,label", *(f"{item},yes" for item in items), sep="\\n", file=file)
time.sleep(0.2)
print(time.perf_counter() - began)
"""


def main() -> None:
    task = declared_task(
        "bench", {"kind": "decisions", "classes": ["no", "yes"], "positive": "yes", "unit": "item"}
    )
    items = {"items.csv": "\n".join(["id", *(f"i{n:04d}" for n in range(ITEMS)), ""]).encode()}
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        sound = place / "sound"
        sound.mkdir()
        with wave.open(str(sound / "i0000.wav"), "wb") as file:
            file.setparams((1, 2, 16000, 0, "NONE", ""))
            file.writeframes(bytes(32000))
        parts = {name: SoundSet(items, sound) for name in ("development", "evaluation")}
        limits, cache = Limits(60.0), place / "packages"
        job = Job(
            *(task, "development", parts, "image", limits, 1),
            *(None, cache, "bubblewrap", "image:1", None, False),
        )
        (place / "upload.zip").write_bytes(make_zip({"main.py": PROGRAM.encode()}))
        overheads = []
        for number in range(ROUNDS + 1):  # the first one also tries the walls
            state = place / f"{number}"
            began = time.perf_counter()
            step = take_through(job, place / "upload.zip", state, "evaluation", math.inf)
            whole = time.perf_counter() - began
            assert step.code == "ok", step
            runs = [read_stage(state / name) for name in ("smoke.json", "run1.json")]
            own = sum(float(run.log.split()[0]) for run in runs if run)
            overheads.append(whole - own)
    taken = sorted(overheads[1:])
    print(
        f"overhead of smoke run, run and all else: median {statistics.median(taken):.2f} s, largest {taken[-1]:.2f} s"
    )


if __name__ == "__main__":
    main()
