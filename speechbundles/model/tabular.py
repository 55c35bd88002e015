"""Tables as rows of cells, each with its line: texts in any encoding and with any separator, and Excel's workbooks.

What the bytes say for certain is taken: a byte-order mark, text that is UTF-8. Text that is neither is read as
Windows-1252, which is a guess; `Source.encoding` says so, with a word to judge it by.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any

from speechbundles.model.bounded import read_file
from speechbundles.model.errors import UnreadableFile
from spokeneval.formats.problems import Problem, quote
from spokeneval.formats.submission_zip import open_zip

LARGEST_FILE = 64_000_000
"""Bytes of an organiser's file; the largest of the five challenges has eight million."""
MOST_CELLS = 1_000_000
"""Of an Excel sheet."""

WORKBOOK = ".xlsx"
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}

_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
_LONGEST_CELL = 20
"""Lines that one quoted cell may go over; what is longer is a quotation mark that is not closed."""


@dataclass(frozen=True)
class Grid:
    """Rows of cells, those of a text by one separator or those of one sheet.

    Attributes
    ----------
    separator: what separates cells; empty in a workbook.
    written: in words.
    rows: the rows that are not blank, each with its line from 1.
    unreadable: problems with lines that give no row.
    """

    separator: str
    written: str
    rows: tuple[tuple[int, list[str]], ...]
    unreadable: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Source:
    """A file.

    Attributes
    ----------
    content: its bytes.
    encoding: in words.
    is_utf8: whether it is UTF-8 text without a byte-order mark.
    grids: its rows, once for each way to take them.
    """

    content: bytes
    encoding: str
    is_utf8: bool
    grids: tuple[Grid, ...]


def read_source(path: Path) -> Source:
    """Read a text or a workbook.

    Raises
    ------
    UnreadableFile: neither of both.
    OSError: a file that cannot be read, or is too large.
    """
    return parse_source(read_file(path, LARGEST_FILE), path.name)


def parse_source(content: bytes, name: str) -> Source:
    """A text or a workbook, by its content and its name.

    Raises
    ------
    UnreadableFile: neither of both.
    """
    if name.lower().endswith(WORKBOOK) or content.startswith(b"PK\3\4"):
        return Source(content, "workbook", False, tuple(_sheets(content)))
    if content.startswith(_OLD_WORKBOOK):
        raise UnreadableFile(f"is a workbook of an older Excel; save it as {WORKBOOK}")
    text, encoding = decode(content)
    grids = tuple(_split(text, separator, name) for separator in SEPARATORS)
    return Source(content, encoding, encoding == "UTF-8" and content[:3] != b"\xef\xbb\xbf", grids)


def read_rows(content: bytes, separator: str = "") -> list[tuple[int, list[str]]]:
    """The rows of a text in UTF-8 that are not blank, the header among them, each with its line from 1.

    Parameters
    ----------
    separator: what separates cells; empty: a tab where the first line has one, else a comma.

    Raises
    ------
    UnreadableFile: not UTF-8, a quotation mark that is not closed, or a cell of more than 131,072 characters.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("not UTF-8") from None
    separator = separator or ("\t" if "\t" in text.partition("\n")[0] else ",")
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows = []
    line = 1
    try:
        for cells in reader:
            if any(map(str.strip, cells)):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UnreadableFile(f"line {line}: {error}") from None
    return rows


def csv_text(rows: Iterable[Iterable[object]], separator: str = ",") -> str:
    """Rows as text, cells quoted where they must be."""
    text = io.StringIO()
    csv.writer(text, delimiter=separator, lineterminator="\n").writerows(rows)
    return text.getvalue()


def decode(content: bytes) -> tuple[str, str]:
    """Text with LF line ends, and its encoding in words.

    Raises
    ------
    UnreadableFile: bytes that are no text in UTF-8, UTF-16 or Windows-1252.
    """
    encoding = "UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "UTF-8"
    try:
        text = content.decode("utf-16" if encoding == "UTF-16" else "utf-8-sig")
    except UnicodeDecodeError as error:
        if encoding == "UTF-16":
            raise UnreadableFile("begins as UTF-16 does, but is not; save it as UTF-8") from None
        text = _decode_windows(content, error.start)
        word = re.search(r"\w*[^\x00-\x7f]\w*", text)
        assert word is not None  # a byte that is not ASCII stands for such a letter
        line = text.count("\n", 0, word.start()) + 1
        encoding = f"not UTF-8 and so taken for Windows-1252: is {quote(word[0], 40)} in line {line} right?"
    if "\0" in text:
        raise UnreadableFile(f"line {text.count(chr(10), 0, text.index(chr(0))) + 1}: a NUL byte; not a text")
    return text.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _decode_windows(content: bytes, start: int) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x}"
        raise UnreadableFile(
            f"line {line}: {byte} is no text in UTF-8, UTF-16 or Windows-1252; save it as UTF-8"
        ) from None


def _split(text: str, separator: str, file: str) -> Grid:
    written = f"separated by {SEPARATORS[separator]}"
    lines = text.split("\n")
    if '"' not in text:
        blank = separator + " "
        plain = [(n, line.split(separator)) for n, line in enumerate(lines, 1) if line.strip(blank)]
        return Grid(separator, written, tuple(plain))
    with suppress(csv.Error):
        rows = list(enumerate(csv.reader(lines, delimiter=separator, strict=True), 1))
        if len(rows) == len(lines):
            return Grid(separator, written, tuple(row for row in rows if any(map(str.strip, row[1]))))
    rows = []
    unreadable = []
    number = 0
    while number < len(lines):
        first = number
        cells, taken = _first_row(lines[first : first + _LONGEST_CELL], separator)
        number += taken
        if cells is None:
            what = "a quotation mark that is not closed, or has text after it"
            unreadable.append(Problem("unclosed_quote", file, what, line=first + 1))
        elif any(cell.strip() for cell in cells):
            rows.append((first + 1, [cell.replace("\n", " ") for cell in cells]))
    return Grid(separator, written, tuple(rows), tuple(unreadable))


def _first_row(lines: Sequence[str], separator: str) -> tuple[list[str] | None, int]:
    """The cells of the row that begins in the first line, None where it is none, and the lines that it takes."""
    if '"' not in lines[0]:
        return lines[0].split(separator), 1
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator, strict=True)
    try:
        return next(reader), reader.line_num
    except csv.Error:
        return None, 1


def _sheets(content: bytes) -> Iterator[Grid]:
    from openpyxl import load_workbook

    try:
        with open_zip(io.BytesIO(content)) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > LARGEST_FILE:
                raise ValueError(f"unpacks to more than {LARGEST_FILE / 1e6:.0f} MB")
        workbook = load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = 0
        for sheet in workbook.worksheets:
            rows = []
            for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
                cells += len(row)
                if cells > MOST_CELLS:
                    raise ValueError(f"more than {MOST_CELLS} cells, empty ones counted")
                if any(cell is not None for cell in row):
                    rows.append((number, [_cell_text(cell, number) for cell in row]))
            if rows:
                yield Grid("", f"sheet {quote(sheet.title, 40)}", tuple(rows))
    except Exception as error:  # of a damaged workbook, whatever its parsers raise
        raise UnreadableFile(f"not an Excel workbook that can be read ({error})") from None


def _cell_text(cell: Any, row: int) -> str:
    """A cell as it is seen; a number without the `.0` that a workbook's whole numbers may have."""
    if isinstance(cell, (date, time)):
        raise ValueError(f"row {row}: the cell {cell} is a date or a time; format its column as text")
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else str(cell).replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
