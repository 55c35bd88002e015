"""Read turns in RTTM and in Audacity's label tracks, and evaluated regions in UEM. All times are in seconds.

A line of RTTM is `SPEAKER FILE CHANNEL START DURATION <NA> <NA> LABEL <NA> <NA>`, one of UEM `FILE CHANNEL START END`
(NIST's formats), one of a label track `START<tab>END<tab>LABEL`. FILE is the recording; a label track is named after
it. Lines of an RTTM file that are not turns, and the frequencies of a label track (lines that begin with `\\`), are
ignored.
"""

from collections.abc import Iterator
from decimal import Decimal
from pathlib import PurePath

from speechbundles.competition.intake.times import exact, plain
from spokeneval.formats.problems import Problems, name
from spokeneval.formats.text import decimal, expected_number

Row = tuple[int, list[str]]
"""A line, and its recording, start, end and label; in UEM without the label."""


def read_rttm(text: str, file: str, problems: Problems) -> Iterator[Row]:
    """Yield the turns of an RTTM file. A `SPEAKER` line that is not a valid turn adds a problem."""
    for number, fields in _lines(text):
        if fields[0].upper() != "SPEAKER":
            continue
        start, duration = _times(fields[3:5], file, number, problems)
        if len(fields) < 8:
            message = f"{len(fields)} fields; expected SPEAKER FILE CHANNEL START DURATION <NA> <NA> LABEL"
            problems.add("wrong_field_count", file, message, line=number)
            continue
        yield number, [fields[1], plain(start), plain(start + duration), fields[7]]


def read_uem(text: str, file: str, problems: Problems) -> Iterator[Row]:
    """Yield the regions of a UEM file. A line that is not a valid region adds a problem."""
    for number, fields in _lines(text):
        start, end = _times(fields[2:4], file, number, problems)
        yield number, [fields[0], plain(start), plain(end)]


def read_label_track(text: str, file: str, problems: Problems) -> Iterator[Row]:
    """Yield the turns of an Audacity label track. A line that is not a valid turn adds a problem."""
    for number, line in enumerate(text.split("\n"), 1):
        fields = line.split("\t")
        if not line.strip() or line.startswith("\\"):
            continue
        if len(fields) != 3 or not fields[2].strip():
            message = f"expected start, end and label, separated by tabs; found {name(line.strip())}"
            problems.add("wrong_field_count", file, message, line=number)
            continue
        start, end = _times(fields[:2], file, number, problems)
        yield number, [PurePath(file).stem, plain(start), plain(end), fields[2].strip()]


def is_label_track(text: str) -> bool:
    """Whether the first line of a text that is not blank is a line of a label track."""
    first = next((line for line in text.split("\n") if line.strip()), "").split("\t")
    return len(first) == 3 and None not in map(decimal, first[:2]) and decimal(first[2]) is None


def _lines(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the fields of all lines that are neither blank nor comments."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.startswith(";;"):
            yield number, line.split()


def _times(fields: list[str], file: str, number: int, problems: Problems) -> tuple[Decimal, Decimal]:
    """Return two times; 0 for a field that is not a number."""
    times = [exact(field.strip()) for field in fields]
    for field, time in zip(fields, times, strict=True):
        if time is None:
            problems.add("bad_time", file, f"time {expected_number(field)}", line=number)
    if len(fields) < 2:
        message = f"the line of {name(file)} does not have two times"
        problems.add("wrong_field_count", file, message, line=number)
    first, second = ([time or Decimal(0) for time in times] + [Decimal(0), Decimal(0)])[:2]
    return first, second
