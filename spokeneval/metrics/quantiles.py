"""Quantiles and probabilities of Student's t, the beta and the gamma distribution, and exact intervals from them."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any, Callable

import numpy as np

LEVEL = 0.95

_TAIL = (1 - LEVEL) / 2

SMALLEST = 1e-7
"""The smallest number of observations; with a smaller one, ends would be too large for platforms."""

LARGEST = 1e8
"""The largest number of observations: the time for ends grows with its square root."""

_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(24)


@lru_cache(maxsize=1024)
def student_quantile(freedom: float) -> float:
    r"""The 97.5 % quantile of Student's t distribution, with 1 or more degrees of freedom, integer or not.

    With :math:`t = \sqrt{\nu} \tan a` for :math:`\nu` degrees of freedom, the density of the angle a is proportional to
    :math:`\cos^{\nu - 1} a`. Newton's method finds the angle that bounds the central 95 %. It converges from below,
    because the density decreases.

    Examples
    --------
    >>> round(student_quantile(1), 3), round(student_quantile(10), 3), round(student_quantile(2000), 3)
    (12.706, 2.228, 1.961)
    """
    freedom, angle = min(freedom, 1e6), 0.0  # more are those of the normal distribution to five digits
    for _ in range(100):
        step = (LEVEL - _inside(angle, freedom)) / (2 * _at_zero(freedom) * math.cos(angle) ** (freedom - 1))
        angle += step
        if step < 1e-14:
            break
    return math.sqrt(freedom) * math.tan(angle)


def student_t_below(t: Any, freedom: Any) -> Any:
    """The cumulative distribution function of Student's t, with 1 or more degrees of freedom, integer or not.

    The density is integrated over the angle of `student_quantile` by Gauss's rule; above 200 degrees of freedom up to t
    = 9, beyond which less than 1e-16 remains. Its factor, a ratio of gamma functions, is computed from the series in
    Abramowitz and Stegun, 6.1.47, at `freedom` + 200. The error is below 3e-14; between 1 and 3 degrees of freedom,
    below 1e-5 for t beyond 1,000.

    Parameters
    ----------
    t, freedom : array_like of the same shape

    Examples
    --------
    >>> student_t_below(np.array([0.0, 2.0, -12.706]), np.array([5, 30.5, 1])).round(4).tolist()
    [0.5, 0.9728, 0.025]
    """
    t, freedom = np.asarray(t, dtype=float), np.asarray(freedom, dtype=float)
    far = 1 / (freedom + 200)
    factor = 1 - far / 4 + far**2 / 32 + 5 * far**3 / 128 - 21 * far**4 / 2048 - 399 * far**5 / 8192
    for step in range(0, 200, 2):
        factor = factor * (freedom + step) / (freedom + step + 1)
    angle = np.arctan(np.where(freedom > 200, np.clip(t, -9, 9), t) / np.sqrt(freedom))
    inside = np.zeros(angle.shape)
    for node, weight in zip(*np.polynomial.legendre.leggauss(40)):
        cosine = np.log1p(-(np.sin(angle * (node + 1) / 2) ** 2))
        inside += weight * np.exp((freedom - 1) / 2 * cosine)
    return 0.5 + factor / np.sqrt(2 * math.pi * far) * angle / 2 * inside


def _at_zero(freedom: float) -> float:
    return math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)


def _inside(angle: float, freedom: float) -> float:
    """The probability that the angle of `student_quantile` is at most this, in size."""
    angles = angle / 2 * (1 + _NODES)
    return _at_zero(freedom) * angle * float(_NODE_WEIGHTS @ np.cos(angles) ** (freedom - 1))


def exact_ends(share: float, size: float, *, rates: bool = False) -> tuple[float, float]:
    """Clopper and Pearson's 95 % interval of a share of `size` observations; of a rate, that of a Poisson mean.

    Examples
    --------
    >>> [[round(end, 4) for end in exact_ends(share, 24)] for share in (0, 1 / 24)]
    [[0.0, 0.1425], [0.0011, 0.2112]]
    >>> [round(end, 4) for end in exact_ends(0.5, 10, rates=True)]
    [0.1623, 1.1668]
    """
    size = min(max(size, SMALLEST), LARGEST / max(share, 1.0))
    errors = share * size
    if rates:
        return (gamma_quantile(_TAIL, errors) if errors else 0.0) / size, gamma_quantile(
            1 - _TAIL, errors + 1
        ) / size
    right = size - errors
    low = beta_quantile(_TAIL, errors, right + 1) if errors > 0 else 0.0
    return low, 1 - beta_quantile(_TAIL, right, errors + 1) if right > 0 else 1.0


def beta_quantile(level: float, a: float, b: float) -> float:
    """A quantile of the beta distribution with b >= 1, exact to 12 digits.

    Examples
    --------
    >>> round(beta_quantile(0.025, 22, 3), 6)  # 22 of 24
    0.730027
    """
    if a > b:  # the series of the other side needs fewer terms
        return 1 - beta_quantile(1 - level, b, a)
    constant = math.lgamma(a + b) - math.lgamma(a + 1) - math.lgamma(b)

    def below(log_x: float) -> tuple[float, float]:
        x = math.exp(log_x)
        terms = _sum_of_products(lambda n: (a + b + n) / (a + 1 + n) * x)
        return a * log_x + b * math.log1p(-x) + constant + math.log(terms), a / ((1 - x) * terms)

    return _solved(below, level, a / (a + b))


def gamma_quantile(level: float, a: float) -> float:
    """A quantile of the gamma distribution with scale 1, exact to 12 digits.

    Examples
    --------
    >>> round(gamma_quantile(0.975, 1), 6)  # of 0 errors: -log(0.025)
    3.688879
    """

    def below(log_x: float) -> tuple[float, float]:
        x = math.exp(log_x)
        terms = _sum_of_products(lambda n: x / (a + 1 + n))
        return a * log_x - x - math.lgamma(a + 1) + math.log(terms), a / terms

    return _solved(below, level, a)


def _solved(below: Callable[[float], tuple[float, float]], level: float, start: float) -> float:
    """Where the logarithm of a distribution function, given with its slope over log x, is that of the level.

    It is concave, so Newton's method converges from the left, where its first step leads.
    """
    log_x = math.log(start)
    for _ in range(200):
        found, slope = below(log_x)
        step = (math.log(level) - found) / slope
        log_x += step
        if abs(step) < 1e-14 * max(1.0, abs(log_x)) or log_x < -700:
            break
    return math.exp(max(log_x, -700.0))


def _sum_of_products(factor: Callable[[np.ndarray], np.ndarray]) -> float:
    """1 + f(0) + f(0) f(1) + …, until the terms vanish; the factors decrease."""
    length, first, last, found = 64, 0, 1.0, 1.0
    while last > 1e-17 * found:
        terms = last * np.cumprod(factor(np.arange(first, first + length)))
        found, last, first, length = found + float(terms.sum()), float(terms[-1]), first + length, 2 * length
    return found
