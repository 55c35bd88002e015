"""Content accuracy: predictions that are powers of four, decoded from the squared error or Pearson's r.

With predictions p and human scores h, N rmse^2 = sum p^2 - 2 sum p h + sum h^2; sum p h follows from r, too. If p is a
power of four at twenty responses and 0 elsewhere, the digits of sum p (h - 1) in base four are these responses' scores.
The mean and the variance of h are assumed to be known: with rmse, two attempts reveal them, all 0 and all 1.
"""

from __future__ import annotations

import math

import numpy as np

from .boards import Board, Line
from .cases import Case

LARGEST = 1000.0
MOST = 20
"""Most labels in each attempt: a double has this many digits beside the square of the largest prediction."""


def decode(board: Board, column: str, attempts: int, per_attempt: int = MOST) -> np.ndarray:
    """Return the scores decoded from `rmse` or `pearson_r`; the most frequent score for the remaining responses."""
    case = board.case
    labels = case.labels
    common = max(case.shares, key=case.shares.__getitem__)
    decoded = np.full(len(labels), common)
    moments = float(labels.sum()), float((labels**2).sum())
    board.attempts += 2
    for first in range(0, len(labels), per_attempt):
        if board.attempts >= attempts:
            break
        places = np.arange(first, min(first + per_attempt, len(labels)))
        weights = LARGEST / 4.0 ** np.arange(len(places))
        weights = 2.0 ** np.floor(np.log2(weights))
        predicted = np.zeros(len(labels))
        predicted[places] = weights
        line = board.ask(case.give(predicted))
        if column in line:
            decoded[places] = _digits(_product(line, column, predicted, moments), weights)
    return decoded


def _product(line: Line, column: str, predicted: np.ndarray, moments: tuple[float, float]) -> float:
    """Return the sum of predictions times labels that follows from a shown number."""
    size, (total, squares) = len(predicted), moments
    if column == "rmse":
        return (math.fsum(predicted**2) + squares - size * line[column] ** 2) / 2
    sum_predicted = math.fsum(predicted)
    spread = math.sqrt(size * math.fsum(predicted**2) - sum_predicted**2)
    return (line[column] * spread * math.sqrt(size * squares - total**2) + sum_predicted * total) / size


def _digits(product: float, weights: np.ndarray) -> np.ndarray:
    """Return labels 1 to 4 whose weighted sum is nearest to a product; each weight is a quarter of the previous one."""
    places = 4.0 ** np.arange(len(weights))[::-1]
    whole = round((product - math.fsum(weights)) / float(weights[-1]))
    whole = min(max(whole, 0), int(places[0]) * 4 - 1)
    return 1 + np.array([whole // int(place) % 4 for place in places.tolist()])


def most_found(case: Case, board: Board, column: str, attempts: int) -> np.ndarray:
    """Return the best result for several numbers of labels per attempt; few are best if little is shown."""
    best = None
    for per_attempt in (1, 2, 3, 4, 6, 10, MOST):
        board.attempts = 0
        decoded = decode(board, column, attempts, per_attempt)
        right = int((decoded == case.labels).sum())
        if best is None or right > best[0]:
            best = right, decoded
    assert best is not None
    return best[1]
