"""Files of MERLIon CCS, Task 2: labels, evaluated regions, the public list of recordings, a submission's turns.

Reference:

- `labels.csv` (see `language_labels`); `overlap_diff_lang` is not needed.
- `regions.csv`, comma-separated, with or without a header: `audio_name, start, end` of the evaluated regions in
  milliseconds. Regions do not overlap, and every labelled recording has at least one. A recording with a region but
  without a label has no speech: any turn in a submission is a false alarm.

Public files:

- `recordings.csv`: the `audio_name` of every recording, sorted, without lengths or regions.
- `times.json`: one time in milliseconds for the whole set, the latest end of a region in any recording, rounded up to a
  power of two. It is enough to detect times in seconds, but identifies no recording and no region.

Submission: one text file for each recording, named as the audio file with `.txt` in place of its extension. Its lines
are `<start> <end> <English|Mandarin>` in milliseconds, 0 <= start < end, in any order; turns may overlap. Times are
rounded to whole milliseconds. For a recording without speech the file is empty. If all turns of a submission end within
a hundredth of the set's latest time, the times are not in milliseconds, and the submission is refused. If this
concerns single files only, `doubts` warns of them, as of samples and centiseconds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Optional

import numpy as np

from .format import Items
from .language_labels import (
    LABELS,
    LABELS_FILE,
    LANGUAGES,
    check_labels,
    check_names,
    label_rows,
    median,
    read_labels,
    read_spans,
    recording_names,
)
from .nist import NO_SCORE
from .problems import FileProblems, Problems, ReferenceFileError, count_of, quote, some_of
from .speakers import SPEAKER
from .submission_folder import expect_files, named_as
from .tables import Layout, Table, read_table
from .text import Files, content_of, decimal, decode, size_limit
from .turns import (
    LATEST,
    NO_TURNS,
    RecordingTurns,
    Rows,
    Submission,
    TurnReference,
    one_label,
    reference_of,
    unanswered,
)
from .written_ids import hint_of_case

REGIONS_FILE = "regions.csv"
RECORDINGS_FILE = "recordings.csv"
TIMES_FILE = "times.json"

LEAST_SHARE = 0.01
"""A share of the set's latest time. Turns that all end earlier are in seconds, or in another unit at least a hundred
times too long."""

TURNS_LIMIT = size_limit(0)
MOST_LINES = 1 << 15
"""Largest number of lines in one recording's file; `TURNS_LIMIT` is its largest size in bytes."""

_REGION = ("audio_name", "start", "end")


def _headerless(first: Sequence[str]) -> Optional[tuple[str, ...]]:
    """The names of the columns if the first line of regions is a row: its second and third cells are numbers."""
    times = [decimal(cell) for cell in first[1:3]]
    return (*_REGION, *first[3:]) if len(times) == 2 and None not in times else None


REGIONS = Layout(REGIONS_FILE, "audio_name", _REGION, headerless=_headerless)
_RECORDINGS = Layout(RECORDINGS_FILE, "audio_name", ("audio_name",))
LAYOUTS = (LABELS, REGIONS)
LIST_FILES = (RECORDINGS_FILE, TIMES_FILE)
_TURN = ("start", "end", "language")
SUBMISSION = Layout("RECORDING.txt", "recording", ("recording", *_TURN), " ")
"""A submission's turns; each recording's file has those of the recording, without a header."""


def read_reference(files: Mapping[str, bytes]) -> TurnReference:
    """Read the labels and the evaluated regions.

    Raises
    ------
    ReferenceFileError
        Some rows are not usable (see `language_labels.read_labels`), regions overlap, or a labelled recording has no
        region.
    """
    problems = Problems(ReferenceFileError)
    with problems.continuing():
        labels = read_labels(files, problems)
        check_labels(labels, problems)
    regions = _read_regions(files, problems)
    problems.raise_if_any()
    label_of = (*LANGUAGES, "", NO_SCORE)  # by the tags' numbers; non-speech is no turn
    words = [label_of[tag] for tag in labels.tags.tolist()]
    found = Rows(LABELS_FILE, labels.recordings, labels.spans, words, labels.table.lines)
    reference = reference_of(found, regions, LANGUAGES, "milliseconds", problems)
    audio_names = {**dict(zip(regions.recordings, regions.labels)), **labels.first("audio_name")}
    speakers, recordings = labels.first(SPEAKER), reference.items.ids
    latest = 2 ** math.ceil(math.log2(max(1.0, regions.spans[:, 1].max())))
    return replace(
        reference,
        items=replace(reference.items, latest=latest),
        # A recording without labels has no speaker, and is a unit of its own.
        units=[speakers.get(recording, recording) for recording in recordings]
        if any(speakers.values())
        else (),
        files=[audio_names[recording] for recording in recordings],
    )


def _read_regions(files: Mapping[str, bytes], problems: Problems) -> Rows:
    """The evaluated regions. Their labels are the names of the audio files."""
    table = read_table(files, REGIONS, problems)
    check_names(table, "audio_name", problems)
    called, spans = table.columns["audio_name"], read_spans(table, problems)
    return Rows(REGIONS_FILE, recording_names(called), spans, called, table.lines)


def public_files(reference: TurnReference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files for participants and the ingestion program, `name -> content`."""
    return {
        RECORDINGS_FILE: "\n".join(["audio_name", *reference.files, ""]).encode(),
        TIMES_FILE: (json.dumps({"latest_ms": reference.items.latest}) + "\n").encode(),
    }


def read_items(files: Mapping[str, bytes]) -> Items:
    """Read the public items from the files that `public_files` returned."""
    problems = Problems(FileProblems)
    table = read_table(files, _RECORDINGS, problems)
    problems.raise_if_any()
    content = content_of(files, TIMES_FILE, problems, 1 << 16)
    try:
        latest = json.loads(content)["latest_ms"]
    except (ValueError, KeyError, TypeError, RecursionError):
        latest = None
    if type(latest) is not int or not 0 < latest <= 2 * LATEST:
        problems.stop("bad_times", TIMES_FILE, "expected `latest_ms`, a number of milliseconds")
    return Items(tuple(recording_names(table.ids)), latest=latest)


def read_submission(files: Files, items: Items) -> Submission:
    """Read the turns in each recording's file.

    Raises
    ------
    SubmissionError
        The submission is not valid; the error lists every problem, including recordings without a file.
    """
    problems = Problems()
    names = [f"{recording}.txt" for recording in items.ids]
    given = files.get(SUBMISSION.file)
    if isinstance(given, Table):
        given.check_text(problems)
        files = _by_recording(given.columns, items)
    files = named_as(names, files)
    expect_files(files, names, problems)
    turns = [_read_turns(files, file, problems) for file in names if file in files]
    problems.raise_if_any()
    _check_unit(turns, items, problems)
    problems.raise_if_any()
    return Submission(LANGUAGES, turns)


def write_submission(columns: Mapping[str, Sequence[str]], items: Items) -> dict[str, bytes]:
    """The files of a submission: one for each item, and for each other recording with turns."""
    return {
        file: "\n".join(line for _, line in lines).encode("utf-8", "surrogatepass")
        for file, lines in _by_recording(columns, items).items()
    }


def _by_recording(columns: Mapping[str, Sequence[str]], items: Items) -> dict[str, list[tuple[int, str]]]:
    """The turns of each file, each with its row."""
    files: dict[str, list[tuple[int, str]]] = {f"{recording}.txt": [] for recording in items.ids}
    for row, recording in enumerate(columns[SUBMISSION.id]):
        line = " ".join(columns[column][row] for column in _TURN)
        files.setdefault(f"{recording}.txt", []).append((row, line))
    return files


def _check_unit(turns: Sequence[RecordingTurns], items: Items, problems: Problems) -> None:
    """Refuse times that cannot be milliseconds. Only public numbers are used, so the refusal reveals no label."""
    last = max((float(spans.max()) for spans, _ in turns if len(spans)), default=None)
    if last is not None and items.latest is not None and last < LEAST_SHARE * items.latest:
        message = (
            f"all turns end within {last:.12g} ms, but recordings last up to {items.latest:.12g} ms; expected "
            "times in milliseconds, not in seconds"
        )
        problems.add("not_milliseconds", "", message)


def doubts(submission: Submission, items: Items) -> list[str]:
    """Warn of files without turns if they are half of all, of one language, and of times in another unit."""
    empty = [not len(labels) for _, labels in submission.turns]
    ends = [float(spans.max(initial=0)) for spans, _ in submission.turns]
    return [
        *unanswered(items, empty, "recording", "turns", half=True),
        *one_label(submission),
        *(_in_other_units(ends, items.ids, items.latest) if any(ends) and items.latest is not None else []),
    ]


def _in_other_units(ends: Sequence[float], ids: Sequence[str], latest: float) -> list[str]:
    """Warn of times in samples or centiseconds, and of single files in seconds. Only public numbers are used.

    Files in seconds are those whose turns all end before 1 % of the time at which they end in half of the files, but
    not if the times were in seconds. Short recordings are not taken for them: their times in seconds would be after the
    set's latest time. Files without turns are not considered, nor are turns up to 1 ms, which may mark silence.
    """
    last = max(ends)
    unit = "samples" if last > 2 * latest else "centiseconds" if last <= latest / 10 else ""
    if unit:
        found = f"turns end at up to {last:.12g} ms, recordings at up to {latest:.12g} ms"
        return [f"{found}: are these {unit} instead of milliseconds?"]
    middle = median(np.array([end for end in ends if end]))
    least = LEAST_SHARE * middle
    early = [place for place, end in enumerate(ends) if 1 < end < least <= 1000 * end <= latest]
    if not early:
        return []
    files = some_of([f"{ids[place]}.txt" for place in early])
    last = max(ends[place] for place in early)
    return [
        f"{files}: all turns end within {last:.12g} ms, but half of the files have turns after {middle:.12g} ms. "
        "Times are in milliseconds; are these in seconds?"
    ]


def rows(files: Mapping[str, bytes]) -> dict[str, dict[int, str]]:
    """The lines of the labels and of the regions, each with its recording, in the form of `Format.rows`."""
    regions = _read_regions(files, Problems(ReferenceFileError))
    return {
        LABELS_FILE: label_rows(files),
        REGIONS_FILE: dict(zip(regions.lines, regions.recordings)),
    }


def _read_turns(files: Files, file: str, problems: Problems) -> RecordingTurns:
    lines = files[file]
    if not isinstance(lines, list):
        text = ""
        with problems.continuing():
            text = decode(content_of(files, file, problems, TURNS_LIMIT), file, problems)
        lines = list(enumerate(text.split("\n"), 1))
    if len(lines) > MOST_LINES:
        message = (
            f"has {len(lines)} lines; expected at most {MOST_LINES}: join adjacent turns of the same language"
        )
        problems.add("file_too_large", file, message)
        return NO_TURNS
    rows = [(number, line.split()) for number, line in lines]
    for number, fields in rows:
        if len(fields) not in (0, 3):
            found = f"{count_of(len(fields), 'field')}; expected 3, separated by spaces: start, end, language"
            problems.add("wrong_field_count", file, found, line=number)
    rows = [(number, fields) for number, fields in rows if len(fields) == 3]
    numbers, columns = [number for number, _ in rows], [[fields[n] for _, fields in rows] for n in range(3)]
    table = Table(file, "start", dict(zip(_TURN, columns)), numbers)
    spans = read_spans(table, problems)
    language = columns[2]
    for word, number in zip(language, numbers):
        if word not in LANGUAGES:
            message = (
                f"language {quote(word)}; expected 'English' or 'Mandarin'{hint_of_case(word, LANGUAGES)}"
            )
            problems.add("unknown_language", file, message, line=number)
    labels = np.array([word == "Mandarin" for word in language], dtype=np.int64)
    # Fractions of a millisecond carry no information about speech, but could be used to ask about labels.
    spans = np.rint(spans)
    lasting = spans[:, 0] < spans[:, 1]
    return RecordingTurns(spans[lasting], labels[lasting])
