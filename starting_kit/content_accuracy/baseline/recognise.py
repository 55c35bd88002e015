"""Recognise responses with pocketsphinx, with bigrams from the references and the training responses.

    python3 baseline/recognise.py evaluation OUTPUT_DIR --audio DIR
    python3 baseline.py evaluation out --responses OUTPUT_DIR

DIR holds a recording of each training response and of each response of the set, named `<response_id>.wav`. Writes
OUTPUT_DIR/training_responses.csv and OUTPUT_DIR/<set>_responses.csv with the recognised text in asr_text, so that the
regression is trained on text from the same recogniser.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

from recordings import arguments, find_recordings, read_samples, with_progress
from words import make_recogniser, transcribe

DATA = Path(__file__).resolve().parent.parent / "data"


def main() -> None:
    options = arguments("Write the recognised text of the responses to asr_text.").parse_args()
    sets = {name: read_rows(DATA / f"{name}_responses.csv") for name in ("training", options.set)}
    texts = [row["text"] for row in read_rows(DATA / "references.csv")]
    texts += [row["asr_text"] for row in sets["training"]]
    rows = [row for some in sets.values() for row in some]
    recordings = find_recordings(options.audio, [f"{row['response_id']}.wav" for row in rows])
    recogniser = make_recogniser(texts)
    for path, row in zip(with_progress(recordings, doing="Recognised"), rows):
        row["asr_text"] = transcribe(recogniser, read_samples(path))
    options.output.mkdir(parents=True, exist_ok=True)
    for name, some in sets.items():
        with open(str(options.output / f"{name}_responses.csv"), "w", encoding="utf-8", newline="") as sink:
            table = csv.DictWriter(sink, list(some[0]), lineterminator="\n")
            table.writeheader()
            table.writerows(some)


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table; end the program if there are none."""
    if not path.is_file():
        sys.exit(f"{path} is missing.")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        rows = list(csv.DictReader(source))
    if not rows:
        sys.exit(f"{path} has no rows.")
    return rows


if __name__ == "__main__":
    main()
