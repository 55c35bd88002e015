"""Labels from counts: the counts that each shown line allows, and the labels that match all counts.

An adversary varies the answers to some items and keeps all others. Each line shows how many of these answers are right:
exactly if the columns are exact, within two bounds if they are rounded. Thirty such counts for random halves leave one
labelling of about forty items, which an integer program finds. The counts that a line allows are found by scoring
invented labels for each count, with the task's own formulas.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from .boards import Board, Line
from .cases import relabelled

SECONDS = 5.0


def decode(
    board: Board, kept: np.ndarray, places: np.ndarray, rng: np.random.Generator, seconds: float = SECONDS
) -> np.ndarray:
    """Return decoded labels of PSST correctness at some places, and the kept answers elsewhere."""
    case = board.case
    positives = int((case.labels == 1).sum())
    drawn, bounds, seen = [], [], []
    for _ in range(case.attempts):
        drawn.append((rng.random(len(places)) < 0.5).astype(int))
        answers = kept.copy()
        answers[places] = drawn[-1]
        line = board.ask(case.give(answers))
        bounds.append(allowed_counts(board, line, int(answers.sum()), positives))
        seen.append(board.signed(line))
    decoded = kept.copy()
    decoded[places] = solve(np.array(drawn), *np.array(bounds).T, np.array(seen), positives, seconds)
    return decoded


def allowed_counts(board: Board, line: Line, answered: int, positives: int) -> tuple[int, int]:
    """Return the smallest and largest number of true positives that give the same line, with known positives.

    The sum of the shown columns is compared: they all increase with the number of true positives.
    """
    size = len(board.case.labels)
    answers = board.case.give((np.arange(size) < answered).astype(int))

    def shown(true_positives: int) -> float:
        labels = np.zeros(size, dtype=int)
        labels[:true_positives] = 1
        labels[answered : answered + positives - true_positives] = 1
        made_up = Board(relabelled(board.case, labels), board.steps)
        return float(sum(made_up.ask(answers).values()))

    fewest, most = max(0, answered + positives - size), min(answered, positives)
    target = float(sum(line.values()))
    first = fewest + bisect_left(range(fewest, most), target - 1e-12, key=shown)
    last = fewest + bisect_right(range(fewest, most + 1), target + 1e-12, key=shown) - 1
    return first, max(first, last)


def solve(
    drawn: np.ndarray, low: np.ndarray, high: np.ndarray, seen: np.ndarray, positives: int, seconds: float
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
