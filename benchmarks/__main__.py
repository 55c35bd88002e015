"""Everything side by side with what people use today: `make bench`, or `python -m benchmarks NAME ...` for some.

Simulations, which tell what holds and not how fast it is, take hours and run by their names alone.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

SIMULATIONS = {"bench_adversaries", "bench_coverage", "bench_differences", "bench_ranks"}


def main() -> None:
    there = {path.stem for path in Path(__file__).parent.glob("bench_*.py")}
    names = sys.argv[1:] or sorted(there - SIMULATIONS)
    sys.argv[1:] = []
    for name in names:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
