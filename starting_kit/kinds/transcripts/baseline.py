"""A baseline without speech: the most frequent word, character or phone of the public transcripts for every item.

If items have canonical pronunciations, these: no phone is found to be mispronounced.

    python3 baseline.py SET FOLDER      (writes FOLDER/transcripts.csv)

Without public transcripts, all transcripts are empty. Needs only Python.
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
    identifier, units = declaration.get("id", "id"), declaration.get("units", "words")
    rows = [row for path in HERE.glob("*/reference/transcripts.csv") for row in table(path)]
    words = [word for row in rows for word in row["transcript"].split()]
    if units == "characters":
        words = list("".join(words))
    if units == "phones":
        words = [phone for phone in words if not phone.startswith("<")]  # without fillers such as <sil>
    usual = Counter(words).most_common(1)[0][0] if words else ""
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "transcripts.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow([identifier, "transcript"])
        canonical = declaration.get("canonical", "")
        items = table(HERE / name / "input" / "items.csv")
        writer.writerows([row[identifier], row.get(canonical, usual)] for row in items)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
