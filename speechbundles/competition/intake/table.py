"""Convert an organiser's table to the format that the task's reader accepts: column names, encoding, separator.

A file that the reader accepts is not changed, byte for byte. The rows of any other file are written again. For the
reader's checks each row keeps its line number, so that messages name the organiser's lines.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from speechbundles.competition.intake.layouts import Notation
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import Grid, csv_text, read_source
from spokeneval.formats.problems import Problem, count_of, quote, some_of
from spokeneval.formats.tables import Layout

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
    """

    file: str
    separator: str
    columns: tuple[str, ...]
    header: int | None
    rows: Mapping[int, Sequence[str]]
    understood: str
    unreadable: tuple[Problem, ...] = ()
    unchanged: bytes | None = None

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
                described += [f"{column} {', '.join(found)}"] if found else []
        return "; ".join(described)


def read_table(path: Path, layout: Layout, notation: Notation) -> OwnTable:
    """Read a file in any of the formats that organisers use.

    Raises
    ------
    UnreadableFile: a file that is neither text nor a workbook, or is empty.
    OSError: a file that cannot be opened.
    """
    source = read_source(path)
    if not any(grid.rows for grid in source.grids):
        raise UnreadableFile("is empty")
    grid, named = _choose(source.grids, layout, notation)
    first_line, first = grid.rows[0]
    columns = named or tuple(_name_columns(first, layout, notation))
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
    left_out = [column for column in columns if column in notation.left_out]
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
    ]
    return OwnTable(
        layout.file,
        layout.delimiter,
        kept,
        None if named else first_line,
        rows,
        "; ".join(understood),
        () if unchanged is not None else tuple(unreadable),
        unchanged,
    )


def _choose(grids: Sequence[Grid], layout: Layout, notation: Notation) -> tuple[Grid, tuple[str, ...] | None]:
    """Choose the way to split a file into cells.

    Returns
    -------
    The grid whose header has most of the required columns; if none has any, the grid whose first row fits a format
    without a header, with the names of its columns; otherwise the grid with the reader's own separator.
    """

    def found(grid: Grid) -> tuple[int, bool]:
        columns = _name_columns(grid.rows[0][1], layout, notation) if grid.rows else []
        return sum(column in columns for column in layout.required), grid.separator == layout.delimiter

    best = max(grids, key=found)
    if found(best)[0] == 0:
        for grid in grids:
            for columns in notation.headerless:
                cells = [cell.strip() for cell in grid.rows[0][1]] if grid.rows else []
                if len(cells) == len(columns) and notation.is_row(dict(zip(columns, cells, strict=True))):
                    return grid, columns
    return best, None


def _name_columns(cells: Sequence[str], layout: Layout, notation: Notation) -> list[str]:
    """Return the column names of a header, known ones in their standard spelling; exact names precede aliases."""
    known = {column.lower(): column for column in (*layout.required, *layout.optional, *notation.left_out)}
    aliases = {**(layout.aliases or {}), **notation.aliases}
    there = {cell.strip().lower() for cell in cells}
    known.update({alias.lower(): column for alias, column in aliases.items() if column.lower() not in there})
    return [known.get(cell.strip().lower(), cell.strip()) for cell in cells]
