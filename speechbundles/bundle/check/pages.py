"""Checks a competition's pages and logo for what both platforms do with them."""

import re
import struct

from speechbundles.bundle.check.inspection import Inspection
from speechbundles.model.document import Path

LARGEST_PAGE = 4_000_000
"""The most bytes of a page, enough for a few embedded pictures."""

_STRIPPED = re.compile(r"<(?:style|script|iframe)\b|<[a-z][^<>]*\sstyle\s*=", re.IGNORECASE)
_CODE = re.compile(r"```|`|<(pre|code)\b")
_TARGET = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:src|href)\s*=\s*["']([^"']+)""", re.IGNORECASE)
_ANYWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#|\?", re.IGNORECASE)


def check_page(bundle: Inspection, path: Path, value: str, *, sanitised: bool) -> None:
    """Check a page; `sanitised`: whether the platform removes styles and scripts."""
    data = bundle.file(path, value)
    if data is None:
        return
    add = bundle.report.add
    if len(data) > LARGEST_PAGE:
        add("page-large", value, f"{len(data) / 1e6:.1f} MB; at most {LARGEST_PAGE / 1e6:.0f} MB are read")
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        add("page-not-utf8", value, f"byte {error.start} is not UTF-8")
        return
    if not text.strip():
        add("page-empty", value, "the page is empty")
    prose = _without_code(text)
    found = _STRIPPED.search(prose)
    if found and sanitised:
        add("page-sanitised", value, f"{found.group()!r}")
    for match in _TARGET.finditer(prose):
        target = match[1] or match[2]
        if not _ANYWHERE.match(target):
            add("page-relative-link", value, f"{target!r} is relative")
    bundle.contents.pages[value] = data


def _without_code(text: str) -> str:
    """Return a page without its code. The end of an unclosed mark is searched only once, to keep the time linear."""
    prose = []
    start = at = 0
    unclosed: set[str] = set()
    while opening := _CODE.search(text, at):
        at = opening.end()
        mark = f"</{opening[1]}>" if opening[1] else opening[0]
        line_end = text.find("\n", at) if mark == "`" else -1
        end = -1 if mark in unclosed else text.find(mark, at, None if line_end < 0 else line_end)
        if end >= 0:
            prose.append(text[start : opening.start()])
            start = at = end + len(mark)
        elif line_end < 0:
            unclosed.add(mark)
    return "".join([*prose, text[start:]])


def check_logo(bundle: Inspection, path: Path, value: str) -> None:
    data = bundle.file(path, value)
    if data is None:
        return
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        size, whole = _png_size(data), data.rstrip(b"\0").endswith(b"IEND\xaeB`\x82")
    elif data.startswith(b"\xff\xd8\xff"):
        size, whole = _jpeg_size(data), data.rstrip(b"\0\n").endswith(b"\xff\xd9")
    elif data[:6] in (b"GIF87a", b"GIF89a"):
        size = struct.unpack("<HH", data[6:10]) if len(data) >= 10 else None
        whole = data.rstrip(b"\0").endswith(b";")
    else:
        bundle.add("image-format", path, f"{value} is not a PNG, JPEG or GIF file (first bytes {data[:8]!r})")
        return
    if size is None or not all(size) or not whole:
        bundle.add("image-broken", path, f"{value} is incomplete or has no size")
    elif size[0] > 100 * size[1]:
        bundle.add("image-shape", path, f"{value} is {size[0]} x {size[1]} pixels")


def _png_size(data: bytes) -> tuple[int, ...] | None:
    return struct.unpack(">II", data[16:24]) if data[12:16] == b"IHDR" and len(data) >= 24 else None


def _jpeg_size(data: bytes) -> tuple[int, ...] | None:
    at = 2
    while at + 9 <= len(data) and data[at] == 0xFF:
        marker, length = data[at + 1], int.from_bytes(data[at + 2 : at + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return width, height
        at += 2 + length
    return None
