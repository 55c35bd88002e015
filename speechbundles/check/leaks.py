"""Searches public files for hidden labels: copied files, labels beside their items, or the order of the items.

Sound, images and the modules of `spokeneval` are not searched.
"""

import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import chain
from typing import Any

from speechbundles.check.inspection import BuiltTask, Contents
from speechbundles.check.label_match import ITEMS_ONLY, Table, in_words, match_text, read_table, read_words
from speechbundles.check.scores import options_of
from speechbundles.check.seal import SealedSet, check_sealed_rows, is_part, without_items
from speechbundles.model.archive import Archive, open_archive
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.finding import Report
from speechbundles.model.tabular import WORKBOOK
from spokeneval.run.reference import fingerprint

_MOST_COLUMNS = 30  # of a hidden reference; each is searched for in all public files
_HEADER = 1000  # bytes at the beginning of a public item list that contain the names of its columns
_NO_LABELS = re.compile(r"readme|licen[cs]e|copying|notice|authors", re.IGNORECASE)
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}(WAVE|WEBP)|fLaC\0|OggS\0|ID3[\2-\4]|\xff[\xf2\xf3\xfb]|NIST_1A\n",
    re.DOTALL,
)
"""The first bytes of images and recordings."""


def check_leaks(report: Report, bundle: Archive, contents: Contents, sealed: Mapping[str, SealedSet]) -> None:
    """Search all public files for the labels of hidden references, and the whole bundle for sealed labels."""
    if sealed:
        files = _with_nested(report, bundle, depth=2)
        answers = tuple(f"{name}/" for name in contents.solutions)
        searched = {name: data for name, data in files.items() if not name.startswith(answers)}
        check_sealed_rows(report, searched, sealed.values())
    hidden = [
        sealed[archive.name].whole if archive.name in sealed else archive
        for archive in _hidden_references(contents)
    ]
    if not hidden:
        return
    lists, public, solutions = (
        {name: _with_nested(report, archive) for name, archive in archives.items()}
        for archives in (contents.item_lists, contents.public, contents.solutions)
    )
    secret = chain(*(_with_nested(report, archive).items() for archive in hidden))
    copies, references = _labels(report, dict(secret))
    openings = b"\n".join(data[:_HEADER] for files in lists.values() for data in files.values())
    header = " ".join(["", *in_words(openings.decode("utf-8", "replace")), ""])
    columns = chain(*(table.columns for table in references))
    carried = {name for name in columns if " ".join(["", *in_words(name), ""]) in header}
    names = {head or tail for table in references for key in table.keys for head, tail in key.ids}
    sources = [(files, False) for files in (*{**lists, **public}.values(), contents.pages)]
    for files, predicted in [*sources, *((files, True) for files in solutions.values())]:
        for name in [name for name, data in files.items() if data in copies]:
            report.add(
                "leak-file", name, f"has the same bytes as {copies[files[name]]} of a hidden reference"
            )
        others = {name: data for name, data in files.items() if data not in copies}
        for where, words in _texts(report, others, names):
            for table in references:
                match_text(report, where, words, table, carried, predicted)


def _labels(report: Report, files: Mapping[str, bytes]) -> tuple[dict[bytes, str], list[Table]]:
    """Return the names of the files with hidden labels, by their content, and these files as tables.

    Licences and lists of items are left out.
    """
    copies, tables = {}, []
    for where, data in files.items():
        name = posixpath.basename(where)
        if len(data) < 16 or _NO_LABELS.match(name):
            continue
        table = _read(report, read_table, where, data)
        if table is None or not all(map(ITEMS_ONLY.fullmatch, table.columns)):
            copies[data] = name
            if table and len(table.columns) > _MOST_COLUMNS:
                report.add("leak-unsearched", where, f"{len(table.columns)} columns of a hidden reference")
            elif table:
                tables.append(table)
    return copies, tables


def _texts(
    report: Report, files: Mapping[str, bytes], names: Collection[str]
) -> Iterator[tuple[str, list[str]]]:
    """Yield the words of each text. Files that are named after items are joined, with their names, to one text."""
    together: dict[str, list[str]] = {}
    for where, data in files.items():
        stem, suffix = posixpath.splitext(where)
        if "/spokeneval/" in where and suffix == ".py":
            continue
        words = _read(report, read_words, where, data)
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
        report.add("leak-unsearched", where, str(error))
        return None


def _hidden_references(contents: Contents) -> list[Archive]:
    hidden: dict[str, Archive] = {}
    fingerprints: dict[str, str] = {}  # thousands of tasks can name the same large file
    for task in contents.tasks:
        archive = task.parts.get("reference_data")
        if archive is not None and not _is_public(task, archive, contents, fingerprints):
            hidden[archive.name] = without_items(archive) if is_part(archive) else archive
    return list(hidden.values())


def _is_public(task: BuiltTask, reference: Archive, contents: Contents, fingerprints: dict[str, str]) -> bool:
    """Return whether the labels are declared public, in the options or, without options, by a name."""
    options = options_of(contents, task)
    if options is None:
        names = f"{task.name} {reference.name}"
        return re.search(r"develop|sample|train|public", names, re.IGNORECASE) is not None
    if reference.name not in fingerprints:
        files = {name: data for name, data in reference.files.items() if "/" not in name}
        fingerprints[reference.name] = fingerprint(files)
    return fingerprints[reference.name] in options.public_references


def _with_nested(report: Report, archive: Archive, *, depth: int = 1) -> dict[str, bytes]:
    """Return the archive's files by their full names, including those of zips inside it down to this depth."""
    files = {}
    for name, data in archive.files.items():
        files[archive.where(name)] = data
        if _is_zip(name, data):
            nested = open_archive(Report(), archive.where(name), data, archive.room) if depth else None
            if nested is None:
                what = "a zip that cannot be read, is too large, or is too deep in other zips"
                report.add("leak-unsearched", archive.where(name), what)
            else:
                files.update(_with_nested(report, nested, depth=depth - 1))
    return files


def _is_zip(name: str, data: bytes) -> bool:
    """Return whether a file is a zip whose files are searched instead."""
    return name.lower().endswith(".zip") or (
        data.startswith(b"PK\3\4") and not name.lower().endswith(WORKBOOK)
    )
