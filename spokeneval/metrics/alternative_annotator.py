"""The alternative annotator test: may a system replace human raters?

Ratings are integers. Arrays that are empty or of different lengths, or fewer than two raters, raise ValueError. Rates
are undefined without items (see `counts`).

Source: Calderon, Reichart and Dror (ACL 2025), "The Alternative Annotator Test for LLM-as-a-Judge".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .arrays import finite_numbers
from .counts import Counts, ratio
from .quantiles import student_t_below
from .shares import of_observations


@dataclass(frozen=True)
class AnnotatorComparisons(Counts):
    """Items counted by whether the system or each of m raters is closer to the other raters.

    Attributes
    ----------
    system_closer : ndarray, shape (..., m)
        The number of items on which the system is closer than each rater.
    equal : ndarray, shape (..., m)
        The number of items on which both are equally close.
    rater_closer : ndarray, shape (..., m)
        The number of items on which the rater is closer.
    """

    system_closer: np.ndarray
    equal: np.ndarray
    rater_closer: np.ndarray


def annotator_comparisons(raters: Any, system: Any, *, rated: Any = None) -> AnnotatorComparisons:
    """Compare the system with each rater on each item: which of them is closer to the other raters?

    The closer one has the smaller root mean square difference to the ratings of the other raters of the item.

    Parameters
    ----------
    raters : array_like of int, shape (m, n), m >= 2
        The ratings of each rater.
    system : array_like of int, shape (n,)
        The ratings of the system.
    rated : array_like of bool, shape (m, n), optional
        Which items each rater rated; the numbers in place of missing ratings are ignored. By default all items.

    Returns
    -------
    AnnotatorComparisons
        Fields of shape (n, m), with 1 in one of the three fields for each item and rater; 0 in all of them where the
        rater, or all other raters, did not rate the item.

    Raises
    ------
    ValueError
        There are fewer than two raters, the arrays have different lengths, or a rating is not an integer.

    Examples
    --------
    Without the first rater, the other ratings are 2 and 2. The system's 2 is closer to them than the rater's 1.

    >>> rows = annotator_comparisons([[1], [2], [2]], [2])
    >>> rows.system_closer.tolist(), rows.equal.tolist(), rows.rater_closer.tolist()
    ([[1, 0, 0]], [[0, 1, 1]], [[0, 0, 0]])
    """
    system = finite_numbers(system, "system")
    ratings = [finite_numbers(rater, "a rater") for rater in raters]
    if len(ratings) < 2:
        raise ValueError(f"{len(ratings)} raters; expected at least 2")
    for values in (system, *ratings):
        if len(values) != len(system) or (values != np.rint(values)).any():
            raise ValueError(f"expected {len(system)} integers of every rater, got {values}")
    table = np.stack(ratings)
    rated = np.ones(table.shape, bool) if rated is None else np.asarray(rated, bool)
    number, sums, squares = (np.sum(each * rated, axis=0) for each in (table**0, table, table**2))
    to_system = (table - system) ** 2 * rated
    # The distance of a rater to itself is 0; it is subtracted from the system's distances.
    gain = number * table**2 - 2 * table * sums + squares - (to_system.sum(axis=0) - to_system)
    compared = rated & (rated.sum(axis=0) > 1)
    signs = (gain > 0, gain == 0, gain < 0)
    return AnnotatorComparisons(*((sign & compared).T.astype(np.int64) for sign in signs))


@of_observations(lambda rows: _items(rows).max(axis=-1))
def advantage(comparisons: AnnotatorComparisons) -> Any:
    """The advantage probability rho: how often the system is at least as close to the other raters as a rater is.

    It is the share of such items, averaged over the raters with comparisons.

    Source: Calderon, Reichart and Dror (ACL 2025), section 3.

    Examples
    --------
    >>> from spokeneval.metrics.counts import total
    >>> rated = [[True, True], [True, True], [False, True]]
    >>> rows = annotator_comparisons([[1, 1], [2, 1], [0, 3]], [2, 5], rated=rated)
    >>> round(advantage(total(rows)), 6)  # (1/2 + 1/2 + 0) / 3
    0.333333
    """
    as_close = np.asarray(comparisons.system_closer) + comparisons.equal
    items = as_close + comparisons.rater_closer
    shares = (as_close / np.maximum(items, 1)).sum(axis=-1)
    return ratio(shares, (items > 0).sum(axis=-1), "the advantage")


def winning_rate(comparisons: AnnotatorComparisons, *, margin: float = 0.2, level: float = 0.05) -> Any:
    """The winning rate omega: the share of raters that the system may replace, by the alternative annotator test.

    For each rater, the share of items on which the rater is at least as close as the system is compared with the
    system's share. The system may replace the rater if, by a one-sided t-test, the rater's lead is below `margin`. The
    procedure of Benjamini and Yekutieli controls the false discovery rate of the tests. A system with a winning rate of
    0.5 or more passes. The test is meant for at least 30 items; with a single item, no rater is replaced. Raters
    without comparisons are left out.

    Source: Calderon, Reichart and Dror (ACL 2025), section 3, with their margin for experts.

    Parameters
    ----------
    comparisons : AnnotatorComparisons
        The counts of one or more sets.
    margin : float
        The margin epsilon: the loss in closeness that the system's lower cost outweighs.
    level : float
        The false discovery rate.

    Returns
    -------
    float or ndarray of shape (r,)
        The winning rate, from 0 to 1.

    Examples
    --------
    The system is closer than the first two of three raters on all 50 items, and closer than the third on none.

    >>> closer = np.array([50, 50, 0])
    >>> round(winning_rate(AnnotatorComparisons(closer, 0 * closer, 50 - closer)), 6)
    0.666667
    """
    system, rater = np.asarray(comparisons.system_closer), np.asarray(comparisons.rater_closer)
    items = system + comparisons.equal + rater
    raters, several = (items > 0).sum(axis=-1, keepdims=True), np.maximum(items, 2)
    mean = (rater - system) / several
    squared_error = (rater + system - several * mean**2) / ((several - 1) * several)
    p = np.where(items > 1, _below(mean - margin, squared_error, several - 1), np.inf)
    return _share_replaced(p, raters, level)


def clustered_winning_rate(rows: AnnotatorComparisons, *, margin: float = 0.2, level: float = 0.05) -> float:
    """The winning rate omega where the items of a unit, such as a speaker, are not independent.

    Like `winning_rate`, but with the cluster-robust standard error of each rater's mean and n - 1 degrees of freedom
    for n units. Both are equal if each unit is one item.

    Source: Liang and Zeger, Longitudinal data analysis using generalized linear models (Biometrika 73, 1986), with the
    factor n / (n - 1) for n units.

    Parameters
    ----------
    rows : AnnotatorComparisons
        The counts of n units, fields of shape (n, m).
    margin, level
        As for `winning_rate`.

    Examples
    --------
    Each of five speakers has four calls. The system is closer than the only rater on all calls of four speakers.

    >>> closer = np.array([[4], [4], [4], [4], [0]])
    >>> rows = AnnotatorComparisons(closer, 0 * closer, 4 - closer)
    >>> from spokeneval.metrics.counts import total
    >>> winning_rate(total(rows)), clustered_winning_rate(rows)
    (1.0, 0.0)
    """
    p = _clustered_p(rows, margin)
    return float(_share_replaced(p, (_items(rows) > 0).any(axis=0).sum(keepdims=True), level))


def _items(rows: AnnotatorComparisons) -> np.ndarray:
    items: np.ndarray = np.asarray(rows.system_closer) + rows.equal + rows.rater_closer
    return items


def _clustered_p(rows: AnnotatorComparisons, margin: float) -> np.ndarray:
    """The p values of each rater's advantage being below the margin; infinite with a single unit."""
    items = _items(rows)
    sizes, units = np.maximum(items.sum(axis=0), 1), (items > 0).sum(axis=0)
    advantages = np.asarray(rows.rater_closer) - rows.system_closer
    mean = advantages.sum(axis=0) / sizes
    several = np.maximum(units, 2)
    squares = ((advantages - mean * items) ** 2).sum(axis=0)
    squared_error = np.where(squares > 1e-18, squares, 0) * several / ((several - 1) * sizes**2)
    return np.where(units > 1, _below(mean - margin, squared_error, several - 1), np.inf)


def _below(distance: np.ndarray, squared_error: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The p values of one-sided t-tests that a mean is below 0, from means and squared standard errors."""
    varies = squared_error > 0
    t = distance / np.sqrt(np.where(varies, squared_error, 1))
    return np.where(varies, student_t_below(t, freedom), distance >= 0)


def _share_replaced(p: np.ndarray, raters: np.ndarray, level: float) -> Any:
    """The share of raters, of the numbers in `raters`, whose p is found by Benjamini and Yekutieli's procedure."""
    p = np.sort(p)
    ranks = np.arange(1, p.shape[-1] + 1)
    harmonic = np.cumsum(1 / ranks)[np.maximum(raters, 1) - 1]
    found = p <= ranks * level / (np.maximum(raters, 1) * harmonic)
    return ratio(np.where(found, ranks, 0).max(axis=-1), raters[..., 0], "omega")


def clustered_remark(rows: AnnotatorComparisons, *, margin: float = 0.2) -> str:
    """A remark on the dependence of a unit's items; empty if each unit is one item.

    Examples
    --------
    >>> closer = np.array([[4], [4], [4], [4], [0]])
    >>> clustered_remark(AnnotatorComparisons(closer, 0 * closer, 4 - closer)).partition(". ")[2]
    'With the items of a unit taken together, it is 0.0000.'
    """
    items = _items(rows)
    if items.max(initial=0) < 2:
        return ""
    return (
        "The winning rate takes items as independent, as published. With the items of a unit taken together, it is "
        f"{clustered_winning_rate(rows, margin=margin):.4f}."
    )
