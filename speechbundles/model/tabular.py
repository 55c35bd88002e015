"""Tables as rows of cells, each with its line: texts in several encodings with any separator, and Excel workbooks.

A byte-order mark and valid UTF-8 are certain. Any other text is read as Windows-1252, which is a guess;
`Source.encoding` then names a word by which a person can judge it. Text in which too many words are garbled, such as
Chinese or Russian in an older encoding, is refused; Czech or Turkish words look like Western ones.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from typing import Any

from speechbundles.model.errors import UnreadableFile
from spokeneval.formats.problems import Problem, count_of, quote
from spokeneval.formats.submission_zip import open_zip
from spokeneval.formats.text import nfc

LARGEST_FILE = 64_000_000
"""The most bytes of an organiser's file. The largest file of the five challenges has eight million."""
MOST_CELLS = 1_000_000
"""The most cells of an Excel workbook."""

WORKBOOK = ".xlsx"
SEPARATORS = {"\t": "tabs", ",": "commas", ";": "semicolons"}
"""Separators that are tried if none is named, in words."""
SPACES = " "
NAMED_SEPARATORS = {**SEPARATORS, "|": "vertical bars", SPACES: "spaces"}

_CAPITALS = "À-ÖØ-ÞŠŒŽŸ"
_SMALL = "ß-öø-ÿšœž"
_ACCENTED = _CAPITALS + _SMALL
_LETTERS = f"A-Za-z{_ACCENTED}"
_SYMBOLS = "¡¢£¤¥¦§¨©ª¬®¯°±²³´µ¶¸¹º¼½¾¿×÷ƒˆ˜†‡‰‚"
"""The characters of Windows-1252 that are no letters, except quotation marks, dashes and others between words."""
_WORD = re.compile(f"[{_LETTERS}{_SYMBOLS}]+")
_GARBLED = re.compile(
    f"[{_LETTERS}][{_SYMBOLS}][{_LETTERS}]|(?![¡¿])[{_SYMBOLS}][{_ACCENTED}]|[a-z{_SMALL}][{_CAPITALS}]"
    f"|(?<![{_LETTERS}])[{_ACCENTED}]{{2,}}(?![{_LETTERS}])"
)
"""A symbol between letters or before an accented one, a capital after a small letter, or accented letters alone."""
_MOST_GARBLED = 0.25
"""The largest share of garbled words, of the different words with accented letters or symbols. Icelandic has about a
tenth, Polish in Windows-1250 more than a third, and text in other scripts a half or more."""

_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\s[^<>]*?ref="([A-Z]{1,3})([0-9]{1,7}):[A-Z]{1,3}([0-9]{1,7})"')
"""A range of merged cells in the XML of a sheet: its first column, and its first and last row."""
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0"
_LONGEST_CELL = 1000
"""The most lines of a quoted cell; a longer cell is treated as an unclosed quotation mark."""


@dataclass(frozen=True)
class Grid:
    """Rows of cells: a text split by one separator, or one sheet of a workbook.

    Attributes
    ----------
    separator: the character between cells; empty for a workbook.
    written: the separator or the sheet, in words.
    rows: the rows that are not blank, each with its line number from 1.
    unreadable: problems with lines that are not rows.
    sheet: the title of a workbook's sheet; empty for a text.
    merged: how many cells have the value of the merged cell above them.
    broken: how many quoted cells have line breaks, which are read as spaces.
    dates: the line and the place of each cell that a spreadsheet stores as a date or a time.
    """

    separator: str
    written: str
    rows: tuple[tuple[int, list[str]], ...]
    unreadable: tuple[Problem, ...] = ()
    sheet: str = ""
    merged: int = 0
    broken: int = 0
    dates: Set[tuple[int, int]] = frozenset()


@dataclass(frozen=True)
class Source:
    """A file.

    Attributes
    ----------
    content: its bytes.
    encoding: its encoding, in words.
    is_utf8: whether it is UTF-8 text in the form NFC without a byte-order mark.
    grids: its rows, once for each separator or sheet.
    """

    content: bytes
    encoding: str
    is_utf8: bool
    grids: tuple[Grid, ...]


def parse_source(content: bytes, name: str, *separators: str, garbled: bool = False) -> Source:
    """Parse a text or a workbook, recognised by its content and its name.

    Parameters
    ----------
    separators: the possible separators of a text; by default `SEPARATORS`.
    garbled: as for `decode`.

    Raises
    ------
    UnreadableFile: neither a text nor a workbook.
    """
    if name.lower().endswith(WORKBOOK) or content.startswith(b"PK\3\4"):
        return Source(content, "workbook", False, tuple(_sheets(content)))
    if content.startswith(_OLD_WORKBOOK):
        raise UnreadableFile(f"is a workbook in an older Excel format; save it as {WORKBOOK}")
    text, encoding = decode(content, garbled=garbled)
    grids = tuple(_split(text, mark, name) for mark in separators or SEPARATORS)
    return Source(content, encoding, encoding == "UTF-8" and content[:3] != b"\xef\xbb\xbf", grids)


def read_rows(content: bytes, separator: str = "") -> list[tuple[int, list[str]]]:
    """Return the rows of a UTF-8 text that are not blank, including the header, each with its line from 1.

    Parameters
    ----------
    separator: the character between cells. Default: a tab if the first line contains one, else a comma.

    Raises
    ------
    UnreadableFile: not UTF-8, an unclosed quotation mark, or a cell of more than 131,072 characters.
    """
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UnreadableFile("not UTF-8; save it as UTF-8") from None
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


def decode(content: bytes, *, garbled: bool = False) -> tuple[str, str]:
    """Return the text in the Unicode form NFC with LF line ends, and its encoding in words.

    Parameters
    ----------
    garbled: also return text with garbled words, for a search of its other words.

    Raises
    ------
    UnreadableFile: bytes that are not text in UTF-8, UTF-16 or Windows-1252.
    """
    encoding = "UTF-16" if content[:2] in (b"\xff\xfe", b"\xfe\xff") else "UTF-8"
    try:
        text = content.decode("utf-16" if encoding == "UTF-16" else "utf-8-sig")
    except UnicodeDecodeError:
        if encoding == "UTF-16":
            raise UnreadableFile("begins like UTF-16 but is not valid UTF-16; save it as UTF-8") from None
        text = _decode_windows(content)
        if not garbled:
            _check_words(text)
        odd = next(at for at, char in enumerate(text) if not char.isascii())
        (word,) = re.findall(r"\w{0,20}[^\x00-\x7f]\w{0,20}", text[max(0, odd - 20) : odd + 21])[:1]
        line = text.count("\n", 0, odd) + 1
        right = f"is {quote(word)} in line {line} right? If not, save it as UTF-8"
        encoding = f"not UTF-8, read as Windows-1252: {right}"
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise UnreadableFile(f"line {line}: a NUL byte; this is not a text file")
    composed = nfc(text)
    if composed != text:
        changed = sum(line != own for line, own in zip(composed.split("\n"), text.split("\n"), strict=True))
        encoding += (
            f", {count_of(changed, 'line')} changed to the Unicode form NFC (files on disk keep their names)"
        )
    return composed.replace("\r\n", "\n").replace("\r", "\n"), encoding


def _decode_windows(content: bytes) -> str:
    try:
        return content.decode("cp1252")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        byte = f"byte 0x{content[error.start]:02x}"
        raise UnreadableFile(
            f"line {line}: {byte} is not text in UTF-8, UTF-16 or Windows-1252; save the file as UTF-8"
        ) from None


def _check_words(text: str) -> None:
    """Refuse text in which too many words are none in a language that is written in Windows-1252."""
    words = dict.fromkeys(found[0] for found in _WORD.finditer(text) if not found[0].isascii())
    garbled = list(filter(_GARBLED.search, words))
    if len(garbled) > _MOST_GARBLED * len(words):
        line = text.count("\n", 0, text.index(garbled[0])) + 1
        found = f"read as Windows-1252 it has words such as {quote(garbled[0], 40)}"
        raise UnreadableFile(f"line {line}: not UTF-8, and {found}; save the file as UTF-8")


def _split(text: str, separator: str, file: str) -> Grid:
    written = f"separated by {NAMED_SEPARATORS[separator]}"
    lines = text.split("\n")
    if separator == SPACES:
        return Grid(
            separator, written, tuple((n, line.split()) for n, line in enumerate(lines, 1) if line.strip())
        )
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
    number = broken = 0
    while number < len(lines):
        first = number
        cells, taken = _first_row(lines, first, separator)
        number += taken
        if cells is None:
            what = "a quotation mark that is not closed, or is followed by text"
            unreadable.append(Problem("unclosed_quote", file, what, line=first + 1))
        elif any(cell.strip() for cell in cells):
            broken += sum("\n" in cell for cell in cells) if taken > 1 else 0
            rows.append((first + 1, [cell.replace("\n", " ") for cell in cells]))
    return Grid(separator, written, tuple(rows), tuple(unreadable), broken=broken)


def _first_row(lines: Sequence[str], first: int, separator: str) -> tuple[list[str] | None, int]:
    """Return the cells of the row that begins in line `first`, from 0, or None, and the number of its lines."""
    if '"' not in lines[first]:
        return lines[first].split(separator), 1
    following = (f"{lines[at]}\n" for at in range(first, min(first + _LONGEST_CELL, len(lines))))
    reader = csv.reader(following, delimiter=separator, strict=True)
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
            rows, dates = [], set()
            for number, row in enumerate(sheet.iter_rows(values_only=True), 1):
                cells += len(row)
                if cells > MOST_CELLS:
                    raise ValueError(f"more than {MOST_CELLS} cells, including empty cells")
                if any(cell is not None for cell in row):
                    rows.append((number, [_cell_text(cell) for cell in row]))
                    dates |= {(number, at) for at, cell in enumerate(row) if isinstance(cell, (date, time))}
            if rows:
                merged, called = _repeat_merged(sheet, dict(rows)), f"sheet {quote(sheet.title, 40)}"
                yield Grid("", called, tuple(rows), sheet=sheet.title, merged=merged, dates=dates)
    except Exception as error:  # the parsers raise many kinds of errors for a damaged workbook
        raise UnreadableFile(f"cannot be read as an Excel workbook ({error})") from None


def _repeat_merged(sheet: Any, rows: Mapping[int, list[str]]) -> int:
    """Write the value of each cell that is merged over several rows into these rows; return the number of cells.

    Only rows with another cell are changed. Cells that are merged over several columns have their value in the first.
    """
    from openpyxl.utils import column_index_from_string

    # openpyxl lists merged cells only for a workbook that is in memory as a whole.
    with sheet._get_source() as xml:
        ranges = _MERGED.findall(xml.read())
    repeated = 0
    for column, first, last in ranges:
        place = column_index_from_string(column.decode()) - 1
        value = rows.get(int(first), [])[place : place + 1]
        for row in range(int(first) + 1, min(int(last), max(rows)) + 1) if value else ():
            if place < len(rows.get(row, ())):
                rows[row][place] = value[0]
                repeated += 1
    return repeated


def date_problem(column: str, cell: str) -> str:
    """Return why a cell with a date or a time cannot be used, for a problem."""
    how = "format the column as text, and write its cells again"
    return f"{column}: a spreadsheet has made a date or a time of this cell, {cell}; {how}"


def _cell_text(cell: Any) -> str:
    """Return a cell as a person sees it; whole numbers are stored with `.0`, which is removed."""
    if isinstance(cell, datetime) and cell.time() == time():
        return cell.date().isoformat()
    if isinstance(cell, bool):
        return str(cell).upper()
    if isinstance(cell, float) and cell.is_integer():
        return str(int(cell))
    return "" if cell is None else nfc(str(cell)).replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
