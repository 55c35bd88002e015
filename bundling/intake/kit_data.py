"""Kit data as organisers have them: every table comes out as UTF-8, with commas in a `.csv` and tabs in a `.tsv`.

The kit's baselines read them so. What is no table (a grammar, a list in JSON) stays as it is.
"""

import csv
import io
from collections.abc import Callable
from pathlib import Path

from bundling.bounded import read_file
from bundling.intake.files import LARGEST_FILE, WORKBOOK, Grid, UnreadableFile, read_source
from spokeneval.formats.problems import count_of

_WRITTEN = {".csv": ",", ".tsv": "\t", WORKBOOK: ","}


def read_kit_data(folder: Path, tell: Callable[[str], None] = lambda understood: None) -> dict[str, bytes]:
    """The files below a folder, `relative name -> content`; a workbook becomes a `.csv` of its name.

    Parameters
    ----------
    tell: takes what was understood of each table.

    Raises
    ------
    UnreadableFile: a table that is none, or whose rows differ in length; `str()` names it and the first such line.
    OSError: a file that cannot be read.
    """
    files = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if not path.is_file() or any(part.startswith(".") for part in name.parts):
            continue
        if path.suffix.lower() not in _WRITTEN:
            files[name.as_posix()] = read_file(path, LARGEST_FILE)
            continue
        if path.suffix.lower() == WORKBOOK:
            name = name.with_suffix(".csv")
        if name.as_posix() in files:
            raise UnreadableFile(f"{path}: there is a {name.name} too; keep one of them")
        try:
            files[name.as_posix()] = _read_table(path, tell)
        except UnreadableFile as error:
            raise UnreadableFile(f"{path}: {error}") from None
    return files


def _read_table(path: Path, tell: Callable[[str], None]) -> bytes:
    source = read_source(path)
    separator = _WRITTEN[path.suffix.lower()]
    grids = [grid for grid in source.grids if grid.rows]
    if not grids:
        raise UnreadableFile("is empty")
    grid = max(grids, key=lambda grid: (_is_even(grid), _width(grid), grid.separator == separator))
    if not _is_even(grid):
        uneven = [line for line, cells in grid.rows if len(cells) != _width(grid)]
        line = min([*uneven, *(problem.line or 0 for problem in grid.unreadable)], default=grid.rows[0][0])
        expected = f"{count_of(_width(grid), 'field')} as in the first row, and at least two"
        raise UnreadableFile(f"{grid.written}; line {line} has not {expected}")
    columns = ", ".join(cell.strip() for cell in grid.rows[0][1])
    tell(
        f"{path}: {count_of(len(grid.rows) - 1, 'row')}; {source.encoding}; {grid.written}; columns {columns}"
    )
    if source.is_utf8 and grid.separator == separator:
        return source.content
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(cells for _, cells in grid.rows)
    return text.getvalue().encode("utf-8")


def _width(grid: Grid) -> int:
    return len(grid.rows[0][1])


def _is_even(grid: Grid) -> bool:
    """Whether this is how a table is split: into two columns at least, the same number in all rows."""
    return not grid.unreadable and {len(cells) for _, cells in grid.rows} == {_width(grid)} != {1}
