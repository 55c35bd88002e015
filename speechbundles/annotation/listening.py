"""Listening tests: means and preferences of systems, with intervals over listeners and items, and ranges of ranks.

A score of a system is the mean of its judgements, or its ability in Bradley and Terry's model: i is preferred to j with
odds exp(ability i - ability j). A tie has Davidson's probability, proportional to the geometric mean of those of the
two preferences. Abilities sum to 0 and are fitted by maximum likelihood.

Listeners and items are drawn independently: intervals allow for other listeners and other items. A score is linear in
its judgements, or nearly so: the `influence` of a judgement is its part of the score's deviation. Covariances of scores
are those of the sums of influences by listener, plus those by item, minus those by listener and item, which both
contain. A variance is not below that of listeners or items alone. The intervals are Student's, with Satterthwaite's
degrees of freedom. Ranges of ranks are those of `spokeneval.ranking.ranks`, from normal deviates with the same
covariances.

Sources: Bradley and Terry, Rank analysis of incomplete block designs (Biometrika 39, 1952); Davidson, On extending the
Bradley-Terry model to accommodate ties (Journal of the American Statistical Association 65, 1970); Cameron, Gelbach and
Miller, Robust inference with multiway clustering (Journal of Business & Economic Statistics 29, 2011); Recommendation
ITU-R BS.1534-3 (2015), section 4.1.2, the post-screening of assessors.
"""

import math
from typing import NamedTuple

import numpy as np

from spokeneval.metrics.bootstrap import RESAMPLES, SEED
from spokeneval.metrics.jackknife import FEWEST_UNITS
from spokeneval.metrics.quantiles import student_quantile
from spokeneval.ranking.ranks import rank_sets

FIRST, SECOND, TIE = 0, 1, 2
"""The outcomes of a comparison: the first or the second system is preferred, or neither."""
LEAST_REFERENCE = MOST_ANCHOR = 90
MOST_WRONG = 0.15
"""A listener who grades the hidden reference lower, or an anchor higher, in more than this share of the items is left
out, except for items whose anchor more than `MOST_ABOVE` of the listeners grade higher."""
MOST_ABOVE = 0.25
_FARTHEST = 15.0
"""A larger ability is infinite: the system was never worse."""
_SMALL = 1e-9


class Estimates(NamedTuple):
    """Scores of s systems from n judgements.

    Attributes
    ----------
    scores: shape (s,).
    influence: shape (n, s), the part that a judgement has in the deviation of each score.
    about: shape (n, s), whether a judgement is about a system.
    """

    scores: np.ndarray
    influence: np.ndarray
    about: np.ndarray


def system_means(values: np.ndarray, systems: np.ndarray) -> Estimates:
    """Return the mean of each system's judgements; `systems` are numbers from 0, shape (n,)."""
    about = systems[:, np.newaxis] == np.arange(systems.max() + 1)
    means = values @ about / about.sum(axis=0)
    return Estimates(means, about * (values[:, np.newaxis] - means) / about.sum(axis=0), about)


def abilities(first: np.ndarray, second: np.ndarray, outcomes: np.ndarray) -> Estimates:
    """Fit the model of Bradley and Terry, with Davidson's ties if there are any, by Newton's method.

    Parameters
    ----------
    first, second: the compared systems, numbers from 0, shape (n,).
    outcomes: `FIRST`, `SECOND` or `TIE`, shape (n,).

    Raises
    ------
    ValueError: systems that no comparisons connect, or that were never worse or never better than others.
    """
    systems, ties = int(max(first.max(), second.max())) + 1, bool((outcomes == TIE).any())
    one, other = (np.eye(systems + ties)[each] for each in (first, second))
    terms = np.stack([one, other, (one + other) / 2][: 2 + ties], axis=1)  # of the logarithms of the odds
    terms[:, TIE:, systems:] = 1
    level = np.pad(
        np.ones((systems, systems)), (0, int(ties))
    )  # abilities keep their sum, which no judgement moves
    found, step = np.zeros(systems + ties), np.ones(1)
    while abs(step).max() > _SMALL:
        odds = np.exp(terms @ found)
        expected = odds / odds.sum(axis=1, keepdims=True)
        mean = np.einsum("nk,nkp->np", expected, terms)
        gradients = terms[np.arange(len(terms)), outcomes] - mean
        information = np.tensordot(terms * expected[..., np.newaxis], terms, ((0, 1), (0, 1))) - mean.T @ mean
        if not found.any() and np.linalg.matrix_rank(information, len(terms) * _SMALL) < systems - 1 + ties:
            raise ValueError("systems in groups that were never compared with each other")
        inverse = np.linalg.inv(information + level)
        step = inverse @ gradients.sum(axis=0)
        found = found + step / max(1.0, abs(step).max())
        if abs(found).max() > _FARTHEST:
            raise ValueError(
                "some systems were never worse, or others never better: their abilities are infinite"
            )
    about = (one + other)[:, :systems] > 0
    return Estimates(found[:systems], (gradients @ inverse)[:, :systems], about)


def crossed_covariance(influence: np.ndarray, *sides: np.ndarray) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the covariances of scores over two crossed sides, and those over each side alone.

    Parameters
    ----------
    influence: shape (n, s); see `Estimates`.
    sides: the listener and the item of each judgement, numbers from 0, shape (n,).
    """
    _, both = np.unique(np.stack(sides), axis=1, return_inverse=True)
    parts = []
    for codes in (*sides, both.ravel()):
        sums = np.zeros((codes.max() + 1, influence.shape[1]))
        np.add.at(sums, codes, influence)
        parts.append(sums.T @ sums * len(sums) / max(1, len(sums) - 1))
    return parts[0] + parts[1] - parts[2], parts[:2]


class Ranked(NamedTuple):
    """The interval of each system's score, shape (s,), NaN with too few listeners or items, and its range of ranks."""

    low: np.ndarray
    high: np.ndarray
    ranks: list[tuple[int, int]]


def intervals_and_ranks(found: Estimates, listeners: np.ndarray, items: np.ndarray) -> Ranked:
    """Return the 95 % intervals over listeners and items, and the ranges of ranks; higher scores are better."""
    covariance, sides = crossed_covariance(found.influence, listeners, items)
    alone = np.array([np.diag(side) for side in sides])
    variance = np.maximum(np.diag(covariance), alone.max(axis=0))
    sizes = np.array(
        [[len(np.unique(codes[part])) for part in found.about.T] for codes in (listeners, items)]
    )
    squares = (alone**2 / np.maximum(sizes - 1, 1)).sum(axis=0)
    freedom = np.divide(variance**2, squares, out=sizes.min(axis=0) - 1.0, where=squares > 0)
    wide = [
        student_quantile(max(1.0, each)) if few >= FEWEST_UNITS else math.nan
        for each, few in zip(freedom, sizes.min(axis=0), strict=True)
    ] * np.sqrt(variance)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0)) @ vectors.T
    drawn = np.random.RandomState(SEED).normal(size=(RESAMPLES, len(root))) @ root
    ranks = rank_sets(found.scores, found.scores + drawn, units=int(sizes.min()), higher=True)
    return Ranked(found.scores - wide, found.scores + wide, ranks)
