"""Spans of time, from texts with seconds to whole milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal

import numpy as np

from .language_labels import LATEST
from .problems import Problems, name
from .text import decimal, decimals, expected_number

_LATEST_S = LATEST / 1000


def read_times(
    starts: Sequence[str],
    others: Sequence[str],
    file: str,
    lines: Sequence[int],
    problems: Problems,
    *,
    lasting: bool = False,
) -> np.ndarray:
    """Start and end in ms, int, shape (n, 2). Each line that is no span of time adds a problem.

    Parameters
    ----------
    others
        The ends, or the durations if `lasting`; a duration may be 0.
    """
    first, second = decimals(starts), decimals(others)
    if first is not None and second is not None:
        wrong = (first < 0) | ((second < 0) | (first + second > _LATEST_S) if lasting else second <= first)
        if not (wrong | (second > _LATEST_S)).any():
            ends = (first, second) if lasting else (second,)
            return np.stack([_milliseconds(first), _milliseconds(*ends)], axis=1)
    called = "duration" if lasting else "end"
    for start, other, line in zip(starts, others, lines):
        from_, to = decimal(start), decimal(other)
        for column, text, time in (("start", start, from_), (called, other, to)):
            if time is None:
                problems.add("bad_time", file, f"{column} {expected_number(text)}", line=line)
            elif time < 0:
                message = (
                    f"{column} {name(text)} is negative; expected seconds from the recording's beginning"
                )
                problems.add("negative_time", file, message, line=line)
            elif time > _LATEST_S:
                message = f"{column} {name(text)} is more than eleven days; expected seconds"
                problems.add("absurd_time", file, message, line=line)
        if from_ is not None and to is not None:
            if not lasting and to <= from_:
                message = f"end {name(other)} is not after start {name(start)}"
                problems.add("empty_span", file, message, line=line)
            elif lasting and max(from_, to) <= _LATEST_S < from_ + to:
                message = "ends after more than eleven days; expected seconds"
                problems.add("absurd_time", file, message, line=line)
    return np.zeros((len(lines), 2), dtype=np.int64)


def _milliseconds(*seconds: np.ndarray) -> np.ndarray:
    """The sum of times in seconds in whole ms, exact as a decimal number and rounded half to even."""
    exact = 1000 * sum(seconds)
    rounded = np.rint(exact)
    for row in np.flatnonzero(np.abs(np.abs(exact - rounded) - 0.5) < 1e-5).tolist():
        total = sum((Decimal(repr(float(column[row]))) for column in seconds), Decimal())
        rounded[row] = int((1000 * total).to_integral_value(ROUND_HALF_EVEN))
    return rounded.astype(np.int64)
