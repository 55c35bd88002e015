"""Delimited tables: their layout, their text, the parsers of their cells, and the check of their items.

A parser takes a table, the name of a column and the problems found so far, and returns an array of shape (n,), with one
entry for each row. An invalid cell gets a value that no valid cell has, if such a value exists.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, islice
from operator import lt
from types import SimpleNamespace
from typing import Any, Callable, NamedTuple, Optional, Union
from unicodedata import normalize

import numpy as np

from .problems import Problems, SubmissionError, count_of, name, quote, repeated, some_of
from .text import (
    LONGEST_LINE,
    ORGANISER_LIMIT,
    blocks_of,
    check_size,
    decimal,
    decode_lines,
    expected_number,
    integer,
    unusable,
)
from .text import decimals as decimal_numbers
from .written_ids import (
    by_common_form,
    common_form,
    differences,
    hint_of_case,
    hint_of_code_points,
    in_ascii,
    without_decimal,
    without_zeros,
)

FIRST_ROWS = 100
"""The number of rows below a first line that decide whether it is a header."""
_LONGEST_NAME = 100
"""Longest text that is compared with the name of a column."""
_LIKENESS = 0.75
"""Least likeness of two names, from 0 to 1, for the advice to rename a column."""
_DIGITS = re.compile("[0-9]+")
_DECIMAL_COMMA = re.compile(r"(?<![^,])[+-]?[0-9]{1,20},[0-9]{1,20}(?![^,])")

_DELIMITER_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "vertical bars"}


def id_columns(id: str) -> tuple[str, ...]:
    """The columns with the name of a row: one, or two as `enrolment,test`, whose cells are joined by a comma, too.

    Examples
    --------
    >>> id_columns("id"), id_columns("enrolment,test")
    (('id',), ('enrolment', 'test'))
    """
    return tuple(id.split(","))


def joined_id(name: Any) -> Any:
    """The id that a tuple of its parts stands for, see `id_columns`; another id as it is."""
    return ",".join(map(str, name)) if isinstance(name, tuple) else name


class Layout(NamedTuple):
    """The layout of a table in a file.

    Attributes
    ----------
    file
        The name of the file, for problems.
    id
        The column with the name of each row; see `id_columns`.
    required
        Columns that the table must have. Their names are compared without regard to case, and returned as written here.
        An exact name takes precedence over an alias. All other columns are ignored.
    optional
        Columns that the table may have.
    aliases
        Alternative names of columns, `{"id": "utterance_id"}`.
    headerless
        Takes the cells of the first line, and returns the names of the columns if it is a row; None if it is a header.
    """

    file: str
    id: str
    required: Sequence[str]
    delimiter: str = ","
    optional: Sequence[str] = ()
    aliases: Mapping[str, str] | None = None
    headerless: Callable[[Sequence[str]], Optional[Sequence[str]]] = lambda first: None

    @property
    def columns(self) -> tuple[str, ...]:
        """The required columns as files have them: of two columns of ids, both."""
        ids = {self.id: id_columns(self.id)}
        return tuple(dict.fromkeys(part for column in self.required for part in ids.get(column, (column,))))

    @property
    def known(self) -> dict[str, str]:
        """The columns that are read, by their names and other names, in small letters; a name comes before another's
        alias."""
        names = (*self.required, *id_columns(self.id), *self.optional)
        aliases = {alias.lower(): column for alias, column in (self.aliases or {}).items()}
        return {**aliases, **{column.lower(): column for column in names}}

    def requiring(self, column: str) -> Layout:
        """The layout with another required column."""
        if column in self.required:
            return self
        optional = tuple(other for other in self.optional if other != column)
        return self._replace(required=(*self.required, column), optional=optional)


class Cells(Sequence[str]):
    """The cells of a column of a file, one text for each block of lines: a million objects need far more memory."""

    def __init__(self) -> None:
        self.blocks: list[str] = []

    def __len__(self) -> int:
        return sum(block.count("\n") + 1 for block in self.blocks)

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(block.split("\n") for block in self.blocks)

    def __getitem__(self, place: Any) -> Any:
        return self._list[place]

    @cached_property
    def _list(self) -> list[str]:
        return list(self)


@dataclass(frozen=True)
class Table:
    """The named columns of a table, as text, with the place of each row as its writer knows it.

    Attributes
    ----------
    file
        The name of the file, for problems.
    id
        The column with the name of each row.
    columns
        The columns, `name -> n strings`.
    lines
        The n line numbers, from 1; of data in memory the numbers of the rows, from 0.
    others
        The names of the ignored columns.
    place
        What `lines` count: `line`, or `row` for data in memory.
    header
        The lines of a file's header and of the first rows below it, with their cells, as their writer has them; empty
        for columns that already have the names of a layout. The names of `columns` are then any, in this order.
    empty
        The ids of data in memory that have no row, as `{"recording": []}`.
    """

    file: str
    id: str
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]
    others: tuple[str, ...] = ()
    place: str = "line"
    header: Sequence[tuple[int, Sequence[str]]] = ()
    empty: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)

    @property
    def ids(self) -> Sequence[str]:
        return self.columns[self.id]

    def check_text(self, problems: Problems, check: Callable[..., str] = decode_lines) -> int:
        """Check the cells as the text of a file is checked, and return their size in bytes."""
        texts = ("".join(f"{cell}\n" for cell in cells) for cells in self.columns.values())
        contents = [text.encode("utf-8", "surrogatepass") for text in texts]
        for content in contents:
            check(content, self.file, problems, 0)
        return sum(map(len, contents))

    def without(self, lines: Collection[int]) -> Table:
        """The table without the rows of some lines."""
        kept = [row for row, line in enumerate(self.lines) if line not in lines]
        columns = {column: [cells[row] for row in kept] for column, cells in self.columns.items()}
        return replace(self, columns=columns, lines=[self.lines[row] for row in kept])

    def under(self, names: Sequence[str]) -> Table:
        """The table of a file without a header: its first row is a row, and the columns have these names."""
        (line, first), *_ = self.header
        columns = {name: [cell, *cells] for name, cell, cells in zip(names, first, self.columns.values())}
        return replace(self, columns=columns, lines=[line, *self.lines], header=())

    def add_problem(self, problems: Problems, code: str, row: int, message: str) -> None:
        """Add a problem in a row, counted from 0. The row's id is put before the message."""
        item = self.ids[row]
        message = f"{self.id} {name(item)}: {message}"
        problems.add(code, self.file, message, line=self.lines[row], item=item)


def split_row(line: str, delimiter: str) -> Optional[list[str]]:
    """The fields of one line; None if a quotation mark is not closed on the line."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None


def read_table(
    files: Mapping[str, Any], layout: Layout, problems: Problems, limit: int = ORGANISER_LIMIT
) -> Table:
    """The columns of one of some files, see `parse_table`, or of the table that is in its place."""
    given = files.get(layout.file)
    if not isinstance(given, Table):
        return parse_table(blocks_of(files, layout.file, problems, limit), layout, problems)
    if given.header:
        names = layout.headerless(given.header[0][1])
        if names is None:
            return _with_header(given, layout, problems)
        given = given.under(names)
    columns = _with_ids(given.columns, layout)
    missing = [column for column in layout.required if column not in columns]
    if missing:
        message = _describe_missing(missing, "", list(given.columns), layout.delimiter, layout.known)
        problems.stop("missing_column", layout.file, message)
    check_size(given.check_text(problems), len(given), layout.file, limit, problems)
    return replace(given, id=layout.id, columns=columns)


def _with_header(given: Table, layout: Layout, problems: Problems) -> Table:
    """The columns of a table that has the header of a file, which is checked as that of a text."""
    known = layout.known
    wanted = set(known.values())
    (line, names), *below = given.header
    text, rows = (csv_text(cells, layout.delimiter) for cells in ([names], [cells for _, cells in below]))
    header = _parse_header(text[:-1], [rows], line, layout, known, problems)
    for line, *cells in zip(given.lines, *given.columns.values()):
        if sum(map(len, cells)) > LONGEST_LINE // 4:  # as a line of text it may be too long
            decode_lines(csv_text([cells], layout.delimiter).encode(), layout.file, problems, line)
    named = {column: cells for column, cells in zip(header, given.columns.values()) if column in wanted}
    others = tuple(column for column in header if column not in wanted)
    return replace(given, id=layout.id, columns=_with_ids(named, layout), others=others, header=())


def _with_ids(columns: Mapping[str, Sequence[str]], layout: Layout) -> Mapping[str, Sequence[str]]:
    """The columns, with the ids of rows whose names are in two columns."""
    ids = id_columns(layout.id)
    if not columns or len(ids) == 1 or layout.id in columns:
        return columns
    return {**columns, layout.id: list(map(",".join, zip(*(columns[column] for column in ids))))}


def parse_table(blocks: Iterable[str], layout: Layout, problems: Problems) -> Table:
    """The columns of a text in blocks of whole lines, as `read_blocks` returns them. Blank lines are skipped.

    Equal cells are one object in columns whose cells recur in the first block: a million of them need less memory.

    Raises
    ------
    FileProblems
        A block cannot be read, or the header lacks a required column. The class is that of `problems`.
    """
    known = layout.known
    wanted = set(known.values())
    header: Optional[Sequence[str]] = None
    cells: dict[str, Any] = {}
    numbers: Sequence[int] = range(0)
    repeated: Optional[dict[str, dict[str, str]]] = None
    line = 1
    blocks = iter(blocks)
    for block in blocks:
        if header is None:
            first, more, rest = block.lstrip("\n").partition("\n")
            header = names = layout.headerless(split_row(first, layout.delimiter) or ())
            if header is None:
                line += len(block) - len(block.lstrip("\n"))
                block = rest
                below = chain([block], blocks)  # read on only if the header is refused
                other = problems.error is SubmissionError and _other_delimiter(first, layout, known)
                if other:  # go on, so that a participant's rows are checked, too
                    message = _describe_missing([], first, [first], layout.delimiter, known)
                    problems.add("missing_column", layout.file, message, line=line)
                    layout = layout._replace(delimiter=other)
                header = _parse_header(first, below, line, layout, known, problems)
                line += 1
            cells = {column: [] for column in header if column in wanted}
            if not (more or names):
                continue
        lines: Sequence[int] = range(line, line + block.count("\n") + 1)
        line += len(lines)
        rows = _split_plain_rows(block, layout.delimiter, len(header))
        if rows is None:
            rows, lines = _split_rows(block, lines, layout, problems, header)
        numbers = _joined(numbers, lines)
        columns = dict(zip(header, rows))
        if repeated is None:
            repeated = {column: {} for column in cells if 4 * len({*columns[column]}) < len(columns[column])}
            cells = {column: [] if column in (*repeated, layout.id) else Cells() for column in cells}
        for column, kept in cells.items():
            part = columns[column]
            if isinstance(kept, Cells):
                kept.blocks += ["\n".join(part)] if part else []
            else:
                kept += map(repeated[column].setdefault, part, part) if column in repeated else part
    others = tuple(column for column in header or () if column not in wanted)
    return Table(layout.file, layout.id, _with_ids(cells, layout), numbers, others)


def _joined(numbers: Sequence[int], lines: Sequence[int]) -> Sequence[int]:
    """The numbers of lines, as a range if none is left out."""
    if isinstance(lines, range) and (
        not numbers or (isinstance(numbers, range) and numbers.stop == lines.start)
    ):
        return range(numbers[0] if numbers else lines.start, lines.stop)
    return [*numbers, *lines]


def _other_delimiter(text: str, layout: Layout, known: Mapping[str, str]) -> Optional[str]:
    """The separator of a header that has all columns but another separator than the layout's; else None."""
    for other in () if layout.delimiter in text else _DELIMITER_NAMES:
        if {known.get(field.strip().lower()) for field in split_row(text, other) or ()} >= {*layout.columns}:
            return other
    return None


def _parse_header(
    text: str, below: Iterable[str], line: int, layout: Layout, known: Mapping[str, str], problems: Problems
) -> list[str]:
    """The names of the columns, from the header; for a message, also from the blocks below it."""
    fields = [field.strip() for field in split_row(text, layout.delimiter) or [text]]
    there = {field.lower() for field in fields}
    header = []
    for field in fields:
        column = known.get(field.lower(), field)
        # An exact column name takes precedence over an alias.
        header.append(field if column.lower() in there - {field.lower()} else column)
    required = layout.required if layout.id in header else layout.columns
    missing = [column for column in required if column not in header]
    if missing:
        if id_columns(layout.id)[0] in missing and _is_row(fields, below, layout.delimiter):
            separator = _DELIMITER_NAMES[layout.delimiter]
            message = f"the header is missing; expected a first line with the columns {', '.join(required)}"
            message += f", separated by {separator}" if len(required) > 1 else ""
        else:
            message = _describe_missing(missing, text, fields, layout.delimiter, known)
        problems.stop("missing_column", layout.file, message, line=line)
    twice = sorted(column for column in set(known.values()) if header.count(column) > 1)
    if twice:
        message = f"column {some_of(twice)} appears twice in the header"
        problems.stop("duplicate_column", layout.file, message, line=line)
    return header


def _is_row(fields: Sequence[str], blocks: Iterable[str], delimiter: str) -> bool:
    """Whether a first line without the ids' column is a row, and not a header with other names.

    It is a row if one of its fields is a number, appears in the same column of a row below, or differs only in its
    digits from the field below it, as ids do.
    """
    lines = (line for block in blocks for line in block.split("\n") if line.strip())
    rows = [split_row(line, delimiter) or [] for line in islice(lines, FIRST_ROWS)]
    for column, field in enumerate(fields):
        others = [row[column].strip() for row in rows if column < len(row)]
        ids = others and _DIGITS.search(field) and _DIGITS.sub("0", field) == _DIGITS.sub("0", others[0])
        if field and (decimal(field) is not None or field in others or ids):
            return True
    return False


def _describe_missing(
    missing: Sequence[str], line: str, fields: Sequence[str], delimiter: str, known: Mapping[str, str]
) -> str:
    if line.lower().startswith("sep="):
        return f"{quote(line)} is a line for Excel; remove it"
    if line.lstrip()[:1] in ("[", "{"):
        expected = f"expected a first line with the columns {', '.join(missing)}"
        return f"is JSON; {expected}, separated by {_DELIMITER_NAMES[delimiter]}"
    if len(fields) == 1 and delimiter in fields[0] and line.strip() == f'"{fields[0]}"':
        return (
            "the whole line is in quotation marks; expected at most each field in quotation marks of its own"
        )
    for other, called in _DELIMITER_NAMES.items():
        if other != delimiter and len(fields) == 1 and other in line:
            point = ", and in numbers a decimal point, not a comma" if other == ";" else ""
            return f"fields are separated by {called}; expected {_DELIMITER_NAMES[delimiter]}{point}"
    if len(fields) == 1 and {known.get(field.lower()) for field in line.split()} >= {*missing}:
        return f"fields are separated by spaces; expected {_DELIMITER_NAMES[delimiter]}"
    message = f"no column {some_of(missing)}; the header has {some_of(fields, 8)}"
    return message + _describe_near(missing, [field for field in fields if field.lower() not in known])


def _describe_near(missing: Sequence[str], others: Sequence[str]) -> str:
    """Advice to rename the other columns whose names are nearly those of missing ones."""
    import difflib  # only here, so that programs start faster

    names = {field.lower(): field for field in others[:FIRST_ROWS] if len(field) <= _LONGEST_NAME}
    renamed = []
    for column in missing:
        for near in difflib.get_close_matches(column.lower(), names, 1, _LIKENESS):
            field = names.pop(near)
            hint = hint_of_code_points(field) if in_ascii(field).lower() == column.lower() else ""
            renamed.append(f"; rename {name(field)} to {name(column)}{hint}")
    return "".join(renamed)


def _split_plain_rows(block: str, delimiter: str, width: int) -> Optional[list[list[str]]]:
    """The columns of plain lines; None if a line may be empty, is quoted or has another number of fields."""
    columns = None if '"' in block else split_full_lines(block, width, delimiter)
    return columns if columns and all(map(str.strip, columns[0])) else None


def _split_rows(
    block: str, lines: Sequence[int], layout: Layout, problems: Problems, header: Sequence[str]
) -> tuple[list[list[str]], list[int]]:
    """The columns and the numbers of the usable lines. Empty lines are skipped; all others add a problem."""
    rows: list[list[str]] = []
    numbers, width = [], len(header)
    separator = _DELIMITER_NAMES[layout.delimiter]
    for number, line in zip(lines, block.split("\n")):
        if not line.strip(layout.delimiter + " \t"):
            continue
        row = split_row(line, layout.delimiter)
        if row is None:
            message = "a quotation mark is not closed on its line, or text follows it"
            problems.add("unclosed_quote", layout.file, message, line=number)
        elif len(row) != width:
            message = f"{count_of(len(row), 'field')} separated by {separator}; the header has {width}: "
            message += some_of(header, 8)
            comma = _DECIMAL_COMMA.search(line, line.find(",")) if len(row) > width else None
            if comma and layout.delimiter == ",":
                message += f"; write {comma[0].replace(',', '.')} if {comma[0]} is a number"
            elif layout.delimiter == "," and len(row) > width and row[-1].strip():
                message += "; put a text that has a comma between quotation marks"
            problems.add("wrong_field_count", layout.file, message, line=number)
        else:
            rows.append(row)
            numbers.append(number)
    return [[row[index] for row in rows] for index in range(width)], numbers


def split_full_lines(text: str, width: int, delimiter: Optional[str] = None) -> Optional[list[list[str]]]:
    """The columns of a text whose fields are separated by a delimiter, or by white space if it is None.

    None if a line has another number of fields.
    """
    lines = text.count("\n") + 1
    between = delimiter or " "
    # Lines contain no NUL (`decode` refuses them), so a NUL can mark the end of each line.
    fields = text.replace("\n", f"{between}\0{between}").split(delimiter)
    ends = fields[width :: width + 1]
    if len(fields) + 1 != lines * (width + 1) or ends.count("\0") + 1 != lines:
        return None
    return [fields[column :: width + 1] for column in range(width)]


def csv_text(rows: Iterable[Iterable[object]], delimiter: str = ",") -> str:
    """Rows as CSV text, with quotation marks only where they are needed."""
    lines: list[str] = []
    stream: Any = SimpleNamespace(write=lines.append)
    # Before Python 3.13, a carriage return is quoted only if it ends lines.
    csv.writer(stream, delimiter=delimiter, lineterminator="\r\n").writerows(rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def no_formula(text: str) -> str:
    """A text as a spreadsheet cell, quoted where a spreadsheet would run it as a formula.

    Full-width signs, and signs after blanks, start formulas too. In many countries semicolons separate the cells of a
    CSV file.
    """
    return ";".join(f"'{part}" if begins_formula(part) else part for part in text.split(";"))


def begins_formula(text: str) -> bool:
    first = normalize("NFKC", text).lstrip()[:1]
    return first != "" and first in "=+-@\N{MINUS SIGN}"


def numbered(values: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The distinct values in order of first appearance, and the index of each value among them, int, shape (n,)."""
    number = {value: index for index, value in enumerate(dict.fromkeys(values))}
    return list(number), np.fromiter(map(number.__getitem__, values), np.int64)


def members(values: Iterable[str]) -> dict[str, list[int]]:
    """The places of the values of each group, sorted by the names of the groups.

    >>> members(["south", "north", "south"])
    {'north': [1], 'south': [0, 2]}
    """
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(value, []).append(place)
    return dict(sorted(places.items()))


FEWEST_OF_A_SET = 20
"""This many items, all unknown, are taken for another set's items; fewer may be misspelt."""


def match_items(table: Table, expected: Sequence[str], problems: Problems, *, noun: str) -> np.ndarray:
    """Match the rows of a table with the expected items: each item exactly once, in any order.

    Returns
    -------
    ndarray of int, shape (n,)
        The position of each row's item in `expected`; -1 for a row with a problem.
    """
    if list(table.ids) == list(expected) and all_different(expected):
        return np.arange(len(expected))
    ids = table.ids
    position = {item: index for index, item in enumerate(expected)}
    if len(ids) == len(position) and position.keys() == set(ids):
        return np.array([position[item] for item in ids], dtype=int)
    places, unread = np.full(len(ids), -1), bool(problems)
    by_form = by_common_form(expected)
    unknown = position.keys().isdisjoint(ids) and by_form.keys().isdisjoint(map(common_form, ids))
    if len(ids) >= FEWEST_OF_A_SET and unknown:
        message = f"{table.id} {name(ids[0])}: none of the {count_of(len(ids), noun)} belongs to this set of "
        message += f"{len(expected)}, such as {name(min(expected))}; {_why_unknown(table, position)}"
        problems.add("another_set", table.file, message, line=table.lines[0], item=ids[0])
        return places
    first_line: dict[str, int] = {}
    for row, (item, line) in enumerate(zip(ids, table.lines)):
        place = position.get(item)
        mended = None if place is not None else by_form.get(common_form(item))
        if mended is not None:
            message = f"{table.id} {name(item)} {differences(item, mended)}; expected {name(mended)}"
            message += "" if item.isascii() or not mended.isascii() else ": type it again"
            problems.add("misspelt_item", table.file, message, line=line, item=item)
            first_line.setdefault(mended, line)
        elif place is None:
            message = f"{table.id} {name(item)} is not one of the {count_of(len(expected), noun)}"
            message += ", but the header again: remove this line" if item == table.id else ""
            problems.add("unknown_item", table.file, message, line=line, item=item)
        elif item in first_line:
            message = repeated(f"{table.id} {name(item)}", first_line[item], table.place)
            problems.add("duplicate_item", table.file, message, line=line, item=item)
        else:
            first_line[item] = line
            places[row] = place
    # Sorted by id, because the order of the reference may reveal labels.
    missing = sorted((item for item in expected if item not in first_line), key=id_order)
    if missing and (first_line or not unread):
        counts = f"{count_of(len(expected), noun)} expected, {len(first_line)} found"
        message = f"{table.id} {some_of(missing)}: {counts}"
        problems.add("missing_item", table.file, message, item=missing[0])
    return places


def all_different(ids: Sequence[str]) -> bool:
    """Whether no id is repeated. Sorted ids are not hashed, because a million new texts take long."""
    return all(map(lt, ids, islice(ids, 1, None))) or len(set(ids)) == len(ids)


def id_order(item: str) -> tuple[float, str]:
    """A key to sort ids by: numbers by their value, before all other ids."""
    number = item.isascii() and item.isdigit() and len(item) < 19
    return int(item) if number else math.inf, item


def _why_unknown(table: Table, expected: Collection[str]) -> str:
    """A guess why no id of a file is known."""
    ids, first = table.ids, integer(table.ids[0])
    for column, values in table.columns.items():
        if column != table.id and {*values} <= {*expected}:
            return f"the ids are in the column {name(column)}: are the columns swapped?"
    if first in (0, 1) and list(ids) == list(map(str, range(first, first + len(ids)))):
        return "are these the numbers of rows? Write the ids of the items"
    near = [item for item in expected if ids[0].endswith(item) or item.endswith(ids[0])]
    if len(near) == 1 and len(near[0]) != len(ids[0]):
        own, wanted = (text[: -min(len(ids[0]), len(near[0]))] for text in (ids[0], near[0]))
        if {wanted + item[len(own) :] for item in ids} <= {*expected}:
            return f"{'without' if own else 'with'} {quote(own or wanted)} at its beginning it is {name(near[0])}"
    if {item[:-1] for item in ids} <= {*expected}:
        return f"without {quote(ids[0][-1:])} at its end it is {name(ids[0][:-1])}"
    begun = [item for item in expected if item.startswith(f"{ids[0]}_")]
    if len(begun) == 1:
        return f"the ids lack their end, as in {name(begun[0])}"
    return "is the file for another set?"


def alike(ids: Iterable[str]) -> list[list[str]]:
    """Groups of different ids that are equal but for case, leading zeros of numbers and a trailing `.0`."""
    groups: dict[str, list[str]] = {}
    for each in dict.fromkeys(ids):
        groups.setdefault(fold_id(each), []).append(each)
    return [group for group in groups.values() if len(group) > 1]


def fold_id(item: str) -> str:
    """An id as people compare it: `S03` is `s3`, and `007` is `7` and `7.0`."""
    return without_zeros(without_decimal(item.strip()).casefold())


def check_ids(table: Table, problems: Problems, *, noun: str) -> None:
    """Check the ids of a reference: none is empty or repeated, and all can be typed."""
    if not all_different(table.ids):
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
    return partial(parse_words, choices=choices, called=called, spelled=spelled)


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
        hint = hint or (hint_of_code_points(cell) if spelled(in_ascii(cell)) in choices else "")
        hint = hint or hint_of_case(cell, choices)
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
