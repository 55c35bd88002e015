"""What a program wrote, and its canonical form: the same answers are the same bytes.

It is written from what the task's reader gives: rows in the order of the items, turns by time, numbers of tables with
six significant digits, times of segments with nine, those of turns in milliseconds, and only the columns that are
scored. So neither order, padding, spelling, the last digits of numbers, nor what surrounds the answers is kept, and
runs that differ only in rounding are equal. Words are not changed.
"""

import io
import json
import tarfile
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from speechbundles.model.text import grouped
from spokeneval.formats.format import Answers, Format, Items
from spokeneval.formats.language_turns import SUBMISSION as IN_MILLISECONDS
from spokeneval.formats.meetings import SECOND, Meetings, segment_lines
from spokeneval.formats.problems import Problems
from spokeneval.formats.submission_folder import MAX_FILES
from spokeneval.formats.tables import csv_text, match_items, read_table
from spokeneval.formats.text import Files, decode, open_file
from spokeneval.formats.transcript_files import KEYS, transcript_tables
from spokeneval.formats.turns import Submission
from spokeneval.task import Task

DIGITS, DIGITS_OF_TIMES = 6, 9
"""Significant digits of numbers in tables, and of the times of segments."""


class WrittenArchive(io.FileIO):
    """The tar of a program's output, opened before the program begins; a header cannot demand much memory."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or not 0 <= size <= 1 << 20:
            raise tarfile.ReadError("a header is too large")
        return super().read(size)


def read_written(archive: WrittenArchive, folder: Path) -> Files:
    """Copy the files in the tar that was made of a program's output to a new folder, and return them.

    Raises
    ------
    SubmissionError: anything else than ordinary files, side by side; the error lists every problem.
    """
    problems, files = Problems(), dict[str, Path]()
    folder.mkdir()
    try:
        with tarfile.open(fileobj=archive, mode="r:") as tar:
            for number, member in enumerate(tar):
                name = member.name.removeprefix("./")
                if number > MAX_FILES:  # the first is the folder itself
                    problems.stop("too_many_files", "", f"more than {MAX_FILES} files")
                if name in ("", "."):
                    continue
                if not member.isreg() or member.issparse():
                    problems.add("special_file", name, "is not an ordinary file")
                elif "/" in name or name in files:
                    problems.add("nested_folder", name, "is in a folder, or appears twice")
                else:
                    files[name] = folder / str(number)
                    tar.makefile(member, files[name])  # any name is given in the tar
    except (tarfile.TarError, ValueError, OverflowError, EOFError, OSError, RecursionError):
        problems.add("output", "", "the files in OUTPUT_DIR could not be read to their end")
    if not files:
        problems.add("missing_file", "", "no file was written to OUTPUT_DIR")
    problems.raise_if_any()
    return files


def canonical(task: Task, files: Files, items: Items) -> dict[str, bytes]:
    """Return the canonical form of answers, `name -> content`, which is accepted, too.

    Raises
    ------
    SubmissionError: the answers are refused.
    """
    form = task.format
    answers = form.read_submission(files, items)
    columns = _columns(form, files, answers, items)
    rows = zip(*columns.values(), strict=True)
    if form.write_submission:
        rewritten = form.write_submission(columns, items)
    elif form.other_submissions:  # lines of JSON, because a line of a table has a largest length
        (name,) = (name for name in form.other_submissions if name.endswith(".jsonl"))
        lines = (json.dumps(dict(zip(columns, row, strict=True)), ensure_ascii=False) for row in rows)
        rewritten = {name: "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogatepass")}
    else:
        assert form.submission
        text = csv_text([[*columns], *rows], form.submission.delimiter)
        rewritten = {form.submission.file: text.encode("utf-8", "surrogatepass")}
    form.read_submission(rewritten, items)
    return rewritten


def _columns(form: Format, files: Files, answers: Any, items: Items) -> dict[str, list[str]]:
    """Return the columns of a submission as text, with its rows in one order."""
    layout = form.submission
    assert layout
    if isinstance(answers, Submission):
        unit, nobody = 1 if layout == IN_MILLISECONDS else 1000, next(iter(answers.names), "nobody")
        rows = [
            (place, start, end, answers.names[label])
            for place, (spans, labels) in enumerate(answers.turns)
            for (start, end), label in zip(spans.tolist(), labels.tolist(), strict=True)
        ]
        if layout != IN_MILLISECONDS:  # a recording without turns has an empty one: it is refused without any
            silent = (place for place, (spans, _) in enumerate(answers.turns) if not len(spans))
            rows += [(place, 0, 0, nobody) for place in silent]
        cells = [
            [items.ids[place], *(f"{Decimal(int(time)) / unit:f}" for time in times), label]
            for place, *times, label in sorted(rows)
        ]
    elif isinstance(answers, Meetings):
        cells = _segments(_given(form, files), layout.id, answers)
    else:
        table = _table(form, files, items) if form.answer else {}
        read = answers.columns if isinstance(answers, Answers) else {}
        columns = (_cells(table.get(name), read.get(name)) for name in layout.required[1:])
        return dict(zip(layout.required, ([*items.ids], *columns), strict=True))
    return {name: [row[place] for row in cells] for place, name in enumerate(layout.required)}


def _given(form: Format, files: Files) -> tuple[str, str]:
    """Return the name and the text of the file that has the answers."""
    names = (form.submission_file or "", *form.other_submissions)
    name = next(name for name in names if name in files)
    with open_file(files, name, 1 << 40, Problems()) as stream:
        return name, decode(stream.read(), name, Problems())


def _segments(given: tuple[str, str], id: str, answers: Meetings) -> list[list[str]]:
    """Return segments in the order in which they are scored: of one speaker by start, equal ones as in the file."""
    file, text = given
    rows = (cells for _, cells in segment_lines(text, file, Problems(), id))
    said = grouped(
        ((session, speaker), (round(SECOND * float(start)), " ".join(words.split())))
        for session, start, _, speaker, words in rows
    )
    return [
        [session, each.name, *(f"{time / SECOND:.{DIGITS_OF_TIMES}g}" for time in span), words]
        for session, speakers in zip(answers.items.ids, answers.speakers, strict=True)
        for each in speakers
        for span, (_, words) in zip(
            each.spans.tolist(), sorted(said[session, each.name], key=lambda row: row[0]), strict=True
        )
    ]


def _table(form: Format, files: Files, items: Items) -> dict[str, list[str]]:
    """Return the columns of a table of answers as they are written, in the order of the items."""
    (file, text), layout, problems = _given(form, files), form.submission, Problems()
    assert layout
    if file == layout.file:
        table = read_table({file: text.encode()}, layout, problems)
    else:
        table = transcript_tables(*layout.required, *KEYS)[file](text, file, problems)
    places = match_items(table, items.ids, problems, noun="item")
    problems.raise_if_any()
    order = sorted(range(len(places)), key=lambda row: places[row])
    return {name: [cells[row] for row in order] for name, cells in table.columns.items()}


def _cells(written: Sequence[str] | None, values: np.ndarray | None) -> list[str]:
    """Return a column: numbers rounded, one spelling for each other value, and single spaces between words."""
    if values is not None and values.dtype.kind == "f":
        return [_number(value) for value in values.tolist()]
    assert written is not None
    if values is None or values.dtype.kind == "O":
        return [" ".join(cell.split()) for cell in written]
    spelling = dict(sorted(zip(values.tolist(), written, strict=True), reverse=True))
    return [spelling[value] for value in values.tolist()]


def _number(value: float) -> str:
    """Return a number with six significant digits, and a whole number in full."""
    rounded = value if value.is_integer() else float(f"{value:.{DIGITS}g}")
    return f"{rounded + 0.0:{'.0f' if rounded.is_integer() and abs(rounded) < 1e15 else f'.{DIGITS}g'}}"
