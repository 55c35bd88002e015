"""The audio baseline as a program: two logistic regressions on the spectra around each frame. Needs numpy.

    main.py train SET_DIR SOUND_DIR
    main.py INPUT_DIR OUTPUT_DIR      (writes a text file for each recording)

One detects speech, in the 0.2 s around a frame; the other tells the languages, in the 1.2 s around it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from languages import around, fit, log_odds
from sound import FRAMES, Model, Sounds, describe, read_table, run

LANGUAGES = ("English", "Mandarin")
SPEECH, LANGUAGE, EVERY = 10, 60, 5
"""Half of the frames around, for speech and for languages; one frame in so many is learnt from."""


def read_rows(path: Path) -> dict[str, list[dict[str, str]]]:
    """Return the rows of each recording in a table."""
    rows: dict[str, list[dict[str, str]]] = {}
    for row in read_table(path):
        rows.setdefault(Path(row["audio_name"]).stem, []).append(row)
    return rows


def spans(rows: list[dict[str, str]], size: int, language: str = "") -> np.ndarray:
    """Return which of `size` frames are in a row of a recording, shape (size,)."""
    inside = np.zeros(size, bool)
    for row in rows:
        if row.get("language_tag", "") == language:
            start, end = (int(float(row[time]) * FRAMES / 1000) for time in ("start", "end"))
            inside[start:end] = True
    return inside


def learn(folder: Path, sounds: Sounds) -> Model:
    labels, regions = (read_rows(folder / "reference" / name) for name in ("labels.csv", "regions.csv"))
    parts: dict[str, list[np.ndarray]] = {name: [] for name in ("speech", "spoken", "language", "english")}
    for name, path in sounds.items():
        frames = describe(path)
        english, mandarin = (spans(labels.get(name, []), len(frames), each) for each in LANGUAGES)
        known = np.flatnonzero(spans(regions.get(name, []), len(frames)))[::EVERY]
        single = known[(english != mandarin)[known]]
        parts["speech"].append(around(frames, SPEECH)[known])
        parts["spoken"].append((english | mandarin)[known])
        parts["language"].append(around(frames, LANGUAGE)[single])
        parts["english"].append(english[single])
    speech, spoken, language, is_english = (np.concatenate(part) for part in parts.values())
    models = {"speech": fit(speech, spoken), "language": fit(language, is_english)}
    return {f"{name} {key}": value for name, model in models.items() for key, value in model.items()}


def answer(model: Model, inputs: Path, outputs: Path, sounds: Sounds) -> None:
    def positive(name: str, frames: np.ndarray, half: int) -> np.ndarray:
        part = {key.partition(" ")[2]: value for key, value in model.items() if key.startswith(f"{name} ")}
        return log_odds(part, around(frames, half)) > 0

    for row in read_table(inputs / "recordings.csv"):
        name = Path(row["audio_name"]).stem
        frames = describe(sounds[name]) if name in sounds else np.zeros((0, 1))
        heard = np.zeros(0, int)
        if len(frames):
            spoken = positive("speech", frames, SPEECH)
            heard = np.where(spoken, np.where(positive("language", frames, LANGUAGE), 0, 1), -1)
        edges = [0, *(np.flatnonzero(np.diff(heard)) + 1).tolist(), len(heard)]
        with open(outputs / f"{name}.txt", "w", encoding="utf-8", newline="\n") as file:
            for start, end in zip(edges, edges[1:]):
                if start < end and heard[start] >= 0:
                    first, last = (1000 * frame // FRAMES for frame in (start, end))
                    file.write(f"{first} {last} {LANGUAGES[heard[start]]}\n")


if __name__ == "__main__":
    run(learn, answer)
