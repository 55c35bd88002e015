"""Ranks of systems, and sets of ranks that hold for all systems at once with 95 % confidence.

Equal scores, to `DECIMALS` decimals, share the better rank. A system's true rank is 1 plus the number of systems that
are truly better. A system is *known to be better* than another if the hypothesis that it is not better is rejected; its
best rank is then 1 plus the number of systems known to be better, its worst rank the number of systems less those known
to be worse. As long as no true hypothesis is rejected, all these ranks hold, so a single risk of 5 % covers the whole
board.

Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks (Review of Economic Studies 91, 2024), sections 3.2
and 3.3, with the stepdown of Romano and Wolf (Econometrica 73, 2005).
"""

from __future__ import annotations

import math

import numpy as np

from ..metrics.bootstrap import SEED
from .multiple_comparisons import SIGNIFICANCE

DECIMALS = 10
"""Scores that agree to this many decimals are equal: Codabench and CodaLab store no more."""

LEAST = 10.0**-DECIMALS
"""The smallest difference of two scores."""


def ranks(scores: np.ndarray, *, higher: bool) -> np.ndarray:
    """Ranks of scores, shape=(..., s), along the last axis: 1 plus the number of better scores.

    >>> ranks(np.array([3.0, 5.0, 5.0, 1.0]), higher=True).tolist()
    [3, 1, 1, 4]
    """
    scores = np.round(scores if higher else -scores, DECIMALS)
    better = scores[..., np.newaxis, :] > scores[..., :, np.newaxis]
    places: np.ndarray = 1 + better.sum(axis=-1)
    return places


def ranks_known(better: np.ndarray) -> list[tuple[int, int]]:
    """Best and worst ranks from bool, shape=(s, s): system a is known to be better than b where `better[a, b]`.

    >>> ranks_known(np.array([[False, True, True], [False, False, False], [False, False, False]]))
    [(1, 1), (2, 3), (2, 3)]
    """
    best, worst = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return [(int(first), int(last)) for first, last in zip(best, worst)]


def rank_sets(
    scores: np.ndarray, resampled: np.ndarray, *, units: int, higher: bool
) -> list[tuple[int, int]]:
    """Each system's best and worst rank, from a joint bootstrap.

    For every ordered pair of systems, the hypothesis is that the first is no better than the second; the statistic is
    its lead in score over the standard error of the lead. The critical value is the 95th percentile of the largest
    deviation among the resamples; it is computed again over the remaining pairs, until no more are rejected.

    - A score's distribution may be skewed, as that of a ratio is, and ranks are the same on any scale of the score.
      So a lead is compared with the resamples that fall short of it, and the standard error is that of this side.
    - With few units a standard error is itself uncertain: the deviations of a resample are divided by errors that
      vary as those of normal values would (by a root of chi-squared), which gives the percentile Student's tails. Of
      n units n - 2 are free: a mean and a side were estimated. And as a resample varies by sqrt((n - 1) / n) of what a
      new sample would, errors are widened accordingly.

    Parameters
    ----------
    scores: shape=(s,).
    resampled: shape=(r, s), each system's score in each resample, of the same units for all; a resample in which
        some system has no score (NaN) is left out.
    units: number of units that were drawn from. With so few that by chance all of them favour one system in more than
        5 % of cases (fewer than six), nothing is inferred.

    Returns
    -------
    s pairs (best, worst); from the first to the last rank where nothing is known.

    Examples
    --------
    >>> noise = np.random.RandomState(0).normal(size=(200, 3)) / 10
    >>> rank_sets(np.array([3.0, 1.0, 1.05]), np.array([3.0, 1.0, 1.05]) + noise, units=50, higher=True)
    [(1, 1), (2, 3), (2, 3)]
    """
    systems = len(scores)
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if not len(complete) or 2.0 ** (1 - units) > SIGNIFICANCE:
        return [(1, systems)] * systems
    first, second = np.triu_indices(systems, 1)
    leads = (scores[first] - scores[second]) * (1 if higher else -1)
    moves = (complete[:, first] - complete[:, second]) * (1 if higher else -1) - leads
    short, beyond = (_one_sided_error(np.minimum(moves, 0)), _one_sided_error(np.maximum(moves, 0)))
    freedom = units - 2
    moves /= np.where(moves < 0, short, beyond)
    moves /= np.sqrt(np.random.RandomState(SEED).chisquare(freedom, moves.shape) / freedom)
    widened = math.sqrt(units / (units - 1))
    ahead = behind = np.zeros(len(first), dtype=bool)
    while True:
        largest = np.maximum(
            -moves[:, ~ahead].min(axis=1, initial=0), moves[:, ~behind].max(axis=1, initial=0)
        )
        critical = widened * np.sort(largest)[len(largest) - 1 - int(len(largest) * SIGNIFICANCE)]
        now_ahead, now_behind = leads / short > critical, -leads / beyond > critical
        if np.array_equal(now_ahead, ahead) and np.array_equal(now_behind, behind):
            break
        ahead, behind = now_ahead, now_behind
    better = np.zeros((systems, systems), dtype=bool)
    better[first, second], better[second, first] = ahead, behind
    return ranks_known(better)


def _one_sided_error(moves: np.ndarray) -> np.ndarray:
    """That of a normal distribution with this side, from moves to one side, shape=(r, pairs)."""
    return np.maximum(np.sqrt(2 * np.square(moves).mean(axis=0)), LEAST)
