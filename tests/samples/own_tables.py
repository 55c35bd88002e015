"""Tables of labels as organisers have them, and how a reference of a task is read from them."""

import io

import pytest
from openpyxl import Workbook

from speechbundles.competition.references import load_reference
from speechbundles.model.errors import BadReference
from spokeneval.challenges import find_task
from tests.samples.programs import write_files

COLUMNS = ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning")


ROWS = (
    ("10134", "Frag: Zimmer für 3 Nächte", "10134.wav", "a room, please", "a room; please", *["correct"] * 2),
    ("10135", 'Sag: "nein"', "10135.wav", "no", "no", "incorrect", "correct"),
    ("10136", "Frag: Café", "10136.wav", "", "coffee", "incorrect", "incorrect"),
    ("10137", "Frag: Café", "10137.wav", "cafe", "café", "correct", "correct"),
)


def written(rows, separator, quoted='"', end="\n"):
    """Return a table as text, with quotation marks around cells that need them."""

    def cell(text):
        needs = any(mark in text for mark in (separator, '"', "\n"))
        return quoted + text.replace('"', '""') + quoted if needs else text

    return "".join(separator.join(map(cell, row)) + end for row in rows)


CANONICAL = written([COLUMNS, *ROWS], "\t").encode()


def book(merged=(), **sheets):
    """Return an Excel workbook, `title -> rows`, with some ranges of cells merged in each sheet."""
    made = Workbook()
    made.remove(made.active)
    for title, rows in sheets.items():
        sheet = made.create_sheet(title)
        for row in rows:
            sheet.append(row)
        for cells in merged:
            sheet.merge_cells(cells)
    stream = io.BytesIO()
    made.save(stream)
    return stream.getvalue()


def load(folder, files, task="spoken_call", **how):
    """Return the evaluation set of a task or its name in some files, and the lines of the log."""
    logged = []
    given = write_files(folder / "own", files)
    definition = find_task(task) if isinstance(task, str) else task
    reference = load_reference(definition, "evaluation", given, {}, log=logged.append, **how)
    return reference, "\n".join(logged)


def refused(*arguments, **how):
    """Return the refusal of a set; see `load`."""
    with pytest.raises(BadReference) as refusal:
        load(*arguments, **how)
    return str(refusal.value)
