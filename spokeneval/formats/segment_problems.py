"""Problems of a file with scores of segments: lines that do not fit either format, and segments that are missing.

See `segment_scores` for the formats.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Optional

from .problems import Problems, count_of, name, quote
from .tables import FEWEST_OF_A_SET, Table, match_items
from .text import decimal, expected_number

SEGMENTS_FILE, SUBMISSION_FILE = "segments.csv", "prediction.txt"
NOUN = "segment"

_FIELDS = "an id, 0 or 1, and a score; or an id and two scores"
_PARTS = ("recording", "utt_id", "start", "end")


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


def explain(
    lines: Iterable[tuple[int, str]], items: Sequence[str], problems: Problems, place: str = "line"
) -> None:
    """Add a problem for each numbered line that does not fit, and for missing segments; `place` as in `Table`."""
    rows = []
    for number, line in lines:
        fields = line.split()
        if fields and len(fields) != 3:
            message = f"{count_of(len(fields), 'field')}; expected 3: {_FIELDS}"
            if len(fields) == 1 and "," in line:
                message += "; separate them by spaces, not commas"
            problems.add("wrong_field_count", SUBMISSION_FILE, message, line=number, item=fields[0])
        if len(fields) > 1:
            rows.append(_Line(number, fields[0], fields[1:] if len(fields) == 3 else fields[1:2]))
    two_lines = _two_lines_a_segment(rows, len(items))
    segments = _pair(rows, set(items), problems) if two_lines else _single(rows, problems)
    for row in rows:
        for text in row.values[1:] if two_lines else row.values:
            if len(row.values) == 2 and decimal(text) is None:
                row.add_problem(problems, "bad_score", f": score {expected_number(text)}")
    _check_order(segments, items, problems, place)


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


def _check_order(segments: Sequence[_Line], expected: Sequence[str], problems: Problems, called: str) -> None:
    """Check that the segments are exactly the expected ones, in order. Each other segment adds a problem."""
    position = {item: place for place, item in enumerate(expected)}
    by_utterance = {item.rsplit("_", 2)[0]: place for place, item in enumerate(expected)}
    first = {segment.item: segment for segment in reversed(segments) if segment.item in position}
    found = {position[item] for item in first}
    in_order = _longest_rise([position[each.item] for each in segments if first.get(each.item) is each])
    another_set = _is_of_another_set(segments, expected)
    items, following = [], 0
    for segment in segments:
        item, place = segment.item, position.get(segment.item)
        here = f"; expected {name(expected[following])} here" if following < len(expected) else ""
        if place is None and not another_set:
            place = by_utterance.get(item.rsplit("_", 2)[0], following)
            place = following if place in found else place
            if place < len(expected) and place not in found:
                item, following = expected[place], place + 1
                found.add(place)
                _wrong_id(segment, item, problems)
        elif place in in_order and first[item] is segment:
            following = place + 1
        elif place is not None and first[item] is segment:
            segment.add_problem(problems, "out_of_order", f" is not in the order of {SEGMENTS_FILE}{here}")
        items.append(item)
    numbers = [segment.number for segment in segments]
    table = Table(SUBMISSION_FILE, NOUN, {NOUN: items}, numbers, place=called)
    match_items(table, expected, problems, noun=NOUN)


def _is_of_another_set(segments: Sequence[_Line], expected: Sequence[str]) -> bool:
    """Whether there are many segments, all of them of recordings outside this set."""
    recordings = {item.rsplit("_", 3)[0] for item in expected}
    found = {segment.item.rsplit("_", 3)[0] for segment in segments}
    return len(segments) >= FEWEST_OF_A_SET and recordings.isdisjoint(found)


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
