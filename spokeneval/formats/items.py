"""The check that a table contains exactly the reference's items, each of them once."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

import numpy as np

from .problems import Problems, count_of, name, quote, repeated, some_of
from .tables import Table, id_columns
from .text import unusable

FEWEST_OF_A_SET = 20
"""This many items, all unknown, are taken for another set's items; fewer may be misspelt."""


def match_items(table: Table, expected: Sequence[str], problems: Problems, *, noun: str) -> np.ndarray:
    """Match the rows of a table with the expected items: each item exactly once, in any order.

    Returns
    -------
    ndarray of int, shape (n,)
        The position of each row's item in `expected`; -1 for a row with a problem.
    """
    if list(table.ids) == list(expected) and len(set(table.ids)) == len(table.ids):
        return np.arange(len(expected))
    ids = table.ids
    position = {item: index for index, item in enumerate(expected)}
    if len(ids) == len(position) and position.keys() == set(ids):
        return np.array([position[item] for item in ids], dtype=int)
    places = np.full(len(ids), -1)
    folded = {_mended(item).casefold(): item for item in expected}
    if len(ids) >= FEWEST_OF_A_SET and folded.keys().isdisjoint(_mended(item).casefold() for item in ids):
        message = f"none of the {count_of(len(ids), noun)} belongs to this set of {len(expected)}"
        message += f", such as {name(min(expected))}; is the file for another set?"
        problems.add("another_set", table.file, message)
        return places
    first_line: dict[str, int] = {}
    for row, (item, line) in enumerate(zip(ids, table.lines)):
        place = position.get(item)
        mended = item if place is not None else folded.get(_mended(item).casefold(), item)
        if place is None and mended in position:
            fault = "has spaces around it" if item.strip() == mended else "differs in capital letters"
            if mended == _mended(item) != item.strip():
                fault = "was changed to a decimal by a spreadsheet"
            message = f"{table.id} {name(item)} {fault}; expected {name(mended)}"
            problems.add("misspelt_item", table.file, message, line=line, item=item)
            first_line.setdefault(mended, line)
        elif place is None:
            message = f"{table.id} {name(item)} is not one of the {count_of(len(expected), noun)}"
            problems.add("unknown_item", table.file, message, line=line, item=item)
        elif item in first_line:
            message = repeated(f"{table.id} {name(item)}", first_line[item], table.place)
            problems.add("duplicate_item", table.file, message, line=line, item=item)
        else:
            first_line[item] = line
            places[row] = place
    missing = sorted((item for item in expected if item not in first_line), key=id_order)
    if missing:  # sorted by id, because the order of the reference may reveal labels
        counts = f"{count_of(len(expected), noun)} expected, {len(first_line)} found"
        message = f"{table.id} {some_of(missing)}: {counts}"
        problems.add("missing_item", table.file, message, item=missing[0])
    return places


def id_order(item: str) -> tuple[float, str]:
    """A key to sort ids by: numbers by their value, before all other ids."""
    number = item.isascii() and item.isdigit() and len(item) < 19
    return int(item) if number else math.inf, item


def _mended(item: str) -> str:
    """An id without surrounding white space and without the `.0` that a spreadsheet adds."""
    return re.sub(r"\.0+\Z", "", item.strip())


def alike(ids: Iterable[str]) -> list[list[str]]:
    """Groups of different ids that are equal but for case, leading zeros of numbers and a trailing `.0`."""
    groups: dict[str, list[str]] = {}
    for each in dict.fromkeys(ids):
        groups.setdefault(fold_id(each), []).append(each)
    return [group for group in groups.values() if len(group) > 1]


def fold_id(item: str) -> str:
    """An id as people compare it: `S03` is `s3`, and `007` is `7` and `7.0`."""
    return _LEADING_ZEROS.sub("", _mended(item).casefold())


_LEADING_ZEROS = re.compile(r"(?<![\d.])0+(?=\d)")


def check_ids(table: Table, problems: Problems, *, noun: str) -> None:
    """Check the ids of a reference: none is empty or repeated, and all can be typed."""
    match_items(table, list(dict.fromkeys(table.ids)), problems, noun=noun)
    parts = len(id_columns(table.id))
    for row in unusable(table.ids) if parts == 1 else _unusable_pairs(table.ids):
        item, line = table.ids[row], table.lines[row]
        if not item:
            problems.add("empty_item", table.file, f"the {table.id} is empty", line=line)
        else:
            message = f"{table.id} {quote(item)}; expected no invisible characters and no spaces around it"
            message += " and its parts, which have no comma" if parts > 1 else ""
            problems.add("unusable_id", table.file, message, line=line, item=item)


def _unusable_pairs(ids: Sequence[str]) -> list[int]:
    """The places of ids that are not two usable parts."""
    wrong = {row for row, item in enumerate(ids) if item.count(",") != 1}
    for side in (0, -1):
        wrong.update(unusable([item.partition(",")[side] for item in ids]))
    return sorted(wrong)
