"""`main.py` for a program in the layout of SAPC2: put it, under this name, beside its `model.py`.

`model.Model().predict(FILE)` returns the transcript of a recording. No `setup.sh` is run, because there is no network:
weights belong in the zip, and packages in `requirements.txt` if the competition allows it. Streaming models get the
whole recording in steps of 100 ms.
"""

import csv
import sys
import wave
from pathlib import Path
from unicodedata import normalize

ITEMS, ANSWERS, TRANSCRIPT = "items.csv", "transcripts.csv", "transcript"


def transcribe(model, path: Path) -> str:
    if hasattr(model, "predict"):
        return str(model.predict(str(path)))
    import numpy as np

    with wave.open(str(path)) as sound:
        samples = np.frombuffer(sound.readframes(sound.getnframes()), "<i2").astype(np.float32) / 32768
    model.set_partial_callback(lambda text: None)
    model.reset()
    for start in range(0, len(samples), 1600):
        model.accept_chunk(samples[start : start + 1600])
    return str(model.input_finished())


def main(inputs: Path, outputs: Path) -> None:
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from model import Model

    found = sorted((inputs / "sound").rglob("*.*"))
    model, files = Model(), {normalize("NFC", path.stem): path for path in found}
    with open(inputs / ITEMS, encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    with open(outputs / ANSWERS, "w", encoding="utf-8", newline="") as file:
        write = csv.writer(file).writerow
        write([header[0], TRANSCRIPT])
        for item, *_ in rows:
            write([item, " ".join(transcribe(model, files[item]).split())])


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
