"""Hidden labels in what participants can get: whole files, columns of tables, or the order of the items.

A column of a hidden reference is *secret* if no public item list (input data, public data) has a column of
that name, or if its name says that it is a label. Values are compared after case folding, numbers as numbers,
and up to a one-to-one renaming of classes (accept/reject for correct/incorrect).
"""

from __future__ import annotations

import csv
import io
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from spokeneval.results.options import fingerprint
from spokeneval.submissions.spoken_call import EDITIONS

from .bundle_files import Archive, open_archive
from .check_contents import Competition, Task, read_options, scoring_program
from .finding import Report

_LABELS = re.compile(
    r"language|meaning|labels?|language_tag|gold|target|truth|answer|class|y|reference|"
    r"(is_)?correct(ness)?|transcript(_arpabet)?|human(_?score|\d+)|score|rating"
)
_ITEMS_ONLY = re.compile(
    r"(.*_)?(id|name|start|end|onset|offset|duration|length|session|file|filename|wavfile|path|audio|region)"
)
_NO_LABELS = re.compile(r"readme|licen[cs]e|copying|notice|authors", re.IGNORECASE)
_TABLES = (".csv", ".tsv", ".txt", ".tab", ".json", ".jsonl", ".lst", ".rttm", ".md", "")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_AUDIO = re.compile(r"\.(wav|flac|mp3|ogg|sph|m4a)$")
_FEWEST_SHARED = 8
_MOST_CLASSES = 20


@dataclass(frozen=True)
class Table:
    """Columns of text by their lower-case names, all of one length, and the file that they come from."""

    where: str
    columns: dict[str, list[str]]

    @cached_property
    def unique(self) -> list[str]:
        """The columns that tell all rows apart."""
        return [name for name, values in self.columns.items() if len(set(values)) == len(values)]

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))


@dataclass(frozen=True)
class Source:
    """Files that participants can get. What is predicted may agree with the labels, if not entirely."""

    files: dict[str, bytes]
    is_prediction: bool = False


def check_leaks(report: Report, competition: Competition) -> None:
    """Search everything public for the labels of every hidden reference."""
    public = {**competition.item_lists, **competition.public}
    sources = [Source(_with_nested(archive)) for archive in public.values()]
    sources.append(Source(dict(competition.pages)))
    sources += [
        Source(_with_nested(archive), is_prediction=True) for archive in competition.solutions.values()
    ]
    carried = {
        column
        for archive in competition.item_lists.values()
        for table in read_tables(_with_nested(archive))
        for column in table.columns
    }
    hidden = _hidden_references(competition)
    if not hidden:
        return
    copies = {data: name for archive in hidden for name, data in archive.files.items() if _tells(name, data)}
    references = [table for archive in hidden for table in read_tables(_with_nested(archive))]
    for source in sources:
        original = {}
        for name, data in source.files.items():
            if data in copies:
                report.add("leak-file", name, f"the same bytes as {copies[data]} of a hidden reference")
            else:
                original[name] = data
        for table in read_tables(original):
            for reference in references:
                _check_table(report, reference, table, carried, source.is_prediction)


def _hidden_references(competition: Competition) -> list[Archive]:
    hidden: dict[str, Archive] = {}
    for task in competition.tasks:
        archive = task.parts.get("reference_data")
        if archive is not None and not _is_public(task, archive, competition):
            hidden[archive.name] = archive
    return list(hidden.values())


def _is_public(task: Task, reference: Archive, competition: Competition) -> bool:
    """Whether the organiser declared the labels public; a name says so where no options do."""
    program = scoring_program(task, competition.programs)
    options = read_options(Report(), program) if program else None
    if options is None:
        return (
            re.search(r"develop|sample|train|public", f"{task.name} {reference.name}", re.IGNORECASE)
            is not None
        )
    files = {name: data for name, data in reference.files.items() if "/" not in name}
    return fingerprint(files) in options.get("public_references", [])


def _with_nested(archive: Archive) -> dict[str, bytes]:
    """The archive's files by their full names, those of zips inside it included."""
    files = {}
    for name, data in archive.files.items():
        files[archive.where(name)] = data
        if name.endswith(".zip"):
            nested = open_archive(Report(), archive.where(name), data)
            if nested is not None:
                files.update({nested.where(inner): content for inner, content in nested.files.items()})
    return files


def _tells(name: str, data: bytes) -> bool:
    """Whether a file of a reference can hold a label: no licence, no mere list of items."""
    if len(data) < 16 or _NO_LABELS.match(posixpath.basename(name)):
        return False
    tables = list(read_tables({name: data}))
    return not tables or not all(_ITEMS_ONLY.fullmatch(column) for column in tables[0].columns)


# One public table against one hidden reference


def _check_table(report: Report, reference: Table, public: Table, carried: set[str], predicted: bool) -> None:
    joined = _join(reference, public)
    if joined is None:
        return
    used, pairs = joined
    if _SEGMENT in used:
        used.update(_SEGMENT_PARTS)
    secret = [
        name
        for name in reference.columns
        if name not in used and name != _SEGMENT and (name not in carried or _LABELS.fullmatch(name))
    ]
    for name in secret:
        truth = [reference.columns[name][row] for row, _ in pairs]
        if len(set(truth)) < 2:
            continue
        for column, values in public.columns.items():
            shown = [values[row] for _, row in pairs]
            if column in used or not _reproduces(truth, shown, column == name, predicted):
                continue
            text = f"column {column!r} gives {name!r} of {reference.where} away, for {len(pairs)} rows"
            report.add("leak-column", public.where, text)
            return
    if predicted:
        return
    for name in secret:
        if _ITEMS_ONLY.fullmatch(name):
            continue
        truth = [reference.columns[name][row] for row, _ in pairs]
        if _is_sorted_by(truth) and not _is_grouped(reference, name):
            text = f"{len(pairs)} items in {_runs(truth)} blocks by {name!r} of {reference.where}"
            report.add("leak-order", public.where, text)
            return


def _join(reference: Table, public: Table) -> tuple[set[str], list[tuple[int, int]]] | None:
    """The columns that identify items, and the pairs of rows (reference, public) of one item."""
    best: tuple[set[str], list[tuple[int, int]]] | None = None
    candidates: list[tuple[set[str], Sequence[Any], Sequence[Any]]] = [
        ({key, column}, reference.columns[key], values)
        for key in reference.unique
        for column, values in public.columns.items()
    ]
    shared = [name for name in reference.columns if name in public.columns and not _LABELS.fullmatch(name)]
    if len(shared) > 1:
        tuples = list(zip(*(reference.columns[name] for name in shared), strict=True))
        if len(set(tuples)) == len(tuples):
            candidates.append(
                (set(shared), tuples, list(zip(*(public.columns[name] for name in shared), strict=True)))
            )
    for used, keys, values in candidates:
        rows = {key: row for row, key in enumerate(keys)}
        pairs = [(rows[value], row) for row, value in enumerate(values) if value in rows]
        items = len({row for row, _ in pairs})
        enough = items >= _FEWEST_SHARED and (2 * len(pairs) >= len(values) or 2 * items >= len(rows))
        if enough and (best is None or len(pairs) > len(best[1])):
            best = used, pairs
    return best


def _reproduces(truth: list[str], shown: list[str], same_name: bool, predicted: bool) -> bool:
    """Whether a public column tells a secret one, far beyond naming the commonest class throughout."""
    agreement = max(_agreement(truth, shown), _agreement_renamed(truth, shown))
    if predicted and not same_name:
        return agreement == 1
    commonest = Counter(truth).most_common(1)[0][1] / len(truth)
    return agreement >= 0.9 and agreement - commonest >= 0.5 * (1 - commonest)


def _agreement(truth: list[str], shown: list[str]) -> float:
    return sum(map(str.__eq__, truth, shown)) / len(truth)


def _agreement_renamed(truth: list[str], shown: list[str]) -> float:
    """Agreement under the best one-to-one renaming of few classes; 0 where there is none."""
    classes = set(shown)
    if not 2 <= len(classes) <= _MOST_CLASSES or len(set(truth)) > _MOST_CLASSES:
        return 0.0
    meant: dict[str, tuple[str, int]] = {}
    for (value, label), count in Counter(zip(shown, truth, strict=True)).items():
        if count > meant.get(value, ("", 0))[1]:
            meant[value] = label, count
    if len({label for label, _ in meant.values()}) < len(classes):
        return 0.0
    return sum(count for _, count in meant.values()) / len(truth)


def _runs(labels: list[str]) -> int:
    return 1 + sum(map(str.__ne__, labels, labels[1:]))


def _is_sorted_by(labels: list[str]) -> bool:
    """Whether the labels stand in far fewer blocks than a random order would give."""
    counts = Counter(labels)
    if not 2 <= len(counts) <= _MOST_CLASSES // 2:
        return False
    expected = 1 + len(labels) - sum(count * count for count in counts.values()) / len(labels)
    return expected >= 8 and _runs(labels) <= min(0.3 * expected, max(len(counts), 0.1 * expected))


def _is_grouped(reference: Table, name: str) -> bool:
    """Whether the column only repeats another grouping (a session's severity, say) that orders the items."""
    labels = reference.columns[name]
    for other, groups in reference.columns.items():
        distinct = len(set(groups))
        if other == name or _LABELS.fullmatch(other) or not len(set(labels)) <= distinct <= len(labels) / 2:
            continue
        if len(set(zip(groups, labels, strict=True))) == distinct:
            return True
    return False


# Reading tables

_SEGMENT = "(segment)"
_SEGMENT_PARTS = ("audio_name", "utt_id", "start", "end")


def read_tables(files: dict[str, bytes]) -> Iterator[Table]:
    """The tables among some files: comma, tab, bar or blank separated, JSON objects; and headerless turns.

    Many small files of turns (start, end, label) make one table, with the file's name as `audio_name`.
    """
    turns: dict[str, list[str]] = {"audio_name": [], "start": [], "end": [], "label": []}
    folder = ""
    for name, data in files.items():
        if posixpath.splitext(name)[1].lower() not in _TABLES:
            continue
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        rows = list(_rows(name, text))
        width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
        if width < 1 or len(rows) < 2:
            header: list[str] = []
        else:
            header = rows[0]
        if rows and width == 3 and all(_is_turn(row) for row in rows):
            folder = folder or posixpath.dirname(name)
            stem = _plain(posixpath.splitext(posixpath.basename(name))[0])
            for row in rows:
                for column, value in zip(turns, (stem, *map(_plain, row)), strict=True):
                    turns[column].append(value)
        elif header:
            if any(_NUMBER.fullmatch(cell.strip()) for cell in header) or len(set(header)) < len(header):
                edition = EDITIONS.get(width, ()) if header[-1].strip() in ("correct", "incorrect") else ()
                header = list(edition) or [f"column {number}" for number in range(1, width + 1)]
            else:
                rows = rows[1:]
            rows = [row for row in rows if len(row) == len(header)]
            if rows:
                cells = [[_plain(cell) for cell in column] for column in zip(*rows, strict=True)]
                columns = dict(zip((title.strip().lower() for title in header), cells, strict=True))
                yield Table(name, _with_segments(columns))
    if turns["label"]:
        yield Table(f"{folder}/*.txt", turns)


def _rows(name: str, text: str) -> Iterable[list[str]]:
    extension = posixpath.splitext(name)[1].lower()
    if extension in (".json", ".jsonl"):
        return _json_rows(text)
    if extension == ".md":
        lines = [
            line.strip().strip("|").split("|") for line in text.splitlines() if line.lstrip().startswith("|")
        ]
        return [[cell.strip() for cell in line] for line in lines if not set("".join(line)) <= set("-: ")]
    first = text.lstrip("\r\n").partition("\n")[0]
    for separator in ("\t", ",", ";"):
        if separator in first:
            try:
                return [row for row in csv.reader(io.StringIO(text), delimiter=separator) if row]
            except csv.Error:
                return []
    return [line.split() for line in text.splitlines() if line.strip()]


def _json_rows(text: str) -> list[list[str]]:
    try:
        content = json.loads(text)
    except ValueError:
        try:
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            return []
    if isinstance(content, dict) and content:
        values = list(content.values())
        if all(isinstance(value, list) and len(value) == len(values[0]) for value in values):
            return [
                list(map(str, content)),
                *([str(cell) for cell in row] for row in zip(*values, strict=True)),
            ]
        if all(isinstance(value, dict) for value in values):
            content = [{"id": key, **value} for key, value in content.items()]
        else:
            return [["id", "value"], *([str(key), str(value)] for key, value in content.items())]
    if isinstance(content, list) and content and all(isinstance(item, dict) for item in content):
        header = [key for key in content[0] if all(key in item for item in content)]
        return [list(map(str, header)), *([str(item[key]) for key in header] for item in content)]
    return []


def _is_turn(row: list[str]) -> bool:
    return (
        len(row) == 3 and all(_NUMBER.fullmatch(cell) for cell in row[:2]) and not _NUMBER.fullmatch(row[2])
    )


def _plain(cell: str) -> str:
    """Case folded, numbers as numbers, audio files by their names."""
    cell = cell.strip().casefold()
    if _NUMBER.fullmatch(cell):
        return repr(float(cell))
    return _AUDIO.sub("", cell)


def _with_segments(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """With the name that MERLion CCS gives to a segment: audio name, utterance, start and end."""
    if all(part in columns for part in _SEGMENT_PARTS):
        rows = zip(*(columns[part] for part in _SEGMENT_PARTS), strict=True)
        columns = {**columns, _SEGMENT: ["_".join(map(_whole, row)) for row in rows]}
    return columns


def _whole(cell: str) -> str:
    return cell[:-2] if cell.endswith(".0") else cell
