"""Synthetic sound for programs that listen: each phone or syllable is three tones, which differ between speakers.

    python -m sample_data.tones DIR

writes the folder DIR for competitions whose participants upload programs, with the sample's labels of PSST, Task A,
and of both MERLIon CCS tasks, and beside it the folder `sound`, made from the labels. It is no speech: scores on it
show that a program hears, and predict nothing.
"""

from __future__ import annotations

import csv
import hashlib
import shutil
import sys
import wave
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
SETTINGS = """\
defaults:
  organiser: Example organisers
  contact_email: organisers@example.org
  data_licence: MIT, for the synthetic example data
  submissions: code
  run_limits: {seconds: 600, memory_mb: 4096, disk_mb: 512}

challenges:
  psst:
    phases: &phases
      - {reference: development, start: "2027-01-11 00:00:00", end: "2027-02-28 23:59:59"}
      - {reference: evaluation, start: "2027-03-01 00:00:00", end: "2027-03-14 23:59:59"}
    tasks: {psst_recognition: {sound: ../sound/psst}}
  merlion:
    phases: *phases
    tasks: {merlion_identification: {sound: ../sound/merlion}, merlion_diarization: {sound: ../sound/merlion}}

bundles:
  psst_recognition: {title: Phones by programs}
  merlion_identification_closed: {title: Languages of segments by programs}
  merlion_diarization_closed: {title: Languages over time by programs}
"""
RATE = 8000
TASKS = ("psst_recognition", "merlion_identification", "merlion_diarization")
LEVEL, NOISE = 0.08, 0.01
SYLLABLES = {"English": range(8), "Mandarin": range(5, 13)}
"""The syllables of the languages of MERLIon CCS, some of which both have."""


def say(rng: np.random.Generator, symbols: Iterable[str], voice: float) -> np.ndarray:
    """Return the sound of symbols, 60 to 130 ms each, by a speaker whose tones are `voice` times as high as usual.

    The tones of a symbol follow from its name; `<sil>` is silent, and other fillers are noise.
    """
    parts = [np.zeros(0)]
    for symbol in symbols:
        size = int(RATE * (0.06 + 0.07 * rng.random()))
        low, middle, high = (byte / 255 for byte in hashlib.sha256(symbol.encode()).digest()[:3])
        tones = np.array([250 + 600 * low, 950 + 1000 * middle, 2100 + 1000 * high]) * voice
        tones = tones * (0.97 + 0.06 * rng.random(3))
        sound = np.sin(2 * np.pi * tones[:, None] * np.arange(size) / RATE).T @ [1.0, 0.7, 0.5]
        if symbol.startswith("<"):
            sound = 0.5 * rng.standard_normal(size) * (symbol != "<sil>")
        parts.append(LEVEL * sound * np.sin(np.pi * (np.arange(size) + 0.5) / size) ** 0.5)
    return np.concatenate(parts)


def converse(rng: np.random.Generator, rows: Sequence[dict[str, str]], seconds: float) -> np.ndarray:
    """Return a recording with syllables in its labelled segments, spoken by a parent or a child, and knocks."""
    voices = rng.permutation([0.9 + 0.1 * rng.random(), 1.05 + 0.1 * rng.random()])
    heard = np.zeros(round(RATE * seconds))
    for row in rows:
        start, end = (RATE * int(row[time]) // 1000 for time in ("start", "end"))
        known = SYLLABLES.get(row["language_tag"])
        said = [
            f"syllable {rng.choice(known)}" if known else "<spn>" for _ in range(1 + (end - start) // 480)
        ]
        sound = say(rng, said, voices[int(2 * rng.random())])[: end - start]
        heard[start : start + len(sound)] += sound[: len(heard) - start]
    return heard


def write_folder(folder: Path) -> None:
    """Write a competition folder, and the sound of all sets beside it; the same bytes every time."""
    for task in TASKS:
        place = Path("reference_data", task)
        shutil.copytree(ROOT / place, folder / place)
    for name in ("psst", "merlion_diarization"):
        shutil.copytree(ROOT / "starting_kit" / name / "data", folder / "starting_kit" / name / "data")
    (folder / "competition.yaml").write_text(SETTINGS, encoding="utf-8")
    for name in ("development", "evaluation"):
        rng = np.random.default_rng(len(name))
        responses = _rows(folder / f"reference_data/psst_recognition/{name}/utterances.tsv")
        voices = {row["session"]: 0.88 + 0.24 * rng.random() for row in responses}
        for row in responses:
            said = ["<sil>", *row["transcript"].split(), "<sil>"]
            write_wav(
                rng, folder / "../sound/psst" / name / row["filename"], say(rng, said, voices[row["session"]])
            )
        labels, regions = (
            _rows(folder / f"reference_data/merlion_diarization/{name}/{file}.csv")
            for file in ("labels", "regions")
        )
        ends = {row["audio_name"]: int(row["end"]) / 1000 for row in regions}
        for recording, end in ends.items():
            spoken = [row for row in labels if row["audio_name"] == recording]
            write_wav(rng, folder / "../sound/merlion" / name / recording, converse(rng, spoken, end + 1))


def _rows(path: Path) -> list[dict[str, str]]:
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def write_wav(rng: np.random.Generator, path: Path, sound: np.ndarray) -> None:
    """Write sound with some noise, as 16-bit WAV."""
    heard = sound + NOISE * rng.standard_normal(len(sound))
    path.parent.mkdir(parents=True, exist_ok=True)
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, RATE, 0, "NONE", ""))
        file.writeframes(np.round(32767 * np.clip(heard, -1, 1)).astype("<i2").tobytes())


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m sample_data.tones DIR")
    write_folder(Path(sys.argv[1]))
