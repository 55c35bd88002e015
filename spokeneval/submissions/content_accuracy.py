"""Files of content accuracy: the human scores, the public list of responses, a submission's predictions.

Reference, `reference.csv`: comma-separated with a header, `response_id`, `prompt_id`, `speaker_id`, `human_score`
(an integer from 1 to 4) and `words` (how many words were said, 1 or more) among its columns. Public items,
`responses.csv`: the first three. Submission, `predictions.csv`: comma-separated with a header, `response_id` and
`score` among its columns; a score is a finite decimal number from -1000 to 1000, the rubric's 1 to 4 or beyond.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .files import decimal, decimals, expected_number, integer, size_limit
from .folder import expect_files
from .problems import FileProblems, Problems, ReferenceFileError, name, quote
from .tables import Items, Table, check_ids, match_items, read_table, whole_numbers

REFERENCE_FILE = "reference.csv"
REFERENCE_FILES = (REFERENCE_FILE,)
RESPONSES_FILE = "responses.csv"
SUBMISSION_FILE = "predictions.csv"

RUBRIC = (1, 4)
BOUND = 1000
"""Predictions beyond plus or minus this are refused: a mistake, and their squares would outgrow a leaderboard."""
FEWEST_RESPONSES = 3

ID = "response_id"
NOUN = "response"
REFERENCE_LIMIT = 1 << 28

_PUBLIC = (ID, "prompt_id", "speaker_id")


@dataclass(frozen=True)
class Reference:
    """What the responses are worth.

    Attributes
    ----------
    items: the public part.
    human_scores: int, shape=(n,): the rubric's levels, 1 to 4.
    words: int, shape=(n,): the number of words of each response.
    sheet: the columns that participants get, `name -> n strings`.
    """

    items: Items
    human_scores: np.ndarray
    words: np.ndarray
    sheet: dict[str, list[str]]


@dataclass(frozen=True)
class Submission:
    """A participant's predictions: float, shape=(n,), in the order of the items."""

    scores: np.ndarray


def read_reference(directory: Path) -> Reference:
    """The human scores and lengths in `reference.csv`.

    Raises
    ------
    ReferenceFileError: a human score off the rubric, a number of words that is none or below 1, an id that is empty
        or stands twice, fewer than three responses, or one and the same human score throughout, with which nothing
        correlates.
    """
    problems = Problems(ReferenceFileError)
    table = read_table(
        directory / REFERENCE_FILE,
        REFERENCE_FILE,
        problems,
        delimiter=",",
        required=(*_PUBLIC, "human_score", "words"),
        limit=REFERENCE_LIMIT,
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns[ID]
    check_ids(table, ids, problems, column=ID, noun=NOUN)
    human_scores = whole_numbers(
        table, ids, table.columns["human_score"], RUBRIC, problems, item_column=ID, column="human_score"
    )
    words = _lengths(table, ids, problems)
    problems.raise_if_any()
    if len(ids) < FEWEST_RESPONSES:
        problems.add(
            "too_few_items", REFERENCE_FILE, f"{len(ids)} responses; at least {FEWEST_RESPONSES} expected"
        )
    elif len(set(human_scores.tolist())) < 2:
        problems.add(
            "constant_scores",
            REFERENCE_FILE,
            f"the human score is {human_scores[0]} throughout; nothing correlates with a constant",
        )
    problems.raise_if_any()
    sheet = {column: table.columns[column] for column in _PUBLIC}
    return Reference(Items(tuple(ids)), human_scores, words, sheet)


def _lengths(table: Table, ids: Sequence[str], problems: Problems) -> np.ndarray:
    """The numbers of words, shape=(n,); 0 and a problem for each that is none."""
    texts = table.columns["words"]
    meant = {text: max(0, integer(text) or 0) for text in set(texts)}
    words = np.array([meant[text] for text in texts], dtype=np.int64)
    for row in np.flatnonzero(words == 0).tolist():
        found = quote(texts[row]) if texts[row] else "nothing"
        problems.add(
            "bad_word_count",
            table.file,
            f"{ID} {name(ids[row])}: words {found}; expected an integer of 1 or more",
            line=table.lines[row],
            item=ids[row],
        )
    return words


def public_items(reference: Reference, options: Mapping[str, str]) -> dict[str, bytes]:
    """The files that participants and the ingestion program get, `name -> content`, in the order of the ids."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(_PUBLIC)
    rows.writerows(sorted(zip(*(reference.sheet[column] for column in _PUBLIC))))
    return {RESPONSES_FILE: text.getvalue().encode("utf-8")}


def read_items(directory: Path) -> Items:
    """The public items, as `public_items` wrote them."""
    problems = Problems(FileProblems)
    table = read_table(
        directory / RESPONSES_FILE,
        RESPONSES_FILE,
        problems,
        delimiter=",",
        required=(ID,),
        limit=REFERENCE_LIMIT,
    )
    problems.raise_if_any()
    assert table is not None
    return Items(tuple(table.columns[ID]))


def read_submission(files: dict[str, Path], items: Items) -> Submission:
    """The predictions in `predictions.csv`, in any order; columns other than `response_id` and `score` are ignored.

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
        required=(ID, "score"),
        limit=size_limit(len(items)),
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns[ID]
    places = match_items(table, ids, items.ids, problems, column=ID, noun=NOUN)
    found = _predictions(table, ids, problems)
    problems.raise_if_any()
    scores = np.zeros(len(items))
    scores[places] = found
    return Submission(scores)


def _predictions(table: Table, ids: Sequence[str], problems: Problems) -> np.ndarray:
    """The scores as numbers, shape=(n,); 0 and a problem for each that is none or out of bounds."""
    texts = table.columns["score"]
    scores = decimals(texts)
    if scores is not None and (np.abs(scores) <= BOUND).all():
        return scores
    scores = np.zeros(len(texts))
    for row, (item, text, line) in enumerate(zip(ids, texts, table.lines)):
        score = decimal(text)
        if score is None:
            message = f"{ID} {name(item)}: score {expected_number(text)}"
            problems.add("not_a_number", table.file, message, line=line, item=item)
        elif abs(score) > BOUND:
            expected = f"a number on the scale 1-4, in any case -{BOUND} to {BOUND}"
            message = f"{ID} {name(item)}: score {quote(text)}; expected {expected}"
            problems.add("out_of_bounds", table.file, message, line=line, item=item)
        else:
            scores[row] = score
    return scores
