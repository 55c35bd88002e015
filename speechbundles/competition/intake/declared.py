"""How the files of a set are read, as `sets` in `competition.yaml` declares it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from speechbundles.competition.intake.commas import has_commas
from speechbundles.model.competition import Competition
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.tabular import SEPARATORS, SPACES, Grid, Source
from speechbundles.model.text import dotted
from spokeneval.formats.problems import count_of, quote, some_of
from spokeneval.formats.text import nfc

SETTING = "sets"


@dataclass(frozen=True)
class Declared:
    """What an organiser declares about the files of one set.

    Attributes
    ----------
    place: where it is in `competition.yaml`, for messages; empty if there is none.
    file: the name of the file in the set's folder; empty if it is found by the task's own name.
    sheet: the title of a workbook's sheet; empty if it is chosen by its columns.
    separator: the character between cells; empty if it is chosen by the columns.
    header_row: the line of the header, from 1; 0 for the first line that is not blank.
    columns: the names of the columns of a file without a header, in order; `_` for one that is not used.
    rename: the task's names of columns -> the organiser's.
    drop_invalid_rows: whether rows that cannot be used are left out with a warning.
    tiers: patterns of the tiers that are read in files of ELAN and Praat; empty if a file has one.
    tier_labels: whether the names of tiers are the labels of their turns.
    distinct: columns whose ids are different although some differ only in case, leading zeros or a trailing `.0`.
    commas: numbers with a comma that the task's reader refused, so that their columns are read with decimal commas.
    """

    place: str = SETTING
    file: str = ""
    sheet: str = ""
    separator: str = ""
    header_row: int = 0
    columns: Sequence[str] = ()
    rename: Mapping[str, str] = field(default_factory=dict)
    drop_invalid_rows: bool = False
    tiers: Sequence[str] = ()
    tier_labels: bool = False
    distinct: Sequence[str] = ()
    commas: frozenset[str] = frozenset()

    @property
    def separators(self) -> Sequence[str]:
        """The possible separators of a text; empty for those of any file."""
        return self.separator or ([*SEPARATORS, SPACES] if self.columns else "")


NOTHING_DECLARED = Declared()


def declared_of(competition: Competition, name: str) -> Declared:
    """Return what a competition declares about one of its sets."""
    declared = competition.settings.get(SETTING, {}).get(name, {})
    return Declared(dotted((*competition.origin.get(SETTING, (SETTING,)), name)), **declared)


def declared_grids(source: Source, declared: Declared) -> Sequence[Grid]:
    """Return the grids of a file that have rows and fit the declared sheet or separator.

    Raises
    ------
    UnreadableFile: no rows, a sheet that the workbook does not have, a sheet of a text, or the separator of a workbook.
    """
    grids = [grid for grid in source.grids if grid.rows]
    if not grids:
        problems = [problem for grid in source.grids for problem in grid.unreadable]
        raise UnreadableFile(f"line {problems[0].line}: {problems[0].message}" if problems else "is empty")
    sheets = [grid.sheet for grid in grids if not grid.separator]
    if declared.separator and sheets:
        raise UnreadableFile(f"is a workbook, which has no separator; remove {declared.place}.separator")
    if declared.header_row:
        grids = [_below(grid, declared.header_row) for grid in grids]
        grids = [grid for grid in grids if grid.rows and grid.rows[0][0] == declared.header_row]
    if not grids:
        raise UnreadableFile(f"has no cells in line {declared.header_row} ({declared.place}.header_row)")
    if not declared.sheet:
        return [_with_header(grids, declared)] if declared.columns else grids
    if not sheets:
        raise UnreadableFile(f"is not a workbook, so it has no sheet; remove {declared.place}.sheet")
    chosen = [grid for grid in grids if folded(grid.sheet) == folded(declared.sheet)]
    if not chosen:
        listed = some_of(sheets, 8, quote)
        raise UnreadableFile(
            f"no sheet {quote(declared.sheet)} with rows; it has {listed} ({declared.place}.sheet)"
        )
    return [_with_header(chosen, declared)] if declared.columns else chosen


def _below(grid: Grid, first: int) -> Grid:
    """Return a grid from a line on."""
    rows = tuple(row for row in grid.rows if row[0] >= first)
    return replace(
        grid, rows=rows, unreadable=tuple(each for each in grid.unreadable if (each.line or 0) >= first)
    )


def _with_header(grids: Sequence[Grid], declared: Declared) -> Grid:
    """Return a grid with the declared columns as line 1; each line of the file is one line further down.

    Of several grids it is the one in which most rows have as many cells; of equal ones, one with decimal commas.

    Raises
    ------
    UnreadableFile: no row has as many cells, or several sheets have such rows.
    """
    width = len(declared.columns)

    def fitting(grid: Grid) -> int:
        return sum(not any(cells[width:]) for _, cells in grid.rows if len(cells) >= width)

    def is_divided(grid: Grid) -> bool:
        return grid.separator != "," and has_commas(cells for _, cells in grid.rows)

    grid = max(grids, key=lambda grid: (fitting(grid), is_divided(grid)))
    if not fitting(grid):
        grid = max(grids, key=lambda grid: len(grid.rows[0][1]))
        line, cells = grid.rows[0]
        found = f"has {count_of(len(cells), 'cell')} in line {line}, {grid.written}"
        raise UnreadableFile(f"{found}; expected {width} ({declared.place}.columns)")
    require_one_sheet([grid, *filter(fitting, grids)], declared)
    header = (1, ["" if column == "_" else nfc(column) for column in declared.columns])
    rows = (header, *((line + 1, cells) for line, cells in grid.rows))
    unreadable = tuple(replace(each, line=(each.line or 0) + 1) for each in grid.unreadable)
    return replace(grid, written=f"{grid.written}, without a header", rows=rows, unreadable=unreadable)


def require_one_sheet(grids: Sequence[Grid], declared: Declared) -> None:
    """Refuse sheets that can all be the labels but have different rows.

    Raises
    ------
    UnreadableFile: the message lists the sheets.
    """
    cells = [[cells for _, cells in grid.rows] for grid in grids if grid.sheet]
    if any(each != cells[0] for each in cells[1:]):
        sheets = some_of(list(dict.fromkeys(grid.sheet for grid in grids)), 8, quote)
        how = f"; write sheet: NAME below {declared.place} in competition.yaml" if declared.place else ""
        raise UnreadableFile(
            f"sheets {sheets} have the same columns and different rows; which has the labels? Keep one{how}"
        )


def lines_below_header(grid: Grid, file: str) -> dict[int, tuple[str, int]]:
    """Return the file and the line of each line of a grid with declared columns."""
    lines = (*(line for line, _ in grid.rows), *(each.line or 0 for each in grid.unreadable))
    return {line: (file, line - 1) for line in lines}


def folded(text: str) -> str:
    """Return a cell or a title as it is compared with a declared one: in any case and Unicode form."""
    return nfc(text.strip()).casefold()
