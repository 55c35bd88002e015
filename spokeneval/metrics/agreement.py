"""Agreement between two raters on a scale: Cohen's kappa, Krippendorff's alpha, exact and adjacent agreement.

Conventions: the reference (or first rater) comes first; arrays have shape (n,), one entry per item, in the same order;
higher is better. Distances are between the ratings themselves, never between their positions among the ratings that
happen to occur. Arrays that are empty, of different lengths, or not of finite numbers raise ValueError. Rates are
undefined without items (see `counts`).

Sources: Cohen (1960, 1968) for kappa and weighted kappa; the linear weights 1 - d/(k - 1) of the Caller
Experience paper (equation 3); Krippendorff (2019), "Content Analysis", chapter 12, for his alpha.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import finite_pair, rescaled
from .counts import add, check_counts, ratio, total


@dataclass(frozen=True)
class RatingCells:
    """Items counted by their two ratings on a scale of k points.

    Attributes
    ----------
    cells: shape=(..., k, k), k >= 2: in row i and column j the number of items with the i-th point of the scale from
        the first rater, and the j-th from the second.
    """

    cells: np.ndarray

    def __post_init__(self) -> None:
        check_counts(self)
        shape = np.shape(self.cells)
        if len(shape) < 2 or not 2 <= shape[-1] == shape[-2]:
            raise ValueError(f"cells must have shape (..., k, k), k >= 2, not {shape}")

    def __add__(self, other: RatingCells) -> RatingCells:
        return add(self, other)


def rating_cells(reference: Any, hypothesis: Any, *, scale: tuple[int, int]) -> RatingCells:
    """The cell of each item in the table of two ratings: int, shape=(n, k, k), 1 in a single cell per item.

    Parameters
    ----------
    reference: int, shape=(n,): the first rater's ratings.
    hypothesis: int, shape=(n,): the second rater's.
    scale: its lowest and its highest rating, k points in all. Ratings that are not integers of the scale raise
        ValueError.

    Examples
    --------
    >>> total(rating_cells([1, 2, 3], [1, 3, 3], scale=(1, 3))).cells.tolist()
    [[1, 0, 0], [0, 0, 1], [0, 0, 1]]
    """
    reference, hypothesis = finite_pair(reference, hypothesis)
    _check_scale(scale, reference=reference, hypothesis=hypothesis)
    points = np.arange(scale[0], scale[1] + 1)
    rows, columns = reference[:, np.newaxis] == points, hypothesis[:, np.newaxis] == points
    return RatingCells((rows[:, :, np.newaxis] & columns[:, np.newaxis, :]).astype(np.int64))


def kappa(cells: RatingCells, *, weights: str | None = None) -> Any:
    """Cohen's kappa: 1 - (observed disagreement) / (disagreement by chance).

    The disagreement of ratings a and b is [a != b] with `weights=None`, |a - b| with "linear" and (a - b)^2 with
    "quadratic", where neighbouring points of the scale are 1 apart. Dividing by its maximum on the scale, as in
    w = 1 - d/(k - 1), changes nothing. Chance draws the two ratings independently, each from its own rater's
    distribution. If both raters give one and the same rating throughout, chance cannot disagree and kappa is defined
    as 1. Counts are integers, so the result is the exact quotient, rounded once.

    |a - b| adds up to 2 over the 4 items and to 12 over all 16 pairs: 1 - (2/4) / (12/16) = 1/3.

    >>> cells = total(rating_cells([1, 1, 2, 3], [1, 2, 2, 2], scale=(1, 3)))
    >>> round(kappa(cells, weights="linear"), 6)
    0.333333
    """
    _check_weights(weights)
    table = np.asarray(cells.cells)
    points = np.arange(table.shape[-1])
    observed = (table * _disagreement(points[:, np.newaxis], points, weights)).sum(axis=(-2, -1))
    return _kappa(observed, points, table.sum(axis=-1), table.sum(axis=-2), weights)


def cohen_kappa(
    reference: Any, hypothesis: Any, *, weights: str | None = None, scale: tuple[int, int] | None = None
) -> float:
    """`kappa` of two raters' ratings.

    Parameters
    ----------
    reference: shape=(n,): the first rater's ratings.
    hypothesis: shape=(n,): the second rater's.
    weights: as for `kappa`.
    scale: the lowest and the highest rating, for integers; None accepts any finite ratings, with distances between
        these numbers.

    Examples
    --------
    |a - b| adds up to 5 over the 10 items and to 158 over all 100 pairs: 1 - (5/10) / (158/100) = 54/79.

    >>> a, b = [1, 5, 2, 5, 4, 4, 2, 4, 1, 2], [2, 5, 1, 4, 4, 2, 2, 4, 1, 2]
    >>> round(cohen_kappa(a, b, weights="linear", scale=(1, 5)), 6)
    0.683544
    """
    _check_weights(weights)
    if scale is not None:
        return kappa(total(rating_cells(reference, hypothesis, scale=scale)), weights=weights)
    a, b = rescaled(*finite_pair(reference, hypothesis))
    observed = math.fsum(_disagreement(a, b, weights).tolist())
    ratings, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    first, second = (np.bincount(part, minlength=len(ratings)) for part in np.split(codes, [len(a)]))
    return max(-1.0, _kappa(observed, ratings - ratings.mean(), first, second, weights))


def difference_counts(cells: RatingCells) -> np.ndarray:
    """Items by the absolute difference of their two ratings: shape=(..., k), at d the items that are d points apart.

    >>> difference_counts(total(rating_cells([1, 2, 3, 5], [1, 3, 5, 1], scale=(1, 5)))).tolist()
    [1, 1, 1, 0, 1]
    """
    table = np.asarray(cells.cells)
    points = np.arange(table.shape[-1])
    distance = np.abs(points[:, np.newaxis] - points)
    return np.stack([table[..., distance == apart].sum(axis=-1) for apart in points], axis=-1)


def exact(cells: RatingCells) -> Any:
    """Exact agreement: the share of items with two equal ratings.

    >>> exact(total(rating_cells([1, 2, 3, 5], [1, 3, 5, 1], scale=(1, 5))))
    0.25
    """
    counts = difference_counts(cells)
    return ratio(counts[..., 0], counts.sum(axis=-1), "exact agreement")


def adjacent(cells: RatingCells) -> Any:
    """Exact or adjacent agreement: the share of items with ratings at most one point of the scale apart.

    >>> adjacent(total(rating_cells([1, 2, 3, 5], [1, 3, 5, 1], scale=(1, 5))))
    0.5
    """
    counts = difference_counts(cells)
    return ratio(counts[..., :2].sum(axis=-1), counts.sum(axis=-1), "adjacent agreement")


def krippendorff_alpha(pairs: RatingCells, *, raters: int) -> Any:
    """Krippendorff's alpha for ordinal ratings of raters who rate every item: 1 - (observed / expected disagreement).

    The disagreement of two ratings is the square of the distance between their mean ranks among all ratings. At most
    1; if all raters give one and the same rating throughout, ratings cannot disagree and alpha is defined as 1, as
    kappa is.

    Parameters
    ----------
    pairs: the cells of every pair of raters once, added up.
    raters: number of raters, at least 2.

    Examples
    --------
    Two raters, three items. Ratings 1, 2, 3 occur 2, 1, 3 times, so that their mean ranks are 1, 2.5, 4.5: the
    ratings of the second item are 2 apart, those of the others none. Of all 6 ratings, 2 pairs are 1.5 apart, 6 are
    3.5 apart, 3 are 2 apart: 1 - (4 / 3) / ((2 * 2.25 + 6 * 12.25 + 3 * 4) / 15) = 7 / 9.

    >>> cells = total(rating_cells([1, 2, 3], [1, 3, 3], scale=(1, 3)))
    >>> round(krippendorff_alpha(cells, raters=2), 6)
    0.777778
    """
    table = np.asarray(pairs.cells)
    ratings = table.sum(axis=-1) + table.sum(axis=-2)  # each counted once with every other rater
    ranks = np.cumsum(ratings, axis=-1) - ratings / 2
    apart = (ranks[..., :, np.newaxis] - ranks[..., np.newaxis, :]) ** 2
    observed = 2 * (table * apart).sum(axis=(-2, -1))
    expected = (ratings[..., :, np.newaxis] * ratings[..., np.newaxis, :] * apart).sum(axis=(-2, -1))
    number = ratings.sum(axis=-1)
    sure = (expected == 0) & (number != 0)  # ratings cannot disagree: 1 / 1
    return ratio(expected + sure - (number - raters + 1) * observed, expected + sure, "alpha")


def _check_scale(scale: tuple[int, int], **ratings: np.ndarray) -> None:
    low, high = scale
    if low != int(low) or high != int(high) or not low < high:
        raise ValueError(f"scale must be two integers low < high, got ({low}, {high})")
    for name, values in ratings.items():
        bad = (values < low) | (values > high) | (values != np.rint(values))
        if bad.any():
            raise ValueError(
                f"{name} must be integers from {low} to {high}, got {values[bad][0]:g} "
                f"at index {int(bad.argmax())}"
            )


def _check_weights(weights: str | None) -> None:
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}")


def _disagreement(a: np.ndarray, b: np.ndarray, weights: str | None) -> np.ndarray:
    """The disagreement of each rating a with the rating b."""
    if weights is None:
        return a != b
    return np.abs(a - b) if weights == "linear" else (a - b) ** 2


def _kappa(
    observed: Any, ratings: np.ndarray, first: np.ndarray, second: np.ndarray, weights: str | None
) -> Any:
    """Kappa from the sum of the items' disagreements and the frequency of each rating for each rater.

    ratings: shape=(k,), ascending; first, second: shape=(..., k).
    """
    items = first.sum(axis=-1)
    chance = _chance_disagreement(ratings, first, second, weights)
    sure = (chance == 0) & (items > 0)  # chance cannot disagree: 1 / 1
    return ratio(chance + sure - items * observed, chance + sure, "kappa")


def _chance_disagreement(
    ratings: np.ndarray, first: np.ndarray, second: np.ndarray, weights: str | None
) -> Any:
    """The sum of the disagreements of all pairs of a rating of one rater and a rating of the other."""
    items = first.sum(axis=-1, keepdims=True)
    if weights is None:
        return (first * (items - second)).sum(axis=-1)
    if (
        weights == "linear"
    ):  # |a - b| is the sum of the gaps between neighbouring ratings that lie between them
        below_first, below_second = np.cumsum(first, axis=-1)[..., :-1], np.cumsum(second, axis=-1)[..., :-1]
        across = below_first * (items - below_second) + below_second * (items - below_first)
        return (across * np.diff(ratings)).sum(axis=-1)
    squares = ((first + second) * ratings**2).sum(axis=-1) * items[..., 0]
    return squares - 2 * (first * ratings).sum(axis=-1) * (second * ratings).sum(axis=-1)
