"""Ten thousand adaptive submissions to a board on half of the units, and their gain on the sealed half.

Many answers to PSST correctness are counted at once, by matrix products; `tests/security/test_adversaries.py` checks
that the scores are those of the task. The answers depend on the open half only, so any gain on the sealed half is due
to chance; it is averaged over many attacks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from speechbundles.competition.seal import draw_units
from spokeneval.metrics.classification import BinaryCounts
from spokeneval.scoring.options import choose_step, on_grid
from spokeneval.task import HIGHER

from .cases import Case, standard_errors

ROUNDS = 10
"""Number of times that a climb submits its current guess."""


class Half(NamedTuple):
    """Rows of the counts, and the standard error of the baseline's primary score on them."""

    rows: np.ndarray
    error: float


class Halves(NamedTuple):
    """The open half, which the platform has, and the sealed one."""

    open: Half
    sealed: Half


def draw_halves(case: Case, rng: np.random.Generator) -> Halves:
    """Seal half of the units as a build does, but with a random key instead of the labels' hash."""
    units = np.unique(list(case.task.units(case.reference).of.values()), return_inverse=True)[1]
    numbers = range(units.max() + 1)
    chosen = [int(name) for name in draw_units([str(unit) for unit in numbers], 0.5, rng.bytes(32))]
    parts = np.setdiff1d(numbers, chosen), np.sort(chosen)
    rows = (np.flatnonzero(np.isin(units, part)) for part in parts)
    return Halves(*map(Half, rows, (standard_errors(case, part)[case.task.primary.key] for part in parts)))


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
    return np.asarray(case.task.primary.value(counts))


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
    case: Case, halves: Halves, attempts: int, rng: Any, kind: str = "exact", *, blind: bool = False
) -> Gain:
    """Climb in rounds of random answers; submit the current guess after each, and keep the best one.

    Parameters
    ----------
    kind: "exact", or the step in standard errors, with " floor" if there is one, as in `board_of`.
    blind: start from random answers to all items instead of the baseline and its doubtful answers.
    """
    multiple, _, floored = kind.partition(" ")
    step = None if kind == "exact" else choose_step(float(multiple) * halves.open.error)
    floor = None

    def shown(answers: np.ndarray) -> np.ndarray:
        return as_shown(scores_of_many(case, answers, halves.open.rows), step, floor)

    if floored:
        floor = float(shown(case.said[np.newaxis])[0])
    places = np.arange(len(case.said)) if blind else case.doubtful
    start = rng.permutation(case.said) if blind else case.said
    votes = np.zeros(len(places))
    best, best_shown = start, -np.inf
    share = attempts // ROUNDS
    for _ in range(ROUNDS):
        answers = np.repeat(start[np.newaxis], share, axis=0)
        answers[:, places] = rng.random((share, len(places))) < 0.5
        seen = shown(answers)
        votes += (seen - seen.mean()) @ (2.0 * answers[:, places] - 1)
        guess = start.copy()
        guess[places] = np.where(votes == 0, start[places], votes > 0)
        score = shown(guess[np.newaxis])[0]
        if score > best_shown:
            best, best_shown = guess, score
    gains = []
    for rows, error in halves:
        before, after = scores_of_many(case, np.stack([start, best]), rows)
        gains.append(float(after - before) / error)
    return Gain(*gains)
