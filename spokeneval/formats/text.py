"""Text files from strangers, read with bounds: size, encoding, line ends, numbers.

Accepted: UTF-8 with or without a byte-order mark, LF or CRLF, with or without a final newline. Everything
else is refused with the word that mends it.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO, Optional

import numpy as np

from .files import ORGANISER_LIMIT, content_of, refuse_size
from .problems import Problems, quote

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")

BYTES_A_LINE = 256
"""A file may have as many lines as its limit in bytes holds of this length: lines cost far more memory than bytes."""
LONGEST_LINE = 1 << 16

_NO_TEXT = {
    b"PK\x03\x04": "a zip or an Excel workbook (unzip it, or save it as the text that the task's page asks for)",
    b"\x1f\x8b": "compressed (unzip it)",
}

_BLOCK = 1 << 17
"""Bytes, and the rest of a line, that are read at a time: they and what is made of them stay in the processor's cache,
so that reading in blocks is faster than reading at once."""


def size_limit(items: int) -> int:
    """Bytes that a submission for so many items may have: far above any honest file, far below a bomb. Four lines
    an item, and four thousand, go with it (`BYTES_A_LINE`)."""
    return (1 << 20) + 1024 * items


def decode(content: bytes, file: str, problems: Problems, first_line: int = 1) -> str:
    """UTF-8 text with LF line ends; the text begins with this line of its file."""
    if first_line == 1 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.stop("not_utf8", file, "is UTF-16 (often called 'Unicode'); save it as UTF-8")
    for magic, kind in _NO_TEXT.items():
        if first_line == 1 and content.startswith(magic):
            problems.stop("not_text", file, f"is {kind}; expected UTF-8 text")
    if b"\x00" in content:
        line = first_line + content.count(b"\n", 0, content.index(b"\x00"))
        message = "a NUL byte; expected UTF-8 text (not UTF-16, not a binary file)"
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
            message = "a bare carriage return; expected lines that end in LF or CRLF"
            problems.stop("carriage_return", file, message, line=line)
    return text


def read_blocks(stream: BinaryIO, file: str, problems: Problems, limit: int) -> Iterator[str]:
    """A text of at most `limit` bytes in blocks of whole lines, without the line end after each block: joined by line
    ends they are the text, but for blank lines at its end. No block is blank.

    Parameters
    ----------
    file: the name that a problem shows.

    Raises
    ------
    The problems' error: a text that is too large or empty, or bytes that are no text.
    """
    size, lines = 0, 0
    most_lines = limit // BYTES_A_LINE
    blank, empty = "", True
    for content in iter(lambda: stream.read(_BLOCK) + stream.readline(limit + 1), b""):
        first_line = lines + 1
        size += len(content)
        lines += content.count(b"\n") + (not content.endswith(b"\n"))
        if size > limit:
            refuse_size(file, limit, problems)
        if lines > most_lines:
            message = f"has more than {most_lines} lines, far more than its items need"
            problems.stop("file_too_large", file, message)
        block = blank + _decode_lines(content, file, problems, first_line)
        if block.strip("\n"):
            yield block
            blank, empty = "", False
        else:
            blank = block + "\n"
    if empty:
        problems.stop("empty_file", file, "is empty")


def blocks_of(files: Mapping[str, bytes], file: str, problems: Problems) -> Iterator[str]:
    """One of the organiser's files in blocks, as `read_blocks` reads it."""
    return read_blocks(io.BytesIO(content_of(files, file, problems)), file, problems, ORGANISER_LIMIT)


def text_of(files: Mapping[str, bytes], file: str, problems: Problems) -> str:
    """One of the organiser's files without the line ends after its last line."""
    return "\n".join(blocks_of(files, file, problems)).rstrip("\n")


def _decode_lines(content: bytes, file: str, problems: Problems, first_line: int) -> str:
    """`decode` without the last line's end; refuses a line longer than `LONGEST_LINE` characters too."""
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


def decimal(text: str) -> Optional[float]:
    """A finite decimal number such as `-1.5e-3`, or None: no `nan`, `inf`, hexadecimal, `1_000` or `1,5`."""
    if not _DECIMAL.match(text):
        return None
    number = float(text)
    return number if math.isfinite(number) else None


def decimals(texts: Sequence[str]) -> Optional[np.ndarray]:
    """`decimal` of every text at once, shape=(n,), or None where one of them is none."""
    if "".join(texts).encode("utf-8").translate(None, b"0123456789+-.eE"):
        return None
    try:
        numbers = np.fromiter(map(float, texts), dtype=np.float64, count=len(texts))
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def integer(text: str) -> Optional[int]:
    """A whole number such as `4`, or None: no `4.0`, no `four`."""
    return int(text) if _INTEGER.match(text) else None


def expected_number(text: str) -> str:
    """The problem with a text that is no `decimal`."""
    hint = " (a decimal point, not a comma)" if re.match(r"[+-]?[0-9]+,[0-9]+\Z", text) else ""
    hint = (
        ", without blanks around it" if text != text.strip() and decimal(text.strip()) is not None else hint
    )
    return f"{quote(text) if text else 'nothing'}; expected a finite decimal number{hint}"
