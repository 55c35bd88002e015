"""Ten thousand adaptive submissions to a board on half of the units, and their gain on the sealed half.

Many answers to PSST correctness are counted at once, by matrix products; `tests/security/test_adversaries.py` checks
that the scores are those of the task. The answers depend on the open half only, so any gain on the sealed half is due
to chance; it is averaged over many attacks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from speechbundles.competition.seal import draw_units
from spokeneval.metrics.classification import BinaryCounts
from spokeneval.run.feedback import on_grid
from spokeneval.task import HIGHER

from .boards import Board
from .cases import Case

ROUNDS = 10
"""Number of times that a climb submits its current guess."""


class Halves(NamedTuple):
    """Rows of the reference: the open ones, which the platform has, and the sealed ones."""

    open: np.ndarray
    sealed: np.ndarray


def draw_halves(case: Case, rng: np.random.Generator) -> Halves:
    """Seal half of the units as a build does, but with a random key instead of the labels' hash."""
    units = case.units
    names = [str(unit) for unit in range(units.max() + 1)]
    chosen = [int(name) for name in draw_units(names, 0.5, rng.bytes(32))]
    is_sealed = np.isin(units, chosen)
    return Halves(np.flatnonzero(~is_sealed), np.flatnonzero(is_sealed))


def scores_of_many(case: Case, answers: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return the exact F1 of k submissions to PSST correctness on some rows; shape=(k,).

    Parameters
    ----------
    answers: shape=(k, n), 0 or 1.
    """
    said = answers[:, rows].astype(np.float64)
    correct = (case.labels[rows] == 1).astype(np.float64)
    true_positives = said @ correct
    false_positives = said.sum(axis=1) - true_positives
    false_negatives = correct.sum() - true_positives
    true_negatives = len(rows) - true_positives - false_positives - false_negatives
    counts = BinaryCounts(true_positives, false_positives, false_negatives, true_negatives)
    assert case.task.primary.direction == HIGHER
    scores: np.ndarray = np.asarray(case.task.primary.value(counts))
    return scores


def as_shown(scores: np.ndarray, step: float | None, floor: float | None) -> np.ndarray:
    """Return primary scores as a board shows them."""
    if step is None:
        return scores
    values, places = np.unique(scores, return_inverse=True)
    shown = np.array([on_grid(value, step) for value in values.tolist()])[places]
    return shown if floor is None else np.maximum(shown, floor)


class Gain(NamedTuple):
    """The gain in exact score over the start on each half, in the half's standard errors."""

    open: float
    sealed: float


def climb(
    case: Case,
    halves: Halves,
    errors: Gain,
    attempts: int,
    rng: np.random.Generator,
    *,
    step: float | None = None,
    floor: float | None = None,
    blind: bool = False,
) -> Gain:
    """Climb in rounds of random answers; submit the current guess after each, and keep the best one.

    Parameters
    ----------
    errors: the standard errors of the baseline's score on the two halves.
    blind: start from random answers to all items instead of the baseline and its doubtful answers.
    """
    baseline = case.baseline["prediction"].astype(int)
    size = len(baseline)
    places = np.arange(size) if blind else case.doubtful
    start = rng.permutation(baseline) if blind else baseline
    votes = np.zeros(len(places))
    best = start.copy()
    best_shown = -np.inf
    share = attempts // ROUNDS
    for _ in range(ROUNDS):
        answers = np.repeat(start[np.newaxis], share, axis=0)
        answers[:, places] = rng.random((share, len(places))) < 0.5
        shown = as_shown(scores_of_many(case, answers, halves.open), step, floor)
        votes += (shown - shown.mean()) @ (2.0 * answers[:, places] - 1)
        guess = start.copy()
        guess[places] = np.where(votes == 0, start[places], votes > 0)
        score = as_shown(scores_of_many(case, guess[np.newaxis], halves.open), step, floor)[0]
        if score > best_shown:
            best, best_shown = guess, score
    return _gain(case, halves, errors, start, best)


def _gain(case: Case, halves: Halves, errors: Gain, start: np.ndarray, end: np.ndarray) -> Gain:
    gains = []
    for rows, error in zip(halves, errors, strict=True):
        before, after = scores_of_many(case, np.stack([start, end]), rows)
        gains.append(float(after - before) / error)
    return Gain(*gains)


def hill(
    case: Case,
    halves: Halves,
    errors: Gain,
    attempts: int,
    rng: np.random.Generator,
    *,
    steps: dict[str, float] | None,
    floor: dict[str, float] | None,
    changes: int = 2,
) -> Gain:
    """Change some doubtful answers again and again, and keep each change that raises the score on the board."""
    board = Board(case, steps, floor, rows=halves.open)
    start = case.baseline["prediction"].astype(int)
    answers = start.copy()
    best = board.signed(board.ask(case.give(answers)))
    while board.attempts < attempts:
        changed = answers.copy()
        places = rng.choice(case.doubtful, changes, replace=False)
        changed[places] = 1 - changed[places]
        score = board.signed(board.ask(case.give(changed)))
        if score > best:
            answers, best = changed, score
    return _gain(case, halves, errors, start, answers)
