"""The assignment of greatest benefit between two sets, as between the speakers of a reference and those of a system.

Source: Crouse (2016), On implementing 2D rectangular assignment algorithms, IEEE Transactions on Aerospace and
Electronic Systems 52(4), shortest augmenting paths (Jonker and Volgenant, 1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np

_LARGEST = np.iinfo(np.int64).max


def greatest_assignment(benefit: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return pairs of a row and a column, each used at most once, with the greatest sum of benefits.

    Integers are exact at any size. The time grows with the cube of the smaller side.

    Parameters
    ----------
    benefit : array_like, shape (n, m)
        Finite benefits of 0 or more; integers, also Python's own (`object`), or floats.

    Returns
    -------
    rows, columns : ndarray of int, shape (k,), k <= min(n, m)
        The pairs, in the order of the shorter side. A pair without benefit may be left out.

    Raises
    ------
    ValueError
        The benefits are not a matrix of finite numbers of 0 or more.

    Examples
    --------
    The greatest single benefit, 9, is not in the best assignment.

    >>> rows, columns = greatest_assignment([[9, 8], [8, 1]])
    >>> rows.tolist(), columns.tolist()
    ([0, 1], [1, 0])
    """
    benefit = np.asarray(benefit)
    if benefit.ndim != 2 or (benefit.size and not ((benefit >= 0) & (benefit < np.inf)).all()):
        raise ValueError("benefits must be finite numbers of 0 or more, shape (n, m)")
    rows, columns = (np.flatnonzero((benefit > 0).any(axis=axis)) for axis in (1, 0))
    if len(rows) > len(columns):
        columns, rows = greatest_assignment(benefit.T)
        return rows, columns
    if not len(rows):
        return rows, columns
    cost = -benefit[np.ix_(rows, columns)]
    if cost.dtype != np.float64 and 4 * len(rows) * -int(cost.min()) >= _LARGEST:
        cost = cost.astype(object)  # sums along a path could exceed 64 bits
    return rows, columns[_least_cost(cost)]


def _least_cost(cost: np.ndarray) -> np.ndarray:
    """The column of each of n rows in the assignment of least cost, shape (n,), n <= m.

    The rows are added one by one, each along the shortest path, in reduced costs, to a free column.
    """
    n, m = cost.shape
    kind = cost.dtype.type(0) if cost.dtype != object else 0
    row_price, column_price = np.full(n, kind, cost.dtype), np.full(m, kind, cost.dtype)
    column_of, row_of = np.full(n, -1), np.full(m, -1)
    for first in range(n):
        row, length = first, kind
        shortest, before = cost[row] - row_price[row] - column_price, np.full(m, row)
        reached = np.zeros(m, dtype=bool)
        while True:
            reach = length + cost[row] - row_price[row] - column_price
            shorter = ~reached & (reach < shortest)
            shortest[shorter] = reach[shorter]
            before[shorter] = row
            open_columns = np.flatnonzero(~reached)
            column = open_columns[shortest[open_columns].argmin()]
            length = shortest[column]
            reached[column] = True
            if row_of[column] < 0:
                break
            row = row_of[column]
        visited = np.flatnonzero(reached & (row_of >= 0))
        row_price[first] += length
        row_price[row_of[visited]] += length - shortest[visited]
        column_price[reached] -= length - shortest[reached]
        while True:
            row = before[column]
            row_of[column] = row
            column_of[row], column = column, column_of[row]
            if row == first:
                break
    return column_of
