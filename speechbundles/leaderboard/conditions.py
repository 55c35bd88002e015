"""Scores by condition, such as a severity, a language or a prompt.

Conditions come from a column of the reference or from the organiser's own table. A condition belongs to a unit, such as
a speaker, or to a single item of `statistics.json`: a response, an utterance, a call, a recording. If a row of
`statistics.json` counts several items, a column of the reference may differ within the row, as language differs between
the segments of a recording. The items are then scored again, from the submissions.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from speechbundles.leaderboard.answers import read_answers
from speechbundles.leaderboard.given import listed, no_board, raise_problems, read_rows
from speechbundles.leaderboard.labelled_set import LabelledSet
from speechbundles.leaderboard.outputs import ScoringOutput, exact_score
from spokeneval.formats.problems import plural_of, printable, some_of
from spokeneval.formats.speakers import unit_noun
from spokeneval.formats.tables import members
from spokeneval.formats.text import nfc
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.scoring.groups import count_items
from spokeneval.scoring.scored import Statistics, primary_matrix, primary_of_sums
from spokeneval.task import Column, Task

MOST_CONDITIONS = 60
MOST_NUMBERS = 12
"""Most different numbers in a column that are used as conditions; more numbers are grouped into quarters."""


def read_conditions(path: Path, units: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """Read the condition of each unit or each item from a CSV or TSV file with a header.

    The first column names the unit or the item, as in `statistics.json`; the second has its condition.

    Raises
    ------
    OSError: not an ordinary file, or larger than a reference may be.
    OrganiserError: the table is malformed; a name is not on the board, appears twice, or lacks a row or a condition;
        or all have the same condition.
    """
    _, rows = read_rows(path)
    if not rows or any(len(row) < 2 for row in rows):
        raise no_board(f"{path}: expected a header row and two columns: a unit or an item, and its condition")
    given = Counter(nfc(row[0]) for row in rows)
    conditions = {nfc(row[0]): printable(nfc(row[1])) for row in rows}
    names = max((units, items), key=lambda names: len(given.keys() & set(names)))
    known = set(names)
    odd = {
        "names that appear twice": [name for name, count in given.items() if count > 1],
        "names that are not on the leaderboard": [name for name in given if name not in known],
        "units or items without a row": [name for name in names if name not in given],
    }
    raise_problems(path, [*listed(odd), *_unusable(conditions)])
    return conditions


def conditions_by_column(
    gold: LabelledSet, column: str, rows: Sequence[str], option: str = "--by"
) -> dict[str, str]:
    """Return the condition of each counted row, or of each item if conditions differ within a row.

    The conditions are the cells of a column of the reference; many different numbers are grouped into quarters.

    Raises
    ------
    OrganiserError: there is no such column, or it has no cell or several different cells for an item.
    """
    known = {name.lower(): name for name in gold.columns}
    column = nfc(column)
    if column.lower() not in known:
        raise no_board(
            f"{option} {column}: the reference has no such column; it has {', '.join(gold.columns)}"
        )
    column = known[column.lower()]
    cells = _cells(gold.columns[column], rows)
    if gold.counted_in and _differing(cells):
        counted = set(rows)
        items = [item for item, row in gold.counted_in.items() if row in counted]
        cells = _cells(gold.item_columns[column], items)
    first = {item: found[0] for item, found in cells.items()}
    differing = _differing(cells) or list(gold.task.split_levels(gold.labels, first).items())
    if differing:
        item, found = differing[0]
        raise no_board(
            f"{option} {column}: the column has several values within {printable(item)} "
            f"({some_of([*map(printable, found)])}), which is scored as a whole: a value that changes within an "
            "item, such as a turn's language, cannot be a condition. Choose a column with the same value in all rows "
            "of an item"
        )
    conditions = {item: printable(found[0]) for item, found in cells.items()}
    numbers = _numbers(conditions)
    if len(set(conditions.values())) > MOST_NUMBERS and numbers is not None:
        conditions = dict(zip(conditions, quarters(numbers), strict=True))
    raise_problems(f"{option} {column}", _unusable(conditions))
    return conditions


def _cells(column: Mapping[str, Sequence[str]], items: Sequence[str]) -> dict[str, list[str]]:
    """Return the different cells that a column has for each item."""
    return {item: sorted({cell.strip() for cell in column.get(item, ("",))}) for item in items}


def _differing(cells: Mapping[str, list[str]]) -> list[tuple[str, list[str]]]:
    return [(item, found) for item, found in cells.items() if len(found) > 1]


def _unusable(conditions: Mapping[str, str]) -> list[str]:
    """Return the reasons why scores cannot be broken down by these conditions."""
    different = set(conditions.values())
    if lacking := [name for name, condition in conditions.items() if not condition]:
        return listed({"units or items without a condition": lacking})
    if len(different) == 1:
        return [f"all have the condition {different.pop()!r}; expected at least two different conditions"]
    if len(different) > MOST_CONDITIONS:
        return [f"{len(different)} different conditions; expected at most {MOST_CONDITIONS}"]
    return []


def _numbers(conditions: Mapping[str, str]) -> np.ndarray | None:
    try:
        numbers = np.array([float(condition) for condition in conditions.values()])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def quarters(numbers: np.ndarray) -> list[str]:
    """Return the quarter of each number, named by its smallest and largest number; equal numbers share a quarter."""
    place = np.searchsorted(np.quantile(numbers, (0.25, 0.5, 0.75)), numbers)
    within = {quarter: numbers[place == quarter] for quarter in np.unique(place).tolist()}
    named = {quarter: f"{each.min():.10g} – {each.max():.10g}" for quarter, each in within.items()}
    return [named[quarter] for quarter in place.tolist()]


def conditions_by_columns(
    by: Sequence[str], gold: LabelledSet, rows: Sequence[str], submissions: Path | None
) -> dict[str, dict[str, str]]:
    """Return the conditions of some columns of the reference.

    Raises
    ------
    OrganiserError: scores cannot be broken down by a column, or a column needs submissions.
    """
    conditions = {name: conditions_by_column(gold, name, rows) for name in by}
    finer = [name for name, given in conditions.items() if not given.keys() <= set(rows)]
    if finer and submissions is None:
        what = (
            "the column differs within rows of the statistics, so items must be scored again. Add --submissions DIR, "
            "the folder of zips that you gave to score"
        )
        raise no_board(*(f"--by {name}: {what}" for name in finer))
    return conditions


def scores_by_conditions(
    by: Mapping[str, Mapping[str, str]],
    outputs: Sequence[ScoringOutput],
    task: Task,
    column: Column,
    again: tuple[LabelledSet, Path | None] | None = None,
) -> list[TextTable]:
    """Return tables of each system's primary score in each condition; a dash marks an undefined score.

    Parameters
    ----------
    by: the conditions of every unit, or of every item, by their names in the titles.
    outputs: the systems, all with statistics.
    again: the labels, and the folder that was given to `score`; needed for conditions that differ within a counted row.

    Raises
    ------
    OrganiserError: submissions are missing or are not those scored.
    """
    summed = [output.statistics for output in outputs if output.statistics is not None]
    units, (items, _) = summed[0].units, summed[0].rows
    number, primary = f"{{:.{column.precision}f}}".format, primary_of_sums(task, summed[0])
    answers, tables = list[Any](), []
    for called, given in by.items():
        rows, counted, noun = items, [replace(each, parts=each.rows[1]) for each in summed], "items"
        if given.keys() == {*units}:
            rows, counted, noun = units, summed, plural_of(unit_noun(summed[0].unit, task.declaration))
        if again and again[1] and not given.keys() <= {*rows}:
            gold, folder = again[0], again[1]
            answers = answers or read_answers(folder, outputs, gold)
            at = {item: place for place, item in enumerate(gold.labels.items.ids) if item in given}
            rows, places = [*at], members(map(given.__getitem__, at))
            groups = {kind: [at[rows[place]] for place in own] for kind, own in places.items()}
            scores = {kind: _scores_of(gold, answers, own) for kind, own in groups.items()}
        else:
            values = np.stack([primary_matrix(task, statistics) for statistics in counted])
            places = members(given[row] for row in rows)
            scores = {kind: primary(values[:, own].sum(axis=1)).tolist() for kind, own in places.items()}
        kinds = sorted(places, key=_numbers_first)
        cells = [["–" if np.isnan(score) else number(score) for score in scores[kind]] for kind in kinds]
        header = ["System", *(f"{kind} ({len(places[kind])})" for kind in kinds)]
        note = f"The number of {noun} with the condition is in brackets. A dash marks a score that is not defined."
        lines = [*zip((output.name for output in outputs), *cells, strict=True)]
        tables.append(TextTable(f"{column.title} by {called}", header, lines, note))
    return tables


def _scores_of(gold: LabelledSet, answers: Sequence[Any], places: Sequence[int]) -> list[float]:
    """Return the score of some items, from each system's answers to all items."""
    counted = (count_items(gold.task, gold.labels, each, places).rows for each in answers)
    return [exact_score(gold.task, Statistics("", (), rows)) for rows in counted]


def _numbers_first(kind: str) -> tuple[bool, float, str]:
    """Return a sort key: numbers, and quarters by their first number, come before words."""
    try:
        return False, float(kind.split(" – ")[0]), kind
    except ValueError:
        return True, 0.0, kind
