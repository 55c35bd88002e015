"""The variance that columns of numbers explain: ordinary least squares, one column added after the other."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ..formats.tables import members
from ..metrics.jackknife import FEWEST_UNITS, jackknife_interval
from .writers import UNKNOWN, shown_interval

_DEPENDENT = 1e-9
"""A column with a smaller share of its variance than this, given the columns before it, is determined by them."""


def explained_variance(wrong: np.ndarray, columns: np.ndarray, units: Sequence[str]) -> list[list[str]]:
    """For each column its cells in the table of variance; dashes if it is constant or follows from earlier ones.

    The intervals are those of the correlations, by the jackknife over units: near 0, a squared one has none. No column
    is used if there are no more items than columns.

    Parameters
    ----------
    wrong : ndarray, shape (n,)
        How wrong the systems are on each item.
    columns : ndarray, shape (n, k)
    units
        The unit of each item, such as its speaker.

    Returns
    -------
    list of list of str
        What the column adds to those before it, in per cent, its interval, R² up to this column, and its interval.
    """
    variables = np.column_stack([columns, wrong])
    spread = np.where(np.ptp(variables, axis=0) > 0, variables.std(axis=0), 1)
    scaled = np.column_stack([np.ones(len(wrong)), (variables - variables.mean(axis=0)) / spread])
    of_units = np.stack([scaled[own].T @ scaled[own] for own in members(units).values()])
    products = of_units.sum(axis=0)
    adds, without = added_correlations(products), np.nan_to_num(added_correlations(products - of_units))
    whole, others = (
        np.sqrt((np.nan_to_num(each) ** 2).cumsum(axis=-1)).clip(max=1) for each in (adds, without)
    )
    cells = []
    for place in range(columns.shape[1]):
        shown: list[str] = []
        for found, left_out in ((adds[place], without[:, place]), (whole[place], others[:, place])):
            shown += [f"{100 * found**2:.1f}", _interval_of_square(found, left_out)]
        is_used = len(wrong) > columns.shape[1] + 1 and not np.isnan(adds[place])
        cells.append(shown if is_used else [UNKNOWN] * 4)
    return cells


def _interval_of_square(correlation: float, without: np.ndarray) -> str:
    """The interval of a squared correlation in per cent, from the correlations without each unit."""
    if len(without) < FEWEST_UNITS or math.isnan(correlation):
        return UNKNOWN
    low, high = jackknife_interval(correlation, without, (-1.0, 1.0))
    least = 0.0 if low < 0 < high else min(low**2, high**2)
    return shown_interval((100 * least, 100 * max(low**2, high**2)), 1)


def added_correlations(products: np.ndarray) -> np.ndarray:
    """The correlation of the last variable with what each other one adds to those before it, shape (..., k).

    Its square is the added share of the variance. NaN for a variable that is constant or follows from those before it,
    and if the last variable is constant.

    Parameters
    ----------
    products : ndarray, shape (..., k + 2, k + 2)
        Sums over items of the products of each two of the constant 1, k variables, and the last variable.
    """
    left, usual = products, _DEPENDENT * np.diagonal(products, axis1=-2, axis2=-1)
    whole = products[..., -1, -1] - products[..., 0, -1] ** 2 / np.maximum(products[..., 0, 0], 1)
    found = []
    for place in range(left.shape[-1] - 1):  # each variable is regressed out of those after it
        pivot = left[..., place, place]
        pivot = np.where(pivot > usual[..., place], pivot, np.nan)
        found.append(left[..., place, -1] / np.sqrt(pivot))
        slopes = np.nan_to_num(left[..., place, :] / pivot[..., np.newaxis])
        left = left - left[..., :, place, np.newaxis] * slopes[..., np.newaxis, :]
    whole = np.where(whole > usual[..., -1], whole, np.nan)
    correlations: np.ndarray = np.stack(found[1:], axis=-1) / np.sqrt(whole)[..., np.newaxis]
    return correlations
