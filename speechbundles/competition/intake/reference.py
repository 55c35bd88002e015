"""Find and read the files of a reference in the formats that organisers use (see `table` and `layouts`)."""

from pathlib import Path

from speechbundles.competition.intake.layouts import Notation, find_notation
from speechbundles.competition.intake.table import OwnTable, read_table
from speechbundles.model.bounded import read_file
from speechbundles.model.errors import BadReference, UnreadableFile
from speechbundles.model.tabular import LARGEST_FILE, WORKBOOK, decode
from spokeneval.formats.problems import count_of, some_of
from spokeneval.formats.tables import Layout
from spokeneval.task import Task

_SUFFIXES = (".csv", ".tsv", ".txt", WORKBOOK)


def read_tables(task: Task, path: Path) -> list[tuple[Path, OwnTable]]:
    """Return the tables of a reference, each with its source file.

    Parameters
    ----------
    path: a folder with the reference files, or the file itself if the task has only one.

    Raises
    ------
    BadReference: a missing file, or several candidates for one file.
    UnreadableFile: a file that is not a table; the message names it.
    ReferenceFileError: lines that are not valid turns or regions.
    OSError: a file that cannot be read.
    """
    layouts = task.format.layouts
    if not path.is_dir() and (len(layouts) > 1 or not path.is_file()):
        names = ", ".join(layout.file for layout in layouts)
        expected = "a file or a folder" if len(layouts) == 1 else f"a folder with {names}"
        raise BadReference(f"{path}: expected {expected}")
    tables = []
    for layout in layouts:
        notation = find_notation(task.name, layout.file)
        files = _find(path, layout, notation, len(layouts)) if path.is_dir() else [path]
        try:
            if notation.made_from and files[0].suffix == notation.made_from[0]:
                tables.append((files[0], _make_table(files, layout, notation)))
            else:
                tables.append((files[0], read_table(files[0], layout, notation)))
        except UnreadableFile as error:
            raise UnreadableFile(f"{files[0]}: {error}") from None
    return tables


def _find(folder: Path, layout: Layout, notation: Notation, number: int) -> list[Path]:
    """Return the file of a layout, with any table suffix; otherwise the files that can be converted to it."""
    if (folder / layout.file).is_file():
        return [folder / layout.file]
    stem = Path(layout.file).stem
    named = sorted(
        file for file in folder.iterdir() if file.stem == stem and file.suffix.lower() in _SUFFIXES
    )
    if len(named) == 1:
        return named
    if len(named) > 1:
        raise BadReference(
            f"{folder}: {some_of([file.name for file in named])} can all be {layout.file}; keep one"
        )
    suffix = notation.made_from[0] if notation.made_from else ""
    parts = sorted(folder.glob(f"*{suffix}")) if suffix else []
    if not parts:
        found = ", ".join(sorted(file.name for file in folder.iterdir())) or "nothing"
        instead = f" and no *{suffix}" if suffix else ""
        raise BadReference(
            f"{folder}: no {layout.file}{instead}; found {found} ({count_of(number, 'file')} expected)"
        )
    return parts


def _make_table(files: list[Path], layout: Layout, notation: Notation) -> OwnTable:
    assert notation.made_from is not None  # `_find` gives such files
    suffix, make = notation.made_from
    texts = {file: decode(read_file(file, LARGEST_FILE))[0] for file in files}
    columns, rows = make(texts)
    read = f"{count_of(len(rows), 'row')}; read from {count_of(len(files), suffix + ' file')}"
    understood = f"{read}, seconds converted to milliseconds"
    return OwnTable(layout.file, layout.delimiter, columns, 1, dict(rows), understood)
