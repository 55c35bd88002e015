"""Input arrays of metrics: checks, conversion to doubles, and rescaling."""

from __future__ import annotations

from typing import Any

import numpy as np


def finite_numbers(values: Any, name: str) -> np.ndarray:
    """Return finite numbers of shape (n,), n >= 1, as doubles. Other values raise ValueError, which shows the name.

    Examples
    --------
    >>> finite_numbers([1, 2], "reference").tolist()
    [1.0, 2.0]
    """
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


def finite_pair(reference: Any, hypothesis: Any) -> tuple[np.ndarray, np.ndarray]:
    """Apply `finite_numbers` to two arrays, and check that they have the same length.

    Examples
    --------
    >>> [values.tolist() for values in finite_pair([1, 2], [2, 3])]
    [[1.0, 2.0], [2.0, 3.0]]
    """
    reference, hypothesis = finite_numbers(reference, "reference"), finite_numbers(hypothesis, "hypothesis")
    if len(reference) != len(hypothesis):
        raise ValueError(f"{len(reference)} reference values but {len(hypothesis)} hypothesis values")
    return reference, hypothesis


def rescaled(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Shift two arrays by their lowest value and scale them by powers of two, to values from 0 to 1, without overflow.

    Examples
    --------
    >>> [values.tolist() for values in rescaled(np.array([10.0, 12.0]), np.array([11.0, 10.0]))]
    [[0.0, 0.5], [0.25, 0.0]]
    """
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    a, b = np.ldexp(a, -exponent), np.ldexp(b, -exponent)
    origin = min(a.min(), b.min())
    a, b = a - origin, b - origin
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    return np.ldexp(a, -exponent), np.ldexp(b, -exponent)
