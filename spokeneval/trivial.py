"""Trivial baselines: answers that do not use the items, to compare scores with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Callable

import numpy as np

from .formats.format import Answers, Items
from .metrics.bootstrap import resample_draws

MOST_TRIVIAL = 10
"""With more classes, no trivial baseline answers one class throughout."""


def always(column: str, value: Any) -> Callable[[Items], Answers]:
    """Return a baseline with the same answer to every item of a sheet."""

    def answer(items: Items) -> Answers:
        values = np.empty(len(items), dtype=object if isinstance(value, list) else np.asarray(value).dtype)
        values[:] = [value] * len(items)
        return Answers(items, {column: values})

    return answer


def at_random(column: str, values: Sequence[Any]) -> Callable[[Items], Answers]:
    """Return a baseline with random answers to the items of a sheet, all equally likely; the same on every machine."""

    def answer(items: Items) -> Answers:
        return Answers(items, {column: np.asarray(values)[random_numbers(len(items), len(values))]})

    return answer


def random_numbers(n: int, below: int) -> np.ndarray:
    """n pseudorandom integers from 0 to `below` - 1, all equally likely."""
    return resample_draws(n * below, resamples=1)[0, :n] % below
