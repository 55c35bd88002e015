"""Tables of organisers and annotators as data frames of text, whose index is the line (in a workbook, the row)."""

import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

from speechbundles.competition.intake.commas import replace_commas
from speechbundles.competition.intake.label_studio import JSON, is_export, plain_rows, rows_of
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import OrganiserError, UnreadableFile
from speechbundles.model.tabular import LARGEST_FILE, SEPARATORS, Grid, date_problem, decode, parse_source
from spokeneval.formats.problems import (
    FileProblems,
    Problems,
    ReferenceFileError,
    count_of,
    name,
    repeated,
    some_of,
)
from spokeneval.formats.tables import no_formula
from spokeneval.formats.text import decimal, nfc

Frame: TypeAlias = Any
"""A pandas data frame, or one of its columns."""

ITEMS, ASSIGNMENT, AGREEMENT = "items.csv", "assignment.csv", "agreement.csv"
DATA = "data.json"
"""What a command tells the next one about the files in a folder; see `data_file`."""
SPEAKER = "speaker"
_PEEK = 4000
"""The first bytes of a text, in which its separator occurs."""
_TITLES = 20
"""The header is one of this many first rows; titles may be above it."""


@contextmanager
def refusing() -> Iterator[Problems]:
    """Collect problems of files, and raise them as one OrganiserError at the end."""
    problems = Problems(ReferenceFileError)
    try:
        yield problems
        problems.raise_if_any()
    except FileProblems as error:
        raise OrganiserError(str(error)) from None


def refuse(problems: Problems, code: str, rows: Frame, message: Callable[[Any], str]) -> None:
    """Add a problem for each row of a frame with the columns `file` and `line`."""
    for row in rows.itertuples():
        problems.add(code, row.file, message(row), line=row.line)


def folded(text: str) -> str:
    """Return a text without capital letters, in the one of its Unicode forms that cells of tables have."""
    return nfc(text.strip()).casefold()


def read_table(path: Path, problems: Problems, needed: Sequence[str] = ()) -> Frame:
    """Read a text with any separator, or a workbook; `needed` columns are found in any case, and named as here.

    Decimal commas become points.
    """
    import pandas as pd  # here, as init does without

    known, heads, file = {folded(column): column for column in needed}, [], path.name
    grids = _grids(path, problems)
    for number, grid in enumerate(grids):
        texts = [[cell for cell in map(folded, cells) if cell] for _, cells in grid.rows[:_TITLES]]
        usual = sorted(map(len, texts))[len(texts) // 2]
        for at, text in enumerate(texts):
            heads.append((len(known.keys() & {*text}), min(len(text), usual), -at, number))
    if not heads:
        problems.stop("empty", file, "has no rows")
    _, _, place, number = max(heads)
    (line, header), *rows = grids[number].rows[-place:]
    columns = [known.get(folded(cell), cell.strip()) for cell in header]
    for column in needed:
        if (count := columns.count(column)) != 1:
            word = f"{count} columns" if count else "no column"
            message = f"{word} {name(column)}; found {some_of(list(filter(None, columns)), 12)}"
            problems.add("wrong_columns", file, message, line=line or None)
    for bad in grids[number].unreadable:
        problems.add(bad.code, file, bad.message, line=bad.line)
    if is_export(columns):
        rows = list(plain_rows(columns, rows, needed, file, problems))
    width, table = len(columns), []
    asked = [place for place, column in enumerate(columns) if column in (needed or columns[:1])]
    for at, cells in rows:
        for place in [each for each in asked if (at, each) in grids[number].dates]:
            problems.add("date", file, date_problem(columns[place], cells[place]), line=at)
        if len(cells) > width and any(map(str.strip, cells[width:])):
            problems.add("wrong_field_count", file, f"{len(cells)} cells; expected {width}", line=at)
        table.append([*map(str.strip, cells[:width]), *[""] * (width - len(cells))])
    if grids[number].separator != ",":
        lines = dict(zip((at for at, _ in rows), table, strict=True))
        for place, column in enumerate(columns):
            _, doubtful = replace_commas(lines, {place: column}, file)
            for each in doubtful if column in needed else ():
                problems.add(each.code, file, each.message, line=each.line)
    problems.raise_if_any()
    frame = pd.DataFrame(table, [at for at, _ in rows], columns, dtype=object)
    return frame.loc[:, list(map(bool, columns))]


def _grids(path: Path, problems: Problems) -> list[Grid]:
    try:
        content = read_file(path, LARGEST_FILE)
        if path.suffix.lower() == JSON:
            return [Grid("", "", tuple(rows_of(decode(content)[0], path.name, problems)))]
        marks = [mark for mark in SEPARATORS if mark.encode() in content[:_PEEK]]
        return [grid for grid in parse_source(content, path.name, *marks).grids if grid.rows]
    except UnreadableFile as error:
        problems.stop("unreadable", path.name, str(error))


def read_items(path: Path, id: str = "", needed: Sequence[str] = ()) -> Frame:
    """Read a table of items; its index is the id, by default the first column."""
    import pandas as pd

    with refusing() as problems:
        frame = read_table(path, problems, [*filter(None, [id]), *needed])
        column = id or frame.columns[0]
        ids = pd.DataFrame({"item": frame[column], "file": path.name, "line": frame.index})
        refuse(problems, "no_id", ids[ids["item"] == ""], lambda row: f"{column} is empty")
        again, first = ids[ids["item"].duplicated()], ids.groupby("item")["line"].first()
        refuse(problems, "duplicate_item", again, lambda row: repeated(row.item, first[row.item]))
    return frame.set_index(column)


def csv_bytes(frame: Frame, *, exact: bool = False) -> bytes:
    """Return a table for people, in which no cell is a formula; an `exact` one for commands, which read it again."""
    safe = frame if exact else frame.map(without_formula)
    text: str = safe.to_csv(index=False, lineterminator="\n")
    return text.encode("utf-8")


def without_formula(cell: Any) -> Any:
    """Return the content of a cell, quoted where a spreadsheet would run it; numbers are none."""
    return no_formula(cell) if isinstance(cell, str) and decimal(cell) is None else cell


def formulas_in(frame: Frame, file: str) -> list[str]:
    """Return a line on the formulas in a table that is exact because scores depend on it; none without formulas."""
    many = sum(cell != without_formula(cell) for cell in frame.to_numpy().ravel() if isinstance(cell, str))
    what = f"{count_of(many, 'cell')} that a spreadsheet may run as a formula; import the columns as text"
    return [f"{file}: {what}"] if many else []


def xlsx_bytes(frame: Frame, choices: Mapping[str, Sequence[str]]) -> bytes:
    """Return a workbook of texts; the cells of a column with choices have a list to choose from."""
    from openpyxl import Workbook
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook(write_only=True)
    sheet = book.create_sheet("sheet")
    sheet.freeze_panes = "A2"
    for place, column in enumerate(frame.columns, 1):
        letter, listed = get_column_letter(place), ",".join(choices.get(column, ()))
        sheet.column_dimensions[letter].width = min(60, 3 + max(map(len, [column, *frame[column].head(200)])))
        if 0 < len(listed) < 250:  # Excel's limit
            rule = DataValidation("list", formula1=f'"{listed}"')
            sheet.data_validations.append(rule)
            rule.add(f"{letter}2:{letter}{len(frame) + 1}")
    for cells in [list(frame.columns), *frame.to_numpy().tolist()]:
        for place in [place for place, text in enumerate(cells) if text[:1] == "="]:
            cells[place] = WriteOnlyCell(sheet, cells[place])
            cells[place].data_type = "s"  # a text, and no formula
        sheet.append(cells)
    stream = io.BytesIO()
    book.save(stream)
    return stream.getvalue()


def json_bytes(content: object) -> bytes:
    return f"{json.dumps(content, indent=2, ensure_ascii=False)}\n".encode()


def data_file(id: str, items: str, files: Sequence[str] = (), **more: Any) -> dict[str, bytes]:
    """Return the file that describes a folder for the next command.

    Parameters
    ----------
    id, items: the column of the ids, and the file with the items.
    files: the files of the reference.
    more: `task`, the declaration of a task; `questions`, what annotators are asked; `sealed`, a share of the last set.
    """
    usual: dict[str, Any] = {"task": {}, "questions": {}, "sealed": 0}
    return {DATA: json_bytes({"id": id, "items": items, "files": files, **usual, **more})}


def read_data(folder: Path) -> dict[str, Any]:
    """Return what a command wrote by `data_file`.

    Raises
    ------
    OrganiserError: no command wrote this folder.
    """
    try:
        content: dict[str, Any] = json.loads((folder / DATA).read_bytes())
        return {key: content[key] for key in ("id", "items", "files", "task", "questions", "sealed")}
    except (OSError, ValueError, KeyError, TypeError):
        raise OrganiserError(f"{folder}: no {DATA} that assign, merge or split wrote") from None
