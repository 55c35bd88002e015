"""Read the kit's lists and the corpus's recordings; each problem is reported in one line."""

from __future__ import annotations

import argparse
import csv
import wave
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

KIT = Path(__file__).resolve().parent.parent
RATE = 16_000
"""Samples per second of the model's input; recordings may have twice this rate, as in the corpus."""

LANGUAGES = ("English", "Mandarin")


class CorpusError(ValueError):
    """A recording or list cannot be used; `str()` names the file, the problem and the remedy."""


class Segment(NamedTuple):
    """A part of a recording, in ms. `language` is empty if it is hidden."""

    recording: str
    utterance: str
    start: float
    end: float
    language: str = ""

    @property
    def id(self) -> str:
        return f"{stem(self.recording)}_{self.utterance}_{self.start:g}_{self.end:g}"


def arguments(description: str) -> argparse.ArgumentParser:
    """Return a parser of the arguments of both tasks: `SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--threads N]`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument(
        "--audio", type=Path, required=True, metavar="DIR", help="folder with the corpus's recordings"
    )
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="model written by train.py (default: model.pt)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="number of CPU threads (default: 1, best on shared machines)"
    )
    return parser


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of one of the kit's lists, each as `column -> text`."""
    if not path.is_file():
        sets = ", ".join(sorted(folder.parent.name for folder in KIT.glob("*/input")))
        raise CorpusError(f"{path}: no such list; this kit has the sets {sets}")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source))


def segments_to_identify(name: str) -> list[Segment]:
    """Return the segments of a set's public list, in its order."""
    path = KIT / name / "input" / "segments.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        raise CorpusError(f"{path}: no such list; it is in the kit of Task 1 (identification)")
    return list(_segments(read_rows(path), hidden=True))


def labelled_segments(name: str) -> list[Segment]:
    """Return a public set's English and Mandarin segments, without those that overlap the other language."""
    path = KIT / name / "reference" / "labels.csv"
    segments = list(_segments(read_rows(path), hidden=False))
    for language in LANGUAGES:
        if not any(segment.language == language for segment in segments):
            raise CorpusError(f"{path}: no {language} segments; expected both languages")
    return segments


def _segments(rows: Iterable[dict[str, str]], *, hidden: bool) -> Iterator[Segment]:
    for row in rows:
        place = (row["audio_name"], row["utt_id"], float(row["start"]), float(row["end"]))
        if hidden:
            yield Segment(*place)
        elif row["language_tag"] in LANGUAGES and row.get("overlap_diff_lang", "").lower() not in (
            "true",
            "1",
        ):
            yield Segment(*place, row["language_tag"])


def labelled_speech(path: Path) -> dict[str, np.ndarray]:
    """Return the spans with speech of each recording in a file of labels, `stem -> spans` in ms, shape=(n, 2).

    Overlapping spans are merged.
    """
    rows = read_rows(path) if path.is_file() else []
    if not rows or not {"audio_name", "start", "end", "language_tag"} <= rows[0].keys():
        raise CorpusError(f"{path}: no labels; --speech needs a file in the form of this kit's labels.csv")
    spans: dict[str, list[list[float]]] = {}
    spoken = [row for row in rows if row["language_tag"] in LANGUAGES]
    for row in sorted(spoken, key=lambda row: float(row["start"])):
        start, end = float(row["start"]), float(row["end"])
        found = spans.setdefault(stem(row["audio_name"]), [])
        if found and start <= found[-1][1]:
            found[-1][1] = max(end, found[-1][1])
        else:
            found.append([start, end])
    return {name: np.array(found) for name, found in spans.items()}


def recordings_to_diarize(name: str) -> list[str]:
    """Return the names of a set's recordings."""
    path = KIT / name / "input" / "recordings.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        raise CorpusError(f"{path}: no such list; it is in the kit of Task 2 (diarization)")
    return [next(iter(row.values())) for row in read_rows(path)]


def find_recordings(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Return the path of each recording, at any depth below a folder; names may lack `.wav`."""
    wanted = list(dict.fromkeys(names))
    if not folder.is_dir():
        raise CorpusError(f"{folder}: no such folder; set --audio to the folder with the corpus's recordings")
    there = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".wav"}
    found = {name: there[stem(name)] for name in wanted if stem(name) in there}
    missing = [name for name in wanted if name not in found]
    if missing:
        raise CorpusError(
            f"{folder}: no recording {stem(missing[0])}.wav ({len(missing)} of {len(wanted)} missing); "
            "set --audio to the folder with all recordings of this set"
        )
    return found


def stem(name: str) -> str:
    """Return a recording's name without `.wav`, as in the ids of segments and the file names of a submission."""
    return name[:-4] if name.lower().endswith(".wav") else name


def read_wav(path: Path) -> np.ndarray:
    """Return a recording's samples at 16 kHz, in the range of 16-bit numbers: float64, shape=(n,)."""
    try:
        with wave.open(str(path), "rb") as source:
            rate, channels, width = source.getframerate(), source.getnchannels(), source.getsampwidth()
            content = source.readframes(source.getnframes())
    except (EOFError, wave.Error) as error:
        raise CorpusError(
            f"{path}: not a WAV file of integer samples ({str(error) or 'it is empty'}); fetch it again"
        ) from None
    if rate not in (RATE, 2 * RATE) or (channels, width) != (1, 2):
        raise CorpusError(
            f"{path}: {rate} samples per second, {channels} channel{'s' * (channels > 1)}, {8 * width} bits; expected "
            f"{RATE} or {2 * RATE}, 1 and 16. Convert it, for example: sox IN.wav -r {RATE} -c 1 -b 16 OUT.wav"
        )
    samples = np.frombuffer(content[: len(content) // 2 * 2], "<i2").astype(float)
    if rate == 2 * RATE:
        samples = halve_rate(samples)
    if len(samples) < RATE // 40:
        raise CorpusError(f"{path}: only {len(samples)} samples; fetch it again, or remove it from the list")
    return samples


def halve_rate(samples: np.ndarray) -> np.ndarray:
    """Return every second sample after a low-pass filter, a windowed sinc of 63 taps."""
    taps = np.arange(-31, 32)
    low_pass = np.sinc(taps / 2) * np.hamming(len(taps))
    smooth: np.ndarray = np.convolve(samples, low_pass / low_pass.sum(), mode="same")
    return smooth[::2]


def check_fit(path: Path, samples: np.ndarray, segments: Iterable[Segment]) -> None:
    """Raise a CorpusError if a segment ends more than a second after its recording."""
    last = max(segments, key=lambda segment: segment.end)
    length = 1000 * len(samples) / RATE
    if last.end > length + 1000:
        raise CorpusError(
            f"{path}: the recording lasts {length:.0f} ms, but segment {last.utterance} ends at {last.end:g} ms; check "
            "that the recording belongs to this set"
        )
