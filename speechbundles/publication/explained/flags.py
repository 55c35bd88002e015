"""Annotators' flags of items: reading them from a table, majority decisions, and agreement."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from sklearn.metrics import cohen_kappa_score

from speechbundles.publication.outputs import no_board
from speechbundles.publication.table import read_rows
from spokeneval.formats.problems import some_of

ANNOTATOR = "annotator"

YES, NO = ("1", "yes", "true"), ("0", "no", "false")


@dataclass(frozen=True)
class Flags:
    """The flags that annotators gave to items.

    Attributes
    ----------
    annotators: the names of the a annotators; one empty name if the table has no names.
    marked: `flag -> bool, shape=(a, n)`, in the order of the n items.
    """

    annotators: Sequence[str]
    marked: Mapping[str, np.ndarray]

    def by_majority(self) -> dict[str, np.ndarray]:
        """Return which items the majority of annotators marked, `flag -> bool, shape=(n,)`."""
        return {flag: marked.mean(axis=0) > 0.5 for flag, marked in self.marked.items()}

    def agreement(self) -> dict[str, float]:
        """Return Light's kappa of each flag, the mean of Cohen's over pairs; NaN if a pair marked no item or all items.

        Source: Light, Measures of response agreement for qualitative data (Psychological Bulletin 76, 1971).
        """
        return {
            flag: float(np.mean([_kappa(*pair) for pair in combinations(marked, 2)]))
            for flag, marked in self.marked.items()
        }


def _kappa(first: np.ndarray, second: np.ndarray) -> float:
    constant = first.all() or not first.any()
    return np.nan if constant and (first == second).all() else cohen_kappa_score(first, second)


def read_flags(path: Path, items: Sequence[str], *, known: Collection[str]) -> Flags:
    """Read the flags of a board's items from a CSV or TSV file with a header.

    The first column names the item; an optional column `annotator` names the annotator; every other column is a flag:
    1, yes or true if the flag is set, else 0, no or false. Each annotator has a row for every item.

    Parameters
    ----------
    known: all items of the set; the board may have only some of them.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: lists every problem of the table.
    """
    header, *rows = read_rows(path) or [[]]
    header = [cell.strip() for cell in header]
    flags = [column for column in header[1:] if column.lower() != ANNOTATOR]
    if not flags or len({*header}) < len(header) or any(len(row) != len(header) for row in rows):
        raise no_board(
            [
                f"{path}: expected a header with the item, {ANNOTATOR!r} if there are several, and a column for each "
                "flag; no column name twice, and the same number of cells in every row"
            ]
        )
    who = [place for place, column in enumerate(header) if column.lower() == ANNOTATOR and place]
    cells = {}
    given: Counter[tuple[str, str]] = Counter()
    unclear = []
    for row in rows:
        key = (row[who[0]].strip() if who else "", row[0].strip())
        given[key] += 1
        marks = [cell.strip().lower() for place, cell in enumerate(row) if place and place not in who]
        unclear += [f"{mark} ({key[1]})" for mark in marks if mark not in (*YES, *NO)]
        cells[key] = [mark in YES for mark in marks]
    annotators = sorted({annotator for annotator, _ in given})
    missing = [
        f"{item} {annotator}".strip()
        for annotator in annotators
        for item in items
        if (annotator, item) not in given
    ]
    problems = [
        f"{path}: {what} ({len(odd)}): {some_of(odd, 3)}"
        for what, odd in (
            (
                "rows that appear twice",
                [" ".join(key[::-1]).strip() for key, count in given.items() if count > 1],
            ),
            ("items that are not of this set", sorted({item for _, item in given} - set(known))),
            ("missing rows", missing),
            (f"cells that are neither {'/'.join(YES)} nor {'/'.join(NO)}", unclear),
        )
        if odd
    ]
    if problems or not rows:
        raise no_board(problems or [f"{path}: no rows below the header"])
    marked = np.array([[cells[annotator, item] for item in items] for annotator in annotators])
    return Flags(annotators, {flag: marked[:, :, place] for place, flag in enumerate(flags)})
