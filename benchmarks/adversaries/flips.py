"""Single flips: one answer is changed, and the adversary observes whether the board changes.

Blind flips start from any answers. With steps, a flip is visible only if the score is at the edge of a step. An
adversary with two sets of answers on the two sides of an edge finds it by bisection, and then learns one label in each
attempt.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .boards import Board

Give = Callable[[np.ndarray], Any]


class Flips(NamedTuple):
    """Result of single flips: how many were visible, how many of these in the right direction, and the answers."""

    asked: int
    shown: int
    right: int
    answers: np.ndarray


def flip_each(board: Board, answers: np.ndarray, places: np.ndarray, attempts: int) -> Flips:
    """Flip one binary answer after the other, and keep each flip that raises the primary score."""
    labels, give = board.case.labels, board.case.give
    answers = answers.copy()
    start = board.ask(give(answers))
    shown = right = asked = 0
    kept = answers.copy()
    for place in places.tolist():
        if board.attempts >= attempts:
            break
        changed = answers.copy()
        changed[place] = 1 - changed[place]
        line = board.ask(give(changed))
        asked += 1
        shown += line != start
        better = board.signed(line) - board.signed(start)
        right += better != 0 and (better > 0) == (changed[place] == labels[place])
        if better > 0:
            kept[place] = changed[place]
    return Flips(asked, shown, right, kept)


def flip_at_edge(
    board: Board, worse: np.ndarray, better: np.ndarray, places: np.ndarray, attempts: int
) -> Flips:
    """Find the edge of a step between two sets of answers, then flip answers there: if the score crosses it, the
    answer was wrong.

    The returned answers are the better ones, corrected by the flips.
    """
    give, labels = board.case.give, board.case.labels
    differing = np.flatnonzero(worse != better)

    def between(size: int) -> np.ndarray:
        answers = worse.copy()
        answers[differing[:size]] = better[differing[:size]]
        return answers

    low = board.signed(board.ask(give(worse)))
    high = board.signed(board.ask(give(better)))
    kept = better.copy()
    if low == high:
        return Flips(0, 0, 0, kept)
    below, above = 0, len(differing)
    while above - below > 1 and board.attempts < attempts:
        middle = (below + above) // 2
        if board.signed(board.ask(give(between(middle)))) == low:
            below = middle
        else:
            above = middle
    edge = between(below)
    shown = right = asked = 0
    for place in places.tolist():
        if board.attempts >= attempts:
            break
        changed = edge.copy()
        changed[place] = 1 - changed[place]
        crossed = board.signed(board.ask(give(changed))) > low
        asked += 1
        shown += crossed
        told = changed[place] if crossed else edge[place]
        right += told == labels[place]
        kept[place] = told
    return Flips(asked, shown, right, kept)
