"""Text files from strangers, read with bounds: size, encoding, line ends, numbers.

Accepted: UTF-8 with or without a byte-order mark, LF or CRLF, with or without a final newline. Everything
else is refused with the word that mends it.
"""

from __future__ import annotations

import math
import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Optional

import numpy as np

from .problems import Problems, quote

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\Z")
_INTEGER = re.compile(r"[+-]?[0-9]{1,18}\Z")


BYTES_A_LINE = 128
"""A file may have as many lines as its limit in bytes holds of this length: lines cost far more memory than bytes."""
LONGEST_LINE = 1 << 16


def size_limit(items: int) -> int:
    """Bytes that a submission for so many items may have: far above any honest file, far below a bomb. Eight lines
    an item, and eight thousand, go with it (`BYTES_A_LINE`)."""
    return (1 << 20) + 1024 * items


def read_bytes(path: Path, file: str, problems: Problems, limit: int) -> Optional[bytes]:
    """The file's content, or None after adding a problem. Never reads more than `limit` bytes, never waits
    for a pipe, never follows a link."""
    try:
        descriptor = os.open(
            str(path), os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        )
    except OSError as error:
        problems.add("unreadable_file", file, f"cannot be read: {error.strerror}")
        return None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        problems.add("unreadable_file", file, "is not an ordinary file")
        return None
    with os.fdopen(descriptor, "rb") as stream:
        content = stream.read(limit + 1)
    if len(content) > limit:
        problems.add("file_too_large", file, f"is larger than {limit} bytes, far more than its items need")
        return None
    return content


def decode(content: bytes, file: str, problems: Problems) -> Optional[str]:
    """UTF-8 text with LF line ends, or None after adding a problem."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        problems.add("not_utf8", file, "is UTF-16 (often called 'Unicode'); save it as UTF-8")
        return None
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        problems.add(
            "nul_byte", file, "a NUL byte; expected UTF-8 text (not UTF-16, not a binary file)", line=line
        )
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        start = error.start + (3 if content.startswith(b"\xef\xbb\xbf") else 0)
        line = content.count(b"\n", 0, start) + 1
        problems.add(
            "not_utf8",
            file,
            f"byte 0x{content[start]:02x} is not UTF-8 (Latin-1 or Windows-1252?); save the file as UTF-8",
            line=line,
        )
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        position = text.find("\r")
        if position >= 0:
            problems.add(
                "carriage_return",
                file,
                "a bare carriage return; expected lines that end in LF or CRLF",
                line=text.count("\n", 0, position) + 1,
            )
            return None
    return text


def read_text(path: Path, file: str, problems: Problems, limit: int) -> Optional[str]:
    """A text file without the line ends after its last line; None after adding a problem. `file` is the name
    that a problem shows."""
    content = read_bytes(path, file, problems, limit)
    text = None if content is None else decode(content, file, problems)
    if text is None:
        return None
    text = text.rstrip("\n")
    if not text:
        problems.add("empty_file", file, "is empty")
        return None
    lines = text.count("\n") + 1
    if lines > limit // BYTES_A_LINE:
        problems.add("file_too_large", file, f"has {lines} lines, far more than its items need")
        return None
    return text if _lines_are_short(text, file, problems) else None


def _lines_are_short(text: str, file: str, problems: Problems) -> bool:
    """Whether no line is longer than `LONGEST_LINE` characters; adds a problem for the first that is."""
    start = 0
    while len(text) - start > LONGEST_LINE:
        end = text.rfind("\n", start, start + LONGEST_LINE + 1)
        if end < 0:
            line = text.count("\n", 0, start) + 1
            problems.add("file_too_large", file, f"a line of more than {LONGEST_LINE} characters", line=line)
            return False
        start = end + 1
    return True


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
