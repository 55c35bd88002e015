"""Columns that a task needs and that follow from other columns: numbers of words, names of segments, overlaps."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from speechbundles.competition.intake.table import OwnTable
from speechbundles.competition.intake.times import TIMES
from spokeneval.formats.language_labels import LANGUAGES, OVERLAP
from spokeneval.formats.problems import count_of
from spokeneval.formats.tables import Layout
from spokeneval.formats.text import decimal

WORDS, SEGMENT = "words", "utt_id"
SPAN = ("recording", *TIMES)
TRANSCRIPT = "transcript"
TRANSCRIPTS = (TRANSCRIPT, "transcription", "text", "asr_transcript", "asr_text")
"""Names of columns in which words can be counted, the most trusted first."""


def sources(layout: Layout) -> tuple[str, ...]:
    """Return the columns from which a missing column of a layout can be made."""
    return (TRANSCRIPT,) if WORDS in layout.required else ()


def count_words(table: OwnTable, layout: Layout) -> OwnTable:
    """Add the column `words`, if it is required and missing: the words of a transcript, separated by white space."""
    there = {column.lower(): place for place, column in enumerate(table.columns)}
    source = next((there[name] for name in TRANSCRIPTS if name in there), None)
    if not _is_missing(WORDS, table, layout.required) or source is None:
        return table
    counted = {line: str(len(cells[source].split())) for line, cells in table.rows.items()}
    own = table.provenance.name_of(table.columns[source])
    return _with_column(table, layout, WORDS, counted, f"counted in {own}")


def name_segments(table: OwnTable, layout: Layout) -> OwnTable:
    """Add the names of segments, if their column is missing.

    `utt_id` is `a1`, `a2` and so on in the order of the rows. Any other id of segments with times is
    `recording_start_end`.
    """
    if not _is_missing(layout.id, table, layout.required):
        return table
    if layout.id == SEGMENT:
        names = {line: f"a{number}" for number, line in enumerate(table.rows, 1)}
        return _with_column(table, layout, SEGMENT, names, "numbered by row")
    if not has_segments(layout) or not set(SPAN) <= set(table.columns):
        return table
    places = [table.columns.index(column) for column in SPAN]
    names = {line: "_".join(cells[place] for place in places) for line, cells in table.rows.items()}
    return _with_column(table, layout, layout.id, names, f"made of {', '.join(SPAN)}")


def has_segments(layout: Layout) -> bool:
    """Whether the items of a layout may be segments of recordings."""
    return set(SPAN) <= {*layout.required, *layout.optional}


def mark_overlaps(table: OwnTable, layout: Layout) -> OwnTable:
    """Add the column `overlap_diff_lang`, if it is missing and a segment overlaps one of the other language.

    Segments that only touch do not overlap. A misspelt column is not replaced; the task's reader refuses it.
    """
    misspelt = any("overlap" in column.lower() for column in table.columns)
    needed = ("audio_name", "start", "end", "language_tag")
    if misspelt or any(column not in table.columns for column in needed):
        return table
    places = [table.columns.index(column) for column in needed]
    spelling = {language.lower(): language for language in LANGUAGES}
    segments: dict[tuple[str, str], list[tuple[float, float, int]]] = defaultdict(list)
    for line, cells in table.rows.items():
        recording, first, last, tag = (cells[place].strip() for place in places)
        start, end = decimal(first), decimal(last)
        if start is not None and end is not None and tag.lower() in spelling:
            segments[recording, spelling[tag.lower()]].append((start, end, line))
    overlapping = {
        line
        for (recording, language), ours in segments.items()
        for other in LANGUAGES
        if other != language and (recording, other) in segments
        for line in _meeting(ours, segments[recording, other])
    }
    if not overlapping:
        return table
    flags = {line: str(line in overlapping) for line in table.rows}
    said = f"computed from the times: {count_of(len(overlapping), 'segment')}, not scored"
    return _with_column(table, layout, OVERLAP, flags, said)


def _meeting(
    ours: Sequence[tuple[float, float, int]], others: Sequence[tuple[float, float, int]]
) -> list[int]:
    """Return the lines of those of our segments that overlap one of the others."""
    starts, ends = (np.sort([segment[place] for segment in others]) for place in (0, 1))
    first, last, lines = map(np.array, zip(*ours, strict=True))
    begun, over = np.searchsorted(starts, last, "left"), np.searchsorted(ends, first, "right")
    meeting: list[int] = lines[begun > over].tolist()
    return meeting


def _is_missing(column: str, table: OwnTable, wanted: Sequence[str]) -> bool:
    return column in wanted and table.header is not None and column not in table.columns


def _with_column(
    table: OwnTable, layout: Layout, column: str, cells: Mapping[int, str], how: str
) -> OwnTable:
    wanted = (*layout.required, column)
    at, own = min(wanted.index(column), len(table.columns)), table.provenance
    return replace(
        table,
        columns=(*table.columns[:at], column, *table.columns[at:]),
        rows={line: [*row[:at], cells[line], *row[at:]] for line, row in table.rows.items()},
        provenance=replace(own, names={**own.names, column: f"{column} ({how})"}),
        understood=f"{table.understood}; {column} {how}",
        unchanged=None,
    )
