"""Agreement between raters on a scale: Cohen's kappa, Krippendorff's alpha, exact and adjacent agreement.

Conventions: the reference (or first rater) comes first; arrays have shape (n,), one entry per item, in the same order;
higher is better. For p pairs of raters they have shape (p, n), with NaN where a rater did not rate an item. Distances
are between the ratings themselves, not between their positions among the ratings that occur in the data. Arrays that
are empty, of different lengths, or contain values that are not finite numbers raise ValueError. Rates are undefined
without items (see `counts`).

Sources: Cohen (1960, 1968) for kappa and weighted kappa; the linear weights 1 - d/(k - 1) of the Caller
Experience paper (equation 3); Krippendorff (2019), "Content Analysis", chapter 12, for his alpha.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import finite_pair, rescaled
from .counts import Counts, ratio
from .shares import beyond_chance, of_observations, of_shares


@dataclass(frozen=True)
class RatingCells(Counts):
    """Items counted by their two ratings on a scale of k points.

    Attributes
    ----------
    cells : ndarray, shape (..., k, k), k >= 2
        In row i and column j, the number of items that the first rater gave the i-th point of the scale, and the second
        rater the j-th.
    """

    cells: np.ndarray

    def __post_init__(self) -> None:
        super().__post_init__()
        shape = np.shape(self.cells)
        if len(shape) < 2 or not 2 <= shape[-1] == shape[-2]:
            raise ValueError(f"cells must have shape (..., k, k), k >= 2, not {shape}")


def rating_cells(reference: Any, hypothesis: Any, *, scale: tuple[int, int]) -> RatingCells:
    """Count each item in the cell of its two ratings.

    Parameters
    ----------
    reference : array_like of int, shape (n,)
        The first rater's ratings.
    hypothesis : array_like of int, shape (n,)
        The second rater's ratings.
    scale : tuple of int
        The lowest and the highest rating of the scale, which has k points.

    Returns
    -------
    RatingCells
        One row for each item: `cells` has shape (n, k, k), with a single 1 in each row.

    Raises
    ------
    ValueError
        A rating is not an integer of the scale, or the scale is not valid.
    """
    cell, shape = _cells(reference, hypothesis, scale)
    return RatingCells(
        (cell[:, np.newaxis] == np.arange(shape[0] * shape[1])).astype(np.int64).reshape(-1, *shape)
    )


def _cells(reference: Any, hypothesis: Any, scale: tuple[int, int]) -> tuple[np.ndarray, tuple[int, int]]:
    """The cell of each item in a flattened table, and the shape of the table."""
    pair = finite_pair(reference, hypothesis)
    check_scale(scale, reference=pair[0], hypothesis=pair[1])
    row, column = ((ratings - scale[0]).astype(np.intp) for ratings in pair)
    points = int(scale[1]) - int(scale[0]) + 1
    return row * points + column, (points, points)


@of_observations(lambda rows, **_: [_observed(rows)], graded=True)
def kappa(cells: RatingCells, *, weights: str | None = None) -> Any:
    r"""Cohen's kappa, unweighted or weighted.

    .. math:: \kappa = 1 - \frac{\text{observed disagreement}}{\text{disagreement expected by chance}}

    The disagreement d of two ratings a and b is:

    - without weights, 1 if a and b differ, else 0;
    - with "linear" weights, the absolute value of a - b;
    - with "quadratic" weights, the square of a - b.

    Adjacent points of the scale have distance 1. Dividing d by its maximum, as in the weights w = 1 - d / (k - 1), does
    not change kappa. The expected disagreement is that of two ratings drawn independently, each from its own rater's
    distribution. If both raters give the same rating to all items, no disagreement is expected, and kappa is 1 by
    definition. For integer counts the result is the exact quotient, rounded once.

    Parameters
    ----------
    cells : RatingCells
        The counts of one or more sets.
    weights : {None, "linear", "quadratic"}
        The weights of disagreements.

    Returns
    -------
    float or ndarray of shape (r,)
        Kappa, at most 1.

    Raises
    ------
    ValueError
        The weights are unknown, or a single set has no items.
    """
    check_weights(weights)
    table = np.asarray(cells.cells)
    points = np.arange(table.shape[-1])
    observed = (table * disagreement(points[:, np.newaxis], points, weights)).sum(axis=(-2, -1))
    return kappa_of_sums(observed, points, table.sum(axis=-1), table.sum(axis=-2), weights)


def cohen_kappa(
    reference: Any, hypothesis: Any, *, weights: str | None = None, scale: tuple[int, int] | None = None
) -> float:
    """Cohen's kappa of two raters' ratings; see `kappa` for the definition.

    Parameters
    ----------
    reference : array_like, shape (n,)
        The first rater's ratings.
    hypothesis : array_like, shape (n,)
        The second rater's ratings.
    weights : {None, "linear", "quadratic"}
        The weights of disagreements.
    scale : tuple of int, optional
        The lowest and the highest rating of an integer scale. Without a scale, any finite ratings are accepted.

    Returns
    -------
    float
        Kappa, from -1 to 1.

    Raises
    ------
    ValueError
        The weights are unknown, or a rating is not an integer of the scale.
    """
    check_weights(weights)
    if scale is not None:
        cell, shape = _cells(reference, hypothesis, scale)
        table = np.bincount(cell, minlength=math.prod(shape)).reshape(shape)
        return float(kappa(RatingCells(table), weights=weights))
    a, b = rescaled(*finite_pair(reference, hypothesis))
    observed = math.fsum(disagreement(a, b, weights).tolist())
    ratings, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    first, second = (np.bincount(part, minlength=len(ratings)) for part in np.split(codes, [len(a)]))
    return float(max(-1.0, kappa_of_sums(observed, ratings - ratings.mean(), first, second, weights)))


def difference_counts(cells: RatingCells) -> np.ndarray:
    """Count items by the distance of their two ratings, shape (..., k): entry d has those that are d points apart."""
    table = np.asarray(cells.cells)
    points = np.arange(table.shape[-1])
    distance = np.abs(points[:, np.newaxis] - points)
    return np.stack([table[..., distance == apart].sum(axis=-1) for apart in points], axis=-1)


@of_shares(lambda cells: (difference_counts(cells)[:, 0], difference_counts(cells).sum(axis=1)))
def exact(cells: RatingCells) -> Any:
    """Exact agreement: the share of items whose two ratings are equal."""
    counts = difference_counts(cells)
    return ratio(counts[..., 0], counts.sum(axis=-1), "exact agreement")


@of_shares(lambda cells: (difference_counts(cells)[:, :2].sum(axis=1), difference_counts(cells).sum(axis=1)))
def adjacent(cells: RatingCells) -> Any:
    """Exact or adjacent agreement: the share of items whose two ratings are at most one point apart."""
    counts = difference_counts(cells)
    return ratio(counts[..., :2].sum(axis=-1), counts.sum(axis=-1), "adjacent agreement")


@of_observations(lambda rows, raters, **_: [_observed(rows) / math.comb(raters, 2)], graded=True)
def krippendorff_alpha(pairs: RatingCells, *, raters: int, ordinal: bool = True) -> Any:
    r"""Krippendorff's alpha for ordinal ratings, or for classes.

    .. math:: \alpha = 1 - \frac{\text{observed disagreement}}{\text{expected disagreement}}

    The disagreement of two ratings is the squared distance between their mean ranks among all ratings; that of two
    classes is 1. If all raters give the same rating to all items, no disagreement is expected, and alpha is 1 by
    definition.

    Parameters
    ----------
    pairs : RatingCells
        The cells of each pair of raters, added up. If every rater rates every item, each pair counts once. If ratings
        are missing, a pair of ratings of an item with m ratings counts (raters - 1) / (m - 1) times.
    raters : int
        The number of raters, at least 2; if ratings are missing, the number `raters` that these weights contain.
    ordinal : bool
        Whether the points of the scale are ordered; otherwise they are classes.

    Returns
    -------
    float or ndarray of shape (r,)
        Alpha, at most 1.

    Raises
    ------
    ValueError
        A single set has no items.
    """
    table = np.asarray(pairs.cells)
    ratings = table.sum(axis=-1) + table.sum(axis=-2)  # each rating is counted once for every other rater
    ranks = np.cumsum(ratings, axis=-1) - ratings / 2
    apart = (ranks[..., :, np.newaxis] - ranks[..., np.newaxis, :]) ** 2
    apart = apart if ordinal else 1 - np.eye(table.shape[-1])
    observed = 2 * (table * apart).sum(axis=(-2, -1))
    expected = (ratings[..., :, np.newaxis] * ratings[..., np.newaxis, :] * apart).sum(axis=(-2, -1))
    number = ratings.sum(axis=-1)
    sure = (expected == 0) & (number != 0)  # no disagreement is expected: 1 / 1
    return ratio(expected + sure - (number - raters + 1) * observed, expected + sure, "alpha")


def _observed(rows: RatingCells) -> Any:
    return beyond_chance(rows.cells.sum(axis=(0, 1)), rows.cells.sum(axis=(0, 2)))


def check_scale(scale: tuple[int, int], **ratings: np.ndarray) -> None:
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


def check_weights(weights: str | None) -> None:
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}")


def disagreement(a: np.ndarray, b: np.ndarray, weights: str | None) -> np.ndarray:
    """The disagreement of each rating in a with the corresponding rating in b."""
    if weights is None:
        return np.asarray(a != b)
    return np.asarray(np.abs(a - b) if weights == "linear" else (a - b) ** 2)


def kappa_of_sums(
    observed: Any, ratings: np.ndarray, first: np.ndarray, second: np.ndarray, weights: str | None
) -> Any:
    """Kappa from the sum of the items' disagreements and the frequency of each rating for each rater.

    `ratings` are the ascending ratings, shape (k,); `first` and `second` their frequencies, shape (..., k).
    """
    items = first.sum(axis=-1)
    chance = _chance_disagreement(ratings, first, second, weights)
    sure = (chance == 0) & (items > 0)  # no disagreement is expected: 1 / 1
    return ratio(chance + sure - items * observed, chance + sure, "kappa")


def _chance_disagreement(
    ratings: np.ndarray, first: np.ndarray, second: np.ndarray, weights: str | None
) -> Any:
    """The sum of the disagreements over all pairs of one rating by each rater."""
    items = first.sum(axis=-1, keepdims=True)
    if weights is None:
        return (first * (items - second)).sum(axis=-1)
    if weights == "linear":  # |a - b| is the sum of the gaps between a and b along the ascending ratings
        below_first, below_second = np.cumsum(first, axis=-1)[..., :-1], np.cumsum(second, axis=-1)[..., :-1]
        across = below_first * (items - below_second) + below_second * (items - below_first)
        return (across * np.diff(ratings)).sum(axis=-1)
    squares = ((first + second) * ratings**2).sum(axis=-1) * items[..., 0]
    return squares - 2 * (first * ratings).sum(axis=-1) * (second * ratings).sum(axis=-1)
