"""Labels of who speaks which language when, as MERLIon CCS distributes them, and spans of time.

`labels.csv`, as distributed: comma-separated with a header, `audio_name, utt_id, start, end, length, language_tag,
overlap_diff_lang, dev_eval_status`, the last two or three of them optional; times in milliseconds, whole or with
a decimal point. A recording is known by its audio name without the extension. A column `speaker` says which recordings
are of one speaker.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from .cells import parse_words
from .problems import Problems, ReferenceFileError, name, quote, repeated
from .speakers import SPEAKER, SPEAKER_ALIASES, check_speakers
from .tables import Layout, Table, numbered, parse_in_parts
from .text import blocks_of, decimal, decimals, expected_number

LABELS_FILE = "labels.csv"

OVERLAP = "overlap_diff_lang"

LABELS = Layout(
    LABELS_FILE,
    "utt_id",
    ("audio_name", "utt_id", "start", "end", "language_tag"),
    optional=("length", OVERLAP, SPEAKER),
    aliases=SPEAKER_ALIASES,
)

LANGUAGES = ("English", "Mandarin")
TAGS = {"English": 0, "Mandarin": 1, "Non-Speech": 2, "Non-Evaluated-Speech": 3}
ENGLISH, MANDARIN, NON_SPEECH, OTHER_SPEECH = TAGS.values()

LATEST = 1e9
"""The latest time in ms, eleven days: what is later was not given in milliseconds."""

_PLAIN_NAME = re.compile(r'[^\s/\\,"]+\Z')
SHORTEST_MEDIAN = 5
"""Half of all segments last longer, in ms: a single speech sound does. Segments in seconds do not."""


@dataclass(frozen=True)
class Labels:
    """Labelled segments that stand together, in the file's order.

    Attributes
    ----------
    table: their columns as text.
    recordings: n names of recordings.
    audio_names: `recording -> its audio file's name`, as it stands first.
    spans: start and end in ms, shape=(n, 2).
    tags: values of `TAGS`, shape=(n,).
    speakers: `recording -> its speaker`, where they are named.
    """

    table: Table
    recordings: list[str]
    audio_names: dict[str, str]
    spans: np.ndarray
    tags: np.ndarray
    speakers: dict[str, str]


def recording_name(audio_name: str) -> str:
    """An audio file's name without its extension."""
    return os.path.splitext(audio_name)[0]


def recording_names(audio_names: Sequence[str]) -> list[str]:
    """`recording_name` of each, worked out once for each file."""
    names = {audio_name: recording_name(audio_name) for audio_name in set(audio_names)}
    return list(map(names.__getitem__, audio_names))


def read_labels(files: Mapping[str, bytes], problems: Problems) -> Iterator[Labels]:
    """The labels in `labels.csv`, a block of its rows at a time.

    Adds a problem for each row that is not usable: an unknown language tag, an end that is not after the start, a
    `length` that is off by more than 1 ms, an `utt_id` that stands twice in a recording, a name that cannot be part
    of a segment's id or of a file's name, a row without speaker among others with one, a recording of
    two speakers; and one where the times must be others than milliseconds.
    """
    blocks = blocks_of(files, LABELS_FILE, problems)
    recordings: list[str] = []
    utterances: list[str] = []
    lines: list[int] = []
    lengths: list[np.ndarray] = []
    speakers: dict[str, str] = {}
    others: tuple[str, ...] = ()
    for table in parse_in_parts(blocks, LABELS, problems):
        labels = _labels(table, speakers, problems)
        yield labels
        others = table.others
        lengths.append(labels.spans[:, 1] - labels.spans[:, 0])
        recordings += labels.recordings
        utterances += table.columns["utt_id"]
        lines += table.lines
    for other in others:
        if "overlap" in other.lower():  # ignored, it would let overlaps in
            problems.add("unknown_column", LABELS_FILE, f"column {name(other)}; expected {OVERLAP}", line=1)
    _check_utterances(recordings, utterances, lines, problems)
    if lines and not problems and np.median(np.concatenate(lengths)) < SHORTEST_MEDIAN:
        message = f"half of the segments last less than {SHORTEST_MEDIAN} ms; expected times in milliseconds"
        problems.add("not_milliseconds", LABELS_FILE, message)


def label_rows(files: Mapping[str, bytes]) -> dict[int, str]:
    """The lines of `labels.csv`, each with its recording."""
    rows: dict[int, str] = {}
    for labels in read_labels(files, Problems(ReferenceFileError)):
        rows.update(zip(labels.table.lines, labels.recordings))
    return rows


def _labels(table: Table, speakers: dict[str, str], problems: Problems) -> Labels:
    """A block's labels; the speakers of its recordings are added to those of the blocks before."""
    check_names(table, "audio_name", problems)
    check_names(table, "utt_id", problems)
    spans = read_spans(table, problems)
    if not problems:
        _check_lengths(table, spans, problems)
    spelling = {tag.lower(): tag for tag in TAGS}
    tags = parse_words(
        table,
        "language_tag",
        problems,
        TAGS,
        spelled=lambda tag: spelling.get(tag.lower().replace("_", "-"), tag),
    )
    recordings = recording_names(table.columns["audio_name"])
    audio_names = dict(zip(reversed(recordings), reversed(table.columns["audio_name"])))
    _add_speakers(speakers, table, recordings, problems)
    return Labels(table, recordings, audio_names, spans, tags, speakers)


def _add_speakers(
    speakers: dict[str, str], table: Table, recordings: Sequence[str], problems: Problems
) -> None:
    check_speakers(table, problems)
    for row, (recording, speaker) in enumerate(zip(recordings, table.columns.get(SPEAKER, ()))):
        first = speakers.setdefault(recording, speaker)
        if first != speaker:
            message = f"{SPEAKER} {name(speaker)}, above {name(first)}; expected one for all of {name(recording)}, the "
            message += (
                "same in all recordings that belong together; a column for who talks when needs another name"
            )
            table.add_problem(problems, "two_speakers", row, message)


def check_names(table: Table, column: str, problems: Problems) -> None:
    """Names that can be part of a segment's id and of a file's name."""
    unusable = {
        text for text in set(table.columns[column]) if not (_PLAIN_NAME.match(text) and text.isprintable())
    }
    if unusable:
        for text, line in zip(table.columns[column], table.lines):
            if text in unusable:
                found = quote(text) if text else "nothing"
                expected = "a name without blanks, slashes, commas, quotation marks and invisible characters"
                message = f"{column} {found}; expected {expected}"
                problems.add("unusable_name", table.file, message, line=line)


def read_spans(table: Table, problems: Problems) -> np.ndarray:
    """Columns `start` and `end` in ms, shape=(n, 2); a problem for each row without 0 <= start < end <= LATEST."""
    start, end = (decimals(table.columns[column]) for column in ("start", "end"))
    if start is not None and end is not None:
        spans = np.stack([start, end], axis=1)
        if ((start >= 0) & (start < end) & (end <= LATEST)).all():
            return spans
    for first, last, line in zip(table.columns["start"], table.columns["end"], table.lines):
        _check_span(first, last, table.file, line, problems)
    return np.zeros((len(table), 2))


def _check_span(first: str, last: str, file: str, line: int, problems: Problems) -> None:
    start, end = decimal(first), decimal(last)
    for column, text, time in (("start", first, start), ("end", last, end)):
        if time is None:
            problems.add("bad_time", file, f"{column} {expected_number(text)}", line=line)
        elif time < 0:
            problems.add(
                "negative_time", file, f"{column} {name(text)} is before the recording's beginning", line=line
            )
        elif time > LATEST:
            message = f"{column} {name(text)} is more than eleven days; expected milliseconds"
            problems.add("absurd_time", file, message, line=line)
    if start is not None and end is not None and not start < end:
        message = f"end {name(last)} is not after start {name(first)}"
        problems.add("empty_span", file, message, line=line)


def _check_utterances(
    recordings: Sequence[str], utterances: Sequence[str], lines: Sequence[int], problems: Problems
) -> None:
    _, recording = numbered(recordings)
    different, utterance = numbered(utterances)
    keys = np.sort(len(different) * recording + utterance)
    if (keys[1:] != keys[:-1]).all():
        return
    first_line: dict[tuple[str, str], int] = {}
    for key, line in zip(zip(recordings, utterances), lines):
        if first_line.setdefault(key, line) != line:
            message = repeated(f"utt_id {name(key[1])} of {name(key[0])}", first_line[key])
            problems.add("duplicate_utterance", LABELS_FILE, message, line=line, item=key[1])


def _check_lengths(table: Table, spans: np.ndarray, problems: Problems) -> None:
    if "length" not in table.columns:
        return
    texts = table.columns["length"]
    lengths = decimals(texts)
    if lengths is None:
        numbers = map(decimal, texts)
        lengths = np.array([np.inf if number is None else number for number in numbers])
    expected = spans[:, 1] - spans[:, 0]
    for row in np.flatnonzero(np.abs(lengths - expected) > 1).tolist():
        message = f"length {name(texts[row])}; end minus start is {expected[row]:.12g}"
        problems.add("wrong_length", table.file, message, line=table.lines[row])
