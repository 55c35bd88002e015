"""The difficulty of a set's items: how many systems are wrong on each, and which properties of items explain it.

The properties are the columns of an organiser's table. They are shown by bands of difficulty, as in Table 2 of the
overview of Spoken CALL's third edition (2019). A linear model by ordinary least squares, as in its section 4, gives the
share of the variance of the number of wrong systems that each column adds to the columns before it.
"""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from speechbundles.leaderboard.conditions import conditions_by_column, quarters
from speechbundles.leaderboard.given import Property, no_board, read_properties
from speechbundles.leaderboard.labelled_set import LabelledSet
from spokeneval.formats.problems import count_of, plural_of
from spokeneval.formats.speakers import unit_noun
from spokeneval.formats.tables import members
from spokeneval.ranking.explained import explained_variance
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.writers import INTERVAL, UNKNOWN, shown_range
from spokeneval.scoring.scored import FEWEST_UNITS, Statistics
from spokeneval.task import Task

_OF_EIGHTEEN = {"easy": 2, "medium": 9, "hard": 18}
"""The bands of the paper: the largest number of wrong systems, of eighteen."""

_HOW = (
    "Linear model of {} by ordinary least squares. Each column is added to those before it, so put the columns first "
    "that explain the others. A dash marks columns that are constant or follow from those before them, more columns "
    f"than items, and intervals of fewer than {FEWEST_UNITS} {{}}."
)


def right_answers(task: Task, systems: Sequence[Statistics]) -> np.ndarray:
    """Return how right each system is on each item, from 0 to 1; shape=(items, systems)."""
    return np.stack([np.asarray(task.right(system.rows[1]), dtype=float) for system in systems], axis=1)


def items_table(task: Task, systems: Sequence[Statistics]) -> TextTable:
    """Return all items with the mean of how right the systems are on them, the hardest first."""
    items, right = systems[0].rows[0], right_answers(task, systems).mean(axis=1)
    rows = [[items[place], f"{right[place]:.4f}"] for place in np.argsort(right, kind="stable").tolist()]
    return TextTable("Difficulty of the items", ["item", "right"], rows)


def band_bounds(systems: int) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest number of wrong systems in each band; an empty band has smallest > largest.

    With n systems the upper bounds of the first two bands are 2/18 and 9/18 of n, rounded, with halves to even. For
    eighteen systems the bands are 0-2, 3-9 and 10-18.
    """
    bounds = {}
    low = 0
    for band, of_eighteen in _OF_EIGHTEEN.items():
        high = round(of_eighteen * systems / 18)
        bounds[band] = (low, high)
        low = max(low, high + 1)
    return bounds


def explain(
    path: Path, within: str, gold: LabelledSet, task: Task, systems: Sequence[Statistics]
) -> dict[str, TextTable]:
    """Return the table of bands and that of the explained variance, by the names of their files.

    Parameters
    ----------
    path: a table with the properties of items, see `read_properties`.
    within: a column of the reference, whose classes are shown separately; empty for none.

    Raises
    ------
    OSError: the table is not an ordinary file, or larger than a reference may be.
    OrganiserError: the table does not fit the items, or the column does not divide them.
    """
    items = systems[0].rows[0]
    properties, notes = read_properties(path, items)
    kinds = conditions_by_column(gold, within, items, "--within") if within else dict.fromkeys(items, "all")
    if kinds.keys() != {*items}:
        raise no_board(f"--within {within}: the column differs within items that are counted as a whole")
    right = right_answers(task, systems)
    wrong, bands = (1 - right).sum(axis=1), _bands(right)
    order = [*dict.fromkeys(bands[np.argsort(wrong, kind="stable")].tolist())]
    unit_of, unit = gold.task.units(gold.labels).of, unit_noun(systems[0].unit, task.declaration)
    means, explained, about = [], [], []
    for kind, places in members(kinds[item] for item in items).items():
        columns = np.column_stack([own.values[places] for own in properties])
        for band in [*order, "all"]:
            held = columns[(bands[places] == band) | (band == "all")]
            means.append([kind, band, str(len(held)), *_means(properties, held)])
        units = [unit_of[items[place]] for place in places]
        cells = explained_variance(wrong[places], columns, units)
        explained += [[kind, own.name, *each] for own, each in zip(properties, cells, strict=True)]
        number = f"{count_of(len(places), 'item')} of {count_of(len({*units}), unit)}"
        chance = sum(each[0] != UNKNOWN for each in cells) / max(len(places) - 1, 1)
        about.append(f"{kind.capitalize()}: {number}; unrelated columns add {100 * chance:.1f} % on average.")
    measure, outcome = "Mean error", "the mean error"
    if np.isin(right, (0, 1)).all():
        measure, outcome = "Systems wrong", "the number of wrong systems"
    header = [within or "class", measure, "Items"]
    heads = [own.name + " (%)" * own.is_flag for own in properties]
    how = " ".join([_HOW.format(outcome, plural_of(unit)), *about])
    shares = ["Column", "Adds (%)", f"Adds: {INTERVAL}", "R² (%)", f"R²: {INTERVAL}"]
    note = " ".join(["Items with a property in per cent, and means of numbers.", *notes])
    return {
        "bands.csv": TextTable("What makes items hard", header + heads, means, note, left=2),
        "variance.csv": TextTable("Variance explained", [header[0], *shares], explained, how, left=2),
    }


def _bands(right: np.ndarray) -> np.ndarray:
    """Return the band of each item: by the number of wrong systems, or if answers may be partly right, a quarter."""
    if not np.isin(right, (0, 1)).all():
        return np.array(quarters((1 - right).mean(axis=1).round(4)))
    ends = band_bounds(right.shape[1]).values()
    return np.array(
        [shown_range(next(each for each in ends if wrong <= each[1])) for wrong in (1 - right).sum(axis=1)]
    )


def _means(properties: Sequence[Property], values: np.ndarray) -> list[str]:
    """Return the share or the mean of each property of some items; values: shape=(n, k)."""
    if not len(values):
        return [UNKNOWN] * len(properties)
    means = zip(properties, values.mean(axis=0), strict=True)
    written = (
        (own.is_flag, mean, f"{mean:.4g}" if abs(mean) < 1000 else f"{mean:.0f}") for own, mean in means
    )
    return [f"{100 * mean:.2f}" if is_flag else number for is_flag, mean, number in written]
