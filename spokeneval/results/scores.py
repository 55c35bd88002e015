"""`scores.json` and `scores.txt`, written so that they are whole or absent."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Union

Score = Union[int, float]

SCORE_FILES = ("scores.json", "scores.txt")

LARGEST = 1e10
"""A platform cannot store a score of this size or more."""


def checked_scores(scores: Mapping[str, Score], keys: Sequence[str]) -> dict[str, Score]:
    """The scores in the order of `keys`, as plain numbers.

    Raises
    ------
    ValueError: a key missing or unknown, or a score that no platform can store (not finite, 1e10 and more).
    """
    if set(scores) != set(keys):
        raise ValueError(f"scores {sorted(scores)}; expected {sorted(keys)}")
    checked: dict[str, Score] = {}
    for key in keys:
        score = scores[key]
        number = int(score) if isinstance(score, int) and not isinstance(score, bool) else float(score)
        if not (math.isfinite(number) and abs(number) < LARGEST):
            raise ValueError(f"score {key} is {number!r}; expected a finite number below 1e10")
        checked[key] = number
    return checked


def write_scores(directory: Path, scores: Mapping[str, Score]) -> None:
    """Write both files: JSON for Codabench, `key: value` lines for CodaLab; every number at full precision. If one
    cannot be written, neither is there."""
    lines = "".join(f"{key}: {score!r}\n" for key, score in scores.items())
    write_file(directory / "scores.txt", lines)
    try:
        write_file(directory / "scores.json", json.dumps(scores, indent=2) + "\n")
    except OSError:
        (directory / "scores.txt").unlink()
        raise


def write_file(path: Path, text: str) -> None:
    """Write a file at once: a reader finds the whole text or no file, whenever the program is stopped."""
    unfinished = path.with_name(f".{path.name}.unfinished")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    try:
        with open(str(unfinished), "xb") as stream:
            stream.write(text.encode("utf-8"))
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(str(unfinished), str(path))
    except OSError:
        with suppress(OSError):
            unfinished.unlink()
        raise
