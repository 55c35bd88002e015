"""A baseline that needs no audio: English from the beginning up to one time.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

The time is the end of a region of the development set, the one that gives the lowest DER there. It is the same for
every recording, because a set's list does not contain the lengths of recordings. Writes a text file for each recording
to OUTPUT_DIR. Needs numpy.
"""

from __future__ import annotations

import sys
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")

from spokeneval.formats.files import read_folder
from spokeneval.formats.language_turns import Reference, read_items, read_reference
from spokeneval.metrics.counts import total
from spokeneval.metrics.diarization import der, errors_per_recording, overlaps
from spokeneval.metrics.sweeps import Recording, Turns

HERE = Path(__file__).resolve().parent


def english_up_to(end: float, reference: Reference) -> float:
    """Return the DER of English from the beginning up to `end`, in ms, in every recording."""
    claimed = Turns(np.array([[0.0, end]]), [0])
    found = [
        overlaps(Recording(turns, claimed, regions, excluded))
        for turns, regions, excluded in zip(reference.turns, reference.regions, reference.excluded)
    ]
    return der(total(errors_per_recording(found, mapped=False)))


def main() -> None:
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR")
    output = Path(sys.argv[2])
    development = read_reference(read_folder(HERE / "development" / "reference"))
    ends = sorted({float(end) for regions in development.regions for end in regions[:, 1]})
    best = min(ends, key=lambda end: english_up_to(end, development))
    output.mkdir(parents=True, exist_ok=True)
    for recording in read_items(read_folder(HERE / sys.argv[1] / "input")).ids:
        with open(str(output / f"{recording}.txt"), "w", encoding="utf-8", newline="\n") as sink:
            sink.write(f"0 {best:g} English\n")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
