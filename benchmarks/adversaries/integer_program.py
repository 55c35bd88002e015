"""Labels from counts: the counts that each shown line allows, and the labels that match all counts.

An adversary varies the answers to some items and keeps all others. Each line shows how many of these answers are right:
exactly if the columns are exact, within two bounds if they are rounded. Thirty such counts for random halves leave one
labelling of about forty items, which an integer program finds. The counts that a line allows are found by scoring
invented labels for each count, with the task's own formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from .boards import Board, without_ends
from .cases import relabelled

SECONDS = 5.0


def decode(
    board: Board,
    kept: np.ndarray,
    places: np.ndarray,
    attempts: int,
    rng: np.random.Generator,
    seconds: float = SECONDS,
) -> np.ndarray:
    """Return decoded labels of PSST correctness at some places, and the kept answers elsewhere."""
    case = board.case
    positives = int((case.labels == 1).sum())
    drawn, low, high, seen = [], [], [], []
    while board.attempts < attempts:
        chosen = (rng.random(len(places)) < 0.5).astype(int)
        answers = kept.copy()
        answers[places] = chosen
        line = board.ask(case.give(answers))
        allowed = allowed_counts(board, line, int(answers.sum()), positives)
        drawn.append(chosen)
        low.append(allowed[0])
        high.append(allowed[1])
        seen.append(board.signed(line))
    decoded = kept.copy()
    decoded[places] = solve(
        np.array(drawn), np.array(low), np.array(high), np.array(seen), positives, seconds
    )
    return decoded


def allowed_counts(board: Board, line: Mapping[str, float], answered: int, positives: int) -> tuple[int, int]:
    """Return the smallest and largest number of true positives that give the same line, with known positives."""
    size = len(board.case.labels)
    fewest, most = max(0, answered + positives - size), min(answered, positives)
    shown = without_ends(line)
    better = partial(_signed_with, board, answered, positives)
    target = _sign(board, shown)
    first = _first(lambda count: better(count) >= target - 1e-12, fewest, most)
    last = _first(lambda count: better(count) > target + 1e-12, fewest, most + 1) - 1
    return first, max(first, last)


def _first(holds: Callable[[int], bool], low: int, high: int) -> int:
    """Return the first integer from low to high for which a monotone condition is true, or else high."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def _sign(board: Board, line: Mapping[str, float]) -> float:
    """Return the sum of the shown columns, which all increase with the number of true positives."""
    return float(sum(line.values()))


def _signed_with(board: Board, answered: int, positives: int, true_positives: int) -> float:
    size = len(board.case.labels)
    answers = (np.arange(size) < answered).astype(int)
    labels = np.zeros(size, dtype=int)
    labels[:true_positives] = 1
    labels[answered : answered + positives - true_positives] = 1
    made_up = Board(relabelled(board.case, labels), board.steps)
    return _sign(board, made_up.shown(made_up.exact(board.case.give(answers))))


def solve(
    drawn: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    seen: np.ndarray,
    positives: int,
    seconds: float,
) -> np.ndarray:
    """Return labels of n items that match k counts, and of those the labels that the scores favour most; shape=(n,).

    The number of true positives among the kept answers is a further unknown.
    """
    attempts, size = drawn.shape
    favour = (seen - seen.mean()) @ (2 * drawn - 1)
    scale = max(float(np.abs(favour).max()), 1e-12)
    variables = np.concatenate([-favour / scale, [0.0]])
    counts = np.hstack([drawn, np.ones((attempts, 1))])
    solution = milp(
        variables,
        constraints=LinearConstraint(counts, low, high),
        integrality=np.ones(size + 1),
        bounds=Bounds(0, np.concatenate([np.ones(size), [positives]])),
        options={"time_limit": seconds},
    )
    if solution.x is None:
        return (favour > 0).astype(int)
    return np.rint(solution.x[:size]).astype(int)
