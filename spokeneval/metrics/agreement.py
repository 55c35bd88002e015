"""Agreement between two sets of ratings, or between ratings and real-valued predictions.

Conventions: the reference (or first rater) comes first; arrays have shape (n,), one entry per item, in the same order;
kappas and correlations lie in [-1, 1] and higher is better. Distances are between the ratings themselves, never
between their positions among the ratings that happen to occur. Arrays that are empty, of different lengths, or not of
finite numbers raise ValueError; `counts` documents undefined results.

Sources: Cohen (1960, 1968) for kappa and weighted kappa; the linear weights 1 - d/(k - 1) of the Caller
Experience paper (equation 3); Krippendorff (2019), "Content Analysis", chapter 12, for his alpha; Calderon, Reichart
and Dror (ACL 2025), "The Alternative Annotator Test for LLM-as-a-Judge", for the winning rate and the advantage; the
trimming and rounding of predictions, the standardised mean difference and PRMSE of ETS's `rsmtool`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .counts import Number, add, check_counts, number_or_array, ratio, total


class UndefinedCorrelation(ValueError):
    """The input is well formed, but a variable does not vary, so that no correlation exists."""


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


@dataclass(frozen=True)
class CorrelationMoments:
    """Sums over items for a correlation of x and y; `+` pools items that were measured from one origin.

    Attributes
    ----------
    n: number of items.
    x, y: sums of the two variables.
    xx, yy, xy: sums of their squares and of their product.
    """

    n: Number
    x: Number
    y: Number
    xx: Number
    yy: Number
    xy: Number

    def __post_init__(self) -> None:
        check_counts(self, signed=("x", "y", "xy"))

    def __add__(self, other: CorrelationMoments) -> CorrelationMoments:
        return add(self, other)


@dataclass(frozen=True)
class PartialMoments:
    """Sums over items for a correlation of x and y with z held constant.

    Attributes
    ----------
    n: number of items.
    x, y, z: sums of the three variables.
    xx, yy, zz, xy, xz, yz: sums of their squares and products.
    """

    n: Number
    x: Number
    y: Number
    z: Number
    xx: Number
    yy: Number
    zz: Number
    xy: Number
    xz: Number
    yz: Number

    def __post_init__(self) -> None:
        check_counts(self, signed=("x", "y", "z", "xy", "xz", "yz"))

    def __add__(self, other: PartialMoments) -> PartialMoments:
        return add(self, other)


@dataclass(frozen=True)
class SquaredErrors:
    """Squared differences summed over items.

    Attributes
    ----------
    items: number of items.
    squared_error: sum of squared differences, in the square of the ratings' unit.
    """

    items: Number
    squared_error: Number

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: SquaredErrors) -> SquaredErrors:
        return add(self, other)


@dataclass(frozen=True)
class Differences:
    """Predictions less the reference's ratings, summed over items.

    Attributes
    ----------
    items: number of items.
    difference: sum of the differences.
    reference: sum of the reference's ratings.
    squared_reference: sum of their squares.
    within_half, within_one: items that differ by at most 0.5, and at most 1.
    """

    items: Number
    difference: Number
    reference: Number
    squared_reference: Number
    within_half: Number
    within_one: Number

    def __post_init__(self) -> None:
        check_counts(self, signed=("difference", "reference"))

    def __add__(self, other: Differences) -> Differences:
        return add(self, other)


@dataclass(frozen=True)
class AnnotatorComparisons:
    """Items by whether the system or one of m raters is closer to the other raters.

    Attributes
    ----------
    system_closer: shape=(..., m): items on which the system is closer than the m-th rater.
    equal: shape=(..., m): items on which both are equally close.
    rater_closer: shape=(..., m): items on which the rater is closer.
    """

    system_closer: np.ndarray
    equal: np.ndarray
    rater_closer: np.ndarray

    def __post_init__(self) -> None:
        check_counts(self)

    def __add__(self, other: AnnotatorComparisons) -> AnnotatorComparisons:
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
    reference, hypothesis = _pair(reference, hypothesis)
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
    a, b = _rescaled(*_pair(reference, hypothesis))
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


def annotator_comparisons(raters: Any, system: Any) -> AnnotatorComparisons:
    """For each item and rater, 1 in one of three counts: who is closer to the other raters. Fields of shape (n, m).

    Closer: with a smaller root mean square difference to their ratings.

    Parameters
    ----------
    raters: int, shape=(m, n), m >= 2: each rater's ratings.
    system: int, shape=(n,): the system's.

    Examples
    --------
    Without the first rater 2 and 2 are left, and the system's 2 is closer to them than the rater's 1.

    >>> rows = annotator_comparisons([[1], [2], [2]], [2])
    >>> rows.system_closer.tolist(), rows.equal.tolist(), rows.rater_closer.tolist()
    ([[1, 0, 0]], [[0, 1, 1]], [[0, 0, 0]])
    """
    system = _numbers(system, "system")
    ratings = [_numbers(rater, "a rater") for rater in raters]
    if len(ratings) < 2:
        raise ValueError(f"{len(ratings)} raters; expected at least 2")
    for values in (system, *ratings):
        if len(values) != len(system) or (values != np.rint(values)).any():
            raise ValueError(f"expected {len(system)} integers of every rater, got {values}")
    table = np.stack(ratings)
    squares = (table[:, np.newaxis] - table) ** 2
    to_system = (table - system) ** 2
    # A rater is no distance from itself, and is left out of the system's distances.
    gain = squares.sum(axis=1) - (to_system.sum(axis=0) - to_system)
    return AnnotatorComparisons(*((sign.T).astype(np.int64) for sign in (gain > 0, gain == 0, gain < 0)))


def advantage(comparisons: AnnotatorComparisons) -> Any:
    """The advantage probability rho: how often the system is at least as close to the other raters as a rater.

    The mean over the raters of the share of items.
    Source: Calderon, Reichart and Dror (ACL 2025), section 3.

    >>> advantage(total(annotator_comparisons([[1, 1], [2, 1], [2, 3]], [2, 5])))  # (1/2 + 1/2 + 1/2) / 3
    0.5
    """
    as_close = np.asarray(comparisons.system_closer) + comparisons.equal
    return ratio(as_close.sum(axis=-1), (as_close + comparisons.rater_closer).sum(axis=-1), "the advantage")


def winning_rate(comparisons: AnnotatorComparisons, *, margin: float = 0.2, level: float = 0.05) -> Any:
    """The winning rate omega: the share of raters whom the system may replace, by the alternative annotator test.

    A rater counts as replaced if the share of items on which that rater is at least as close as the system exceeds the
    system's by less than `margin`: one-sided t-tests, whose false discovery rate is controlled by the procedure of
    Benjamini and Yekutieli. From 0.5 on, a system passes. Meant for at least 30 items; with a single item, no rater is
    replaced.
    Source: Calderon, Reichart and Dror (ACL 2025), section 3, with their margin for experts; for the t distribution,
    Abramowitz and Stegun, 26.7.3 and 26.7.4.

    Parameters
    ----------
    margin: epsilon, the loss that the system's lower cost makes up for.
    level: the false discovery rate.

    Examples
    --------
    The system is closer than the first two of three raters on all of 50 items, than the third on none.

    >>> closer = np.array([50, 50, 0])
    >>> round(winning_rate(AnnotatorComparisons(closer, 0 * closer, 50 - closer)), 6)
    0.666667
    """
    system, rater = np.asarray(comparisons.system_closer), np.asarray(comparisons.rater_closer)
    items = system + comparisons.equal + rater
    raters, several = items.shape[-1], np.maximum(items, 2)
    mean = (rater - system) / several
    squared_error = (rater + system - several * mean**2) / ((several - 1) * several)
    distance, varies = mean - margin, squared_error > 0
    t = distance / np.sqrt(np.where(varies, squared_error, 1))
    p = np.where(varies, _student_t_below(t, several - 1), distance >= 0)
    p = np.sort(np.where(items > 1, p, np.inf))
    ranks = np.arange(1, raters + 1)
    found = p <= ranks * level / (raters * (1 / ranks).sum())
    replaced, some = np.where(found, ranks, 0).max(axis=-1), items.any(axis=-1)
    return ratio(replaced * some, raters * some, "omega")


def _student_t_below(t: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The probability of a value below t, by Student's distribution with whole degrees of freedom."""
    angle = np.arctan(t / np.sqrt(freedom))
    square, sine = np.cos(angle) ** 2, np.sin(angle)
    odd = freedom % 2 == 1
    term, series = np.where(odd, np.cos(angle), 1.0), np.zeros(t.shape)
    for step in range(int(freedom.max()) // 2):
        power = 2 * step + 1 + odd
        series = series + np.where(step < freedom // 2, term, 0)
        term = term * square * power / (power + 1)
    inside = sine * series
    return 0.5 + np.where(odd, (angle + inside) / math.pi, inside / 2)


def correlation_moments(reference: Any, predictions: Any) -> CorrelationMoments:
    """The sums of `CorrelationMoments` for each item: float, shape=(n,), x from the reference, y from the predictions.

    Both variables less their mean, in units of a power of two near their range, so that little cancels in the sums; a
    correlation does not depend on either.

    >>> moments = correlation_moments([0, 0, 2, 2], [0, 4, 0, 4])
    >>> moments.x.tolist(), moments.xy.tolist()
    ([-0.25, -0.25, 0.25, 0.25], [0.0625, -0.0625, -0.0625, 0.0625])
    """
    x, y = (_centred(values) for values in _pair(reference, predictions))
    return CorrelationMoments(np.ones_like(x), x, y, x * x, y * y, x * y)


def correlation(moments: CorrelationMoments) -> Any:
    """Pearson's correlation: (n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2) (n Syy - Sy^2)).

    A variable counts as constant if it varies by less than a millionth of its distance from the mean of all items that
    the moments were computed from: rounding leaves as much of a constant. If a variable is constant, one set raises
    `UndefinedCorrelation`.

    >>> correlation(CorrelationMoments(n=4, x=0, y=0, xx=5, yy=5, xy=3))
    0.6
    """
    n = np.asarray(moments.n)
    spread_x = _spread(n, moments.xx, moments.x)
    spread_y = _spread(n, moments.yy, moments.y)
    if n.ndim == 0:
        for name, spread in (("reference", spread_x), ("predictions", spread_y)):
            if np.isnan(spread):
                raise UndefinedCorrelation(f"{name} is constant: no correlation exists")
    return _quotient(_covariance(n, moments.xy, moments.x, moments.y), spread_x, spread_y)


def pearson_r(reference: Any, predictions: Any) -> float:
    """Pearson's `correlation` of two variables.

    >>> round(pearson_r([1, 2, 3, 4], [2, 1, 4, 3]), 6)
    0.6
    """
    return correlation(total(correlation_moments(reference, predictions)))


def rank_moments(reference: Any, predictions: Any) -> CorrelationMoments:
    """`correlation_moments` of ranks; equal values share their mean rank. Their `correlation` is Spearman's.

    The ranks are those among all items: the correlation of a resample of rows is nearly Spearman's of the resample.
    Source: Spearman (1904), "The proof and measurement of association between two things".

    Ranks 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / sqrt(4.5 * 5).

    >>> round(correlation(total(rank_moments([1, 2, 2, 4], [0, 7, 6, 100]))), 6)
    0.948683
    """
    return correlation_moments(*map(_ranks, _pair(reference, predictions)))


def partial_moments(reference: Any, predictions: Any, control: Any) -> PartialMoments:
    """The sums of `PartialMoments` for each item: float, shape=(n,), x from the reference, y from the predictions.

    All three variables less their mean; reference and predictions are then replaced by their residuals after the
    control z, over all items. That does not change a partial correlation, and little cancels in the sums. A residual of
    less than 1e-10 of its variable is rounding, and is set to 0.

    The reference is the sum of the control and another variable; the other one is left.

    >>> moments = partial_moments([2, 0, 0, -2], [1, -1, 1, -1], [1, 1, -1, -1])
    >>> moments.x.tolist(), moments.z.tolist()
    ([0.25, -0.25, 0.25, -0.25], [0.25, 0.25, -0.25, -0.25])
    """
    reference, predictions = _pair(reference, predictions)
    control = _numbers(control, "control")
    if len(control) != len(reference):
        raise ValueError(f"{len(reference)} reference values but {len(control)} control values")
    z = _centred(control)
    x, y = (_residual(_centred(values), z) for values in (reference, predictions))
    return PartialMoments(np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z)


def partial_correlation(moments: PartialMoments) -> Any:
    """Correlation of x and y with z held constant: (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)).

    Computed from the covariances that remain once z has explained its part, C_xy - C_xz C_yz / C_zz. If less than a
    millionth of a variable remains, only rounding is left of it. If z is constant, or nothing is left of x or y, one
    set raises `UndefinedCorrelation`.

    r_xy = 1/2, r_xz = 1/2, r_yz = 0: (1/2) / sqrt(3/4).

    >>> moments = PartialMoments(n=8, x=0, y=0, z=0, xx=4, yy=4, zz=4, xy=2, xz=2, yz=0)
    >>> round(partial_correlation(moments), 6)
    0.57735
    """
    n = np.asarray(moments.n)
    spread_z = _spread(n, moments.zz, moments.z)
    with_x = _covariance(n, moments.xz, moments.x, moments.z)
    with_y = _covariance(n, moments.yz, moments.y, moments.z)
    spread_x = _spread(n, moments.xx, moments.x, explained=with_x * with_x / spread_z)
    spread_y = _spread(n, moments.yy, moments.y, explained=with_y * with_y / spread_z)
    if n.ndim == 0:
        if np.isnan(spread_z):
            raise UndefinedCorrelation("control is constant: no correlation exists")
        for name, spread in (("reference", spread_x), ("predictions", spread_y)):
            if np.isnan(spread):
                raise UndefinedCorrelation(f"{name} is constant or a linear function of the control")
    left = _covariance(n, moments.xy, moments.x, moments.y) - with_x * with_y / spread_z
    return _quotient(left, spread_x, spread_y)


def partial_r(reference: Any, predictions: Any, control: Any) -> float:
    """The `partial_correlation` of reference and predictions with the control held constant.

    >>> x, y, z = [1, 1, -1, -1, 0, 0, 0, 0], [1, 0, 0, -1, 1, -1, 0, 0], [1, 0, -1, 0, -1, 0, 1, 0]
    >>> round(partial_r(x, y, z), 6)
    0.57735
    """
    return partial_correlation(total(partial_moments(reference, predictions, control)))


def squared_errors(reference: Any, predictions: Any) -> SquaredErrors:
    """The squared difference of each item, shape=(n,). A square that exceeds the largest float raises ValueError.

    >>> squared_errors([1, 2, 3], [2, 2, 5]).squared_error.tolist()
    [1.0, 0.0, 4.0]
    """
    reference, predictions = _pair(reference, predictions)
    with np.errstate(over="ignore"):
        squares = (reference - predictions) ** 2
    return SquaredErrors(np.ones(len(squares), dtype=np.int64), squares)


def root_mean_square(errors: SquaredErrors) -> Any:
    """Root of the mean squared difference, in the ratings' own unit; lower is better.

    >>> root_mean_square(SquaredErrors(items=2, squared_error=50))
    5.0
    """
    mean = np.sqrt(ratio(errors.squared_error, errors.items, "the mean squared error"))
    return mean if np.ndim(mean) else float(mean)


def rmse(reference: Any, predictions: Any) -> float:
    """`root_mean_square` of two variables' differences, in their own unit; lower is better.

    Computed in units of a power of two near the largest difference, so that no square overflows. ValueError if the
    result exceeds the largest float.

    >>> rmse([0, 0], [1e200, 7e200]) / 1e200
    5.0
    """
    reference, predictions = _pair(reference, predictions)
    _, exponent = np.frexp(max(np.abs(reference).max(), np.abs(predictions).max()))
    error = np.ldexp(reference, -exponent) - np.ldexp(predictions, -exponent)
    _, rest = np.frexp(np.abs(error).max())
    error = np.ldexp(error, -rest)
    mantissa, shift = np.frexp(root_mean_square(total(squared_errors(error, np.zeros_like(error)))))
    shift += exponent + rest
    if shift > 1024:
        raise ValueError(f"differences as large as {predictions[np.abs(error).argmax()]!r} overflow")
    return float(np.ldexp(mantissa, shift))


def differences(reference: Any, predictions: Any) -> Differences:
    """The sums of `Differences` for each item, shape=(n,).

    >>> rows = differences([1, 2, 3], [1.5, 3, 1])
    >>> rows.difference.tolist(), rows.within_half.tolist(), rows.within_one.tolist()
    ([0.5, 1.0, -2.0], [1, 0, 0], [1, 1, 0])
    """
    reference, predictions = _pair(reference, predictions)
    apart = predictions - reference
    within_half, within_one = ((np.abs(apart) <= most).astype(np.int64) for most in (0.5, 1))
    ones = np.ones(len(apart), dtype=np.int64)
    return Differences(ones, apart, reference, reference**2, within_half, within_one)


def within_half(sums: Differences) -> Any:
    """The share of predictions at most 0.5 from the reference's rating.

    >>> within_half(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.5
    """
    return ratio(sums.within_half, sums.items, "agreement within 0.5")


def within_one(sums: Differences) -> Any:
    """The share of predictions at most 1 from the reference's rating.

    >>> within_one(total(differences([1, 2, 3, 4], [1.5, 3, 1, 4])))
    0.75
    """
    return ratio(sums.within_one, sums.items, "agreement within 1")


def standardised_mean_difference(sums: Differences) -> Any:
    """SMD: the mean difference over the standard deviation (n - 1) of the reference's ratings.

    Positive where predictions are too high on the whole; undefined for a constant reference. Williamson, Xi and Breyer
    (2012), "A framework for evaluation and use of automated scoring", consider more than 0.15 either way too much.
    Source: `rsmtool`, its method "unpooled".

    >>> standardised_mean_difference(total(differences([1, 2, 3], [2, 2, 5])))  # 1 / 1
    1.0
    """
    n = np.asarray(sums.items)
    spread = np.nan_to_num(_spread(n, sums.squared_reference, sums.reference))
    deviation = np.sqrt(spread * n / np.maximum(n - 1, 1))
    return ratio(sums.difference, number_or_array(deviation), "the standardised mean difference")


def mean_shift(sums: Differences) -> Any:
    """The absolute value of the `standardised_mean_difference`: 0 is best.

    >>> mean_shift(total(differences([1, 2, 3], [0, 2, 1])))
    1.0
    """
    return abs(standardised_mean_difference(sums))


def prmse(ratings: Any, predictions: Any) -> float:
    """Proportional reduction in mean squared error, when the true scores behind several ratings are predicted.

    1 - MSE / (variance of the true scores), both less the contribution of the raters' errors. 1 where the raters'
    errors explain the whole error of the system; not bounded below.
    Source: Loukina, Madnani, Cahill et al. (BEA 2020), "Using PRMSE to evaluate automated scoring systems in the
    presence of label noise"; `rsmtool.utils.prmse`.

    Parameters
    ----------
    ratings: shape=(n, m): each item's ratings, NaN where there is none; at least one per item, two of some items.
    predictions: shape=(n,).

    Raises
    ------
    ValueError: no item, lengths that differ, an item without ratings, no item with two, or true scores that do not
        vary.

    Examples
    --------
    The raters never differ. The true scores 1 and 3 have a variance of 2, the mean squared error is 1/2.

    >>> prmse([[1, 1], [3, 3]], [1, 2])
    0.75
    """
    table = np.asarray(ratings, dtype=np.float64)
    predictions = _numbers(predictions, "predictions")
    if table.ndim != 2 or len(table) != len(predictions):
        raise ValueError(f"ratings of shape {table.shape}; expected ({len(predictions)}, m)")
    number = (~np.isnan(table)).sum(axis=1)
    if not number.all() or not (number > 1).any():
        raise ValueError("expected a rating of every item and two of some")
    means = np.nansum(table, axis=1) / number
    error = np.nansum((table - means[:, np.newaxis]) ** 2) / (number - 1).sum()
    items, every = len(table), number.sum()
    between = (number * (means - np.nansum(table) / every) ** 2).sum() - (items - 1) * error
    variance = between / (every - (number**2).sum() / every)
    if not variance > 0:
        raise ValueError("the true scores do not vary: no reduction exists")
    return float(1 - ((number * (means - predictions) ** 2).sum() - items * error) / every / variance)


def round_to_scale(predictions: Any, low: int, high: int) -> np.ndarray:
    """Predictions trimmed to the scale from `low` to `high` and rounded, halves to even: int, shape=(n,).

    ETS's `rsmtool` trims to [low - 0.4998, high + 0.4998], which gives the same. ValueError for an empty scale.

    >>> round_to_scale([-7, 0.5, 1.5, 2.5, 4.4998, 9], 1, 4).tolist()
    [1, 1, 2, 2, 4, 4]
    """
    if not low < high:
        raise ValueError(f"scale must have low < high, got ({low}, {high})")
    return np.rint(np.clip(_numbers(predictions, "predictions"), low, high)).astype(np.int64)


def _numbers(values: Any, name: str) -> np.ndarray:
    array = np.asarray(values)
    if array.ndim != 1:
        raise ValueError(f"{name} must have shape (n,), got {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty")
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} must be numbers, got {array[0]!r} (dtype {array.dtype})")
    array = array.astype(float)
    bad = ~np.isfinite(array)
    if bad.any():
        raise ValueError(f"{name} must be finite, got {array[bad][0]} at index {int(bad.argmax())}")
    return array


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks less a half; equal values share their mean rank."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(number) - number / 2)[place]


def _pair(reference: Any, hypothesis: Any) -> tuple[np.ndarray, np.ndarray]:
    reference, hypothesis = _numbers(reference, "reference"), _numbers(hypothesis, "hypothesis")
    if len(reference) != len(hypothesis):
        raise ValueError(f"{len(reference)} reference values but {len(hypothesis)} hypothesis values")
    return reference, hypothesis


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


def _covariance(n: Any, products: Any, x: Any, y: Any) -> Any:
    """n^2 times the covariance of x and y."""
    return n * products - x * y


def _spread(n: Any, squares: Any, x: Any, *, explained: Any = 0.0) -> Any:
    """n^2 times the variance of x less its explained part; NaN where only rounding is left."""
    spread = _covariance(n, squares, x, x) - explained
    return np.where(spread > 1e-12 * n * squares, spread, np.nan)


def _quotient(covariance: Any, spread_x: Any, spread_y: Any) -> Any:
    """A correlation in [-1, 1], a float or shape (r,)."""
    r = np.clip(covariance / np.sqrt(spread_x * spread_y), -1, 1)
    return r if np.ndim(r) else float(r)


def _residual(values: np.ndarray, control: np.ndarray) -> np.ndarray:
    """Residuals of centred values after a centred control, centred and of size one; 0 if only rounding is left."""
    explaining = _dot(control, control)
    if not explaining:
        return values
    rest = values
    for _ in range(2):  # once more, for what rounding left of the control
        rest = rest - _dot(rest, control) / explaining * control
    if _dot(rest, rest) < 1e-20 * _dot(values, values):
        return np.zeros_like(values)
    return _centred(rest)


def _rescaled(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both near zero and of size one, in steps that keep differences exact and never overflow."""
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    a, b = np.ldexp(a, -exponent), np.ldexp(b, -exponent)
    origin = min(a.min(), b.min())
    a, b = a - origin, b - origin
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    return np.ldexp(a, -exponent), np.ldexp(b, -exponent)


def _centred(values: np.ndarray) -> np.ndarray:
    """Less their mean, and of size one."""
    values, _ = _rescaled(values, values)
    values = values - _mean(values)
    return values - _mean(values)


def _mean(values: np.ndarray) -> float:
    """The mean of a sum that is rounded once, as in `_dot`."""
    return math.fsum(values.tolist()) / len(values)


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """The sum of products, rounded once: the same for every order of the items and every build of numpy."""
    return math.fsum((a * b).tolist())
