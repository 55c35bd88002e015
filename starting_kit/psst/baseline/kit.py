"""Access of the audio baselines to the kit: its lists, and the module `psst_kit` in the folder above this one."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent.parent
sys.path.append(str(KIT))


def arguments(description: str) -> argparse.ArgumentParser:
    """Return a parser of `development|evaluation OUTPUT_DIR`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    return parser


def read_list(name: str) -> list[dict[str, str]]:
    """Return the rows of a set's public list; end the program if it has none or does not name the recordings."""
    path = KIT / name / "input" / "utterance_list.tsv"
    if not path.is_file():
        sys.exit(f"The kit has no set {name}: {path} is missing.")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    if not rows or not rows[0].get("filename"):
        sys.exit(f"{path}: the column filename, with the recording of each utterance, is missing.")
    return rows
