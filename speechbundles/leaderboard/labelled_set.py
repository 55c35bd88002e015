"""The labels of a board, found again in the competition's folder."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from speechbundles.competition.intake.declared import declared_of
from speechbundles.competition.references import ReferenceSet, load_reference
from speechbundles.leaderboard.given import no_board
from speechbundles.model.competition import Competition
from speechbundles.model.errors import BadReference
from spokeneval.formats.tables import split_row
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
    declared = declared_of(competition, name)
    reference = load_reference(
        competition.definition, name, place, competition.options, declared=declared, drop_invalid_rows=True
    )
    task, labels = reference.definition, reference.parsed.labels
    rows = task.format.rows(reference.files)
    item_rows = task.format.item_rows(labels)
    counted_in = {item: rows[file][line] for file, items in item_rows.items() for line, item in items.items()}
    return LabelledSet(task, labels, _columns(reference, rows), _columns(reference, item_rows), counted_in)


def _columns(reference: ReferenceSet, rows: Mapping[str, Mapping[int, str]]) -> Columns:
    """Return the columns of a set's files; of two columns with the same name, the first.

    Parameters
    ----------
    rows: for each file, the lines that hold labels and their items: `name -> {line: item}`.
    """
    layouts = {layout.file: layout for layout in reference.definition.format.layouts}
    columns: dict[str, Mapping[str, Sequence[str]]] = {}
    for file, item_of in rows.items():
        lines = reference.files[file].decode("utf-8-sig").split("\n")
        fields = [split_row(line.rstrip("\r"), layouts[file].delimiter) or [] for line in lines]
        header = next(cells for number, cells in enumerate(fields, 1) if any(cells) and number not in item_of)
        for place, column in enumerate(header):
            cells_of: dict[str, list[str]] = defaultdict(list)
            for number, item in item_of.items():
                cells_of[item].append(fields[number - 1][place])
            columns.setdefault(column.strip(), cells_of)
    if LENGTH not in columns and {START, END} <= columns.keys():
        spans = {item: zip(cells, columns[END][item], strict=True) for item, cells in columns[START].items()}
        with suppress(ValueError):
            lengths = {item: [float(end) - float(start) for start, end in own] for item, own in spans.items()}
            columns[LENGTH] = {item: [f"{each:.10g}" for each in own] for item, own in lengths.items()}
    return columns
