"""Sheets: tables with a row an item, declared once and read, matched and written from the declaration."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Callable

import numpy as np

from .cells import Parser
from .files import Files
from .format import Format, Items
from .problems import FileProblems, Problems, ReferenceFileError
from .speakers import SPEAKER, check_speakers
from .submission_folder import expect_files
from .tables import Layout, Table, check_ids, id_order, match_items, parse_table, read_table
from .text import read_blocks, size_limit


@dataclass(frozen=True)
class Sheet:
    """A table with a row an item.

    Attributes
    ----------
    file: its name.
    id: the column with the items' ids.
    columns: the columns that are scored, `name -> what its cells hold`.
    noun: what an item is, for problems.
    delimiter: what separates the fields.
    texts: columns that must be there and are kept as text.
    optional: columns that are kept as text where they are there; all others are ignored.
    aliases: other names that a column may have.
    """

    file: str
    id: str
    columns: Mapping[str, Parser]
    noun: str
    delimiter: str = ","
    texts: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    aliases: Mapping[str, str] = field(default_factory=dict)

    @property
    def layout(self) -> Layout:
        required = (self.id, *self.texts, *self.columns)
        return Layout(self.file, self.id, required, self.delimiter, self.optional, self.aliases)


@dataclass(frozen=True)
class Answers:
    """A sheet's contents, one entry an item: `answers["rating"]` is an array of shape (n,).

    Attributes
    ----------
    items: the n items, in the order of the entries.
    columns: the columns that are scored, as arrays.
    texts: the columns that are kept as they stand, the id's among them, `name -> n strings`.
    """

    items: Items
    columns: Mapping[str, np.ndarray]
    texts: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def speakers(self) -> Sequence[str]:
        """Who gave each entry, where the sheet names speakers."""
        return self.texts.get(SPEAKER, ())

    def __getitem__(self, column: str) -> np.ndarray:
        return self.columns[column]


Check = Callable[[Answers, Table, Problems], None]


def sheet_format(
    reference: Sheet, submission: Sheet, *, list_file: str, public: Sequence[str] = (), check: Check
) -> Format:
    """The format of a task whose reference and submissions are a sheet each.

    Parameters
    ----------
    list_file: the name of the public item list.
    public: the columns of text that participants get beside the id, where they are there.
    check: adds the problems of a reference that no cell has on its own.
    """

    def read_reference(files: Mapping[str, bytes]) -> Answers:
        problems = Problems(ReferenceFileError)
        return parse_reference(reference, read_table(files, reference.layout, problems), problems, check)

    def public_files(answers: Answers, options: Mapping[str, str]) -> dict[str, bytes]:
        return {list_file: write_item_list(answers, (reference.id, *public), reference.delimiter)}

    def read_items(files: Mapping[str, bytes]) -> Items:
        problems = Problems(FileProblems)
        layout = Layout(list_file, reference.id, (reference.id,), reference.delimiter)
        table = read_table(files, layout, problems)
        problems.raise_if_any()
        return Items(tuple(table.ids))

    def read_submission(files: Files, items: Items) -> Answers:
        return read_answers(submission, files, items)

    def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
        return rows_of(read_table(files, reference.layout, Problems(ReferenceFileError)))

    return Format(
        (reference.layout,),
        submission.file,
        (list_file,),
        read_reference,
        public_files,
        read_items,
        read_submission,
        rows,
        take_answers,
    )


def rows_of(table: Table) -> dict[str, dict[int, str]]:
    """The lines of a reference's only file, each with its item."""
    return {table.file: dict(zip(table.lines, table.ids))}


def parse_reference(sheet: Sheet, table: Table, problems: Problems, check: Check) -> Answers:
    """A reference's table as answers.

    Raises
    ------
    ReferenceFileError: cells that do not fit, an id that is empty or stands twice, what `check` finds.
    """
    check_ids(table, problems, noun=sheet.noun)
    check_speakers(table, problems)
    columns = {column: parse(table, column, problems) for column, parse in sheet.columns.items()}
    kept = (sheet.id, *sheet.texts, *sheet.optional)
    texts = {column: table.columns[column] for column in kept if column in table.columns}
    answers = Answers(Items(tuple(table.ids)), columns, texts)
    check(answers, table, problems)
    problems.raise_if_any()
    return answers


def read_answers(sheet: Sheet, files: Files, items: Items) -> Answers:
    """A submission's rows, put in the order of the items; columns that are not asked for are ignored.

    Raises
    ------
    SubmissionError: with every problem.
    """
    problems = Problems()
    expect_files(files.names, [sheet.file], problems)
    problems.raise_if_any()
    limit = size_limit(len(items))
    with files.open(sheet.file, limit, problems) as stream:
        table = parse_table(read_blocks(stream, sheet.file, problems, limit), sheet.layout, problems)
    places = match_items(table, items.ids, problems, noun=sheet.noun)
    columns = {column: parse(table, column, problems) for column, parse in sheet.columns.items()}
    problems.raise_if_any()
    for column, values in columns.items():
        columns[column] = np.empty_like(values)
        columns[column][places] = values
    return Answers(items, columns)


def take_answers(answers: Answers, places: Sequence[int]) -> Answers:
    """The answers to some of the items, in the order of their places."""
    chosen = np.asarray(places, dtype=int)
    ids = tuple(answers.items.ids[place] for place in places)
    return Answers(Items(ids), {column: values[chosen] for column, values in answers.columns.items()})


def write_item_list(answers: Answers, columns: Sequence[str], delimiter: str) -> bytes:
    """The columns that are there, in the order of the ids: a reference may be sorted by label."""
    there = [column for column in columns if column in answers.texts]
    order = sorted(range(len(answers.items)), key=lambda row: id_order(answers.items.ids[row]))
    text = io.StringIO()
    writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(there)
    writer.writerows([answers.texts[column][row] for column in there] for row in order)
    return text.getvalue().encode()
