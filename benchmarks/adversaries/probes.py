"""Interval probes: labellings with equal counts, which have the same scores but different ends of intervals.

Of ten responses from several sessions, five are correct: 252 labellings have the same counts. Whole sessions are
resampled, so the ends depend on the sessions of the correct responses.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from .boards import Board, Line
from .cases import Case, relabelled

ITEMS, CORRECT = 10, 5


def lines_of_labellings(case: Case, most: int = 252) -> list[Line]:
    """Return the exact lines of one submission to PSST correctness, for labellings with equal counts."""
    places = np.linspace(0, len(case.labels) - 1, ITEMS).astype(int)
    lines = []
    for chosen in list(combinations(places.tolist(), CORRECT))[:: max(1, 252 // most)]:
        labels = case.labels.copy()
        labels[places] = 0
        labels[list(chosen)] = 1
        answers = np.where(np.isin(np.arange(len(labels)), places), 1, case.said)
        lines.append(Board(relabelled(case, labels), ends=True).exact(case.give(answers)))
    return lines
