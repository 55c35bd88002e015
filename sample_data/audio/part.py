"""A challenge's part of `make audio`: steps with their durations, and the resulting leaderboards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sample_data.audio.board import Board


class Step(NamedTuple):
    """A step of the work on one seed.

    Attributes
    ----------
    title: shown while the step runs.
    seconds: duration on two idle cores, used to estimate the remaining time.
    run: called with the seed's folder and the seed.
    """

    title: str
    seconds: float
    run: Callable[[Path, int], None]


class Part(NamedTuple):
    """A challenge's steps, in order, and a function that makes the leaderboards from a seed's folder."""

    steps: Sequence[Step]
    boards: Callable[[Path], Sequence[Board]]
