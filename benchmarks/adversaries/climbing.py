"""Random climbing: many random answers, each weighted by its score.

A random answer agrees with the hidden labels a little more or less than half of the time, and its score shows which.
The sum of k answers, weighted by their scores, is a guess that is right about sqrt(k / n) more often than chance, for
any metric. Blum and Hardt, The Ladder (arXiv 1502.04585), section 5.1, take the majority of the answers that beat the
median; weights use the same numbers slightly better. If the answers are those of the baseline, with the doubtful ones
drawn at random, the adversary improves an honest system.

Whitehill (arXiv 1506.01744, 1707.01825) decodes labels from AUC and log-loss, which no task has. The same ideas are
tested with other metrics. AUC is a ratio of integers; `integer_program` uses this for counts. In log-loss, each label
adds its own number; `weights` uses this for the sum of products in a correlation.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .boards import Board, Line, points_right
from .cases import Case


class Asked(NamedTuple):
    """Random answers and their scores.

    Attributes
    ----------
    directions: shape=(k, n), -1 or 1: which of two values each answer has.
    lines: k lines in full precision; a board shows less.
    """

    directions: np.ndarray
    lines: list[Line]


def two_valued(case: Case) -> Callable[[np.ndarray], Any]:
    """Return a function from directions to a submission with the case's pair of values."""
    low, high = case.pair
    return lambda directions: case.give(np.where(directions > 0, high, low))


def settle(case: Case, found: np.ndarray) -> np.ndarray:
    """Return the directions of the last submission from votes: all; the surest quarter of ratings; scaled numbers."""
    if not found.any():
        return np.full(len(found), 0.0)
    if not case.ordinal:
        return np.where(found > 0, 1.0, -1.0)
    if case.task.name == "content_accuracy":
        return np.clip(0.35 * found / found.std(), -1, 1)
    return np.sign(found) * (np.abs(found) >= np.quantile(np.abs(found), 0.75))


def ask_at_random(
    board: Board, submit: Callable[[np.ndarray], Any], attempts: int, rng: np.random.Generator
) -> Asked:
    """Ask with random directions; exact lines are kept, so that one round can be used for every board."""
    directions = np.where(rng.random((attempts, len(board.case.labels))) < 0.5, 1.0, -1.0)
    return Asked(directions, [board.exact(submit(each)) for each in directions])


def votes(asked: Asked, weights: np.ndarray) -> np.ndarray:
    """Return the sum of the answers, each weighted by its line's excess over the mean; shape=(n,)."""
    return (weights - weights.mean()) @ asked.directions


def primary_weights(board: Board, lines: Sequence[Line]) -> np.ndarray:
    """Return the shown primary scores; larger is better."""
    return np.array([board.signed(board.shown(line)) for line in lines])


def deal(case: Case, found: np.ndarray) -> np.ndarray:
    """Return answers with the known shares of the labels, the higher ones where the votes are higher; shape=(n,)."""
    values, shares = list(case.shares), list(case.shares.values())
    bounds = np.rint(np.cumsum(shares) * len(found)).astype(int)[:-1]
    dealt = np.empty(len(found), dtype=int)
    for value, places in zip(values, np.split(np.argsort(found, kind="stable"), bounds), strict=True):
        dealt[places] = value
    return dealt


def informed_end(board: Board, asked: Asked) -> Any:
    """Return the system with its doubtful answers set by the votes if the board ranks that higher, else unchanged."""
    found = votes(asked, primary_weights(board, asked.lines))
    end = board.case.vary(settle(board.case, found))
    start = board.case.give(board.case.system)
    return end if board.score(end) > board.score(start) else start


def blind_points(board: Board, asked: Asked, rng: np.random.Generator) -> float:
    """Return the points above chance that the votes find; ties are broken at random."""
    found = votes(asked, primary_weights(board, asked.lines))
    return points_right(board.case.labels, deal(board.case, found + 1e-9 * rng.normal(size=len(found))))
