"""Content accuracy: predictions that are powers of four, decoded from the squared error or Pearson's r.

With predictions p and human scores h, N rmse^2 = sum p^2 - 2 sum p h + sum h^2; sum p h follows from r, too. If p is a
power of four at twenty responses and 0 elsewhere, the digits of sum p (h - 1) in base four are these responses' scores.
The mean and the variance of h are assumed to be known: with rmse, two attempts reveal them, all 0 and all 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from .boards import Board, Line, attack

LARGEST = 1000.0
MOST = 20
"""Most labels in each attempt: a double has this many digits beside the square of the largest prediction."""


def decode(board: Board, decoded: np.ndarray, column: str, per_attempt: int = MOST) -> None:
    """Decode the scores from `rmse` or `pearson_r`, some in each attempt."""
    case = board.case
    moments = float(case.labels.sum()), float((case.labels**2).sum())
    board.attempts += 2
    for first in range(0, len(decoded), per_attempt):
        places = np.arange(first, min(first + per_attempt, len(decoded)))
        weights = 2.0 ** np.floor(np.log2(LARGEST / 4.0 ** np.arange(len(places))))
        predicted = np.zeros(len(decoded))
        predicted[places] = weights
        line = board.ask(case.give(predicted))
        if column in line:
            decoded[places] = _digits(_product(line, column, predicted, moments), weights)


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


def most_found(board: Board, column: str, numbers: Sequence[int] = (1, 2, 3, 4, 6, 10, MOST)) -> np.ndarray:
    """Return the best result for several numbers of labels per attempt; few are best if little is shown.

    Labels that are not decoded are the most frequent one.
    """
    case = board.case
    common = max(case.shares, key=case.shares.__getitem__)
    found = [
        attack(
            replace(board),
            partial(decode, column=column, per_attempt=number),
            np.full(len(case.labels), common),
            case.attempts,
        )
        for number in numbers
    ]
    return max(found, key=lambda decoded: int((decoded == case.labels).sum()))
