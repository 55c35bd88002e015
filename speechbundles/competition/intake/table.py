"""Convert an organiser's table to the format that the task's reader accepts: column names, encoding, separator.

A file that the reader accepts is not changed, byte for byte. The rows of any other file are written again. For the
reader's checks each row keeps its line number, so that messages name the organiser's lines.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

from speechbundles.competition.intake.commas import has_commas, replace_commas
from speechbundles.competition.intake.declared import (
    Declared,
    declared_grids,
    folded,
    lines_below_header,
    require_one_sheet,
)
from speechbundles.competition.intake.times import CLOCK, TIMES, converted, time_columns, unit_of
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import LARGEST_FILE, Grid, date_problem, parse_source
from spokeneval.formats.problems import Problem, count_of, quote, some_of
from spokeneval.formats.tables import FIRST_ROWS, Layout, Table, csv_text, id_columns

_MOST_TITLES = 20
"""Among this many first lines a header is sought."""
_OF_TIMES = (*TIMES, "start_time", "end_time")
MOST_CLASSES = 10
"""Most different values of a column with classes."""


@dataclass(frozen=True)
class Notation:
    """Other formats of one file.

    Attributes
    ----------
    aliases: column names that the task's reader does not accept -> accepted names.
    headerless: the columns of files without a header, in every order that occurs.
    is_row: whether the cells of a first row, `column -> text`, belong to an item.
    left_out: columns that are not copied into the bundle.
    per_second: the unit of `start` and `end`, as a number of units per second.
    completed: functions that add further columns, `table, layout -> table`.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    headerless: Sequence[tuple[str, ...]] = ()
    is_row: Callable[[Mapping[str, str]], bool] = lambda cells: True
    left_out: Sequence[str] = ()
    per_second: int = 1
    completed: Sequence[Callable[["OwnTable", Layout], "OwnTable"]] = ()


@dataclass(frozen=True)
class Provenance:
    """Where the columns, rows and cells of a table are in the organiser's files.

    Attributes
    ----------
    source: the name of the file.
    sheet: the title of the sheet in a workbook; empty for a text.
    titles: the names of the columns in the file, as far as it has a header.
    names: what messages call a column whose name differs there: `column -> name`.
    places: the file and line of each line of a table that was made from other files or rows.
    cells: the lines of single cells, if the cells of a row are from several lines: `line -> column -> line`.
    as_written: the cells of a file in which decimal commas were read as points: `line -> cells`.
    """

    source: str
    sheet: str = ""
    titles: Sequence[str] = ()
    names: Mapping[str, str] = field(default_factory=dict)
    places: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    cells: Mapping[int, Mapping[str, int]] = field(default_factory=dict)
    as_written: Mapping[int, Sequence[str]] = field(default_factory=dict)

    @property
    def line_word(self) -> str:
        return "row" if self.sheet else "line"

    def name_of(self, column: str) -> str:
        return self.names.get(column, column)

    def place_of(self, line: int | None, message: str = "") -> tuple[str, int | None]:
        """Return the organiser's file and line of a line of the table; of a cell if a message names its column."""
        for column, cell_line in self.cells.get(line or 0, {}).items():
            if re.search(rf"(?<!\w){re.escape(column)}(?!\w)", message):
                return self.source, cell_line
        return self.places.get(line or 0, (self.source, line))


@dataclass(frozen=True)
class OwnTable:
    """A table of an organiser's.

    Attributes
    ----------
    file: the name of its file in the bundle.
    separator: the separator of this file.
    columns: the names of the columns.
    header: the line of the header; None if there is none.
    rows: `line -> cells`.
    understood: how the table was read, in one line.
    unreadable: problems with lines that cannot be split into cells.
    unchanged: the organiser's file, if the task's reader accepts it without conversion.
    has_commas: whether cells are numbers with a comma.
    """

    file: str
    separator: str
    columns: tuple[str, ...]
    header: int | None
    rows: Mapping[int, Sequence[str]]
    understood: str
    provenance: Provenance
    unreadable: tuple[Problem, ...] = ()
    unchanged: bytes | None = None
    has_commas: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of lines that are in no row, except those that the task's reader finds in its own file."""
        return () if self.unchanged is not None else self.unreadable

    def to_read(self, without: Collection[int] = (), *, shipped: bool = False) -> Any:
        """Return the table without some lines, as the task's reader takes it; the file if it has its form.

        Rows have the lines of the organiser's file, or of the file in the bundle if it is `shipped`. Blank rows, which
        are lines of this file, are left out.
        """
        if self.unchanged is not None:
            return self.to_ship(without)
        kept = [row for row in self.rows.items() if row[0] not in without]
        numbered = [(place, cells) for place, (_, cells) in enumerate(kept, 2)] if shipped else kept
        rows = [row for row in numbered if len(row[1]) == 1 or any(cell.strip(" \t") for cell in row[1])]
        header = [] if self.header is None else [(1 if shipped else self.header, self.columns)]
        # A header may have a name twice.
        names = map(str, range(len(self.columns))) if header else self.columns
        columns = {name: [cells[at] for _, cells in rows] for at, name in enumerate(names)}
        first = [*header, *rows[:FIRST_ROWS]] if header else []
        return Table(self.file, "", columns, [line for line, _ in rows], header=first)

    def to_ship(self, without: Collection[int] = ()) -> bytes:
        """Return the file for the bundle: the header, and the rows except those of some lines."""
        if self.unchanged is not None:
            lines = enumerate(self.unchanged.split(b"\n"), 1)
            return b"\n".join(b"" if number in without else line for number, line in lines)
        rows = (cells for line, cells in self.rows.items() if line not in without)
        return csv_text([self.columns, *rows], self.separator).encode("utf-8")

    def describe_lines(self, lines: Collection[int], columns: Collection[str]) -> str:
        """For each column with few distinct values: how often each value occurs in these lines, of how many in all."""
        described = []
        for place, column in enumerate(self.columns):
            if column not in columns:
                continue
            values = Counter(cells[place] for cells in self.rows.values())
            if 1 < len(values) <= MOST_CLASSES:
                chosen = Counter(self.rows[line][place] for line in lines if line in self.rows)
                found = [
                    f"{quote(value, 30)} {count} of {values[value]}" for value, count in chosen.most_common()
                ]
                described += [f"{self.provenance.name_of(column)} {', '.join(found)}"] if found else []
        return "; ".join(described)


def read_table(path: Path, layout: Layout, notation: Notation, declared: Declared) -> OwnTable:
    """Read a file in any of the formats that organisers use.

    Raises
    ------
    UnreadableFile: a file that is neither text nor a workbook, is empty, or is not as declared.
    OSError: a file that cannot be opened or is too large.
    """
    source = parse_source(read_file(path, LARGEST_FILE), path.name, *declared.separators)
    grid, headerless = _choose(declared_grids(source, declared), layout, notation, declared)
    header, first = grid.rows[0]
    columns = headerless or tuple(_name_columns(first, layout, notation, declared.rename))
    titles = headerless or tuple(map(str.strip, first))
    places = [place for place, column in enumerate(columns) if column and column not in notation.left_out]
    asked = {place for place in places if columns[place] in (*layout.columns, *layout.optional)}
    whole, unreadable = _rows(grid, layout, () if headerless else first, {at: titles[at] for at in asked})
    rows = {
        line: [cells[place].strip() if place in asked else cells[place] for place in places]
        for line, cells in whole.items()
    }
    blanks = sum(cells[place] != cells[place].strip() for cells in whole.values() for place in asked)
    kept = tuple(columns[place] for place in places)
    numbers = {at: column for at, column in enumerate(kept) if column not in id_columns(layout.id)}
    points, doubtful = replace_commas(rows, numbers, layout.file, declared.commas)
    others, clocks = _convert_times(rows, columns, titles, places, notation)
    unit = "milliseconds" if notation.per_second == 1000 else "seconds"
    changed = blanks or points or doubtful or grid.broken or clocks
    as_it_is = not (changed or headerless or declared.header_row or declared.columns)
    plain = as_it_is and source.is_utf8 and grid.separator == layout.delimiter
    renamed = {place: titles[place] for place in places if titles[place] != columns[place]}
    understood = [
        f"{count_of(len(rows), 'row')}; {source.encoding}",
        grid.written + (", without a header" if headerless else ""),
        f"columns {', '.join(columns[at] + f' (here {titles[at]})' * (at in renamed) for at in places)}",
        *_left_out(columns, titles, notation),
        *([f"{' and '.join(titles[place] for place in others)} converted to {unit}"] if others else []),
        *_counted(blanks, grid, points, clocks),
    ]
    provenance = Provenance(
        path.name,
        grid.sheet,
        () if headerless else titles,
        {columns[at]: own + (f" (in {unit})" if at in others else "") for at, own in renamed.items()},
        lines_below_header(grid, path.name) if declared.columns else {},
        as_written=whole if points else {},
    )
    return OwnTable(
        *(layout.file, layout.delimiter, kept),
        None if headerless else header,
        rows,
        "; ".join(understood),
        provenance,
        (*unreadable, *doubtful),
        source.content if plain and kept == titles else None,
        has_commas=grid.separator != "," and has_commas(rows.values()),
    )


def _rows(
    grid: Grid, layout: Layout, header: Sequence[str], asked: Mapping[int, str]
) -> tuple[dict[int, list[str]], tuple[Problem, ...]]:
    """Return the rows of a grid, `line -> cells`, without its header, and the problems of lines that are no rows.

    A row with a date in one of the columns that are `asked`, `place -> name`, is none.
    """
    width = len(header) or len(grid.rows[0][1])
    rows, problems = {}, list(grid.unreadable)
    for line, cells in grid.rows[1:] if header else grid.rows:
        if cells == header:
            problems.append(Problem("stray_header", layout.file, "a header row in mid-file", line=line))
        elif len(cells) < width or any(map(str.strip, cells[width:])):
            fields = f"{count_of(len(cells), 'field')}, {grid.written}; expected {width}"
            problems.append(Problem("wrong_field_count", layout.file, fields, line=line))
        elif dates := [at for at in asked if (line, at) in grid.dates]:
            message = date_problem(asked[dates[0]], cells[dates[0]])
            problems.append(Problem("date", layout.file, message, line=line))
        else:
            rows[line] = cells
    return rows, tuple(replace(problem, file=layout.file) for problem in problems)


def _counted(blanks: int, grid: Grid, points: int, clocks: int) -> list[str]:
    changes = {
        "blanks removed around {}": blanks,
        "merged cells were repeated down: {}": grid.merged,
        "line breaks were read as spaces: {}": grid.broken,
        "decimal commas were read as points: {}": points,
        "times as hh:mm:ss were converted: {}": clocks,
    }
    return [text.format(count_of(cells, "cell")) for text, cells in changes.items() if cells]


def _left_out(columns: Sequence[str], titles: Sequence[str], notation: Notation) -> list[str]:
    """Return the columns that are not copied, in words."""
    names = [
        column or title
        for column, title in zip(columns, titles, strict=True)
        if column in notation.left_out or (not column and title)
    ]
    return [f"left out: {some_of(names)}"] if names else []


def _convert_times(
    rows: Mapping[int, list[str]],
    columns: Sequence[str],
    titles: Sequence[str],
    places: Sequence[int],
    notation: Notation,
) -> tuple[dict[int, int], int]:
    """Write times in the task's unit, if their titles state another one or they are such as `00:01:02.500`.

    Returns
    -------
    The places of the columns in another unit, with its number in a second, and how many other cells were changed.
    """
    stated = {at: unit_of(titles[at]) for at in places if columns[at] in TIMES}
    others = {at: unit[1] for at, unit in stated.items() if unit and unit[1] != notation.per_second}
    times = [(place, others.get(at)) for place, at in enumerate(places) if columns[at] in _OF_TIMES]
    clocks = 0
    for cells, (place, unit) in product(rows.values(), times):
        if unit or CLOCK.fullmatch(cells[place]):
            cells[place] = converted(cells[place], Fraction(notation.per_second, unit or 1))
            clocks += not unit
    return others, clocks


def _choose(
    grids: Sequence[Grid], layout: Layout, notation: Notation, declared: Declared
) -> tuple[Grid, tuple[str, ...] | None]:
    """Choose the way to split a file into cells.

    Returns
    -------
    The grid whose header has most of the required columns; if none has any, the grid whose first row fits a format
    without a header, with the names of its columns; otherwise the grid with most columns; of several, that with the
    reader's own separator.

    Raises
    ------
    UnreadableFile: a line below the first one seems to be the header, or several sheets can be the labels.
    """

    def found(cells: Sequence[str]) -> int:
        columns = _name_columns(cells, layout, notation, declared.rename)
        return sum(column in columns for column in layout.columns)

    most = max(found(grid.rows[0][1]) for grid in grids)
    for grid in grids if most == 0 and not (declared.header_row or declared.columns) else ():
        cells = [cell.strip() for cell in grid.rows[0][1]]
        for columns in notation.headerless:
            if len(cells) == len(columns) and notation.is_row(dict(zip(columns, cells, strict=True))):
                return grid, columns
    for grid in grids if not (declared.header_row or declared.columns) else ():
        for line, cells in grid.rows[1:_MOST_TITLES]:
            if found(cells) > max(most, 1) or most < found(cells) == len(layout.columns):
                titles = some_of([cell.strip() for cell in cells], 8)
                where = f"{'line' if grid.separator else 'row'} {line}"
                setting = f", or write header_row: {line} below {declared.place} in competition.yaml"
                raise UnreadableFile(
                    f"the header seems to be in {where} ({titles}); delete the lines above it"
                    + (setting if declared.place else "")
                )

    def fit(grid: Grid) -> tuple[int, int, bool]:
        cells = grid.rows[0][1]
        return found(cells), 0 if most else len(cells), grid.separator == layout.delimiter

    chosen = max(grids, key=fit)
    require_one_sheet(
        [chosen, *(grid for grid in grids if most and found(grid.rows[0][1]) == most)], declared
    )
    return chosen, None


def _name_columns(
    cells: Sequence[str], layout: Layout, notation: Notation, rename: Mapping[str, str]
) -> list[str]:
    """Return the column names of a header, known ones in their standard spelling.

    Declared names precede exact names, then aliases, then names with a unit. A column whose name is taken by a declared
    one has an empty name.
    """
    known = {column.lower(): column for column in (*layout.columns, *layout.optional, *notation.left_out)}
    aliases = {**(layout.aliases or {}), **notation.aliases}
    there = {cell.strip().lower() for cell in cells}
    known.update({alias.lower(): column for alias, column in aliases.items() if column.lower() not in there})
    own = {place: column for column, place in find_renamed(rename, cells).items()}
    names = [known.get(cell.strip().lower(), cell.strip()) for cell in cells]
    names = [own.get(place, "" if column in own.values() else column) for place, column in enumerate(names)]
    for column, place in time_columns(cells).items():
        in_layout = column in (*layout.required, *layout.optional)
        if in_layout and column not in names and place not in own:
            names[place] = column
    return names


def find_renamed(rename: Mapping[str, str], titles: Sequence[str]) -> dict[str, int]:
    """Return the places of the declared names that are in a header, by the task's columns."""
    there = [folded(title) for title in titles]
    return {column: there.index(folded(own)) for column, own in rename.items() if folded(own) in there}
