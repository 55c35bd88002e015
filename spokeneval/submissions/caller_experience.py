"""Files of Caller Experience: the listeners' ratings, the public list of calls, a submission's ratings.

Reference, `reference.csv`: comma-separated with a header, `call_id`, `human1`, `human2`, `human3` (three distinct
listeners a call) among its columns. Public items, `calls.csv`: the ids alone. Submission, `ratings.csv`:
comma-separated with a header, `call_id` and `rating` among its columns. Ratings are integers from 1 to 5, written
as `4`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .files import size_limit
from .folder import expect_files
from .problems import FileProblems, Problems, ReferenceFileError
from .tables import Items, check_ids, match_items, read_table, whole_numbers

REFERENCE_FILE = "reference.csv"
REFERENCE_FILES = (REFERENCE_FILE,)
CALLS_FILE = "calls.csv"
SUBMISSION_FILE = "ratings.csv"

SCALE = (1, 5)
LISTENERS = ("human1", "human2", "human3")

ID = "call_id"
NOUN = "call"
REFERENCE_LIMIT = 1 << 28


@dataclass(frozen=True)
class Reference:
    """What the listeners gave.

    Attributes
    ----------
    items: the public part.
    listeners: int, shape=(3, n): the ratings of each listening, 1 to 5.
    """

    items: Items
    listeners: np.ndarray


@dataclass(frozen=True)
class Submission:
    """A participant's ratings: int, shape=(n,), 1 to 5, in the order of the items."""

    ratings: np.ndarray


def read_reference(directory: Path) -> Reference:
    """The listeners' ratings in `reference.csv`.

    Raises
    ------
    ReferenceFileError: a listener without a column or without a rating, a rating off the scale, an id that is empty
        or stands twice, no call at all.
    """
    problems = Problems(ReferenceFileError)
    table = read_table(
        directory / REFERENCE_FILE,
        REFERENCE_FILE,
        problems,
        delimiter=",",
        required=(ID, *LISTENERS),
        limit=REFERENCE_LIMIT,
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns[ID]
    check_ids(table, ids, problems, column=ID, noun=NOUN)
    listeners = [
        whole_numbers(table, ids, table.columns[column], SCALE, problems, item_column=ID, column=column)
        for column in LISTENERS
    ]
    problems.raise_if_any()
    if not ids:
        problems.add("no_items", REFERENCE_FILE, "a header but no call")
    problems.raise_if_any()
    return Reference(Items(tuple(ids)), np.array(listeners))


def public_items(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that participants and the ingestion program get, `name -> content`: the ids, sorted."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([ID])
    rows.writerows([item] for item in sorted(reference.items.ids))
    return {CALLS_FILE: text.getvalue().encode("utf-8")}


def read_items(directory: Path) -> Items:
    """The public items, as `public_items` wrote them."""
    problems = Problems(FileProblems)
    table = read_table(
        directory / CALLS_FILE, CALLS_FILE, problems, delimiter=",", required=(ID,), limit=REFERENCE_LIMIT
    )
    problems.raise_if_any()
    assert table is not None
    return Items(tuple(table.columns[ID]))


def read_submission(files: dict[str, Path], items: Items) -> Submission:
    """The ratings in `ratings.csv`, in any order; columns other than `call_id` and `rating` are ignored.

    Raises
    ------
    SubmissionError: with every problem.
    """
    problems = Problems()
    expect_files(files, [SUBMISSION_FILE], problems)
    problems.raise_if_any()
    table = read_table(
        files[SUBMISSION_FILE],
        SUBMISSION_FILE,
        problems,
        delimiter=",",
        required=(ID, "rating"),
        limit=size_limit(len(items)),
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns[ID]
    places = match_items(table, ids, items.ids, problems, column=ID, noun=NOUN)
    found = whole_numbers(
        table, ids, table.columns["rating"], SCALE, problems, item_column=ID, column="rating"
    )
    problems.raise_if_any()
    ratings = np.zeros(len(items), dtype=np.int64)
    ratings[places] = found
    return Submission(ratings)
