"""Time and memory of whole processes, from start to end, and the time of calls."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

ROOT = Path(__file__).resolve().parents[1]


_PEAK = """
import runpy, sys
try:
    del sys.argv[0]
    runpy.run_path(sys.argv[0], run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print(next(line for line in open("/proc/self/status") if line.startswith("VmHWM")).split()[1])
"""


Clock = Callable[[], float]
T = TypeVar("T")


def call_seconds(run: Callable[[], object]) -> float:
    """Return the wall-clock time of one call."""
    return best_call(run, 1)[0]


def best_call(run: Callable[[], T], repeats: int = 3, clock: Clock = time.perf_counter) -> tuple[float, T]:
    """Return the shortest time of a few calls, and the result of the last."""
    taken = []
    for _ in range(repeats):
        began = clock()
        result = run()
        taken.append(clock() - began)
    return min(taken), result


def seconds(*command: str | Path) -> float:
    """Return the wall-clock time of one run of a Python script with its arguments; CalledProcessError if it fails."""
    began = time.perf_counter()
    _run(command)
    return time.perf_counter() - began


def peak_megabytes(*command: str | Path) -> float:
    """Return the peak memory of one run of a Python script (Linux)."""
    return int(_run(["-c", _PEAK, *command]).split()[-1]) / 1024


def score_command(task: str, inputs: Path) -> tuple[Path, Path, Path]:
    """Return the command that runs a task's score.py on `inputs/ref` and `inputs/res`."""
    return ROOT / "scoring_program" / task / "score.py", inputs, inputs / "output"


def _run(command: Sequence[str | Path]) -> str:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    arguments = [sys.executable, *map(str, command)]
    return subprocess.run(arguments, env=environment, stdout=subprocess.PIPE, text=True, check=True).stdout
