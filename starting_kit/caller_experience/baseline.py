"""The paper's baseline: a decision tree of 31 leaves on four features of a call's log.

    python3 baseline.py development OUTPUT_DIR
    python3 baseline.py evaluation OUTPUT_DIR

Trains on data/training_calls.csv, rates the calls of the set's public list by their features in data/<set>_calls.csv,
and writes OUTPUT_DIR/ratings.csv. The tree splits by information gain, the best split of all leaves first, and stops at
31 leaves (the paper's tree grew further and was pruned to 31). Needs scikit-learn.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path

try:
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier
except ImportError:
    sys.exit("baseline.py needs scikit-learn: pip install scikit-learn")

HERE = Path(__file__).resolve().parent
LEAVES = 31


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, each as `column -> text`."""
    if not path.exists():
        sys.exit(f"{path.relative_to(HERE)} is missing from the kit")
    with open(str(path), encoding="utf-8", newline="") as source:
        return list(csv.DictReader(source))


def features(call: dict[str, str]) -> dict[str, object]:
    """Return the four features of a call: two statuses, encoded as indicators, and two counts."""
    return {
        "classification_status": call["classification_status"],
        "exit_status": call["exit_status"],
        "recognition_errors": int(call["recognition_errors"]),
        "operator_requests": int(call["operator_requests"]),
    }


def main() -> None:
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py development|evaluation OUTPUT_DIR")
    called, output = sys.argv[1], Path(sys.argv[2])
    ids = [row["call_id"] for row in read_rows(HERE / called / "input" / "calls.csv")]
    training = read_rows(HERE / "data" / "training_calls.csv")
    calls = {call["call_id"]: call for call in read_rows(HERE / "data" / f"{called}_calls.csv")}
    unknown = [item for item in ids if item not in calls]
    if unknown:
        sys.exit(f"data/{called}_calls.csv lacks features for {len(unknown)} calls, for example {unknown[0]}")

    tree = DecisionTreeClassifier(criterion="entropy", max_leaf_nodes=LEAVES, random_state=0)
    model = make_pipeline(DictVectorizer(sparse=False), tree)
    model.fit([features(call) for call in training], [int(call["rating"]) for call in training])
    ratings = model.predict([features(calls[item]) for item in ids])

    output.mkdir(parents=True, exist_ok=True)
    with open(str(output / "ratings.csv"), "w", encoding="utf-8", newline="") as sink:
        rows = csv.writer(sink, lineterminator="\n")
        rows.writerow(["call_id", "rating"])
        rows.writerows(zip(ids, ratings))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
