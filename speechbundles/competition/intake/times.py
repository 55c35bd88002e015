"""Columns of times: their unit as the header states it, and conversion to the task's unit.

`start_s`, `end (sec)`, `begin_ms` and Praat's `tmin`, `tmax` (seconds) state a unit. `start` and `end` do not: their
unit is the task's.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction

from spokeneval.formats.text import decimal

_NAMES = {
    "start": ("start", "begin", "onset", "tmin", "xmin"),
    "end": ("end", "stop", "offset", "tmax", "xmax"),
}
TIMES = tuple(_NAMES)
_PRAAT = ("tmin", "tmax", "xmin", "xmax")
_UNIT = re.compile(
    r"(?P<name>.*?)[ _]?[_ (\[](?P<unit>s|secs?|seconds?|ms|msecs?|milliseconds?)[)\]]?\Z", re.I
)


def unit_of(header: str) -> tuple[str, int] | None:
    """Return a column's name without its unit, in small letters, and its units per second; None without a unit."""
    header = header.strip().lower()
    if header in _PRAAT:
        return header, 1
    stated = _UNIT.match(header)
    return (stated["name"], 1000 if stated["unit"].startswith("m") else 1) if stated else None


def time_columns(header: Sequence[str]) -> dict[str, int]:
    """Return the columns of a header with times in a stated unit, `column -> place`; the first of several."""
    places: dict[str, int] = {}
    for place, cell in enumerate(header):
        stated = unit_of(cell)
        for column, names in _NAMES.items():
            if stated and stated[0] in names:
                places.setdefault(column, place)
    return places


CLOCK = re.compile(r"(\d+):([0-5]\d):([0-5]\d(?:[.,]\d+)?)")


def exact(text: str) -> Decimal | None:
    """Return a time without binary rounding, `hh:mm:ss.ms` in seconds; None if the text is none, or not finite."""
    clock = CLOCK.fullmatch(text.strip())
    if clock:
        return 3600 * Decimal(clock[1]) + 60 * Decimal(clock[2]) + Decimal(clock[3].replace(",", "."))
    number = decimal(text)
    return None if number is None else Decimal(repr(number))


def plain(time: Decimal) -> str:
    """Return a time as text, without an exponent or trailing zeros."""
    return f"{time.normalize():f}"


def converted(text: str, factor: Fraction) -> str:
    """Return a time multiplied by a factor; a text that is not a number is not changed."""
    time = exact(text)
    return text if time is None else plain(time * factor.numerator / factor.denominator)
