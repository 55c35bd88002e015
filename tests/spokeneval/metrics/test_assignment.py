"""The assignment of greatest benefit, held against scipy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from spokeneval.metrics.assignment import greatest_assignment


def assert_greatest(benefit: Any) -> None:
    benefit = np.asarray(benefit)
    rows, columns = greatest_assignment(benefit)
    assert len(set(rows.tolist())) == len(set(columns.tolist())) == len(rows) == len(columns)
    expected = benefit[linear_sum_assignment(benefit.astype(float), maximize=True)].sum()
    assert benefit[rows, columns].sum() == (
        expected if benefit.dtype.kind in "iO" else pytest.approx(expected)
    )


@pytest.mark.thorough
def test_it_is_as_good_as_that_of_scipy() -> None:
    """Of all shapes up to 8 x 8, with many ties and zeros."""
    rng = np.random.default_rng(1)
    for _ in range(1000):
        shape = tuple(rng.integers(0, 9, 2))
        benefit = rng.integers(0, rng.choice([2, 5, 1000]), shape) * (rng.random(shape) < 0.7)
        for kind in (np.int64, np.float64, object):
            assert_greatest(benefit.astype(kind))
        assert_greatest(benefit / 7)


@pytest.mark.parametrize("n", [50, 200])
def test_large_matrices(n: int) -> None:
    """The outer product makes long paths."""
    rng = np.random.default_rng(2)
    assert_greatest(rng.integers(0, 10**6, (n, n + 7)))
    assert_greatest(np.outer(np.arange(n), np.arange(n)))


def test_integers_are_exact_beyond_floats_and_64_bits() -> None:
    """The diagonal is better by 1."""
    for large in (2**60, 2**61 - 1):
        rows, columns = greatest_assignment([[large, large - 1], [large, large]])
        assert (rows.tolist(), columns.tolist()) == ([0, 1], [0, 1])
    huge = np.array([[10**40, 10**40 - 1], [10**40, 10**40]], dtype=object)
    assert greatest_assignment(huge)[1].tolist() == [0, 1]


@pytest.mark.parametrize("benefit", [[1, 2], [[-1]], [[np.nan]], [[np.inf]]])
def test_other_benefits_are_refused(benefit: Any) -> None:
    with pytest.raises(ValueError, match=r"^benefits must be finite numbers of 0 or more, shape \(n, m\)$"):
        greatest_assignment(benefit)
