"""Read turns in RTTM and in Audacity's label tracks, and evaluated regions in UEM. All times are in seconds.

RTTM and UEM are read as a participant's are (see `spokeneval.formats.nist`). A line of a label track is
`START<tab>END<tab>LABEL`; its recording is named as the track. Lines of an RTTM file that are no turns, and the
frequencies of a label track (lines that begin with `\\`), are left out and counted.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from speechbundles.competition.intake.times import exact, plain
from spokeneval.formats.nist import NO_SCORE, NO_SCORE_LINE, Line, rttm_lines, uem_lines
from spokeneval.formats.problems import Problems, name
from spokeneval.formats.text import decimal
from spokeneval.formats.transcript_files import Row
from spokeneval.formats.turns import read_times


def read_rttm(text: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the turns of an RTTM file. Any other line adds a problem, or is added to `left_out`."""
    for lines in rttm_lines([text], file, problems, left_out):
        for number, *_, label in lines:
            if label == NO_SCORE:
                message = (
                    f"{NO_SCORE_LINE}: leave this time out of the evaluated regions, and remove the line"
                )
                problems.add("no_score", file, message, line=number)
        yield from _rows(lines, file, problems, lasting=True)


def read_uem(text: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the regions of a UEM file. A line that is not a valid region adds a problem."""
    for lines in uem_lines([text], file, problems):
        for number, cells in _rows(lines, file, problems):
            yield number, cells[:-1]


def read_label_track(text: str, file: str, problems: Problems, left_out: Counter[str]) -> Iterator[Row]:
    """Yield the turns of an Audacity label track. A line that is not a valid turn adds a problem."""
    lines: list[Line] = []
    for number, line in enumerate(text.split("\n"), 1):
        fields = [field.strip() for field in line.split("\t")]
        if line.startswith("\\"):
            left_out["frequency"] += 1
        elif len(fields) == 3 and fields[2]:
            start, end, label = fields
            lines.append((number, PurePath(file).stem, start, end, label))
        elif line.strip():
            message = f"expected start, end and label, separated by tabs; found {name(line.strip())}"
            problems.add("wrong_field_count", file, message, line=number)
    yield from _rows(lines, file, problems)


def is_label_track(text: str) -> bool:
    """Whether the first line of a text that is not blank is a line of a label track."""
    first = next((line for line in text.split("\n") if line.strip()), "").split("\t")
    return len(first) == 3 and None not in map(decimal, first[:2]) and decimal(first[2]) is None


def _rows(lines: Sequence[Line], file: str, problems: Problems, *, lasting: bool = False) -> Iterator[Row]:
    """Yield the lines with exact times. Those that are no spans of time add problems; `lasting` as for `read_times`."""
    if lines:
        numbers, _, starts, others, _ = zip(*lines, strict=True)
        read_times(starts, others, file, numbers, problems, lasting=lasting)
    for number, recording, start, other, label in lines:
        begin, end = exact(start), exact(other)
        if begin is not None and end is not None:
            yield number, [recording, plain(begin), plain(begin + end if lasting else end), label]
