"""What the programs that listen share: WAV files, the spectrum of each hundredth of a second, tables, arguments.

Needs numpy.
"""

from __future__ import annotations

import csv
import sys
import wave
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Callable
from unicodedata import normalize

import numpy as np

Model = Mapping[str, np.ndarray]
Sounds = Mapping[str, Path]

FRAMES = 100
"""Frames per second."""
NOTHING_LEARNT = (
    "No recording has labels in SET_DIR, or all are too short. A recording has the name of its item."
)
_BLOCK = 1000
"""Frames whose spectra are in memory at once."""
_BANDS, _CEPSTRA, _LOWEST, _HIGHEST = 24, 13, 100.0, 3800.0


def run(learn: Callable[[Path, Sounds], Model], answer: Callable[[Model, Path, Path, Sounds], None]) -> None:
    """Run `main.py train SET_DIR SOUND_DIR`, which writes model.npz beside main.py, or `main.py INPUT_DIR OUTPUT_DIR`.

    SET_DIR is a folder of the kit with public labels. The recordings are given as `name without ending -> path`.
    """
    model, words = Path(sys.argv[0]).resolve().parent / "model.npz", sys.argv[1:]
    if len(words) == 3 and words[0] == "train":
        sounds = _find_wavs(Path(words[2]))
        if not sounds:
            sys.exit(f"{words[2]}: no WAV files; expected the recordings of this set")
        np.savez_compressed(str(model), **learn(Path(words[1]), sounds))
    elif len(words) == 2 and model.is_file():
        inputs, outputs = map(Path, words)
        with np.load(str(model)) as arrays:
            answer(dict(arrays), inputs, outputs, _find_wavs(inputs / "sound"))
    elif len(words) == 2:
        sys.exit("model.npz is missing; first run main.py train SET_DIR SOUND_DIR")
    else:
        sys.exit("usage: main.py train SET_DIR SOUND_DIR, or main.py INPUT_DIR OUTPUT_DIR")


def read_table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table, each as `column -> text`."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


def write_table(path: Path, rows: Iterable[Sequence[object]]) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter="\t" if path.suffix == ".tsv" else ",").writerows(rows)


def _find_wavs(folder: Path) -> dict[str, Path]:
    found = [path for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".wav"]
    return {normalize("NFC", path.stem): path for path in found}  # as the ids are


def read_wav(path: Path) -> tuple[np.ndarray, int]:
    """Return the samples of a WAV file of integers, the mean of its channels from -1 to 1, and their rate."""
    try:
        with wave.open(str(path)) as file:
            rate, width, channels = file.getframerate(), file.getsampwidth(), file.getnchannels()
            content = np.frombuffer(file.readframes(file.getnframes()), np.uint8)
        if len(content) % (width * channels):
            raise wave.Error("the last sample is incomplete")
    except (wave.Error, EOFError) as error:
        sys.exit(f"{path}: {error}; expected a WAV file of integers: ffmpeg -i OLD -c:a pcm_s16le NEW.wav")
    content = content.reshape(-1, width)
    if width == 1:
        samples = content[:, 0] / 128 - 1
    else:
        whole = np.zeros((len(content), 4), np.uint8)
        whole[:, 4 - width :] = content
        samples = whole.view("<i4")[:, 0] / 2**31
    return samples.reshape(-1, channels).mean(axis=1), rate


def describe(path: Path) -> np.ndarray:
    """Return 13 cepstra of each frame, less their means over the recording, and their slopes, shape (n, 26).

    A frame is 25 ms long. The cepstra are from 24 bands on the mel scale, from 100 to 3,800 Hz; the first is the level.
    """
    samples, rate = read_wav(path)
    size, step = rate // 40, rate / FRAMES
    count = max(1, int((len(samples) - size) / step) + 1)
    samples = np.pad(samples, (0, max(0, size - len(samples))))
    starts, points = (np.arange(count) * step).astype(int)[:, None], 512 * -(-size // 512)
    filters, heights = _filters(rate, points // 2 + 1), np.empty((count, _BANDS))
    for block in (slice(first, first + _BLOCK) for first in range(0, count, _BLOCK)):
        frames = samples[starts[block] + np.arange(size)] * np.hanning(size)
        heights[block] = np.log(np.abs(np.fft.rfft(frames, points)) ** 2 @ filters + 1e-8)
    band = (np.arange(_BANDS) + 0.5) * np.pi / _BANDS
    cepstra = heights @ np.cos(band[:, None] * np.arange(_CEPSTRA))
    cepstra -= cepstra.mean(axis=0)
    around = np.pad(cepstra, ((2, 2), (0, 0)), "edge")
    return np.hstack([cepstra, around[4:] - around[:-4]])


def _filters(rate: int, bins: int) -> np.ndarray:
    """Return triangular filters on the mel scale, shape (bins, bands)."""
    mel = np.linspace(np.log1p(_LOWEST / 700), np.log1p(_HIGHEST / 700), _BANDS + 2)
    edges = 700 * np.expm1(mel)
    frequency = np.linspace(0, rate / 2, bins)[:, None]
    low, middle, high = edges[:-2], edges[1:-1], edges[2:]
    rising, falling = (frequency - low) / (middle - low), (high - frequency) / (high - middle)
    filters: np.ndarray = np.clip(np.minimum(rising, falling), 0, None)
    return filters
