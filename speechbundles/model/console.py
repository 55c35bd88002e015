"""Text for a console of 80 columns: long lines are wrapped, wide tables are narrowed or printed in blocks.

Widths are in console cells: an East Asian wide character takes two.
"""

import re
from collections.abc import Collection, Iterable, Sequence

from rich.cells import cell_len

from speechbundles.model.text import text_table

WIDTH = 80

SHORTEST_NAME = 16
"""Names in a table are shortened to no fewer cells than this."""

_WIDE = "\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffdc\U0001f300-\U0003fffd"
"""Characters between which East Asian text may be broken."""

_PIECES = re.compile(rf" *(?:[{_WIDE}]|[^ {_WIDE}]+)")


def wrap(text: str, indent: str = "") -> str:
    """Return text with every line wrapped to the width of the console.

    A continued line is indented by two spaces more than its first line. Words are not broken, even if they are too
    long, so that paths and addresses can be copied.
    """
    return "\n".join(_wrap_line(indent + line) for line in text.expandtabs().split("\n"))


def _wrap_line(line: str) -> str:
    if cell_len(line) <= WIDTH:
        return line
    indentation = line[: len(line) - len(line.lstrip(" "))]
    lines = [indentation]
    for piece in _PIECES.findall(line[len(indentation) :]):
        if lines[-1].strip() and cell_len(lines[-1] + piece) > WIDTH:
            lines.append(f"{indentation}  {piece.lstrip(' ')}")
        else:
            lines[-1] += piece
    return "\n".join(lines)


def shorten(text: str, width: int) -> str:
    """Return text of at most `width` cells, with an ellipsis in the middle: names often differ only at one end."""
    if cell_len(text) <= width:
        return text
    end = ""
    for char in reversed(text):
        if cell_len(char + end) > (width - 1) // 2:
            break
        end = char + end
    begin = ""
    for char in text:
        if cell_len(begin + char) > width - 1 - cell_len(end):
            break
        begin += char
    return f"{begin}…{end}"


def fitted_table(rows: Iterable[Sequence[str]], left: Collection[int]) -> list[str]:
    """Return the lines of a table that fits the console. The first row is the header, `left` are columns of names.

    In a table that is too wide, first headings are wrapped, then names are shortened. If neither suffices, the columns
    are printed in blocks, one below the other, and each block begins with the first columns of names.
    """
    header, *body = [list(row) for row in rows]
    if _width_of([header, *body]) <= WIDTH:
        return text_table([header, *body], left)
    bodies = [max((cell_len(row[place]) for row in body), default=0) for place in range(len(header))]
    headings = [_wrap_heading(heading, width) for heading, width in zip(header, bodies, strict=True)]
    head = [list(line) for line in zip(*_bottom_aligned(headings), strict=True)]
    while (excess := _width_of(head + body) - WIDTH) > 0:
        widest = max(left, key=lambda place: max(cell_len(row[place]) for row in head + body), default=None)
        if widest is None or (width := max(cell_len(row[widest]) for row in head + body)) <= SHORTEST_NAME:
            break
        for row in head + body:
            row[widest] = shorten(row[widest], max(SHORTEST_NAME, width - min(excess, 4)))
    keys = next(place for place in range(len(header) + 1) if place not in left)
    lines: list[str] = []
    for places in _blocks(head + body, keys):
        block = [[row[place] for place in places] for row in head + body]
        own_left = {index for index, place in enumerate(places) if place in left}
        lines += [*([""] if lines else []), *text_table(block, own_left)]
    return lines


def _width_of(rows: Sequence[Sequence[str]]) -> int:
    return sum(2 + max(map(cell_len, column)) for column in zip(*rows, strict=True))


def _wrap_heading(heading: str, width: int) -> list[str]:
    """A heading in lines that are no wider than the column's cells, where its words allow that."""
    lines = [""]
    for word in heading.split():
        joined = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and cell_len(joined) > max(width, 10):
            lines.append(word)
        else:
            lines[-1] = joined
    return lines


def _bottom_aligned(headings: Sequence[list[str]]) -> list[list[str]]:
    height = max(map(len, headings))
    return [[*[""] * (height - len(heading)), *heading] for heading in headings]


def _blocks(rows: Sequence[Sequence[str]], keys: int) -> Iterable[list[int]]:
    """The columns of each block: as many as fit beside the first `keys` ones."""
    widths = [2 + max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    places = list(range(keys))
    for place in range(keys, len(widths)):
        if len(places) > keys and sum(widths[index] for index in [*places, place]) > WIDTH:
            yield places
            places = list(range(keys))
        places.append(place)
    yield places
