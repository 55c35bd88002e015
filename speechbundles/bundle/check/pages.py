"""Checks a competition's pages and logo for what both platforms do with them."""

import io
import re

from PIL import Image

from speechbundles.model.finding import Report

LARGEST_PAGE = 4_000_000
"""The most bytes of a page, enough for a few embedded pictures."""

_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a")
_MOST_PIXELS = 20_000_000  # that are decoded
_STRIPPED = re.compile(r"<(?:style|script|iframe)\b|<[a-z][^<>]*\sstyle\s*=", re.IGNORECASE)
_CODE = re.compile(r"```|`|<(pre|code)\b")
_TARGET = re.compile(r"""\]\(\s*<?([^)\s>]+)|(?:src|href)\s*=\s*["']([^"']+)""", re.IGNORECASE)
_ANYWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|//|/|#|\?", re.IGNORECASE)


def check_page(report: Report, name: str, data: bytes, *, sanitised: bool) -> None:
    """Check a page; `sanitised`: whether the platform removes styles and scripts."""
    if len(data) > LARGEST_PAGE:
        what = f"{len(data) / 1e6:.1f} MB; at most {LARGEST_PAGE / 1e6:.0f} MB are read"
        report.add("page-large", name, what)
        return
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        report.add("page-not-utf8", name, f"byte {error.start} is not UTF-8")
        return
    if not text.strip():
        report.add("page-blank" if text else "page-empty", name, "the page is empty")
    prose = _without_code(text)
    if sanitised and (found := _STRIPPED.search(prose)):
        report.add("page-sanitised", name, f"{found.group()!r}")
    for target in (match[1] or match[2] for match in _TARGET.finditer(prose)):
        if not _ANYWHERE.match(target):
            report.add("page-relative-link", name, f"{target!r} is relative")


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


def check_logo(report: Report, where: str, name: str, data: bytes) -> None:
    """Read the logo with Pillow, as a platform does to make a thumbnail of it."""
    if not data.startswith(_IMAGES):
        what = f"{name} is not a PNG, JPEG or GIF file (first bytes {data[:8]!r})"
        report.add("image-format", where, what)
        return
    try:
        with Image.open(io.BytesIO(data)) as image:
            width, height = image.size
            if width * height <= _MOST_PIXELS:
                image.load()
    except Exception:  # whatever a decoder raises
        report.add("image-broken", where, f"{name} is incomplete or has no size")
        return
    if width > 100 * height:
        report.add("image-shape", where, f"{name} is {width} x {height} pixels")
