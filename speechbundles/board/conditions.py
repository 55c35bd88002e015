"""Scores by condition: a severity, a language, a prompt, from a column of the reference or a table of the organiser's.

A condition is one of units, such as speakers, or of the single items: responses, utterances, calls, recordings, as
`statistics.json` counts them. Where it counts several items in a row, a column of the reference may differ within the
row, as language does among a recording's segments: the items are then scored anew, from the submissions.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from speechbundles.board.answers import count_items, read_answers
from speechbundles.board.gold import Gold
from speechbundles.board.outputs import ScoringOutput, no_board
from speechbundles.board.table import Table, read_rows
from speechbundles.model.competition import Column
from speechbundles.model.text import printable
from spokeneval.formats.problems import some_of
from spokeneval.run.statistics import Statistics, primary_matrix, primary_of_sums
from spokeneval.task import Task

MOST_CONDITIONS = 60
MOST_NUMBERS = 12
"""Different numbers in a column that are conditions of their own; more are put into quarters."""


def read_conditions(path: Path, units: Sequence[str], items: Sequence[str]) -> dict[str, str]:
    """Each unit's condition, or each item's, from a CSV file (or one with tabs) with a header.

    The first column names the unit or the item, as in `statistics.json`, the second its condition.

    Raises
    ------
    OSError: no ordinary file, or a larger one than a reference's.
    OrganiserError: not such a table; names that are not the board's, that appear twice, lack a row or a condition; or
        one condition for all, which breaks nothing down.
    """
    rows = read_rows(path)[1:]
    if not rows or any(len(row) < 2 for row in rows):
        raise no_board([f"{path}: expected a header and two columns, a unit or an item and its condition"])
    given = Counter(row[0].strip() for row in rows)
    conditions = {row[0].strip(): printable(row[1].strip()) for row in rows}
    names = max((units, items), key=lambda names: len(given.keys() & set(names)))
    known = set(names)
    problems = []
    for what, odd in (
        ("stand twice", [name for name, count in given.items() if count > 1]),
        ("are not on the board", [name for name in given if name not in known]),
        ("have no row", [name for name in names if name not in given]),
    ):
        if odd:
            problems.append(f"{path}: {len(odd)} {what}, first {printable(odd[0])!r}")
    problems += [f"{path}: {problem}" for problem in _unusable(conditions)]
    if problems:
        raise no_board(problems)
    return conditions


def conditions_by_column(gold: Gold, column: str, rows: Sequence[str]) -> dict[str, str]:
    """The condition of each row that was counted, or of each item where it differs within a row.

    It is that of a column of the reference; many different numbers are put into quarters.

    Raises
    ------
    OrganiserError: no such column, or one that says nothing of an item, or several things.
    """
    known = {name.lower(): name for name in gold.columns}
    if column.lower() not in known:
        raise no_board(
            [f"--by {column}: the reference has no such column; there are {', '.join(gold.columns)}"]
        )
    column = known[column.lower()]
    cells = _cells(gold.columns[column], rows)
    if gold.counted_in and _first_differing(cells) is not None:
        counted = set(rows)
        items = [item for item, row in gold.counted_in.items() if row in counted]
        cells = _cells(gold.item_columns[column], items)
    differing = _first_differing(cells)
    if differing is not None:
        several = some_of([printable(cell) for cell in cells[differing]], 3)
        raise no_board(
            [
                f"--by {column}: it differs within {printable(differing)} ({several}), which is scored as a whole: "
                "what changes there, as a turn's language does, is part of what is scored. Name a column that is the "
                "same in all its rows"
            ]
        )
    conditions = {item: printable(found[0]) for item, found in cells.items()}
    numbers = _numbers(conditions)
    if len(set(conditions.values())) > MOST_NUMBERS and numbers is not None:
        conditions = dict(zip(conditions, _quarters(numbers), strict=True))
    problems = _unusable(conditions)
    if problems:
        raise no_board([f"--by {column}: {problem}" for problem in problems])
    return conditions


def _cells(column: Mapping[str, Sequence[str]], items: Sequence[str]) -> dict[str, list[str]]:
    """What a column says of each item, every different thing once."""
    return {item: sorted({cell.strip() for cell in column.get(item, ("",))}) for item in items}


def _first_differing(cells: Mapping[str, Sequence[str]]) -> str | None:
    return next((item for item, found in cells.items() if len(found) > 1), None)


def _unusable(conditions: Mapping[str, str]) -> list[str]:
    """Why these break nothing down."""
    problems = []
    lacking = [name for name, condition in conditions.items() if not condition]
    different = set(conditions.values())
    if lacking:
        problems.append(f"{len(lacking)} have no condition, first {printable(lacking[0])!r}")
    elif len(different) == 1:
        problems.append(f"all have the condition {different.pop()!r}; nothing to break down")
    elif len(different) > MOST_CONDITIONS:
        problems.append(f"{len(different)} different conditions; at most {MOST_CONDITIONS} fit on a board")
    return problems


def _numbers(conditions: Mapping[str, str]) -> np.ndarray | None:
    try:
        numbers = np.array([float(condition) for condition in conditions.values()])
    except ValueError:
        return None
    return numbers if np.isfinite(numbers).all() else None


def _quarters(numbers: np.ndarray) -> list[str]:
    """The quarter that each number is in, by its smallest and largest one; equal numbers share one."""
    place = np.searchsorted(np.quantile(numbers, (0.25, 0.5, 0.75)), numbers)
    named = {
        quarter: f"{numbers[place == quarter].min():.10g} – {numbers[place == quarter].max():.10g}"
        for quarter in np.unique(place).tolist()
    }
    return [named[quarter] for quarter in place.tolist()]


def scores_by_condition(
    called: str,
    conditions: Mapping[str, str],
    names: Sequence[str],
    task: Task,
    summed: Sequence[Statistics],
    column: Column,
) -> Table:
    """The primary score of each system in each condition; a dash where there is none.

    Parameters
    ----------
    called: what the conditions are.
    conditions: of every unit, or of every item.
    """
    if conditions.keys() != set(summed[0].units):
        summed = [replace(statistics, parts=statistics.rows[1]) for statistics in summed]
        rows = summed[0].rows[0]
    else:
        rows = summed[0].units
    values = np.stack([primary_matrix(task, statistics) for statistics in summed])
    primary = primary_of_sums(task, summed[0])
    of_rows = np.array([conditions[row] for row in rows])
    kinds = sorted(set(of_rows.tolist()), key=_numbers_first)
    found = np.stack([primary(values[:, of_rows == kind].sum(axis=1)) for kind in kinds], axis=1)
    counted = summed[0].unit + "s" if rows is summed[0].units else "items"
    return _table(called, Counter(of_rows.tolist()), names, found, column, counted)


def scores_by_columns(
    by: Sequence[str],
    gold: Gold,
    outputs: Sequence[ScoringOutput],
    summed: Sequence[Statistics],
    column: Column,
    submissions: Path | None,
) -> list[Table]:
    """The primary score of each system by columns of the reference, a table each.

    Parameters
    ----------
    by: names of columns.
    outputs, summed: the systems, and their statistics.
    submissions: the folder that `score` was given, for columns that differ within a row of the counts.

    Raises
    ------
    OrganiserError: a column that breaks nothing down, or submissions that are missing or not those scored.
    """
    names, rows = [output.name for output in outputs], summed[0].rows[0]
    conditions = {name: conditions_by_column(gold, name, rows) for name in by}
    finer = [name for name, given in conditions.items() if not given.keys() <= set(rows)]
    if finer and submissions is None:
        raise no_board(
            [
                f"--by {name}: it differs within what the statistics count, so that items are scored anew: give the "
                "folder of zips that score was given, as --submissions"
                for name in finer
            ]
        )
    answers = read_answers(submissions, outputs, gold) if finer and submissions is not None else []
    return [
        _scores_of_items(name, given, names, gold, answers, column)
        if name in finer
        else scores_by_condition(name, given, names, gold.task, summed, column)
        for name, given in conditions.items()
    ]


def _scores_of_items(
    called: str,
    conditions: Mapping[str, str],
    names: Sequence[str],
    gold: Gold,
    answers: Sequence[Any],
    column: Column,
) -> Table:
    """The primary score of each system on the items of each condition, from its answers to all items of the set."""
    places = defaultdict(list)
    for place, item in enumerate(gold.labels.items.ids):
        if item in conditions:
            places[conditions[item]].append(place)
    kinds = sorted(places, key=_numbers_first)
    found = np.full((len(names), len(kinds)), np.nan)
    for index in np.ndindex(found.shape):
        statistics = count_items(gold, answers[index[0]], places[kinds[index[1]]])
        sums = primary_matrix(gold.task, statistics).sum(axis=0, keepdims=True)
        found[index] = primary_of_sums(gold.task, statistics)(sums)[0]
    counts = {kind: len(chosen) for kind, chosen in places.items()}
    return _table(called, counts, names, found, column, "items")


def _table(
    called: str,
    counts: Mapping[str, int],
    names: Sequence[str],
    found: np.ndarray,
    column: Column,
    counted: str,
) -> Table:
    """Scores, shape=(systems, conditions), a column a condition."""
    kinds = sorted(counts, key=_numbers_first)
    cells = [
        [name, *("–" if np.isnan(score) else f"{score:.{column.precision}f}" for score in scores)]
        for name, scores in zip(names, found, strict=True)
    ]
    header = ["System", *(f"{kind} ({counts[kind]})" for kind in kinds)]
    note = f"In brackets, how many {counted} have the condition; a dash where they have no such score."
    return Table(f"{column.title} by {called}", header, cells, note)


def _numbers_first(kind: str) -> tuple[bool, float, str]:
    """Numbers, and quarters by their first one, in order, then words."""
    try:
        return False, float(kind.split(" – ")[0]), kind
    except ValueError:
        return True, 0.0, kind
