"""The shared task's baseline: accept a response if the grammar lists what the recogniser heard.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Reads the set's public sheet and data/grammar.xml; writes OUTPUT_DIR/results.csv. Needs Python alone.
"""

from __future__ import annotations

import csv
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

HERE = Path(__file__).resolve().parent


def read_grammar(path: Path) -> dict[str, set[str]]:
    """Prompt -> its listed responses; a prompt that occurs twice has the responses of both."""
    grammar: dict[str, set[str]] = {}
    for unit in ElementTree.parse(str(path)).iter("prompt_unit"):
        prompt = normal(unit.findtext("prompt") or "")
        grammar.setdefault(prompt, set()).update(
            normal(response.text or "") for response in unit.iter("response")
        )
    return grammar


def normal(text: str) -> str:
    """Lower case, single blanks."""
    return " ".join(text.lower().split())


def main() -> None:
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR")
    sheet, output = HERE / sys.argv[1] / "input" / "test_sheet.csv", Path(sys.argv[2])
    grammar = read_grammar(HERE / "data" / "grammar.xml")
    output.mkdir(parents=True, exist_ok=True)
    with open(str(sheet), encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    with open(str(output / "results.csv"), "w", encoding="utf-8", newline="") as sink:
        decisions = csv.writer(sink, delimiter="\t", lineterminator="\n")
        decisions.writerow(["Id", "Accept"])
        for row in rows:
            listed = normal(row["RecResult"]) in grammar.get(normal(row["Prompt"]), ())
            decisions.writerow([row["Id"], "accept" if listed else "reject"])


if __name__ == "__main__":
    main()
