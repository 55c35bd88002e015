"""Text files from untrusted sources: limits on size, checks of encoding and line ends, and parsers for numbers.

Accepted: UTF-8 with or without a byte-order mark, lines that end in LF or CRLF, with or without a final newline.
Any other text is refused with advice on how to fix it.

Some systems write `é` as one character (the Unicode form NFC), others as `e` and an accent (NFD). `decode` returns
text in the form NFC, so that ids, labels, columns and words are equal in either form.

Links are never followed. An organiser's files are read at once, as bytes; a participant's files are opened one by
one, when they are needed.
"""

from __future__ import annotations

import errno
import io
import math
import os
import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, Optional, Union
from unicodedata import combining, is_normalized, normalize

import numpy as np

from .problems import FileProblems, Problems, quote
from .written_ids import hint_of_code_points, in_ascii

ORGANISER_LIMIT = 1 << 28
"""Largest size of an organiser's own file, in bytes."""


Files = Mapping[str, Any]
"""A participant's files: the path, the content or the `Table` of each file, by its name in the submission."""


def open_file(files: Mapping[str, Union[Path, bytes]], name: str, limit: int, problems: Problems) -> BinaryIO:
    """Open one of some files, of at most `limit` bytes. Never waits for a pipe, never follows a link.

    Raises
    ------
    FileProblems
        The file is missing, cannot be read, is not an ordinary file, or is too large. The class is that of `problems`.
    """
    if name not in files:
        problems.stop("unreadable_file", name, f"cannot be read: {os.strerror(errno.ENOENT)}")
    source = files[name]
    if isinstance(source, bytes):
        if len(source) > limit:
            refuse_size(name, limit, problems)
        return io.BytesIO(source)
    try:
        flags = [getattr(os, flag, 0) for flag in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY")]
        descriptor = os.open(str(source), os.O_RDONLY | sum(flags))
    except OSError as error:
        problems.stop("unreadable_file", name, f"cannot be read: {error.strerror}")
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        problems.stop("unreadable_file", name, "is not an ordinary file")
    if status.st_size > limit:
        os.close(descriptor)
        refuse_size(name, limit, problems)
    return os.fdopen(descriptor, "rb")


def refuse_size(name: str, limit: int, problems: Problems) -> NoReturn:
    problems.stop("file_too_large", name, f"is larger than {limit} bytes, far more than its items need")


def read_file(source: Union[Path, bytes], name: str, limit: int, problems: Problems) -> bytes:
    """Return the content of a file of at most `limit` bytes, opened as by `open_file`, even if it grows meanwhile."""
    return content_of({name: source}, name, problems, limit)


def read_folder(
    folder: Path, names: Optional[Iterable[str]] = None, *, error: type[FileProblems] = FileProblems
) -> dict[str, bytes]:
    """The organiser's files in a folder, `name -> content`: all files, or the existing ones among `names`."""
    paths = sorted(folder.glob("*")) if names is None else [folder / name for name in names]
    problems = Problems(error)
    return {
        path.name: read_file(path, path.name, ORGANISER_LIMIT, problems) for path in paths if path.is_file()
    }


def content_of(
    files: Mapping[str, Union[Path, bytes]], name: str, problems: Problems, limit: int = ORGANISER_LIMIT
) -> bytes:
    """The content of one of some files.

    Raises
    ------
    FileProblems
        The file is missing or too large. The class is that of `problems`.
    """
    with open_file(files, name, limit, problems) as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        refuse_size(name, limit, problems)
    return content


_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")

BYTES_A_LINE = 256
"""A file may have at most its size limit, divided by this, lines: a line needs far more memory than its bytes."""
LONGEST_LINE = 1 << 16
_MOST_ACCENTS = 30
"""Longest run of accents in the form NFC: so many are in the stream-safe format of Unicode Standard Annex 15."""

_NO_TEXT = {
    b"PK\x03\x04": "a zip or an Excel workbook (unzip it, or save it in the text format that the task's page "
    "describes)",
    b"\x1f\x8b": "compressed (unzip it)",
    b"%PDF": "a PDF document (save it in the text format that the task's page describes)",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook or Word document (save it in the text format that the task's page "
    "describes)",
}
"""Descriptions of files that are not text, by their first bytes."""

_WEB_PAGE = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html)\b", re.IGNORECASE)

_BLOCK = 1 << 17
"""Bytes read at a time, up to the next line end. A block and its parsed columns fit into the processor's cache, which
makes reading in blocks faster than reading the whole file at once."""


_AT_ONCE = 1 << 14
"""Numbers that are read at a time."""


def size_limit(items: int, columns: int = 1) -> int:
    """Largest size of a submission for this many items, in bytes: far above any honest file, far below a zip bomb.

    With `BYTES_A_LINE`, it allows 4096 lines plus four for each item, or more for over 32 columns of numbers.
    """
    return (1 << 20) + max(1024, 32 * columns) * items


def decode(content: bytes, file: str, problems: Problems, first_line: int = 1) -> str:
    """UTF-8 text in the form NFC with LF line ends. `first_line`: the number of the text's first line in its file."""
    if first_line == 1 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.stop("not_utf8", file, "is UTF-16 (often called 'Unicode'); save it as UTF-8")
    for magic, kind in _NO_TEXT.items():
        if first_line == 1 and content.startswith(magic):
            problems.stop("not_text", file, f"is {kind}; expected UTF-8 text")
    if first_line == 1 and _WEB_PAGE.match(content):
        message = "is a web page (HTML), such as a page to log in; log in, and download the file itself"
        problems.stop("not_text", file, message)
    if b"\x00" in content:
        line = first_line + content.count(b"\n", 0, content.index(b"\x00"))
        message = "a NUL byte; expected UTF-8 text, not UTF-16 or a binary file"
        problems.stop("nul_byte", file, message, line=line)
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + content.count(b"\n", 0, error.start)
        byte = f"byte 0x{content[error.start]:02x}"
        message = f"{byte} is not UTF-8 (Latin-1 or Windows-1252?); save the file as UTF-8"
        problems.stop("not_utf8", file, message, line=line)
    if first_line == 1 and text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        position = text.find("\r")
        if position >= 0:
            line = first_line + text.count("\n", 0, position)
            message = "a carriage return without a line feed; expected lines that end in LF or CRLF"
            if "\n" not in text:
                message = "lines end in a carriage return (CR) alone, as in files of old Mac programs; save the file "
                message += "with line ends LF (Unix) or CRLF (Windows), from Excel as "
                message += "'Text (Tab delimited)'" if "\t" in text else "'CSV UTF-8'"
            problems.stop("carriage_return", file, message, line=line)
    return nfc(text)


def nfc(text: str) -> str:
    """The text in the Unicode form NFC, but for two signs, and runs of more accents than any language has.

    The time to sort the accents of a letter grows with the square of their number. The form NFC of the Greek question
    mark U+037E and of U+1FEF is an ASCII sign, `;` or a backtick, which could separate columns: both stay as they are.

    Examples
    --------
    >>> nfc("e\u0301") == "\u00e9"
    True
    """
    if is_normalized("NFC", text):
        return text
    accents = "".join(char for char in set(text) if combining(normalize("NFD", char)[0]))
    parts = re.split(f"([\u037e\u1fef]|[\u0300{accents}]{{{_MOST_ACCENTS + 1},}})", text)
    parts[::2] = [normalize("NFC", part) for part in parts[::2]]
    return "".join(parts)


def in_nfc(value: Any) -> Any:
    """A parsed declaration or object of JSON with its texts in the form NFC; see `nfc`."""
    if isinstance(value, Mapping):
        return {in_nfc(key): in_nfc(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(in_nfc, value))
    return nfc(value) if isinstance(value, str) else value


def read_blocks(
    stream: BinaryIO, file: str, problems: Problems, limit: int, *, may_be_empty: bool = False
) -> Iterator[str]:
    """A text of at most `limit` bytes, in blocks of whole lines without their last line end.

    The blocks, joined by line ends, give the text without the blank lines at its end. No block is blank.

    Parameters
    ----------
    file
        The name of the file, for problems.

    Raises
    ------
    FileProblems
        The text is too large, empty although it may not be, or the bytes are not text. The class is that of `problems`.
    """
    size, lines = 0, 0
    blank, empty = "", True
    for content in iter(lambda: stream.read(_BLOCK) + stream.readline(limit + 1), b""):
        first_line = lines + 1
        size += len(content)
        lines += content.count(b"\n") + (not content.endswith(b"\n"))
        check_size(size, lines, file, limit, problems)
        block = blank + decode_lines(content, file, problems, first_line)
        if block.strip("\n"):
            yield block
            blank, empty = "", False
        else:
            blank = block + "\n"
    if empty and not may_be_empty:
        problems.stop("empty_file", file, "is empty")


def check_size(size: int, lines: int, file: str, limit: int, problems: Problems) -> None:
    """Refuse a text of more than `limit` bytes, or of more lines than these allow."""
    if size > limit:
        refuse_size(file, limit, problems)
    if lines > limit // BYTES_A_LINE:
        message = f"has more than {limit // BYTES_A_LINE} lines, far more than its items need"
        problems.stop("file_too_large", file, message)


def blocks_of(
    files: Mapping[str, Any],
    file: str,
    problems: Problems,
    limit: int = ORGANISER_LIMIT,
    *,
    may_be_empty: bool = False,
) -> Iterator[str]:
    """The text of one of some files in blocks, as for `read_blocks`."""
    with open_file(files, file, limit, problems) as stream:
        yield from read_blocks(stream, file, problems, limit, may_be_empty=may_be_empty)


def text_of(files: Mapping[str, bytes], file: str, problems: Problems) -> str:
    """The text of one of the organiser's files, without line ends after its last line."""
    return "\n".join(blocks_of(files, file, problems)).rstrip("\n")


def decode_lines(content: bytes, file: str, problems: Problems, first_line: int) -> str:
    """As `decode`, without the last line end. A line of more than `LONGEST_LINE` characters is refused."""
    block = decode(content, file, problems, first_line)
    block = block[:-1] if block.endswith("\n") else block
    start = 0
    while len(block) - start > LONGEST_LINE:
        end = block.rfind("\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line = first_line + block.count("\n", 0, start)
            problems.stop("file_too_large", file, f"a line of more than {LONGEST_LINE} characters", line=line)
        start = end + 1
    return block


def unusable(texts: Sequence[str]) -> list[int]:
    """The places of texts that are empty, or have invisible characters or spaces around them."""
    joined = "".join(texts)  # of white space, only the space is printable
    if all(texts) and joined.isprintable() and (" " not in joined or list(map(str.strip, texts)) == [*texts]):
        return []
    return [
        place
        for place, text in enumerate(texts)
        if not text.isprintable() or text != text.strip() or not text
    ]


def decimal(text: str) -> Optional[float]:
    """A finite decimal number such as `-1.5e-3`, or None: no `nan`, `inf`, hexadecimal, `1_000` or `1,5`."""
    if not _DECIMAL.match(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def decimals(texts: Sequence[str]) -> Optional[np.ndarray]:
    """The numbers in all texts, shape (n,), as for `decimal`; None if one of the texts is not a number."""
    numbers, cells = np.empty(len(texts)), iter(texts)
    for start in range(0, len(texts), _AT_ONCE):
        some = list(islice(cells, _AT_ONCE))
        if "".join(some).encode("utf-8").translate(None, b"0123456789+-.eE"):
            return None
        try:
            numbers[start : start + len(some)] = list(map(float, some))
        except ValueError:
            return None
    return numbers if np.isfinite(numbers).all() else None


def integer(text: str) -> Optional[int]:
    """A whole number such as `4`, or None: no `4.0`, no `four`."""
    return int(text) if _INTEGER.match(text) else None


def expected_number(text: str) -> str:
    """The message for a text that is not a `decimal`: what was found and what is expected."""
    hint = " (a decimal point, not a comma)" if re.match(r"[+-]?[0-9]+,[0-9]+\Z", text) else ""
    hint = (
        ", without spaces around it" if text != text.strip() and decimal(text.strip()) is not None else hint
    )
    if decimal(in_ascii(text)) is not None:
        hint = hint or hint_of_code_points(text)
    return f"{quote(text) if text else 'is empty'}; expected a finite decimal number{hint}"
