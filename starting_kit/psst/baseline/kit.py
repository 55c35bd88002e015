"""The kit as its audio baselines see it: its lists, and `psst_kit`, whose folder is above this one."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent.parent
sys.path.append(str(KIT))


def arguments(description: str) -> argparse.ArgumentParser:
    """`development|evaluation OUTPUT_DIR`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    return parser


def read_list(name: str) -> list[dict[str, str]]:
    """The rows of a set's public list; ends the program where it has none, or does not name the recordings."""
    path = KIT / name / "input" / "utterance_list.tsv"
    if not path.is_file():
        sys.exit(f"No set {name}: {path} is missing.")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    if not rows or not rows[0].get("filename"):
        sys.exit(f"{path}: no column filename; it names each utterance's recording below --audio DIR.")
    return rows
