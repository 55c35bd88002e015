"""A corpus's recordings: wav files of one channel and 16 bits, at the rate that a model was trained on."""

from __future__ import annotations

import sys
import time
import wave
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

RATE = 16_000


def find_recordings(folder: Path, names: Sequence[str], *, rate: int = RATE) -> list[Path]:
    """The files of these names below a folder; ends the program, with a line for each kind of problem, if not all
    can be used.

    Parameters
    ----------
    folder: where the corpus keeps its recordings.
    names: as a list gives them: relative to the folder, with blanks or `/` between folders.
    rate: samples a second.
    """
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; name the one that holds {names[0]} with --audio.")
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
    """Why a recording cannot be used and what to do; empty where it can."""
    convert = f"convert: ffmpeg -i OLD.wav -ac 1 -ar {rate} -c:a pcm_s16le NEW.wav"
    if not path.is_file():
        return "missing; is --audio the folder that the list's names begin in?"
    if not path.stat().st_size:
        return "an empty file; copy it anew from the corpus"
    try:
        with wave.open(str(path), "rb") as source:
            found = source.getparams()
    except (wave.Error, EOFError) as error:
        return f"no wav of plain samples ({error or 'it breaks off'}); {convert}"
    if not found.nframes:
        return "no sound in it; copy it anew from the corpus"
    if found.nchannels != 1:
        return f"{found.nchannels} channels; expected 1; {convert}"
    if found.framerate != rate:
        return f"{found.framerate} samples a second; expected {rate}; {convert}"
    if found.sampwidth != 2:
        return f"{8 * found.sampwidth} bits a sample; expected 16; {convert}"
    if path.stat().st_size < found.nframes * found.sampwidth:
        return "breaks off before its end; copy it anew from the corpus"
    return ""


def read_samples(path: Path) -> np.ndarray:
    """The samples of a recording that `find_recordings` passed: int16, shape=(n,)."""
    with wave.open(str(path), "rb") as source:
        return np.frombuffer(source.readframes(source.getnframes()), "<i2")


def with_progress(recordings: Sequence[Path], *, doing: str) -> Iterator[Path]:
    """The recordings one by one; how many are done, and the time left, go to standard error twice a second."""
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
