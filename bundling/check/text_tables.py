"""The tables in a bundle's files, whatever their form: columns of text that can be compared."""

import csv
import io
import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property

from bundling.finding import Report
from spokeneval.tasks import find_task, task_names

_NO_TABLES = (".py", ".ipynb", ".html", ".css", ".xml", ".svg")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_AUDIO = re.compile(r"\.(wav|flac|mp3|ogg|sph|m4a)$")

_MOST_CELLS = 1_000_000
"""Of a table; the largest reference of the five challenges has 400,000."""

SEGMENT = "(segment)"
SEGMENT_PARTS = ("audio_name", "utt_id", "start", "end")


@dataclass(frozen=True)
class TextTable:
    """Columns of text by their lower-case names, all of one length, and the file that they come from."""

    where: str
    columns: dict[str, list[str]]

    @cached_property
    def unique(self) -> list[str]:
        """The columns that tell all rows apart."""
        return [name for name, values in self.columns.items() if len(set(values)) == len(values)]


def read_tables(report: Report, files: dict[str, bytes]) -> Iterator[TextTable]:
    """The tables among some files: comma, tab, bar or blank separated, JSON objects; and headerless turns.

    Many small files of turns (start, end, label) make one table, with the file's name as `audio_name`.
    """
    turns: dict[str, list[str]] = {"audio_name": [], "start": [], "end": [], "label": []}
    folder = ""
    for name, data in files.items():
        if posixpath.splitext(name)[1].lower() in _NO_TABLES:
            continue
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            continue
        if sum(map(text.count, "\n\t,;| ")) > _MOST_CELLS:
            report.add("leak-unsearched", name, f"a table of more than {_MOST_CELLS} cells")
            continue
        rows = list(_rows(name, text))
        width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
        if width < 1 or len(rows) < 2:
            header: list[str] = []
        else:
            header = rows[0]
        if rows and width == 3 and all(_is_turn(row) for row in rows):
            folder = folder or posixpath.dirname(name)
            stem = _normalised(posixpath.splitext(posixpath.basename(name))[0])
            for row in rows:
                for column, value in zip(turns, (stem, *map(_normalised, row)), strict=True):
                    turns[column].append(value)
        elif header:
            if any(_NUMBER.fullmatch(cell.strip()) for cell in header) or len(set(header)) < len(header):
                edition = (
                    _headerless().get(width, ()) if header[-1].strip() in ("correct", "incorrect") else ()
                )
                header = list(edition) or [f"column {number}" for number in range(1, width + 1)]
            else:
                rows = rows[1:]
            rows = [row for row in rows if len(row) == len(header)]
            if rows:
                cells = [[_normalised(cell) for cell in column] for column in zip(*rows, strict=True)]
                columns = dict(zip((title.strip().lower() for title in header), cells, strict=True))
                yield TextTable(name, _with_segments(columns))
    if turns["label"]:
        yield TextTable(f"{folder}/*.txt", turns)


@cache
def _headerless() -> dict[int, tuple[str, ...]]:
    """Columns, by their number, of the references that may have no header row."""
    return {
        width: columns
        for name in task_names()
        for width, columns in find_task(name).format.headerless.items()
    }


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
    except (ValueError, RecursionError):
        try:
            content = [json.loads(line) for line in text.splitlines() if line.strip()]
        except (ValueError, RecursionError):
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


def _normalised(cell: str) -> str:
    """Case folded, numbers as numbers, audio files by their names."""
    cell = cell.strip().casefold()
    if _NUMBER.fullmatch(cell):
        return repr(float(cell))
    return _AUDIO.sub("", cell)


def _with_segments(columns: dict[str, list[str]]) -> dict[str, list[str]]:
    """With the name that MERLion CCS gives to a segment: audio name, utterance, start and end."""
    if all(part in columns for part in SEGMENT_PARTS):
        rows = zip(*(columns[part] for part in SEGMENT_PARTS), strict=True)
        columns = {**columns, SEGMENT: ["_".join(map(_whole, row)) for row in rows]}
    return columns


def _whole(cell: str) -> str:
    return cell[:-2] if cell.endswith(".0") else cell
