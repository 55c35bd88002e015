"""The shared task's baseline: accept a response if the grammar lists its transcript.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Reads the set's public sheet, or --sheet FILE, and data/grammar.xml; writes OUTPUT_DIR/results.csv. The transcript is
the recogniser's (RecResult); with --column Transcription and a sheet that has this column, it is the correct one.
Needs only Python.
"""

from __future__ import annotations

import argparse
import csv
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent


def read_grammar(path: Path) -> dict[str, set[str]]:
    """Return the listed responses of each prompt; entries of the same prompt are merged."""
    grammar: dict[str, set[str]] = {}
    for unit in ElementTree.parse(str(path)).iter("prompt_unit"):
        prompt = normal(unit.findtext("prompt") or "")
        grammar.setdefault(prompt, set()).update(
            normal(response.text or "") for response in unit.iter("response")
        )
    return grammar


def normal(text: str) -> str:
    """Return a text in lower case, with single spaces."""
    return " ".join(text.lower().split())


def main() -> None:
    parser = argparse.ArgumentParser(description="Accept the responses that the grammar lists.")
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR", help="folder for results.csv")
    parser.add_argument(
        "--sheet", type=Path, metavar="FILE", help="a sheet to read instead of the set's public one"
    )
    parser.add_argument(
        "--column", default="RecResult", help="column with the transcript (default: RecResult)"
    )
    options = parser.parse_args()
    sheet = options.sheet or HERE / options.set / "input" / "test_sheet.csv"
    if not sheet.is_file():
        parser.error(f"{sheet} is missing")
    grammar = read_grammar(HERE / "data" / "grammar.xml")
    options.output.mkdir(parents=True, exist_ok=True)
    with open(str(sheet), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    if not all(column in row for row in rows for column in ("Id", "Prompt", options.column)):
        parser.error(f"{sheet}: a row has no Id, Prompt or {options.column}")
    with open(str(options.output / "results.csv"), "w", encoding="utf-8", newline="") as sink:
        decisions = csv.writer(sink, delimiter="\t", lineterminator="\n")
        decisions.writerow(["Id", "Accept"])
        for row in rows:
            listed = normal(row[options.column]) in grammar.get(normal(row["Prompt"]), ())
            decisions.writerow([row["Id"], "accept" if listed else "reject"])


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
