"""The file format of a task: its public items, and the functions that read and write its files.

Most files are sheets: tables with one row for each item, which are read, matched and written as declared.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from operator import ne
from types import MappingProxyType
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from .problems import FileProblems, Problems, ReferenceFileError, some_of
from .speakers import SPEAKER, check_speakers
from .submission_folder import expect_one
from .tables import (
    Layout,
    Parser,
    Table,
    check_ids,
    csv_text,
    id_columns,
    id_order,
    match_items,
    numbered,
    read_table,
)
from .text import ORGANISER_LIMIT, Files, content_of, decode, size_limit


@dataclass(frozen=True)
class Items:
    """The public part of a set: the ids of its n items, in the order in which they are scored.

    Attributes
    ----------
    ids
        The n ids.
    class_sizes
        The number of items in each class, `{"correct": 740, "incorrect": 260}`; None unless the organiser publishes it.
    latest
        For recordings, a time in ms after which nothing is scored in any recording.
    """

    ids: tuple[str, ...]
    class_sizes: Mapping[str, int] | None = None
    latest: float | None = None

    def __len__(self) -> int:
        return len(self.ids)


LINES = ""
"""The key of the lines of a reference's items among its texts; no column has this name."""


class Format(NamedTuple):
    """The files of a task, and how to split them when part of a set is sealed.

    Attributes
    ----------
    layouts
        The layout of each file of the reference.
    submission_file
        The name of a submission's only file; None if a submission has one file for each item.
    list_files
        The names of the public files from which items are read.
    read_reference
        Takes the reference's files, `name -> content`, and returns the reference, with its `items`. Raises
        ReferenceFileError.
    public_files
        Takes the reference and the options, and returns the files for participants and the ingestion program,
        `name -> content`.
    read_items
        Takes the existing files among `list_files`, `name -> content`, and returns the items. Raises FileProblems.
    read_submission
        Takes a submission's files and the items, and returns the submission. Raises SubmissionError.
    rows
        Takes the reference's files, and returns the lines with labels of each file, `name -> {line number: item}`.
        Lines are numbered from 1. Where a unit has several lines, each line is given with its unit instead.
    take
        Takes a submission and the positions of items, and returns its answers to these items, in that order.
    take_reference
        Takes the reference and the positions of items, and returns the reference of these items, in that order.
    headerless
        For a reference that may have no header row: `number of columns -> their names`.
    item_rows
        For tasks whose rows of counts cover several items each, although the items can be scored separately: takes the
        reference and returns the lines of the items, in the form of `rows`. Empty for all other tasks.
    other_files
        Names of further files that a reference may have: other formats of the files of `layouts`, which
        `read_reference` accepts in their place.
    other_submissions
        Names of other formats of `submission_file`, which `read_submission` accepts in its place.
    submission
        The columns of a submission. Its `file` is the name of the only file, or a pattern for several.
    write_submission
        Takes the columns of a submission as text, `name -> cells`, and the items, and returns the content of its files.
        None for a submission that is one delimited table.
    doubts
        Takes a submission and the items, and returns what is allowed but probably a mistake, one sentence each. They
        are shown to the participant, who does not have the labels.
    any_order
        Whether the lines of one item or unit may be in any order in the reference, as turns of a recording.
    """

    layouts: tuple[Layout, ...]
    submission_file: str | None
    list_files: tuple[str, ...]
    read_reference: Callable[[Mapping[str, bytes]], Any]
    public_files: Callable[[Any, Mapping[str, str]], dict[str, bytes]]
    read_items: Callable[[Mapping[str, bytes]], Items]
    read_submission: Callable[[Files, Items], Any]
    rows: Callable[[Mapping[str, bytes]], dict[str, dict[int, str]]]
    take: Callable[[Any, Sequence[int]], Any]
    take_reference: Callable[[Any, Sequence[int]], Any]
    headerless: Mapping[int, tuple[str, ...]] = MappingProxyType({})
    item_rows: Callable[[Any], dict[str, dict[int, str]]] = lambda reference: {}
    other_files: tuple[str, ...] = ()
    other_submissions: tuple[str, ...] = ()
    submission: Optional[Layout] = None
    write_submission: Optional[Callable[[Mapping[str, Sequence[str]], Items], dict[str, bytes]]] = None
    doubts: Callable[[Any, Items], Sequence[str]] = lambda submission, items: ()
    any_order: bool = False

    @property
    def answer(self) -> Layout | None:
        """The layout of a submission that is one table; None for all other submissions."""
        return self.submission if self.write_submission is None else None

    @property
    def reference_files(self) -> tuple[str, ...]:
        """The names of the files that a reference may have; `read_reference` refuses one that lacks a file."""
        return (*(layout.file for layout in self.layouts), *self.other_files)

    def first_file(self, files: Mapping[str, bytes]) -> str:
        """The name of the reference's first file, in the format that it has among these files."""
        first = self.layouts[0].file
        return next((file for file in (first, *self.other_files) if file in files), first)


@dataclass(frozen=True)
class Sheet:
    """The declaration of a table with one row for each item.

    Attributes
    ----------
    file
        The name of the file.
    id
        The column with the items' ids; see `tables.id_columns`.
    columns
        The columns that are scored, `name -> parser of its cells`.
    noun
        The word for an item in problems.
    delimiter
        The separator of the fields.
    texts
        Required columns that are kept as text.
    optional
        Optional columns that are kept as text; all other columns are ignored.
    aliases
        Alternative names of columns.
    check
        Takes a submission's columns, and adds the problems of rows that do not concern a single cell.
    others
        Other formats of the file, `name -> reader`. A reader takes the text, the name and the problems.
    """

    file: str
    id: str
    columns: Mapping[str, Parser]
    noun: str
    delimiter: str = ","
    texts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)
    check: Optional[Callable[[Mapping[str, np.ndarray], Table, Problems], None]] = None
    others: Mapping[str, Callable[[str, str, Problems], Table]] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        required = (self.id, *self.texts, *self.columns)
        return Layout(self.file, self.id, required, self.delimiter, self.optional, self.aliases)


@dataclass(frozen=True)
class Answers:
    """The contents of a sheet, one entry for each item: `answers["rating"]` is an array of shape (n,).

    Attributes
    ----------
    items
        The n items, in the order of the entries.
    columns
        The columns that are scored, as arrays.
    texts
        The columns that are kept as text, including the ids, `name -> n strings`, and `LINES`, which are numbers.
    """

    items: Items
    columns: Mapping[str, np.ndarray]
    texts: Mapping[str, Sequence[Any]] = field(default_factory=dict)

    @property
    def speakers(self) -> Sequence[str]:
        """The speaker of each entry; empty if the sheet names no speakers."""
        return self.texts.get(SPEAKER, ())

    def __getitem__(self, column: str) -> np.ndarray:
        return self.columns[column]


Check = Callable[[Answers, Table, Problems], None]


RowNames = Callable[[Sequence[str], Mapping[str, Sequence[str]]], Sequence[str]]
"""Takes the ids of items and their texts by column, and returns the name of the row that counts each item."""


def sheet_format(
    reference: Sheet,
    submission: Sheet,
    *,
    list_file: str = "items.csv",
    public: Sequence[str] = (),
    check: Check,
    names: Optional[RowNames] = None,
) -> Format:
    """The format of a task whose reference is one sheet and whose submissions are one sheet each.

    Parameters
    ----------
    list_file
        The name of the public item list.
    public
        The text columns that participants get besides the id, as far as the reference has them.
    check
        Adds the problems of a reference that do not concern a single cell.
    names
        For counts with a row for each unit, although each line is an item.
    """

    def read_reference(files: Mapping[str, bytes]) -> Answers:
        problems = Problems(ReferenceFileError)
        table = read_sheet(reference, files, problems)
        answers = parse_reference(reference, table, problems, check)
        return replace(answers, texts={**answers.texts, LINES: table.lines}) if names else answers

    def public_files(answers: Answers, options: Mapping[str, str]) -> dict[str, bytes]:
        return {list_file: write_item_list(answers, reference.id, public, reference.delimiter)}

    def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
        table = read_sheet(reference, files, Problems(ReferenceFileError))
        called = names(table.ids, table.columns) if names else table.ids
        return {table.file: dict(zip(table.lines, called))}

    return Format(
        (reference.layout,),
        submission.file,
        (list_file,),
        read_reference,
        public_files,
        partial(_read_items, Layout(list_file, reference.id, (reference.id,), reference.delimiter)),
        partial(read_answers, submission),
        rows,
        take_answers,
        take_reference,
        item_rows=lambda answers: lines_of(answers, reference.file) if names else {},
        other_files=tuple(reference.others),
        other_submissions=tuple(submission.others),
        submission=submission.layout,
        doubts=lambda answers, items: repetitions(answers),
    )


def _read_items(layout: Layout, files: Mapping[str, bytes]) -> Items:
    problems = Problems(FileProblems)
    table = read_table(files, layout, problems)
    problems.raise_if_any()
    return Items(tuple(table.ids))


def read_sheet(
    sheet: Sheet, files: Mapping[str, Any], problems: Problems, limit: int = ORGANISER_LIMIT
) -> Table:
    """The table of a sheet, in any of its formats."""
    other = next((file for file in sheet.others if file in files and sheet.file not in files), None)
    if other is None:
        return read_table(files, sheet.layout, problems, limit)
    text = decode(content_of(files, other, problems, limit), other, problems)
    return sheet.others[other](text, other, problems)


def parse_reference(sheet: Sheet, table: Table, problems: Problems, check: Check) -> Answers:
    """The answers in a reference's table.

    Raises
    ------
    ReferenceFileError
        A cell is invalid, an id is empty or repeated, or `check` found a problem.
    """
    check_ids(table, problems, noun=sheet.noun)
    check_speakers(table, problems)
    columns = {column: parse(table, column, problems) for column, parse in sheet.columns.items()}
    kept = (sheet.id, *id_columns(sheet.id), *sheet.texts, *sheet.optional)
    texts = {column: list(table.columns[column]) for column in kept if column in table.columns}
    answers = Answers(Items(tuple(table.ids)), columns, texts)
    check(answers, table, problems)
    problems.raise_if_any()
    return answers


def read_answers(sheet: Sheet, files: Files, items: Items) -> Answers:
    """The answers in a submission, sorted in the order of the items. Undeclared columns are ignored.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    if not isinstance(files.get(sheet.file), Table):
        expect_one(files, (sheet.file, *sheet.others), problems)
    table = read_sheet(sheet, files, problems, size_limit(len(items), len(sheet.columns)))
    places = match_items(table, items.ids, problems, noun=sheet.noun)
    columns = {column: parse(table, column, problems) for column, parse in sheet.columns.items()}
    if sheet.check:
        sheet.check(columns, table, problems)
    problems.raise_if_any()
    for column, values in columns.items():
        columns[column] = np.empty_like(values)
        columns[column][places] = values
    return Answers(items, columns)


FEWEST = 10
"""With fewer answers, their repetition can be chance."""

COMPLETE, RIGHT_FILE = "That counts as an answer. Is the upload complete?", "Is it the right file?"


def repetitions(answers: Answers) -> list[str]:
    """Warn of answers that are all or half the same; half only of texts, and of real numbers that otherwise differ.

    Real numbers at an end of their range are not considered: a certain system may give them to many items.
    """
    columns = [*answers.columns.values()]
    if not columns or any(values.ndim != 1 for values in columns):
        return []
    texts = any(values.dtype == object for values in columns)
    codes = [numbered([*map(str, values)])[1] if texts else values for values in columns]
    _, places, sizes = np.unique(codes[0], return_index=True, return_counts=True)
    place = int(places[sizes.argmax()]) if len(places) else 0
    alike = np.all([values == values[place : place + 1] for values in codes], axis=0)
    number, n = int(alike.sum()), len(alike)
    empty = texts and number > 0 and not any(values[place] for values in columns)
    if (n < FEWEST and not (empty and number == n)) or 2 * number < n:
        return []
    if number < n and not texts:
        if any(values.dtype.kind != "f" for values in codes):
            return []
        within = any(values.min() < values[place] < values.max() for values in codes)
        if not within or 2 * len(np.unique(codes[0][~alike])) <= n - number:
            return []
    share = f"all {n}" if number == n else f"{number} of {n}"
    found = f"{share} values of {some_of([*answers.columns])} are {'empty' if empty else 'the same'}"
    return [f"{found}. {COMPLETE if empty else RIGHT_FILE}"]


def lines_of(answers: Answers, file: str) -> dict[str, dict[int, str]]:
    """The lines of a reference's items, in the form of `Format.item_rows`."""
    return {file: dict(zip(answers.texts[LINES], answers.items.ids))}


def take_reference(answers: Answers, places: Sequence[int]) -> Answers:
    """The reference of the items at the given positions, in that order."""
    if len(places) == len(answers.items) and not any(map(ne, places, count())):
        return replace(answers, items=Items(answers.items.ids))
    texts = {column: [cells[place] for place in places] for column, cells in answers.texts.items()}
    return replace(take_answers(answers, places), texts=texts)


def take_answers(answers: Answers, places: Sequence[int]) -> Answers:
    """The answers to the items at the given positions, in that order."""
    chosen = np.asarray(places, dtype=int)
    ids = tuple(map(answers.items.ids.__getitem__, places))
    return Answers(Items(ids), {column: values[chosen] for column, values in answers.columns.items()})


def write_item_list(answers: Answers, id: str, columns: Sequence[str], delimiter: str) -> bytes:
    """The content of a public list: the ids, in their columns, and the existing columns among `columns`.

    Its rows are sorted by id, because a reference may be sorted by label.
    """
    ids = id_columns(id) if {*id_columns(id)} <= {*answers.texts} else (id,)
    there = [column for column in (*ids, *columns) if column in answers.texts]
    order = sorted(range(len(answers.items)), key=lambda row: id_order(answers.items.ids[row]))
    rows = ([answers.texts[column][row] for column in there] for row in order)
    return csv_text([there, *rows], delimiter).encode()
