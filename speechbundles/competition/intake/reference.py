"""Find and read the files of a reference in the formats that organisers use (see `table` and `files`)."""

from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path

from speechbundles.competition.intake import complete, ratings
from speechbundles.competition.intake.declared import NOTHING_DECLARED, SETTING, Declared
from speechbundles.competition.intake.files import FileFormat, formats_of, make_table
from speechbundles.competition.intake.layouts import NOTATIONS
from speechbundles.competition.intake.table import Notation, OwnTable, find_renamed, read_table
from speechbundles.model.bounded import read_file
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference, UnreadableFile
from speechbundles.model.sources import NOTE
from speechbundles.model.tabular import LARGEST_FILE, WORKBOOK, decode
from spokeneval.formats.problems import ReferenceFileError, count_of, quote, some_of, suggestion
from spokeneval.formats.speakers import SPEAKER
from spokeneval.formats.tables import Layout
from spokeneval.task import Task

_SUFFIXES = (".csv", ".tsv", ".txt", WORKBOOK)
_COMPLETED = (ratings.wide, complete.count_words, complete.name_segments)
"""What is done with every table: each function returns a table that it does not concern as it is."""


def read_tables(task: Task, path: Path, declared: Declared = NOTHING_DECLARED) -> list[tuple[Path, OwnTable]]:
    """Return the tables of a reference, each with its source file.

    Parameters
    ----------
    path: a folder with the reference files, or the file itself if the task has only one.
    declared: what the organiser declares about the files.

    Raises
    ------
    BadReference: a missing file, several candidates for one file, or a declared column that no file has.
    UnreadableFile: a file that is not a table; the message names it.
    ReferenceFileError: lines that are not valid turns or regions.
    OSError: a file that cannot be read.
    """
    layouts = task.format.layouts
    if not path.is_dir() and (len(layouts) > 1 or not path.is_file()):
        names = ", ".join(layout.file for layout in layouts)
        expected = "a file or a folder" if len(layouts) == 1 else f"a folder with {names}"
        raise BadReference(f"{path}: expected {expected}")
    tables, refused = [], []
    for layout in layouts:
        here = declared if layout is layouts[0] else replace(declared, file="", columns=())
        try:
            files, form = _find(path, layout, here, len(layouts))
            tables.append((files[0], _read(files, form, task, layout, here)))
        except (BadReference, UnreadableFile, ReferenceFileError) as error:
            refused.append(error)
    if len(refused) > 1:
        raise BadReference("\n\n".join([f"{path}: {len(refused)} files cannot be used", *map(str, refused)]))
    if refused:
        raise refused[0]
    _check_renamed([table for _, table in tables], path, declared)
    return tables


def _read(
    files: list[Path], form: FileFormat | None, task: Task, layout: Layout, declared: Declared
) -> OwnTable:
    notation = NOTATIONS.get((task.name, layout.file), Notation())
    texts = {file: _text(file) for file in files} if form else {}
    beside = files[0].with_name(form.speakers) if form and form.speakers else None
    speakers = _text(beside) if beside and beside.is_file() and SPEAKER in layout.optional else None
    try:
        if form is None:
            table = read_table(files[0], layout, notation, declared)
        else:
            table = make_table(texts, form, layout, notation, speakers, declared)
        for make in (*_COMPLETED, *notation.completed):
            table = make(table, layout)
    except UnreadableFile as error:
        raise UnreadableFile(f"{files[0]}: {error}") from None
    return table


def _find(
    path: Path, layout: Layout, declared: Declared, number: int
) -> tuple[list[Path], FileFormat | None]:
    """Return the file of a layout, with any table suffix; otherwise the files of a format that can be converted.

    The only table in the folder of a task with one file may have any name.
    """
    file = path / declared.file if path.is_dir() and declared.file else path
    if not file.exists():
        found = sorted(other.name for other in path.iterdir() if other.name != NOTE)
        hint = suggestion(declared.file, found, f"found {some_of(found, 8) or 'nothing'}")
        raise BadReference(f"{path}: no {declared.file}; {hint} ({declared.place}.file)")
    if file.is_file():
        return ([file], None) if declared.columns else _of_a_format([file], layout)
    if (path / layout.file).is_file():
        return [path / layout.file], None
    stem = Path(layout.file).stem
    files = sorted(each for each in path.iterdir() if each.is_file() and each.name != NOTE)
    named = [each for each in files if each.stem == stem and each.suffix.lower() in _SUFFIXES]
    if len(named) > 1:
        raise BadReference(
            f"{path}: {some_of([each.name for each in named])} can all be {layout.file}; keep one"
        )
    if named:
        return _of_a_format(named, layout)
    parts, form = _of_a_format(files, layout)
    tables = [each for each in files if each.suffix.lower() in _SUFFIXES]
    if form is None and number == len(tables) == 1:
        return tables, None  # whatever its name
    if form is None:
        instead = "".join(f", no {form.called} file {form.names}" for form in formats_of(layout))
        names = ", ".join(sorted(each.name for each in path.iterdir())) or "nothing"
        which = f"sets: {{{path.name}: {{file: NAME OF YOUR FILE}}}}"
        advice = f"{count_of(number, 'file')} expected" + (
            f"; name it with {which}" if tables[1:] and number == 1 else ""
        )
        raise BadReference(f"{path}: no {layout.file}{instead}; found {names} ({advice})")
    return parts, form


def _of_a_format(files: list[Path], layout: Layout) -> tuple[list[Path], FileFormat | None]:
    """Return the files that are in the first format of any of them; all files without a format if there is none.

    All files with such names belong to it, so that a damaged file is reported and not left out.
    """
    for form in formats_of(layout):
        parts = [file for file in files if fnmatch(file.name.lower(), form.names)]
        if any(form.fits(_text(file)) for file in parts):
            return parts, form
    return files, None


def _text(file: Path) -> str:
    try:
        return decode(read_file(file, LARGEST_FILE))[0]
    except UnreadableFile as error:
        raise UnreadableFile(f"{file}: {error}") from None


def _check_renamed(tables: list[OwnTable], path: Path, declared: Declared) -> None:
    """Check that a file has each declared column."""
    header, missing = [cell for table in tables for cell in table.provenance.titles], []
    for column, own in declared.rename.items():
        if find_renamed({column: own}, header):
            continue
        hint = suggestion(own, header, f"the header has {some_of(header, 8, quote)}")
        missing.append(f"no column {quote(own)} for {column}; {hint} ({declared.place}.rename.{column})")
    if missing:
        raise BadReference(
            "\n".join([f"{path}: {tables[0].provenance.source}", *(f"  {each}" for each in missing)])
        )


def also_read(task: Task) -> str:
    """Return the other formats of a task's labels, in parentheses."""
    forms = (form.called for layout in task.format.layouts for form in formats_of(layout))
    return f"(also read: {', '.join(dict.fromkeys(('Excel', *forms)))})"


def check_declared(competition: Competition) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield the problems of what a competition declares about its sets: the place below `sets`, and a message."""
    sets = [*competition.sets, *competition["leave_out"]]
    task = competition.definition
    layouts = task.format.layouts
    columns = dict.fromkeys(
        column
        for layout in layouts
        for columns in (layout.columns, layout.optional, complete.sources(layout), ratings.sources(layout))
        for column in columns
    )
    for name, declared in competition.settings.get(SETTING, {}).items():
        if name not in sets:
            yield (name,), f"{competition.name} has no set {name}; {suggestion(name, competition.sets)}"
        for column in declared.get("rename", {}):
            if column not in columns:
                hint = suggestion(column, columns)
                yield (name, "rename", column), f"{task.name} has no column {column}; {hint}"
        named = list(declared.get("rename", {}).values())
        for own in sorted({own for own in named if named.count(own) > 1}):
            yield (name, "rename"), f"column {own!r} is named twice"
        if "columns" in declared and "header_row" in declared:
            yield (name, "columns"), "columns are for a file without a header, which has no header_row"
