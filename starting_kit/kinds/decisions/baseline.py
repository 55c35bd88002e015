"""A baseline without speech: the class that most items with public labels have.

    python3 baseline.py SET FOLDER      (writes FOLDER/decisions.csv)

Without public labels it is the first class. Needs only Python.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier = declaration.get("id", "id")
    labels = [row["label"] for path in HERE.glob("*/reference/labels.csv") for row in table(path)]
    usual = Counter(labels or declaration["classes"]).most_common(1)[0][0]
    column, answer = "label", usual
    if declaration.get("pool") == "mean":
        more = 0.5 if usual == declaration["positive"] else -0.5
        column, answer = "score", f"{declaration.get('threshold', 0.5) + more}"
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "decisions.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([identifier, column])
        writer.writerows([row[identifier], answer] for row in table(HERE / name / "input" / "items.csv"))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
