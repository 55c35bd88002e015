"""Agreement between many raters: sums for the kappas of pairs of raters, and cells of pooled pairs.

Conventions and sources: see `agreement`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from .agreement import RatingCells, check_scale, check_weights, kappa_of_sums
from .counts import Counts, ratio, total
from .jackknife import jackknife_interval, leave_out_in_turn
from .shares import beyond_chance, interval_of_mean, of_observations, with_interval

MOST_PARTS = 64
"""The interval of a mean of more kappas, of a crowd of raters, is that of the jackknife."""


@dataclass(frozen=True)
class RaterPairs(Counts):
    """The ratings of p pairs of raters on a scale of k points, for the items that both raters of a pair rated.

    Weighted kappas need only these 2 k + 3 numbers for each pair, instead of k * k cells.

    Attributes
    ----------
    first : ndarray, shape (..., p, k), k >= 2
        How often the first rater of each pair gave each rating of the scale.
    second : ndarray, shape (..., p, k)
        The same for the second rater.
    distance : ndarray, shape (..., p)
        The sum of the absolute differences of the two ratings.
    square : ndarray, shape (..., p)
        The sum of the squared differences.
    counted : ndarray, shape (..., p)
        In every item's row, 1 for the pairs that count in means and 0 for the others.
    """

    first: np.ndarray
    second: np.ndarray
    distance: np.ndarray
    square: np.ndarray
    counted: np.ndarray


def rater_pairs(first: Any, second: Any, *, scale: tuple[int, int], counted: Any) -> RaterPairs:
    """Count the ratings of several pairs of raters.

    Parameters
    ----------
    first, second : array_like, shape (p, n)
        The ratings of the first and of the second rater of each pair; NaN where an item has no rating.
    scale : tuple of int
        The lowest and the highest rating of the scale, which has k points.
    counted : array_like of bool, shape (p,)
        The pairs that count in means.

    Returns
    -------
    RaterPairs
        One row for each item, of small integers; 0 for a pair in which a rater did not rate the item.

    Raises
    ------
    ValueError
        A rating is not an integer of the scale, or the scale is not valid.
    """
    first, second, both = _both_rated(first, second, scale)
    low, high = scale
    points, smallest = np.arange(high - low + 1), np.min_scalar_type(-((high - low) ** 2))
    given_first, given_second = (
        (np.where(both, ratings - low, -1).T.astype(np.int16)[:, :, np.newaxis] == points).astype(smallest)
        for ratings in (first, second)
    )
    distance = np.abs(np.where(both, first - second, 0)).T.astype(smallest)
    counted = np.broadcast_to(np.asarray(counted, smallest), distance.shape)
    return RaterPairs(given_first, given_second, distance, distance**2, counted)


@of_observations(lambda rows, which, **_: [_observed(rows)[which]], graded=True)
def pair_kappas(pairs: RaterPairs, *, weights: str, which: Union[slice, int] = slice(None)) -> Any:
    """The weighted kappa of each pair of raters, over the items that both rated; see `kappa` for the definition.

    Parameters
    ----------
    pairs : RaterPairs
        The counts of one or more sets.
    weights : {"linear", "quadratic"}
        The weights of disagreements.
    which : slice or int
        The pairs whose kappas are computed; by default all p.

    Returns
    -------
    ndarray, shape (..., p), or for a single pair (...,)
        Kappa of each of these pairs; NaN for one of several pairs without a common item.

    Raises
    ------
    ValueError
        The weights are unknown, or a single pair has no common item.
    """
    check_weights(weights)
    observed = np.asarray(pairs.distance if weights == "linear" else pairs.square)[..., which]
    first, second = (np.asarray(given)[..., which, :] for given in (pairs.first, pairs.second))
    return kappa_of_sums(observed, np.arange(first.shape[-1]), first, second, weights)


def _observed(rows: RaterPairs) -> Any:
    return beyond_chance(rows.first.sum(axis=0), rows.second.sum(axis=0))


def mean_kappa_interval(rows: RaterPairs, *, weights: str, which: slice = slice(None)) -> tuple[float, float]:
    """The 95 % interval of `mean_kappa`; NaN for more than `MOST_PARTS` kappas. They are alike: of the same items."""
    pairs = total(rows)
    values = pair_kappas(pairs, weights=weights, which=which)
    places = np.flatnonzero((pairs.counted[which] > 0) & ~np.isnan(values))
    if not 0 < len(places) <= MOST_PARTS:
        return math.nan, math.nan
    values, turns = values[places], leave_out_in_turn(rows)
    without = np.concatenate(
        [pair_kappas(others, weights=weights, which=which)[:, places] for others in turns]
    )
    without = np.where(np.isnan(without), values, without)
    ends = [
        jackknife_interval(value, own, (-1.0, 1.0), whole=whole, graded=True)
        for value, own, whole in zip(values.tolist(), without.T, _observed(rows)[which][places].tolist())
    ]
    return interval_of_mean(values, without, ends, alike=1.0)


@with_interval(mean_kappa_interval)
@of_observations(lambda rows, which=slice(None), **_: [_observed(rows)[which].max()], graded=True)
def mean_kappa(pairs: RaterPairs, *, weights: str, which: slice = slice(None)) -> Any:
    """The mean of the weighted kappas of the pairs that count in means and have a common item.

    Parameters are those of `pair_kappas`.
    """
    kappas = pair_kappas(pairs, weights=weights, which=which)
    there = (np.asarray(pairs.counted)[..., which] > 0) & ~np.isnan(kappas)
    return ratio(np.where(there, kappas, 0).sum(axis=-1), there.sum(axis=-1), "the mean kappa")


def pooled_cells(first: Any, second: Any, *, scale: tuple[int, int], weights: Any = None) -> RatingCells:
    """Count each item in the cells of the two ratings of several pairs of raters, added up over the pairs.

    Parameters
    ----------
    first, second, scale
        As for `rater_pairs`.
    weights : array_like of int, shape (n,), optional
        How often each pair of ratings of an item counts; by default once.

    Returns
    -------
    RatingCells
        One row for each item: `cells` has shape (n, k, k).

    Raises
    ------
    ValueError
        As for `rater_pairs`.
    """
    first, second, both = _both_rated(first, second, scale)
    points, items = scale[1] - scale[0] + 1, both.shape[1]
    times = np.ones(items, np.int16) if weights is None else np.asarray(weights)
    cells = np.zeros((items, points, points), times.dtype)
    for a, b, rated in zip(first, second, both):
        rows = np.flatnonzero(rated)
        row, column = (np.rint(ratings[rows] - scale[0]).astype(np.intp) for ratings in (a, b))
        cells[rows, row, column] += times[rows]
    return RatingCells(cells)


def panel_cells(ratings: Any, *, scale: tuple[int, int]) -> RatingCells:
    """Count each item in the cells of all pairs of its m ratings, each pair with the weight 1 / (m - 1).

    Parameters
    ----------
    ratings : array_like, shape (m, n)
        The ratings of each rater; NaN where an item has no rating.
    scale
        As for `rater_pairs`.

    Returns
    -------
    RatingCells
        One row for each item; the lower of two ratings is the first. For these, `raters` of `krippendorff_alpha` is 2.

    Examples
    --------
    >>> panel_cells([[1], [2], [2]], scale=(1, 2)).cells.tolist()
    [[[0.0, 1.0], [0.0, 0.5]]]
    """
    ratings = np.asarray(ratings, float)
    points, items = scale[1] - scale[0] + 1, ratings.shape[1]
    rater, item = np.nonzero(~np.isnan(ratings))
    cell = item * points + np.rint(ratings[rater, item] - scale[0]).astype(np.intp)
    times = np.bincount(cell, minlength=items * points).reshape(items, points)
    pairs = times[:, :, np.newaxis] * times[:, np.newaxis, :]
    same = np.arange(points)
    pairs[:, same, same] = times * (times - 1) // 2
    others = np.maximum(times.sum(axis=1) - 1, 1)
    return RatingCells(np.triu(pairs) / others[:, np.newaxis, np.newaxis])


def _both_rated(first: Any, second: Any, scale: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The ratings of pairs of raters, checked, and where both of a pair are; each of shape (p, n)."""
    first, second = np.asarray(first, float), np.asarray(second, float)
    if first.shape != second.shape or first.ndim != 2 or not first.size:
        raise ValueError(f"ratings of the shapes {first.shape} and {second.shape}; expected one shape (p, n)")
    rated = ~np.isnan(first), ~np.isnan(second)
    check_scale(scale, first=first[rated[0]], second=second[rated[1]])
    return first, second, rated[0] & rated[1]
