"""Files of Spoken CALL: the gold standard, the public sheet, a submission's decisions.

Reference, `reference.csv`: the shared task's own sheet, tab-separated, with `Id`, `language` and `meaning`
(`correct` or `incorrect`) among its columns; names in any case, quoted or not, with or without a header row.
Public items, `test_sheet.csv`: what participants get of it. Submission, `results.csv`: tab-separated, with a
header, `Id` and `Accept` (`accept` or `reject`) among its columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Optional

import numpy as np

from .files import read_bytes, read_lines, size_limit
from .folder import expect_files
from .problems import FileProblems, Problems, ReferenceFileError, name
from .tables import Table, check_ids, choose, match_items, parse_table, read_table, split_row

REFERENCE_FILE = "reference.csv"
REFERENCE_FILES = (REFERENCE_FILE,)
SHEET_FILE = "test_sheet.csv"
CLASS_SIZES_FILE = "class_sizes.json"
SUBMISSION_FILE = "results.csv"

NOUN = "response"
REFERENCE_LIMIT = 1 << 28

_SHEET = ("Id", "Prompt", "Wavfile", "RecResult")
EDITIONS = {
    7: ("Id", "Prompt", "Wavfile", "RecResult", "Transcription", "language", "meaning"),
    6: ("Id", "Prompt", "Wavfile", "Transcription", "language", "meaning"),
}
"""Columns, by their number, of a sheet without a header row."""


@dataclass(frozen=True)
class Items:
    """What everybody knows: the responses, and where the organiser tells it, how many of them are correct.

    Attributes
    ----------
    ids: n ids, in the reference's order.
    class_sizes: numbers of correct and of incorrect responses, or None.
    """

    ids: tuple[str, ...]
    class_sizes: Optional[tuple[int, int]] = None

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True)
class Reference:
    """The gold standard.

    Attributes
    ----------
    items: the public part.
    correct, meaningful: bool, shape=(n,): correct in language, correct in meaning.
    sheet: the columns that participants get, `name -> n strings`.
    """

    items: Items
    correct: np.ndarray
    meaningful: np.ndarray
    sheet: dict[str, list[str]]


@dataclass(frozen=True)
class Submission:
    """A participant's decisions: accept, bool, shape=(n,), in the order of the items."""

    accept: np.ndarray


def read_reference(directory: Path) -> Reference:
    """The gold standard in `reference.csv`.

    Raises
    ------
    ReferenceFileError: a row that is not usable, such as a header row in mid-file or a response that is correct
        in language but not in meaning; an id that stands twice; only correct or only incorrect responses.
    """
    problems = Problems(ReferenceFileError)
    lines = read_lines(directory / REFERENCE_FILE, REFERENCE_FILE, problems, REFERENCE_LIMIT)
    table = None if lines is None else _parse_reference(lines, problems)
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns["Id"]
    values = {"correct": 1, "incorrect": 0}
    language = choose(
        table, ids, table.columns["language"], values, problems, item_column="Id", column="language"
    )
    meaning = choose(
        table, ids, table.columns["meaning"], values, problems, item_column="Id", column="meaning"
    )
    for row in np.flatnonzero((language == 1) & (meaning == 0)):
        message = f"Id {name(ids[row])}: language is correct but meaning incorrect"
        problems.add("contradictory_labels", REFERENCE_FILE, message, line=table.lines[row], item=ids[row])
    check_ids(table, ids, problems, column="Id", noun=NOUN)
    problems.raise_if_any()
    if len(set(language)) < 2:
        problems.add(
            "one_class", REFERENCE_FILE, "only one kind of response; expected correct and incorrect ones"
        )
    problems.raise_if_any()
    sheet = {column: table.columns[column] for column in _SHEET if column in table.columns}
    return Reference(Items(tuple(ids)), language == 1, meaning == 1, sheet)


def _parse_reference(lines: list[str], problems: Problems) -> Optional[Table]:
    """The sheet's rows; a header row that stands again in mid-file is named and left out."""
    top = next(number for number, line in enumerate(lines) if line)
    first = [field.strip().lower() for field in split_row(lines[top], "\t") or []]
    header = None
    if "id" not in first and len(first) in EDITIONS and first[-1] in ("correct", "incorrect"):
        header = EDITIONS[len(first)]
    rows = list(lines)
    for number, line in enumerate(lines[top + 1 :], top + 2):
        fields = [field.strip().lower() for field in split_row(line, "\t") or []]
        if fields[:1] == ["id"] and "language" in fields:
            problems.add("stray_header", REFERENCE_FILE, "a header row in mid-file", line=number)
            rows[number - 1] = ""
    aliases = {column: column for column in _SHEET}
    return parse_table(
        ["\n".join(rows)],
        REFERENCE_FILE,
        problems,
        delimiter="\t",
        required=("Id", "language", "meaning"),
        aliases=aliases,
        header=header,
    )


def public_items(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that participants and the ingestion program get, `name -> content`.

    The rows come in the order of their ids, because a gold standard may be sorted by label.

    Parameters
    ----------
    options: with `class_sizes` as `public`, how many responses are correct is told.
    """
    order = sorted(range(len(reference.items)), key=lambda row: _id_order(reference.items.ids[row]))
    columns = list(reference.sheet)
    rows = [columns] + [[reference.sheet[column][row] for column in columns] for row in order]
    files = {SHEET_FILE: "".join("\t".join(map(_field, row)) + "\n" for row in rows).encode("utf-8")}
    if options.get("class_sizes") == "public":
        correct = int(reference.correct.sum())
        sizes = {"correct": correct, "incorrect": len(reference.items) - correct}
        files[CLASS_SIZES_FILE] = (json.dumps(sizes) + "\n").encode("utf-8")
    return files


def _id_order(item: str) -> tuple[int, int, str]:
    return (0, int(item), item) if item.isascii() and item.isdigit() and len(item) < 19 else (1, 0, item)


def _field(text: str) -> str:
    return f'"{doubled}"' if (doubled := text.replace('"', '""')) != text or "\t" in text else text


def read_items(directory: Path) -> Items:
    """The public items, as `public_items` wrote them."""
    problems = Problems(FileProblems)
    table = read_table(
        directory / SHEET_FILE, SHEET_FILE, problems, delimiter="\t", required=("Id",), limit=REFERENCE_LIMIT
    )
    problems.raise_if_any()
    assert table is not None
    sizes = _read_class_sizes(directory / CLASS_SIZES_FILE, problems)
    problems.raise_if_any()
    return Items(tuple(table.columns["Id"]), sizes)


def _read_class_sizes(path: Path, problems: Problems) -> Optional[tuple[int, int]]:
    """Numbers of correct and of incorrect responses; None where they are not told, or after adding a problem."""
    if not path.exists():
        return None
    content = read_bytes(path, CLASS_SIZES_FILE, problems, 1 << 16)
    try:
        sizes = json.loads(content or b"")
        correct, incorrect = sizes["correct"], sizes["incorrect"]
        if type(correct) is int and type(incorrect) is int:
            return correct, incorrect
    except (ValueError, KeyError, TypeError, RecursionError):
        pass
    problems.add(
        "bad_class_sizes", CLASS_SIZES_FILE, "expected the numbers of correct and incorrect responses"
    )
    return None


def read_submission(files: dict[str, Path], items: Items) -> Submission:
    """The decisions in `results.csv`, in any order; columns other than `Id` and `Accept` are ignored.

    Raises
    ------
    SubmissionError: with every problem; where the class sizes are known, also a number of accepts that cannot
        meet the 50 % rule.
    """
    problems = Problems()
    expect_files(files, [SUBMISSION_FILE], problems)
    problems.raise_if_any()
    table = read_table(
        files[SUBMISSION_FILE],
        SUBMISSION_FILE,
        problems,
        delimiter="\t",
        required=("Id", "Accept"),
        limit=size_limit(len(items)),
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns["Id"]
    places = match_items(table, ids, items.ids, problems, column="Id", noun=NOUN)
    words = choose(
        table,
        ids,
        table.columns["Accept"],
        {"accept": 1, "reject": 0},
        problems,
        item_column="Id",
        column="decision",
    )
    problems.raise_if_any()
    accept = np.zeros(len(items), dtype=bool)
    accept[places] = words == 1
    if items.class_sizes is not None:
        require_possible(accept, items.class_sizes)
    return Submission(accept)


def require_possible(accept: np.ndarray, class_sizes: Sequence[int]) -> None:
    """Refuse a number of accepts with which no labelling can meet the 50 % rule.

    The rule wants at least half of the correct responses accepted and half of the incorrect ones rejected. This
    depends on public numbers alone, so refusing it tells nothing.

    Parameters
    ----------
    accept: bool, shape=(n,).
    class_sizes: numbers of correct and of incorrect responses.

    Raises
    ------
    SubmissionError
    """
    problems = Problems()
    accepts = int(accept.sum())
    for count, size, verb, kind in (
        (accepts, class_sizes[0], "accepted", "correct"),
        (len(accept) - accepts, class_sizes[1], "rejected", "incorrect"),
    ):
        if 2 * count < size:
            message = f"{count} responses {verb}; the 50 % rule needs at least half of the {size} {kind} ones"
            problems.add("rule_out_of_reach", SUBMISSION_FILE, message)
    problems.raise_if_any()


def rule_broken(rates: Optional[tuple[float, float]]) -> Problems:
    """The problem of a submission that breaks the 50 % rule, where the organiser's policy is to refuse it.

    Parameters
    ----------
    rates: share of the correct responses accepted and of the incorrect ones rejected, told only where the
        labels are public.
    """
    problems = Problems()
    message = "breaks the 50 % rule: at least half of the correct responses accepted, half of the incorrect rejected"
    if rates is not None:
        message += f"; found {100 * rates[0]:.1f} % and {100 * rates[1]:.1f} %"
    problems.add("fifty_percent_rule", SUBMISSION_FILE, message)
    return problems
