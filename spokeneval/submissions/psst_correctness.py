"""Files of PSST Task B, correctness: which naming responses are correct, in the reference and in a submission.

Reference, `utterances.tsv`: `utterance_id` and `correctness` among its columns. Submission, `correctness.tsv`:
`utterance_id` and `prediction` among its columns. Both say `true` or `false`, in any case. What both tasks share is
in `psst`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .problems import Problems, ReferenceFileError
from .psst import (
    ID,
    REFERENCE_FILE,
    Items,
    public_columns,
    read_answers,
    read_items,
    read_utterances,
    write_list,
)
from .tables import Table, choose

__all__ = [
    "Items",
    "Reference",
    "Submission",
    "public_items",
    "read_items",
    "read_reference",
    "read_submission",
]

REFERENCE_FILES = (REFERENCE_FILE,)
SUBMISSION_FILE = "correctness.tsv"

_TRUTH = {"true": 1, "false": 0}


@dataclass(frozen=True)
class Reference:
    """Which responses are correct.

    Attributes
    ----------
    items: the public part.
    correct: bool, shape=(n,).
    sheet: the columns that participants get, `name -> n strings`.
    """

    items: Items
    correct: np.ndarray
    sheet: dict[str, list[str]]


@dataclass(frozen=True)
class Submission:
    """A participant's predictions: correct, bool, shape=(n,), in the order of the items."""

    correct: np.ndarray


def read_reference(directory: Path) -> Reference:
    """The correctness in `utterances.tsv`; the transcripts are not looked at.

    Raises
    ------
    ReferenceFileError: a value other than true or false; an id that is empty or stands twice; only correct or only
        incorrect responses.
    """
    problems = Problems(ReferenceFileError)
    table = read_utterances(directory, "correctness", problems)
    words = _truth(table, "correctness", problems)
    problems.raise_if_any()
    if len(set(words.tolist())) < 2:
        problems.add(
            "one_class", REFERENCE_FILE, "only one kind of response; expected correct and incorrect ones"
        )
    problems.raise_if_any()
    return Reference(Items(tuple(table.columns[ID])), words == 1, public_columns(table))


def public_items(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that participants and the ingestion program get, `name -> content`."""
    return write_list(reference.sheet)


def read_submission(files: dict[str, Path], items: Items) -> Submission:
    """The predictions in `correctness.tsv`.

    Raises
    ------
    SubmissionError: with every problem.
    """
    problems = Problems()
    table, places = read_answers(files, items, SUBMISSION_FILE, "prediction", problems)
    words = _truth(table, "prediction", problems)
    problems.raise_if_any()
    correct = np.zeros(len(items), dtype=bool)
    correct[places] = words == 1
    return Submission(correct)


def _truth(table: Table, column: str, problems: Problems) -> np.ndarray:
    """1 for true, 0 for false, in any case; -1 and a problem for anything else; shape=(n,)."""
    values = [value.lower() if value.lower() in _TRUTH else value for value in table.columns[column]]
    return choose(table, table.columns[ID], values, _TRUTH, problems, item_column=ID, column=column)
