"""A baseline that needs no audio: English wherever a detector found speech.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Reads the detected speech from data/SET_speech.csv (audio_name, start, end; times in milliseconds), and writes a text
file for each recording to OUTPUT_DIR. Needs numpy.
"""

from __future__ import annotations

import csv
import sys
from collections import defaultdict
from pathlib import Path

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")

from spokeneval.formats.language_turns import read_items
from spokeneval.formats.text import read_folder

HERE = Path(__file__).resolve().parent


def main() -> None:
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR")
    output = Path(sys.argv[2])
    lines: dict[str, list[str]] = defaultdict(list)
    with open(str(HERE / "data" / f"{sys.argv[1]}_speech.csv"), encoding="utf-8-sig", newline="") as source:
        for row in csv.DictReader(source):
            lines[Path(row["audio_name"]).stem].append(f"{row['start']} {row['end']} English\n")
    output.mkdir(parents=True, exist_ok=True)
    for recording in read_items(read_folder(HERE / sys.argv[1] / "input")).ids:
        with open(str(output / f"{recording}.txt"), "w", encoding="utf-8", newline="\n") as sink:
            sink.writelines(lines[recording])


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
