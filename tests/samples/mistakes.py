"""What a participant reads of a mistake: kits with a good submission, and the operations that make a mistake of it."""

from __future__ import annotations

import io
import json
import random
import re
import zipfile
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import cache

import yaml

from spokeneval.__main__ import main
from spokeneval.challenges import find_task, task_names
from spokeneval.formats.problems import SubmissionError
from spokeneval.formats.submission_folder import read_files
from spokeneval.formats.submission_zip import unpack
from spokeneval.formats.text import read_folder
from spokeneval.kinds.declared import declared_task
from spokeneval.metrics.counts import total
from spokeneval.report.verdict import slips, trivial_verdict
from spokeneval.scoring.options import SetFeedback, Settings, Signature
from spokeneval.scoring.scored import score_submission
from tests.samples.declared_tasks import TASKS
from tests.samples.near_misses import near_misses
from tests.samples.programs import ROOT, write_files

COLUMNS = {
    "decisions": ("Aufnahme", "label"),
    "scores": ("id", "score"),
    "ratings": ("id", "Anna"),
    "words": ("id", "transcript"),
    "phones": ("id", "transcript"),
    "questions": ("id", "gefühl", "Erregung", "valenz"),
}
"""Declared tasks whose reference has a good submission in these columns."""
LANGUAGES = ("Deutsch", "Hindi", "Tamil")


@cache
def kit(name):
    """The task, its development labels and public items, a good submission and the scores of trivial baselines.

    The submission is `file -> bytes`; the items have what the kit publishes.
    """
    if name in task_names():
        task, folder = find_task(name), ROOT / "reference_data" / name / "development"
        files, good = read_folder(folder), near_misses(name, folder)
    else:
        declaration, make = TASKS[name]
        task = declared_task(name, yaml.safe_load(declaration))
        files = {file: text.encode() for file, text in make("development", random.Random(name)).items()}
        rows = [line.split(",") for line in next(iter(files.values())).decode().splitlines()]
        good = {task.format.submission_file: _good(name, rows)}
    labels = task.format.read_reference(files)
    items = task.format.read_items(task.format.public_files(labels, {"class_sizes": "public"}))
    known = {}
    for what, answer in task.trivial.items():
        counts = task.part(task.primary, task.count(labels, answer(labels.items)))
        known[what] = float(task.primary.value(total(counts)))
    return task, labels, items, {file: text.encode() for file, text in good.items()}, known


def _good(name, rows):
    """The text of a good submission to a declared task, from the rows of its labels."""
    if name == "meetings":
        segments = [
            (session, who, float(start), float(end), said) for session, who, start, end, said in rows[1:]
        ]
        return json.dumps([dict(zip(rows[0], segment)) for segment in segments], indent=0)
    if name in ("turns", "speakers"):
        turns = [
            (recording, start, float(end) - float(start), who) for recording, start, end, who in rows[1:]
        ]
        return "".join(
            f"SPEAKER {each} 1 {at} {length:.2f} <NA> <NA> {who} <NA> <NA>\n"
            for each, at, length, who in turns
        )
    if name == "identification":
        scored = [[row[0], *("0.5" if row[1] == each else "-0.5" for each in LANGUAGES)] for row in rows[1:]]
        return _text([["id", *LANGUAGES], *scored])
    places = [rows[0].index(column) for column in COLUMNS[name]]
    text = _text([[row[place] for place in places] for row in rows])
    return text.replace("Anna", "rating")


def _text(rows):
    return "".join(",".join(row) + "\n" for row in rows)


def call(arguments, folder):
    """What a call of the command prints in the current folder, which gets a reference and a submission."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    write_files(folder, {"ref.csv": "id,transcript,speaker\n1,a b,s\n", "hyp.csv": "id,transcript\n1,a c\n"})
    with redirect_stdout(printed), redirect_stderr(printed), suppress(SystemExit):
        main(arguments)
    return printed.buffer.getvalue().decode()


def words_of(name, mistake, folder):
    """The lines that a participant reads of a mistake: the refusal, or the warnings of a scored submission."""
    if name == "shell":
        return call(mistake, folder)
    task, labels, items, files, known = kit(name)
    for operation, *arguments in mistake if isinstance(mistake[0], list) else [mistake]:
        files = OPERATIONS[operation](files, *arguments)
    submitted = folder / "submitted"
    submitted.mkdir()
    try:
        if [*files] == ["submission.zip"]:
            unpack(write_files(folder / "uploaded", files) / "submission.zip", submitted)
        else:
            write_files(submitted, files)
        _, submission = read_files(submitted, lambda named: task.format.read_submission(named, items))
    except SubmissionError as refusal:
        return str(refusal)
    settings = Settings(
        {option.name: option.values[0] for option in task.options},
        True,
        Signature(name, {}, False),
        SetFeedback({}, None, known),
    )
    scored = score_submission(task, labels, submission, settings)
    worse = trivial_verdict(task, float(scored.scores[task.primary.key]), settings)
    return "\n".join(
        [
            "accepted",
            *task.doubts(submission, items),
            *([f"{worse.words} {worse.reason}"] if worse else []),
            *slips(task, labels, submission, scored, settings),
        ]
    )


def _each(change):
    """An operation that changes the text of each file."""

    def operation(files, *arguments):
        changed = {name: change(content.decode(), *arguments) for name, content in files.items()}
        return {name: text if isinstance(text, bytes) else text.encode() for name, text in changed.items()}

    return operation


def _scaled(text, factor, number):
    """Multiply the numbers that match a pattern."""
    return re.sub(number, lambda found: f"{float(found[0]) * factor:g}", text)


def _ends(text):
    """Write the end of each turn in RTTM in place of its duration."""
    return re.sub(
        r"(\S+) (\S+)(?= <NA> <NA> )", lambda turn: f"{turn[1]} {float(turn[1]) + float(turn[2]):g}", text
    )


def _shifted(text):
    """Move the answers down by a line, the last one to the first item."""
    header, *lines = text.splitlines()
    mark = "\t" if "\t" in header else ","
    ids, answers = zip(*(line.split(mark, 1) for line in lines))
    moved = zip(ids, (*answers[-1:], *answers))
    return "".join(line + "\n" for line in (header, *map(mark.join, moved)))


def _packed(files, folder=""):
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as unpacked:
        for name, content in files.items():
            unpacked.writestr(folder + name, content)
    return {"submission.zip": archive.getvalue()}


OPERATIONS = {
    "replace": _each(lambda text, old, new, count=0: re.sub(old, new, text, count=count, flags=re.M)),
    "encode": _each(lambda text, encoding: text.encode(encoding)),
    "write": _each(lambda _, content: content),
    "first lines": _each(lambda text, number: "".join(text.splitlines(keepends=True)[:number])),
    "last lines": _each(lambda text, number: "".join(text.splitlines(keepends=True)[-number:])),
    "cut": _each(lambda text, characters: text[:-characters]),
    "append": _each(lambda text, more: text + more),
    "repeat line": _each(lambda text, line: text + text.splitlines(keepends=True)[line - 1]),
    "twice": _each(lambda text: text + text),
    "scale": _each(_scaled),
    "ends": _each(_ends),
    "shift": _each(_shifted),
    "rename": lambda files, old, new: {re.sub(old, new, name): content for name, content in files.items()},
    "remove": lambda files: dict([*files.items()][1:]),
    "add": lambda files, name, content: {**files, name: content.encode()},
    "nest": lambda files, folder: {f"{folder}/{name}": content for name, content in files.items()},
    "zip": _packed,
    "nothing": lambda files: {},
}
"""The operations that make a mistake of a good submission's files, `name -> content`."""
