"""A baseline without sound: events of the most frequent label at equal distances, as many as in the public labels.

    python3 baseline.py SET FOLDER      (writes FOLDER/events.csv)

Each is as long as the public events of this label on average. Without public labels, there is one of the first class a
minute, one second long. Needs only Python.
"""

import csv
import json
import sys
from collections import defaultdict
from pathlib import Path

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier, threshold = declaration.get("id", "recording"), declaration.get("threshold", 0.5)
    lengths, seconds = defaultdict(list, {declaration["classes"][0]: [1.0]}), 60.0
    for path in HERE.glob("*/reference/events.csv"):
        lengths.clear()
        for row in table(path):
            lengths[row["label"]].append(float(row["end"] or row["start"]) - float(row["start"]))
        listed = path.parents[1] / "input" / "recordings.csv"
        if listed.is_file():
            seconds = sum(float(row["end_s"]) - float(row["start_s"]) for row in table(listed))
    usual = max(lengths, key=lambda label: len(lengths[label]))
    distance = seconds / len(lengths[usual])
    length = sum(lengths[usual]) / len(lengths[usual])
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "events.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([identifier, "start", "end", "label", "score"])
        for row in table(HERE / name / "input" / "recordings.csv"):
            start = float(row["start_s"])
            while start < float(row["end_s"]):
                writer.writerow([row[identifier], f"{start:.3f}", f"{start + length:.3f}", usual, threshold])
                start += distance


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
