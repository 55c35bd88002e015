"""Compare this project with the tools in use today: `make bench`, or `python -m benchmarks NAME ...` for some of them.

Simulations check statistical properties instead of speed. They take hours, and run only if they are named.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

SIMULATIONS = {
    "bench_adversaries",
    "bench_coverage",
    "bench_differences",
    "bench_joint",
    "bench_kinds",
    "bench_ranks",
    "bench_timing",
}


def main() -> None:
    there = {path.stem for path in Path(__file__).parent.glob("bench_*.py")}
    names = [word for word in sys.argv[1:] if word in there or word.startswith("bench_")]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in names]
    if not names and not sys.argv[1:]:
        names = sorted(there - SIMULATIONS)
    for name in names:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
