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
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spokeneval.formats.problems import FileProblems, ReferenceFileError, SubmissionError
from spokeneval.formats.submission_folder import list_files
from spokeneval.formats.text import read_folder
from spokeneval.scoring.options import Settings, Signature, choose_options
from spokeneval.scoring.scored import Scored, score_submission
from spokeneval.task import Task

Files = Mapping[str, bytes]
Found = Iterator[tuple[str, str]]
"""Where a problem was seen, and the problem with the way to fix it."""
Damages = Iterator[tuple[str, bytes, bool]]
"""What was done to a file, its content, and whether it has to be refused."""

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
    given = reference
    if not reference.why:
        given = attempt(task, SubmissionError, read, task, answers, reference.value)
    if given.why:
        yield f"the sample's {'reference' if reference.why else 'submission'}", given.why
        return
    good, wrong = score(task, reference.value, given.value)
    yield from (("the sample", what) for what in wrong)
    if not wrong:
        yield from item_list(task, labels, reference.value)
        yield from variants(task, labels, answers, reference.value)
        taken = attempt(task, FileProblems, task.format.take, given.value, range(len(reference.value.items)))
        if taken.why or score(task, reference.value, taken.value)[0] != good:
            what = taken.why or "the answers to all items have other scores than the submission"
            yield "format.take, which `sealed` needs", what
        yield from damaged(task, labels, answers, reference.value)


class Tried(NamedTuple):
    """The value of an action, or why there is none: its refusal, or a description of any other error."""

    value: Any
    why: str = ""
    refusal: FileProblems | None = None


def attempt(task: Task, refusal: type[FileProblems], action: Callable[..., Any], *arguments: Any) -> Tried:
    try:
        return Tried(action(*arguments))
    except refusal as error:
        return Tried(None, f"refused: {'; '.join(each.message for each in error.problems[:3])}", error)
    except Exception as error:
        frames = traceback.extract_tb(error.__traceback__)
        place = [*frames, *(frame for frame in frames if Path(frame.filename).stem == task.name)][-1]
        what = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return Tried(None, f"{what} ({Path(place.filename).name} line {place.lineno})")


def read(task: Task, files: Files, reference: Any) -> Any:
    """Read a submission as the programs do."""
    with tempfile.TemporaryDirectory() as folder:
        for file, content in files.items():
            Path(folder, file).write_bytes(content)
        return task.format.read_submission(list_files(Path(folder)), reference.items)


def with_intervals(result: Scored) -> Scored:
    """Compute all scores with their intervals, whose errors belong to the result."""
    _ = result.scores
    return result


def score(task: Task, reference: Any, submission: Any) -> tuple[Mapping[str, Any], list[str]]:
    """Return the scores of a submission, and what is wrong with them; a refusal by an option is not wrong."""
    settings = Settings(choose_options(task, {}), True, Signature(task.name))
    result = attempt(
        task, SubmissionError, lambda: with_intervals(score_submission(task, reference, submission, settings))
    )
    if result.why:
        unscored = f"{result.why}; a task has to score every submission that it accepts"
        return {}, [] if result.refusal else [unscored]
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
    if right.why or right.value.shape != (rows,) or not ((right.value >= 0) & (right.value <= 1)).all():
        what = f"a function of the counts that returns {rows} numbers from 0 to 1, how right each of their rows is"
        wrong.append(f"right: {right.why}{'; ' * bool(right.why)}expected {what}")
    return result.value.scores, wrong


def item_list(task: Task, labels: Files, reference: Any) -> Found:
    """The public files list the items, and do not depend on a label: values are moved by one row in each column."""
    where, ids = "the list of items", sorted(reference.items.ids)
    public = attempt(task, FileProblems, task.format.public_files, reference, {})
    items = public if public.why else attempt(task, FileProblems, task.format.read_items, public.value)
    if items.why or sorted(items.value.ids) != ids:
        yield where, items.why or "its ids are not those of the reference"
    before = list(map(repr, task.labels(reference)))
    changed = []
    for file, column, moved in moved_columns(labels, ids):
        other = attempt(task, ReferenceFileError, task.format.read_reference, {**labels, file: moved}).value
        changed.append(other is not None and list(map(repr, task.labels(other))) != before)
        # Nothing is compared if no label was moved, or if labels decide which items are scored.
        same = changed[-1] and sorted(other.items.ids) == ids
        if same and attempt(task, FileProblems, task.format.public_files, other, {}).value != public.value:
            what = f"it depends on the labels in {column} of {file}"
            yield where, f"{what}; leave that column out, and sort by id"
    if changed and not any(changed):
        what = "the same for other labels; return all labels of the reference, and give the sample labels that differ"
        yield "labels", what


def moved_columns(files: Files, ids: Collection[str]) -> Iterator[tuple[str, str, bytes]]:
    """Yield the file, the name and the content after a move, of each column that does not hold ids."""
    for file, content in files.items():
        delimiter, table = table_of(content)
        for place, column in enumerate(table[0]):
            if not {*table[1:, place]} <= {*ids}:
                yield file, column, with_column(delimiter, table, place, np.roll(table[1:, place], -1))


def variants(task: Task, labels: Files, answers: Files, reference: Any) -> Found:
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
    return [made.why] * (made.refusal is None) if made.why else score(task, reference, made.value)[1]


def damaged(task: Task, labels: Files, answers: Files, reference: Any) -> Found:
    """Damaged files are refused with a list of problems, or scored."""
    for where, files, refused in damages(answers, reference.items.ids):
        made = attempt(task, SubmissionError, read, task, files, reference)
        scored = [] if made.why or refused else score(task, reference, made.value)[1]
        yield from ((where, each) for each in (*unrefused(made, "SubmissionError", refused), *scored))
    for where, files, refused in damages(labels):
        made = attempt(task, ReferenceFileError, task.format.read_reference, files)
        scored = [] if made.why or refused else answered(task, made.value, answers)
        scored = [f"{each}, or refuse such a reference" for each in scored]
        yield from ((where, each) for each in (*unrefused(made, "ReferenceFileError", refused), *scored))


def unrefused(made: Tried, error: str, refused: bool) -> list[str]:
    """Return what is wrong with the refusal of damaged files, or with the lack of one."""
    how = f"a {error} that lists the problems, as the readers in spokeneval.formats do"
    if made.refusal and not str(made.refusal).replace("\n", "").isprintable():
        return [f"the {error} shows control characters; use `quote` of spokeneval.formats.problems"]
    if made.refusal or not (made.why or refused):
        return []
    return [f"{made.why}; refuse such files with {how}" if made.why else f"accepted; expected {how}"]


def table_of(content: bytes) -> tuple[str, np.ndarray]:
    """Return the delimiter and the cells, with a header, of a table of two rows or more; of another text none."""
    lines = content.decode("utf-8-sig", "replace").splitlines()
    for delimiter in (",", "\t", ";"):
        rows = [line.split(delimiter) for line in lines]
        if len(rows) > 2 and len(rows[0]) > 1 and len(set(map(len, rows))) == 1:
            return delimiter, np.array(rows, dtype=object)
    return "", np.empty((1, 0), dtype=object)


def joined(delimiter: str, rows: Iterable[Iterable[str]]) -> bytes:
    return "".join(f"{delimiter.join(row)}\n" for row in rows).encode()


def with_column(delimiter: str, table: np.ndarray, place: int, values: Any) -> bytes:
    """Return a table with other values, or one value, in the column at a place."""
    changed = table.copy()
    changed[1:, place] = values
    return joined(delimiter, changed)


def damages(files: Files, ids: Collection[str] = ()) -> Iterator[tuple[str, Files, bool]]:
    """Yield what was done to files, the files, and whether they have to be refused.

    Parameters
    ----------
    ids: the items that a submission answers; empty for a reference.
    """
    yield "no files", {}, True
    for file, content in files.items():
        delimiter, table = table_of(content)
        of_table = table_damages(delimiter, table, ids) if delimiter else iter(())
        for what, changed, refused in (*text_damages(content, bool(delimiter)), *of_table):
            yield f"{file} with {what}", {**files, file: changed}, refused
    if ids:
        yield "a further file, notes.txt", {**files, "notes.txt": b"x"}, True


def text_damages(content: bytes, is_table: bool) -> Damages:
    yield "its second half missing", content[: len(content) // 2], False
    yield "nothing in it", b"", is_table
    yield "an open quotation mark", content.replace(b"\n", b'\n"', 1), False
    yield "UTF-16", content.decode("utf-8-sig", "replace").encode("utf-16"), is_table
    yield "a NUL", content + b"\0\n", is_table
    yield "a byte that is not UTF-8", content + b"\xff\n", is_table
    yield "compressed text", gzip.compress(content, mtime=0), is_table


def table_damages(delimiter: str, table: np.ndarray, ids: Collection[str]) -> Damages:
    """Yield damaged copies of a table: its rows, its ids, its columns, and then the values in each column."""
    header, first, second, *others = table.tolist()
    of_ids = [sorted(column) == sorted(ids) for column in table[1:].T]
    for what, changed, refused in (
        ("a header alone", table[:1], any(of_ids)),
        ("no last row", table[:-1], any(of_ids)),
        ("its last row twice", [*table, table[-1]], any(of_ids)),
        ("a field more in a row", [header, first, [*second, "x"], *others], True),
        ("a field less in a row", [header, first, second[:-1], *others], True),
    ):
        yield what, joined(delimiter, changed), refused
    for place, name in enumerate(header):
        renamed = [*header[:place], "other", *header[place + 1 :]]
        yield f"no column {name}", joined(delimiter, [renamed, *table[1:]]), of_ids[place]
        for odd in ODD:
            one = [first[place], odd, *table[3:, place]]
            yield f"{odd[:12]!r} as {name}", with_column(delimiter, table, place, one), of_ids[place]
            yield f"{odd[:12]!r} as every {name}", with_column(delimiter, table, place, odd), of_ids[place]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
