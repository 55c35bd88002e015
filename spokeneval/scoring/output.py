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
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Optional, TextIO

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
    write_file(directory / "scores.txt", "".join(f"{key}: {score!r}\n" for key, score in scores.items()))
    try:
        write_file(directory / "scores.json", json.dumps(scores, indent=2) + "\n")
    except OSError:
        (directory / "scores.txt").unlink()
        raise


_DEVICES = (Path("/dev"), Path("/dev/fd"))
"""Folders whose files are not replaced; `/dev/shm` has files as any other folder."""


def write_file(path: Path, text: str) -> None:
    """Write a file atomically: it contains the whole text or does not exist, even if the program is stopped.

    Pipes and devices, such as `/dev/stdout`, are written to, not replaced. An OSError names the file; that of a full
    disk has no name of its own.
    """
    unfinished = path.with_name(f".{path.name}.unfinished")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    try:
        replaced = not (path.parent in _DEVICES or path.is_fifo() or path.is_char_device())
        with open(str(unfinished if replaced else path), "xb" if replaced else "ab") as stream:
            stream.write(text.encode("utf-8"))
        if replaced:
            os.replace(str(unfinished), str(path))
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from None


_VOICES: dict[bool, TextIO] = {}
"""The streams of `say` while all others are `silent`: standard output, and standard error by True."""


@contextmanager
def silent() -> Iterator[None]:
    """Drop everything that is printed, or written to the descriptors of standard output and error, except by `say`.

    A task's code may print labels, and participants can read what a program prints.
    """
    streams = sys.stdout, sys.stderr
    kept = [os.dup(1), os.dup(2)]
    with open(os.devnull, "w") as nothing, ExitStack() as opened:
        for stream, descriptor, copy in zip(streams, (1, 2), kept):
            stream.flush()
            own = _descriptor(stream) == descriptor
            _VOICES[descriptor == 2] = opened.enter_context(_text(copy)) if own else stream
        sys.stdout = sys.stderr = nothing
        try:
            for descriptor in (1, 2):
                os.dup2(nothing.fileno(), descriptor)
            yield
        finally:
            for stream, descriptor, copy in zip(streams, (1, 2), kept):
                stream.flush()  # what was kept in a buffer is dropped, too
                os.dup2(copy, descriptor)
            sys.stdout, sys.stderr = streams
            _VOICES.clear()
    for copy in kept:
        os.close(copy)


def _descriptor(stream: TextIO) -> int:
    try:
        return stream.fileno()
    except (OSError, ValueError, AttributeError):  # in memory, or closed
        return -1


def _text(descriptor: int) -> TextIO:
    return open(descriptor, "w", encoding="utf-8", errors="backslashreplace", closefd=False)


def say(words: str, *, error: bool = False) -> None:
    """Print to standard output or standard error.

    If a reader such as `head` has closed the pipe, nothing is printed, and the program goes on, so that
    its files are written. An OSError, such as that of a full disk, names the stream.
    """
    stream = _VOICES.get(error) or (sys.stderr if error else sys.stdout)
    try:
        print(words, file=stream, flush=True)
    except OSError as failure:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # for what is left in the buffer
        if failure.errno not in (errno.EPIPE, errno.EINVAL):  # Windows reports a closed pipe as EINVAL
            called = f"standard {'error' if error else 'output'}"
            raise OSError(failure.errno, failure.strerror, called) from None


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
    headings = {score.key: score.heading for score in task.scores}
    width = max(map(text_width, headings.values()))
    lines = []
    for score in (score for score in task.scores if score.key in scores):
        blanks = " " * (width - text_width(headings[score.key]))
        line = f"  {headings[score.key]}{blanks}  {_shown(scores[score.key]):>10}"
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
