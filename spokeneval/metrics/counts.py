"""Counts: additive values from which scores are computed.

The counts of a metric are a frozen dataclass. Its fields are numbers, or arrays with the same first axes and one row
per item, speaker or resample; `+` pools two sets. The sum of rows is again counts of the same kind, so the same formula
applies to a whole system (fields are numbers) and to two thousand resamples (fields are arrays of shape (2000,)).

Unless a docstring states otherwise, all counts and all formulas follow these conventions:

- A field is a number for one set, and an array of shape (r,) for r sets. In a documented shape, `...` is empty or r.
  A formula returns a float for one set, and an array of shape (r,) for r sets.
- Counts are checked when they are created: a number that is not finite, or is negative where it cannot be, raises
  ValueError.
- If a formula is undefined, such as a rate with denominator 0, it raises ValueError for one set. For several sets it
  returns NaN for those that are undefined.
"""

from __future__ import annotations

import math
from dataclasses import fields, replace
from typing import Any, ClassVar, TypeVar

import numpy as np

C = TypeVar("C", bound=Any)

Number = Any
"""A number for one set, an array for several sets."""


def field_arrays(counts: Any) -> dict[str, np.ndarray]:
    """The fields of counts as arrays, by name.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> field_arrays(BinaryCounts(3, 1, 0, 2))["true_positives"]
    array(3)
    """
    return {field.name: np.asarray(getattr(counts, field.name)) for field in fields(counts)}


class Counts:
    """The base of all counts. `+` adds counts of the same kind field by field.

    Each number is checked. The message names the field, and in an array also the row.

    Attributes
    ----------
    signed
        The names of the fields that may be negative.

    Raises
    ------
    ValueError
        A number is not finite, or negative in a field that is not `signed`.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> BinaryCounts(3, 1, 0, 2) + BinaryCounts(2, 0, 1, 4) == BinaryCounts(5, 1, 1, 6)
    True
    >>> BinaryCounts(3, 1, 0, -2)
    Traceback (most recent call last):
    ValueError: true_negatives is -2; expected a finite number, 0 or more
    """

    signed: ClassVar[tuple[str, ...]] = ()

    def __post_init__(self) -> None:
        for name, array in field_arrays(self).items():
            if not array.ndim and 0 <= array.item() < math.inf:
                continue  # as below, but faster
            either = name in self.signed
            wrong = ~np.isfinite(array) if either else ~((array >= 0) & (array < np.inf))
            if wrong.any():
                row = f" in row {int(wrong.nonzero()[0][0])}" if array.ndim else ""
                expected = "a finite number" if either else "a finite number, 0 or more"
                raise ValueError(f"{name} is {array[wrong][0].item()}{row}; expected {expected}")

    def __add__(self: C, other: C) -> C:
        summed = {name: getattr(self, name) + getattr(other, name) for name in field_arrays(self)}
        return replace(self, **summed)


def total(rows: C) -> C:
    """Add up n >= 1 rows: fields of shape (n, ...) become fields of shape (...), those of shape (n,) plain numbers.

    Integers are added exactly, other numbers with a single rounding at the end, so that the sum does not depend on the
    order of the rows.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> total(rows) == BinaryCounts(6, 2, 2, 7)
    True
    """
    return replace(rows, **sums(rows))


def sums(rows: Any) -> dict[str, Any]:
    """The fields of `total`, by name.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> sums(BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4]]).T))["true_negatives"]
    6
    """
    return {name: _sum(array) for name, array in field_arrays(rows).items()}


def by_group(rows: C, group: np.ndarray, groups: int) -> C:
    """Add up rows within groups, such as speakers: fields of shape (n, ...) become fields of shape (groups, ...).

    Parameters
    ----------
    rows
        Counts with one row for each item.
    group : array_like of int, shape (n,)
        The group of each row, from 0.
    groups : int
        The number of groups.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> by_group(rows, np.array([1, 0, 1]), 2).true_positives.tolist()
    [2, 4]
    """
    summed = {}
    for name, array in field_arrays(rows).items():
        summed[name] = np.zeros((groups, *array.shape[1:]), dtype=_summable(array))
        np.add.at(summed[name], group, array.astype(_summable(array), copy=False))  # casts within are slow
    return replace(rows, **summed)


_BLOCK, _LOW = 1 << 15, (1 << 26) - 1
"""Numbers that `exact_sum` adds at a time, and the lower half of a significand."""
_LEAST = -1074
"""The exponent of the least double, as `numpy.frexp` gives it."""


def exact_sum(values: np.ndarray) -> float:
    """The sum with a single rounding, as by `math.fsum`, so that it does not depend on the order of the numbers.

    In blocks, the significands of equal exponents are added in two halves, whose sums are exact.

    Examples
    --------
    >>> exact_sum(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    if len(values) < _BLOCK or not np.isfinite(values).all():
        return math.fsum(values.tolist())
    whole = 0
    for start in range(0, len(values), _BLOCK):
        fractions, exponents = np.frexp(values[start : start + _BLOCK])
        significands, lowest = np.ldexp(fractions, 53).astype(np.int64), int(exponents.min())
        halves = (np.bincount(exponents - lowest, half) for half in (significands >> 26, significands & _LOW))
        for place, (high, low) in enumerate(zip(*halves), lowest - _LEAST):
            whole += ((int(high) << 26) + int(low)) << place
    return whole / (1 << 53 - _LEAST)


def cell_sums(cell: np.ndarray, values: np.ndarray, cells: int) -> np.ndarray:
    """The sums of n values by cell, from the smallest value to the largest: shape (cells,).

    Otherwise the last bit of the sum of rounded numbers could depend on the order of the items.

    Examples
    --------
    >>> cell_sums(np.array([1, 0, 1]), np.array([0.5, 2.0, 0.25]), 3).tolist()
    [2.0, 0.75, 0.0]
    """
    order = np.argsort(values)
    return np.bincount(cell[order], values[order], cells)


def taken(rows: C, order: np.ndarray) -> C:
    """The rows at the given indices: fields of shape (n, ...) become fields of shape (len(order), ...).

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> taken(rows, np.array([2, 0])).true_negatives.tolist()
    [1, 2]
    """
    return replace(rows, **{name: array[order] for name, array in field_arrays(rows).items()})


def as_matrix(rows: Any) -> np.ndarray:
    """All numbers of n rows as a matrix of shape (n, k): field after field, each field flattened.

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.array([[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]).T)
    >>> as_matrix(rows).tolist()
    [[3, 1, 0, 2], [2, 0, 1, 4], [1, 1, 1, 1]]
    """
    return np.concatenate([array.reshape(len(array), -1) for array in field_arrays(rows).values()], axis=1)


def from_matrix(rows: C, matrix: np.ndarray) -> C:
    """The inverse of `as_matrix`: counts like `rows` from other numbers, shape (r, k).

    Examples
    --------
    >>> from spokeneval.metrics.classification import BinaryCounts
    >>> rows = BinaryCounts(*np.ones((4, 3)))
    >>> from_matrix(rows, np.array([[3, 1, 0, 2], [2, 0, 1, 4]])).true_positives.tolist()
    [3, 2]
    """
    shapes = {name: array.shape[1:] for name, array in field_arrays(rows).items()}
    widths = [math.prod(shape) for shape in shapes.values()]
    parts = np.split(matrix, np.cumsum(widths)[:-1], axis=1)
    return replace(rows, **{name: part.reshape(-1, *shapes[name]) for name, part in zip(shapes, parts)})


def ratio(numerator: Number, denominator: Number, name: str) -> Any:
    """The quotient, a number or an array. Undefined where the denominator is 0; `name` is for the message.

    Examples
    --------
    >>> ratio(1, 4, "a rate"), ratio(np.array([1, 0]), np.array([4, 0]), "a rate").tolist()
    (0.25, [0.25, nan])
    """
    if np.ndim(denominator) == 0 and np.ndim(numerator) == 0:
        if not denominator:
            raise ValueError(f"{name} is undefined: the denominator is 0")
        return float(numerator / denominator)
    numerator, denominator = np.broadcast_arrays(np.asarray(numerator, float), denominator)
    return np.divide(numerator, denominator, out=np.full(denominator.shape, np.nan), where=denominator != 0)


def number_or_array(value: Any) -> Any:
    """Return an array unchanged, and a value without axes as a plain Python number.

    Examples
    --------
    >>> number_or_array(np.float64(0.5)), number_or_array(np.array([1, 2])).tolist()
    (0.5, [1, 2])
    """
    return value if np.ndim(value) else np.asarray(value).item()


def _summable(array: np.ndarray) -> Any:
    return np.int64 if array.dtype.kind in "biu" else np.float64


def _sum(array: np.ndarray) -> Any:
    if array.dtype.kind in "biu":
        summed = array.sum(axis=0, dtype=np.int64)
    else:
        columns = array.reshape(len(array), -1).T
        summed = np.array([exact_sum(column) for column in columns]).reshape(array.shape[1:])
    return summed.item() if array.ndim == 1 else summed
