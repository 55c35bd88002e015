"""The tables in a bundle's files, whatever their form: columns of text that can be compared."""

import csv
import json
import posixpath
import re
from collections import Counter
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from speechbundles.competition.intake.layouts import find_notation
from speechbundles.model.errors import UnreadableFile
from speechbundles.model.finding import Report
from speechbundles.model.tabular import WORKBOOK, decode, parse_source
from spokeneval.formats.problems import FileProblems
from spokeneval.tasks import find_task, task_names

NO_TABLES = (".py", ".ipynb", ".html", ".css", ".xml", ".svg")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
_MEDIA = re.compile(
    rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|RIFF.{4}(WAVE|WEBP)|fLaC\0|OggS\0|ID3[\2-\4]|\xff[\xf2\xf3\xfb]|NIST_1A\n",
    re.DOTALL,
)
"""How images and recordings begin."""
_KEYED = re.compile(r"[\"']?([^\s:=\"']+)[\"']?\s*[:=](.*)")
"""A key of YAML and the like, and what is said of it."""
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
    """The tables among some files: of texts separated in any usual way, JSON, RTTM, workbooks; and headerless turns.

    Many small files of turns (start, end, label) make one table, with the file's name as `audio_name`. What is neither
    text nor workbook, sound nor image is told.
    """
    turns: dict[str, list[str]] = {"audio_name": [], "start": [], "end": [], "label": []}
    folder = ""
    for name, data in files.items():
        if posixpath.splitext(name)[1].lower() in NO_TABLES or _MEDIA.match(data) or is_zip(name, data):
            continue
        try:
            groups = list(_row_groups(name, data))
        except UnreadableFile as error:
            report.add("leak-unsearched", name, str(error))
            continue
        for rows in groups:
            if rows and all(_is_turn(row) for row in rows):
                folder = folder or posixpath.dirname(name)
                stem = _normalised(posixpath.splitext(posixpath.basename(name))[0])
                for row in rows:
                    for column, value in zip(turns, (stem, *map(_normalised, row)), strict=True):
                        turns[column].append(value)
            else:
                columns = _columns(rows)
                if columns:
                    yield TextTable(name, _with_segments(columns))
    if turns["label"]:
        yield TextTable(f"{folder}/*.txt", turns)


def items_told(data: bytes, items: AbstractSet[str]) -> int:
    """How many of some items are named in a text, whatever its form."""
    words = set(re.findall(r"[\w.-]{4,}", data.decode("utf-8", "ignore")))
    return len(items & set(map(_normalised, words)))


def is_zip(name: str, data: bytes) -> bool:
    """Whether its files are searched in its place."""
    return data.startswith(b"PK\3\4") and not name.lower().endswith(WORKBOOK)


def _columns(rows: list[list[str]]) -> dict[str, list[str]]:
    """The rows that have as many cells as most, in columns by their names; nothing where there are none."""
    width = Counter(map(len, rows)).most_common(1)[0][0] if rows else 0
    rows = [row for row in rows if len(row) == width]
    if width < 1 or len(rows) < 2:
        return {}
    header = rows[0]
    if any(_NUMBER.fullmatch(cell.strip()) for cell in header) or len(set(header)) < len(header):
        edition = _headerless().get(width, ()) if header[-1].strip() in ("correct", "incorrect") else ()
        header = list(edition) or [f"column {number}" for number in range(1, width + 1)]
    else:
        rows = rows[1:]
    cells = [[_normalised(cell) for cell in column] for column in zip(*rows, strict=True)]
    return dict(zip((title.strip().lower() for title in header), cells, strict=True))


@cache
def _headerless() -> dict[int, tuple[str, ...]]:
    """Columns, by their number, of the references that may have no header row."""
    return {
        width: columns
        for name in task_names()
        for width, columns in find_task(name).format.headerless.items()
    }


@cache
def _makers() -> dict[str, Callable[..., Any]]:
    """What makes rows of files that are no tables, by their suffix."""
    tasks = {task: find_task(task).format.reference_files for task in task_names()}
    made = [find_notation(task, file).made_from for task, files in tasks.items() for file in files]
    return dict(filter(None, made))


def _row_groups(name: str, data: bytes) -> Iterator[list[list[str]]]:
    """The rows of each table that a file may be taken for.

    Raises
    ------
    UnreadableFile: no text and no workbook, or too large.
    """
    suffix = posixpath.splitext(name)[1].lower()
    if suffix == WORKBOOK:
        yield from ([cells for _, cells in grid.rows] for grid in parse_source(data, name).grids)
        return
    text, _ = decode(data)
    if sum(map(text.count, "\n\t,;| ")) > _MOST_CELLS:
        raise UnreadableFile(f"a table of more than {_MOST_CELLS} cells")
    if suffix in _makers():
        with suppress(FileProblems):
            header, rows = _makers()[suffix]({Path(name): text})
            yield [list(header), *(cells for _, cells in rows)]
    if text.lstrip()[:1] in ("{", "["):
        groups = list(_json_groups(_parsed(text)))
        if groups:
            yield from groups
            return
    lines = text.split("\n")
    if suffix == ".md":
        for is_table, block in groupby(lines, _is_barred):
            if is_table:
                cells = ([cell.strip() for cell in line.strip().strip("|").split("|")] for line in block)
                yield [row for row in cells if not set("".join(row)) <= set("-: ")]
        lines = [line for line in lines if not _is_barred(line)]
    yield from _text_groups([line for line in lines if line.strip()])


def _is_barred(line: str) -> bool:
    """Whether it is a row of a table in Markdown."""
    return line.lstrip().startswith("|")


def _text_groups(lines: list[str]) -> Iterator[list[list[str]]]:
    """Rows of lines, by what separates their cells; of an item and what is said of it where that is not even."""
    separators = [each for each in "\t,;|" if 2 * sum(each in line for line in lines) >= len(lines)]
    if separators and lines:
        try:
            yield [row for row in csv.reader(lines, delimiter=separators[0]) if row]
        except csv.Error as error:
            raise UnreadableFile(f"no table, though it looks like one ({error})") from None
        return
    yield [line.split() for line in lines]
    for told in (_keyed, _item_first, _item_last):
        found = list(filter(None, map(told, map(str.strip, lines))))
        if found and 2 * len(found) >= len(lines):
            yield [["id", "value"], *found]


def _keyed(line: str) -> list[str] | None:
    """A setting, as YAML and the like have it."""
    match = _KEYED.fullmatch(line)
    return [match[1], match[2].strip(" \t\"',")] if match else None


def _item_first(line: str) -> list[str] | None:
    """An item and the rest of its line, as Kaldi has them."""
    item, _, told = line.partition(" ")
    return [item, told.strip()] if told else None


def _item_last(line: str) -> list[str] | None:
    """A line with its item in brackets at the end, as sclite has it."""
    told, bracket, item = line[:-1].rpartition("(")
    return [item, told.strip()] if bracket and line.endswith(")") else None


def _parsed(text: str) -> Any:
    """JSON, or JSON lines; None for what is neither."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        with suppress(ValueError, RecursionError):
            return [json.loads(line) for line in text.splitlines() if line.strip()]
    return None


def _json_groups(content: Any, depth: int = 5) -> Iterator[list[list[str]]]:
    """The rows that lists and objects of JSON stand for, those inside others too."""
    values = list(content.values() if isinstance(content, dict) else content or ()) if depth else []
    if isinstance(content, dict) and values:
        if all(isinstance(value, list) for value in values):
            if len({len(value) for value in values}) == 1:
                rows = zip(*values, strict=True)
                yield [list(map(str, content)), *([str(cell) for cell in row] for row in rows)]
            yield [["id", "value"], *([str(cell), key] for key, cells in content.items() for cell in cells)]
        elif all(isinstance(value, dict) for value in values):
            yield from _json_groups([{"id": key, **value} for key, value in content.items()], 1)
            of_columns = {key: value for column, value in content.items() for key in value}
            cells = ([key, *(str(content[column].get(key)) for column in content)] for key in of_columns)
            yield [["id", *content], *cells]
        elif not any(isinstance(value, (dict, list)) for value in values):
            yield [["id", "value"], *([str(key), str(value)] for key, value in content.items())]
    elif values and all(isinstance(item, dict) for item in values):
        header = [key for key in values[0] if all(key in item for item in values)]
        yield [list(map(str, header)), *([str(item[key]) for key in header] for item in values)]
        return
    elif values and all(isinstance(item, list) for item in values):
        yield [list(map(str, item)) for item in values]
        return
    for value in values:
        if isinstance(value, (dict, list)):
            yield from _json_groups(value, depth - 1)


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
