"""What every task's files come to: items that everybody knows, and four functions that read and write them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, NamedTuple

from .files import Files
from .tables import Layout


@dataclass(frozen=True)
class Items:
    """What everybody knows of a set: the ids of its n items, in the order in which they are scored.

    Attributes
    ----------
    ids: n ids.
    class_sizes: where the organiser tells it, how many items each class has, `{"correct": 740, "incorrect": 260}`.
    latest: of recordings, a time in ms after which nothing is scored in any of them.
    """

    ids: tuple[str, ...]
    class_sizes: Mapping[str, int] | None = None
    latest: float | None = None

    def __len__(self) -> int:
        return len(self.ids)


def _no_part(reference: Any, places: Sequence[int]) -> Any:
    raise NotImplementedError("a row of the counts is an item, or of items that cannot be scored apart")


class Format(NamedTuple):
    """The files of a task, and how they are taken apart where a share of a set is sealed.

    Attributes
    ----------
    layouts: how each of the reference's files is written.
    submission_file: name of a submission's only file, or None where it has one for each item.
    list_files: names of the public files that items are read from.
    read_reference: the reference's files, `name -> content` -> reference, with its `items`; raises ReferenceFileError.
    public_files: reference, options -> the files that participants and the ingestion program get, `name -> content`.
    read_items: those of `list_files` that are there, `name -> content` -> items; raises FileProblems.
    read_submission: a submission's files, items -> submission; raises SubmissionError.
    rows: the reference's files -> of each of them the lines that hold labels, by their numbers from 1: `name ->
        {line: the item, or the unit where a line is one of several of a unit}`.
    take: submission, places of items -> what it says of these items, in the order of the places.
    headerless: the columns, by their number, of a reference that may have no header row.
    item_rows: where items can be scored apart though a row of the counts is of several, reference -> of each of its
        files the lines of the items, in the form of `rows`; else nothing.
    take_reference: reference, places of such items -> the reference of these alone, in the order of the places.
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
    headerless: Mapping[int, tuple[str, ...]] = MappingProxyType({})
    item_rows: Callable[[Any], dict[str, dict[int, str]]] = lambda reference: {}
    take_reference: Callable[[Any, Sequence[int]], Any] = _no_part

    @property
    def reference_files(self) -> tuple[str, ...]:
        """The names of the reference's files."""
        return tuple(layout.file for layout in self.layouts)
