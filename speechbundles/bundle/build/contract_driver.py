"""Examine a task on its sample and on damaged copies of it. `contract` runs this in the sandbox, beside the programs.

    python3 contract_driver.py TASK INPUT_DIR OUTPUT_DIR

INPUT_DIR has the sample's reference in `ref` and its submission in `res`. OUTPUT_DIR receives `problems.json`, a list
of problems, each `[where, what]`, and `items/`, the list of the sample's items. The task and the library are those of
the bundle, so code that does not travel fails here as it would fail on the platform.
"""

import gzip
import json
import math
import sys
import tempfile
import traceback
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spokeneval.formats.files import read_folder
from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.run.options import Settings, choose_options
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from spokeneval.task import Task

Files = Mapping[str, bytes]
Found = Iterator[tuple[str, str]]
"""Where a problem was seen, and the problem with the way to fix it."""

ODD = (
    *("", "nan", "-inf", "1e308", "-1e308", "-1", "0", "2.5", "9" * 400, "1_000", "0x10", "٣", "x", "=1+1"),
    *("\x1b[31m", "<b>", "a b c", "|"),
)
"""Values to put into a column. A task may accept them, but then it has to score them."""


def main(name: str, inputs: Path, output: Path) -> None:
    task: Task = import_module(f"spokeneval.challenges.{name}").TASK
    labels = read_folder(inputs / "ref", task.format.reference_files, error=ReferenceFileError)
    answers = {path.name: path.read_bytes() for path in sorted((inputs / "res").iterdir())}
    found = list(problems(task, labels, answers))
    (output / "problems.json").write_text(json.dumps(found), encoding="utf-8")
    if not found:
        (output / "items").mkdir()
        for file, content in task.format.public_files(task.format.read_reference(labels), {}).items():
            (output / "items" / file).write_bytes(content)


def problems(task: Task, labels: Files, answers: Files) -> Found:
    """Yield every breach of the contract.

    Parameters
    ----------
    labels, answers: the sample's reference and submission, `file -> content`.
    """
    reference = attempt(task, ReferenceFileError, task.format.read_reference, labels)
    if reference.why:
        yield "the sample's reference", reference.why
        return
    gold = reference.value
    submission = attempt(task, SubmissionError, read, task, answers, gold)
    if submission.why:
        yield "the sample's submission", submission.why
        return
    good, wrong = score(task, gold, submission.value)
    yield from (("the sample", what) for what in wrong)
    if not wrong:
        yield from item_list(task, labels, gold)
        yield from trivial_and_options(task, labels, answers, gold)
        taken = attempt(task, FileProblems, task.format.take, submission.value, range(len(gold.items)))
        if taken.why or score(task, gold, taken.value)[0] != good:
            what = taken.why or "the answers to all items have other scores than the submission"
            yield "format.take, which `sealed` needs", what
        yield from damaged(task, labels, answers, gold)


class Outcome(NamedTuple):
    """The value of an action, or why there is none: its refusal, or a description of any other error."""

    value: Any
    why: str = ""
    refusal: FileProblems | None = None


def attempt(task: Task, refusal: type[FileProblems], action: Callable[..., Any], *arguments: Any) -> Outcome:
    try:
        return Outcome(action(*arguments))
    except refusal as error:
        return Outcome(None, f"refused: {'; '.join(each.message for each in error.problems[:3])}", error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = [*frames, *(frame for frame in frames if Path(frame.filename).stem == task.name)][-1]
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return Outcome(None, f"{what} ({Path(place.filename).name} line {place.lineno})")


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
    if result.why:
        return {}, [f"{result.why}; a task has to score every submission that it accepts"] * (
            result.refusal is None
        )
    wrong = []
    for each in task.scores:
        value, (low, high) = result.value.scores[each.key], each.limits or (-math.inf, math.inf)
        if not isinstance(value, (int, float)) or not math.isfinite(value):
            wrong.append(f"the score {each.key} is {value!r}; expected a finite number")
        elif not low <= value <= high:
            what = f"the score {each.key} is {value:.6g}, but its bounds are {low:g} and {high:g}"
            wrong.append(f"{what}; correct the bounds or the formula")
    right = attempt(task, SubmissionError, lambda: np.asarray(task.right(result.value.rows), dtype=float))
    rows = len(result.value.statistics.rows[0])
    expected = (
        f"a function of the counts that returns {rows} numbers from 0 to 1, how right each of their rows is"
    )
    if right.why:
        wrong.append(f"right: {right.why}; expected {expected}")
    elif right.value.shape != (rows,) or not ((right.value >= 0) & (right.value <= 1)).all():
        wrong.append(f"right: expected {expected}")
    return result.value.scores, wrong


def item_list(task: Task, labels: Files, reference: Any) -> Found:
    """The public files list the items, and do not depend on a label: values are moved by one row in each column."""
    where = "the list of items"
    public = attempt(task, FileProblems, task.format.public_files, reference, {})
    items = public if public.why else attempt(task, FileProblems, task.format.read_items, public.value)
    if items.why or sorted(items.value.ids) != sorted(reference.items.ids):
        yield where, items.why or "its ids are not those of the reference"
    before = list(map(repr, task.labels(reference)))
    changed = []
    for file, column, moved in moved_columns(labels, reference.items.ids):
        other = attempt(task, ReferenceFileError, task.format.read_reference, {**labels, file: moved}).value
        changed.append(other is not None and list(map(repr, task.labels(other))) != before)
        if not changed[-1] or sorted(other.items.ids) != sorted(reference.items.ids):
            continue  # no label was moved, or labels decide which items are scored
        if attempt(task, FileProblems, task.format.public_files, other, {}).value != public.value:
            yield (
                where,
                f"it depends on the labels in {column} of {file}; leave that column out, and sort by id",
            )
    if changed and not any(changed):
        what = "the same for other labels; return all labels of the reference, and give the sample labels that differ"
        yield "labels", what


def moved_columns(files: Files, ids: Collection[str]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the file, the name and the content after a move, of each column that does not hold ids."""
    for file, content in files.items():
        delimiter, (header, *rows) = table_of(content) or ("", [[]])
        for place, column in enumerate(header):
            values = [row[place] for row in rows]
            if not set(values) <= set(ids):
                moved = [with_cell(row, place, values[at - len(rows) + 1]) for at, row in enumerate(rows)]
                yield file, column, joined(delimiter, [header, *moved])


def trivial_and_options(task: Task, labels: Files, answers: Files, reference: Any) -> Found:
    """The trivial baselines are scored, and so is the sample under each value of an option that can read it."""
    for what, answer in task.trivial.items():
        made = attempt(task, FileProblems, answer, reference.items)
        wrong = [made.why] if made.why else score(task, reference, made.value)[1]
        yield from ((f"the trivial baseline {what!r}", each) for each in wrong)
    for name, value in ((option.name, value) for option in task.options for value in option.values):
        varied = task.with_options({name: value})
        gold = attempt(task, ReferenceFileError, varied.format.read_reference, labels)
        wrong = [gold.why] * (gold.refusal is None) if gold.why else answered(varied, gold.value, answers)
        yield from ((f"the option {name}: {value}", each) for each in wrong)


def answered(task: Task, reference: Any, answers: Files) -> list[str]:
    """Return what is wrong with the scores of a submission that may be refused."""
    made = attempt(task, SubmissionError, read, task, answers, reference)
    if made.why:
        return [made.why] * (made.refusal is None)
    return score(task, reference, made.value)[1]


def damaged(task: Task, labels: Files, answers: Files, reference: Any) -> Found:
    """Damaged files are refused with a list of problems, or scored."""
    for where, files, refused in damages(answers, reference.items.ids):
        made = attempt(task, SubmissionError, read, task, files, reference)
        wrong = unrefused(made, "SubmissionError", refused)
        wrong += [] if made.why or refused else score(task, reference, made.value)[1]
        yield from ((where, each) for each in wrong)
    for where, files, refused in damages(labels):
        made = attempt(task, ReferenceFileError, task.format.read_reference, files)
        wrong = unrefused(made, "ReferenceFileError", refused)
        scored = [] if made.why or refused else answered(task, made.value, answers)
        yield from (
            (where, each) for each in [*wrong, *(f"{each}, or refuse such a reference" for each in scored)]
        )


def unrefused(outcome: Outcome, error: str, refused: bool) -> list[str]:
    """Return what is wrong with the refusal of damaged files, or with the lack of one."""
    if outcome.refusal is None and (outcome.why or refused):
        how = f"a {error} that lists the problems, as the readers in spokeneval.formats do"
        return [
            f"{outcome.why}; refuse such files with {how}" if outcome.why else f"accepted; expected {how}"
        ]
    if outcome.refusal and not str(outcome.refusal).replace("\n", "").isprintable():
        return [f"the {error} shows control characters; use `quote` of spokeneval.formats.problems"]
    return []


def table_of(content: bytes) -> tuple[str, list[list[str]]] | None:
    """Return the delimiter and the rows, with a header, of a text that is a table of two rows or more."""
    lines = content.decode("utf-8-sig", "replace").splitlines()
    for delimiter in (",", "\t", ";"):
        rows = [line.split(delimiter) for line in lines]
        if len(rows) > 2 and len(rows[0]) > 1 and len(set(map(len, rows))) == 1:
            return delimiter, rows
    return None


def joined(delimiter: str, rows: Sequence[Sequence[str]]) -> bytes:
    return "".join(f"{delimiter.join(row)}\n" for row in rows).encode()


def with_cell(row: Sequence[str], column: int, value: str) -> list[str]:
    return [*row[:column], value, *row[column + 1 :]]


def damages(files: Files, ids: Collection[str] = ()) -> Iterator[tuple[str, Files, bool]]:
    """Yield what was done to files, the files, and whether they have to be refused.

    Parameters
    ----------
    ids: the items that a submission answers; empty for a reference.
    """
    yield "no files", {}, True
    for file, content in files.items():
        for what, changed, refused in (*text_damages(content), *table_damages(content, ids)):
            yield f"{file} with {what}", {**files, file: changed}, refused
    if ids:
        yield "a further file, notes.txt", {**files, "notes.txt": b"x"}, True


def text_damages(content: bytes) -> Iterator[tuple[str, bytes, bool]]:
    is_table = table_of(content) is not None
    yield "its second half missing", content[: len(content) // 2], False
    yield "nothing in it", b"", is_table
    yield "an open quotation mark", content.replace(b"\n", b'\n"', 1), False
    yield "UTF-16", content.decode("utf-8-sig", "replace").encode("utf-16"), is_table
    yield "a NUL", content + b"\0\n", is_table
    yield "a byte that is not UTF-8", content + b"\xff\n", is_table
    yield "compressed text", gzip.compress(content, mtime=0), is_table


def table_damages(content: bytes, ids: Collection[str]) -> Iterator[tuple[str, bytes, bool]]:
    """Yield damaged copies of a table: its rows, its ids, its columns, and then the values in each column."""
    delimiter, rows = table_of(content) or ("", [])
    columns = [sorted(column) for column in zip(*rows[1:], strict=True)]
    of_ids = columns.index(sorted(ids)) if sorted(ids) in columns else None
    answers = of_ids is not None

    def with_row(at: int, *changed: Sequence[str]) -> bytes:
        return joined(delimiter, [*rows[:at], *changed, *rows[at + 1 :]])

    if rows:
        yield "a header alone", joined(delimiter, rows[:1]), answers
        yield "no last row", with_row(len(rows) - 1), answers
        yield "its last row twice", joined(delimiter, [*rows, rows[-1]]), answers
        yield "a field more in a row", with_row(2, [*rows[2], "x"]), True
        yield "a field less in a row", with_row(2, rows[2][:-1]), True
    for column, name in enumerate(rows[0] if rows else ()):
        yield f"no column {name}", with_row(0, with_cell(rows[0], column, "other")), column == of_ids
        for value in ODD:
            alike = [with_cell(row, column, value) for row in rows[1:]]
            yield (
                f"{value[:12]!r} as {name}",
                with_row(2, with_cell(rows[2], column, value)),
                column == of_ids,
            )
            yield f"{value[:12]!r} as every {name}", joined(delimiter, [rows[0], *alike]), column == of_ids


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
