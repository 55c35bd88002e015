"""Text for a console: long lines are wrapped, and tables wider than 80 columns are narrowed or printed in blocks.

Widths are in console cells: an East Asian wide character takes two.
"""

import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest

from rich.cells import cell_len, chop_cells

from speechbundles.model.text import table_lines

WIDTH = 80
"""The width of tables, and the least width of wrapped text."""

WIDEST = 100
"""The greatest width of wrapped text, in a wide terminal."""

SHORTEST_NAME, LONGEST_NAME = 16, 32
"""Limits in cells on shortened names in a table, and on names in a table that is printed in blocks."""

HEADINGS = (40, 30, 20, 15, 10)
"""Widths in cells that are tried for the headings of a table."""

_WIDE = "\u2e80-\ud7ff\uf900-\ufaff\ufe30-\uffdc\U0001f300-\U0003fffd"
"""Characters between which East Asian text may be broken."""

_PIECES = re.compile(rf" *(?:[{_WIDE}]|[^ {_WIDE}]+)")


def wrap(text: str, indent: str = "", *, hanging: str = "  ") -> str:
    """Return text with every line wrapped to the width of the terminal, from `WIDTH` to `WIDEST`.

    A continued line has the indentation of its first line and `hanging` in addition. Words are not broken, even if they
    are too long, so that paths and addresses can be copied.
    """
    return "\n".join(_wrap_line(indent + line, hanging) for line in text.expandtabs().split("\n"))


def _wrap_line(line: str, hanging: str) -> str:
    width = min(max(shutil.get_terminal_size().columns, WIDTH), WIDEST)
    if cell_len(line) <= width:
        return line
    indentation = line[: len(line) - len(line.lstrip(" "))]
    return "\n".join(_filled(_PIECES.findall(line[len(indentation) :]), width, indentation, hanging))


def _filled(pieces: Iterable[str], width: int, indentation: str = "", hanging: str = "") -> list[str]:
    """Return lines of pieces, each with the blanks before it; a piece that is too wide has a line of its own."""
    lines = [indentation]
    for piece in pieces:
        if lines[-1].strip() and cell_len(lines[-1] + piece) > width:
            lines.append(f"{indentation}{hanging}{piece.lstrip(' ')}")
        else:
            lines[-1] += piece
    return lines


def shorten(text: str, width: int) -> str:
    """Return text of at most `width` cells, with an ellipsis in the middle: names often differ only at one end."""
    if cell_len(text) <= width:
        return text
    end = chop_cells(text[::-1], (width - 1) // 2)[0][::-1]
    return f"{chop_cells(text, width - 1 - cell_len(end))[0]}…{end}"


def fitted_table(rows: Iterable[Sequence[str]], left: Collection[int]) -> list[str]:
    """Return the lines of a table that fits the console. The first row is the header, `left` are columns of names.

    In a table that is too wide, headings are wrapped, or else names are shortened. If neither suffices, the columns are
    printed in blocks, one below the other, and each block begins with the first columns of names.
    """
    header, *body = [list(row) for row in rows]
    if _width_of([header, *body]) <= WIDTH:
        return table_lines([header, *body], left)
    for widest in HEADINGS:
        head = _wrap_header(header, body, widest)
        if _width_of(head + body) <= WIDTH:
            return table_lines(head + body, left)
    shortened = _shorten_names(head + body, left)
    if _width_of(shortened) <= WIDTH:
        return table_lines(shortened, left)
    cells = _shorten_names(head + body, left, longest=LONGEST_NAME)
    keys = next(place for place in range(len(header) + 1) if place not in left)
    lines: list[str] = []
    for places in _blocks(cells, keys):
        block = [[row[place] for place in places] for row in cells]
        own_left = {index for index, place in enumerate(places) if place in left}
        lines += [*([""] if lines else []), *table_lines(filter(any, block), own_left)]
    return lines


def _shorten_names(
    rows: Sequence[Sequence[str]], left: Collection[int], *, longest: int | None = None
) -> list[list[str]]:
    """Return rows with shorter names: the widest column first, until the rows fit; or each to `longest` cells."""
    cells = [list(row) for row in rows]
    widths = {place: max(cell_len(row[place]) for row in cells) for place in left}
    excess = _width_of(cells) - WIDTH
    while longest is None and excess > 0 and max(widths.values(), default=0) > SHORTEST_NAME:
        place = max(widths, key=lambda place: widths[place])
        widths[place] -= 1
        excess -= 1
    for row in cells:
        for place, width in widths.items():
            row[place] = shorten(row[place], min(width, longest or width))
    return cells


def _width_of(rows: Sequence[Sequence[str]]) -> int:
    return sum(2 + max(map(cell_len, column)) for column in zip(*rows, strict=True))


def _wrap_header(header: Sequence[str], body: Sequence[Sequence[str]], widest: int) -> list[list[str]]:
    """Return the rows of a header whose headings are at most `widest` cells wide, or as wide as their columns."""
    widths = [max([widest, *(cell_len(row[place]) for row in body)]) for place in range(len(header))]
    words = [re.findall(" ?[^ ]+", " ".join(heading.split())) for heading in header]
    upwards = [_filled(each, width)[::-1] for each, width in zip(words, widths, strict=True)]
    return [list(line) for line in zip_longest(*upwards, fillvalue="")][::-1]


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
