"""Compare this project with the tools in use today: `make bench`, or `python -m benchmarks NAME ...` for others.

Without names it is the table of `bench_peers`. The others look at one part, or check statistical properties by
simulation, some for hours.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> None:
    there = {path.stem for path in Path(__file__).parent.glob("bench_*.py")}
    names = [word for word in sys.argv[1:] if word in there or word.startswith("bench_")]
    sys.argv[1:] = [word for word in sys.argv[1:] if word not in names]
    for name in names or ["bench_peers"]:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
