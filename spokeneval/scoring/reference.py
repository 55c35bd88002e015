"""A reference as the programs read it: labels, and the items that a submission must answer.

For a set with a sealed part, the platform has only the labels of the open part. The same folder contains the part's
name, in `part.txt`, and the public items of the whole set, in `items/`. A submission must answer all items of the set
and is checked against all of them, but is scored only on the items of the part. So no message reveals which items are
in the part.

For a set whose labels stay at home, the platform has no labels: the part is `HOME`, and a submission is only checked.
"""

from __future__ import annotations

import gc
import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from ..formats.format import LINES, Format, Items
from ..formats.problems import Problem, ReferenceFileError
from ..formats.tables import Table, csv_text
from ..formats.text import Files, read_folder
from ..task import Task

PART_FILE = "part.txt"
ITEMS_FOLDER = "items"

OPEN, SEALED = "open", "sealed"
"""The parts of a set with a sealed share."""

HOME = "home"
"""The part of a set of which a platform has no label."""


@contextmanager
def collection_paused() -> Iterator[None]:
    """Suspend Python's search for cycles of objects, which takes most of the time where millions of lists are made.

    It is a context or a decorator. Objects that are in no cycle are freed nevertheless.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Reference(NamedTuple):
    """The reference for reading and scoring submissions.

    Attributes
    ----------
    labels
        The gold standard, as the task's format returns it; None for the part `HOME`.
    items
        The items that a submission must answer: those of the whole set, even if only a part has labels.
    part
        The part with labels, `OPEN` or `SEALED`; `HOME` if nothing has labels; empty if the whole set has labels.
    files
        The files with the labels, `name -> content`, or a `Table` in place of a content.
    """

    labels: Any
    items: Items
    part: str = ""
    files: Mapping[str, Any] = MappingProxyType({})

    @property
    def fingerprint(self) -> str:
        """The fingerprint of the files with the labels."""
        return fingerprint(self.files)

    @collection_paused()
    def label_fingerprint(self, form: Format) -> str:
        """SHA-256 (hexadecimal) of the labels as the task reads them, with the items in the order of their ids.

        It is the same for files, data frames and lists of the same labels. Labels of a type that is not known are
        replaced by the files.
        """
        ids = self.labels.items.ids
        digest = hashlib.sha256()
        try:
            by_id = form.take_reference(self.labels, sorted(range(len(ids)), key=ids.__getitem__))
            for piece in _pieces(by_id):
                digest.update(piece.encode())
        except (TypeError, RecursionError):
            return self.fingerprint
        return digest.hexdigest()


_PIECE = 1 << 13
"""Entries of labels that are written at a time."""


def _pieces(value: Any) -> Iterator[str]:
    """Yield a part of labels as JSON with sorted keys, in pieces: the whole text of large sets needs much memory."""
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0):
        yield "["
        for start in range(0, len(value), _PIECE):
            piece = json.dumps(value[start : start + _PIECE], default=_plain, sort_keys=True)
            yield f"{', ' if start else ''}{piece[1:-1]}"
        yield "]"
    elif isinstance(value, dict) and all(isinstance(key, str) for key in value):
        yield "{"
        for number, key in enumerate(sorted(value)):
            yield f"{', ' if number else ''}{json.dumps(key)}: "
            yield from _pieces(value[key])
        yield "}"
    elif value is None or isinstance(value, (str, int, float, dict)):
        yield json.dumps(value, default=_plain, sort_keys=True)
    else:
        yield from _pieces(_plain(value))


def _plain(value: Any) -> Any:
    """A part of labels as JSON has it. All numbers of arrays are floats; the numbers of lines are left out."""
    if isinstance(value, np.ndarray):
        return (value + 0.0 if value.dtype.kind in "biuf" else value).tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, (set, frozenset)):
        return sorted(value)
    attributes = dict(value) if isinstance(value, Mapping) else vars(value)
    if LINES in attributes.get("texts", ()):
        attributes = {**attributes, "texts": {**attributes["texts"], LINES: None}}
    return attributes


def read_reference(task: Task, folder: Path) -> Reference:
    """Read the reference in a folder; see `parse_reference`."""
    files = read_folder(folder, (*task.format.reference_files, PART_FILE), error=ReferenceFileError)
    if PART_FILE in files:
        items = read_folder(folder / ITEMS_FOLDER, task.format.list_files)
        files.update({f"{ITEMS_FOLDER}/{name}": content for name, content in items.items()})
    return parse_reference(task, files)


@collection_paused()
def parse_reference(task: Task, files: Mapping[str, Any]) -> Reference:
    """Read the reference from files, `name -> content`, or a `Table` in place of a content.

    Raises
    ------
    FileProblems
        A file is not valid.
    ValueError
        The labels and the items belong to different sets.
    """
    own = {name: files[name] for name in task.format.reference_files if name in files}
    if PART_FILE not in files:
        labels = task.format.read_reference(files)
        return Reference(labels, labels.items, files=own)
    part = files[PART_FILE].decode("utf-8").strip()
    place = f"{ITEMS_FOLDER}/"
    public = {name[len(place) :]: content for name, content in files.items() if name.startswith(place)}
    items = replace(task.format.read_items(public), class_sizes=None)
    if part == HOME:
        return Reference(None, items, part)
    labels = task.format.read_reference(files)
    if part not in (OPEN, SEALED) or not set(labels.items.ids) <= set(items.ids):
        raise ValueError(f"{PART_FILE}, {ITEMS_FOLDER}/ and the labels do not belong to the same set")
    return Reference(labels, items, part, own)


def without_invalid_rows(task: Task, files: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """The files of a reference without the rows that are refused, and the problems of these rows.

    The rows of a text become empty lines, so that all others keep their line numbers.

    Raises
    ------
    ReferenceFileError
        Problems remain that leaving out rows does not solve.
    """
    kept = dict(files)
    left_out: list[Problem] = []
    while True:
        try:
            task.format.read_reference(kept)
            return kept, left_out
        except ReferenceFileError as error:
            rows = [each for each in error.problems if each.line is not None and each.code not in NO_ROW]
            if not rows:
                raise
            left_out += rows
            for file in {problem.file for problem in rows}:
                kept[file] = _without(kept[file], {each.line for each in rows if each.file == file})


def _without(content: Any, lines: Collection[Any]) -> Any:
    if isinstance(content, Table):
        return content.without(lines)
    kept = (b"" if line in lines else text for line, text in enumerate(content.split(b"\n"), 1))
    return b"\n".join(kept)


NO_ROW = {"missing_column", "duplicate_column", "not_utf8", "nul_byte", "carriage_return", "file_too_large"}
"""Problems of the whole file that are reported at a line: leaving out the line would not fix them."""


def parse_shortened(task: Task, files: Mapping[str, Any], whole: Mapping[str, Any]) -> Reference:
    """The reference in files from which rows were left out. A submission may answer the items of these rows, too.

    Parameters
    ----------
    whole
        The files with all rows.
    """
    short = parse_reference(task, files)
    rows = task.format.rows(whole)
    ids = dict.fromkeys(item for lines in rows.values() for item in lines.values() if item)
    if not ids.keys() >= set(short.labels.items.ids):  # the rows are not the items
        return short
    return short._replace(items=replace(short.items, ids=tuple(ids)))


def read_items(task: Task, folder: Path) -> Items:
    """Read the public items in a folder.

    Raises
    ------
    FileProblems
        A file is not valid.
    """
    return task.format.read_items(read_folder(folder, task.format.list_files))


@collection_paused()
def read_submission(task: Task, files: Files, reference: Reference) -> Any:
    """Read a submission, check its answers to all items of the set, and return those to the items with labels.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    return labelled(task, task.format.read_submission(files, reference.items), reference)


def labelled(task: Task, submission: Any, reference: Reference) -> Any:
    """The answers of a complete submission to the items with labels; all answers if there are no labels."""
    if reference.labels is None or reference.items.ids == reference.labels.items.ids:
        return submission
    place = {item: index for index, item in enumerate(reference.items.ids)}
    return task.format.take(submission, [place[item] for item in reference.labels.items.ids])


def fingerprint(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hexadecimal) of the names and contents of a reference's files, in the order of the names.

    The ends of lines, a missing one at the end and a byte order mark do not change it: Git and editors change them.
    """
    digest = hashlib.sha256()
    for file in sorted(files):
        content = _as_checked_in(files[file])
        digest.update(b"%d %s %d " % (len(file.encode()), file.encode(), len(content)))
        digest.update(content)
    return digest.hexdigest()


def _as_checked_in(content: Any) -> bytes:
    if isinstance(content, Table):
        return csv_text([content.columns, *zip(*content.columns.values())]).encode("utf-8", "surrogatepass")
    text: bytes = content[3 * content.startswith(b"\xef\xbb\xbf") :].replace(b"\r\n", b"\n")
    return text if not text or text.endswith(b"\n") else text + b"\n"


def items_fingerprint(items: Sequence[str]) -> str:
    """SHA-256 (hexadecimal) of a set's public item ids, sorted."""
    return hashlib.sha256("\n".join(sorted(items)).encode()).hexdigest()
