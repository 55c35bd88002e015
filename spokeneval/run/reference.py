"""A reference as the programs find it: labels, and the items that a submission must answer.

Of a set with a sealed share the platform has the labels of the open part alone. Beside them lie the part's name, in
`part.txt`, and the public items of the whole set, in `items/`: a submission answers every item and is checked against
all of them, then scored on those of the part. So nothing that is said of it tells which items these are.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple, Optional

from ..formats.format import Items
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
    fingerprint: of the files.
    """

    labels: Any
    items: Items
    part: str = ""
    fingerprint: str = ""


_KEPT: dict[Path, Any] = {}


def keep(task: Task, folder: str) -> None:
    """Read what a program finds in its first folder, so that this process, and every copy of it, need not again.

    For whoever runs a program many times on the same reference: every submission that is scored, or checked, afterwards
    is held against the files as they are now.

    Parameters
    ----------
    folder: `INPUT_DIR` of a scoring program, `INPUT_DATA_DIR` of an ingestion program.

    Raises
    ------
    FileProblems, ValueError: as `read_reference` and the task's readers.
    """
    place = Path(folder).resolve()
    if (place / "ref").is_dir():
        _KEPT[(place / "ref").resolve()] = read_reference(task, place / "ref")
        importlib.import_module("...report.results", __name__)
    else:
        _KEPT[place] = read_items(task, place)


def read_items(task: Task, directory: Path) -> Items:
    """The public items in a folder.

    Raises
    ------
    FileProblems: from the task's readers.
    """
    known: Optional[Items] = _KEPT.get(directory.resolve())
    return known or task.format.read_items(directory)


def read_reference(task: Task, directory: Path) -> Reference:
    """The reference in a folder.

    Raises
    ------
    FileProblems: from the task's readers.
    ValueError: labels of items that are not the set's.
    """
    known: Optional[Reference] = _KEPT.get(directory.resolve())
    return known or _read_reference(task, directory)


def _read_reference(task: Task, directory: Path) -> Reference:
    labels = task.format.read_reference(directory)
    known = fingerprint({file.name: file.read_bytes() for file in directory.iterdir() if file.is_file()})
    if not (directory / PART_FILE).is_file():
        return Reference(labels, labels.items, fingerprint=known)
    part = (directory / PART_FILE).read_text(encoding="utf-8").strip()
    items = replace(task.format.read_items(directory / ITEMS_FOLDER), class_sizes=None)
    if part not in (OPEN, SEALED) or not set(labels.items.ids) <= set(items.ids):
        raise ValueError(f"{PART_FILE}, {ITEMS_FOLDER}/ and the labels are not of one set")
    return Reference(labels, items, part, known)


def read_submission(task: Task, files: Mapping[str, Path], reference: Reference) -> Any:
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
