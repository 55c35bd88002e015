"""Correlations of ratings and predictions: Pearson's, Spearman's, and with a third variable held constant.

Arrays have shape (n,), one entry per item, in the same order. Arrays that are empty, of different lengths, or contain
values that are not finite numbers raise ValueError. Correlations lie in [-1, 1], and higher is better. A correlation
with a constant is undefined (see `counts`). For a single set, Pearson's and the partial correlation then raise
`UndefinedCorrelation`, which is a ValueError.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from .arrays import finite_numbers, finite_pair, rescaled
from .counts import Counts, Number, exact_sum, ratio, total
from .shares import of_observations


class UndefinedCorrelation(ValueError):
    """Raised for valid input in which a variable does not vary, so that the correlation is undefined."""


@dataclass(frozen=True)
class CorrelationMoments(Counts):
    """Sums over items for the correlation of x and y. `+` pools items if their variables have the same origin.

    Attributes
    ----------
    n
        The number of items.
    x, y
        The sums of the two variables.
    xx, yy, xy
        The sums of their squares and of their product.
    """

    n: Number
    x: Number
    y: Number
    xx: Number
    yy: Number
    xy: Number

    signed: ClassVar[tuple[str, ...]] = ("x", "y", "xy")


@dataclass(frozen=True)
class PartialMoments(Counts):
    """Sums over items for the correlation of x and y with z held constant.

    Attributes
    ----------
    n
        The number of items.
    x, y, z
        The sums of the three variables.
    xx, yy, zz, xy, xz, yz
        The sums of their squares and products.
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

    signed: ClassVar[tuple[str, ...]] = ("x", "y", "z", "xy", "xz", "yz")


def correlation_moments(reference: Any, predictions: Any) -> CorrelationMoments:
    """The moments of each item, one row per item, with x from the reference and y from the predictions.

    Both variables are centred, and scaled by a power of two near their range, to avoid cancellation in the sums. A
    correlation does not depend on either operation.

    Examples
    --------
    >>> moments = correlation_moments([0, 0, 2, 2], [0, 4, 0, 4])
    >>> moments.x.tolist(), moments.xy.tolist()
    ([-0.25, -0.25, 0.25, 0.25], [0.0625, -0.0625, -0.0625, 0.0625])
    """
    return rating_moments(*map(_centred, finite_pair(reference, predictions)))


@of_observations(lambda moments: moments.n, graded=True)
def correlation(moments: CorrelationMoments) -> Any:
    r"""Pearson's correlation.

    .. math:: r = \frac{n S_{xy} - S_x S_y}{\sqrt{(n S_{xx} - S_x^2) (n S_{yy} - S_y^2)}}

    with the number n and the sums S in the moments. A variable counts as constant if its standard deviation is below a
    millionth of its root mean square: a constant has rounding errors of this size. If a variable is constant, a single
    set raises `UndefinedCorrelation`.

    Examples
    --------
    >>> correlation(CorrelationMoments(n=4, x=0, y=0, xx=5, yy=5, xy=3))
    0.6
    """
    n = np.asarray(moments.n)
    spread_x = scaled_variance(n, moments.xx, moments.x)
    spread_y = scaled_variance(n, moments.yy, moments.y)
    if n.ndim == 0:
        for name, spread in (("reference", spread_x), ("predictions", spread_y)):
            if np.isnan(spread):
                raise UndefinedCorrelation(f"{name} is constant: no correlation exists")
    return _quotient(_covariance(n, moments.xy, moments.x, moments.y), spread_x, spread_y)


def pearson_r(reference: Any, predictions: Any) -> float:
    """Pearson's correlation of two variables; see `correlation` for the formula.

    Examples
    --------
    >>> round(pearson_r([1, 2, 3, 4], [2, 1, 4, 3]), 6)
    0.6
    """
    return float(correlation(total(correlation_moments(reference, predictions))))


def rank_moments(reference: Any, predictions: Any) -> CorrelationMoments:
    """The `correlation_moments` of ranks, whose `correlation` is Spearman's. Equal values share their mean rank.

    The ranks are among all items, so the correlation of a resample of rows is only approximately Spearman's correlation
    of the resample.

    Source: Spearman (1904), "The proof and measurement of association between two things".

    Examples
    --------
    The ranks are 1, 2.5, 2.5, 4 and 1, 3, 2, 4: 4.5 / sqrt(4.5 * 5).

    >>> round(correlation(total(rank_moments([1, 2, 2, 4], [0, 7, 6, 100]))), 6)
    0.948683
    """
    return correlation_moments(*map(_ranks, finite_pair(reference, predictions)))


def rating_moments(reference: Any, predictions: Any) -> CorrelationMoments:
    """The moments of each item in the ratings' own unit, one row per item, for the `concordance` of two raters.

    Examples
    --------
    >>> moments = rating_moments([1, 2, 3], [1, 3, 3])
    >>> moments.x.tolist(), moments.xy.tolist()
    ([1.0, 2.0, 3.0], [1.0, 6.0, 9.0])
    """
    x, y = finite_pair(reference, predictions)
    return CorrelationMoments(np.ones_like(x), x, y, x * x, y * y, x * y)


@of_observations(lambda moments: moments.n, graded=True)
def concordance(moments: CorrelationMoments) -> Any:
    r"""Lin's concordance correlation, which for ratings on a scale is Cohen's kappa with quadratic weights.

    .. math:: \kappa = \frac{2 (n S_{xy} - S_x S_y)}{n (S_{xx} + S_{yy}) - 2 S_x S_y}

    If all ratings of both raters are equal, it is 1 by definition, as kappa is. For whole ratings it is the exact
    quotient, rounded once, if the number of items times the largest rating is below 60 million.

    Source: Lin (1989), "A concordance correlation coefficient to evaluate reproducibility".

    Parameters
    ----------
    moments : CorrelationMoments
        The `rating_moments` of one or more sets; both variables have the same unit and origin.

    Examples
    --------
    The squared differences add up to 2 over the 4 items and to 14 over all 16 pairs: 1 - (2/4) / (14/16) = 3/7.

    >>> round(concordance(total(rating_moments([1, 1, 2, 3], [1, 2, 2, 2]))), 6)
    0.428571
    """
    chance = moments.n * (moments.xx + moments.yy) - 2 * moments.x * moments.y
    observed = moments.n * (moments.xx + moments.yy - 2 * moments.xy)
    sure = (chance == 0) & (np.asarray(moments.n) > 0)  # no disagreement is expected: 1 / 1
    return ratio(chance + sure - observed, chance + sure, "the concordance correlation")


def partial_moments(reference: Any, predictions: Any, control: Any) -> PartialMoments:
    """The moments of each item, one row per item, with x from the reference, y from the predictions, z from the
    control.

    All three variables are centred. Reference and predictions are then replaced by their residuals of a regression on
    the control over all items. This does not change the partial correlation, and avoids cancellation in the sums. A
    residual below 1e-10 of its variable is a rounding error, and is set to 0.

    Examples
    --------
    The reference is the sum of the control and another variable, which remains.

    >>> moments = partial_moments([2, 0, 0, -2], [1, -1, 1, -1], [1, 1, -1, -1])
    >>> moments.x.tolist(), moments.z.tolist()
    ([0.25, -0.25, 0.25, -0.25], [0.25, 0.25, -0.25, -0.25])
    """
    reference, predictions = finite_pair(reference, predictions)
    control = finite_numbers(control, "control")
    if len(control) != len(reference):
        raise ValueError(f"{len(reference)} reference values but {len(control)} control values")
    z = _centred(control)
    x, y = (_residual(_centred(values), z) for values in (reference, predictions))
    return PartialMoments(np.ones_like(x), x, y, z, x * x, y * y, z * z, x * y, x * z, y * z)


@of_observations(lambda moments: moments.n, graded=True)
def partial_correlation(moments: PartialMoments) -> Any:
    r"""Partial correlation of x and y with z held constant.

    .. math:: r_{xy \cdot z} = \frac{r_{xy} - r_{xz} r_{yz}}{\sqrt{(1 - r_{xz}^2) (1 - r_{yz}^2)}}

    It is computed from the covariances that z does not explain, :math:`C_{xy} - C_{xz} C_{yz} / C_{zz}`. A remainder
    below a millionth of a variable counts as a rounding error. If z is constant, or nothing remains of x or y, a single
    set raises `UndefinedCorrelation`.

    Examples
    --------
    The correlations of x and y, x and z, y and z are 1/2, 1/2 and 0: (1/2) / sqrt(3/4).

    >>> moments = PartialMoments(n=8, x=0, y=0, z=0, xx=4, yy=4, zz=4, xy=2, xz=2, yz=0)
    >>> round(partial_correlation(moments), 6)
    0.57735
    """
    n = np.asarray(moments.n)
    spread_z = scaled_variance(n, moments.zz, moments.z)
    with_x = _covariance(n, moments.xz, moments.x, moments.z)
    with_y = _covariance(n, moments.yz, moments.y, moments.z)
    spread_x = scaled_variance(n, moments.xx, moments.x, explained=with_x * with_x / spread_z)
    spread_y = scaled_variance(n, moments.yy, moments.y, explained=with_y * with_y / spread_z)
    if n.ndim == 0:
        if np.isnan(spread_z):
            raise UndefinedCorrelation("control is constant: no correlation exists")
        for name, spread in (("reference", spread_x), ("predictions", spread_y)):
            if np.isnan(spread):
                raise UndefinedCorrelation(f"{name} is constant or a linear function of the control")
    left = _covariance(n, moments.xy, moments.x, moments.y) - with_x * with_y / spread_z
    return _quotient(left, spread_x, spread_y)


def partial_r(reference: Any, predictions: Any, control: Any) -> float:
    """Partial correlation of reference and predictions with the control held constant; see `partial_correlation`.

    Examples
    --------
    >>> x, y, z = [1, 1, -1, -1, 0, 0, 0, 0], [1, 0, 0, -1, 1, -1, 0, 0], [1, 0, -1, 0, -1, 0, 1, 0]
    >>> round(partial_r(x, y, z), 6)
    0.57735
    """
    return float(partial_correlation(total(partial_moments(reference, predictions, control))))


@dataclass(frozen=True)
class PairOrders(Counts):
    """Pairs of items by their order in x and in y, each pair counted once for each of its items.

    Attributes
    ----------
    agreement
        Pairs that both variables order alike, minus pairs that they order differently.
    x, y
        Pairs that differ in the variable.
    """

    agreement: Number
    x: Number
    y: Number

    signed: ClassVar[tuple[str, ...]] = ("agreement",)


def pair_orders(reference: Any, predictions: Any) -> PairOrders:
    """The pairs of each item with all others, one row per item. `kendall_tau` takes the total of all rows.

    Examples
    --------
    >>> pair_orders([1, 2, 3], [1, 3, 2]).agreement.tolist()
    [2, 0, 0]
    """
    x, y = finite_pair(reference, predictions)
    signs = ((np.sign(x - one), np.sign(y - other)) for one, other in zip(x, y))
    rows = [((a * b).sum(), np.abs(a).sum(), np.abs(b).sum()) for a, b in signs]
    return PairOrders(*np.array(rows).astype(np.int64).T)


def kendall_tau(orders: PairOrders) -> Any:
    """Kendall's rank correlation with ties, τ-b. The rows of a resample include pairs with items that it lacks.

    Source: Kendall, The treatment of ties in ranking problems (Biometrika 33, 1945).

    Examples
    --------
    Of three pairs, two are ordered alike and one is not.

    >>> round(kendall_tau(total(pair_orders([1, 2, 3], [1, 3, 2]))), 6)
    0.333333
    """
    return ratio(
        orders.agreement,
        np.sqrt(np.multiply(orders.x, orders.y, dtype=float)),
        "a correlation with a constant",
    )


def scaled_variance(n: Any, squares: Any, x: Any, *, explained: Any = 0.0) -> np.ndarray:
    """n^2 times the variance of x, minus its explained part; NaN if the rest is a rounding error.

    Examples
    --------
    >>> scaled_variance(np.array([2, 2]), np.array([5, 8]), np.array([3, 4])).tolist()
    [1.0, nan]
    """
    scaled = _covariance(n, squares, x, x) - explained
    return np.where(scaled > 1e-12 * n * squares, scaled, np.nan)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Ranks minus 1/2; equal values share their mean rank."""
    _, place, number = np.unique(values, return_inverse=True, return_counts=True)
    return (np.cumsum(number) - number / 2)[place]


def _covariance(n: Any, products: Any, x: Any, y: Any) -> Any:
    """n^2 times the covariance of x and y."""
    return n * products - x * y


def _quotient(covariance: Any, spread_x: Any, spread_y: Any) -> Any:
    """A correlation in [-1, 1], a float or shape (r,)."""
    r = np.clip(covariance / np.sqrt(spread_x * spread_y), -1, 1)
    return r if np.ndim(r) else float(r)


def _residual(values: np.ndarray, control: np.ndarray) -> np.ndarray:
    """Residuals of centred values after a centred control, centred and scaled; 0 if they are rounding errors."""
    explaining = _dot(control, control)
    if not explaining:
        return values
    rest = values
    for _ in range(2):  # twice, to remove what rounding left of the control
        rest = rest - _dot(rest, control) / explaining * control
    if _dot(rest, rest) < 1e-20 * _dot(values, values):
        return np.zeros_like(values)
    return _centred(rest)


def _centred(values: np.ndarray) -> np.ndarray:
    """The values minus their mean, scaled by a power of two near their range."""
    values, _ = rescaled(values, values)
    values = values - _mean(values)
    return values - _mean(values)


def _mean(values: np.ndarray) -> float:
    """The mean, from a sum that is rounded once, as in `_dot`."""
    return exact_sum(values) / len(values)


def _dot(a: np.ndarray, b: np.ndarray) -> float:
    """The sum of products, rounded once, so that it does not depend on the order of the items or the build of numpy."""
    return exact_sum(a * b)
