"""The recogniser before the three models: pocketsphinx, its bigrams from references and training responses.

    python3 baseline/recognise.py evaluation OUTPUT_DIR --audio DIR
    python3 baseline.py evaluation out --responses OUTPUT_DIR

DIR holds a recording of each response of the training set and of the set, `<response_id>.wav`. Writes
OUTPUT_DIR/training_responses.csv and OUTPUT_DIR/<set>_responses.csv, with what was heard in asr_text: the regression
learns from the text of the same recogniser that it predicts from.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

from recordings import find_recordings, read_samples, with_progress
from words import make_recogniser, transcribe

DATA = Path(__file__).resolve().parent.parent / "data"


def main() -> None:
    parser = argparse.ArgumentParser(description="Fill the responses' asr_text by listening.")
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument("--audio", type=Path, required=True, metavar="DIR", help="the recordings")
    options = parser.parse_args()
    sets = {name: read_rows(DATA / f"{name}_responses.csv") for name in ("training", options.set)}
    texts = [row["text"] for row in read_rows(DATA / "references.csv")]
    texts += [row["asr_text"] for row in sets["training"]]
    rows = [row for some in sets.values() for row in some]
    recordings = find_recordings(options.audio, [f"{row['response_id']}.wav" for row in rows])
    recogniser = make_recogniser(texts)
    for row, path in zip(rows, with_progress(recordings, doing="Recognised")):
        row["asr_text"] = transcribe(recogniser, read_samples(path))
    options.output.mkdir(parents=True, exist_ok=True)
    for name, some in sets.items():
        with open(str(options.output / f"{name}_responses.csv"), "w", encoding="utf-8", newline="") as sink:
            table = csv.DictWriter(sink, list(some[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(some)


def read_rows(path: Path) -> list[dict[str, str]]:
    """A table's rows; ends the program where there is none."""
    if not path.is_file():
        sys.exit(f"{path} is missing.")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source))
    if not rows:
        sys.exit(f"{path} has no rows.")
    return rows


if __name__ == "__main__":
    main()
