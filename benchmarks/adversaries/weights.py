"""Content accuracy: predictions that are powers of four, decoded from Pearson's r.

The sum of predictions times human scores, sum p h, follows from r and the mean and the variance of h. If p is a power
of four at twenty responses and 0 elsewhere, the digits of sum p (h - 1) in base four are these responses' scores. The
mean and the variance of h are assumed to be known: two attempts reveal them where rmse is shown, all 0 and all 1.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

import numpy as np

from .boards import Board, attack

LARGEST = 1000.0
MOST = 20
"""Most labels in each attempt: a double has this many digits beside the square of the largest prediction."""


def decode(board: Board, decoded: np.ndarray, per_attempt: int = MOST) -> None:
    """Decode some scores in each attempt."""
    labels = board.case.labels
    total, squares, size = float(labels.sum()), float((labels**2).sum()), len(labels)
    board.attempts += 2
    for first in range(0, size, per_attempt):
        places = np.arange(first, min(first + per_attempt, size))
        weights = 2.0 ** np.floor(np.log2(LARGEST / 4.0 ** np.arange(len(places))))
        predicted = np.zeros(size)
        predicted[places] = weights
        r = board.ask(board.case.give(predicted))["pearson_r"]
        given = math.fsum(predicted)
        spread = math.sqrt(size * math.fsum(predicted**2) - given**2)
        product = (r * spread * math.sqrt(size * squares - total**2) + given * total) / size
        decoded[places] = _digits(product, weights)


def _digits(product: float, weights: np.ndarray) -> np.ndarray:
    """Return labels 1 to 4 whose weighted sum is nearest to a product; each weight is a quarter of the previous one."""
    places = 4.0 ** np.arange(len(weights))[::-1]
    whole = round((product - math.fsum(weights)) / float(weights[-1]))
    whole = min(max(whole, 0), int(places[0]) * 4 - 1)
    return 1 + np.array([whole // int(place) % 4 for place in places.tolist()])


def most_found(board: Board) -> np.ndarray:
    """Return the best result for several numbers of labels per attempt; few are best if little is shown.

    Labels that are not decoded are the most frequent one.
    """
    case = board.case
    found = []
    for number in (1, 2, 3, 4, 6, 10, MOST):
        learned = np.full(len(case.labels), max(case.shares, key=case.shares.__getitem__))
        found.append(attack(replace(board), partial(decode, per_attempt=number), learned, case.attempts))
    return max(found, key=lambda decoded: int((decoded == case.labels).sum()))
