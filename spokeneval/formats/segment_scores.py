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

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import compress
from typing import Any, Optional

import numpy as np

from .format import LINES, Answers, Format, Items, lines_of, repetitions, take_answers, take_reference
from .language_labels import (
    ENGLISH,
    LABELS,
    LABELS_FILE,
    MANDARIN,
    OVERLAP,
    check_labels,
    label_rows,
    read_labels,
    recording_names,
)
from .problems import FileProblems, Problems, ReferenceFileError, name
from .segment_problems import SEGMENTS_FILE, SUBMISSION_FILE, explain
from .speakers import SPEAKER
from .submission_folder import expect_one
from .tables import Layout, Table, parse_words, read_table, split_full_lines
from .text import Files, blocks_of, decimals, size_limit

_SHEET = Layout(SEGMENTS_FILE, "utt_id", ("audio_name", "utt_id", "start", "end"))
SUBMISSION = Layout(SUBMISSION_FILE, "id", ("id", "English", "Mandarin"), " ")
"""The second format, whose file has no header."""


def given_scores(items: Items, english: np.ndarray, mandarin: np.ndarray) -> Answers:
    """A submission: the scores of each item, finite doubles, shape (n,). Larger means more likely."""
    return Answers(items, {"English": english, "Mandarin": mandarin})


def read_reference(files: Mapping[str, bytes]) -> Answers:
    """Read the segments to score from `labels.csv`: their `label`, 0 for English and 1 for Mandarin.

    Texts are the segments' `recording`, its `audio_name` and, if speakers are named, its `speaker`.

    Raises
    ------
    ReferenceFileError
        Some rows are not usable (see `language_labels.read_labels`), the `overlap_diff_lang` of an English or Mandarin
        segment is neither `True` nor `False`, or there is no English or no Mandarin segment.
    """
    problems = Problems(ReferenceFileError)
    labels = read_labels(files, problems)
    spoken = (labels.tags == ENGLISH) | (labels.tags == MANDARIN)
    scored = spoken & ~_overlaps_other_language(labels.table, spoken, problems)
    check_labels(labels, problems)
    problems.raise_if_any()
    label = labels.tags[scored]
    sizes = [int((label == language).sum()) for language in (ENGLISH, MANDARIN)]
    if not all(sizes):
        message = f"{sizes[0]} English and {sizes[1]} Mandarin segments to score"
        problems.add("one_language", LABELS_FILE, f"{message}; expected at least one of each")
    problems.raise_if_any()
    audio_names = labels.first("audio_name")
    columns: dict[str, Any] = {
        "id": list(_ids(labels.recordings, labels.table)),
        "recording": labels.recordings,
        "audio_name": [audio_names[recording] for recording in labels.recordings],
        SPEAKER: labels.table.columns.get(SPEAKER, []),
        LINES: list(labels.table.lines),
    }
    chosen = scored.tolist()
    texts = {column: list(compress(cells, chosen)) for column, cells in columns.items() if cells}
    ids = texts.pop("id")
    _check_ids(ids, texts["recording"], problems)
    problems.raise_if_any()
    return Answers(Items(tuple(ids)), {"label": label}, texts)


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


def _overlaps_other_language(table: Table, spoken: np.ndarray, problems: Problems) -> np.ndarray:
    if OVERLAP not in table.columns:
        return np.zeros(len(table), dtype=bool)
    flags, spelled = {"True": 1, "False": 0}, lambda flag: flag.strip().capitalize()
    return np.asarray(parse_words(table, OVERLAP, problems, flags, spelled=spelled, used=spoken) == 1)


def _ids(recordings: Iterable[str], table: Table) -> Iterator[str]:
    return map("_".join, zip(recordings, *(table.columns[column] for column in _SHEET.required[1:])))


def public_files(reference: Answers, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files for participants and the ingestion program, `name -> content`.

    They list the scored segments in the order of the labels, which submissions must follow.
    """
    rows = [",".join(_SHEET.required)]
    columns = (reference.items.ids, reference.texts["recording"], reference.texts["audio_name"])
    for item, recording, audio_name in zip(*columns):
        rows.append(",".join([audio_name, *item[len(recording) + 1 :].rsplit("_", 2)]))
    return {SEGMENTS_FILE: "\n".join([*rows, ""]).encode()}


def read_items(files: Mapping[str, bytes]) -> Items:
    """Read the public items from the files that `public_files` returned."""
    problems = Problems(FileProblems)
    table = read_table(files, _SHEET, problems)
    problems.raise_if_any()
    return Items(tuple(_ids(recording_names(table.columns["audio_name"]), table)))


def read_submission(files: Files, items: Items) -> Answers:
    """Read the scores in `prediction.txt`, in either format.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem.
    """
    problems = Problems()
    expect_one(files, [SUBMISSION_FILE], problems)
    submission = _read_scores(files, items)
    if submission is None:
        given = files[SUBMISSION_FILE]
        lines = (line for block in _blocks(files, items, problems) for line in block.split("\n"))
        if isinstance(given, Table):
            numbers = [given.lines[row] for row in _order(given.columns, items)]
            explain(zip(numbers, list(lines)), items.ids, problems, given.place)
        else:
            explain(enumerate(lines, 1), items.ids, problems)
        problems.raise_if_any()
        raise AssertionError("a file was refused, but no problem was found in it")
    problems.raise_if_any()
    return submission


def write_submission(columns: Mapping[str, Sequence[str]], items: Items) -> dict[str, bytes]:
    """The file of a submission, in the order of the items; unknown items come last."""
    order = _order(columns, items)
    lines = (" ".join(columns[column][row] for column in SUBMISSION.required) for row in order)
    return {SUBMISSION_FILE: "\n".join(lines).encode("utf-8", "surrogatepass")}


def _order(columns: Mapping[str, Sequence[str]], items: Items) -> list[int]:
    place = {item: index for index, item in enumerate(items.ids)}
    ids = columns[SUBMISSION.id]
    return sorted(range(len(ids)), key=lambda row: place.get(ids[row], len(place)))


def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of the labels, each with its recording, in the form of `Format.rows`."""
    return {LABELS_FILE: label_rows(files)}


def lengths(reference: Answers) -> np.ndarray:
    """The lengths of the segments in ms, from their ids."""
    times = [item.rsplit("_", 2)[1:] for item in reference.items.ids]
    return np.diff(np.array(times, dtype=np.float64))[:, 0]


def _blocks(files: Files, items: Items, problems: Problems) -> Iterator[str]:
    given = files[SUBMISSION_FILE]
    if isinstance(given, Table):
        given.check_text(problems)
        files = write_submission(given.columns, items)
    return blocks_of(files, SUBMISSION_FILE, problems, size_limit(len(items)))


def _read_scores(files: Files, items: Items) -> Optional[Answers]:
    """The scores of a valid file in either format; None for any other file."""
    with suppress(FileProblems):
        ids = [item for item in items.ids for _ in range(2)]
        scores = _read_numbers(_blocks(files, items, Problems()), [ids, ["0", "1"] * len(items)])
        if scores is not None:
            return given_scores(items, scores[::2, 0], scores[1::2, 0])
        scores = _read_numbers(_blocks(files, items, Problems()), [list(items.ids)])
        return None if scores is None else given_scores(items, scores[:, 0], scores[:, 1])
    return None


def _read_numbers(blocks: Iterable[str], expected: Sequence[list[str]]) -> Optional[np.ndarray]:
    """The numbers in the columns after the expected ones, of three columns; None if any line differs."""
    numbers = []
    place = 0
    for block in blocks:
        columns = split_full_lines(block, 3)
        if columns is None:  # with blank lines, or lines that have another number of fields
            text = "\n".join(filter(str.strip, block.split("\n")))
            columns = split_full_lines(text, 3) if text else [[], [], []]
        if columns is None:
            return None
        end = place + len(columns[0])
        wanted = [column[place:end] for column in expected]
        if any(found != ours for ours, found in zip(wanted, columns)):
            return None
        scores = [decimals(column) for column in columns[len(expected) :]]
        if any(column is None for column in scores):
            return None
        numbers.append(np.array(scores).T)
        place = end
    return np.concatenate(numbers) if place == len(expected[0]) else None


FORMAT = Format(
    (LABELS,),
    SUBMISSION.file,
    (SEGMENTS_FILE,),
    read_reference,
    public_files,
    read_items,
    read_submission,
    rows,
    take_answers,
    take_reference,
    item_rows=lambda reference: lines_of(reference, LABELS_FILE),
    any_order=True,
    submission=SUBMISSION,
    write_submission=write_submission,
    doubts=lambda answers, items: repetitions(answers),
)
