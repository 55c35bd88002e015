"""The kit's lists and the corpus's recordings, and what is wrong with them, one line each."""

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
"""Samples a second that the model hears; recordings may have twice as many, as the corpus's have."""

LANGUAGES = ("English", "Mandarin")


class CorpusError(ValueError):
    """Recordings or lists that cannot be used; `str()` names the file and says what to do."""


class Segment(NamedTuple):
    """A stretch of a recording, in ms. `language` is empty where it is hidden."""

    recording: str
    utterance: str
    start: float
    end: float
    language: str = ""

    @property
    def id(self) -> str:
        return f"{stem(self.recording)}_{self.utterance}_{self.start:g}_{self.end:g}"


def arguments(description: str) -> argparse.ArgumentParser:
    """What both tasks' scripts take: `SET OUTPUT_DIR --audio DIR [--model MODEL.pt] [--threads N]`."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument("--audio", type=Path, required=True, metavar="DIR", help="the corpus's recordings")
    parser.add_argument(
        "--model", type=Path, default=Path("model.pt"), help="from train.py (default: model.pt)"
    )
    parser.add_argument(
        "--threads", type=int, default=1, help="of the processor (default: 1, best on shared cores)"
    )
    return parser


def read_rows(path: Path) -> list[dict[str, str]]:
    """A list of the kit, by its header."""
    if not path.is_file():
        sets = ", ".join(sorted(folder.parent.name for folder in KIT.glob("*/input")))
        raise CorpusError(f"{path}: there is no such list; this kit has the sets {sets}")
    with open(str(path), encoding="utf-8-sig", newline="") as source:
        return list(csv.DictReader(source))


def segments_to_identify(name: str) -> list[Segment]:
    """The segments of a set's public list, in its order."""
    path = KIT / name / "input" / "segments.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        raise CorpusError(f"{path}: there is no such list; it is in the kit of Task 1, identification")
    return list(_segments(read_rows(path), hidden=True))


def labelled_segments(name: str) -> list[Segment]:
    """A public set's segments of one language, those that overlap the other language left out."""
    path = KIT / name / "reference" / "labels.csv"
    segments = list(_segments(read_rows(path), hidden=False))
    for language in LANGUAGES:
        if not any(segment.language == language for segment in segments):
            raise CorpusError(f"{path}: no segment is {language}; expected both languages")
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
    """Of each recording in a file of labels, by its stem, the spans in which a language is spoken, in ms, joined where
    they overlap, shape=(n, 2)."""
    rows = read_rows(path) if path.is_file() else []
    if not rows or not {"audio_name", "start", "end", "language_tag"} <= rows[0].keys():
        raise CorpusError(f"{path}: no labels; --speech is a file such as this kit's labels.csv")
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
    """The names of a set's recordings."""
    path = KIT / name / "input" / "recordings.csv"
    if not path.is_file() and (KIT / name / "input").is_dir():
        raise CorpusError(f"{path}: there is no such list; it is in the kit of Task 2, diarization")
    return [next(iter(row.values())) for row in read_rows(path)]


def find_recordings(folder: Path, names: Iterable[str]) -> dict[str, Path]:
    """Where each recording lies, at any depth below a folder; names with or without `.wav`."""
    wanted = list(dict.fromkeys(names))
    if not folder.is_dir():
        raise CorpusError(
            f"{folder}: there is no such folder; --audio is the one with the corpus's recordings"
        )
    there = {path.stem: path for path in sorted(folder.rglob("*")) if path.suffix.lower() == ".wav"}
    found = {name: there[stem(name)] for name in wanted if stem(name) in there}
    missing = [name for name in wanted if name not in found]
    if missing:
        raise CorpusError(
            f"{folder}: no recording {stem(missing[0])}.wav ({len(missing)} of {len(wanted)} missing); "
            "--audio is the folder with this set's recordings, whole"
        )
    return found


def stem(name: str) -> str:
    """A recording's name without `.wav`, as segments' ids and the files of a submission have it."""
    return name[:-4] if name.lower().endswith(".wav") else name


def read_wav(path: Path) -> np.ndarray:
    """A recording's samples at 16 kHz as 16-bit numbers, float64, shape=(n,)."""
    try:
        with wave.open(str(path), "rb") as source:
            rate, channels, width = source.getframerate(), source.getnchannels(), source.getsampwidth()
            content = source.readframes(source.getnframes())
    except (EOFError, wave.Error) as error:
        raise CorpusError(
            f"{path}: no wav of whole numbers ({str(error) or 'it is empty'}); fetch it anew"
        ) from None
    if rate not in (RATE, 2 * RATE) or (channels, width) != (1, 2):
        raise CorpusError(
            f"{path}: {rate} samples a second, {channels} channel{'s' * (channels > 1)}, {8 * width} bits; expected "
            f"{RATE} or {2 * RATE}, 1 and 16: convert it, as by sox IN.wav -r {RATE} -c 1 -b 16 OUT.wav"
        )
    samples = np.frombuffer(content[: len(content) // 2 * 2], "<i2").astype(float)
    if rate == 2 * RATE:
        samples = halve_rate(samples)
    if len(samples) < RATE // 40:
        raise CorpusError(
            f"{path}: {len(samples)} samples, no speech; fetch it anew, or leave it out of the list"
        )
    return samples


def halve_rate(samples: np.ndarray) -> np.ndarray:
    """Every second sample, without what lies above the new half of the rate: a windowed sinc of 63 taps."""
    taps = np.arange(-31, 32)
    low_pass = np.sinc(taps / 2) * np.hamming(len(taps))
    smooth: np.ndarray = np.convolve(samples, low_pass / low_pass.sum(), mode="same")
    return smooth[::2]


def check_fit(path: Path, samples: np.ndarray, segments: Iterable[Segment]) -> None:
    """Refuse segments that begin or end after their recording."""
    last = max(segments, key=lambda segment: segment.end)
    length = 1000 * len(samples) / RATE
    if last.end > length + 1000:
        raise CorpusError(
            f"{path}: it lasts {length:.0f} ms, and segment {last.utterance} ends at {last.end:g} ms: list and "
            "recording do not belong together"
        )
