"""Data in memory as the tables that readers take, so that data and files are checked alike.

Data are a data frame (of pandas, or any object with `columns`), a mapping `id -> answer`, or a list or an array of
answers, which belong to the items by position. An answer is a single value, a mapping `column -> value`, or the values
of the columns in their order; where an item has several rows, such as turns, a list of these. A data frame without a
column of ids has them in its index; an index 0, 1, 2, ... means positions, as in a list.

None and NaN are empty cells. A list of texts in one cell is joined by spaces, as phones are. Rows are counted from 0.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Optional

from ..formats.problems import FileProblems, Problems, ReferenceFileError, SubmissionError, count_of, some_of
from ..formats.tables import Layout, Table, id_columns
from ..formats.text import nfc

EXPECTED = "a path, a data frame, a mapping from ids, or a list or an array"


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


class Records(NamedTuple):
    """Rows of data: the ids, None for data by position, and the columns, `name -> values`."""

    ids: Optional[list[Any]]
    columns: dict[str, list[Any]]


def records(data: Any, layout: Layout, side: str) -> Records:
    """The rows of data as columns. Names of columns are those of the layout.

    Raises
    ------
    TypeError
        The data are of no known type.
    ValueError
        A column is missing, or an answer has too few or too many values.
    """
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return _of_frame(data, layout, side)
    if hasattr(data, "index") and hasattr(data, "to_list"):  # a series
        ids = _index(data)
        return _of_answers(ids, data.to_list(), layout, side)
    if isinstance(data, Mapping):
        single = len(layout.required) == 2
        pairs = [
            (item, row)
            for item, answer in data.items()
            for row in (_plain(answer) if _has_rows(_plain(answer), single=single) else [answer])
        ]
        return _of_answers([item for item, _ in pairs], [row for _, row in pairs], layout, side)
    data = _plain(data)
    if not isinstance(data, Iterable) or isinstance(data, (str, bytes, set, frozenset)):
        raise TypeError(f"the {side} is {_described(data)}; expected {EXPECTED}")
    return _of_answers(None, list(data), layout, side)


def column_names(data: Any) -> list[str]:
    """The names of all columns of data, also of those that no layout has; of a list of answers, those of the first."""
    if hasattr(data, "columns"):
        return list(map(str, data.columns))
    if isinstance(data, Mapping):
        data = data.values()
    first = next(iter(data), None) if isinstance(data, Iterable) and not hasattr(data, "dtype") else None
    if hasattr(first, "columns"):
        return column_names(first)
    return list(map(str, first)) if isinstance(first, Mapping) else []


def table_of(data: Any, layout: Layout, items: Optional[Sequence[str]] = None) -> Table:
    """The cells of data as text.

    Parameters
    ----------
    items
        The ids that a submission has by position; None for a reference, whose rows are numbered.

    Raises
    ------
    TypeError, ValueError
        As for `records`; also if the number of values is not that of the items.
    """
    required = items is not None  # of a submission, a missing value is never meant
    side = "submission" if required else "reference"
    problems = Problems(SubmissionError if required else ReferenceFileError, "row")
    ids, columns = records(data, layout, side)
    keys = id_columns(layout.id)
    number = len(next(iter(columns.values()), ids or ()))
    if layout.id not in columns and not {*keys} <= {*columns}:
        if ids is None and items is not None and number != len(items):
            found = f"{count_of(number, 'value')}; the reference has {count_of(len(items), 'item')}"
            problems.stop("wrong_length", side, f"{found}; give one value for each item in its order, or ids")
        numbers = [",".join([str(row)] * len(keys)) for row in range(number)]
        names: Sequence[Any] = (items or numbers) if ids is None else ids
        columns = {**_columns_of_ids(list(names), layout.id), **columns}
    table = {}
    for column, values in columns.items():
        is_id = column in (layout.id, *keys)
        asked = is_id or (required and column in layout.required)
        table[column] = list(map(nfc, _cells(values, column, problems, side, asked=asked)))
        for row, item in enumerate(table[column]) if is_id else ():
            if not item.strip():
                problems.add("empty_item", side, f"the {column} is empty", line=row)
    problems.raise_if_any()
    return Table(layout.file, layout.id, table, list(range(number)), place="row")


def joined(name: Any) -> Any:
    """The id that a tuple of its parts stands for, see `tables.id_columns`; another id as it is."""
    return ",".join(map(str, name)) if isinstance(name, tuple) else name


def _columns_of_ids(names: list[Any], id: str) -> dict[str, list[Any]]:
    """The columns of ids: one for each of their parts, as in a file, or one if an id has not these parts."""
    keys = id_columns(id)
    if len(keys) > 1:
        names = list(map(joined, names))
        parts = [name.split(",") if isinstance(name, str) else [name] for name in names]
        if parts and {*map(len, parts)} == {len(keys)}:
            return dict(zip(keys, map(list, zip(*parts))))
    return {id: names}


def in_rows(error: FileProblems, side: str = "") -> FileProblems:
    """The error of a reader of tables in memory; the data of a side with one table have its name."""
    problems = [replace(problem, file=side or problem.file) for problem in error.problems]
    return type(error)(problems, error.counts, error.files, "row")


def reference_tables(data: Any, layouts: Sequence[Layout]) -> dict[str, Table]:
    """The tables of a reference in memory: a mapping `file -> table` where there are several, or the first table."""
    names = [layout.file for layout in layouts]
    several = isinstance(data, Mapping) and bool(data) and set(data) <= set(names)
    if not several and len(names) > 1 and isinstance(data, Mapping) and not set(names).isdisjoint(data):
        unknown = [str(name) for name in data if name not in names]
        raise ValueError(f"the reference has the unknown file {some_of(unknown)}; expected {some_of(names)}")
    tables = data if several else {names[0]: data}
    there = [layout for layout in layouts if layout.file in tables]
    return {layout.file: table_of(tables[layout.file], layout) for layout in there}


def _of_frame(frame: Any, layout: Layout, side: str) -> Records:
    cells = _named(frame, frame.columns, layout, layout.known, f"the {side}")
    columns = {
        name: each.to_list() if hasattr(each, "to_list") else list(each) for name, each in cells.items()
    }
    return Records(None if layout.id in columns else _index(frame), columns)


def _of_answers(ids: Optional[list[Any]], answers: list[Any], layout: Layout, side: str) -> Records:
    """The columns of answers. All answers have the form of the first one."""
    known = (layout.id, *(id_columns(layout.id) if ids is not None else ()))
    values = [column for column in layout.required if column not in known]
    answers = [answer if isinstance(answer, Mapping) else _plain(answer) for answer in answers]
    if answers and isinstance(answers[0], Mapping):
        return _of_mappings(ids, answers, layout, side)
    if len(values) == 1:
        return Records(ids, {values[0]: answers})
    needed = f"expected {count_of(len(values), 'value')}, {', '.join(values)}, or a mapping from columns"
    for row, answer in enumerate(answers):
        if not isinstance(answer, (list, tuple)) or len(answer) != len(values):
            raise ValueError(f"row {row} of the {side} is {_described(answer)}; {needed}")
    columns = zip(*answers) if answers else ([] for _ in values)
    return Records(ids, dict(zip(values, map(list, columns))))


def _of_mappings(ids: Optional[list[Any]], answers: list[Any], layout: Layout, side: str) -> Records:
    known = layout.known
    rows = [
        _named(answer, answer, layout, known, f"row {row} of the {side}")
        for row, answer in enumerate(answers)
    ]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if ids is not None:
        columns = [column for column in columns if column != layout.id]
    return Records(ids, {column: [row.get(column) for row in rows] for column in columns})


def _named(
    data: Any, names: Iterable[Any], layout: Layout, known: Mapping[str, str], place: str
) -> dict[str, Any]:
    """The layout's columns among those with these names, by the layout's names; refuses data that lack a column."""
    there = {nfc(str(name)).lower(): name for name in names}
    columns = {}
    for lower, name in there.items():
        column = known.get(lower)
        if column is not None and (column.lower() not in there or column.lower() == lower):
            columns[column] = data[name]  # an exact name takes precedence over an alias
    ids = id_columns(layout.id)
    some = () if columns.keys().isdisjoint(ids) else ids  # with one of two, rows would be taken by position
    needed = dict.fromkeys((*some, *layout.required))
    missing = [column for column in needed if column not in columns and column != layout.id]
    if missing:
        found = some_of(list(map(str, names)), 8) or "none"
        raise ValueError(f"{place} has no column {some_of(missing)}; its columns are {found}")
    return columns


def _index(data: Any) -> Optional[list[Any]]:
    """The index of a data frame or series; None for positions, or without an index."""
    index = list(getattr(data, "index", range(len(data))))
    return None if index == list(range(len(index))) else index


def _has_rows(answer: Any, *, single: bool) -> bool:
    """Whether an answer is a list of rows, each a list or a mapping. Without columns to name, `[]` is a value."""
    if not isinstance(answer, (list, tuple)) or (single and not answer):
        return False
    return all(isinstance(row, (list, tuple, Mapping)) for row in answer)


def _plain(value: Any) -> Any:
    """An array or a number of numpy as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else value


def _cells(values: Sequence[Any], column: str, problems: Problems, side: str, *, asked: bool) -> list[str]:
    """The cells of a column as text. Columns of texts or of finite numbers need no look at each value."""
    kinds = set(map(type, values))
    if kinds == {str}:
        joined = "".join(values)
        if "\n" not in joined and "\r" not in joined:
            return list(values)
    elif kinds == {int} or (kinds == {float} and math.isfinite(sum(map(abs, values)))):
        return list(map(_number, values))
    return [_checked(value, column, row, problems, side, asked=asked) for row, value in enumerate(values)]


def _number(value: Any) -> str:
    """A number as text, a whole one without a decimal point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _checked(value: Any, column: str, row: int, problems: Problems, side: str, *, asked: bool) -> str:
    """The text of a cell. A value that has none adds a problem."""
    text = _text(value)
    if text is None:
        message = f"{column} is {_described(value)}; expected a text or a number"
        problems.add("not_a_value", side, message, line=row)
    elif asked and _is_missing(value):
        problems.add("missing_value", side, f"{column} is {value}; expected a value", line=row)
    elif "\n" in text or "\r" in text:
        problems.add("line_break", side, f"{column} {text!r:.100}; expected no line breaks", line=row)
    return text or ""


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or the missing value of pandas."""
    not_a_number = isinstance(value, float) and value != value
    return value is None or not_a_number or type(value).__name__ in ("NAType", "NaTType")


def _text(value: Any) -> Optional[str]:
    value = _plain(value)
    if _is_missing(value):
        return ""
    if isinstance(value, (str, bool, int)):
        return str(value)
    if isinstance(value, float):
        return _number(value) if math.isfinite(value) else repr(value)
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return None


def _described(value: Any) -> str:
    return "None" if value is None else f"{value!r:.60} ({type(value).__name__})"
