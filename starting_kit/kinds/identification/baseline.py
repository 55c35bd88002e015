"""A baseline without speech: the same scores for every item, how frequent each class is in the public labels.

    python3 baseline.py SET FOLDER      (writes FOLDER/scores.csv)

Without public labels, all classes are equally frequent. Needs only Python.
"""

import csv
import json
import sys
from collections import Counter
from math import log
from pathlib import Path

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier, target = declaration.get("id", "id"), declaration.get("target")
    ids = [identifier] if isinstance(identifier, str) else identifier  # or two columns, as of a trial
    labels = [row["label"] for path in HERE.glob("*/reference/labels.csv") for row in table(path)]
    if target:
        labels = ["target" if label == target else "other" for label in labels]
    classes = ["target", "other"] if target else declaration["classes"]
    frequent = Counter([*classes, *labels])  # each class once more, so that no frequency is 0
    shares = [frequent[label] / sum(frequent.values()) for label in classes]
    if declaration.get("scores", "likelihoods") != "likelihoods":
        scores = shares
    elif "out_of_set" in declaration:
        scores = [log(share / (1 - share)) for share in shares]  # a class against everything else
    else:
        scores = [log(share) for share in shares]
    if target:
        scores = (
            [scores[0] - scores[1]] if scores[0] < 0 else scores[:1]
        )  # a log-likelihood ratio, or a probability
    columns = ["score"] if target else classes
    if "tandem" in declaration:
        columns, scores = [*columns, "countermeasure"], scores * 2
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "scores.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([*ids, *columns])
        for row in table(HERE / name / "input" / "items.csv"):
            writer.writerow([*map(row.get, ids), *(f"{score:.4f}" for score in scores)])


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
