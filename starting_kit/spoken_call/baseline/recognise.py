"""Recognise responses with pocketsphinx, with bigrams from the development set's transcriptions.

    python3 baseline/recognise.py evaluation OUTPUT_DIR --audio DIR
    python3 baseline.py evaluation out --sheet OUTPUT_DIR/test_sheet.csv

DIR holds the recordings named in the sheet's column Wavfile. Writes the set's sheet with the recognised text in
RecResult. On the development set itself, every sentence is in the bigrams, so results there are too good.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from recordings import arguments, find_recordings, read_samples, with_progress
from words import make_recogniser, transcribe

KIT = Path(__file__).resolve().parent.parent


def main() -> None:
    options = arguments("Write the recognised text of a sheet's recordings to RecResult.").parse_args()
    rows = read_sheet(KIT / options.set / "input" / "test_sheet.csv", "Wavfile")
    training = read_sheet(KIT / "development" / "reference" / "reference.csv", "Transcription")
    recordings = find_recordings(options.audio, [row["Wavfile"] for row in rows])
    recogniser = make_recogniser(row["Transcription"] for row in training)
    for path, row in zip(with_progress(recordings, doing="Recognised"), rows):
        row["RecResult"] = transcribe(recogniser, read_samples(path))
    options.output.mkdir(parents=True, exist_ok=True)
    with open(str(options.output / "test_sheet.csv"), "w", encoding="utf-8", newline="") as sink:
        sheet = csv.DictWriter(
            sink, list(rows[0]), delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_ALL
        )
        sheet.writeheader()
        sheet.writerows(rows)


def read_sheet(path: Path, column: str) -> list[dict[str, str]]:
    """Return the rows of a sheet; end the program if it is missing or a required column has empty cells."""
    if not path.is_file():
        sys.exit(f"{path} is missing.")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source, delimiter="\t"))
    if not rows or not all(row.get(column) for row in rows):
        sys.exit(f"{path}: a row has no {column}; every response needs one.")
    return rows


if __name__ == "__main__":
    main()
