"""Find, check and read a corpus's recordings, in any format that libsndfile reads (WAV, FLAC, Ogg and others).

Samples are returned at 16 kHz; other rates are converted. A recording must have one channel.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TextIO, TypeVar
from unicodedata import normalize

import numpy as np
import soundfile
import soxr

_T = TypeVar("_T")

RATE = 16_000
"""Samples per second that every baseline works with."""

SHORTEST = 400
"""A recording with fewer samples, 25 ms, has not one frame."""

SILENT = 33
"""A recording whose largest sample is below this, a thousandth of full scale, is taken to be silent."""


def arguments(description: str) -> argparse.ArgumentParser:
    """Return a parser of `SET OUTPUT_DIR --audio DIR`, the arguments of every script that hears a set's recordings."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("set", help="development or evaluation")
    parser.add_argument("output", type=Path, metavar="OUTPUT_DIR")
    parser.add_argument(
        "--audio", type=Path, required=True, metavar="DIR", help="folder with the set's recordings"
    )
    return parser


def find_recordings(folder: Path, names: Sequence[str]) -> list[Path]:
    """Return the files of these names; if any cannot be used, end the program with one line for each kind of problem.

    Recordings with another rate than 16 kHz are named in a line on standard error, because they will be converted.

    Parameters
    ----------
    folder: the folder with the corpus's recordings, at any depth.
    names: as in the kit's list, with or without folders and ending. Of several files with the same name, that in the
        folders that the list names is taken.
    """
    if not folder.is_dir():
        sys.exit(f"{folder}: no such folder; set --audio to the folder that contains {names[0]}.")
    there: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(folder.rglob("*")):
        if path.suffix[1:].upper() in _ENDINGS and path.is_file():
            there[normalize("NFC", path.stem)].append(path)
    found, problems = [], defaultdict(list)
    rates: Counter[int] = Counter()
    for name in names:
        exact = folder / name
        paths = [exact] if exact.is_file() else there[_stem(name)]
        problem = _problem(folder, paths)
        if problem:
            problems[problem].append(name)
        else:
            found.append(paths[0])
            rates[soundfile.info(paths[0]).samplerate] += 1
    if problems:
        lines = []
        for problem, named in problems.items():
            others = f" and {len(named) - 1} more of {len(names)}" if len(named) > 1 else ""
            lines.append(f"{named[0]}{others}: {problem}")
        sys.exit("\n".join([f"{folder}: recordings that cannot be used", *lines]))
    for rate, count in sorted(rates.items()):
        if rate != RATE:
            missing = f"; they contain no frequencies above {rate // 2:,} Hz" if rate < RATE else ""
            print(
                f"{count} of {len(names)} recordings have {rate:,} samples per second; they are converted to "
                f"{RATE:,}{missing}",
                file=sys.stderr,
            )
    return found


_ENDINGS = frozenset(soundfile.available_formats()) | {"AIF"}


def _stem(name: str) -> str:
    """Return a recording's name without folders and without the ending of a sound file."""
    path = Path(normalize("NFC", name))
    return path.stem if path.suffix[1:].upper() in _ENDINGS else path.name


def _problem(folder: Path, paths: Sequence[Path]) -> str:
    """Return why a recording cannot be used and how to fix it; empty if it can be used."""
    if not paths:
        return "missing; set --audio to the folder with all recordings of this set"
    if len(paths) > 1:
        both = " and ".join(str(path.relative_to(folder)) for path in paths[:2])
        return f"{len(paths)} files have this name, {both}; keep one"
    (path,) = paths
    if not path.stat().st_size:
        return "the file is empty; copy it from the corpus again"
    try:
        about = soundfile.info(path)
    except soundfile.LibsndfileError as error:
        return f"not a recording that can be read ({error.error_string.rstrip('.')}); copy it from the corpus again"
    if not about.frames:
        return "the file has no samples; copy it from the corpus again"
    if about.frames * RATE // about.samplerate < SHORTEST:
        return "shorter than 25 ms; remove it from the list, or copy it from the corpus again"
    if about.channels != 1:
        return f"{about.channels} channels; expected 1; convert: ffmpeg -i OLD -ac 1 NEW.wav"
    if about.format == "WAV" and _bytes_promised(path) > path.stat().st_size:
        return "the file is truncated; copy it from the corpus again"
    return ""


def _bytes_promised(path: Path) -> int:
    """Return the size of a WAV file according to its header; libsndfile reads a truncated one up to its end."""
    with open(path, "rb") as source:
        head = source.read(8)
    return 8 + int.from_bytes(head[4:], "little") if head[:4] == b"RIFF" else 0


def read_samples(path: Path) -> np.ndarray:
    """Return the samples of a recording that `find_recordings` accepted: int16 at 16 kHz, shape=(n,).

    If the recording is silent, a line on standard error says so.
    """
    samples, rate = soundfile.read(path, dtype="float64")
    if rate != RATE:
        samples = soxr.resample(samples, rate, RATE, quality="VHQ")
    samples = np.clip(np.round(32768 * samples), -32768, 32767).astype(np.int16)
    if len(samples) and np.abs(samples.astype(int)).max() < SILENT:
        print(f"{path}: warning: the recording is silent", file=sys.stderr)
    return samples


def with_progress(items: Sequence[_T], *, doing: str, stream: TextIO | None = None) -> Iterator[_T]:
    """Yield items one by one; print how many are done and the remaining time.

    On a terminal it rewrites one line twice a second; into a file it writes a line for each tenth of the items. Give it
    to `zip` as the first argument: as a later one, it does not learn that the last item is done.

    Parameters
    ----------
    items: recordings, say.
    doing: what is done with them, in the past tense: "Recognised".
    stream: in place of standard error.
    """
    stream = stream or sys.stderr
    begin, end = ("\r", " ") if stream.isatty() else ("", "\n")
    total = len(items)
    began = shown = time.monotonic()
    for done, item in enumerate(items):
        now = time.monotonic()
        due = now - shown > 0.5 if stream.isatty() else 10 * done // total > 10 * (done - 1) // total
        if done and due:
            left = (now - began) / done * (total - done)
            print(f"{begin}{doing}: {done} of {total}, {left:.0f} s left", end=end, file=stream, flush=True)
            shown = now
        yield item
    blank = "          " if stream.isatty() else ""
    print(f"{begin}{doing}: {total} in {time.monotonic() - began:.0f} s{blank}", file=stream, flush=True)
