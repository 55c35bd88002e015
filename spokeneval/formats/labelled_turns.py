"""Files of labelled turns: who or what is active when, in seconds, in any number of recordings.

Reference:

- `turns.rttm` (NIST's format), or `turns.csv` with the columns `recording, start, end, label`.
- `regions.uem` (NIST's format), or `regions.csv` with the columns `recording, start, end`: the evaluated regions of
  every recording. They do not overlap. A recording without turns has regions only.

Without regions, all time is evaluated: from the first start to the last end of the turns on both sides, as in `dscore`
and `pyannote.metrics`. `md-eval.pl` ignores a system's turns outside those of the reference; give their first start and
last end as regions for its numbers. The public list has no times then, because they would reveal turns, and there is no
recording without turns. `regions.csv` is one of the format's `layouts`, which a bundle requires, so no bundle has a
hidden set without regions.

Public list, `recordings.csv`: the regions, with the columns `recording, start_s, end_s`, or the recordings only.

Submission: `turns.rttm` with all recordings, or a file for each recording, `RECORDING.rttm`, with its turns, which may
be none. In `turns.rttm` a line with the duration 0 says that a recording has no turns; one without any line is refused,
unless the task says otherwise.

See `nist` for the lines of RTTM and UEM. Only `SPEAKER` lines are turns; the time of a `NOSCORE` line in a reference is
not evaluated. All others are left out, and `doubts` names those of a submission. Channels are not distinguished; give
each channel a recording name of its own.

Times are rounded to whole milliseconds, half to even; of RTTM the start, and the end as the exact sum of start and
duration. Turns that are empty after this are left out.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial
from itertools import compress
from types import MappingProxyType
from typing import NamedTuple, Optional

import numpy as np

from .format import Format, Items
from .language_labels import check_names
from .nist import NO_SCORE, NO_SCORE_LINE, SPEAKER_LINE, Line, left_out_lines, rttm_lines, uem_lines
from .problems import FileProblems, Problems, ReferenceFileError, name, quote
from .speakers import check_speakers
from .submission_folder import expect_files, named_as
from .tables import Layout, Table, numbered, read_table
from .text import ORGANISER_LIMIT, Files, blocks_of, decimal, decode_lines, size_limit, text_of
from .turns import (
    NO_TURNS,
    Rows,
    Submission,
    TurnReference,
    ends_for_durations,
    one_label,
    read_times,
    reference_of,
    refuse_missing,
    take,
    take_reference,
    turns_by_recording,
    unanswered,
    unknown_names,
)
from .written_ids import hint_of_case

TURNS_RTTM, TURNS_CSV = "turns.rttm", "turns.csv"
REGIONS_UEM, REGIONS_CSV = "regions.uem", "regions.csv"
LIST_FILE = "recordings.csv"

START, END, LABEL = "start", "end", "label"
PUBLIC_START, PUBLIC_END = "start_s", "end_s"
"""Columns of the public list; other lists have times in milliseconds."""

LATEST_BY = 50
"""Turns that end so many times later than all regions are not in seconds."""


class TurnFiles(NamedTuple):
    """The declaration of a task's files.

    Attributes
    ----------
    id
        The column with the names of recordings.
    classes
        The names of the labels; empty for any names.
    optional
        The column with the units, which a reference may have.
    aliases
        Alternative names of columns.
    may_lack
        Whether a submission may lack recordings.
    file
        The name of the reference's first table.
    """

    id: str
    classes: Sequence[str] = ()
    optional: Sequence[str] = ()
    aliases: Mapping[str, str] = MappingProxyType({})
    may_lack: bool = False
    file: str = TURNS_CSV

    @property
    def layouts(self) -> tuple[Layout, Layout]:
        """The layouts of the reference's tables."""
        span = (self.id, START, END)
        turns = Layout(self.file, self.id, (*span, LABEL), optional=self.optional, aliases=self.aliases)
        return turns, Layout(REGIONS_CSV, self.id, span, optional=self.optional, aliases=self.aliases)


def turns_format(declared: TurnFiles) -> Format:
    """The format of a task with these files."""
    return Format(
        declared.layouts,
        TURNS_RTTM,
        (LIST_FILE,),
        partial(read_reference, declared),
        partial(public_files, declared),
        partial(read_items, declared),
        partial(read_submission, declared),
        partial(rows, declared),
        take,
        take_reference,
        other_files=(TURNS_RTTM, REGIONS_UEM),
        submission=declared.layouts[0]._replace(file=TURNS_RTTM, optional=()),
        write_submission=partial(write_submission, declared),
        any_order=True,
        doubts=partial(doubts, bool(declared.classes)),
    )


def read_reference(declared: TurnFiles, files: Mapping[str, bytes]) -> TurnReference:
    """Read the turns and the evaluated regions.

    Raises
    ------
    ReferenceFileError
        A missing file, two of one kind, lines that are not valid turns or regions, regions that overlap, a recording
        with turns but without regions, or none of whose turns is in its regions.
    """
    problems = Problems(ReferenceFileError)
    found, given = (read_either(declared, files, layout, problems) for layout in declared.layouts)
    problems.raise_if_any()
    if found is None:
        problems.stop("missing_file", TURNS_CSV, f"is missing; expected {TURNS_CSV} or {TURNS_RTTM}")
    regions = given or _extents(found.where(lambda label: label != NO_SCORE))
    reference = reference_of(found, regions, declared.classes, "seconds", problems)
    units = units_of_recordings((found, regions), declared.optional, problems)
    problems.raise_if_any()
    recordings = reference.items.ids
    return replace(
        reference,
        items=replace(reference.items, latest=float(given.spans.max()) if given else None),
        units=[units.get(recording, recording) for recording in recordings] if units else (),
    )


def read_either(
    declared: TurnFiles, files: Mapping[str, bytes], layout: Layout, problems: Problems
) -> Optional[Rows]:
    """The turns or the regions, in NIST's format or as a table; None without such a file, or with a problem."""
    other = TURNS_RTTM if layout.file == TURNS_CSV else REGIONS_UEM
    there = [file for file in (layout.file, other) if file in files]
    if len(there) == 2:
        problems.add("two_files", other, f"is there beside {layout.file}; keep one of them")
    rows = None
    with problems.continuing():
        if there == [other]:
            blocks = blocks_of(files, other, problems)
            lasting = other == TURNS_RTTM
            lines = (
                rttm_lines(blocks, other, problems, Counter())
                if lasting
                else uem_lines(blocks, other, problems)
            )
            rows = _rows_of_lines(lines, other, problems, lasting=lasting)
        elif there == [layout.file]:
            rows = _rows_of_table(read_table(files, layout, problems), declared, problems)
        if rows and layout.file == TURNS_CSV:
            _check_labels(rows, declared.classes, problems)
    if rows:
        names = Table(rows.file, declared.id, {declared.id: rows.recordings}, rows.lines)
        check_names(names, declared.id, problems)
    return rows


def _rows_of_table(table: Table, declared: TurnFiles, problems: Problems) -> Rows:
    check_speakers(table, problems)
    columns = table.columns
    spans = read_times(columns[START], columns[END], table.file, table.lines, problems)
    units = next((columns[column] for column in declared.optional if column in columns), [])
    return Rows(table.file, table.ids, spans, columns.get(LABEL, [LABEL] * len(table)), table.lines, units)


def _rows_of_lines(blocks: Iterable[list[Line]], file: str, problems: Problems, *, lasting: bool) -> Rows:
    """The lines of RTTM or UEM; `lasting` as for `read_times`."""
    recordings: list[str] = []
    labels: list[str] = []
    numbers: list[int] = []
    spans = [NO_TURNS.spans]
    known: dict[str, str] = {}  # one string for each name, as there may be many lines
    for lines in blocks:
        if lines:
            places, called, starts, others, names = zip(*lines)
            recordings += [known.setdefault(recording, recording) for recording in called]
            labels += [known.setdefault(label, label) for label in names]
            numbers += places
            spans.append(read_times(starts, others, file, places, problems, lasting=lasting))
    return Rows(file, recordings, np.concatenate(spans), labels, numbers)


def _check_labels(rows: Rows, classes: Sequence[str], problems: Problems) -> None:
    """Check that labels are classes, or names that can be written in RTTM."""
    unusable = {
        label
        for label in set(rows.labels) - {*classes, NO_SCORE}
        if classes or label in ("", "<NA>") or not label.isprintable() or " " in label
    }
    expected = " or ".join(map(quote, classes)) or "a name without spaces or invisible characters"
    for row, label in enumerate(rows.labels):
        if label in unusable:
            found = quote(label) if label else "is empty"
            message = f"label {found}; expected {expected}{hint_of_case(label, classes)}"
            rows.add_problem(problems, "unknown_label", row, message)


def _extents(turns: Rows) -> Rows:
    """A region for each recording, from the first start to the last end."""
    recordings, place = numbered(turns.recordings)
    order = np.argsort(place, kind="stable")
    first = np.searchsorted(place[order], np.arange(len(recordings)))
    starts, ends = (
        each.reduceat(turns.spans[order, column], first) if len(first) else turns.spans[:0, 0]
        for column, each in ((0, np.minimum), (1, np.maximum))
    )
    lines = [turns.lines[row] for row in order[first].tolist()]
    return Rows(turns.file, recordings, np.stack([starts, ends], axis=1), [LABEL] * len(recordings), lines)


def units_of_recordings(parts: Iterable[Rows], optional: Sequence[str], problems: Problems) -> dict[str, str]:
    """The unit of each recording that has one; each recording has one unit in all its rows."""
    units: dict[str, str] = {}
    for rows in parts:
        for row, (recording, unit) in enumerate(zip(rows.recordings, rows.units)):
            if unit and units.setdefault(recording, unit) != unit:
                message = f"{optional[0]} {name(unit)}, but {name(units[recording])} before; expected one for all of "
                message += "its rows. Rename the column if it shows who is talking"
                rows.add_problem(problems, "two_units", row, message)
    return units


def public_files(
    declared: TurnFiles, reference: TurnReference, options: Mapping[str, str]
) -> dict[str, bytes]:
    """The list of recordings, with their regions in seconds unless these are computed from the turns."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    given = reference.items.latest is not None
    writer.writerow((declared.id, PUBLIC_START, PUBLIC_END) if given else (declared.id,))
    for recording, regions in zip(reference.items.ids, reference.regions):
        for start, end in np.sort(regions, axis=0).tolist() if given else [(0, 0)]:
            times = (f"{start / 1000:.3f}", f"{end / 1000:.3f}") if given else ()
            writer.writerow((recording, *times))
    return {LIST_FILE: text.getvalue().encode()}


def read_items(declared: TurnFiles, files: Mapping[str, bytes]) -> Items:
    """Read the public items from the file that `public_files` returned."""
    problems = Problems(FileProblems)
    layout = Layout(LIST_FILE, declared.id, (declared.id,), optional=(PUBLIC_START, PUBLIC_END))
    table = read_table(files, layout, problems)
    latest = None
    if {PUBLIC_START, PUBLIC_END} <= table.columns.keys():
        starts, ends = table.columns[PUBLIC_START], table.columns[PUBLIC_END]
        spans = read_times(starts, ends, table.file, table.lines, problems)
        latest = float(spans[:, 1].max(initial=0))
    problems.raise_if_any()
    return Items(tuple(dict.fromkeys(table.ids)), latest=latest)


def read_submission(declared: TurnFiles, files: Files, items: Items) -> Submission:
    """Read the turns in one file, or in a file for each recording.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    single = {f"{recording}.rttm": recording for recording in items.ids}
    files = named_as(list(single), files)
    several = any(file in single and file != TURNS_RTTM for file in files)
    expected = list(single) if several else [TURNS_RTTM]
    expect_files(files, expected, problems)
    limit = min(size_limit(0) * (2 if several else 1 + len(items)), ORGANISER_LIMIT)
    parts = []
    left_out: Counter[str] = Counter()
    for file in expected:
        if file in files:
            with problems.continuing():
                given, first = files[file], 1
                blocks: Iterable[str] = blocks_of(files, file, problems, limit, may_be_empty=True)
                if isinstance(given, Table):
                    (text,) = write_submission(declared, given.columns, items).values()
                    blocks, first = [decode_lines(text, file, problems, 0)], 0
                lines = rttm_lines(blocks, file, problems, left_out, first)
                rows = _rows_of_lines(lines, file, problems, lasting=True)
                left_out[NO_SCORE_LINE] += rows.labels.count(NO_SCORE)
                rows = rows.where(lambda label: label != NO_SCORE)
                lasting = rows.spans[:, 0] < rows.spans[:, 1]
                spoken = {*compress(rows.recordings, lasting)}
                left_out[f"empty {SPEAKER_LINE}"] += sum(
                    recording in spoken for recording in compress(rows.recordings, ~lasting)
                )
                _check_labels(rows, declared.classes, problems)
                ours = [single[file]] if several else items.ids
                check_recordings(rows, ours, problems)
                parts.append(rows)
    if not (several or declared.may_lack or problems):
        named = {recording for rows in parts for recording in rows.recordings}
        line = f"{SPEAKER_LINE} {{}} 1 0 0 <NA> <NA> LABEL <NA> <NA>"
        empty = f"write a line with the duration 0: {line}"
        refuse_missing(items, named, files[TURNS_RTTM], TURNS_RTTM, "recording", empty, problems)
    problems.raise_if_any()
    joined = Rows(
        "" if several else TURNS_RTTM,
        [recording for rows in parts for recording in rows.recordings],
        np.concatenate([rows.spans for rows in parts]),
        [label for rows in parts for label in rows.labels],
        [],
    )
    names, turns = turns_by_recording(joined, items.ids, declared.classes, problems)
    check_seconds(joined.spans, items.latest, joined.file, "turns", problems)
    problems.raise_if_any()
    return Submission(names, turns, left_out_lines(left_out))


def doubts(several: bool, submission: Submission, items: Items) -> list[str]:
    """Name the lines of a submission that are no turns, recordings without turns, and turns that are probably wrong.

    `several`: whether recordings have more than one label.
    """
    lines, empty = submission.left_out, [not len(labels) for _, labels in submission.turns]
    spans = np.concatenate([NO_TURNS.spans, *(spans for spans, _ in submission.turns)])
    return [
        *([f"{lines} left out; expected {SPEAKER_LINE} lines of 1 ms or more"] if lines else []),
        *unanswered(items, empty, "recording", "turns"),
        *(one_label(submission) if several else []),
        *ends_for_durations(spans, items.latest, "column 5"),
    ]


def write_submission(
    declared: TurnFiles, columns: Mapping[str, Sequence[str]], items: Items
) -> dict[str, bytes]:
    """The file of a submission, with one row in each line. Durations are exact differences of decimal numbers."""
    lines = []
    for recording, start, end, label in zip(
        *(columns[column] for column in (declared.id, START, END, LABEL))
    ):
        known = decimal(start) is not None and decimal(end) is not None
        duration = str(Decimal(end) - Decimal(start)) if known else end
        lines.append(f"{SPEAKER_LINE} {recording} 1 {start} {duration} <NA> <NA> {label} <NA> <NA>")
    return {TURNS_RTTM: "\n".join(lines).encode("utf-8", "surrogatepass")}


def check_seconds(
    spans: np.ndarray, latest: Optional[float], file: str, what: str, problems: Problems
) -> None:
    """Add the problem of times that are not in seconds, because they are much later than all regions."""
    last = float(spans.max(initial=0))
    if latest is not None and last > LATEST_BY * latest:
        ends = f"{what} end after up to {last / 1000:.12g} s"
        message = f"{ends}, but recordings last up to {latest / 1000:.12g} s; expected times in seconds"
        problems.add("not_seconds", file, message)


def check_recordings(rows: Rows, expected: Sequence[str], problems: Problems) -> None:
    words = unknown_names(rows.recordings, expected, "recording")
    for row in rows.outside(expected):
        rows.add_problem(problems, "unknown_recording", row, words[rows.recordings[row]])


def rows(declared: TurnFiles, files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of turns and regions, each with its recording, in the form of `Format.rows`."""
    problems = Problems(ReferenceFileError)
    found: dict[str, dict[int, str]] = {}
    for layout in declared.layouts:
        if layout.file in files:
            table = read_table(files, layout, problems)
            found[layout.file] = dict(zip(table.lines, table.ids))
    for file, place in ((TURNS_RTTM, 1), (REGIONS_UEM, 0)):
        if file in files:
            lines = enumerate(text_of(files, file, problems).split("\n"), 1)
            fields = {number: line.split() for number, line in lines if not line.lstrip().startswith(";;")}
            found[file] = {number: line[place] for number, line in fields.items() if len(line) > place}
    return found
