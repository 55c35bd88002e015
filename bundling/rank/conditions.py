"""Scores by condition: a table of the organiser's gives each unit its condition (a severity, a language, a prompt)."""

import csv
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from bundling.bounded import read_file
from bundling.competition.competition import Column
from bundling.intake.files import LARGEST_FILE
from bundling.rank.compare import ScoreOfSums
from bundling.rank.outputs import OutputError
from bundling.rank.table import Table
from bundling.text import printable


def read_conditions(path: Path, units: Sequence[str]) -> list[str]:
    """Each unit's condition, in the order of the units, from a CSV file (or one with tabs) with a header.

    The first column names the unit, as in `statistics.json`, the second its condition.

    Raises
    ------
    OSError: no ordinary file, or a larger one than a reference's.
    OutputError: not such a table; units that are not the board's, that stand twice, lack a row or a condition; or one
        condition for all, which breaks nothing down.
    """
    try:
        text = read_file(path, LARGEST_FILE).decode("utf-8-sig")
        delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
        rows = [row for row in csv.reader(text.splitlines(), delimiter=delimiter) if any(row)][1:]
    except UnicodeDecodeError:
        raise OutputError([f"{path}: not UTF-8"]) from None
    except csv.Error as error:
        raise OutputError([f"{path}: not a CSV file ({error})"]) from None
    if not rows or any(len(row) < 2 for row in rows):
        raise OutputError([f"{path}: expected a header and two columns, a unit and its condition"])
    known = set(units)
    given = Counter(row[0].strip() for row in rows)
    conditions = {row[0].strip(): printable(row[1].strip()) for row in rows}
    problems = []
    for what, odd in (
        ("stand twice", [unit for unit, count in given.items() if count > 1]),
        ("are no units of the board", [unit for unit in given if unit not in known]),
        ("have no row", [unit for unit in units if unit not in given]),
        ("have no condition", [unit for unit, condition in conditions.items() if not condition]),
    ):
        if odd:
            problems.append(f"{path}: {len(odd)} {what}, first {printable(odd[0])!r}")
    if not problems and len(set(conditions.values())) == 1:
        problems.append(
            f"{path}: all units have the condition {conditions[units[0]]!r}; nothing to break down"
        )
    if problems:
        raise OutputError(problems)
    return [conditions[unit] for unit in units]


def scores_by_condition(
    path: Path,
    names: Sequence[str],
    units: Sequence[str],
    values: np.ndarray,
    primary: ScoreOfSums,
    column: Column,
) -> Table:
    """The primary score of each system in each condition; a dash where there is none.

    Parameters
    ----------
    values: shape=(s, n, k), what the score is computed from.
    """
    conditions = np.array(read_conditions(path, units))
    kinds = sorted(set(conditions.tolist()))
    found = np.stack([primary(values[:, conditions == kind].sum(axis=1)) for kind in kinds], axis=1)
    rows = [
        [name, *("–" if np.isnan(score) else f"{score:.{column.precision}f}" for score in scores)]
        for name, scores in zip(names, found, strict=True)
    ]
    header = ["System", *(f"{kind} ({np.count_nonzero(conditions == kind)})" for kind in kinds)]
    return Table(
        f"{column.title} by condition", header, rows, "In brackets, how many units have the condition."
    )
