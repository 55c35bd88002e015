"""A baseline without speech: the mean of the public human scores for every item.

    python3 baseline.py SET FOLDER      (writes FOLDER/scores.csv)

Without public scores it is the middle of the scale. Needs only Python.
"""

import csv
import json
import sys
from pathlib import Path
from statistics import mean

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier = declaration.get("id", "id")
    rows = [row for path in HERE.glob("*/reference/scores.csv") for row in table(path)]
    usual = mean([float(row["score"]) for row in rows] or declaration["scale"])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "scores.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([identifier, "score"])
        items = table(HERE / name / "input" / "items.csv")
        writer.writerows([row[identifier], f"{usual:.3f}"] for row in items)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
