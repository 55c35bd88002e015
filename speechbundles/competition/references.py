"""Reference sets: the organiser's files, read by the very reader that will score against them.

What participants may know of a set (the item list, the class sizes) is derived from it here, never typed twice.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from speechbundles.competition.intake.reference import read_tables
from speechbundles.competition.intake.table import OwnTable
from speechbundles.competition.set_facts import SetFacts, set_facts
from speechbundles.model.errors import BadReference, UnreadableFile
from spokeneval.formats.format import Format
from spokeneval.formats.problems import ReferenceFileError, count_of
from spokeneval.formats.tables import Layout
from spokeneval.run.reference import Reference, fingerprint
from spokeneval.task import Task
from spokeneval.tasks import find_task

MOST_REASONS = 20
"""Of the rows that were left out, so many are told one by one."""


@dataclass(frozen=True)
class ReferenceSet:
    """One set of a task.

    Attributes
    ----------
    files: the reference's own files, `name -> content`, as they go into the reference data.
    public: the files that participants and the ingestion program get, `name -> content`.
    items: the ids of its items.
    source: where the organiser has it.
    facts: what pages tell of it; of the whole set where a share is sealed.
    options: the task's, as the organiser chose them.
    dropped: what was left out knowingly: how many rows, of which classes, then the first of them with their reasons.
    gold: the labels, as they were read from the files.
    at_home: where a share is sealed, so that `files` hold the labels of the open part alone, what the organiser keeps,
        `name -> content`: `all/`, the whole reference, and `sealed/`, that of the sealed part.
    """

    task: str
    name: str
    files: Mapping[str, bytes]
    public: Mapping[str, bytes]
    items: tuple[str, ...]
    source: Path = field(compare=False)
    facts: SetFacts
    gold: Reference = field(compare=False, repr=False)
    options: Mapping[str, str] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    at_home: Mapping[str, bytes] = field(default_factory=dict, repr=False)

    @property
    def fingerprint(self) -> str:
        return self.gold.fingerprint

    @property
    def rules(self) -> Task:
        """Its task, as the organiser's options have it."""
        return find_task(self.task).with_options(self.options)

    @property
    def rows(self) -> set[str]:
        """The files' rows as they stand, but for the first of each, mostly a header."""
        return _rows(self.files)

    @property
    def sealed_rows(self) -> set[str]:
        """The rows that no platform may have; none where nothing is sealed."""
        return _rows(self.at_home) - self.rows


def _rows(files: Mapping[str, bytes]) -> set[str]:
    rows = set()
    for content in files.values():
        lines = [line.strip() for line in content.decode("utf-8-sig").split("\n")]
        rows.update([line for line in lines if line][1:])
    return rows


def load_reference(
    task: str,
    name: str,
    path: Path,
    options: Mapping[str, str],
    *,
    drop_invalid_rows: bool = False,
    log: Callable[[str], None] = lambda understood: None,
) -> ReferenceSet:
    """Read a set from a folder with the reference's files, or from the file itself where a task has just one.

    Parameters
    ----------
    log: takes what was understood of each file, before its rows are checked.

    Raises
    ------
    BadReference: files missing or unusable, with every row that is wrong.
    """
    rules = find_task(task).with_options(options)
    task_format = rules.format
    try:
        tables = read_tables(task, path)
    except OSError as error:
        raise BadReference(f"{error.filename or path}: {error.strerror}") from None
    except UnreadableFile as error:
        raise BadReference(str(error)) from None
    except ReferenceFileError as error:
        raise BadReference(_describe_refusal(path, task, name, error, [], False)) from None
    for source, table in tables:
        log(f"{task}/{name}: {source}: {table.understood}")
    dropped: dict[str, set[int]] = {table.file: set() for _, table in tables}
    reasons: list[str] = []
    while True:
        checked = {table.file: table.to_check(dropped[table.file]) for _, table in tables}
        try:
            labels = _check(task_format, tables, dropped, checked)
            break
        except ReferenceFileError as error:
            rows = [
                problem
                for problem in error.problems
                if problem.code not in _NO_ROW and problem.line and problem.line not in dropped[problem.file]
            ]
            if not (drop_invalid_rows and rows):
                raise BadReference(_describe_refusal(path, task, name, error, reasons, bool(rows))) from None
            for problem in rows:
                reasons.append(f"{problem.file} line {problem.line}: {problem.message}")
                dropped[problem.file].add(problem.line or 0)
    files = {table.file: table.to_ship(dropped[table.file]) for _, table in tables}
    if files != checked:  # its rows are in other lines
        labels = task_format.read_reference(files)
    public = task_format.public_files(labels, options)
    read = [
        (layout, table, dropped[table.file])
        for layout, (_, table) in zip(rules.format.layouts, tables, strict=True)
    ]
    return ReferenceSet(
        task=task,
        name=name,
        files=files,
        public=public,
        items=tuple(labels.items.ids),
        source=path,
        facts=set_facts(rules.units(labels), public, read),
        gold=Reference(labels, labels.items, fingerprint=fingerprint(files)),
        options=options,
        dropped=tuple(_describe_dropped(read, reasons)),
    )


def _check(
    task_format: Format,
    tables: Sequence[tuple[Path, OwnTable]],
    dropped: Mapping[str, set[int]],
    files: Mapping[str, bytes],
) -> Any:
    """The labels in the files without the lines that are dropped, each row in its line.

    Raises
    ------
    ReferenceFileError: with the problems of lines that gave no row, too.
    """
    problems = [
        problem
        for _, table in tables
        for problem in table.unreadable
        if problem.line not in dropped[table.file]
    ]
    labels = None
    try:
        labels = task_format.read_reference(files)
    except ReferenceFileError as error:
        problems += error.problems
    if problems:
        raise ReferenceFileError(problems)
    return labels


def _describe_dropped(
    tables: Sequence[tuple[Layout, OwnTable, Collection[int]]], reasons: Sequence[str]
) -> Iterator[str]:
    """How many rows were left out, of which classes, and why: what is left is no fair sample of the whole."""
    for layout, table, lines in tables:
        if lines:
            total = len(table.rows) + len(table.unreadable)
            what = table.describe_lines(lines, layout.required)
            yield (
                f"{count_of(len(lines), 'row')} of the {total} in {table.file}, which biases the set"
                + (f" ({what})" if what else "")
            )
    yield from reasons[:MOST_REASONS]
    if len(reasons) > MOST_REASONS:
        yield f"{len(reasons) - MOST_REASONS} rows more"


_NO_ROW = {"missing_column", "duplicate_column", "not_utf8", "nul_byte", "carriage_return", "file_too_large"}
"""Problems with a line that are the whole file's: leaving the line out would not mend them."""


def _describe_refusal(
    path: Path, task: str, name: str, error: Exception, dropped: list[str], droppable: bool
) -> str:
    words = [f"{path}: reference of {task}, set {name}", str(error)]
    if dropped:
        words += [
            "",
            f"This is what is left after {count_of(len(dropped), 'row')} were left out:",
            *dropped[:MOST_REASONS],
        ]
    elif droppable:
        words += ["", "--drop-invalid-reference-rows leaves such rows out."]
    return "\n".join(words)
