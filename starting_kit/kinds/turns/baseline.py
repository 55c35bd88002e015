"""A baseline without speech: one turn over each region of a recording, with the most frequent label.

    python3 baseline.py SET FOLDER      (writes FOLDER/turns.rttm)

The label is the one with most time in the public turns; without these, the first class. Needs only Python.
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
    identifier, classes = declaration.get("id", "recording"), declaration.get("classes", "any")
    lasts = Counter({"speech" if classes == "any" else classes[0]: 0.0})
    for path in HERE.glob("*/reference/turns.csv"):
        for row in table(path):
            lasts[row["label"]] += float(row["end"]) - float(row["start"])
    for path in HERE.glob("*/reference/turns.rttm"):
        for line in path.read_text(encoding="utf-8-sig").splitlines():
            if line.upper().startswith("SPEAKER "):
                fields = line.split()
                lasts[fields[7]] += float(fields[4])
    usual = lasts.most_common(1)[0][0]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "turns.rttm", "w", encoding="utf-8", newline="\n") as file:
        for row in table(HERE / name / "input" / "recordings.csv"):
            start, end = float(row["start_s"]), float(row["end_s"])
            file.write(
                f"SPEAKER {row[identifier]} 1 {start:.3f} {end - start:.3f} <NA> <NA> {usual} <NA> <NA>\n"
            )


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
