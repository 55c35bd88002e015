"""Scores of the templates of challenges beside those of the challenges' own scripts, on the same synthetic files.

    python -m tests.tools.official_scores CHECKOUTS [--python PATH] [--only CHALLENGE] [--odd SETS] [--write]

CHECKOUTS has a checkout of each repository in `tests/samples/official_scores.yaml`. The scripts run with the Python at
PATH, which needs meeteval, jiwer, transformers, scikit-learn, pandas, scipy, rapidfuzz, simplejson, tabulate, tqdm and
more_itertools; torch and torchmetrics are replaced where they are missing, because only their edit distance is used.
The table has each score of a script, and ours, then how many of 400 odd sets (ties, few items, one class, empty
transcripts, marks and punctuation) have equal scores, and the first set of each difference. With `--write`, the
scripts' scores, the commits of the checkouts and the hash of the files are kept in that file, which the tests read.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

import yaml

from speechbundles.new.field_examples import CHALLENGES
from spokeneval.formats.problems import FileProblems
from tests.samples.official_scores import FIGURES, files_of, hash_of, odd_files, our_scores, write_files


def official_scores(challenge, sets, checkouts, python):
    """Return the scores of a challenge's own script on each of some sets of files, or its error."""
    with tempfile.TemporaryDirectory() as folder:
        for number, files in enumerate(sets):
            write_files(files, Path(folder, f"{number:04d}"))
        driver = Path(__file__).with_name("official_drivers.py")
        words = [python, str(driver), challenge, str(checkouts), folder]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{challenge}: {run.stderr[-500:]}")
    return json.loads(run.stdout.splitlines()[-1])


def is_equal(ours, official):
    return ours == official or abs(ours - official) <= 1e-9 * max(1, abs(official))


def compare_odd(challenge, sets, checkouts, python):
    """Print how many odd sets have equal scores, which only one side refuses, and the first set that differs."""
    files = [odd_files(challenge, seed) for seed in range(sets)]
    counts, first = Counter(), {}
    for seed, official in enumerate(official_scores(challenge, files, checkouts, python)):
        try:
            ours = our_scores(challenge, files[seed])
        except (FileProblems, ValueError):
            ours = None
        if ours is None or "error" in official:
            refused = (
                "both" if ours is None and "error" in official else "we" if ours is None else "the script"
            )
            counts[f"refused by {refused}"] += 1
            continue
        for key, value in official.items():
            equal = is_equal(ours[key], value)
            counts[f"{key} equal" if equal else f"{key} {'different' if value == value else 'NaN'}"] += 1
            if not equal:
                first.setdefault(key, f"set {seed}: {key} {value:.4f}, ours {ours[key]:.4f}")
    print(f"{challenge:24}{sets} odd sets: {', '.join(f'{what} {n}' for what, n in sorted(counts.items()))}")
    for line in first.values():
        print(f"{'':24}{line}")


def commit_of(checkout):
    words = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.strip()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", metavar="CHALLENGE", choices=sorted(CHALLENGES))
    parser.add_argument("--odd", metavar="SETS", type=int, default=400)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept, failed = yaml.safe_load(FIGURES.read_text(encoding="utf-8")), 0
    print(f"{'challenge':24}{'score':20}{'official':>16}{'ours':>16}")
    for challenge in [options.only] if options.only else CHALLENGES:
        where = options.checkouts, options.python
        try:
            (found,) = official_scores(challenge, [files_of(challenge)], *where)
            if "error" in found:
                raise RuntimeError(found["error"])
        except RuntimeError as error:
            failed += 1
            print(f"{challenge:24}not run: {error}")
            continue
        ours = our_scores(challenge)
        for key, value in found.items():
            mark = "" if is_equal(ours[key], value) else f"  {ours[key] - value:+.2g}"
            print(f"{challenge:24}{key:20}{value:16.8f}{ours[key]:16.8f}{mark}")
        if options.odd:
            compare_odd(challenge, options.odd, *where)
        entry = kept[challenge]
        if entry["repository"]:
            entry["commit"] = commit_of(options.checkouts / entry["repository"].split("/")[1])
        entry.update(files=hash_of(challenge), scores=found)
    if options.write:
        FIGURES.write_text(yaml.safe_dump(kept, sort_keys=False), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
