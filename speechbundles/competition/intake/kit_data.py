"""Convert an organiser's tables of kit data to UTF-8, with commas in a `.csv` and tabs in a `.tsv`.

The kit's baselines read this format. Files that are not tables (a grammar, a list in JSON) are not changed.
"""

from collections.abc import Callable, Mapping
from pathlib import PurePosixPath

from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import WORKBOOK, Grid, date_problem, parse_source
from spokeneval.formats.problems import count_of
from spokeneval.formats.tables import csv_text

_SEPARATORS = {".csv": ",", ".tsv": "\t", WORKBOOK: ","}


def canonical_tables(files: Mapping[str, bytes], log: Callable[[str], None]) -> dict[str, bytes]:
    """Return the files, `name -> content`, with every table in the format of its suffix; a workbook becomes a `.csv`.

    Parameters
    ----------
    log: called with one line for each converted table: how it was read.

    Raises
    ------
    UnreadableFile: a file that is not a table, or whose rows differ in length; the message names the first such line.
    """
    canonical: dict[str, bytes] = {}
    for name, content in files.items():
        suffix = PurePosixPath(name).suffix.lower()
        written = str(PurePosixPath(name).with_suffix(".csv")) if suffix == WORKBOOK else name
        if written in canonical or (written != name and written in files):
            raise UnreadableFile(f"{name}: {written} exists too; keep one of them")
        try:
            canonical[written] = _canonical(name, content, log) if suffix in _SEPARATORS else content
        except UnreadableFile as error:
            raise UnreadableFile(f"{name}: {error}") from None
    return canonical


def _canonical(name: str, content: bytes, log: Callable[[str], None]) -> bytes:
    source = parse_source(content, name)
    separator = _SEPARATORS[PurePosixPath(name).suffix.lower()]
    grids = [grid for grid in source.grids if grid.rows]
    if not grids:
        raise UnreadableFile("is empty")
    grid = max(grids, key=lambda grid: (_is_even(grid), _width(grid), grid.separator == separator))
    widest = max(grids, key=lambda grid: (_width(grid), grid.separator == separator))
    if not _is_even(grid) or _width(grid) == 1 < _width(widest):
        uneven = [line for line, cells in widest.rows if len(cells) != _width(widest)]
        line = min([*uneven, *(problem.line or 0 for problem in widest.unreadable)])
        expected = f"{count_of(_width(widest), 'field')}, as the first row has"
        raise UnreadableFile(f"{widest.written}; line {line} does not have {expected}")
    for line, place in sorted(grid.dates)[:1]:
        cells = dict(grid.rows)[line]
        raise UnreadableFile(f"row {line}: {date_problem(grid.rows[0][1][place], cells[place])}")
    in_form = source.is_utf8 and grid.separator == separator and not grid.broken
    if in_form and b"\r" not in content.replace(b"\r\n", b""):
        return content
    columns = ", ".join(cell.strip() for cell in grid.rows[0][1])
    log(
        f"{name}: {count_of(len(grid.rows) - 1, 'row')}; {source.encoding}; {grid.written}; columns {columns}"
    )
    return csv_text((cells for _, cells in grid.rows), separator).encode("utf-8")


def _width(grid: Grid) -> int:
    return len(grid.rows[0][1])


def _is_even(grid: Grid) -> bool:
    """Whether all rows are split into the same number of columns."""
    return not grid.unreadable and all(len(cells) == _width(grid) for _, cells in grid.rows)
