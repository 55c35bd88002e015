"""A baseline without speech: to each question the mean, or the most frequent class, of the public labels.

    python3 baseline.py SET FOLDER      (writes FOLDER/answers.csv)

Without public labels it is the middle of the scale, or the first class. Needs only Python.
"""

import csv
import json
import sys
from collections import Counter
from pathlib import Path
from statistics import mean

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier, questions = declaration.get("id", "id"), declaration["questions"]
    rows = [row for path in HERE.glob("*/reference/labels.csv") for row in table(path)]
    usual = []
    for question, asked in questions.items():
        labels = [row[question] for row in rows]
        if asked["kind"] == "scores":
            usual.append(f"{mean(map(float, labels or asked['scale'])):.3f}")
        else:
            usual.append(Counter(labels or asked["classes"]).most_common(1)[0][0])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "answers.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([identifier, *questions])
        writer.writerows([row[identifier], *usual] for row in table(HERE / name / "input" / "items.csv"))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
