"""Scores of the templates of challenges beside those of the challenges' own scripts, on the same synthetic files.

    python -m tests.tools.official_scores CHECKOUTS [--python PATH] [--only CHALLENGE] [--write]

CHECKOUTS has a checkout of each repository in `tests/samples/official_scores.yaml`. The scripts run with the Python at
PATH, which needs meeteval, jiwer, transformers, scikit-learn, pandas, scipy, rapidfuzz, simplejson, tabulate, tqdm and
more_itertools; torch and torchmetrics are replaced where they are missing, because only their edit distance is used.
The table has each score of a script, and ours; with `--write`, the scripts' scores, the commits of the checkouts and
the hash of the files are kept in that file, which the tests read.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

from speechbundles.new.field_examples import CHALLENGES
from tests.samples.official_scores import FIGURES, hash_of, our_scores, write_files


def official_scores(challenge, checkouts, python):
    """Return the scores of a challenge's own script on the files of its template."""
    with tempfile.TemporaryDirectory() as folder:
        write_files(challenge, Path(folder))
        driver = Path(__file__).with_name("official_drivers.py")
        words = [python, str(driver), challenge, str(checkouts), folder]
        run = subprocess.run(words, capture_output=True, text=True, check=False)
    if run.returncode:
        raise RuntimeError(f"{challenge}: {run.stderr[-500:]}")
    return json.loads(run.stdout.splitlines()[-1])


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
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    kept, failed = yaml.safe_load(FIGURES.read_text(encoding="utf-8")), 0
    print(f"{'challenge':24}{'score':20}{'official':>16}{'ours':>16}")
    for challenge in [options.only] if options.only else CHALLENGES:
        try:
            found = official_scores(challenge, options.checkouts, options.python)
        except RuntimeError as error:
            failed += 1
            print(f"{challenge:24}not run: {error}")
            continue
        ours = our_scores(challenge)
        for key, value in found.items():
            mark = "" if abs(ours[key] - value) <= 1e-9 * abs(value) else f"  {ours[key] - value:+.2g}"
            print(f"{challenge:24}{key:20}{value:16.8f}{ours[key]:16.8f}{mark}")
        entry = kept[challenge]
        if entry["repository"]:
            entry["commit"] = commit_of(options.checkouts / entry["repository"].split("/")[1])
        entry.update(files=hash_of(challenge), scores=found)
    if options.write:
        FIGURES.write_text(yaml.safe_dump(kept, sort_keys=False), encoding="utf-8")
    return failed


if __name__ == "__main__":
    sys.exit(main())
