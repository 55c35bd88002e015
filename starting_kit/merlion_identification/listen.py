"""The audio baseline as a program: logistic regression on the spectra of segments. Needs numpy.

main.py train SET_DIR SOUND_DIR
main.py INPUT_DIR OUTPUT_DIR      (writes OUTPUT_DIR/prediction.txt)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from languages import fit, log_odds, summary
from sound import FRAMES, Model, Sounds, describe, read_table, run

SHORTEST = 5
"""The least number of frames of a segment that are looked at."""


def hear(rows: Sequence[dict[str, str]], sounds: Sounds) -> dict[int, np.ndarray]:
    """Return the summaries of the segments whose recordings are there, `number of the row -> summary`."""
    numbers: dict[str, list[int]] = {}
    for number, row in enumerate(rows):
        numbers.setdefault(Path(row["audio_name"]).stem, []).append(number)
    found = {}
    for name, own in numbers.items():
        frames = describe(sounds[name]) if name in sounds else None
        for number in own if frames is not None else ():
            start, end = (int(float(rows[number][time]) * FRAMES / 1000) for time in ("start", "end"))
            start = min(start, len(frames) - SHORTEST)
            found[number] = summary(frames[start : max(start + SHORTEST, end)])
    return found


def learn(folder: Path, sounds: Sounds) -> Model:
    rows = read_table(folder / "reference" / "labels.csv")
    rows = [row for row in rows if row["language_tag"] in ("English", "Mandarin")]
    heard = hear(rows, sounds)
    return fit(list(heard.values()), [rows[number]["language_tag"] == "English" for number in heard])


def answer(model: Model, inputs: Path, outputs: Path, sounds: Sounds) -> None:
    rows = read_table(inputs / "segments.csv")
    heard = hear(rows, sounds)
    with open(outputs / "prediction.txt", "w", encoding="utf-8", newline="\n") as file:
        for number, row in enumerate(rows):
            odds = float(log_odds(model, heard[number])) if number in heard else 0.0
            name = "_".join([Path(row["audio_name"]).stem, row["utt_id"], row["start"], row["end"]])
            file.write(f"{name} {odds:.6f} {-odds:.6f}\n")


if __name__ == "__main__":
    run(learn, answer)
