"""Files that the two tasks of the PSST Challenge share: the reference, the public list, a row an utterance.

Reference, `utterances.tsv`: the challenge's own file, tab-separated with a header; of its columns `utterance_id`
and the task's own are needed (`transcript` or `correctness`). Older files call them `id`, `transcript_arpabet` and
`is_correct`. Public list, `utterance_list.tsv`: what participants get of it, without transcripts, correctness and
the speakers' aphasia quotients. Submissions: tab-separated with a header, a row for every utterance, in any order,
columns that are not asked for ignored.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .files import size_limit
from .folder import expect_files
from .problems import FileProblems, Problems
from .tables import Items, Table, check_ids, match_items, read_table

REFERENCE_FILE = "utterances.tsv"
LIST_FILE = "utterance_list.tsv"
ID = "utterance_id"
NOUN = "utterance"
REFERENCE_LIMIT = 1 << 28

_PUBLIC = (ID, "session", "test", "prompt", "duration_frames", "filename")
_ALIASES = {
    "id": ID,
    "transcript_arpabet": "transcript",
    "is_correct": "correctness",
    **{column: column for column in _PUBLIC},
}


def read_utterances(directory: Path, column: str, problems: Problems) -> Table:
    """The reference's rows with `utterance_id` and one other column; ids that are empty or stand twice are added to
    `problems`, what makes the file unreadable is raised."""
    table = read_table(
        directory / REFERENCE_FILE,
        REFERENCE_FILE,
        problems,
        delimiter="\t",
        required=(ID, column),
        aliases=_ALIASES,
        limit=REFERENCE_LIMIT,
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    ids = table.columns[ID]
    check_ids(table, ids, problems, column=ID, noun=NOUN)
    return table


def public_columns(table: Table) -> dict[str, list[str]]:
    """Those of the reference's columns that participants may see, `name -> n strings`."""
    return {column: table.columns[column] for column in _PUBLIC if column in table.columns}


def speakers(reference: Any) -> tuple[str, Sequence[str]]:
    """What holds responses together, and its name for each of n: the session, which is one speaker's; where the file
    names none the utterance itself."""
    sessions = reference.sheet.get("session", ())
    return ("session", sessions) if any(sessions) else ("utterance", reference.items.ids)


def write_list(columns: Mapping[str, list[str]]) -> dict[str, bytes]:
    """The public list, `name -> content`, in the order of the ids: a reference may be sorted by label."""
    text = io.StringIO()
    writer = csv.writer(text, delimiter="\t", lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(sorted(zip(*columns.values())))
    return {LIST_FILE: text.getvalue().encode("utf-8")}


def read_items(directory: Path) -> Items:
    """The public items, as `write_list` wrote them."""
    problems = Problems(FileProblems)
    table = read_table(
        directory / LIST_FILE, LIST_FILE, problems, delimiter="\t", required=(ID,), limit=REFERENCE_LIMIT
    )
    problems.raise_if_any()
    assert table is not None
    return Items(tuple(table.columns[ID]))


def read_answers(
    files: dict[str, Path], items: Items, file: str, column: str, problems: Problems
) -> tuple[Table, np.ndarray]:
    """A submission's rows, and the place of each among the items (-1 where a problem was added).

    Raises
    ------
    SubmissionError: where no row can be read.
    """
    expect_files(files, [file], problems)
    problems.raise_if_any()
    table = read_table(
        files[file], file, problems, delimiter="\t", required=(ID, column), limit=size_limit(len(items))
    )
    if table is None:
        problems.raise_if_any()
    assert table is not None
    return table, match_items(table, table.columns[ID], items.ids, problems, column=ID, noun=NOUN)
