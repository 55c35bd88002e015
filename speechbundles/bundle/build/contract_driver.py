"""Examine a task on its sample and on damaged copies of it. `contract` runs this in the sandbox, beside the programs.

    python3 contract_driver.py TASK INPUT_DIR OUTPUT_DIR

INPUT_DIR has the sample's reference in `ref` and its submission in `res`. OUTPUT_DIR receives `problems.json`, a list
of problems, each `[where, what]`, and `items/`, the list of the sample's items. The task and the library are those of
the bundle, so code that does not travel fails here as it would fail on the platform.
"""

import csv
import gzip
import io
import json
import math
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spokeneval.formats.files import read_folder
from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.tables import Layout
from spokeneval.run.options import Settings, choose_options
from spokeneval.run.reference import Reference
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from spokeneval.task import Task

Files = Mapping[str, bytes]
Found = Iterator[tuple[str, str]]
"""Where a problem was seen, and the problem with the way to fix it."""

ODD = (
    *("", " ", "nan", "inf", "-inf", "1e999", "1e308", "-1e308", "-1", "0", "1", "2.5", "9" * 400, "1_000"),
    *("0x10", "٣", "３", "x", "=1+1", "\x1b[31m", "<b>", "a b c", "true", "\ufeff", "|"),
)
"""Values to put into a column. A task may accept them, but then it has to score them."""

FAR_TOO_LARGE = b"\n" * 3_000_000

SILENCE = "remove the output or the cause of the warning, because participants read what a program prints"

AS_READERS = "as the readers in spokeneval.formats do"


def main(name: str, inputs: Path, output: Path) -> None:
    with tempfile.TemporaryFile() as heard:
        with printing_to(heard.fileno()):
            task: Task = import_module(f"spokeneval.challenges.{name}").TASK
            labels = read_folder(inputs / "ref", task.format.reference_files, error=ReferenceFileError)
            answers = {path.name: path.read_bytes() for path in sorted((inputs / "res").iterdir())}
            found = list(problems(task, labels, answers))
        heard.seek(0)
        lines = heard.read(10_000).decode(errors="replace").split("\n")
    if any(lines):
        first = next(filter(None, lines))
        found.insert(0, ("while it runs", f"the task prints {first[:200]!r}; {SILENCE}"))
    (output / "problems.json").write_text(json.dumps(found), encoding="utf-8")
    if not found:
        (output / "items").mkdir()
        for file, content in task.format.public_files(task.format.read_reference(labels), {}).items():
            (output / "items" / file).write_bytes(content)


@contextmanager
def printing_to(descriptor: int) -> Iterator[None]:
    """Write all output of this process to a descriptor, that of Python's streams and of the system's."""
    kept = [os.dup(number) for number in (1, 2)]
    try:
        for number in (1, 2):
            os.dup2(descriptor, number)
        yield
    finally:
        for number, stream, copy in zip((1, 2), (sys.stdout, sys.stderr), kept, strict=True):
            stream.flush()
            os.dup2(copy, number)


def problems(task: Task, labels: Files, answers: Files) -> Found:
    """Yield every breach of the contract.

    Parameters
    ----------
    labels, answers: the sample's reference and submission, `file -> content`.
    """
    reference = attempt(task, ReferenceFileError, task.format.read_reference, labels)
    if reference.value is None:
        yield "the sample's reference", reference.why
        return
    gold = reference.value
    submission = attempt(task, SubmissionError, read, task, answers, gold)
    if submission.value is None:
        yield "the sample's submission", submission.why
        return
    whole = Reference(gold, gold.items, files=labels)
    signed = attempt(task, ReferenceFileError, whole.fingerprint_by_id, task.format)
    if signed.value is None:
        yield "format.rows, which the signature needs", signed.why
    good, wrong = score(task, gold, submission.value)
    yield from (("the sample", what) for what in wrong)
    if not wrong:
        yield from item_list(task, labels, gold)
        yield from trivial_and_options(task, labels, answers, gold)
        yield from sealed_part(task, gold, submission.value, good)
        yield from damaged_submissions(task, answers, gold)
        yield from harmless_submissions(task, answers, gold, good)
        yield from damaged_references(task, labels, answers)


class Outcome(NamedTuple):
    """The value of an action, or None with its refusal, or with a description of any other error."""

    value: Any
    refusal: FileProblems | None = None
    failure: str = ""

    @property
    def why(self) -> str:
        """Why there is no value; empty if there is one."""
        if self.refusal is None:
            return self.failure
        return f"refused: {'; '.join(problem.message for problem in self.refusal.problems[:3])}"


def attempt(task: Task, refusal: type[FileProblems], action: Callable[..., Any], *arguments: Any) -> Outcome:
    try:
        return Outcome(action(*arguments))
    except refusal as error:
        return Outcome(None, error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        own = [frame for frame in frames if frame.filename.endswith(f"tasks/{task.name}.py")]
        place = (own or frames)[-1]
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return Outcome(None, None, f"{what} ({Path(place.filename).name} line {place.lineno})")


def read(task: Task, files: Files, reference: Any) -> Any:
    """Read a submission as the programs do."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            Path(folder, file).write_bytes(content)
        return task.format.read_submission(list_files(Path(folder)), reference.items)


def score(task: Task, reference: Any, submission: Any) -> tuple[Mapping[str, Any], list[str]]:
    """Return the scores of a submission, and what is wrong with them; a refusal by an option is not wrong."""
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    result = attempt(task, SubmissionError, score_submission, task, reference, submission, settings)
    if result.value is None:
        failure = f"{result.failure}; a task has to score every submission that it accepts"
        return {}, [failure] if result.failure else []
    wrong = []
    for each in task.scores:
        value = result.value.scores[each.key]
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            wrong.append(f"the score {each.key} is {value!r}; expected a finite number")
        elif each.limits and not each.limits[0] <= value <= each.limits[1]:
            low, high = each.limits
            what = f"the score {each.key} is {value:.6g}, but its bounds are {low:g} and {high:g}"
            wrong.append(f"{what}; correct the bounds or the formula")
    right = attempt(task, SubmissionError, lambda: np.asarray(task.right(result.value.rows), dtype=float))
    rows = len(result.value.statistics.rows[0])
    if right.value is None:
        wrong.append(f"right: {right.failure}")
    elif right.value.shape != (rows,) or not ((right.value >= 0) & (right.value <= 1)).all():
        wrong.append(f"right: expected {rows} numbers from 0 to 1, one for each row of the counts")
    return result.value.scores, wrong


def item_list(task: Task, labels: Files, reference: Any) -> Found:
    """The public files list the items, and do not depend on a label."""
    where = "the list of items"
    public = attempt(task, FileProblems, task.format.public_files, reference, {})
    if public.value is None:
        yield where, public.why
        return
    items = attempt(task, FileProblems, task.format.read_items, public.value)
    if items.value is None:
        yield where, items.why
    elif sorted(items.value.ids) != sorted(reference.items.ids):
        yield where, "its ids are not those of the reference"
    before = [repr(label) for label in task.labels(reference)]
    of_labels = 0
    for file, content in labels.items():
        for column, changed in with_moved_columns(content, reference.items.ids):
            other = attempt(
                task, ReferenceFileError, task.format.read_reference, {**labels, file: changed}
            ).value
            if other is None or [repr(label) for label in task.labels(other)] == before:
                continue
            of_labels += 1
            if not column or sorted(other.items.ids) != sorted(reference.items.ids):
                continue  # public columns were moved too, or labels decide which items are scored
            if attempt(task, FileProblems, task.format.public_files, other, {}).value != public.value:
                yield (
                    where,
                    f"it depends on the labels in {column} of {file}; leave that column out, and sort by id",
                )
    if not of_labels and any(table_of(text_of(content)) for content in labels.values()):
        what = "the same for other labels; return all labels of the reference, and give the sample labels that differ"
        yield "labels", what


def with_moved_columns(content: bytes, ids: Collection[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the name of each column that does not hold ids, and the file with its values moved by one row.

    At the end all columns but the first are moved, with an empty name, because labels may depend on each other.
    """
    table = table_of(text_of(content))
    if table is None:
        return
    for place, column in enumerate(table.header):
        values = [row[place] for row in table.rows]
        if not set(values) <= set(ids):
            moved = zip(table.rows, [*values[1:], values[0]], strict=True)
            yield (
                column,
                written(table.delimiter, table.header, *(with_cell(row, place, to) for row, to in moved)),
            )
    shifted = zip(table.rows, [*table.rows[1:], table.rows[0]], strict=True)
    yield "", written(table.delimiter, table.header, *([row[0], *other[1:]] for row, other in shifted))


def trivial_and_options(task: Task, labels: Files, answers: Files, reference: Any) -> Found:
    """The trivial baselines are scored, and so is the sample under each value of an option that can read it."""
    for what, answer in task.trivial.items():
        made = attempt(task, FileProblems, answer, reference.items)
        wrong = [made.why] if made.value is None else score(task, reference, made.value)[1]
        yield from ((f"the trivial baseline {what!r}", each) for each in wrong)
    for option in task.options:
        for value in option.values:
            where = f"the option {option.name}: {value}"
            varied = attempt(task, FileProblems, task.with_options, {option.name: value})
            if varied.value is None:
                yield where, varied.why
                continue
            gold = attempt(task, ReferenceFileError, varied.value.format.read_reference, labels)
            made = (
                attempt(task, SubmissionError, read, varied.value, answers, gold.value)
                if gold.value
                else gold
            )
            if made.failure:
                yield where, made.failure
            elif made.value is not None:
                yield from ((where, each) for each in score(varied.value, gold.value, made.value)[1])


def sealed_part(task: Task, reference: Any, submission: Any, good: Mapping[str, Any]) -> Found:
    """The answers to all items, taken one by one, have the scores of the submission."""
    where = "format.take, which `sealed` needs"
    taken = attempt(task, FileProblems, task.format.take, submission, range(len(reference.items)))
    if taken.value is None:
        yield where, taken.why
    elif score(task, reference, taken.value)[0] != good:
        yield where, "the answers to all items have other scores than the submission"


def damaged_submissions(task: Task, answers: Files, reference: Any) -> Found:
    """Damaged submissions are refused with a list of problems, or scored."""
    file, content = next(iter(answers.items()))
    others = {other: text for other, text in answers.items() if other != file}
    cases: list[tuple[str, Files, bool]] = [
        ("a submission without files", {}, True),
        (f"a submission without {file}", others, True),
        ("a submission with a further file, notes.txt", {**answers, "notes.txt": b"x"}, True),
    ]
    for what, changed, refused in damages(content, reference.items.ids, task.format.answer):
        cases.append((f"{file} with {what}", {**answers, file: changed}, refused))
    for where, files, refused in cases:
        made = attempt(task, SubmissionError, read, task, files, reference)
        if made.value is not None and not refused:
            yield from ((where, each) for each in score(task, reference, made.value)[1])
        else:
            yield from ((where, what) for what in unrefused(made, "SubmissionError"))


def damaged_references(task: Task, labels: Files, answers: Files) -> Found:
    """Damaged references are refused with a list of problems, or a submission can be scored against them."""
    cases: list[tuple[str, Files, bool]] = [("a reference without files", {}, True)]
    for file, content in labels.items():
        for what, changed, refused in damages(content):
            cases.append((f"{file} with {what}", {**labels, file: changed}, refused))
    for where, files, refused in cases:
        gold = attempt(task, ReferenceFileError, task.format.read_reference, files)
        if gold.value is None or refused:
            yield from ((where, what) for what in unrefused(gold, "ReferenceFileError"))
            continue
        made = attempt(task, SubmissionError, read, task, answers, gold.value)
        wrong = [made.failure] if made.failure else []
        if made.value is not None:
            wrong = score(task, gold.value, made.value)[1]
        yield from ((where, f"{each}, or refuse such a reference") for each in wrong)


def unrefused(outcome: Outcome, error: str) -> Iterator[str]:
    """Yield what is wrong with the refusal of damaged files."""
    if outcome.failure:
        yield f"{outcome.failure}; refuse such files with a {error} that lists the problems, {AS_READERS}"
    elif outcome.refusal is None:
        yield f"accepted; expected a {error} that lists the problems, {AS_READERS}"
    elif not outcome.refusal.problems:
        yield f"the {error} lists no problem"
    elif not str(outcome.refusal).replace("\n", "").isprintable():
        yield f"the {error} shows control characters; use `quote` of spokeneval.formats.problems"


def harmless_submissions(task: Task, answers: Files, reference: Any, good: Mapping[str, Any]) -> Found:
    """The same answers in another spelling have the same scores."""
    file, content = next(iter(answers.items()))
    text = text_of(content)
    if text is None:
        return
    cases = {
        "a byte-order mark and CRLF": ("\ufeff" + "\r\n".join([*text.splitlines(), ""])).encode(),
        "no line end after the last line": text.rstrip("\r\n").encode(),
    }
    table = table_of(text, reference.items.ids)
    if table:
        header, rows = table.header, table.rows
        cases["the rows in reverse order"] = written(table.delimiter, header, *rows[::-1])
        cases["the columns in reverse order"] = written(
            table.delimiter, *(row[::-1] for row in (header, *rows))
        )
        further = ([*row, "x"] for row in rows)
        cases["a further column"] = written(table.delimiter, [*header, "comment"], *further)
    for what, changed in cases.items():
        made = attempt(task, SubmissionError, read, task, {**answers, file: changed}, reference)
        if made.value is None:
            yield f"{file} with {what}", f"{made.why}; expected the same scores"
        elif score(task, reference, made.value)[0] != good:
            yield f"{file} with {what}", "other scores; expected the same"


class Grid(NamedTuple):
    """A table in a file; `column` is the number of the column with the items' ids."""

    delimiter: str
    header: list[str]
    rows: list[list[str]]
    column: int


def text_of(content: bytes) -> str | None:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else text


def table_of(text: str | None, ids: Collection[str] = ()) -> Grid | None:
    """Return a text as a table with a header and two rows or more; with `ids`, only if it has one row for each."""
    for delimiter in (",", "\t", ";") if text else ():
        header, *rows = list(csv.reader(io.StringIO(text), delimiter=delimiter)) or [[]]
        if len(header) < 2 or len(rows) < 2 or any(len(row) != len(header) for row in rows):
            continue
        for column in range(len(header)):
            if not ids or sorted(row[column] for row in rows) == sorted(ids):
                return Grid(delimiter, header, rows, column)
    return None


def written(delimiter: str, *rows: Sequence[str]) -> bytes:
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue().encode()


def with_cell(row: Sequence[str], column: int, value: str) -> list[str]:
    return [*row[:column], value, *row[column + 1 :]]


Damage = tuple[str, bytes, bool]
"""What was done to a file, its content, and whether it has to be refused."""


def damages(content: bytes, ids: Collection[str] = (), layout: Layout | None = None) -> Iterator[Damage]:
    """Yield damaged copies of a file.

    Parameters
    ----------
    ids: the items that a submission answers; empty for a reference.
    layout: the layout of a submission that is one table, if the format states it.
    """
    text = text_of(content)
    if text is None:
        yield "its second half missing", content[: len(content) // 2], False
        return
    table = table_of(text, ids)
    is_table, answers = table is not None, table is not None and bool(ids)
    lines = text.splitlines(keepends=True)
    yield "nothing in it", b"", is_table
    yield "a blank alone", b" ", is_table
    yield "a byte-order mark alone", b"\xef\xbb\xbf", is_table
    yield "UTF-16", text.encode("utf-16"), True
    yield "a NUL", text.encode() + b"\0\n", True
    yield "a byte that is not UTF-8", text.encode() + b"\xff\n", True
    yield "compressed text", gzip.compress(content, mtime=0), True
    yield "far too many line ends", content + FAR_TOO_LARGE, bool(ids)
    yield "carriage returns for line ends", text.replace("\n", "\r").encode(), is_table
    yield "JSON", b'{"a": 1}\n', is_table
    yield "an error page", b"<!DOCTYPE html><html><body>Not found</body></html>", is_table
    yield "no first line", "".join(lines[1:]).encode(), answers
    yield "no last line", "".join(lines[:-1]).encode(), answers
    yield "its last line twice", "".join([*lines, lines[-1]]).encode(), is_table
    yield "a line of 100,000 characters", "".join([*lines, "x" * 100_000, "\n"]).encode(), is_table
    yield "an open quotation mark", "".join([*lines[:1], '"', *lines[1:]]).encode(), False
    yield "blanks around every line", "".join(f" {line.rstrip()} \n" for line in lines).encode(), False
    for end in range(1, len(text), 1 + len(text) // 20):
        yield "a part cut off", text[:end].encode(), False
    yield from table_damages(table, bool(ids), layout) if table else field_damages(lines)


def field_damages(lines: Sequence[str]) -> Iterator[Damage]:
    """Yield a text whose first line has an odd value in one field."""
    first, rest = lines[0].split() if lines else [], "".join(lines[1:])
    for place in range(len(first)):
        for value in ODD:
            odd = " ".join(with_cell(first, place, value))
            yield f"{shown(value)} as field {place + 1}", f"{odd}\n{rest}".encode(), False


def table_damages(table: Grid, answers: bool, layout: Layout | None) -> Iterator[Damage]:
    """Yield damaged copies of a table: its rows, its ids, its columns, and then the values in each column."""
    delimiter, header, rows, ids = table

    def with_second(*row: str) -> bytes:
        return written(delimiter, header, rows[0], row, *rows[2:])

    yield "a header alone", written(delimiter, header), answers
    yield "one row alone", written(delimiter, header, rows[0]), answers
    yield "a field more in a row", with_second(*rows[1], "x"), True
    yield "a field less in a row", with_second(*rows[1][:-1]), True
    for what, item in {
        "an unknown id": "an unknown id",
        "an id twice": rows[0][ids],
        "an empty id": "",
        "a blank after an id": f"{rows[1][ids]} ",
        "control characters in an id": f"\x1b[2J{rows[1][ids]}",
    }.items():
        yield what, with_second(*with_cell(rows[1], ids, item)), answers
    for other in sorted({",", "\t", ";"} - {delimiter}):
        yield f"{other!r} between the fields", written(other, header, *rows), True
    needed = (
        {name.lower() for name in layout.required} if layout else {header[ids].lower()} if answers else set()
    )
    for column, name in enumerate(header):
        renamed = written(delimiter, with_cell(header, column, "other"), *rows)
        yield f"the column {name} renamed", renamed, name.lower() in needed
        if column == ids:
            continue
        for value in dict.fromkeys([*ODD, *(row[column] for row in rows)]):
            yield f"{shown(value)} as {name}", with_second(*with_cell(rows[1], column, value)), False
            alike = (with_cell(row, column, value) for row in rows)
            yield f"{shown(value)} as every {name}", written(delimiter, header, *alike), False


def shown(value: str) -> str:
    return repr(value) if len(value) <= 12 else f"{value[:8]!r}..."


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
