"""Agreement between two sets of ratings, or between ratings and real-valued predictions.

Conventions: the reference (or first rater) comes first; arrays have shape (n,), one entry an item, in the
same order; kappas and correlations lie in [-1, 1] and higher is better. Distances are between the ratings
themselves, never between the positions that they take among the ratings that happen to occur. What is
undefined raises ValueError (`UndefinedCorrelation` where only the correlation is at fault).

Sources: Cohen (1960, 1968) for kappa and weighted kappa; the linear weights 1 - d/(k - 1) of the Caller
Experience paper (equation 3); the trimming and rounding of predictions of ETS's `rsmtool`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np


class UndefinedCorrelation(ValueError):
    """The input is well formed, but its correlation does not exist: something in it does not vary."""


@dataclass(frozen=True)
class Differences:
    """Items counted by the absolute difference of their two ratings; `+` pools two sets of items.

    `counts[d]` is the number of items whose ratings differ by d; its length is that of the scale.
    """

    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.counts or min(self.counts) < 0 or sum(self.counts) == 0:
            raise ValueError(f"counts must be non-negative with at least one item, got {self.counts}")

    def __add__(self, other: Differences) -> Differences:
        if len(self.counts) != len(other.counts):
            raise ValueError(f"scales differ: {len(self.counts)} and {len(other.counts)} points")
        return Differences(tuple(a + b for a, b in zip(self.counts, other.counts)))

    @property
    def items(self) -> int:
        """Number of items rated."""
        return sum(self.counts)

    @property
    def exact(self) -> float:
        """Exact agreement: the share of items with difference 0."""
        return self.counts[0] / self.items

    @property
    def adjacent(self) -> float:
        """Exact or adjacent agreement: the share of items with a difference of at most 1."""
        return sum(self.counts[:2]) / self.items

    @property
    def shares(self) -> tuple[float, ...]:
        """The distribution of differences: the share of items with difference 0, 1, ..."""
        return tuple(count / self.items for count in self.counts)


def differences(reference: Any, hypothesis: Any, *, scale: tuple[int, int]) -> Differences:
    """Count the differences of two integer ratings, shape (n,), on the scale (low, high), ends included.

    Raises ValueError for a rating that is not an integer of the scale.
    """
    reference, hypothesis = _pair(reference, hypothesis)
    _check_scale(scale, reference=reference, hypothesis=hypothesis)
    distances = np.abs(reference - hypothesis).astype(np.int64)
    return Differences(tuple(np.bincount(distances, minlength=scale[1] - scale[0] + 1).tolist()))


def cohen_kappa(
    reference: Any, hypothesis: Any, *, weights: str | None = None, scale: tuple[int, int] | None = None
) -> float:
    """Cohen's kappa of two ratings, shape (n,): 1 - (observed disagreement) / (disagreement by chance).

    The disagreement of ratings a and b is [a != b] with `weights=None`, |a - b| with "linear" and (a - b)^2
    with "quadratic"; dividing by its maximum on the scale, as in w = 1 - d/(k - 1), changes nothing. Chance
    draws the two ratings independently, each from its own rater's distribution.

    `scale=(low, high)` demands integers from low to high; `scale=None` takes any finite ratings as they are.
    If both raters give one and the same rating throughout, chance cannot disagree and kappa is taken to be 1.

    Raises ValueError for ratings off the scale, lengths that differ, no items, NaN or infinity.
    """
    if weights not in (None, "linear", "quadratic"):
        raise ValueError(f"weights must be None, 'linear' or 'quadratic', got {weights!r}")
    reference, hypothesis = _pair(reference, hypothesis)
    if scale is not None:
        _check_scale(scale, reference=reference, hypothesis=hypothesis)
    a, b = _rescaled(reference, hypothesis)

    if weights is None:
        observed = _mean(a != b)
    elif weights == "linear":
        observed = _mean(np.abs(a - b))
    else:
        observed = _mean((a - b) ** 2)
    if observed == 0:
        return 1.0

    if weights == "quadratic":
        mean_a, mean_b = _mean(a), _mean(b)
        chance = _mean((a - mean_a) ** 2) + _mean((b - mean_b) ** 2) + (mean_a - mean_b) ** 2
    else:
        ratings, items = np.unique(np.concatenate([a, b]), return_inverse=True)
        p = np.bincount(items[: len(a)], minlength=len(ratings)) / len(a)
        q = np.bincount(items[len(a) :], minlength=len(ratings)) / len(b)
        if weights is None:
            chance = math.fsum((p * (1 - q)).tolist())
        else:  # E|a - b| is the integral of P(a <= t < b) + P(b <= t < a)
            below_a, below_b = np.cumsum(p)[:-1], np.cumsum(q)[:-1]
            apart = below_a * (1 - below_b) + below_b * (1 - below_a)
            chance = math.fsum((np.diff(ratings) * apart).tolist())
    return _clipped(1 - observed / chance)


def rating_cells(reference: Any, hypothesis: Any, *, scale: tuple[int, int]) -> np.ndarray:
    """Where each item is in the table of both ratings, to be summed for `linear_kappa_of_cells`.

    Two integer ratings, shape (n,), on the scale (low, high) of k points, ends included; returns integers of
    shape (n, k, k): 1 in the row of the first rating and the column of the second, 0 elsewhere. Raises
    ValueError as `differences` does.
    """
    reference, hypothesis = _pair(reference, hypothesis)
    _check_scale(scale, reference=reference, hypothesis=hypothesis)
    points = np.arange(scale[0], scale[1] + 1)
    rows, columns = reference[:, np.newaxis] == points, hypothesis[:, np.newaxis] == points
    return (rows[:, :, np.newaxis] & columns[:, np.newaxis, :]).astype(np.int64)


def linear_kappa_of_cells(cells: np.ndarray) -> np.ndarray:
    """`cohen_kappa` with linear weights for many tables at once: 1 - n sum |i - j| c_ij / sum |i - j| r_i s_j.

    cells: counts c_ij, shape (r, k, k), each table with n items, row sums r_i and column sums s_j; returns
    shape (r,): 1 where both raters give one and the same rating throughout, NaN where a table is empty.
    """
    cells = np.asarray(cells, dtype=np.float64)
    points = np.arange(cells.shape[-1])
    distance = np.abs(points[:, np.newaxis] - points).astype(np.float64)
    rows, columns = cells.sum(axis=-1), cells.sum(axis=-2)
    items = rows.sum(axis=-1)
    observed = items * (cells * distance).sum(axis=(-2, -1))
    chance = ((rows @ distance) * columns).sum(axis=-1)
    kappa = 1 - np.divide(observed, chance, out=np.zeros_like(chance), where=chance > 0)
    return np.where(items > 0, kappa, np.nan)


def pearson_r(reference: Any, predictions: Any) -> float:
    """Pearson's correlation of two variables, shape (n,).

    Raises UndefinedCorrelation if one of them is constant, ValueError for malformed input.
    """
    reference, predictions = _pair(reference, predictions)
    return _clipped(_dot(_unit(reference, "reference"), _unit(predictions, "predictions")))


def correlation_moments(reference: Any, predictions: Any) -> np.ndarray:
    """What each item adds to the sums that `pearson_r_of_moments` takes: 1, x, y, x^2, y^2, x y.

    Two variables, shape (n,); returns shape (n, 6). x and y are the variables less their mean, in units of a
    power of two near their range, so that little cancels. Raises ValueError for malformed input.
    """
    x, y = (_centred(values) for values in _pair(reference, predictions))
    return np.stack([np.ones_like(x), x, y, x * x, y * y, x * y], axis=1)


def pearson_r_of_moments(sums: np.ndarray) -> np.ndarray:
    """`pearson_r` for many samples at once: (n Sxy - Sx Sy) / sqrt((n Sxx - Sx^2) (n Syy - Sy^2)).

    sums: of `correlation_moments`, shape (r, 6); returns shape (r,), NaN where a variable is constant (varies
    by less than a millionth of its distance from the mean of all items, which is what rounding leaves).
    """
    n, x, y, xx, yy, xy = np.asarray(sums, dtype=np.float64).T
    spread_x, spread_y = n * xx - x * x, n * yy - y * y
    varies = (spread_x > 1e-12 * n * xx) & (spread_y > 1e-12 * n * yy)
    spread = np.sqrt(np.maximum(spread_x, 0)) * np.sqrt(np.maximum(spread_y, 0))
    return np.clip(np.divide(n * xy - x * y, spread, out=np.full_like(n, np.nan), where=varies), -1, 1)


def partial_r(reference: Any, predictions: Any, control: Any) -> float:
    """Correlation of reference and predictions with the control held constant, each of shape (n,).

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)), for x the reference, y the predictions and z the
    control; computed as the correlation of the residuals of x and y after z, the same with less cancelling.

    Raises UndefinedCorrelation if one of the three is constant, or if the reference or the predictions are a
    linear function of the control (nothing is left to correlate); ValueError for malformed input.
    """
    reference, predictions = _pair(reference, predictions)
    control = _numbers(control, "control")
    if len(control) != len(reference):
        raise ValueError(f"{len(reference)} reference values but {len(control)} control values")
    z = _unit(control, "control")

    def residual(values: np.ndarray, name: str) -> np.ndarray:
        unit = _unit(values, name)
        rest = unit - _dot(unit, z) * z
        rest -= _dot(rest, z) * z
        norm = math.sqrt(_dot(rest, rest))
        if norm < 1e-10:
            raise UndefinedCorrelation(f"{name} is a linear function of the control")
        return rest / norm

    return _clipped(_dot(residual(reference, "reference"), residual(predictions, "predictions")))


def rmse(reference: Any, predictions: Any) -> float:
    """Root of the mean squared difference of two variables, shape (n,), in their own unit; lower is better.

    Raises ValueError for malformed input, and where the result exceeds what a float can hold.
    """
    reference, predictions = _pair(reference, predictions)
    _, exponent = np.frexp(max(np.abs(reference).max(), np.abs(predictions).max()))
    error = np.ldexp(reference, -exponent) - np.ldexp(predictions, -exponent)
    _, rest = np.frexp(np.abs(error).max())
    error = np.ldexp(error, -rest)
    mantissa, shift = np.frexp(math.sqrt(_dot(error, error) / len(error)))
    shift += exponent + rest
    if shift > 1024:
        raise ValueError(f"differences as large as {predictions[np.abs(error).argmax()]!r} overflow")
    return float(np.ldexp(mantissa, shift))


def round_to_scale(predictions: Any, low: int, high: int, *, trim: float = 0.4998) -> np.ndarray:
    """Predictions, shape (n,), trimmed to [low - trim, high + trim] and rounded, halves to even; integers.

    The convention of ETS's `rsmtool`. Raises ValueError for malformed predictions, an empty scale, or a trim
    outside [0, 0.5), which would round off the scale.
    """
    if not low < high:
        raise ValueError(f"scale must have low < high, got ({low}, {high})")
    if not 0 <= trim < 0.5:
        raise ValueError(f"trim must be at least 0 and below 0.5, got {trim}")
    values = _numbers(predictions, "predictions")
    return np.rint(np.clip(values, low - trim, high + trim)).astype(np.int64)


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


def _rescaled(a: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Both near zero and of size one, by steps that keep differences exact and never overflow."""
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    a, b = np.ldexp(a, -exponent), np.ldexp(b, -exponent)
    origin = min(a.min(), b.min())
    a, b = a - origin, b - origin
    _, exponent = np.frexp(max(np.abs(a).max(), np.abs(b).max()))
    return np.ldexp(a, -exponent), np.ldexp(b, -exponent)


def _unit(values: np.ndarray, name: str) -> np.ndarray:
    """Centred, and of length one."""
    if values.min() == values.max():
        raise UndefinedCorrelation(f"{name} is constant ({values[0]:g} throughout): no correlation exists")
    values = _centred(values)
    return values / math.sqrt(_dot(values, values))


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


def _clipped(value: float) -> float:
    return float(min(1.0, max(-1.0, value)))
