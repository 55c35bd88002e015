"""What an organiser gives beside the outputs: tables, read as rows of cells, and the refusal with every problem."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speechbundles.competition.intake.commas import replace_commas
from speechbundles.model import tabular
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import OrganiserError, UnreadableFile
from spokeneval.formats.problems import count_of, printable, some_of
from spokeneval.formats.text import decimal, nfc

MOST_SHOWN = 20
"""Most names in a message."""

MOST_PROPERTIES = 30
"""Most columns with properties of items."""

_YES, _NO = ("yes", "true"), ("no", "false")

_ANSWER = ("item", "question", "value")
"""Columns of a table that has a row for each answer of an annotator, as `merge` writes it."""


class Property(NamedTuple):
    """A property of items: its value for each of n items, shape=(n,), and whether it is 1 for yes and 0 for no."""

    name: str
    values: np.ndarray
    is_flag: bool


def no_board(*problems: str) -> OrganiserError:
    """Return the error for outputs that cannot be on one board; its message lists every problem."""
    lines = (f"  {problem}" for problem in problems)
    return OrganiserError("\n".join([f"No leaderboard: {count_of(len(problems), 'problem')}\n", *lines]))


def read_rows(path: Path) -> tuple[list[str], list[list[str]]]:
    """Return the header of a table and its rows, without blanks around the cells.

    Cells are separated by tabs if the first line contains one, else by commas, else by semicolons.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: not UTF-8, or no such table.
    """
    try:
        content = read_file(path, tabular.LARGEST_FILE)
        first = content.partition(b"\n")[0]
        rows = tabular.read_rows(
            content, ";" if b";" in first and b"," not in first and b"\t" not in first else ""
        )
        header, *body = [[cell.strip() for cell in cells] for _, cells in rows] or [[]]
    except UnreadableFile as error:
        raise no_board(f"{path}: {error}") from None
    return header, body


def refusals_in(path: Path) -> Iterator[str]:
    """Yield each submission of the table that `score` writes, with why it was refused, or why there is no table."""
    try:
        (_, header), *rows = tabular.read_rows(read_file(path, tabular.LARGEST_FILE)) or [(1, [])]
    except UnreadableFile as error:
        header, rows = ["submission", "reason"], [(1, [str(path), str(error)])]
    for row in (dict(zip(header, cells, strict=False)) for _, cells in rows):
        if "submission" in row:
            yield printable(f"{row['submission']}: {row.get('reason') or 'no output beside ' + path.name}")


def listed(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Return a problem for each kind of odd rows or cells that was found."""
    return [f"{what}: {some_of(odd, MOST_SHOWN)}" for what, odd in found.items() if odd]


def raise_problems(place: object, problems: Sequence[str]) -> None:
    """Refuse a table, or an option, that has problems.

    Raises
    ------
    OrganiserError: lists them all.
    """
    if problems:
        raise no_board(*(f"{place}: {problem}" for problem in problems))


def read_properties(path: Path, items: Sequence[str]) -> tuple[list[Property], list[str]]:
    """Return the properties of a board's items from a table with a header, and notes on what is not used of it.

    The first column names the item, and every other one is a property: yes or no, or a number. Columns of other texts
    are not used. In a table with a row for each answer, each question is a property: yes if more than half of the
    annotators answer yes, or the mean of their numbers.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: lists every problem of the table.
    """
    given = _cells_of_items(path)
    there = set().union(*given.values())
    odd = {"items of the leaderboard without a row": [item for item in items if item not in there]}
    found, texts = [], []
    for name, cells in given.items():
        numbers = {item: [_number(cell) for cell in cells.get(item, ())] for item in items}
        every = list(chain(*numbers.values()))
        if 2 * np.isnan(every).sum() >= len(every):
            texts.append(name)
            continue
        wrong = [item for item, own in numbers.items() if np.isnan(own).any()]
        expected = f"{name}: neither a number, such as 0.5, nor yes or no"
        odd[expected] = [f"{item} ({', '.join(cells[item])})" for item in wrong]
        odd[f"{name}: items without a value"] = [item for item in there & numbers.keys() if not numbers[item]]
        means, is_flag = np.array([np.mean(own or [0.0]) for own in numbers.values()]), {*every} <= {0.0, 1.0}
        found.append(Property(printable(name), 1.0 * (means > 0.5) if is_flag else means, is_flag))
    odd["no column has numbers, or yes and no (1 and 0); there are"] = [] if found else texts
    odd[f"more than {MOST_PROPERTIES} columns"] = [each.name for each in found[MOST_PROPERTIES:]]
    raise_problems(path, listed(odd))
    unused = {
        "columns in which most cells are neither numbers nor yes or no": texts,
        "items that are not on this leaderboard": sorted(there - {*items}),
    }
    return found, [f"Not used: {what}." for what in listed(unused)]


def _cells_of_items(path: Path) -> dict[str, dict[str, list[str]]]:
    """Return the cells of a table of properties that are not empty, `property -> item -> cells`."""
    header, rows = read_rows(path)
    names = [name.lower() for name in header]
    if not rows or len(header) < 2 or len({*names}) < len(names):
        raise no_board(f"{path}: expected a header without equal names, and rows: an item and its properties")
    uneven = [row[0] for row in rows if len(row) != len(header)]
    expected = f"rows that do not have {len(header)} cells, as the header has (decimals need a point)"
    raise_problems(path, listed({expected: uneven}))
    _, doubtful = replace_commas(dict(enumerate(rows, 2)), dict(enumerate(header[1:], 1)), path.name)
    raise_problems(path, [each.message for each in doubtful])
    is_long = {*_ANSWER} <= {*names}
    if is_long:
        answers = [dict(zip(names, row, strict=True)) for row in rows]
        first = [each for each in answers if each.get("time", "0") == "0"]  # items may be repeated
        cells = [(each["item"], each["question"], each["value"]) for each in first]
    else:
        cells = [(row[0], name, cell) for row in rows for name, cell in zip(header[1:], row[1:], strict=True)]
    given: dict[str, dict[str, list[str]]] = {}
    for item, name, cell in cells:
        given.setdefault(name, {}).setdefault(nfc(item), []).extend([cell] * bool(cell))
    twice = [item for item, count in Counter(row[0] for row in rows).items() if count > 1 and not is_long]
    raise_problems(path, listed({"items that appear twice": twice}))
    return given


def _number(cell: str) -> float:
    """Return the number in a cell, 1 for yes and 0 for no; NaN if it is something else."""
    number = float(cell.lower() in _YES) if cell.lower() in _YES + _NO else decimal(cell)
    return math.nan if number is None else number
