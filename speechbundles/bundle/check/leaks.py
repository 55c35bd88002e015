"""Searches public files for hidden labels: copied files, labels beside their items, and items sorted by label.

The content of sound and images, and the modules of `spokeneval`, are not searched.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from speechbundles.bundle.check.declared_scores import options_of
from speechbundles.bundle.check.inspection import CheckedTask, Contents
from speechbundles.bundle.check.label_match import (
    ITEMS_ONLY,
    LabelTable,
    columns_in_ids,
    in_words,
    match_text,
    read_table,
    read_words,
)
from speechbundles.bundle.check.seal import SealedSet, check_sealed_rows, is_part, without_items
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.description import KNOWN_COLUMNS, described_task, read_description
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.finding import Report
from speechbundles.model.tabular import WORKBOOK
from spokeneval.formats.problems import quote
from spokeneval.formats.speakers import LEVEL, MEAN_OVER
from spokeneval.formats.tables import id_columns
from spokeneval.scoring.reference import fingerprint

_MOST_COLUMNS = 1000  # of a hidden reference; each is searched for in all public files
_HEADER = 1000  # bytes at the beginning of a public item list that contain the names of its columns
_PUBLIC = re.compile("develop|sample|train|public", re.IGNORECASE)
"""In the names of reference data that participants have, if there are no options."""
_NO_LABELS = re.compile(r"readme|licen[cs]e|copying|notice|authors|\.git", re.IGNORECASE)
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}(WAVE|WEBP)|fLaC\0|OggS\0|ID3[\2-\4]|\xff[\xf2\xf3\xfb]|NIST_1A\n",
    re.DOTALL,
)
"""The first bytes of images and recordings."""


def check_leaks(report: Report, bundle: Archive, contents: Contents, sealed: Mapping[str, SealedSet]) -> None:
    """Search all public files for the labels of hidden references, and the whole bundle for sealed labels."""
    if sealed:
        answers = tuple(f"{name}/" for name in contents.solutions)
        files = _with_nested(report, bundle, depth=2).files.items()
        searched = {name: data for name, data in files if not name.startswith(answers)}
        check_sealed_rows(report, searched, sealed.values())
    hidden = _hidden_references(contents)
    if not hidden:
        return
    lists, public, solutions = (
        [_with_nested(report, archive) for archive in archives.values()]
        for archives in (contents.item_lists, contents.public, contents.solutions)
    )
    copies: dict[bytes, tuple[str, bool]] = {}
    references: list[LabelTable] = []
    for each in hidden:
        kept = sealed.get(each.archive.name)
        secret = _with_nested(report, kept.whole if kept else each.archive).files
        _add_labels(report, secret, copies, references, each)
    openings = b"\n".join(data[:_HEADER] for archive in lists for data in archive.files.values())
    header = f" {' '.join(in_words(openings.decode('utf-8', 'replace')))} "
    columns = {name: f" {' '.join(in_words(name))} " for table in references for name in table.columns}
    carried = {name for name, words in columns.items() if words in header}
    for place, table in enumerate(references):
        in_ids = columns_in_ids(table, carried)
        for name, item in in_ids.items():
            what = f"{name!r} of {table.where} follows from the ids themselves, such as {quote(item, 60)}"
            report.add(table.code("leak-id", name), table.where, what)
        references[place] = replace(table, known={*table.known, *in_ids})
    names = {head or tail for table in references for key in table.keys for head, tail in key.ids}
    shown = {archive.name: archive.files for archive in (*lists, *public)}
    sources = [*((files, False) for files in shown.values()), (contents.pages, False)]
    sources += [(archive.files, True) for archive in solutions]
    for texts, predicted in sources:
        for name in [name for name, data in texts.items() if data in copies]:
            file, declared = copies[texts[name]]
            code = "leak-file" if declared else "leak-file-doubtful"
            report.add(code, name, f"has the same bytes as {file} of a hidden reference")
        others = {name: data for name, data in texts.items() if data not in copies}
        for where, words in _texts(report, others, names, references):
            for table in references:
                match_text(report, where, words, table, carried, predicted)


def _add_labels(
    report: Report,
    files: Mapping[str, bytes],
    copies: dict[bytes, tuple[str, bool]],
    tables: list[LabelTable],
    hidden: "_Hidden",
) -> None:
    """Add the names of the files with hidden labels, by their content, and these files as tables.

    Licences and lists of items are left out.
    """
    for where, data in files.items():
        name = posixpath.basename(where)
        if len(data) < 16 or _NO_LABELS.match(name):
            continue
        table = _read(report, partial(read_table, sample=True), where, data)
        if table is None or not all(map(ITEMS_ONLY.fullmatch, table.columns)):
            copies[data] = name, hidden.declared
            if table and len(table.columns) > _MOST_COLUMNS:
                code = "leak-unsearched" if hidden.declared else "leak-unsearched-doubtful"
                report.add(code, where, f"{len(table.columns)} columns of a hidden reference")
            elif table:
                id, scored = hidden.columns.get(name, ((), None))
                table = replace(table, declared=hidden.declared, id=id, scored=scored, known=hidden.known)
                tables.append(table)
                if scored and not table.keys:
                    report.add("leak-unsearched", where, "no column names its items")


def _texts(
    report: Report, files: Mapping[str, bytes], names: Collection[str], tables: Sequence[LabelTable]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the words of each text. Files that are named after items are joined, with their names, to one text."""
    together: dict[str, list[str]] = {}
    for where, data in files.items():
        stem, suffix = posixpath.splitext(where)
        if "/spokeneval/" in where and suffix == ".py":
            continue
        words = _read(report, partial(read_words, tables=tables), where, data)
        name = in_words(posixpath.basename(stem))
        if words and " ".join(name) in names:
            together.setdefault(f"{posixpath.dirname(where)}/*{suffix}", []).extend([*name, *words])
        elif words:
            yield where, words
    yield from together.items()


def _read(report: Report, read: Callable[[str, bytes], Any], where: str, data: bytes) -> Any:
    """Read a text or workbook. Sound and images are skipped; other files get a finding."""
    try:
        return None if _is_zip(where, data) or _MEDIA.match(data) else read(where, data)
    except UnreadableFile as error:
        code = "leak-unsearched" if where.lower().endswith(WORKBOOK) else "leak-unsearched-doubtful"
        report.add(code, where, str(error))
        return None


class _Hidden(NamedTuple):
    """A reference with hidden labels.

    Attributes
    ----------
    declared: whether options say so; otherwise it is a guess.
    columns: the columns of ids and those with labels of each file, in small letters, as far as they are known.
    known: columns that participants may know, by the organiser's declaration.
    """

    archive: Archive
    declared: bool
    columns: Mapping[str, tuple[tuple[str, ...], Collection[str]]]
    known: Collection[str]


def _hidden(contents: Contents, task: CheckedTask, archive: Archive, *, is_declared: bool) -> _Hidden:
    program = contents.scoring_program(task)
    description = (read_description(program.archive) if program else None) or {}
    given = description.get(KNOWN_COLUMNS)
    known = {str(column).lower() for column in given} if isinstance(given, list) else ()
    try:
        definition = described_task(str(description.get("task")), description)
    except ValueError:  # `check_scores` reports it
        definition = None
    layouts = definition.format.layouts if definition else ()
    declared = definition.declaration if definition else {}
    mean = declared.get(MEAN_OVER)
    groups = [mean["column"] if isinstance(mean, Mapping) else mean]
    groups += map(declared.get, ("unit", "other_unit", LEVEL))
    columns = {}
    for layout in layouts:
        ids = id_columns(layout.id.lower())
        unscored = {*ids, *(str(column).lower() for column in (layout.id, *groups))}
        columns[layout.file] = ids, {*map(str.lower, layout.required)} - unscored
    return _Hidden(archive, is_declared, columns, known)


def _hidden_references(contents: Contents) -> list[_Hidden]:
    """Return the references with hidden labels."""
    hidden: dict[str, _Hidden] = {}
    fingerprints: dict[str, str] = {}  # thousands of tasks can name the same large file
    for task in contents.tasks:
        archive = task.parts.get("reference_data")
        if archive is None:
            continue
        options = options_of(contents, task)
        if options is None:
            public = _PUBLIC.search(f"{task.name} {archive.name}") is not None
        else:
            if archive.name not in fingerprints:
                files = {name: data for name, data in archive.files.items() if "/" not in name}
                fingerprints[archive.name] = fingerprint(files)
            public = fingerprints[archive.name] in options.public_references
        if not public:
            labels = without_items(archive) if is_part(archive) else archive
            hidden[archive.name] = _hidden(contents, task, labels, is_declared=options is not None)
    return list(hidden.values())


def _with_nested(report: Report, archive: Archive, *, depth: int = 1) -> Archive:
    """Return the archive's files by their full names, including those of zips inside it down to this depth."""
    files: dict[str, bytes] = {}
    for name, data in archive.files.items():
        where = archive.where(name)
        files[where] = data
        if not _is_zip(name, data):
            continue
        nested = open_archive(Report(), where, data, archive.room) if depth else None
        if nested is None:
            what = "a zip that cannot be read, is too large, or is too deep in other zips"
            report.add("leak-unsearched", where, what)
        else:
            files.update(_with_nested(report, nested, depth=depth - 1).files)
    return Archive(archive.name, files, archive.room)


def _is_zip(name: str, data: bytes) -> bool:
    """Return whether a file is a zip whose files are searched instead."""
    is_workbook = name.lower().endswith(WORKBOOK)
    return name.lower().endswith(".zip") or (data.startswith(b"PK\3\4") and not is_workbook)
