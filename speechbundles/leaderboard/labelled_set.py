"""The labels of a board, found again in the competition's folder."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from speechbundles.competition.intake.declared import declared_of
from speechbundles.competition.references import read_labels
from speechbundles.leaderboard.given import no_board
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference
from speechbundles.model.text import grouped
from spokeneval.formats.tables import Layout, split_row
from spokeneval.task import Task

Columns = Mapping[str, Mapping[str, Sequence[str]]]
"""`column -> item -> its cells`, one for each row."""

START, END, LENGTH = "start", "end", "length"
"""Columns of times; a missing length is computed from start and end."""


class LabelledSet(NamedTuple):
    """A set with its labels, as the organiser has it.

    Attributes
    ----------
    task: the task, with the organiser's options.
    labels: the labels, as read by the task's format.
    columns: the cells of each row of the statistics.
    item_columns: the cells of each item, if a row counts several items that can be scored separately; else empty.
    counted_in: for each of these items, the row that counts it.
    """

    task: Task
    labels: Any
    columns: Columns
    item_columns: Columns
    counted_in: Mapping[str, str]


def find_labelled_set(competition: Competition, items: Sequence[str]) -> LabelledSet:
    """Return the competition's set that has all items of a board: the whole set, if the board is on a share of it.

    Parameters
    ----------
    items: the names of the rows that were counted.

    Raises
    ------
    OrganiserError: no set of the competition has all items; sets that cannot be read are listed.
    """
    unread = []
    for name in competition.sets:
        try:
            gold = read_labelled_set(competition, name)
        except BadReference as error:
            unread.append(str(error))
            continue
        if all(set(items) <= cells.keys() for cells in gold.columns.values()):
            return gold
    raise no_board(
        f"the gold standard of this board is not in {competition.sources.folder}: none of the sets of "
        f"{competition.task} there ({', '.join(competition.sets)}) has all {len(items)} items. Give the folder of "
        "your competition with --competition",
        *unread,
    )


def read_labelled_set(competition: Competition, name: str) -> LabelledSet:
    """Read a set of a competition.

    Raises
    ------
    BadReference: files are missing or unusable.
    """
    place = competition.sources.find(f"reference_data/{competition.task}/{name}")
    task = competition.definition.with_options(competition.options)
    read = read_labels(task, name, place, declared_of(competition, name), drop_invalid_rows=True)
    rows, item_rows = task.format.rows(read.files), task.format.item_rows(read.labels)
    fields = {
        layout.file: _fields(read.files[layout.file], layout)
        for layout in task.format.layouts
        if layout.file in {*rows, *item_rows}
    }
    counted_in = {item: rows[file][line] for file, items in item_rows.items() for line, item in items.items()}
    return LabelledSet(task, read.labels, _columns(fields, rows), _columns(fields, item_rows), counted_in)


def _fields(content: bytes, layout: Layout) -> list[list[str]]:
    """Return the cells of each line of a file."""
    lines = content.decode("utf-8-sig").split("\n")
    return [split_row(line.rstrip("\r"), layout.delimiter) or [] for line in lines]


def _columns(fields: Mapping[str, Sequence[Sequence[str]]], rows: Mapping[str, Mapping[int, str]]) -> Columns:
    """Return the columns of a set's files; of two columns with the same name, the first.

    Parameters
    ----------
    fields: for each file, the cells of each line.
    rows: for each file, the lines that hold labels and their items: `name -> {line: item}`.
    """
    columns: dict[str, Mapping[str, Sequence[str]]] = {}
    for file, item_of in rows.items():
        numbered = enumerate(fields[file], 1)
        header = next(cells for number, cells in numbered if any(cells) and number not in item_of)
        lines_of = grouped((item, number - 1) for number, item in item_of.items())
        for place, column in enumerate(header):
            cells_of = {item: [fields[file][line][place] for line in own] for item, own in lines_of.items()}
            columns.setdefault(column.strip(), cells_of)
    if LENGTH not in columns and {START, END} <= columns.keys():
        spans = {item: zip(cells, columns[END][item], strict=True) for item, cells in columns[START].items()}
        with suppress(ValueError):
            lengths = {item: [float(end) - float(start) for start, end in own] for item, own in spans.items()}
            columns[LENGTH] = {item: [f"{each:.10g}" for each in own] for item, own in lengths.items()}
    return columns
