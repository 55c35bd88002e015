"""Find, check and read a corpus's recordings: WAV files of one channel and 16 bits, at the model's sample rate."""

from __future__ import annotations

import sys
import time
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

RATE = 16_000


def find_recordings(folder: Path, names: Sequence[str], *, rate: int = RATE) -> list[Path]:
    """Return the files of these names below a folder; if any cannot be used, end the program with one line for each
    kind of problem.

    Parameters
    ----------
    folder: the folder with the corpus's recordings.
    names: paths relative to the folder, as in a list.
    rate: samples per second.
    """
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set --audio to the folder that contains {names[0]}.")
    problems: dict[str, list[str]] = {}
    for name in names:
        problem = _problem(folder / name, rate)
        if problem:
            problems.setdefault(problem, []).append(name)
    if problems:
        lines = []
        for problem, found in problems.items():
            others = f" and {len(found) - 1} more of {len(names)}" if len(found) > 1 else ""
            lines.append(f"{found[0]}{others}: {problem}")
        sys.exit("\n".join([f"{folder}: recordings that cannot be used", *lines]))
    return [folder / name for name in names]


def _problem(path: Path, rate: int) -> str:
    """Return why a recording cannot be used and how to fix it; empty if it can be used."""
    convert = f"convert: ffmpeg -i OLD.wav -ac 1 -ar {rate} -c:a pcm_s16le NEW.wav"
    if not path.is_file():
        return "missing; set --audio to the folder to which the list's names are relative"
    if not path.stat().st_size:
        return "the file is empty; copy it from the corpus again"
    try:
        with wave.open(str(path), "rb") as source:
            found = source.getparams()
    except (wave.Error, EOFError) as error:
        return f"not a WAV file of PCM samples ({error or 'truncated'}); {convert}"
    if not found.nframes:
        return "the file has no samples; copy it from the corpus again"
    if found.nchannels != 1:
        return f"{found.nchannels} channels; expected 1; {convert}"
    if found.framerate != rate:
        return f"{found.framerate} samples per second; expected {rate}; {convert}"
    if found.sampwidth != 2:
        return f"{8 * found.sampwidth} bits per sample; expected 16; {convert}"
    if path.stat().st_size < found.nframes * found.sampwidth:
        return "the file is truncated; copy it from the corpus again"
    return ""


def read_samples(path: Path) -> np.ndarray:
    """Return the samples of a recording that `find_recordings` accepted: int16, shape=(n,)."""
    with wave.open(str(path), "rb") as source:
        return np.frombuffer(source.readframes(source.getnframes()), "<i2")


def with_progress(recordings: Sequence[Path], *, doing: str) -> Iterator[Path]:
    """Yield the recordings one by one; print progress and the remaining time to standard error twice a second."""
    began = shown = time.monotonic()
    for done, path in enumerate(recordings):
        now = time.monotonic()
        if done and now - shown > 0.5:
            left = (now - began) / done * (len(recordings) - done)
            print(
                f"\r{doing}: {done} of {len(recordings)}, {left:.0f} s left ",
                end="",
                file=sys.stderr,
                flush=True,
            )
            shown = now
        yield path
    print(f"\r{doing}: {len(recordings)} in {time.monotonic() - began:.0f} s          ", file=sys.stderr)
