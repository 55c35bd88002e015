"""Everything side by side with what people use today: `make bench`, or `python -m benchmarks NAME ...` for some."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path


def main() -> None:
    names = sys.argv[1:] or sorted(path.stem for path in Path(__file__).parent.glob("bench_*.py"))
    sys.argv[1:] = []
    for name in names:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()
        print(flush=True)


if __name__ == "__main__":
    main()
