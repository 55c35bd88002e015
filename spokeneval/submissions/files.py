"""Text files from strangers, read with bounds: size, encoding, line ends, numbers.

Accepted: UTF-8 with or without a byte-order mark, LF or CRLF, with or without a final newline. Everything
else is refused with the word that mends it.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Optional

import numpy as np

from .problems import Problems, quote

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")


BYTES_A_LINE = 256
"""A file may have as many lines as its limit in bytes holds of this length: lines cost far more memory than bytes."""
LONGEST_LINE = 1 << 16

_NO_TEXT = {
    b"PK\x03\x04": "a zip or an Excel workbook (unzip it, or save it as CSV)",
    b"\x1f\x8b": "compressed (unzip it)",
}

_BLOCK = 1 << 17
"""Bytes, and the rest of a line, that are read at a time: they and what is made of them stay in the processor's cache,
so that reading in blocks is faster than reading at once."""


def size_limit(items: int) -> int:
    """Bytes that a submission for so many items may have: far above any honest file, far below a bomb. Four lines
    an item, and four thousand, go with it (`BYTES_A_LINE`)."""
    return (1 << 20) + 1024 * items


def _open(path: Path, file: str, problems: Problems, limit: int) -> Optional[BinaryIO]:
    """A file of at most `limit` bytes, open; or None after adding a problem. Never waits for a pipe, never follows a
    link."""
    try:
        descriptor = os.open(
            str(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except OSError as error:
        problems.add("unreadable_file", file, f"cannot be read: {error.strerror}")
        return None
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        os.close(descriptor)
        problems.add("unreadable_file", file, "is not an ordinary file")
        return None
    if status.st_size > limit:
        os.close(descriptor)
        _too_large(file, limit, problems)
        return None
    return os.fdopen(descriptor, "rb")


def _too_large(file: str, limit: int, problems: Problems) -> None:
    problems.add("file_too_large", file, f"is larger than {limit} bytes, far more than its items need")


def read_bytes(path: Path, file: str, problems: Problems, limit: int) -> Optional[bytes]:
    """The file's content, or None after adding a problem. Never keeps more than `limit` bytes of a file that grows."""
    stream = _open(path, file, problems, limit)
    if stream is None:
        return None
    with stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        _too_large(file, limit, problems)
        return None
    return content


def decode(content: bytes, file: str, problems: Problems, first_line: int = 1) -> Optional[str]:
    """UTF-8 text with LF line ends, or None after adding a problem; the text begins with this line of its file."""
    if first_line == 1 and content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.add("not_utf8", file, "is UTF-16 (often called 'Unicode'); save it as UTF-8")
        return None
    for magic, kind in _NO_TEXT.items():
        if first_line == 1 and content.startswith(magic):
            problems.add("not_text", file, f"is {kind}; expected UTF-8 text")
            return None
    if b"\x00" in content:
        line = first_line + content.count(b"\n", 0, content.index(b"\x00"))
        problems.add(
            "nul_byte", file, "a NUL byte; expected UTF-8 text (not UTF-16, not a binary file)", line=line
        )
        return None
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = first_line + content.count(b"\n", 0, error.start)
        problems.add(
            "not_utf8",
            file,
            f"byte 0x{content[error.start]:02x} is not UTF-8 (Latin-1 or Windows-1252?); save the file as UTF-8",
            line=line,
        )
        return None
    if first_line == 1 and text.startswith("\ufeff"):
        text = text[1:]
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        position = text.find("\r")
        if position >= 0:
            problems.add(
                "carriage_return",
                file,
                "a bare carriage return; expected lines that end in LF or CRLF",
                line=first_line + text.count("\n", 0, position),
            )
            return None
    return text


def read_blocks(path: Path, file: str, problems: Problems, limit: int) -> Iterator[Optional[str]]:
    """A text file in blocks of whole lines, without the line end after each block: joined by line ends they are the
    text, but for blank lines at its end. No block is blank. The last is None where a problem was added. `file` is the
    name that a problem shows."""
    stream = _open(path, file, problems, limit)
    if stream is None:
        yield None
        return
    size, lines = 0, 0
    most_lines = limit // BYTES_A_LINE
    blank, empty = "", True
    with stream:
        for content in iter(lambda: stream.read(_BLOCK) + stream.readline(limit + 1), b""):
            first_line = lines + 1
            size += len(content)
            lines += content.count(b"\n") + (not content.endswith(b"\n"))
            block = None
            if size > limit:
                _too_large(file, limit, problems)
            elif lines > most_lines:
                message = f"has more than {most_lines} lines, far more than its items need"
                problems.add("file_too_large", file, message)
            else:
                block = _decode_lines(content, file, problems, first_line)
            if block is None:
                yield None
                return
            block = blank + block
            if block.strip("\n"):
                yield block
                blank, empty = "", False
            else:
                blank = block + "\n"
    if empty:
        problems.add("empty_file", file, "is empty")
        yield None


def _decode_lines(content: bytes, file: str, problems: Problems, first_line: int) -> Optional[str]:
    """`decode` without the last line's end; a problem for a line longer than `LONGEST_LINE` characters too."""
    block = decode(content, file, problems, first_line)
    if block is None:
        return None
    block = block[:-1] if block.endswith("\n") else block
    start = 0
    while len(block) - start > LONGEST_LINE:
        end = block.rfind("\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line = first_line + block.count("\n", 0, start)
            problems.add("file_too_large", file, f"a line of more than {LONGEST_LINE} characters", line=line)
            return None
        start = end + 1
    return block


def read_text(path: Path, file: str, problems: Problems, limit: int) -> Optional[str]:
    """A text file without the line ends after its last line; None after adding a problem."""
    blocks = list(read_blocks(path, file, problems, limit))
    if None in blocks:
        return None
    return "\n".join([block for block in blocks if block is not None]).rstrip("\n")


def read_lines(path: Path, file: str, problems: Problems, limit: int) -> Optional[list[str]]:
    """The lines of a text file, without their ends and without empty ones after the last; None after adding
    a problem."""
    text = read_text(path, file, problems, limit)
    return None if text is None else text.split("\n")


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
    return f"{quote(text) if text else 'nothing'}; expected a finite decimal number{hint}"
