"""The output of the programs: their files, and what they print.

A file is either complete or absent, even if the program is stopped.
"""

from __future__ import annotations

import errno
import json
import math
import os
import sys
import unicodedata
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Optional

from ..task import Number, Task

SCORE_FILES = ("scores.json", "scores.txt")

RECEIVED = "received"
"""The score of every accepted submission, 1, where the labels of a hidden set stay at home."""

INTERRUPTED = 130
"""Exit status of a program that was stopped by Ctrl-C."""

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
    """Write a file atomically: it contains the whole text or does not exist, even if the program is stopped.

    An OSError names the file; that of a full disk has no name of its own.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    try:
        with open(str(unfinished), "xb") as stream:
            stream.write(text.encode("utf-8"))
        os.replace(str(unfinished), str(path))
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


def say(words: str, *, error: bool = False) -> None:
    """Print to standard output or standard error. If a reader such as `head` has closed the pipe, nothing is printed.

    The program goes on, so that its files are written.
    """
    stream = sys.stderr if error else sys.stdout
    try:
        print(words, file=stream, flush=True)
    except OSError as error:
        if error.errno not in (errno.EPIPE, errno.EINVAL):  # Windows reports a closed pipe as EINVAL
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def score_table(
    task: Task,
    scores: Mapping[str, Number],
    intervals: Mapping[str, tuple[float, float]],
    baseline: Optional[Mapping[str, Number]] = None,
) -> list[str]:
    """The lines of a table of the task's scores, one for each score that there is.

    Parameters
    ----------
    intervals
        The 95 % confidence intervals, `key -> (low, high)`; they may be of some scores only.
    baseline
        The baseline's scores on the same set, if they are known.
    """
    width = max(text_width(score.heading) for score in task.scores)
    lines = []
    for score in (score for score in task.scores if score.key in scores):
        blanks = " " * (width - text_width(score.heading))
        line = f"  {score.heading}{blanks}  {_shown(scores[score.key]):>10}"
        if baseline and score.key in baseline:
            line += f"   baseline {_shown(baseline[score.key]):>10}"
        if score.key in intervals:
            low, high = intervals[score.key]
            line += f"   95 % interval {low:.4f} to {high:.4f}"
        lines.append(line)
    return lines


def text_width(text: str) -> int:
    """The number of columns of a terminal that a text takes: two for a Chinese character, none for a combining mark.

    Examples
    --------
    >>> text_width("wer"), text_width("系统"), text_width("e\N{COMBINING ACUTE ACCENT}")
    (3, 4, 1)
    """
    return sum(
        0
        if unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 1 + (unicodedata.east_asian_width(char) in ("W", "F"))
        for char in text
    )


def _shown(value: Number) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4f}"
