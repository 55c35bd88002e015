"""A baseline without speech: the median of the raters' public ratings for every item.

    python3 baseline.py SET FOLDER      (writes FOLDER/ratings.csv)

Without public ratings it is the middle of the scale. Needs only Python.
"""

import csv
import json
import sys
from pathlib import Path
from statistics import median_low

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier, raters = declaration.get("id", "id"), declaration["raters"]
    if isinstance(raters, int):
        raters = [f"rater{number + 1}" for number in range(raters)]
    rows = [row for path in HERE.glob("*/reference/ratings.csv") for row in table(path)]
    given = [float(row[rater]) for row in rows for rater in raters if row[rater].strip()]
    (low, high), step = declaration["scale"], declaration.get("step", 1)
    usual = median_low(given or [low + step * place for place in range(round((high - low) / step) + 1)])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "ratings.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([identifier, "rating"])
        writer.writerows(
            [row[identifier], f"{usual:g}"] for row in table(HERE / name / "input" / "items.csv")
        )


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
