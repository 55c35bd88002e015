"""`scores.json` and `scores.txt`, written so that they are whole or absent."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path

from ..task import Number
from .files import write_file

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
