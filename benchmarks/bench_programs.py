"""Whole processes: a scoring run compared with a bare `import numpy`, and building all bundles.

python -m benchmarks.bench_programs
"""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from benchmarks.processes import ROOT, score_command, seconds
from sample_data import spoken_call
from spokeneval.scoring.reference import fingerprint

ROUNDS = 15


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
        command = program / "score.py", inputs, inputs / "output"
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
        ours, bare = [], []
        for _ in range(ROUNDS):  # in turn, so that a change of the computer's speed affects both
            bare.append(seconds("-c", "import numpy"))
            ours.append(seconds(*score_command("spoken_call", Path(folder))))
        ratio = statistics.median(one / other for one, other in zip(ours, bare, strict=True))
        pages = page_seconds(Path(folder))
        print("Whole processes")
        print(f"  python -c 'import numpy'                {statistics.median(bare):6.3f} s")
        print(
            f"  score.py, 1,000 Spoken CALL items       {statistics.median(ours):6.3f} s   {ratio:.2f} times as long"
        )
        print(f"  the report page in addition             {pages:6.3f} s more")
        build = seconds(ROOT / "build_bundle.py", "build", "--out", Path(folder, "dist"))
        built = len(list(Path(folder, "dist").glob("*/*.zip")))
        print(f"  building and checking {built} bundles        {build:6.1f} s")


if __name__ == "__main__":
    main()
