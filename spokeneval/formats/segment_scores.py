"""Files of MERLIon CCS, Task 1: labels, the public list of segments, a submission's scores.

Reference: `labels.csv` (see `language_labels`). The English and Mandarin segments whose `overlap_diff_lang` is not
`True` are scored, in the order of the labels. The flag is not checked against the times; a file without the column has
no overlaps.

Public items, `segments.csv`: `audio_name, utt_id, start, end` of these segments, in the same order. The id of a segment
consists of the audio name without its extension, `utt_id`, `start` and `end`, joined by underscores, with the times as
they are written in `segments.csv`.

Submission, `prediction.txt`: three fields on each line, separated by spaces or tabs, in the order of `segments.csv`, in
one of two formats:

1. two lines for each segment, `<id> 0 <English score>`, then `<id> 1 <Mandarin score>`;
2. one line for each segment, `<id> <English score> <Mandarin score>`.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import compress
from typing import NamedTuple, Optional

import numpy as np

from .cells import parse_words
from .files import Files
from .format import Items, Written
from .language_labels import (
    ENGLISH,
    LABELS,
    LABELS_FILE,
    MANDARIN,
    OVERLAP,
    Labels,
    label_rows,
    read_labels,
    recording_names,
)
from .problems import FileProblems, Problems, ReferenceFileError, count_of, name, quote, repeated, some_of
from .submission_folder import expect_files
from .tables import FEWEST_OF_A_SET, Layout, Table, numbered, read_table, split_fields
from .text import decimal, decimals, expected_number, read_blocks, size_limit

LAYOUTS = (LABELS,)
SEGMENTS_FILE = "segments.csv"
LIST_FILES = (SEGMENTS_FILE,)
SUBMISSION_FILE = "prediction.txt"

NOUN = "segment"

_SHEET = Layout(SEGMENTS_FILE, "utt_id", ("audio_name", "utt_id", "start", "end"))
SUBMISSION = Layout(SUBMISSION_FILE, "id", ("id", "English", "Mandarin"), " ")
"""The second format, whose file has no header."""
_FIELDS = "an id, 0 or 1, and a score; or an id and two scores"
_PARTS = ("recording", "utt_id", "start", "end")


@dataclass(frozen=True)
class Reference:
    """The gold standard.

    Attributes
    ----------
    items
        The public part.
    is_english : ndarray of bool, shape (n,)
        Whether each segment is English; the others are Mandarin.
    recordings : ndarray of int, shape (n,)
        The number of each segment's recording, from 0.
    audio_names
        The audio files of the recordings.
    speakers
        The speakers of the recordings; empty if they are not named.
    lines
        The line of each segment in the labels.
    """

    items: Items
    is_english: np.ndarray
    recordings: np.ndarray
    audio_names: list[str]
    speakers: Sequence[str] = ()
    lines: Sequence[int] = ()


@dataclass(frozen=True)
class Submission:
    """A participant's scores: finite doubles, shape (n,), in the order of the items. Larger means more likely."""

    english: np.ndarray
    mandarin: np.ndarray


def read_reference(files: Mapping[str, bytes]) -> Reference:
    """Read the segments to score from `labels.csv`.

    Raises
    ------
    ReferenceFileError
        Some rows are not usable (see `language_labels.read_labels`), the `overlap_diff_lang` of an English or Mandarin
        segment is neither `True` nor `False`, or there is no English or no Mandarin segment.
    """
    problems = Problems(ReferenceFileError)
    ids: list[str] = []
    recordings: list[str] = []
    lines: list[int] = []
    english: list[np.ndarray] = []
    audio_names: dict[str, str] = {}
    speakers: dict[str, str] = {}
    for labels in read_labels(files, problems):
        spoken = (labels.tags == ENGLISH) | (labels.tags == MANDARIN)
        scored = spoken & ~_overlaps_other_language(labels, spoken, problems)
        ids += compress(_ids(labels.recordings, labels.table), scored.tolist())
        recordings += compress(labels.recordings, scored.tolist())
        lines += compress(labels.table.lines, scored.tolist())
        english.append(labels.tags[scored] == ENGLISH)
        audio_names = {**labels.audio_names, **audio_names}
        speakers.update(labels.speakers)
    problems.raise_if_any()
    is_english = np.concatenate(english)
    if is_english.all() or not is_english.any():
        message = f"{is_english.sum()} English and {(~is_english).sum()} Mandarin segments to score"
        problems.add("one_language", LABELS_FILE, f"{message}; expected at least one of each")
    problems.raise_if_any()
    _check_ids(ids, recordings, problems)
    problems.raise_if_any()
    names, numbers = numbered(recordings)
    return Reference(
        Items(tuple(ids)),
        is_english,
        numbers,
        [audio_names[recording] for recording in names],
        [speakers[recording] for recording in names] if speakers else (),
        lines,
    )


def _check_ids(ids: Sequence[str], recordings: Sequence[str], problems: Problems) -> None:
    """Check that ids are unique: `a_b_c_0_500` is segment `b_c` of recording `a`, or segment `c` of recording `a_b`."""
    if len(set(ids)) == len(ids):
        return
    recording_of: dict[str, str] = {}
    for item, recording in zip(ids, recordings):
        other = recording_of.setdefault(item, recording)
        if other != recording:
            message = (
                f"segments of {name(other)} and {name(recording)} have the same id {name(item)}; rename one"
            )
            problems.add("ambiguous_id", LABELS_FILE, message, item=item)


def _overlaps_other_language(labels: Labels, spoken: np.ndarray, problems: Problems) -> np.ndarray:
    if OVERLAP not in labels.table.columns:
        return np.zeros(len(labels.table), dtype=bool)
    codes = parse_words(
        labels.table,
        OVERLAP,
        problems,
        {"True": 1, "False": 0},
        spelled=lambda flag: flag.strip().capitalize(),
        used=spoken,
    )
    return codes == 1


def _ids(recordings: Iterable[str], table: Table) -> Iterator[str]:
    return map("_".join, zip(recordings, *(table.columns[column] for column in _SHEET.required[1:])))


def public_files(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files for participants and the ingestion program, `name -> content`.

    They list the scored segments in the order of the labels, which submissions must follow.
    """
    rows = [",".join(_SHEET.required)]
    names = [f"{recording}_" for recording in recording_names(reference.audio_names)]
    for item, recording in zip(reference.items.ids, reference.recordings.tolist()):
        utterance, start, end = item[len(names[recording]) :].rsplit("_", 2)
        rows.append(f"{reference.audio_names[recording]},{utterance},{start},{end}")
    return {SEGMENTS_FILE: "\n".join([*rows, ""]).encode()}


def read_items(files: Mapping[str, bytes]) -> Items:
    """Read the public items from the files that `public_files` returned."""
    problems = Problems(FileProblems)
    table = read_table(files, _SHEET, problems)
    problems.raise_if_any()
    return Items(tuple(_ids(recording_names(table.columns["audio_name"]), table)))


def read_submission(files: Files, items: Items) -> Submission:
    """Read the scores in `prediction.txt`, in either format.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    expect_files(files.names, [SUBMISSION_FILE], problems)
    problems.raise_if_any()
    submission = _read_scores(files, items)
    if submission is None:
        _explain(files, items, problems)
        problems.raise_if_any()
        raise AssertionError("a file was refused, but no problem was found in it")
    return submission


def write_submission(columns: Mapping[str, Sequence[str]], items: Items) -> dict[str, Written]:
    """The file of a submission in memory, in the order of the items; unknown items come last."""
    place = {item: index for index, item in enumerate(items.ids)}
    ids = columns[SUBMISSION.id]
    order = sorted(range(len(ids)), key=lambda row: place.get(ids[row], len(place)))
    lines = (" ".join(columns[column][row] for column in SUBMISSION.required) for row in order)
    return {SUBMISSION_FILE: ("\n".join(lines).encode("utf-8", "surrogatepass"), order)}


def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of the labels, each with its recording, in the form of `Format.rows`."""
    return {LABELS_FILE: label_rows(files)}


def lengths(reference: Reference) -> np.ndarray:
    """The lengths of the segments in ms, from their ids."""
    times = [item.rsplit("_", 2)[1:] for item in reference.items.ids]
    return np.diff(np.array(times, dtype=np.float64))[:, 0]


def item_rows(reference: Reference) -> dict[str, dict[int, str]]:
    """The lines of the scored segments in the labels, each with its segment, in the form of `Format.rows`."""
    return {LABELS_FILE: dict(zip(reference.lines, reference.items.ids))}


def take_reference(reference: Reference, places: Sequence[int]) -> Reference:
    """The labels of the segments at the given positions, in that order. They may all be of one language."""
    chosen = list(places)
    kept, recordings = np.unique(reference.recordings[chosen], return_inverse=True)
    return Reference(
        Items(tuple(reference.items.ids[place] for place in places)),
        reference.is_english[chosen],
        recordings,
        [reference.audio_names[recording] for recording in kept],
        [reference.speakers[recording] for recording in kept] if reference.speakers else (),
        [reference.lines[place] for place in places],
    )


def take(submission: Submission, places: Sequence[int]) -> Submission:
    """The scores of the segments at the given positions, in that order."""
    chosen = np.asarray(places, dtype=int)
    return Submission(submission.english[chosen], submission.mandarin[chosen])


def _blocks(files: Files, items: Items, problems: Problems) -> Iterator[str]:
    limit = size_limit(len(items))
    with files.open(SUBMISSION_FILE, limit, problems) as stream:
        yield from read_blocks(stream, SUBMISSION_FILE, problems, limit)


def _read_scores(files: Files, items: Items) -> Optional[Submission]:
    """The scores of a valid file in either format; None for any other file."""
    with suppress(FileProblems):
        ids = [item for item in items.ids for _ in range(2)]
        scores = _read_numbers(_blocks(files, items, Problems()), [ids, ["0", "1"] * len(items)])
        if scores is not None:
            return Submission(scores[::2, 0], scores[1::2, 0])
        scores = _read_numbers(_blocks(files, items, Problems()), [list(items.ids)])
        return None if scores is None else Submission(scores[:, 0], scores[:, 1])
    return None


def _read_numbers(blocks: Iterable[str], expected: Sequence[list[str]]) -> Optional[np.ndarray]:
    """The numbers in the columns after the expected ones, of three columns; None if any line differs."""
    numbers = []
    place = 0
    for block in blocks:
        columns = split_fields(block, 3)
        if columns is None:
            return None
        end = place + len(columns[0])
        if any(found != wanted[place:end] for found, wanted in zip(columns, expected)):
            return None
        scores = [decimals(column) for column in columns[len(expected) :]]
        if any(column is None for column in scores):
            return None
        numbers.append(np.array(scores).T)
        place = end
    return np.concatenate(numbers) if place == len(expected[0]) else None


class _Line(NamedTuple):
    """The number of a line, its segment's id, and its other fields: both, or only the first if there are not two."""

    number: int
    item: str
    values: Sequence[str]

    def add_problem(self, problems: Problems, code: str, message: str) -> None:
        message = f"{NOUN} {name(self.item)}{message}"
        problems.add(code, SUBMISSION_FILE, message, line=self.number, item=self.item)

    @property
    def language(self) -> str:
        """The language in format 1: `0` for English, `1` for Mandarin."""
        return self.values[0]


def _explain(files: Files, items: Items, problems: Problems) -> None:
    """Add a problem for each line that does not fit, and for missing segments."""
    rows = []
    number = 0
    for block in _blocks(files, items, problems):
        for line in block.split("\n"):
            number += 1
            fields = line.split()
            if fields and len(fields) != 3:
                message = f"{count_of(len(fields), 'field')}; expected 3: {_FIELDS}"
                if len(fields) == 1 and "," in line:
                    message += "; separate them by spaces, not commas"
                problems.add("wrong_field_count", SUBMISSION_FILE, message, line=number, item=fields[0])
            if len(fields) > 1:
                rows.append(_Line(number, fields[0], fields[1:] if len(fields) == 3 else fields[1:2]))
    two_lines = _two_lines_a_segment(rows, len(items))
    segments = _pair(rows, set(items.ids), problems) if two_lines else _single(rows, problems)
    for row in rows:
        for text in row.values[1:] if two_lines else row.values:
            if len(row.values) == 2 and decimal(text) is None:
                row.add_problem(problems, "bad_score", f": score {expected_number(text)}")
    _check_order(segments, items.ids, problems)


def _two_lines_a_segment(rows: Sequence[_Line], n: int) -> bool:
    """Whether an invalid file is meant to be in format 1, with two lines for each of the n segments.

    It is if the first two lines are 0 and 1 of one segment. Otherwise, if most lines are in such pairs, or in pairs of
    one segment with the same few words in place of 0 and 1. Otherwise, if the first line has 0 or 1 and either many
    lines are in such pairs, or there are far more lines than segments, most of them with 0 or 1.
    """
    neighbours = list(zip(rows, rows[1:]))
    twins = [first.item == second.item for first, second in neighbours]
    pairs = [
        twin and {first.language, second.language} == {"0", "1"}
        for twin, (first, second) in zip(twins, neighbours)
    ]
    if not pairs or pairs[0]:
        return bool(pairs)
    few_words = len({row.language for row in rows}) <= 4
    if 5 * sum(pairs) >= 2 * len(rows) or (few_words and 5 * sum(twins) >= 2 * len(rows)):
        return True
    languages = sum(row.language in ("0", "1") for row in rows)
    many_lines = len(rows) > 1.5 * n and languages > 0.5 * len(rows)
    return rows[0].language in ("0", "1") and (3 * sum(pairs) >= len(rows) or many_lines)


def _pair(rows: Sequence[_Line], known: set[str], problems: Problems) -> list[_Line]:
    """The first line of each segment in format 1. A segment without English (0), then Mandarin (1), adds a problem."""
    segments: list[_Line] = []
    seen: set[str] = set()
    index = 0
    while index < len(rows):
        line = rows[index]
        second = rows[index + 1] if index + 1 < len(rows) else line
        if second is not line and second.item == line.item:
            _check_pair(line, second, problems)
            segments.append(line)
            index += 2
        elif (line.language, second.language) == ("0", "1") and (line.item in known) != (
            second.item in known
        ):
            right, wrong = (line, second) if line.item in known else (second, line)
            _wrong_id(wrong, right.item, problems)
            segments.append(right)
            index += 2
        else:
            _explain_lone(line, problems)
            if line.item not in seen:
                segments.append(line)
            index += 1
        seen.add(segments[-1].item)
    return segments


def _check_pair(first: _Line, second: _Line, problems: Problems) -> None:
    languages = (first.language, second.language)
    unknown = [line for line in (first, second) if line.language not in ("0", "1")]
    for line in unknown:
        _unknown_language(line, problems)
    if languages == ("1", "0"):
        message = ": its Mandarin line (1) comes before its English line (0); swap the two"
        first.add_problem(problems, "swapped_languages", message)
    elif not unknown and languages != ("0", "1"):
        message = f": language {second.language} twice; expected English (0), then Mandarin (1)"
        second.add_problem(problems, "repeated_language", message)


def _explain_lone(line: _Line, problems: Problems) -> None:
    missing = {
        "0": ": no Mandarin line (1) right after its English line (0)",
        "1": ": no English line (0) right before its Mandarin line (1)",
    }
    if line.language in missing:
        line.add_problem(problems, "missing_language", missing[line.language])
    elif decimal(line.language) is not None:
        message = ": one line with two scores in a file with two lines per segment; use one format"
        line.add_problem(problems, "mixed_formats", message)
    else:
        _unknown_language(line, problems)


def _unknown_language(line: _Line, problems: Problems) -> None:
    message = f": language {quote(line.language)}; expected 0 (English) or 1 (Mandarin)"
    line.add_problem(problems, "unknown_language", message)


def _single(rows: Sequence[_Line], problems: Problems) -> list[_Line]:
    """The line of each segment in format 2. A pair of lines in format 1 adds a problem."""
    segments: list[_Line] = []
    for row in rows:
        before = segments[-1] if segments else None
        if before and before.item == row.item and {before.language, row.language} == {"0", "1"}:
            message = ": two lines (0 and 1) in a file with one line per segment; use one format"
            row.add_problem(problems, "mixed_formats", message)
        else:
            segments.append(row)
    return segments


def _check_order(segments: Sequence[_Line], expected: Sequence[str], problems: Problems) -> None:
    """Check that the segments are exactly the expected ones, in order. Each other segment adds a problem."""
    position = {item: place for place, item in enumerate(expected)}
    by_utterance = {item.rsplit("_", 2)[0]: place for place, item in enumerate(expected)}
    if _is_of_another_set(segments, expected):
        message = (
            f"none of the {count_of(len(segments), NOUN)} belongs to this set's recordings, such as segment "
        )
        message += f"{name(expected[0])}; is the file for another set?"
        problems.add("another_set", SUBMISSION_FILE, message)
        return
    first_line: dict[str, int] = {}
    places: list[Optional[int]] = []
    for segment in segments:
        place = position.get(segment.item)
        if place is not None and segment.item in first_line:
            message = repeated(f"{NOUN} {name(segment.item)}", first_line[segment.item])
            problems.add("duplicate_item", SUBMISSION_FILE, message, line=segment.number, item=segment.item)
            place = None
        first_line.setdefault(segment.item, segment.number)
        places.append(place)
    found = {place for place in places if place is not None}
    in_order = _longest_rise([place for place in places if place is not None])
    following = 0
    for segment, place in zip(segments, places):
        if place is not None and place in in_order:
            following = place + 1
        elif place is not None:
            here = f"; expected {name(expected[following])} here" if following < len(expected) else ""
            segment.add_problem(problems, "out_of_order", f" is not in the order of {SEGMENTS_FILE}{here}")
        elif segment.item not in position:
            meant = by_utterance.get(segment.item.rsplit("_", 2)[0])
            if meant is None or meant in found:
                meant = following if following < len(expected) and following not in found else None
            if meant is None:
                message = f" is not one of the {count_of(len(expected), NOUN)}"
                segment.add_problem(problems, "unknown_item", message)
            else:
                _wrong_id(segment, expected[meant], problems)
                found.add(meant)
                following = meant + 1
    missing = [item for place, item in enumerate(expected) if place not in found]
    if missing:
        counts = f"{count_of(len(expected), NOUN)} expected, {len(expected) - len(missing)} found"
        message = f"{NOUN} {some_of(missing)}: {counts}"
        problems.add("missing_item", SUBMISSION_FILE, message, item=missing[0])


def _is_of_another_set(segments: Sequence[_Line], expected: Sequence[str]) -> bool:
    """Whether there are many segments, all of them of recordings outside this set."""
    recordings = {item.rsplit("_", 3)[0] for item in expected}
    return len(segments) >= FEWEST_OF_A_SET and all(
        segment.item.rsplit("_", 3)[0] not in recordings for segment in segments
    )


def _longest_rise(places: Sequence[int]) -> set[int]:
    """A longest increasing subsequence of distinct numbers: the numbers that need not move to put all in order."""
    ends: list[int] = []  # the lowest number that ends a subsequence of each length
    before: dict[int, Optional[int]] = {}
    for place in places:
        length = bisect_left(ends, place)
        before[place] = ends[length - 1] if length else None
        ends[length : length + 1] = [place]
    rise: set[int] = set()
    last = ends[-1] if ends else None
    while last is not None:
        rise.add(last)
        last = before[last]
    return rise


def _wrong_id(line: _Line, expected: str, problems: Problems) -> None:
    """Add a problem that shows how the parts of a line's id differ from the expected id."""
    parts = line.item.rsplit("_", 3)
    difference = f"expected {name(expected)}"
    if len(parts) == len(_PARTS):
        difference = ", ".join(
            f"{part} {quote(found)} instead of {quote(wanted)}"
            for part, found, wanted in zip(_PARTS, parts, expected.rsplit("_", 3))
            if found != wanted
        )
    line.add_problem(problems, "wrong_id", f": {difference}")
