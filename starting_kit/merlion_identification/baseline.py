"""A baseline that needs no audio: it uses the length of a segment, and how many segments of its recording follow.

Both may differ between languages.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

A logistic regression on the logarithm of the length and on 1 / (1 + segments that follow), fitted to the development
labels. The English score is the log-odds of English, the Mandarin score its negative. Writes OUTPUT_DIR/prediction.txt.
Needs numpy and scikit-learn.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from pathlib import Path

try:
    import numpy as np
except ImportError:
    sys.exit("This kit needs numpy: pip install numpy")

from spokeneval.formats.segment_scores import read_items, read_reference
from spokeneval.formats.text import read_folder

HERE = Path(__file__).resolve().parent


def features(segments: Path) -> np.ndarray:
    """Return the features of each segment, shape=(n, 2)."""
    with open(str(segments), encoding="utf-8", newline="") as source:
        rows = list(csv.DictReader(source))
    left = Counter(row["audio_name"] for row in rows)
    found = []
    for row in rows:
        found.append([np.log(float(row["end"]) - float(row["start"])), 1 / left[row["audio_name"]]])
        left[row["audio_name"]] -= 1
    return np.array(found)


def main() -> None:
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR")
    try:
        from sklearn.linear_model import LogisticRegression
    except ImportError:
        sys.exit("This baseline needs scikit-learn: pip install scikit-learn")
    items, output = HERE / sys.argv[1] / "input", Path(sys.argv[2])
    development = HERE / "development"
    is_english = read_reference(read_folder(development / "reference"))["label"] == 0
    model = LogisticRegression().fit(features(development / "input" / "segments.csv"), is_english)
    scores = model.decision_function(features(items / "segments.csv"))
    output.mkdir(parents=True, exist_ok=True)
    with open(str(output / "prediction.txt"), "w", encoding="utf-8", newline="\n") as sink:
        for item, score in zip(read_items(read_folder(items)).ids, scores):
            sink.write(f"{item} {score:.6f} {-score:.6f}\n")


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
