"""The file format of a task: its public items, and the functions that read and write its files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Callable, NamedTuple, Optional

from .files import Files
from .tables import Layout


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
