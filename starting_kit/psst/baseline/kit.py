"""Access of the audio baselines to the kit: its lists, and the module `psst_kit` in the folder above this one."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

KIT = Path(__file__).resolve().parent.parent
sys.path.append(str(KIT))


def parse_fitted(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Parse the arguments of a script that is fitted on the development set, with the folder of its recordings."""
    parser.add_argument(
        "--development-audio", type=Path, metavar="DIR", help="folder with the development set's recordings"
    )
    options = parser.parse_args()
    if options.set == "development":
        options.development_audio = options.audio
    if not options.development_audio:
        parser.error("--development-audio DIR is missing; this baseline is fitted on the development set")
    return options


def read_list(name: str) -> list[dict[str, str]]:
    """Return the rows of a set's public list; end the program if it has none or does not name the recordings."""
    path = KIT / name / "input" / "utterance_list.tsv"
    if not path.is_file():
        sys.exit(f"The kit has no set {name}: {path} is missing.")
    rows = _read_table(path)
    if not rows or not rows[0].get("filename"):
        sys.exit(f"{path}: the column filename, with the recording of each utterance, is missing.")
    return rows


def read_reference() -> dict[str, dict[str, str]]:
    """Return the labels and transcripts of the development set, `utterance_id -> row`."""
    path = KIT / "development" / "reference" / "utterances.tsv"
    if not path.is_file():
        sys.exit(f"{path} is missing; this baseline is fitted on its labels.")
    return {row["utterance_id"]: row for row in _read_table(path)}


def _read_table(path: Path) -> list[dict[str, str]]:
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source, delimiter="\t"))
