"""A baseline without speech: the segments of one public session for every session.

    python3 baseline.py SET FOLDER      (writes FOLDER/meetings.json)

Without public labels, nothing is recognised. Needs only Python.
"""

import csv
import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def table(path: Path) -> "list[dict[str, str]]":
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def main(name: str, folder: Path) -> None:
    declaration = json.loads((HERE / "task.json").read_text(encoding="utf-8"))["declaration"]
    identifier = declaration.get("id", "session_id")
    public = [row for path in sorted(HERE.glob("*/reference/meetings.csv")) for row in table(path)]
    silence = {"speaker": "1", "start_time": 0, "end_time": 0, "words": ""}
    segments = [row for row in public if row[identifier] == public[0][identifier]] or [silence]
    sessions = dict.fromkeys(row[identifier] for row in table(HERE / name / "input" / "recordings.csv"))
    rows = [
        {
            identifier: session,
            "speaker": row["speaker"],
            "start_time": float(row["start_time"]),
            "end_time": float(row["end_time"]),
            "words": row["words"],
        }
        for session in sessions
        for row in segments
    ]
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "meetings.json", "w", encoding="utf-8", newline="\n") as file:
        json.dump(rows, file, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    if len(sys.argv) != 3 or not (HERE / sys.argv[1] / "input").is_dir():
        sys.exit("usage: baseline.py SET FOLDER, where SET is a folder of the kit with a folder input")
    try:
        main(sys.argv[1], Path(sys.argv[2]))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
