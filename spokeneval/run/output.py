"""What a scoring program writes: every file is whole or absent, whenever the program is stopped."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from ..task import Number

SCORE_FILES = ("scores.json", "scores.txt")

LARGEST = 1e10
"""A platform cannot store a score of this size or more."""


def check_scores(scores: Mapping[str, Number]) -> None:
    """Refuse a score that no platform can store.

    Raises
    ------
    ValueError: a score that is not finite, or 1e10 and more.
    """
    for key, score in scores.items():
        if not (math.isfinite(score) and abs(score) < LARGEST):
            raise ValueError(f"score {key} is {score!r}; expected a finite number below 1e10")


def write_scores(directory: Path, scores: Mapping[str, Number]) -> None:
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
