"""A scale of scores and its steps: what an organiser declares, and the cells of files."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Optional

import numpy as np

from ..formats.problems import Problems, quote
from ..formats.tables import Parser, Table, real_numbers
from .kind import ParameterError, is_number

DECIMALS = 3
"""Decimals of a submitted score, and at most of a step."""
HUMAN_DECIMALS = 6
FARTHEST = 10_000
"""The largest end of a scale, and its negative the smallest."""
MOST_STEPS = 1000

Scale = tuple[float, float]


def read_ends(value: Any, called: str = "rating", example: str = "[1, 5]") -> Scale:
    if not isinstance(value, (list, tuple)) or len(value) != 2 or not all(map(is_number, value)):
        raise ValueError(f"{value!r}; expected the lowest and the highest {called}, such as {example}")
    low, high = value
    if low >= high:
        raise ValueError(f"[{low}, {high}]; expected the lowest {called} before the highest")
    return low, high


def read_scale(value: Any) -> Scale:
    low, high = read_ends(value, "score", "[1, 6]")
    if low < -FARTHEST or high > FARTHEST:
        raise ValueError(f"[{low}, {high}]; expected scores from -{FARTHEST} to {FARTHEST}")
    if high - low < 1:
        raise ValueError(
            f"[{low}, {high}] is narrower than 1; multiply the scores, which keep {DECIMALS} decimals"
        )
    return low, high


def read_step(value: Any) -> Optional[float]:
    if value is None:
        return None
    if not is_number(value) or value <= 0:
        raise ValueError(
            f"{value!r}; expected a number above 0, such as 0.5; leave it out if there are no steps"
        )
    if not _is_multiple(value, 10**-DECIMALS):
        raise ValueError(f"{value!r}; expected at most {DECIMALS} decimals")
    return float(value)


def check_step(scale: Scale, step: float) -> None:
    for end in scale:
        if not _is_multiple(end, step):
            raise ParameterError("step", f"{step:g} does not divide {end:g}, an end of the scale")
    steps = points(scale, step) - 1
    if steps > MOST_STEPS:
        raise ParameterError(
            "step", f"{step:g} gives {steps} steps; expected at most {MOST_STEPS}, or no step"
        )


def _is_multiple(value: float, step: float) -> bool:
    return math.isclose(value / step, round(value / step), abs_tol=1e-9)


def points(scale: Scale, step: Optional[float]) -> int:
    """The number of scores on the scale; in hundredths of the scale where there are no steps."""
    return round((scale[1] - scale[0]) / step) + 1 if step else 101


def in_steps(values: np.ndarray, step: float) -> np.ndarray:
    """Scores in steps from 0. The quotient of whole numbers is exact at halves, where the rounding is decided."""
    thousandths = values * 10**DECIMALS
    whole = np.rint(thousandths)
    near = abs(thousandths - whole) < 1e-6
    return np.asarray(np.where(near, whole, thousandths) / round(step * 10**DECIMALS))


def submitted(scale: Scale, decimals: Optional[int] = DECIMALS) -> Parser:
    """Return the parser of submitted scores."""
    low, high = scale
    return real_numbers(low - (high - low), high + (high - low), decimals=decimals)


def human_scores(scale: Scale, step: float) -> Parser:
    """A parser for human scores in steps."""
    low, high = scale
    any_number = real_numbers(low, high, decimals=HUMAN_DECIMALS)

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        numbers = any_number(table, column, problems)
        off = np.abs(numbers - np.rint(numbers / step) * step) > 1e-9
        for row in np.flatnonzero(off).tolist():
            found = f"{column} {quote(table.columns[column][row])}"
            message = f"{found}; expected a number from {low:g} to {high:g} in steps of {step:g}"
            table.add_problem(problems, "off_scale", row, message)
        return numbers

    return parse


def optional_cells(parse: Parser, *, filler: str) -> Parser:
    """The parser for a column with empty cells, which become NaN."""

    def parse_filled(table: Table, column: str, problems: Problems) -> np.ndarray:
        cells = table.columns[column]
        filled = {**table.columns, column: [cell or filler for cell in cells]}
        numbers = parse(replace(table, columns=filled), column, problems)
        return np.where([not cell for cell in cells], np.nan, numbers)

    return parse_filled
