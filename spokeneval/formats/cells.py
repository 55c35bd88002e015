"""What a column's cells hold: parsers from text to arrays, with a problem for each cell that does not fit.

A parser takes a table, the name of one of its columns and the problems found so far, and returns an array of shape
(n,), one entry a row. The entry of a cell with a problem is one that no good cell has, where there is such a value.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Callable, Optional, Union

import numpy as np

from .problems import Problems, quote
from .tables import Table
from .text import decimal, expected_number, integer
from .text import decimals as decimal_numbers

Parser = Callable[[Table, str, Problems], np.ndarray]

_NO_BLANKS = ", without blanks around it"


def words(
    choices: Mapping[str, int], *, called: Optional[str] = None, spelled: Callable[[str], str] = str
) -> Parser:
    """One of a few words, as its number; -1 for a cell that is none of them.

    Parameters
    ----------
    choices: `word -> number`.
    called: what a problem calls the column; its name where it has none.
    spelled: turns the spellings of a word that are allowed into the word.
    """

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        return parse_words(table, column, problems, choices, called=called, spelled=spelled)

    return parse


def parse_words(
    table: Table,
    column: str,
    problems: Problems,
    choices: Mapping[str, int],
    *,
    called: Optional[str] = None,
    spelled: Callable[[str], str] = str,
    used: Union[bool, np.ndarray] = True,
) -> np.ndarray:
    """The numbers of a column's words; problems only in the rows that are used."""
    cells = table.columns[column]
    code = {cell: choices.get(spelled(cell), -1) for cell in set(cells)}
    codes = np.fromiter(map(code.__getitem__, cells), np.int64, len(cells))
    expected = " or ".join(quote(choice) for choice in choices)
    for row in np.flatnonzero((codes < 0) & used).tolist():
        cell = cells[row].strip()
        hint = _NO_BLANKS if cell != cells[row] and spelled(cell) in choices else ""
        message = f"{called or column} {_shown(cells[row])}; expected {expected}{hint}"
        table.add_problem(problems, "unknown_value", row, message)
    return codes


def whole_numbers(low: int, high: Optional[int] = None) -> Parser:
    """The integers from `low`, to `high` where there is an end, both included; `low` - 1 for any other cell."""

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        cells = table.columns[column]
        number_of = {cell: _whole_number(cell, low, high) for cell in set(cells)}
        numbers = np.fromiter(map(number_of.__getitem__, cells), np.int64, len(cells))
        expected = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
        for row in np.flatnonzero(numbers < low).tolist():
            hint = ", without a decimal point" if "." in cells[row] and high is not None else ""
            cell = cells[row].strip()
            hint = _NO_BLANKS if cell != cells[row] and _whole_number(cell, low, high) >= low else hint
            message = f"{column} {_shown(cells[row])}; expected {expected}{hint}"
            table.add_problem(problems, "off_scale", row, message)
        return numbers

    return parse


def _whole_number(cell: str, low: int, high: Optional[int]) -> int:
    number = integer(cell)
    if number is None or number < low or (high is not None and (number > high or cell != str(number))):
        return low - 1
    return number


def real_numbers(low: float, high: float, *, decimals: int) -> Parser:
    """Decimal numbers from `low` to `high`, both included, rounded to so many decimals; 0 for any other cell."""

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        cells = table.columns[column]
        numbers = decimal_numbers(cells)
        if numbers is None or not ((low <= numbers) & (numbers <= high)).all():
            numbers = np.zeros(len(cells))
            for row, cell in enumerate(cells):
                number = decimal(cell)
                if number is None:
                    table.add_problem(problems, "not_a_number", row, f"{column} {expected_number(cell)}")
                elif not low <= number <= high:
                    message = f"{column} {quote(cell)}; expected a number from {low:g} to {high:g}"
                    table.add_problem(problems, "out_of_bounds", row, message)
                else:
                    numbers[row] = number
        return np.round(numbers, decimals)

    return parse


def _shown(cell: str) -> str:
    return quote(cell) if cell else "nothing"
