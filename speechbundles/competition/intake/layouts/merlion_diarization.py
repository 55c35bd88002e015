"""Read labels in RTTM and evaluated regions in UEM (NIST formats, times in seconds), and regions without a header.

A line of RTTM is `SPEAKER FILE CHANNEL START DURATION <NA> <NA> LANGUAGE <NA> <NA>`, one of UEM `FILE CHANNEL START
END`. The recording FILE is the audio file's name without its extension.
"""

from collections.abc import Mapping
from pathlib import Path

from speechbundles.competition.intake.layouts import Notation, Rows
from spokeneval.formats.problems import Problems, ReferenceFileError, name
from spokeneval.formats.text import decimal, expected_number

_LABELS = ("audio_name", "utt_id", "start", "end", "language_tag")
_REGIONS = ("audio_name", "start", "end")


def labels_of_rttm(texts: Mapping[Path, str]) -> tuple[tuple[str, ...], Rows]:
    """Return the segments in milliseconds, sorted by recording and time.

    Raises
    ------
    ReferenceFileError: a `SPEAKER` line that is not a valid turn.
    """
    turns: dict[tuple[str, float, float, str], str] = {}
    problems = Problems(ReferenceFileError)
    for path, number, fields in _lines(texts):
        if fields[0].upper() != "SPEAKER":
            continue  # RTTM also has lines that are not turns
        start, duration = _times(fields[3:5], path, number, problems)
        if len(fields) < 8:
            message = f"{len(fields)} fields; expected SPEAKER FILE CHANNEL START DURATION <NA> <NA> LANGUAGE"
            problems.add("wrong_field_count", path.name, message, line=number)
            continue
        turn = fields[1], start, start + duration, fields[7]
        if turn in turns:
            message = f"this turn of {name(fields[1])} is already in {turns[turn]}; is one file a copy?"
            problems.add("repeated_turn", path.name, message, line=number)
        turns.setdefault(turn, f"{path.name} line {number}")
    problems.raise_if_any()
    rows = [
        [f"{recording}.wav", f"a{number}", f"{start:.12g}", f"{end:.12g}", language]
        for number, (recording, start, end, language) in enumerate(sorted(turns), 1)
    ]
    return _LABELS, list(enumerate(rows, 2))


def regions_of_uem(texts: Mapping[Path, str]) -> tuple[tuple[str, ...], Rows]:
    """Return the evaluated regions in milliseconds.

    Raises
    ------
    ReferenceFileError: a line that is not a valid region.
    """
    rows = []
    problems = Problems(ReferenceFileError)
    for path, number, fields in _lines(texts):
        start, end = _times(fields[2:4], path, number, problems)
        rows.append([f"{fields[0]}.wav", f"{start:.12g}", f"{end:.12g}"])
    problems.raise_if_any()
    return _REGIONS, list(enumerate(sorted(rows), 2))


def _lines(texts: Mapping[Path, str]) -> list[tuple[Path, int, list[str]]]:
    """Return the fields of all lines that are neither blank nor comments."""
    return [
        (path, number, line.split())
        for path, text in texts.items()
        for number, line in enumerate(text.split("\n"), 1)
        if line.strip() and not line.startswith(";;")
    ]


def _times(fields: list[str], path: Path, number: int, problems: Problems) -> tuple[float, float]:
    """Return two times in milliseconds; 0 for a field that is not a number."""
    times = [decimal(field) for field in fields]
    for field, time in zip(fields, times, strict=True):
        if time is None:
            problems.add("bad_time", path.name, f"time {expected_number(field)}", line=number)
    if len(fields) < 2:
        message = f"the line of {name(path.name)} does not have two times"
        problems.add("wrong_field_count", path.name, message, line=number)
    first, second = ([1000 * (time or 0) for time in times] + [0.0, 0.0])[:2]
    return round(first, 6), round(second, 6)


def _are_times(cells: Mapping[str, str]) -> bool:
    return decimal(cells["start"]) is not None and decimal(cells["end"]) is not None


NOTATIONS = {
    "labels.csv": Notation(made_from=(".rttm", labels_of_rttm)),
    "regions.csv": Notation(headerless=(_REGIONS,), is_row=_are_times, made_from=(".uem", regions_of_uem)),
}
