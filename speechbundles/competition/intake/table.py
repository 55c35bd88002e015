"""Convert an organiser's table to the format that the task's reader accepts: column names, encoding, separator.

A file that the reader accepts is not changed, byte for byte. The rows of any other file are written again. For the
reader's checks each row keeps its line number, so that messages name the organiser's lines.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

from speechbundles.competition.intake.declared import NOTHING_DECLARED, Declared
from speechbundles.competition.intake.layouts import Notation
from speechbundles.competition.intake.times import TIMES, converted, time_columns, unit_of
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import Grid, read_source
from spokeneval.formats.problems import Problem, count_of, quote, some_of
from spokeneval.formats.tables import Layout, csv_text

MOST_CLASSES = 10
"""Most different values of a column with classes."""


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
    source: the name of the organiser's file.
    sheet: the title of the sheet in a workbook; empty for a text.
    own: how the organiser has a column, where its name differs: `column -> name`.
    written: the names of the columns in the organiser's file.
    renamed: the columns that were found by their declared names.
    places: the organiser's file and line of each line of a table that was made from other files or rows.
    cells: the lines of single cells, if the cells of a row are from several lines: `line -> column -> line`.
    """

    file: str
    separator: str
    columns: tuple[str, ...]
    header: int | None
    rows: Mapping[int, Sequence[str]]
    understood: str
    unreadable: tuple[Problem, ...] = ()
    unchanged: bytes | None = None
    source: str = ""
    sheet: str = ""
    own: Mapping[str, str] = field(default_factory=dict)
    written: Sequence[str] = ()
    renamed: Collection[str] = ()
    places: Mapping[int, tuple[str, int]] = field(default_factory=dict)
    cells: Mapping[int, Mapping[str, int]] = field(default_factory=dict)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """The problems of lines that are in no row, except those that the task's reader finds in its own file."""
        return () if self.unchanged is not None else self.unreadable

    @property
    def line_word(self) -> str:
        return "row" if self.sheet else "line"

    def own_name(self, column: str) -> str:
        return self.own.get(column, column)

    def to_check(self, without: Collection[int] = ()) -> bytes:
        """Return the file with every row at its original line number; other lines are empty."""
        if self.unchanged is not None:
            lines = enumerate(self.unchanged.split(b"\n"), 1)
            return b"\n".join(b"" if number in without else line for number, line in lines)
        kept = {line: cells for line, cells in self.rows.items() if line not in without}
        if self.header is not None:
            kept[self.header] = self.columns
        return self._write(kept.get(line, ()) for line in range(1, max(kept, default=0) + 1))

    def to_ship(self, without: Collection[int] = ()) -> bytes:
        """Return the file for the bundle: the header, and the rows except those of some lines."""
        if self.unchanged is not None:
            return self.to_check(without)
        return self._write(
            [self.columns, *(cells for line, cells in self.rows.items() if line not in without)]
        )

    def _write(self, rows: Iterable[Sequence[str]]) -> bytes:
        return csv_text(rows, self.separator).encode("utf-8")

    def own_place(self, line: int | None, message: str = "") -> tuple[str, int | None]:
        """Return the organiser's file and line of a line of this table; of a cell if a message names its column."""
        for column, cell_line in self.cells.get(line or 0, {}).items():
            if re.search(rf"(?<!\w){re.escape(column)}(?!\w)", message):
                return self.source, cell_line
        return self.places.get(line or 0, (self.source, line))

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
                described += [f"{self.own_name(column)} {', '.join(found)}"] if found else []
        return "; ".join(described)


def read_table(
    path: Path, layout: Layout, notation: Notation, declared: Declared = NOTHING_DECLARED
) -> OwnTable:
    """Read a file in any of the formats that organisers use.

    Raises
    ------
    UnreadableFile: a file that is neither text nor a workbook, is empty, or is not as declared.
    OSError: a file that cannot be opened.
    """
    source = read_source(path, declared.separator)
    filled = [grid for grid in source.grids if grid.rows]
    if not filled:
        problems = [problem for grid in source.grids for problem in grid.unreadable]
        raise UnreadableFile(f"line {problems[0].line}: {problems[0].message}" if problems else "is empty")
    grids = _declared_grids(filled, declared)

    def name(cells: Sequence[str]) -> list[str]:
        return _name_columns(cells, layout, notation, declared.rename)

    grid, named = _choose(grids, layout, notation, name)
    first_line, first = grid.rows[0]
    columns = named or tuple(name(first))
    places = [place for place, column in enumerate(columns) if column and column not in notation.left_out]
    asked = {place for place in places if columns[place] in (*layout.required, *layout.optional)}
    rows = {}
    unreadable = list(grid.unreadable)
    blanks = 0
    for line, cells in grid.rows if named else grid.rows[1:]:
        if not named and cells == first:
            unreadable.append(Problem("stray_header", layout.file, "a header row in mid-file", line=line))
            continue
        if len(cells) < len(columns) or any(map(str.strip, cells[len(columns) :])):
            fields = f"{count_of(len(cells), 'field')}, {grid.written}; expected {len(columns)}"
            unreadable.append(Problem("wrong_field_count", layout.file, fields, line=line))
            continue
        rows[line] = [cells[place].strip() if place in asked else cells[place] for place in places]
        blanks += sum(cells[place] != cells[place].strip() for place in asked)
    kept = tuple(columns[place] for place in places)
    plain = source.is_utf8 and grid.separator == layout.delimiter and not blanks
    unchanged = source.content if plain and not named and kept == tuple(map(str.strip, first)) else None
    factors = {} if named else dict(_factors(first, columns, layout, notation))
    for place, factor in factors.items():
        at = places.index(place)
        for cells in rows.values():
            cells[at] = converted(cells[at], factor)
    unit = "milliseconds" if notation.per_second == 1000 else "seconds"
    own = {
        columns[place]: first[place].strip() + (f" (in {unit})" if place in factors else "")
        for place in (() if named else places)
        if first[place].strip() != columns[place]
    }
    left_out = [
        column or cell.strip()
        for column, cell in zip(columns, first, strict=True)
        if column in notation.left_out or (not column and cell.strip())
    ]
    renamed = [
        column if named or first[place].strip() == column else f"{column} (here {first[place].strip()})"
        for place, column in zip(places, kept, strict=True)
    ]
    understood = [
        count_of(len(rows), "row"),
        source.encoding,
        grid.written + (", without a header" if named else ""),
        f"columns {', '.join(renamed)}",
        *([f"left out: {some_of(left_out)}"] if left_out else []),
        *([f"blanks removed around {count_of(blanks, 'cell')}"] if blanks else []),
        *([f"{' and '.join(first[at].strip() for at in factors)} converted to {unit}"] if factors else []),
    ]
    return OwnTable(
        layout.file,
        layout.delimiter,
        kept,
        None if named else first_line,
        rows,
        "; ".join(understood),
        tuple(replace(problem, file=layout.file) for problem in unreadable),
        unchanged,
        source=path.name,
        sheet=grid.sheet,
        own=own,
        written=() if named else [cell.strip() for cell in first],
        renamed={
            column
            for column, theirs in declared.rename.items()
            if any(_same(cell, theirs) for cell in first) and not named
        },
    )


def _declared_grids(grids: Sequence[Grid], declared: Declared) -> Sequence[Grid]:
    """Return the grids of a file that fit the declared sheet or separator.

    Raises
    ------
    UnreadableFile: a sheet that the workbook does not have, a sheet of a text, or the separator of a workbook.
    """
    sheets = [grid.sheet for grid in grids if not grid.separator]
    if declared.separator and sheets:
        raise UnreadableFile(f"is a workbook, which has no separator; remove {declared.place}.separator")
    if not declared.sheet:
        return grids
    if not sheets:
        raise UnreadableFile(f"is not a workbook, so it has no sheet; remove {declared.place}.sheet")
    chosen = [grid for grid in grids if _same(grid.sheet, declared.sheet)]
    if not chosen:
        listed = some_of([quote(sheet) for sheet in sheets], 8)
        raise UnreadableFile(
            f"no sheet {quote(declared.sheet)} with rows; it has {listed} ({declared.place}.sheet)"
        )
    return chosen


def _factors(
    header: Sequence[str], columns: Sequence[str], layout: Layout, notation: Notation
) -> Iterable[tuple[int, Fraction]]:
    """Yield the places of times that are not in the task's unit, with the factors that convert them."""
    for place, column in enumerate(columns):
        stated = unit_of(header[place])
        known = column in (*layout.required, *layout.optional)
        if column in TIMES and known and stated and stated[1] != notation.per_second:
            yield place, Fraction(notation.per_second, stated[1])


def _choose(
    grids: Sequence[Grid],
    layout: Layout,
    notation: Notation,
    name: Callable[[Sequence[str]], Sequence[str]],
) -> tuple[Grid, tuple[str, ...] | None]:
    """Choose the way to split a file into cells.

    Returns
    -------
    The grid whose header has most of the required columns; if none has any, the grid whose first row fits a format
    without a header, with the names of its columns; otherwise the grid with the reader's own separator.
    """

    def found(grid: Grid) -> tuple[int, bool]:
        columns = name(grid.rows[0][1])
        return sum(column in columns for column in layout.required), grid.separator == layout.delimiter

    best = max(grids, key=found)
    if found(best)[0] == 0:
        for grid in grids:
            for columns in notation.headerless:
                cells = [cell.strip() for cell in grid.rows[0][1]]
                if len(cells) == len(columns) and notation.is_row(dict(zip(columns, cells, strict=True))):
                    return grid, columns
    return best, None


def _name_columns(
    cells: Sequence[str], layout: Layout, notation: Notation, rename: Mapping[str, str]
) -> list[str]:
    """Return the column names of a header, known ones in their standard spelling.

    Declared names precede exact names, then aliases, then names with a unit. A column whose name is taken by a declared
    one has an empty name.
    """
    known = {column.lower(): column for column in (*layout.required, *layout.optional, *notation.left_out)}
    aliases = {**(layout.aliases or {}), **notation.aliases}
    there = {cell.strip().lower() for cell in cells}
    known.update({alias.lower(): column for alias, column in aliases.items() if column.lower() not in there})
    names = [known.get(cell.strip().lower(), cell.strip()) for cell in cells]
    renamed = {
        next(place for place, cell in enumerate(cells) if _same(cell, own)): column
        for column, own in rename.items()
        if any(_same(cell, own) for cell in cells)
    }
    names = [
        renamed.get(place, "" if column in renamed.values() else column) for place, column in enumerate(names)
    ]
    for column, place in time_columns(cells).items():
        in_layout = column in (*layout.required, *layout.optional)
        if in_layout and column not in names and place not in renamed:
            names[place] = column
    return names


def _same(text: str, declared: str) -> bool:
    """Whether a cell or title is the declared one, in any case and Unicode form."""
    first, second = (unicodedata.normalize("NFC", each.strip()).casefold() for each in (text, declared))
    return first == second
