"""The output files of a scoring program. A file is either complete or absent, even if the program is stopped."""

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
"""Platforms cannot store scores of this absolute value or more."""


def check_scores(scores: Mapping[str, Number]) -> None:
    """Check that platforms can store all scores.

    Raises
    ------
    ValueError
        A score is not finite, or its absolute value is 1e10 or more.
    """
    for key, score in scores.items():
        if not (math.isfinite(score) and abs(score) < LARGEST):
            raise ValueError(f"score {key} is {score!r}; expected a finite number below 1e10")


def write_scores(directory: Path, scores: Mapping[str, Number]) -> None:
    """Write the scores at full precision to both files: JSON for Codabench, `key: value` lines for CodaLab.

    If one file cannot be written, neither exists afterwards.
    """
    lines = "".join(f"{key}: {score!r}\n" for key, score in scores.items())
    write_file(directory / "scores.txt", lines)
    try:
        write_file(directory / "scores.json", json.dumps(scores, indent=2) + "\n")
    except OSError:
        (directory / "scores.txt").unlink()
        raise


def write_file(path: Path, text: str) -> None:
    """Write a file atomically: it contains the whole text or does not exist, even if the program is stopped."""
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
