"""Delimited tables and the rule that holds for all of them: exactly the reference's items, each once."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Optional, Union

import numpy as np

from .files import read_blocks
from .problems import Problems, count_of, name, quote, some_of

FEWEST_OF_A_SET = 20
"""So many items of which none is known are another set's; fewer may be misspelt."""

NO_ALIASES: Mapping[str, str] = {}

_DELIMITER_NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons"}


@dataclass(frozen=True)
class Items:
    """What everybody knows of a set: the ids of its n items, in the order in which they are scored."""

    ids: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Table:
    """A table's named columns, as text, with the line of each row.

    Attributes
    ----------
    file: the name that a problem shows.
    columns: `name -> list of n strings`.
    lines: n line numbers, from 1.
    others: the names of columns that nobody asked for.
    """

    file: str
    columns: dict[str, list[str]]
    lines: list[int]
    others: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)


def split_row(line: str, delimiter: str) -> Optional[list[str]]:
    """The fields of one line; None where a quotation mark is not closed in its line."""
    if '"' not in line:
        return line.split(delimiter)
    try:
        return next(csv.reader([line], delimiter=delimiter, strict=True))
    except csv.Error:
        return None


def parse_table(
    blocks: Iterable[Optional[str]],
    file: str,
    problems: Problems,
    *,
    delimiter: str,
    required: Sequence[str],
    aliases: Mapping[str, str] = NO_ALIASES,
    header: Optional[Sequence[str]] = None,
) -> Optional[Table]:
    """The columns named in a table's header, or None after adding a problem.

    Parameters
    ----------
    blocks: the file's text in blocks of whole lines, as `read_blocks` gives them; blank lines are skipped.
    required: columns that must be there. Names are matched without regard to case and given in the case asked for.
    aliases: other names that a column may have, `{"id": "utterance_id"}`, and the columns that may be there. All other
        columns are left out.
    header: the column names of a file that has no header row.
    """
    whole: Optional[Table] = None
    parts = parse_in_parts(
        blocks, file, problems, delimiter=delimiter, required=required, aliases=aliases, header=header
    )
    for part in parts:
        if part is None:
            return None
        if whole is None:
            whole = part
        else:
            for column, cells in whole.columns.items():
                cells += part.columns[column]
            whole.lines.extend(part.lines)
    return whole


def parse_in_parts(
    blocks: Iterable[Optional[str]],
    file: str,
    problems: Problems,
    *,
    delimiter: str,
    required: Sequence[str],
    aliases: Mapping[str, str] = NO_ALIASES,
    header: Optional[Sequence[str]] = None,
) -> Iterator[Optional[Table]]:
    """`parse_table` for a large file: a table for each block, at least one; the last is None where a problem keeps the
    file from being read."""
    known = {column.lower(): column for column in required}
    known.update({alias.lower(): column for alias, column in aliases.items()})
    others: tuple[str, ...] = ()
    line = 1
    for block in blocks:
        if block is None:
            yield None
            return
        if header is None:
            line += len(block) - len(block.lstrip("\n"))
            first, more, block = block.lstrip("\n").partition("\n")
            header = _parse_header(first, line, file, problems, delimiter, required, known)
            if header is None:
                yield None
                return
            others = tuple(column for column in header if column not in known.values())
            line += 1
            if not more:
                yield Table(file, {column: [] for column in header if column in known.values()}, [], others)
                continue
        lines = list(range(line, line + block.count("\n") + 1))
        line += len(lines)
        rows = _split_plain_rows(block, delimiter, len(header))
        if rows is None:
            rows, lines = _split_rows(block, lines, file, problems, delimiter, len(header))
        columns = {column: cells for column, cells in zip(header, rows) if column in known.values()}
        yield Table(file, columns, lines, others)


def _parse_header(
    text: str,
    line: int,
    file: str,
    problems: Problems,
    delimiter: str,
    required: Sequence[str],
    known: Mapping[str, str],
) -> Optional[list[str]]:
    """The names of the columns, or None after adding a problem."""
    fields = [field.strip() for field in split_row(text, delimiter) or [text]]
    there = {field.lower() for field in fields}
    header = []
    for field in fields:
        column = known.get(field.lower(), field)
        # A name of its own goes before another name for it.
        header.append(field if column.lower() in there - {field.lower()} else column)
    missing = [column for column in required if column not in header]
    if missing:
        problems.add("missing_column", file, _missing_columns(missing, text, fields, delimiter), line=line)
        return None
    twice = sorted(column for column in set(known.values()) if header.count(column) > 1)
    if twice:
        problems.add(
            "duplicate_column", file, f"column {some_of(twice)} stands twice in the header", line=line
        )
        return None
    return header


def _split_plain_rows(block: str, delimiter: str, width: int) -> Optional[list[list[str]]]:
    """The columns of lines none of which may be empty, is quoted or has another number of fields; else None."""
    columns = None if '"' in block else _split_full_lines(block, width, delimiter)
    return None if columns is None or "" in columns[0] else columns


def _split_rows(
    block: str, lines: Sequence[int], file: str, problems: Problems, delimiter: str, width: int
) -> tuple[list[list[str]], list[int]]:
    """The columns of the usable lines, and these lines' numbers; a problem for each of the others but empty ones."""
    rows: list[list[str]] = []
    numbers: list[int] = []
    separator = _DELIMITER_NAMES[delimiter]
    for number, line in zip(lines, block.split("\n")):
        if not line.strip(delimiter + " \t"):
            continue
        row = split_row(line, delimiter)
        if row is None:
            message = "a quotation mark that is not closed in its line, or has text after it"
            problems.add("unclosed_quote", file, message, line=number)
        elif len(row) != width:
            message = f"{count_of(len(row), 'field')}, separated by {separator}; the header has {width}"
            problems.add("wrong_field_count", file, message, line=number)
        else:
            rows.append(row)
            numbers.append(number)
    return [[row[index] for row in rows] for index in range(width)], numbers


def split_fields(text: str, width: int) -> Optional[list[list[str]]]:
    """The columns of a text whose fields are separated by white space, blank lines left out.

    Returns
    -------
    list, or None: `width` columns; None where a line has another number of fields.
    """
    columns = _split_full_lines(text, width)
    if columns is None:
        text = "\n".join(filter(str.strip, text.split("\n")))
        columns = _split_full_lines(text, width) if text else [[] for _ in range(width)]
    return columns


def _split_full_lines(text: str, width: int, delimiter: Optional[str] = None) -> Optional[list[list[str]]]:
    """The columns of a text, its fields separated by a delimiter or by white space; None where a line has another
    number of them."""
    lines = text.count("\n") + 1
    between = delimiter or " "
    # No line holds a NUL, so that each one marks a line's end.
    fields = text.replace("\n", f"{between}\0{between}").split(delimiter)
    ends = fields[width :: width + 1]
    if len(fields) + 1 != lines * (width + 1) or ends.count("\0") + 1 != lines:
        return None
    return [fields[column :: width + 1] for column in range(width)]


def _missing_columns(missing: Sequence[str], line: str, fields: Sequence[str], delimiter: str) -> str:
    message = f"no column {some_of(missing)}; the header has {some_of([f.strip() for f in fields], 8)}"
    for other, called in _DELIMITER_NAMES.items():
        if other != delimiter and len(fields) == 1 and other in line:
            message = f"fields are separated by {called}; expected {_DELIMITER_NAMES[delimiter]}"
    return message


def read_table(
    path: Path,
    file: str,
    problems: Problems,
    *,
    delimiter: str,
    required: Sequence[str],
    aliases: Mapping[str, str] = NO_ALIASES,
    limit: int,
) -> Optional[Table]:
    """`parse_table` on a file of at most `limit` bytes; None after adding a problem."""
    blocks = read_blocks(path, file, problems, limit)
    return parse_table(blocks, file, problems, delimiter=delimiter, required=required, aliases=aliases)


def match_items(
    table: Table, ids: Sequence[str], expected: Sequence[str], problems: Problems, *, column: str, noun: str
) -> np.ndarray:
    """Where each row belongs: exactly the expected items, in any order.

    Returns
    -------
    np.ndarray, shape=(n,): position in `expected` of each row, -1 where a problem was added.
    """
    position = {item: index for index, item in enumerate(expected)}
    if len(ids) >= FEWEST_OF_A_SET and position.keys().isdisjoint(ids):
        message = f"none of the {count_of(len(ids), noun)} is one of this set's {len(expected)}"
        message += f", such as {name(min(expected))}; is the file another set's?"
        problems.add("another_set", table.file, message)
        return np.full(len(ids), -1)
    first_line: dict[str, int] = {}
    places = np.full(len(ids), -1)
    for row, (item, line) in enumerate(zip(ids, table.lines)):
        place = position.get(item)
        if place is None:
            hint = _near_miss(item, position)
            message = f"{column} {name(item)} is not one of the {count_of(len(expected), noun)}{hint}"
            problems.add("unknown_item", table.file, message, line=line, item=item)
        elif item in first_line:
            message = f"{column} {name(item)} again; first on line {first_line[item]}"
            problems.add("duplicate_item", table.file, message, line=line, item=item)
        else:
            first_line[item] = line
            places[row] = place
    missing = [item for item in expected if item not in first_line]
    if missing:
        message = (
            f"{column} {some_of(missing)}: {count_of(len(expected), noun)} expected, {len(first_line)} found"
        )
        problems.add("missing_item", table.file, message, item=missing[0])
    return places


def _near_miss(item: str, position: Mapping[str, int]) -> str:
    """A hint where an id is right but for blanks or a spreadsheet's `.0`."""
    stripped = item.strip()
    if stripped != item and stripped in position:
        return " (blanks around it)"
    if item.endswith(".0") and item[:-2] in position:
        return f" ({item[:-2]} is; a spreadsheet's number?)"
    return ""


def choose(
    table: Table,
    ids: Sequence[str],
    values: Sequence[str],
    choices: Mapping[str, int],
    problems: Problems,
    *,
    item_column: str,
    column: str,
    spelled: Callable[[str], str] = str,
    used: Union[bool, np.ndarray] = True,
) -> np.ndarray:
    """Words as numbers, shape=(n,); -1 for each word that `spelled` does not turn into one of `choices`, with a problem
    where the row is used."""
    code = {value: choices.get(spelled(value), -1) for value in set(values)}
    codes = np.fromiter(map(code.__getitem__, values), np.int64, len(values))
    expected = " or ".join(quote(choice) for choice in choices)
    for row in np.flatnonzero((codes < 0) & used).tolist():
        found = quote(values[row]) if values[row] else "nothing"
        problems.add(
            "unknown_value",
            table.file,
            f"{item_column} {name(ids[row])}: {column} {found}; expected {expected}",
            line=table.lines[row],
            item=ids[row],
        )
    return codes


def numbered(values: Sequence[str]) -> tuple[list[str], np.ndarray]:
    """The different ones of n values, as they come, and for each value the number of its own, int, shape=(n,)."""
    number = {value: index for index, value in enumerate(dict.fromkeys(values))}
    return list(number), np.fromiter(map(number.__getitem__, values), np.int64, len(values))


def whole_numbers(
    table: Table,
    ids: Sequence[str],
    values: Sequence[str],
    scale: tuple[int, int],
    problems: Problems,
    *,
    item_column: str,
    column: str,
) -> np.ndarray:
    """The integers of a scale (low, high), both ends included, shape=(n,), written as `4`; low - 1 and a problem for
    each text that is none of them."""
    low, high = scale
    meant = {str(number): number for number in range(low, high + 1)}
    numbers = np.array([meant.get(value, low - 1) for value in values], dtype=np.int64)
    for row in np.flatnonzero(numbers < low).tolist():
        found = quote(values[row]) if values[row] else "nothing"
        hint = ", without a decimal point" if "." in values[row] else ""
        problems.add(
            "off_scale",
            table.file,
            f"{item_column} {name(ids[row])}: {column} {found}; expected an integer from {low} to {high}{hint}",
            line=table.lines[row],
            item=ids[row],
        )
    return numbers


def check_ids(table: Table, ids: Sequence[str], problems: Problems, *, column: str, noun: str) -> None:
    """What a reference's ids must be: there, such as one can type them, and each one once."""
    match_items(table, ids, list(dict.fromkeys(ids)), problems, column=column, noun=noun)
    for item, line in zip(ids, table.lines):
        if not item:
            problems.add("empty_item", table.file, f"the {column} is empty", line=line)
        elif not item.isprintable() or item != item.strip():
            message = f"{column} {quote(item)}; expected no invisible characters and no blanks around it"
            problems.add("unusable_id", table.file, message, line=line, item=item)
