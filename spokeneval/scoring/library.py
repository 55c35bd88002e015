"""Scoring without a bundle, for `spokeneval.score` and the command line: files, or data in memory.

Data in memory become the tables that readers take, so that data and files are checked alike. They are a data frame (of
pandas, or any object with `columns`), a mapping `id -> answer`, or a list or an array of answers, which belong to the
items by position. An answer is a single value, a mapping `column -> value`, or the values of the columns in their
order; where an item has several rows, such as turns, a list of these. A data frame without a column of ids has them in
its index; an index 0, 1, 2, ... means positions, as in a list.

None and NaN are empty cells. A list of texts in one cell is joined by spaces, as phones are. Rows are counted from 0.
"""

from __future__ import annotations

import errno
import hashlib
import json
import math
import os
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from ..formats.problems import (
    FileProblems,
    Problem,
    Problems,
    ReferenceFileError,
    SubmissionError,
    count_of,
    name,
    some_of,
)
from ..formats.speakers import SPEAKER, Units, unused_speakers
from ..formats.submission_folder import read_files
from ..formats.submission_zip import is_packed, unpack
from ..formats.tables import Layout, Table, alike, id_columns, joined_id, split_row
from ..formats.text import Files, nfc, read_folder
from ..task import Task
from .groups import in_random_groups, of_items, values_of_rows
from .options import Settings, choose_options, sign_public
from .reference import (
    HOME,
    PART_FILE,
    Reference,
    parse_reference,
    parse_shortened,
    read_reference,
    read_submission,
    without_invalid_rows,
)
from .scored import Scored, score_submission

EXPECTED = "a path, a data frame, a mapping from ids, or a list or an array"


def is_path(data: Any) -> bool:
    return isinstance(data, (str, os.PathLike))


class Records(NamedTuple):
    """Rows of data: the ids, None for data by position, and the columns, `name -> values`."""

    ids: Optional[list[Any]]
    columns: dict[str, list[Any]]


def records(data: Any, layout: Layout, side: str) -> Records:
    """The rows of data as columns. Names of columns are those of the layout.

    Raises
    ------
    TypeError
        The data are of no known type.
    ValueError
        A column is missing, or an answer has too few or too many values.
    """
    if hasattr(data, "columns") and hasattr(data, "__getitem__"):
        return _of_frame(data, layout, side)
    if hasattr(data, "index") and hasattr(data, "to_list"):  # a series
        return _of_answers(_index(data), data.to_list(), layout, side)
    if isinstance(data, Mapping):
        single = len(layout.required) == 2
        pairs = [
            (item, row)
            for item, answer in data.items()
            for row in (_plain(answer) if _has_rows(_plain(answer), single=single) else [answer])
        ]
        return _of_answers([item for item, _ in pairs], [row for _, row in pairs], layout, side)
    data = _plain(data)
    if not isinstance(data, Iterable) or isinstance(data, (str, bytes, set, frozenset)):
        raise TypeError(f"the {side} is {_described(data)}; expected {EXPECTED}")
    return _of_answers(None, list(data), layout, side)


def column_names(data: Any) -> list[str]:
    """The names of all columns of data, also of those that no layout has; of a list of answers, those of the first."""
    if hasattr(data, "columns"):
        return list(map(str, data.columns))
    if isinstance(data, Mapping):
        data = data.values()
    first = next(iter(data), None) if isinstance(data, Iterable) and not hasattr(data, "dtype") else None
    if hasattr(first, "columns"):
        return column_names(first)
    return list(map(str, first)) if isinstance(first, Mapping) else []


def table_of(data: Any, layout: Layout, items: Optional[Sequence[str]] = None) -> Table:
    """The cells of data as text.

    Parameters
    ----------
    items
        The ids that a submission has by position; None for a reference, whose rows are numbered.

    Raises
    ------
    TypeError, ValueError
        As for `records`; also if the number of values is not that of the items.
    """
    required = items is not None  # of a submission, a missing value is never meant
    side = "submission" if required else "reference"
    problems = Problems(SubmissionError if required else ReferenceFileError, "row")
    ids, columns = records(data, layout, side)
    keys = id_columns(layout.id)
    number = len(next(iter(columns.values()), ids or ()))
    if layout.id not in columns and not {*keys} <= {*columns}:
        if ids is None and items is not None and number != len(items):
            found = f"{count_of(number, 'value')}; the reference has {count_of(len(items), 'item')}"
            problems.stop("wrong_length", side, f"{found}; give one value for each item in its order, or ids")
        numbers = [",".join([str(row)] * len(keys)) for row in range(number)]
        names: Sequence[Any] = (items or numbers) if ids is None else ids
        columns = {**_columns_of_ids(list(names), layout.id), **columns}
    table = {}
    for column, values in columns.items():
        is_id = column in (layout.id, *keys)
        asked = is_id or (required and column in layout.required)
        table[column] = list(map(nfc, _cells(values, column, problems, side, asked=asked)))
        for row, item in enumerate(table[column]) if is_id else ():
            if not item.strip():
                problems.add("empty_item", side, f"the {column} is empty", line=row)
    problems.raise_if_any()
    bare = [item for item, rows in data.items() if _plain(rows) == []] if isinstance(data, Mapping) else []
    lines, empty = list(range(number)), tuple(nfc(str(item)) for item in bare)
    return Table(layout.file, layout.id, table, lines, place="row", empty=empty)


def _columns_of_ids(names: list[Any], id: str) -> dict[str, list[Any]]:
    """The columns of ids: one for each of their parts, as in a file, or one if an id has not these parts."""
    keys = id_columns(id)
    if len(keys) > 1:
        names = list(map(joined_id, names))
        parts = [name.split(",") if isinstance(name, str) else [name] for name in names]
        if parts and {*map(len, parts)} == {len(keys)}:
            return dict(zip(keys, map(list, zip(*parts))))
    return {id: names}


def in_rows(error: FileProblems, side: str = "") -> FileProblems:
    """The error of a reader of tables in memory; the data of a side with one table have its name."""
    problems = [replace(problem, file=side or problem.file) for problem in error.problems]
    return type(error)(problems, error.counts, error.files, "row")


def reference_tables(data: Any, layouts: Sequence[Layout]) -> dict[str, Table]:
    """The tables of a reference in memory: a mapping `file -> table` where there are several, or the first table."""
    names = [layout.file for layout in layouts]
    several = isinstance(data, Mapping) and bool(data) and set(data) <= set(names)
    if not several and len(names) > 1 and isinstance(data, Mapping) and not set(names).isdisjoint(data):
        unknown = [str(name) for name in data if name not in names]
        raise ValueError(f"the reference has the unknown file {some_of(unknown)}; expected {some_of(names)}")
    tables = data if several else {names[0]: data}
    there = [layout for layout in layouts if layout.file in tables]
    return {layout.file: table_of(tables[layout.file], layout) for layout in there}


def _of_frame(frame: Any, layout: Layout, side: str) -> Records:
    cells = _named(frame, frame.columns, layout, layout.known, f"the {side}")
    columns = {
        name: each.to_list() if hasattr(each, "to_list") else list(each) for name, each in cells.items()
    }
    return Records(None if layout.id in columns else _index(frame), columns)


def _of_answers(ids: Optional[list[Any]], answers: list[Any], layout: Layout, side: str) -> Records:
    """The columns of answers. All answers have the form of the first one."""
    known = (layout.id, *(id_columns(layout.id) if ids is not None else ()))
    values = [column for column in layout.required if column not in known]
    answers = [answer if isinstance(answer, Mapping) else _plain(answer) for answer in answers]
    if answers and isinstance(answers[0], Mapping):
        return _of_mappings(ids, answers, layout, side)
    if len(values) == 1:
        return Records(ids, {values[0]: answers})
    needed = f"expected {count_of(len(values), 'value')}, {', '.join(values)}, or a mapping from columns"
    for row, answer in enumerate(answers):
        if not isinstance(answer, (list, tuple)) or len(answer) != len(values):
            raise ValueError(f"row {row} of the {side} is {_described(answer)}; {needed}")
    columns = zip(*answers) if answers else ([] for _ in values)
    return Records(ids, dict(zip(values, map(list, columns))))


def _of_mappings(ids: Optional[list[Any]], answers: list[Any], layout: Layout, side: str) -> Records:
    known = layout.known
    rows = [
        _named(answer, answer, layout, known, f"row {row} of the {side}")
        for row, answer in enumerate(answers)
    ]
    columns = list(dict.fromkeys(column for row in rows for column in row))
    if ids is not None:
        columns = [column for column in columns if column != layout.id]
    return Records(ids, {column: [row.get(column) for row in rows] for column in columns})


def _named(
    data: Any, names: Iterable[Any], layout: Layout, known: Mapping[str, str], place: str
) -> dict[str, Any]:
    """The layout's columns among those with these names, by the layout's names; refuses data that lack a column."""
    there = {nfc(str(given)).lower(): given for given in names}
    columns = {}
    for lower, given in there.items():
        column = known.get(lower)
        if column is not None and (column.lower() not in there or column.lower() == lower):
            columns[column] = data[given]  # an exact name takes precedence over an alias
    ids = id_columns(layout.id)
    some = () if columns.keys().isdisjoint(ids) else ids  # with one of two, rows would be taken by position
    needed = dict.fromkeys((*some, *layout.required))
    missing = [column for column in needed if column not in columns and column != layout.id]
    if missing:
        found = some_of(list(map(str, names)), 8) or "none"
        raise ValueError(f"{place} has no column {some_of(missing)}; its columns are {found}")
    return columns


def _index(data: Any) -> Optional[list[Any]]:
    """The index of a data frame or series; None for positions, or without an index."""
    index = list(getattr(data, "index", range(len(data))))
    return None if index == list(range(len(index))) else index


def _has_rows(answer: Any, *, single: bool) -> bool:
    """Whether an answer is a list of rows, each a list or a mapping. Without columns to name, `[]` is a value."""
    if not isinstance(answer, (list, tuple)) or (single and not answer):
        return False
    return all(isinstance(row, (list, tuple, Mapping)) for row in answer)


def _plain(value: Any) -> Any:
    """An array or a number of numpy as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else value


def _cells(values: Sequence[Any], column: str, problems: Problems, side: str, *, asked: bool) -> list[str]:
    """The cells of a column as text. Columns of texts or of finite numbers need no look at each value."""
    kinds = set(map(type, values))
    if kinds == {str}:
        joined = "".join(values)
        if "\n" not in joined and "\r" not in joined:
            return list(values)
    elif kinds == {int} or (kinds == {float} and math.isfinite(sum(map(abs, values)))):
        return list(map(_number, values))
    return [_checked(value, column, row, problems, side, asked=asked) for row, value in enumerate(values)]


def _number(value: Any) -> str:
    """A number as text, a whole one without a decimal point."""
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def _checked(value: Any, column: str, row: int, problems: Problems, side: str, *, asked: bool) -> str:
    """The text of a cell. A value that has none adds a problem."""
    text = _text(value)
    if text is None:
        message = f"{column} is {_described(value)}; expected a text or a number"
        problems.add("not_a_value", side, message, line=row)
    elif asked and _is_missing(value):
        problems.add("missing_value", side, f"{column} is {value}; expected a value", line=row)
    elif "\n" in text or "\r" in text:
        problems.add("line_break", side, f"{column} {text!r:.100}; expected no line breaks", line=row)
    return text or ""


def _is_missing(value: Any) -> bool:
    """Whether a value is None, NaN, or the missing value of pandas."""
    not_a_number = isinstance(value, float) and value != value
    return value is None or not_a_number or type(value).__name__ in ("NAType", "NaTType")


def _text(value: Any) -> Optional[str]:
    value = _plain(value)
    if _is_missing(value):
        return ""
    if isinstance(value, (str, bool, int)):
        return str(value)
    if isinstance(value, float):
        return _number(value) if math.isfinite(value) else repr(value)
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return " ".join(value)
    return None


def _described(value: Any) -> str:
    return "None" if value is None else f"{value!r:.60} ({type(value).__name__})"


class ReadReference(NamedTuple):
    """A reference that was read for scoring.

    Attributes
    ----------
    task
        The task with the chosen options.
    reference
        The labels.
    settings
        The options and the signature.
    left_out, warnings
        As in `Result`.
    """

    task: Task
    reference: Reference
    settings: Settings
    left_out: Sequence[str] = ()
    warnings: Sequence[str] = ()


class Reading(NamedTuple):
    """How a reference is read.

    Attributes
    ----------
    lenient
        Whether its files may have the forms that organisers use, for which the organiser's commands must be installed.
    drop_invalid_rows
        Whether invalid rows are left out.
    log
        Called with one line for each file that is read leniently: how it was read.
    units
        The unit of each item, in the order of the items or by their ids; None for those of the reference.
    """

    lenient: bool = False
    drop_invalid_rows: bool = False
    log: Callable[[str], None] = lambda line: None
    units: Any = None


STRICT = Reading()


def read_for_scoring(
    default: Task, data: Any, chosen: Mapping[str, str], reading: Reading = STRICT
) -> ReadReference:
    """Read a reference from a path, or from data in memory."""
    options = choose_options(default, chosen)
    task = default.with_options(options)
    left_out: Sequence[str] = ()
    if not is_path(data):
        tables = reference_tables(data, task.format.layouts)
        try:
            reference, problems = _parse(task, tables, reading)
        except FileProblems as error:
            raise in_rows(error, "" if len(tables) > 1 else "reference") from None
        left_out = [f"row {problem.line}: {problem.message}" for problem in problems]
    elif reading.lenient:
        reference, left_out = _read_leniently(default, Path(data), options, reading)
    elif (Path(data) / PART_FILE).exists():
        reference = read_reference(task, Path(data))
        if reference.part == HOME:
            raise FileNotFoundError(errno.ENOENT, "no labels; expected the organiser's own files", str(data))
    else:
        reference, problems = _parse(task, files_of_reference(task, Path(data)), reading)
        left_out = [f"{problem.file} line {problem.line}: {problem.message}" for problem in problems]
    signed = partial(sign_public, task, options, reference)
    columns = _file_columns(task, reference) if is_path(data) else column_names(data)
    units = task.units(reference.labels)
    warnings = unused_speakers(map(nfc, columns), units.called, task.declaration)
    if reading.units is not None:
        read, labels, warnings = reference, reference.labels, []
        if in_random_groups(task, labels):
            of = dict(zip(labels.items.ids, values_of_rows(reading.units, labels.items.ids, "units")))
            texts = {**labels.texts, task.declaration.get("unit", SPEAKER): list(of.values())}
            reference = reference._replace(labels=replace(labels, texts=texts))
        else:
            task = _with_units(task, labels, reading.units)
            of = dict(task.units(labels).of)
        own = f"units:{hashlib.sha256(json.dumps(sorted(of.items())).encode()).hexdigest()[:12]}"
        signed = partial(sign_public, task, options, read, (own,))
        units = task.units(reference.labels)
    warnings = [*warnings, *_spelt_alike(units)]
    return ReadReference(task, reference, Settings(options, True, signed), tuple(left_out), tuple(warnings))


def _spelt_alike(units: Units) -> Iterator[str]:
    """Yield a warning of units whose names differ in spelling only."""
    named = any(row != unit for row, unit in units.of.items())
    for first, second, *_ in alike(units.of.values())[:1] if named else ():
        yield (
            f"{units.called} {name(first)} and {name(second)} differ only in capital letters, leading zeros or a "
            "trailing .0, and count as two. If they are one, spell it in one way: the interval is too narrow."
        )


def _with_units(task: Task, labels: Any, given: Any) -> Task:
    """The task with the units that are given for each row of its counts, which is an item or what is counted as one."""
    own = dict(zip(task.units(labels).of, of_items(task, labels, given, "units")))
    return replace(task, units=partial(given_units, SPEAKER, own))


def given_units(called: str, of: Mapping[str, str], labels: Any) -> Units:
    """Units that a user gave, whatever the labels are."""
    return Units(called, of)


def _file_columns(task: Task, reference: Reference) -> Iterator[str]:
    """The names in the first line of each of the reference's tables."""
    for layout in task.format.layouts:
        header = reference.files.get(layout.file, b"").lstrip().partition(b"\n")[0]
        cells = split_row(header.decode("utf-8-sig", "replace").strip(), layout.delimiter)
        yield from map(str.strip, cells or ())


def _parse(task: Task, files: Mapping[str, Any], reading: Reading) -> tuple[Reference, Sequence[Problem]]:
    """The reference in files, and the problems of the rows that were left out."""
    if not reading.drop_invalid_rows:
        return parse_reference(task, files), ()
    kept, problems = without_invalid_rows(task, files)
    return parse_shortened(task, kept, files) if problems else parse_reference(task, files), problems


def _read_leniently(
    default: Task, path: Path, options: Mapping[str, str], reading: Reading
) -> tuple[Reference, Sequence[str]]:
    """Read a reference as the organiser's commands do."""
    organisers = import_organisers("competition.references", "Lenient reading needs")
    _require(path)
    try:
        read = organisers.load_reference(
            default,
            "reference",
            path,
            options,
            declared=organisers.Declared(place=""),
            drop_invalid_rows=reading.drop_invalid_rows,
            log=reading.log,
        )
    except organisers.BadReference as error:
        raise UnreadableReference(str(error)) from None
    if not read.dropped:
        return read.parsed, ()
    whole = {table.file: table.to_read() for _, table in organisers.read_tables(read.definition, path)}
    return parse_shortened(read.definition, read.files, whole), read.dropped


class UnreadableReference(ValueError):
    """Raised for a reference that the organiser's reader refuses."""


def read_answers(gold: ReadReference, submission: Any) -> Any:
    """Read a submission from a path, or from data in memory.

    A path is a folder, a zip, or the only file, which may have any name.
    """
    task, reference, *_ = gold
    if not is_path(submission):
        return _submission_in_memory(task, submission, reference)

    def read(files: Files) -> Any:
        return _read_answers(task, files, reference)

    path = Path(submission)
    if path.is_dir():
        return read_files(path, read)[1]
    _require(path)
    if is_packed(path):
        with tempfile.TemporaryDirectory() as folder:
            unpack(path, Path(folder))
            return read_files(Path(folder), read)[1]
    file, others = task.format.submission_file, task.format.other_submissions
    if file is None:
        several = (
            f"a submission to {task.name} has one file for each item; expected their folder, or a zip of them"
        )
        raise NotADirectoryError(errno.ENOTDIR, several, str(path))
    with path.open("rb"):  # an unreadable file raises OSError here; it is not a problem of the submission
        called = _of_format(path, (file, *others)) or file
    try:
        return read({called: path.resolve()})
    except SubmissionError as refusal:
        raise refusal.renamed(called, path.name) from None


def score_against(gold: ReadReference, submission: Any) -> Scored:
    """Score a submission from a path, or from data in memory."""
    return score_submission(gold.task, gold.reference.labels, read_answers(gold, submission), gold.settings)


def require_data(**sides: Any) -> None:
    for side, data in sides.items():
        if data is None:
            raise TypeError(f"the {side} is None; expected {EXPECTED}")
        if isinstance(data, str) and not os.path.exists(data):
            raise FileNotFoundError(
                errno.ENOENT, f"no such {side}; texts are paths, so put an answer in a list", data
            )


def _read_answers(task: Task, files: Files, reference: Reference) -> Any:
    """Read a submission that answers all items of the reference, or all that are left of it."""
    try:
        return read_submission(task, files, reference)
    except SubmissionError as error:
        if reference.part or reference.items.ids == reference.labels.items.ids:
            raise
        try:
            return task.format.read_submission(files, reference.labels.items)
        except SubmissionError as other:
            raise min((error, other), key=lambda refusal: refusal.total) from None


def _submission_in_memory(task: Task, data: Any, reference: Reference) -> Any:
    layout = task.format.submission
    if layout is None:
        raise TypeError(f"a submission to {task.name} cannot be in memory; expected a path")
    table = table_of(data, layout, reference.items.ids)
    try:
        return _read_answers(task, {layout.file: table}, reference)
    except FileProblems as error:
        raise in_rows(error, "" if task.format.submission_file is None else "submission") from None


def import_organisers(module: str, needs: str) -> Any:
    """A module of the organiser's commands, which no bundle contains; `needs`: the beginning of the error."""
    try:
        if sys.version_info < (3, 10):
            raise ImportError
        return import_module(f"speechbundles.{module}")
    except ImportError:
        install = "install them with pip install '.[organiser]' in a clone (Python 3.10 or newer)"
        raise ImportError(f"{needs} the organiser's commands; {install}") from None


def files_of_reference(task: Task, path: Path) -> dict[str, bytes]:
    """The files of a reference in a folder, or its only file, which may have any name, by the task's names.

    Of several formats of a file, such as `turns.csv` and `turns.rttm`, the suffix of the only file names one.
    """
    names = task.format.reference_files
    if path.is_dir():
        return read_folder(path, names, error=ReferenceFileError)
    _require(path)
    name = _of_format(path, names) or (names[0] if len(task.format.layouts) == 1 else None)
    if name is None:
        several = f"the reference of {task.name} has {len(names)} files, {' and '.join(names)}; expected their folder"
        raise NotADirectoryError(errno.ENOTDIR, several, str(path))
    return {name: path.read_bytes()}


def _of_format(path: Path, names: Sequence[str]) -> Optional[str]:
    """The name with the suffix of a file; a name without one, such as text, is that of `text` and of `my.text`."""
    suffix = path.suffix.lower() or f".{path.name}"
    return next((name for name in names if (Path(name).suffix or f".{name}") == suffix), None)


def _require(path: Path) -> None:
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
