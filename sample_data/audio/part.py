"""What a challenge adds to `make audio`: steps, each with the time it takes, and the boards that they end in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from sample_data.audio.board import Board


class Step(NamedTuple):
    """A step of the work on one seed.

    Attributes
    ----------
    title: what it does.
    seconds: on two idle cores; the time left is reckoned from it.
    run: takes the seed's folder and the seed.
    """

    title: str
    seconds: float
    run: Callable[[Path, int], None]


class Part(NamedTuple):
    """A challenge's steps, in order, and the boards of what they left in a seed's folder."""

    steps: Sequence[Step]
    boards: Callable[[Path], Sequence[Board]]
