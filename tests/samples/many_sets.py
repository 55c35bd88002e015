"""Counts of many sets beside those of each: a rate of many is an array of the rates of each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np


def assert_many_as_each(
    rate: Callable[[Any], Any], make: Callable[..., Any], fields: int, dtype: type
) -> None:
    """A rate of 600 drawn sets is that of each: to the last digit, NaN where one set is refused, a plain float.

    Parameters
    ----------
    make: the counts of one set from `fields` numbers, of many sets from as many arrays of `dtype`.
    """
    rng = np.random.default_rng(2)
    sets = np.concatenate([rng.integers(0, 3, (300, fields)), rng.integers(0, 1000, (300, fields))])
    each = [rate_or_nan(rate, make(*counts)) for counts in sets.tolist()]
    np.testing.assert_array_equal(rate(make(*sets.T.astype(dtype))), each)
    assert 0 < np.isnan(each).sum() < 300
    assert {type(value) for value in each} == {float}


def rate_or_nan(rate: Callable[[Any], Any], counts: Any) -> Any:
    try:
        return rate(counts)
    except ValueError:
        return math.nan
