"""Hidden labels in what participants can get: whole files, columns of tables, or the order of the items."""

import posixpath
import re
from collections.abc import Mapping
from dataclasses import dataclass

from speechbundles.check.inspection import BuiltTask, Contents
from speechbundles.check.label_match import FEWEST_SHARED, ITEMS_ONLY, match_table
from speechbundles.check.scores import options_of
from speechbundles.check.seal import SealedSet, check_sealed_rows, is_part, without_items
from speechbundles.check.text_tables import NO_TABLES, is_zip, items_told, read_tables
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.finding import Report
from spokeneval.run.reference import fingerprint

MOST_COLUMNS = 30
"""Of a hidden reference: each is held against each column of all that is public."""

_NO_LABELS = re.compile(r"readme|licen[cs]e|copying|notice|authors", re.IGNORECASE)


@dataclass(frozen=True)
class Source:
    """Files that participants can get. What is predicted may agree with the labels, if not entirely."""

    files: dict[str, bytes]
    is_prediction: bool = False


def check_leaks(report: Report, bundle: Archive, contents: Contents, sealed: Mapping[str, SealedSet]) -> None:
    """Search everything public for the labels of every hidden reference, and the whole bundle for what is sealed."""
    if sealed:
        check_sealed_rows(report, _with_nested(report, bundle, depth=2), sealed.values())
    hidden = [
        sealed[archive.name].whole if archive.name in sealed else archive
        for archive in _hidden_references(contents)
    ]
    if not hidden:
        return
    lists = {name: _with_nested(report, archive) for name, archive in contents.item_lists.items()}
    public = {name: _with_nested(report, archive) for name, archive in contents.public.items()}
    sources = [Source(files) for files in {**lists, **public}.values()]
    sources.append(Source(dict(contents.pages)))
    sources += [
        Source(_with_nested(report, archive), is_prediction=True) for archive in contents.solutions.values()
    ]
    carried = {
        column
        for files in lists.values()
        for table in read_tables(Report(), files)
        for column in table.columns
    }
    copies = {
        data: name
        for archive in hidden
        for name, data in archive.files.items()
        if _can_hold_label(name, data)
    }
    references = []
    for archive in hidden:
        for table in read_tables(report, _with_nested(report, archive)):
            if len(table.columns) <= MOST_COLUMNS:
                references.append(table)
            else:
                report.add(
                    "leak-unsearched", table.where, f"{len(table.columns)} columns of a hidden reference"
                )
    items = {
        item
        for reference in references
        for column in reference.unique
        if ITEMS_ONLY.fullmatch(column)
        for item in reference.columns[column]
    }
    for source in sources:
        original = {}
        for name, data in source.files.items():
            if data in copies:
                report.add("leak-file", name, f"the same bytes as {copies[data]} of a hidden reference")
            else:
                original[name] = data
                in_no_table = name.lower().endswith(NO_TABLES) and "/spokeneval/" not in name
                if in_no_table and (found := items_told(data, items)) >= FEWEST_SHARED:
                    report.add("leak-unsearched", name, f"{found} items of a hidden reference in no table")
        for table in read_tables(report, original):
            for reference in references:
                match_table(report, reference, table, carried, source.is_prediction)


def _hidden_references(contents: Contents) -> list[Archive]:
    hidden: dict[str, Archive] = {}
    for task in contents.tasks:
        archive = task.parts.get("reference_data")
        if archive is not None and not _is_public(task, archive, contents):
            hidden[archive.name] = without_items(archive) if is_part(archive) else archive
    return list(hidden.values())


def _is_public(task: BuiltTask, reference: Archive, contents: Contents) -> bool:
    """Whether the organiser declared the labels public; a name says so where no options do."""
    options = options_of(contents, task)
    if options is None:
        return (
            re.search(r"develop|sample|train|public", f"{task.name} {reference.name}", re.IGNORECASE)
            is not None
        )
    files = {name: data for name, data in reference.files.items() if "/" not in name}
    return fingerprint(files) in options.public_references


def _with_nested(report: Report, archive: Archive, *, depth: int = 1) -> dict[str, bytes]:
    """The archive's files by their full names, those of zips inside it included, so many zips deep."""
    files = {}
    for name, data in archive.files.items():
        files[archive.where(name)] = data
        if name.lower().endswith(".zip") or is_zip(name, data):
            nested = open_archive(Report(), archive.where(name), data, archive.room) if depth else None
            if nested is None:
                what = "a zip that cannot be read, or too large, or too deep in other zips"
                report.add("leak-unsearched", archive.where(name), what)
            else:
                files.update(_with_nested(report, nested, depth=depth - 1))
    return files


def _can_hold_label(name: str, data: bytes) -> bool:
    """Whether a file of a reference can hold a label: no licence, no mere list of items."""
    if len(data) < 16 or _NO_LABELS.match(posixpath.basename(name)):
        return False
    tables = list(read_tables(Report(), {name: data}))
    return not tables or not all(ITEMS_ONLY.fullmatch(column) for column in tables[0].columns)
