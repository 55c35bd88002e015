"""`main.py` for a program in the layout of On Top of Pasketti: put it, under this name, beside its folder `src`.

`src/main.py` is started in a folder with `data/utterance_metadata.jsonl` (utterance_id, audio_path) and
`data/submission_format.jsonl`, and writes `submission/submission.jsonl`.
"""

import csv
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from unicodedata import normalize

ITEMS, ANSWERS, TRANSCRIPT = "items.csv", "transcripts.csv", "transcript"
TEXT = "orthographic_text"
"""The key of a transcript; of phones: `phonetic_text`."""


def main(inputs: Path, outputs: Path) -> int:
    files = {normalize("NFC", path.stem): path for path in sorted((inputs / "sound").rglob("*.*"))}
    with open(inputs / ITEMS, encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        for name in ("data", "submission"):
            (place / name).mkdir()
        (place / "data/audio").symlink_to((inputs / "sound").resolve(), target_is_directory=True)
        with (
            open(place / "data/utterance_metadata.jsonl", "w") as known,
            open(place / "data/submission_format.jsonl", "w") as asked,
        ):
            for item, *_ in rows:
                path = os.path.join("audio", os.path.relpath(files[item], inputs / "sound"))
                print(json.dumps({"utterance_id": item, "audio_path": path}), file=known)
                print(json.dumps({"utterance_id": item, TEXT: ""}), file=asked)
        program = Path(__file__).resolve().parent / "src" / "main.py"
        status = subprocess.call([sys.executable, str(program)], cwd=folder)
        if status:
            return status
        with open(place / "submission/submission.jsonl", encoding="utf-8") as file:
            answers = [json.loads(line) for line in file]
    with open(outputs / ANSWERS, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerow([header[0], TRANSCRIPT])
        csv.writer(file).writerows([each["utterance_id"], " ".join(each[TEXT].split())] for each in answers)
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
