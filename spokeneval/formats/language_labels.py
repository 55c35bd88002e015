"""Language labels as MERLIon CCS distributes them (which language is spoken when), and spans of time.

`labels.csv`, as distributed, is comma-separated with a header: `audio_name, utt_id, start, end, length, language_tag,
overlap_diff_lang, dev_eval_status`. `length` and the last two columns are optional. Times are in milliseconds, whole or
with a decimal point. The name of a recording is its audio name without the extension. An additional column `speaker`
shows which recordings have the same speaker.
"""

from __future__ import annotations

import os.path
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from .problems import Problems, ReferenceFileError, name, quote, repeated
from .speakers import SPEAKER, SPEAKER_ALIASES, check_speakers
from .tables import Layout, Table, numbered, parse_words, read_table
from .text import decimal, decimals
from .turns import read_times

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

_PLAIN_NAME = re.compile(r'[^\s/\\,"]+\Z')
SHORTEST_MEDIAN = 5
"""The shortest plausible median length of segments, in ms. A single speech sound is longer; if the median is shorter,
times are in seconds."""


class Labels(NamedTuple):
    """The labelled segments, in the order of the file.

    Attributes
    ----------
    table
        The columns as text.
    recordings
        The recordings of the n segments.
    spans : ndarray, shape (n, 2)
        Start and end in ms.
    tags : ndarray, shape (n,)
        Values of `TAGS`.
    """

    table: Table
    recordings: list[str]
    spans: np.ndarray
    tags: np.ndarray

    def first(self, column: str) -> dict[str, str]:
        """The cell of a column in the first row of each recording, `recording -> cell`; empty without the column."""
        return dict(zip(reversed(self.recordings), reversed(self.table.columns.get(column, []))))


def recording_name(audio_name: str) -> str:
    """An audio file's name without its extension."""
    return os.path.splitext(audio_name)[0]


def recording_names(audio_names: Sequence[str]) -> list[str]:
    """The `recording_name` of each audio file, computed once for each distinct file."""
    names = {audio_name: recording_name(audio_name) for audio_name in set(audio_names)}
    return list(map(names.__getitem__, audio_names))


def read_labels(files: Mapping[str, bytes], problems: Problems) -> Labels:
    """Read the labels in `labels.csv`.

    Adds a problem for each row with one of these: an unknown language tag, an end that is not after the start, a
    `length` that is wrong by more than 1 ms, a name that cannot be part of a segment's id or of a file's name, no
    speaker although other rows have one, or a second speaker in its recording.
    """
    table = read_table(files, LABELS, problems)
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
    labels = Labels(table, recording_names(table.columns["audio_name"]), spans, tags)
    _check_speakers(labels, problems)
    return labels


def check_labels(labels: Labels, problems: Problems) -> None:
    """Add a problem for each `utt_id` that is repeated in its recording, and one if times cannot be milliseconds."""
    for other in labels.table.others:
        if "overlap" in other.lower():  # if it were ignored, overlapping segments would be scored
            problems.add("unknown_column", LABELS_FILE, f"column {name(other)}; expected {OVERLAP}", line=1)
    _check_utterances(labels, problems)
    lengths = labels.spans[:, 1] - labels.spans[:, 0]
    if len(lengths) and not problems and median(lengths) < SHORTEST_MEDIAN:
        message = f"half of the segments last less than {SHORTEST_MEDIAN} ms; expected times in milliseconds"
        problems.add("not_milliseconds", LABELS_FILE, message)


def median(values: np.ndarray) -> float:
    """The median of one number or more. `numpy.median` imports `numpy.ma`, which is a tenth of the time of a run."""
    ordered = np.sort(values)
    return float((ordered[(len(ordered) - 1) // 2] + ordered[len(ordered) // 2]) / 2)


def label_rows(files: Mapping[str, bytes]) -> dict[int, str]:
    """The lines of `labels.csv` with labels, `line -> recording`."""
    labels = read_labels(files, Problems(ReferenceFileError))
    return dict(zip(labels.table.lines, labels.recordings))


def _check_speakers(labels: Labels, problems: Problems) -> None:
    check_speakers(labels.table, problems)
    first = labels.first(SPEAKER)
    for row, (recording, speaker) in enumerate(zip(labels.recordings, labels.table.columns.get(SPEAKER, ()))):
        if first[recording] != speaker:
            labels.table.add_problem(
                problems,
                "two_speakers",
                row,
                f"{SPEAKER} {name(speaker)}, but {name(first[recording])} in an earlier row; expected one {SPEAKER} "
                f"for all of {name(recording)}, and the same one in all recordings that belong together. Rename the "
                "column if it shows who is talking in each segment",
            )


def check_names(table: Table, column: str, problems: Problems) -> None:
    """Check that the names in a column can be part of a segment's id and of a file's name."""
    names = set(table.columns[column])
    together = "".join(names)
    if all(names) and _PLAIN_NAME.match(together) and together.isprintable():
        return
    unusable = {text for text in names if not (_PLAIN_NAME.match(text) and text.isprintable())}
    if unusable:
        for text, line in zip(table.columns[column], table.lines):
            if text in unusable:
                found = quote(text) if text else "is empty"
                expected = "a name without spaces, slashes, commas, quotation marks or invisible characters"
                message = f"{column} {found}; expected {expected}"
                problems.add("unusable_name", table.file, message, line=line)


def read_spans(table: Table, problems: Problems) -> np.ndarray:
    """The columns `start` and `end` in ms, as by `read_times`."""
    columns = table.columns
    return read_times(
        columns["start"], columns["end"], table.file, table.lines, problems, unit="milliseconds"
    )


def _check_utterances(labels: Labels, problems: Problems) -> None:
    recordings, utterances, lines = labels.recordings, labels.table.columns["utt_id"], labels.table.lines
    _, recording = numbered(recordings)
    different, utterance = numbered(utterances)
    keys = np.sort(len(different) * recording + utterance)
    if (keys[1:] != keys[:-1]).all():
        return
    first_line: dict[tuple[str, str], int] = {}
    for key, line in zip(zip(recordings, utterances), lines):
        if first_line.setdefault(key, line) != line:
            found = f"utt_id {name(key[1])} of {name(key[0])}"
            message = repeated(found, first_line[key], labels.table.place)
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
