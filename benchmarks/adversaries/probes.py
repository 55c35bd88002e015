"""Interval probes: labellings with equal counts, which the point scores cannot tell apart and an interval's ends can.

Ten responses of several sessions, five of them correct: 252 labellings with the same counts. Sessions are drawn whole,
so the ends depend on which session the correct ones are in.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import numpy as np

from .boards import Board, Line, entropy
from .cases import Case, relabelled

ITEMS, CORRECT = 10, 5


def lines_of_labellings(case: Case, most: int = 252) -> list[Line]:
    """The exact lines of one submission under labellings with equal counts: a set of PSST correctness."""
    places = np.linspace(0, len(case.labels) - 1, ITEMS).astype(int)
    lines = []
    for chosen in list(combinations(places.tolist(), CORRECT))[:: max(1, 252 // most)]:
        labels = case.labels.copy()
        labels[places] = 0
        labels[list(chosen)] = 1
        answers = np.where(np.isin(np.arange(len(labels)), places), 1, case.baseline["prediction"])
        lines.append(Board(relabelled(case, labels), ends=True).exact(case.give(answers)))
    return lines


def bits(case: Case, lines: list[Line], steps: Mapping[str, float] | None) -> float:
    """What a board with these steps tells of which labelling it is."""
    board = Board(case, steps)
    return entropy([board.shown(line) for line in lines])
