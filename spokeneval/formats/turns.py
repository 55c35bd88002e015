"""Turns in recordings: the values that all formats of turns give, and what their readers share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from .format import COMPLETE, FEWEST, RIGHT_FILE, Items
from .nist import NO_SCORE
from .problems import Problems, count_of, name, quote, some_of
from .tables import id_order
from .text import decimal, decimals, expected_number
from .written_ids import by_common_form, common_form

LATEST = 1e9
"""The latest valid time in ms, eleven days."""

LEAST_SHARE = 1e-6
"""The least share of labelled time in the evaluated time. With less, an error rate could exceed the largest number that
a platform can store."""

EVER = np.array([[0, int(LATEST)]])
"""A region without known ends."""


MOST_TURNS, MOST_LABELS = 1 << 15, 1000
"""Largest numbers of turns and of labels in one recording."""


class RecordingTurns(NamedTuple):
    """The turns of a recording.

    Attributes
    ----------
    spans : ndarray, shape (n, 2)
        Start and end in ms.
    labels : ndarray of int, shape (n,)
        Positions in the names of labels.
    """

    spans: np.ndarray
    labels: np.ndarray


class RecordingEvents(NamedTuple):
    """The detections in a recording: start and end in ms, shape (n, 2), positions in the classes, and scores."""

    spans: np.ndarray
    labels: np.ndarray
    scores: np.ndarray


NO_TURNS = RecordingTurns(np.zeros((0, 2), dtype=np.int64), np.zeros(0, dtype=np.int64))


@dataclass(frozen=True)
class TurnReference:
    """The gold standard of n recordings, in the order of the items.

    Attributes
    ----------
    items
        The public part.
    names
        The names of the labels.
    turns
        The turns of each recording.
    regions, excluded
        The evaluated regions of each recording, and the time within them that is not evaluated, in ms, shape (k, 2).
        Without given regions, `items.latest` is None and each region is the extent of the turns.
    units
        The unit of each recording, such as its speaker; empty if units are not named.
    files
        The names of the audio files; empty if only the recordings are named.
    """

    items: Items
    names: Sequence[str]
    turns: Sequence[RecordingTurns]
    regions: Sequence[np.ndarray]
    excluded: Sequence[np.ndarray]
    units: Sequence[str] = ()
    files: Sequence[str] = ()


@dataclass(frozen=True)
class Submission:
    """A participant's turns in each of n recordings, in the order of the items, and the names of their labels.

    `left_out` is the number of lines of each type that are no turns, as text.
    """

    names: Sequence[str]
    turns: Sequence[RecordingTurns]
    left_out: str = ""


def take(submission: Submission, places: Sequence[int]) -> Submission:
    """The turns in the recordings at the given positions, in that order."""
    return Submission(submission.names, [submission.turns[place] for place in places])


def unanswered(items: Items, empty: Sequence[bool], item: str, what: str, *, half: bool = False) -> list[str]:
    """Warn of recordings for which a submission has nothing; a truncated upload has such. `half`: of half or more."""
    places = [place for place, each in enumerate(empty) if each]
    if not places or (half and 2 * len(places) < len(empty)):
        return []
    which = f"{len(places)} of {count_of(len(empty), item)}, such as {name(items.ids[places[0]])}"
    if len(places) == len(empty) > 1:
        which = f"any of the {count_of(len(empty), item)}"
    return [f"no {what} for {which}. {COMPLETE}"]


def unknown_names(found: Sequence[str], expected: Sequence[str], noun: str) -> dict[str, str]:
    """What is wrong with each name in a file that is not expected."""
    unknown, forms = {*found}.difference(expected), by_common_form(expected)
    hint = f"; expected {name(expected[0])} only" if len(expected) == 1 else ""
    if unknown and not (hint or {*found} - unknown):
        hint = f", such as {name(min(expected))}; is the file for another set?"
    near = {each: forms[common_form(each)] for each in unknown if common_form(each) in forms}
    return {
        each: f"is not one of the {count_of(len(expected), noun)}"
        + (f"; expected {name(near[each])}" if each in near else hint)
        for each in unknown
    }


def refuse_missing(
    items: Items, named: Iterable[str], given: Any, file: str, item: str, how: str, problems: Problems
) -> None:
    """Add the problem of recordings that a submission does not name; `how` says that there is nothing in one.

    `given`: the file, or the table of data in memory.
    """
    missing = sorted({*items.ids} - {*named} - {*getattr(given, "empty", ())}, key=id_order)
    if missing:
        counts = f"{count_of(len(items), item)} expected, {len(items) - len(missing)} found"
        message = f"{item} {some_of(missing)}: {counts}; if there is nothing in one, {how.format(missing[0])}"
        problems.add("missing_item", file, message, item=missing[0])


def one_label(submission: Submission) -> list[str]:
    """Warn of turns that all have the same label."""
    labels = {submission.names[label] for _, labels in submission.turns for label in np.unique(labels)}
    if len(submission.turns) < FEWEST or len(labels) != 1:
        return []
    return [f"all turns are {quote(*labels)}. {RIGHT_FILE}"]


def ends_for_durations(spans: np.ndarray, latest: Optional[float], column: str) -> list[str]:
    """Warn of turns that last longer than the time before them, each of them, and end after all recordings.

    Parameters
    ----------
    spans
        Start and end of each turn in ms, shape (n, 2).
    latest
        The public time after which nothing is scored; None if it is not known.
    column
        The column with the durations.
    """
    last = spans[:, 1].max(initial=0)
    if latest is None or len(spans) < FEWEST or last <= latest or (spans[:, 1] < 2 * spans[:, 0]).any():
        return []
    ends = f"turns end at up to {last / 1000:.12g} s, recordings at {latest / 1000:.12g} s"
    return [f"{ends}: is {column} the end instead of the duration?"]


def take_reference(reference: TurnReference, places: Sequence[int]) -> TurnReference:
    """The reference of the recordings at the given positions, in that order."""
    items = replace(reference.items, ids=tuple(reference.items.ids[place] for place in places))
    fields = {
        field: getattr(reference, field) for field in ("turns", "regions", "excluded", "units", "files")
    }
    own = {field: [each[place] for place in places] for field, each in fields.items() if len(each)}
    return replace(reference, items=items, **own)


class Rows(NamedTuple):
    """Spans of time in a file: recordings, start and end in ms, shape (n, 2), labels, line numbers, units."""

    file: str
    recordings: Sequence[str]
    spans: np.ndarray
    labels: Sequence[str]
    lines: Sequence[int]
    units: Sequence[str] = ()

    def add_problem(self, problems: Problems, code: str, row: int, message: str) -> None:
        recording = self.recordings[row]
        problems.add(code, self.file, f"{name(recording)}: {message}", line=self.lines[row], item=recording)

    def where(self, chosen: Callable[[str], bool]) -> Rows:
        """The rows with the chosen labels."""
        kept = [row for row, label in enumerate(self.labels) if chosen(label)]
        recordings, labels = ([column[row] for row in kept] for column in (self.recordings, self.labels))
        return Rows(self.file, recordings, self.spans[kept], labels, [self.lines[row] for row in kept])

    def outside(self, recordings: Sequence[str]) -> list[int]:
        """The rows of other recordings."""
        known = set(recordings)
        return [row for row, recording in enumerate(self.recordings) if recording not in known]

    def check_overlaps(self, problems: Problems, unit: str, length: int) -> None:
        """Check that regions of a recording do not overlap; times are shown in a unit of `length` ms."""
        rows = sorted(zip(self.recordings, self.spans.tolist(), range(len(self.lines))))
        for (recording, before, _), (following, span, row) in zip(rows, rows[1:]):
            if recording == following and span[0] < before[1]:
                end = f"{before[1] / length:.12g} {unit}"
                message = f"this region overlaps the region that ends at {end}"
                self.add_problem(problems, "overlapping_regions", row, message)


def turns_by_recording(
    rows: Rows,
    recordings: Sequence[str],
    classes: Sequence[str],
    problems: Problems,
    scores: Optional[np.ndarray] = None,
) -> tuple[Sequence[str], list[Any]]:
    """The names of the labels, and the turns of each recording that last, by time; all rows are of these recordings.

    With scores, the rows are events, which may be points: the second value is a list of `RecordingEvents`.
    """
    names = list(classes) or sorted(set(rows.labels))
    number, place = ({each: index for index, each in enumerate(named)} for named in (names, recordings))
    labels = np.fromiter(map(number.__getitem__, rows.labels), np.int64, len(rows.labels))
    recording = np.fromiter(map(place.__getitem__, rows.recordings), np.int64, len(rows.labels))
    starts, ends = rows.spans.T
    columns = [rows.spans, labels, *([] if scores is None else [scores])]
    order = np.lexsort((*columns[:0:-1], ends, starts, recording))
    order = order[(starts < ends)[order]] if scores is None else order
    cuts = np.searchsorted(recording[order], np.arange(1, len(recordings)))
    parts = (np.split(column[order], cuts) for column in columns)
    turns = list(map(RecordingTurns if scores is None else RecordingEvents, *parts))
    noun, most_labels = ("turn", MOST_LABELS) if scores is None else ("event", len(names))
    for called, (_, used, *_) in zip(recordings, turns):
        for found, most, what in (
            (len(used), MOST_TURNS, noun),
            (len(np.unique(used)), most_labels, "label"),
        ):
            if found > most:
                message = f"{name(called)}: {count_of(found, what)}; expected at most {most} in a recording"
                problems.add("too_many", rows.file, message, item=called)
    return names, turns


def reference_of(
    found: Rows, regions: Rows, classes: Sequence[str], unit: str, problems: Problems
) -> TurnReference:
    """The turns of the classes, or with any labels without classes, in the recordings that have regions.

    Times under the label `NO_SCORE` are not evaluated. `unit` is that of the files' times, in words.
    """
    turns = found.where(lambda label: label in classes if classes else label != NO_SCORE)
    excluded = found.where(lambda label: label == NO_SCORE)
    recordings = sorted(set(regions.recordings), key=id_order)
    if not recordings:
        problems.stop("no_recording", regions.file, "has no recording")
    for row in found.outside(recordings):
        found.add_problem(problems, "no_region", row, f"has turns, but no region in {regions.file}")
    for row in np.flatnonzero(regions.spans[:, 0] == regions.spans[:, 1]).tolist():
        regions.add_problem(problems, "empty_region", row, "its region lasts less than a millisecond")
    regions.check_overlaps(problems, *(("s", 1000) if unit == "seconds" else ("ms", 1)))
    problems.raise_if_any()
    names, by_recording = turns_by_recording(turns, recordings, classes, problems)
    evaluated, left_out = (
        [spans for spans, _ in turns_by_recording(part, recordings, (), problems)[1]]
        for part in (regions, excluded)
    )
    for recording, (spans, _), within in zip(recordings, by_recording, evaluated):
        inside = (spans[:, :1] < within[:, 1]) & (spans[:, 1:] > within[:, 0])
        if len(spans) and not inside.any():
            message = f"{name(recording)}: none of its turns ({len(spans)}) is in a region; "
            message += f"expected times in {unit} in both files"
            problems.add("nothing_evaluated", regions.file, message, item=recording)
    problems.raise_if_any()
    return TurnReference(Items(tuple(recordings)), names, by_recording, evaluated, left_out)


def read_times(
    starts: Sequence[str],
    others: Sequence[str],
    file: str,
    lines: Sequence[int],
    problems: Problems,
    *,
    unit: str = "seconds",
    lasting: bool = False,
    empty: bool = False,
) -> np.ndarray:
    """Start and end in ms, from texts, shape (n, 2). Each line that is no span adds a problem.

    Parameters
    ----------
    others
        The ends, or the durations if `lasting`; a duration may be 0.
    unit
        `seconds`, which are rounded to whole ms, or `milliseconds`.
    empty
        Whether an end may be the start.
    """
    latest = LATEST if unit == "milliseconds" else LATEST / 1000
    first, second = decimals(starts), decimals(others)
    if first is not None and second is not None:
        before = second < first if empty else second <= first
        wrong = (first < 0) | ((second < 0) | (first + second > latest) if lasting else before)
        if not (wrong | (second > latest)).any():
            ends = (first, second) if lasting else (second,)
            sides = (first, second) if unit == "milliseconds" else map(_milliseconds, ((first,), ends))
            return np.stack([*sides], axis=1)
    negative = "is negative; expected seconds from the recording's beginning"
    negative = "is before the recording's beginning" if unit == "milliseconds" else negative
    for *texts, line in zip(starts, others, lines):
        times = start, end = [decimal(text) for text in texts]
        for column, text, time in zip(("start", "duration" if lasting else "end"), texts, times):
            if time is None:
                problems.add("bad_time", file, f"{column} {expected_number(text)}", line=line)
            elif time < 0:
                message = f"{column} {name(text)} {negative}"
                message += ": is it the end minus the start?" if column == "duration" else ""
                problems.add("negative_time", file, message, line=line)
            elif time > latest:
                message = f"{column} {name(text)} is more than eleven days; expected {unit}"
                problems.add("absurd_time", file, message, line=line)
        if start is None or end is None:
            continue
        if not lasting and (end < start if empty else end <= start):
            message = "end {1} is not after start {0}".format(*map(name, texts))
            problems.add("empty_span", file, message, line=line)
        elif lasting and max(start, end) <= latest < start + end:
            problems.add("absurd_time", file, f"ends after more than eleven days; expected {unit}", line=line)
    return np.zeros((len(lines), 2), dtype=np.int64)


def _milliseconds(seconds: Sequence[np.ndarray]) -> np.ndarray:
    """The sum of times in seconds in whole ms, exact as a decimal number and rounded half to even."""
    exact = 1000 * sum(seconds)
    rounded = np.rint(exact)
    for row in np.flatnonzero(np.abs(np.abs(exact - rounded) - 0.5) < 1e-5).tolist():
        total = sum((Decimal(repr(float(column[row]))) for column in seconds), Decimal())
        rounded[row] = int((1000 * total).to_integral_value(ROUND_HALF_EVEN))
    return rounded.astype(np.int64)
