"""Whole processes: a scoring run compared with a bare `import numpy`, and building all bundles.

python -m benchmarks.bench_programs
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sample_data import spoken_call
from spokeneval.run.reference import fingerprint

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 15


def seconds(*command: str) -> float:
    """Return the wall-clock time of one run of a command."""
    began = time.perf_counter()
    subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(ROOT)}, stdout=subprocess.DEVNULL, check=True
    )
    return time.perf_counter() - began


def page_seconds(inputs: Path) -> float:
    """Return the time that a report page with all its plots (public labels) adds to a scoring run."""
    program = inputs / "program"
    program.mkdir()
    (program / "score.py").write_bytes((ROOT / "scoring_program" / "spoken_call" / "score.py").read_bytes())
    known = fingerprint({"reference.csv": (inputs / "ref" / "reference.csv").read_bytes()})
    taken = {}
    for page in (False, True):
        options = {"detailed_results": page, "public_references": [known]}
        (program / "options.json").write_text(json.dumps(options))
        command = (sys.executable, str(program / "score.py"), str(inputs), str(inputs / "output"))
        taken[page] = statistics.median(seconds(*command) for _ in range(5))
    return taken[True] - taken[False]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for part, files in (
            ("ref", {"reference.csv": spoken_call.sheet_text(spoken_call.make_sheet("evaluation")).encode()}),
            ("res", spoken_call.submissions("evaluation")["random"]),
        ):
            Path(folder, part).mkdir()
            for name, content in files.items():
                Path(folder, part, name).write_bytes(content)
        program = str(ROOT / "scoring_program" / "spoken_call" / "score.py")
        ours, bare = [], []
        for _ in range(ROUNDS):  # in turn, so that a change of the computer's speed affects both
            bare.append(seconds(sys.executable, "-c", "import numpy"))
            ours.append(seconds(sys.executable, program, folder, str(Path(folder, "output"))))
        ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
        pages = page_seconds(Path(folder))
        print("Whole processes")
        print(f"  python -c 'import numpy'                {statistics.median(bare):6.3f} s")
        print(
            f"  score.py, 1,000 Spoken CALL items       {statistics.median(ours):6.3f} s   {ratio:.2f} times as long"
        )
        print(f"  the report page in addition             {pages:6.3f} s more")
        build = seconds(
            sys.executable, str(ROOT / "build_bundle.py"), "build", "--out", str(Path(folder, "dist"))
        )
        built = len(list(Path(folder, "dist").glob("*/*.zip")))
        print(f"  building and checking {built} bundles        {build:6.1f} s")


if __name__ == "__main__":
    main()
