"""Files of meetings: who said what when, in segments of any number of sessions.

One file has all sessions, in one of these formats; times are in seconds:

- `meetings.csv`, with the columns `session_id, speaker, start_time, end_time, words`;
- `meetings.json`, SegLST: a list of objects with these keys, or lines with one object each;
- `meetings.stm`: `SESSION CHANNEL SPEAKER START END [<LABEL>] WORD WORD ...`;
- `meetings.ctm`: `SESSION SPEAKER START DURATION WORD [CONFIDENCE]`, with the speaker in place of the channel;
- `meetings.rttm`: `LEXEME` lines have the words and `SPEAKER` lines turns without words (see `nist`).

A segment may be without words, and its end may be its start. If a task has regions, its reference has the evaluated
regions of every session, as for turns, whose public list is used, too (see `labelled_turns`); otherwise sessions are
evaluated throughout. A submission has a segment of every session, unless the task says otherwise: if nobody speaks, one
without words.

Source of SegLST and STM with speakers: `meeteval`, which reads the same segments.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any, Callable, NamedTuple

import numpy as np

from .format import Format, Items
from .labelled_turns import (
    LIST_FILE,
    REGIONS_CSV,
    REGIONS_UEM,
    TurnFiles,
    public_files,
    read_either,
    read_items,
)
from .nist import word_lines
from .problems import Problems, ReferenceFileError, name, quote, some_of
from .submission_folder import expect_one
from .tables import Layout, Table, id_order, parse_table, read_table
from .text import ORGANISER_LIMIT, Files, content_of, decimal, decimals, decode, unusable
from .transcript_files import Row, ctm_lines, json_objects, stm_lines
from .turns import EVER, NO_TURNS, ends_for_durations, read_times, refuse_missing, unanswered, unknown_names

SPEAKER, START, END, WORDS = "speaker", "start_time", "end_time", "words"
FILES = ("meetings.json", "meetings.csv", "meetings.stm", "meetings.ctm", "meetings.rttm")
"""The names of a reference and of a submission, of which each has one."""
LASTING = (".ctm", ".rttm")
"""Formats with durations in place of ends."""

SECOND = 10**9
"""The unit of times is a nanosecond, so that the times of a segment's words are exact."""

MOST_SPEAKERS, MOST_SYMBOLS = 100, 1 << 18
"""The most of a session on either side: far above eight hours of talk. No limit depends on hidden labels."""
SIZE = 1 << 22
"""Largest size of a submission in bytes, for each session: hours of talk."""

Split = Callable[[Sequence[str], int], list[list[str]]]
"""Takes texts, and the most characters of all after normalisation, and returns the symbols of each."""


class Speaker(NamedTuple):
    """The segments of one speaker in a session, sorted by start.

    Attributes
    ----------
    name
        The speaker.
    spans : ndarray of int, shape (n, 2)
        Start and end of each segment in ns.
    symbols
        The words or characters of each segment.
    """

    name: str
    spans: np.ndarray
    symbols: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Meetings:
    """The speakers of each of n sessions, in the order of the items.

    `regions` are the evaluated regions of each session in ms, shape (k, 2), of a reference.
    """

    items: Items
    speakers: Sequence[Sequence[Speaker]]
    regions: Sequence[np.ndarray] = ()


class MeetingFiles(NamedTuple):
    """The declaration of a task's files: the column with sessions, how texts are split, whether regions are given, and
    whether a submission may lack sessions."""

    id: str
    split: Split
    regions: bool = False
    may_lack: bool = False

    @property
    def layout(self) -> Layout:
        return _layout(self.id)


class Segments(NamedTuple):
    """Segments in a file; spans in ns, shape (n, 2)."""

    file: str
    sessions: list[str]
    speakers: list[str]
    spans: np.ndarray
    words: list[str]
    lines: list[int]

    def add_problem(self, problems: Problems, code: str, row: int, message: str) -> None:
        session = self.sessions[row]
        problems.add(code, self.file, f"{name(session)}: {message}", line=self.lines[row], item=session)


def meetings_format(declared: MeetingFiles) -> Format:
    """The format of a task with these files."""
    listed = TurnFiles(declared.id)
    return Format(
        (declared.layout, listed.layouts[1]) if declared.regions else (declared.layout,),
        FILES[0],
        (LIST_FILE,),
        partial(read_reference, declared),
        partial(public_files, listed),
        partial(read_items, listed),
        partial(read_submission, declared),
        partial(rows, declared),
        take,
        take,
        other_files=(
            *(file for file in FILES if file != FILES[1]),
            *([REGIONS_UEM] if declared.regions else []),
        ),
        other_submissions=FILES[1:],
        submission=declared.layout._replace(file=FILES[0]),
        write_submission=partial(write_submission, declared),
        doubts=doubts,
        any_order=True,
    )


def read_reference(declared: MeetingFiles, files: Mapping[str, bytes]) -> Meetings:
    """Read the segments and the evaluated regions.

    Raises
    ------
    ReferenceFileError
        No file of segments, or two; lines that are no segments or regions; a session without a region if others have
        them, or with regions that overlap; too many speakers.
    """
    problems = Problems(ReferenceFileError)
    there = [file for file in FILES if file in files]
    if not there:
        problems.stop("missing_file", FILES[0], f"is missing; expected one of {', '.join(FILES)}")
    for other in there[1:]:
        problems.add("two_files", other, f"is there beside {there[0]}; keep one of them")
    lines = _rows_of(declared.layout, files, there[0], problems)
    segments = _segments(declared, lines, there[0], problems)
    regions, latest = dict.fromkeys(segments.sessions, EVER), None
    if declared.regions:
        turns = TurnFiles(declared.id)
        given = read_either(turns, files, turns.layouts[1], problems)
        problems.raise_if_any()
        if given is None:
            problems.stop("missing_file", REGIONS_CSV, f"is missing; expected {REGIONS_CSV} or {REGIONS_UEM}")
        given.check_overlaps(problems, "s", 1000)
        for row, session in enumerate(segments.sessions):
            if session not in given.recordings:
                segments.add_problem(problems, "no_region", row, f"has no region in {given.file}")
        spans: dict[str, list[np.ndarray]] = {}
        for session, span in zip(given.recordings, given.spans):
            spans.setdefault(session, []).append(span)
        regions, latest = (
            {each: np.stack(found) for each, found in spans.items()},
            float(given.spans.max(initial=0)),
        )
    problems.raise_if_any()
    sessions = sorted(regions, key=id_order)
    speakers = _by_session(declared, segments, sessions, ORGANISER_LIMIT, problems)
    problems.raise_if_any()
    return Meetings(
        Items(tuple(sessions), latest=latest), speakers, [regions[session] for session in sessions]
    )


SLOWEST = 60
"""More seconds than this for each word are a mistake in the unit of times."""


def doubts(submission: Meetings, items: Items) -> list[str]:
    """Name sessions without words, and warn of ends in place of durations, and of milliseconds or samples."""
    speakers = [speaker for speakers in submission.speakers for speaker in speakers]
    times = np.concatenate([NO_TURNS.spans, *(speaker.spans for speaker in speakers)]) * (1000 / SECOND)
    words = sum(len(said) for speaker in speakers for said in speaker.symbols)
    pace = (times[:, 1] - times[:, 0]).sum() / 1000 / max(1, words)
    slow = f"{pace:.0f} s for each word on average: milliseconds instead of seconds?"
    return [
        *unanswered(items, [not (words and said) for said in submission.speakers], "session", "words"),
        *ends_for_durations(times, items.latest, "the column of durations"),
        *([slow] if words and pace > SLOWEST else []),
    ]


def read_submission(declared: MeetingFiles, files: Files, items: Items) -> Meetings:
    """Read the segments of a participant.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    file = expect_one(files, FILES, problems)
    limit = min(SIZE * (1 + len(items)), ORGANISER_LIMIT)
    lines = _rows_of(declared.layout, files, file, problems, limit)
    segments = _segments(declared, lines, file, problems)
    unknown = unknown_names(segments.sessions, items.ids, "session")
    for row, session in enumerate(segments.sessions):
        if session in unknown:
            message = f"{name(session)} {unknown[session]}"
            problems.add("unknown_session", file, message, line=segments.lines[row], item=session)
    if not (declared.may_lack or problems):
        how = "write a segment without words"
        refuse_missing(items, segments.sessions, files[file], file, "session", how, problems)
    problems.raise_if_any()
    speakers = _by_session(declared, segments, items.ids, limit, problems)
    problems.raise_if_any()
    return Meetings(items, speakers)


def _rows_of(
    layout: Layout, files: Mapping[str, Any], file: str, problems: Problems, limit: int = ORGANISER_LIMIT
) -> Iterator[Row]:
    given = files[file]
    if isinstance(given, Table) and given.header:
        return _cells(read_table({file: given}, layout._replace(file=file), problems), layout)
    if isinstance(given, Table):
        given.check_text(problems, decode)
        return _cells(given, layout)
    text = decode(content_of(files, file, problems, limit), file, problems)
    return _READERS[file[file.index(".") :]](layout, text, file, problems)


def _segments(declared: MeetingFiles, rows: Iterable[Row], file: str, problems: Problems) -> Segments:
    """The segments in the rows of a file."""
    lines = list(rows)
    sessions, speakers, starts, others, words = (
        (list(column) for column in zip(*(cells for _, cells in lines))) if (lines) else ([], [], [], [], [])
    )
    numbers = [line for line, _ in lines]
    lasting = file[file.index(".") :] in LASTING
    read_times(starts, others, file, numbers, problems, lasting=lasting, empty=True)
    first, second = decimals(starts), decimals(others)
    spans = np.zeros((len(numbers), 2), dtype=np.int64)
    if first is not None and second is not None and not problems:
        spans = np.rint(SECOND * np.stack([first, second], axis=1)).astype(np.int64)
        spans[:, 1] += spans[:, 0] * lasting
    segments = Segments(file, sessions, speakers, spans, words, numbers)
    for column, names in ((declared.id, sessions), (SPEAKER, speakers)):
        for row in unusable(names):
            message = f"{column} {quote(names[row])}; expected a name without invisible characters or spaces around it"
            problems.add("unusable_name", file, message, line=numbers[row])
    return segments


def _cells(table: Table, layout: Layout) -> Iterator[Row]:
    return zip(table.lines, zip(*(table.columns[column] for column in layout.required)))  # type: ignore


def _json_rows(layout: Layout, text: str, file: str, problems: Problems) -> Iterator[Row]:
    for line, segment in json_objects(text, file, problems):
        cells: list[Any] = [segment.get(key) for key in layout.required]
        if isinstance(cells[-1], list) and all(isinstance(word, str) for word in cells[-1]):
            cells[-1] = " ".join(cells[-1])
        wrong = [key for key, cell in zip(layout.required, cells) if not isinstance(cell, str)]
        if wrong and wrong[0] not in segment:
            lacking = [key for key in wrong if key not in segment]
            message = f"no {some_of(lacking)}; found {some_of([*segment], 8)}"
            problems.add("not_a_value", file, message, line=line)
        elif wrong:
            found = quote(json.dumps(segment.get(wrong[0]), ensure_ascii=False), 40)
            message = f"{', '.join(wrong)}: {found}; expected a text or a number"
            problems.add("not_a_value", file, message, line=line)
        else:
            yield line, cells


def _stm_rows(layout: Layout, text: str, file: str, problems: Problems) -> Iterator[Row]:
    for line, (session, _, *cells) in stm_lines(text, file, problems, Counter()):
        yield line, [session, *cells]


_READERS: Mapping[str, Callable[[Layout, str, str, Problems], Iterator[Row]]] = {
    ".json": _json_rows,
    ".csv": lambda layout, text, file, problems: _cells(
        parse_table([text], layout._replace(file=file), problems), layout
    ),
    ".stm": _stm_rows,
    ".ctm": lambda layout, text, file, problems: ctm_lines(text, file, problems, Counter()),
    ".rttm": lambda layout, text, file, problems: word_lines([text], file, problems),
}


def _by_session(
    declared: MeetingFiles, segments: Segments, sessions: Sequence[str], most: int, problems: Problems
) -> list[list[Speaker]]:
    """The speakers of each session, in the order of their names."""
    try:
        symbols = declared.split(segments.words, most)
    except ValueError as error:
        problems.stop("file_too_large", segments.file, f"{WORDS}: {error}")
    found: dict[tuple[str, str], list[int]] = {}
    for row in np.argsort(segments.spans[:, 0], kind="stable").tolist():
        found.setdefault((segments.sessions[row], segments.speakers[row]), []).append(row)
    speakers: dict[str, list[Speaker]] = {session: [] for session in sessions}
    for (session, speaker), places in sorted(found.items()):
        speakers[session].append(Speaker(speaker, segments.spans[places], [symbols[row] for row in places]))
    for session, these in speakers.items():
        symbols_of = sum(len(words) for speaker in these for words in speaker.symbols)
        for many, most, noun in (
            (len(these), MOST_SPEAKERS, "speakers"),
            (symbols_of, MOST_SYMBOLS, "words or characters"),
        ):
            if many > most:
                message = f"{name(session)}: {many} {noun}; expected at most {most} in a session"
                problems.add("too_many", segments.file, message, item=session)
    return list(speakers.values())


def take(meetings: Meetings, places: Sequence[int]) -> Meetings:
    """The segments, and of a reference the regions, in the sessions at the given positions, in that order."""
    ids = tuple(meetings.items.ids[place] for place in places)
    regions = [meetings.regions[place] for place in places] if meetings.regions else ()
    return Meetings(Items(ids), [meetings.speakers[place] for place in places], regions)


def write_submission(
    declared: MeetingFiles, columns: Mapping[str, Sequence[str]], items: Items
) -> dict[str, bytes]:
    """The file of a submission, with one segment in each line."""
    keys = declared.layout.required
    rows = [dict(zip(keys, cells)) for cells in zip(*(columns[key] for key in keys))]
    lines = (json.dumps(row, ensure_ascii=False) for row in rows)
    return {FILES[0]: "\n".join(lines).encode("utf-8", "surrogatepass")}


def rows(declared: MeetingFiles, files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of segments and regions, each with its session, in the form of `Format.rows`."""
    problems = Problems(ReferenceFileError)
    found: dict[str, dict[int, str]] = {}
    for file in (file for file in FILES if file in files):
        lines = _rows_of(declared.layout, files, file, problems)
        found[file] = {line: cells[0] for line, cells in lines}
    turns = TurnFiles(declared.id)
    if declared.regions:
        given = read_either(turns, files, turns.layouts[1], problems)
        if given is not None:
            found[given.file] = dict(zip(given.lines, given.recordings))
    return found


def segment_lines(text: str, file: str, problems: Problems, id: str = "session_id") -> Iterator[Row]:
    """Yield the line, and session, start, end, speaker and words of each segment in a file with this suffix."""
    suffix = file[file.rindex(".") :].lower()
    lines = _READERS[suffix](_layout(id), text, file, problems)
    for line, (session, speaker, start, other, words) in lines:
        if suffix in LASTING and decimal(start) is not None and decimal(other) is not None:
            other = str(Decimal(start) + Decimal(other))
        yield line, [session, start, other, speaker, words]


def _layout(id: str) -> Layout:
    return Layout(FILES[1], id, (id, SPEAKER, START, END, WORDS))
