"""Random climbing: many random answers, each weighted by the score that it got.

A random answer agrees with the hidden labels a little more or a little less than half of the time, and its score tells
which. Added up with their scores as weights, k answers give a guess that is right about sqrt(k / n) more often than
chance, whatever the metric. Blum and Hardt, The Ladder (arXiv 1502.04585), section 5.1, take the majority of the
answers that beat the median; weights use the same numbers a little better. Where the answers are the baseline's own
with the doubtful ones drawn at random, the adversary climbs from an honest system.

Whitehill (arXiv 1506.01744, 1707.01825) reads labels from AUC and log-loss. No task has either. What reads an AUC, that
a ranking's score is a ratio of whole numbers, is what `integer_program` does with counts; what reads a log-loss, that
each label adds a number of its own, is what `weights` does with squared errors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .boards import Board, Line
from .cases import Case


class Asked(NamedTuple):
    """Random answers and what they score.

    Attributes
    ----------
    directions: shape=(k, n), -1 or 1: which of two values each answer gave.
    lines: k lines at full precision; a board shows less of them.
    """

    directions: np.ndarray
    lines: list[Line]


def two_valued(case: Case) -> Callable[[np.ndarray], Any]:
    """Directions -> a submission with the case's pair of values."""
    low, high = case.pair
    return lambda directions: case.give(np.where(directions > 0, high, low))


def settle(case: Case, found: np.ndarray) -> np.ndarray:
    """Votes -> the directions of the last submission: all that won, of ratings the surest quarter, numbers a little."""
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
    """Ask with random directions; the lines are kept exact, so that one round serves every board."""
    directions = np.where(rng.random((attempts, len(board.case.labels))) < 0.5, 1.0, -1.0)
    return Asked(directions, [board.exact(submit(each)) for each in directions])


def votes(asked: Asked, weights: np.ndarray) -> np.ndarray:
    """The answers added up, each weighted by what its line has above the others'; shape=(n,)."""
    return (weights - weights.mean()) @ asked.directions


def primary_weights(board: Board, lines: Sequence[Line]) -> np.ndarray:
    """The shown primary score, larger for better."""
    return np.array([board.signed(board.shown(line)) for line in lines])


def fitted_weights(board: Board, lines: Sequence[Line], trained: Asked) -> np.ndarray:
    """The agreement with the labels that all shown columns together foretell.

    The coefficients are fitted by least squares on other answers whose agreement is known: an adversary gets them from
    labels drawn at home.
    """
    labels = board.case.labels
    there = labels >= 0
    if board.rows is not None:
        there &= np.isin(board.case.rows, board.rows)
    target = trained.directions @ np.where(there, labels - labels[there].mean(), 0.0)
    table = _table(board, trained.lines)
    mean, spread = table.mean(axis=0), table.std(axis=0)
    used = spread > 1e-12
    if not used.any():
        return np.zeros(len(lines))
    scaled = (table[:, used] - mean[used]) / spread[used]
    ridge = scaled.T @ scaled + 1e-3 * len(scaled) * np.eye(used.sum())
    coefficients = np.linalg.solve(ridge, scaled.T @ (target - target.mean()))
    return (_table(board, lines)[:, used] - mean[used]) / spread[used] @ coefficients


def _table(board: Board, lines: Sequence[Line]) -> np.ndarray:
    shown = [list(board.shown(line).values()) for line in lines]
    return np.array(shown, dtype=float).reshape(len(shown), -1)


def deal(case: Case, found: np.ndarray) -> np.ndarray:
    """Answers in the known shares of the labels, the higher ones where more was found; shape=(n,)."""
    values, shares = list(case.shares), list(case.shares.values())
    bounds = np.rint(np.cumsum(shares) * len(found)).astype(int)[:-1]
    dealt = np.empty(len(found), dtype=int)
    for value, places in zip(values, np.split(np.argsort(found, kind="stable"), bounds), strict=True):
        dealt[places] = value
    return dealt


def informed_end(board: Board, asked: Asked) -> Any:
    """The baseline with what the votes say of its doubtful answers, if the board calls that better; else as it was."""
    found = votes(asked, primary_weights(board, asked.lines))
    end = board.case.vary(settle(board.case, found))
    better = board.signed(board.ask(end)) > board.signed(board.ask(board.case.baseline))
    return end if better else board.case.baseline
