"""A reference as the programs find it: labels, and the items that a submission must answer.

Of a set with a sealed share the platform has the labels of the open part alone. Beside them lie the part's name, in
`part.txt`, and the public items of the whole set, in `items/`: a submission answers every item and is checked against
all of them, then scored on those of the part. So nothing that is said of it tells which items these are.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from ..formats.files import Files, read_folder
from ..formats.format import Items
from ..formats.problems import ReferenceFileError
from ..task import Task

PART_FILE = "part.txt"
ITEMS_FOLDER = "items"

OPEN, SEALED = "open", "sealed"
"""The parts of a set with a sealed share."""


class Reference(NamedTuple):
    """What a submission is read and scored against.

    Attributes
    ----------
    labels: the gold standard, as the task's format reads it.
    items: what a submission answers: the items of the labels, or of the whole set where these are those of a part.
    part: `OPEN` or `SEALED`; empty where the labels are those of the whole set.
    fingerprint: of the files with the labels.
    """

    labels: Any
    items: Items
    part: str = ""
    fingerprint: str = ""


def read_reference(task: Task, folder: Path) -> Reference:
    """The reference in a folder; see `parse_reference`."""
    files = read_folder(folder, (*task.format.reference_files, PART_FILE), error=ReferenceFileError)
    if PART_FILE in files:
        items = read_folder(folder / ITEMS_FOLDER, task.format.list_files)
        files.update({f"{ITEMS_FOLDER}/{name}": content for name, content in items.items()})
    return parse_reference(task, files)


def parse_reference(task: Task, files: Mapping[str, bytes]) -> Reference:
    """The reference in some files, `name -> content`.

    Raises
    ------
    FileProblems: from the task's readers.
    ValueError: labels of items that are not the set's.
    """
    labels = task.format.read_reference(files)
    known = fingerprint({name: files[name] for name in task.format.reference_files})
    if PART_FILE not in files:
        return Reference(labels, labels.items, fingerprint=known)
    part = files[PART_FILE].decode("utf-8").strip()
    place = f"{ITEMS_FOLDER}/"
    public = {name[len(place) :]: content for name, content in files.items() if name.startswith(place)}
    items = replace(task.format.read_items(public), class_sizes=None)
    if part not in (OPEN, SEALED) or not set(labels.items.ids) <= set(items.ids):
        raise ValueError(f"{PART_FILE}, {ITEMS_FOLDER}/ and the labels are not of one set")
    return Reference(labels, items, part, known)


def read_items(task: Task, folder: Path) -> Items:
    """The public items in a folder.

    Raises
    ------
    FileProblems: from the task's readers.
    """
    return task.format.read_items(read_folder(folder, task.format.list_files))


def read_submission(task: Task, files: Files, reference: Reference) -> Any:
    """A submission's answers to the items of the labels, checked as answers to all items of the set.

    Raises
    ------
    SubmissionError: with every problem.
    """
    return labelled(task, task.format.read_submission(files, reference.items), reference)


def labelled(task: Task, submission: Any, reference: Reference) -> Any:
    """Of a submission that answers all items of the set, what it says of those of the labels."""
    if not reference.part:
        return submission
    place = {item: index for index, item in enumerate(reference.items.ids)}
    return task.format.take(submission, [place[item] for item in reference.labels.items.ids])


def fingerprint(files: Mapping[str, bytes]) -> str:
    """SHA-256 (hexadecimal) of a reference's files: of their names and contents, in the order of the names."""
    digest = hashlib.sha256()
    for file in sorted(files):
        digest.update(b"%d %s %d " % (len(file.encode()), file.encode(), len(files[file])))
        digest.update(files[file])
    return digest.hexdigest()


def items_fingerprint(items: Sequence[str]) -> str:
    """SHA-256 (hexadecimal) of a set's public item ids, in the order of their names."""
    return hashlib.sha256("\n".join(sorted(items)).encode()).hexdigest()
