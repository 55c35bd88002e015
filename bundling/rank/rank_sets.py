"""Ranks that hold all at once: with 95 % confidence every system's true rank lies between its two ends.

Conventions: a system's true rank is 1 and the number of systems that are truly better; rank 1 is the best. A system
is known to be better than another where the hypothesis that it is not is rejected; its best rank is then 1 and the
number of systems known to be better, its worst rank the number of systems less those known to be worse. As long as
no true hypothesis is rejected, all these ranks hold, so one risk of 5 % stands for the whole board.

Source: Mogstad, Romano, Shaikh and Wilhelm, Inference for Ranks (Review of Economic Studies 91, 2024), sections 3.2
and 3.3, with the stepdown of Romano and Wolf (Econometrica 73, 2005).
"""

import math

import numpy as np

from bundling.platforms.keys import MOST_DECIMALS
from spokeneval.run.interval import SEED

RISK = 0.05


def rank_sets(
    scores: np.ndarray, resampled: np.ndarray, *, units: int, higher: bool
) -> list[tuple[int, int]]:
    """Each system's best and worst rank, from a joint bootstrap.

    Every ordered pair of systems is tested by the difference of their scores over its standard error. What is left
    of the 95th percentile of the largest such deviation among the resamples is rejected, and the percentile is taken
    anew over what remains, until nothing more is. With few units a standard error is itself uncertain: each deviation
    of a resample is divided by one that varies as that of `units` normal values would (by a root of chi-squared), so
    that the percentile has Student's tails; and as a resample varies by sqrt((n - 1) / n) of what a new sample would,
    standard errors are widened by as much.

    Parameters
    ----------
    scores: shape=(s,).
    resampled: shape=(r, s), each system's score in each resample, of the same units for all; a resample in which
        some system has no score (NaN) is left out.
    units: number of units that were drawn from. From so few that all of them favour one system by chance in more
        than 5 % of cases (fewer than six), nothing is told.

    Returns
    -------
    s pairs (best, worst); from the first to the last rank where nothing can be told.
    """
    systems = len(scores)
    complete = resampled[~np.isnan(resampled).any(axis=1)]
    if not len(complete) or 2.0 ** (1 - units) > RISK:
        return [(1, systems)] * systems
    first, second = np.triu_indices(systems, 1)
    leads = (scores[first] - scores[second]) * (1 if higher else -1)
    deviations = (complete[:, first] - complete[:, second]) * (1 if higher else -1) - leads
    errors = np.maximum(deviations.std(axis=0), 10.0**-MOST_DECIMALS)
    freedom = units - 1
    leads /= errors * math.sqrt(units / freedom)
    deviations /= errors
    deviations /= np.sqrt(np.random.RandomState(SEED).chisquare(freedom, deviations.shape) / freedom)
    ahead = behind = np.zeros(len(first), dtype=bool)
    while True:
        largest = np.maximum(
            deviations[:, ~ahead].max(axis=1, initial=0), -deviations[:, ~behind].min(axis=1, initial=0)
        )
        critical = np.sort(largest)[len(largest) - 1 - int(len(largest) * RISK)]
        if np.array_equal(leads > critical, ahead) and np.array_equal(-leads > critical, behind):
            break
        ahead, behind = leads > critical, -leads > critical
    better = np.zeros((systems, systems), dtype=bool)
    better[first, second], better[second, first] = ahead, behind
    return ranks_known(better)


def ranks_known(better: np.ndarray) -> list[tuple[int, int]]:
    """Best and worst ranks where `better[a, b]` says that system a is known to be better than b, bool, shape=(s, s)."""
    best, worst = 1 + better.sum(axis=0), len(better) - better.sum(axis=1)
    return [(int(first), int(last)) for first, last in zip(best, worst, strict=True)]
