"""Parsers for the cells of a table's column: from text to arrays, with a problem for each invalid cell.

A parser takes a table, the name of a column and the problems found so far, and returns an array of shape (n,), with one
entry for each row. An invalid cell gets a value that no valid cell has, if such a value exists.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Callable, Optional, Union

import numpy as np

from .problems import Problems, quote
from .tables import Table
from .text import decimal, expected_number, integer
from .text import decimals as decimal_numbers

Parser = Callable[[Table, str, Problems], np.ndarray]

_NO_BLANKS = ", without spaces around it"


def words(
    choices: Mapping[str, int], *, called: Optional[str] = None, spelled: Callable[[str], str] = str
) -> Parser:
    """Return a parser for a column of a few words, which gives the number of each word, and -1 for any other cell.

    Parameters
    ----------
    choices
        The words, `word -> number`.
    called
        The name of the column in problems; by default its own name.
    spelled
        Normalises the spelling of a cell before it is compared with the words.
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
    """The numbers of a column's words. Problems are added only for the rows in `used`."""
    cells = table.columns[column]
    code = {cell: choices.get(spelled(cell), -1) for cell in set(cells)}
    codes = np.fromiter(map(code.__getitem__, cells), np.int64, len(cells))
    expected = " or ".join(quote(choice) for choice in choices)
    for row in np.flatnonzero((codes < 0) & used).tolist():
        cell = cells[row].strip()
        hint = _NO_BLANKS if cell != cells[row] and spelled(cell) in choices else ""
        message = f"{called or column} {_found(cells[row])}; expected {expected}{hint}"
        table.add_problem(problems, "unknown_value", row, message)
    return codes


def whole_numbers(low: int, high: Optional[int] = None, *, empty: bool = False) -> Parser:
    """Return a parser for integers from `low` to `high`, both included; `low` - 1 for any other cell.

    Without `high` there is no upper limit. With `empty`, cells may be empty.
    """

    def parse(table: Table, column: str, problems: Problems) -> np.ndarray:
        cells = table.columns[column]
        number_of = {cell: _whole_number(cell, low, high) for cell in set(cells)}
        numbers = np.fromiter(map(number_of.__getitem__, cells), np.int64, len(cells))
        expected = f"an integer of {low} or more" if high is None else f"an integer from {low} to {high}"
        expected += ", or an empty cell" if empty else ""
        for row in np.flatnonzero(numbers < low).tolist():
            if empty and not cells[row]:
                continue
            hint = ", without a decimal point" if "." in cells[row] and high is not None else ""
            cell = cells[row].strip()
            hint = _NO_BLANKS if cell != cells[row] and _whole_number(cell, low, high) >= low else hint
            message = f"{column} {_found(cells[row])}; expected {expected}{hint}"
            table.add_problem(problems, "off_scale", row, message)
        return numbers

    return parse


def _whole_number(cell: str, low: int, high: Optional[int]) -> int:
    number = integer(cell)
    if number is None or number < low or (high is not None and (number > high or cell != str(number))):
        return low - 1
    return number


def real_numbers(low: float = -math.inf, high: float = math.inf, *, decimals: Optional[int] = None) -> Parser:
    """Return a parser for finite decimal numbers from `low` to `high`, both included; 0 for any other cell.

    With `decimals`, numbers are rounded.
    """

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
        return numbers if decimals is None else np.round(numbers, decimals)

    return parse


def _found(cell: str) -> str:
    return quote(cell) if cell else "is empty"
