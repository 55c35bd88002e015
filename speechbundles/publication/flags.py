"""Which properties of items make them hard: annotators' flags by band of difficulty, and what explains it.

An item's difficulty is the number of systems that are wrong on it. The bands are those of Table 2 of the overview of
Spoken CALL's third edition (2019), which has such a table of flags.

The analysis of variance is that of a linear model; each flag is tested in the presence of all others (type II sums of
squares). Shares are those of a stepwise model: the flag that explains most enters first, then the one that adds most to
it, and so on.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, product
from pathlib import Path
from typing import NamedTuple

import numpy as np

from speechbundles.publication.difficulty import right_answers
from speechbundles.publication.given import listed, no_board, raise_problems, read_rows
from spokeneval.ranking.tables import shown_range
from spokeneval.ranking.values import Table
from spokeneval.run.statistics import Statistics
from spokeneval.task import Task

ANNOTATOR = "annotator"

YES, NO = ("1", "yes", "true"), ("0", "no", "false")

BANDS = (("easy", 2), ("medium", 9), ("hard", 18))
"""The paper's bands: the largest number of wrong systems, of eighteen."""


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
        pairs = {flag: combinations(marked, 2) for flag, marked in self.marked.items()}
        return {flag: float(np.mean([_kappa(*pair) for pair in own])) for flag, own in pairs.items()}


def _kappa(first: np.ndarray, second: np.ndarray) -> float:
    """Return Cohen's kappa of two annotators; NaN if chance alone makes them agree everywhere."""
    one, other = first.mean(), second.mean()
    chance = one * other + (1 - one) * (1 - other)
    return float(((first == second).mean() - chance) / (1 - chance)) if chance < 1 else math.nan


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
    header, rows = read_rows(path)
    flags = [column for column in header[1:] if column.lower() != ANNOTATOR]
    if not flags or len({*header}) < len(header) or any(len(row) != len(header) for row in rows):
        raise no_board(
            f"{path}: expected a header with the item, {ANNOTATOR!r} if there are several, and a column for each "
            "flag; no column name twice, and the same number of cells in every row"
        )
    who = next((place for place, column in enumerate(header) if column.lower() == ANNOTATOR and place), None)
    cells: dict[tuple[str, str], list[list[str]]] = {}
    for row in rows:
        marks = [cell.lower() for column, cell in zip(header, row, strict=True) if column in flags]
        cells.setdefault((row[who] if who else "", row[0]), []).append(marks)
    annotators = sorted({annotator for annotator, _ in cells})
    given = [(item, mark) for (_, item), marks in cells.items() for mark in chain(*marks)]
    unclear = [f"{mark} ({item})" for item, mark in given if mark not in (*YES, *NO)]
    odd = {
        "rows that appear twice": [_named(*key) for key, given in cells.items() if len(given) > 1],
        "items that are not of this set": sorted({item for _, item in cells} - set(known)),
        "missing rows": [_named(*key) for key in product(annotators, items) if key not in cells],
        f"cells that are neither {'/'.join(YES)} nor {'/'.join(NO)}": unclear,
    }
    raise_problems(path, listed(odd) if rows else ["no rows below the header"])
    is_marked = [[[mark in YES for mark in cells[key, item][0]] for item in items] for key in annotators]
    marked = np.array(is_marked)
    return Flags(annotators, {flag: marked[:, :, place] for place, flag in enumerate(flags)})


def _named(annotator: str, item: str) -> str:
    return f"{item} {annotator}".strip()


def band_bounds(systems: int) -> dict[str, tuple[int, int]]:
    """Return the smallest and largest number of wrong systems in each band; an empty band has smallest > largest.

    With n systems the upper bounds of the first two bands are 2/18 and 9/18 of n, rounded, with halves to even. For
    eighteen systems the bands are 0-2, 3-9 and 10-18.
    """
    bounds = {}
    low = 0
    for band, of_eighteen in BANDS:
        high = round(of_eighteen * systems / 18)
        bounds[band] = (low, high)
        low = max(low, high + 1)
    return bounds


def shown_band(ends: tuple[int, int]) -> str:
    return "none" if ends[0] > ends[1] else shown_range(ends)


def systems_wrong(task: Task, systems: Sequence[Statistics]) -> np.ndarray:
    """Return the number of systems that are wrong on each item, shape=(n,); what is partly right is added up."""
    wrong: np.ndarray = np.rint((1 - right_answers(task, systems)).sum(axis=1)).astype(np.int64)
    return wrong


def explain_flags(
    path: Path, known: Collection[str], task: Task, systems: Sequence[Statistics]
) -> tuple[list[Table], Table]:
    """Return tables of the flags, and a table of all items with their bands and flags, the hardest first.

    Parameters
    ----------
    path, known: see `read_flags`.
    systems: the statistics of all systems.

    Raises
    ------
    OrganiserError: the flags do not match the items.
    OSError: the flags cannot be read.
    """
    items = systems[0].rows[0]
    flags = read_flags(path, items, known=known)
    wrong, marked = systems_wrong(task, systems), flags.by_majority()
    tables = [bands_table(wrong, marked, len(systems)), *variance_tables(wrong, marked)]
    if len(flags.annotators) > 1:
        kappas = flags.agreement().items()
        rows = [[flag, "–" if np.isnan(kappa) else f"{kappa:.2f}"] for flag, kappa in kappas]
        title = f"Agreement of the {len(flags.annotators)} annotators, Light's κ"
        tables.append(Table(title, ["Flag", "κ"], rows))
    bounds = band_bounds(len(systems)).items()
    bands = [next(band for band, (_, high) in bounds if number <= high) for number in wrong]
    rows = [
        [items[place], bands[place], str(wrong[place]), *(str(int(each[place])) for each in marked.values())]
        for place in np.argsort(-wrong, kind="stable").tolist()
    ]
    return tables, Table("Items by band", ["item", "band", "systems_wrong", *marked], rows, left=2)


def bands_table(wrong: np.ndarray, flags: Mapping[str, np.ndarray], systems: int) -> Table:
    """Return the share of items with each flag, by the number of wrong systems.

    Parameters
    ----------
    wrong: shape=(n,).
    flags: `flag -> bool, shape=(n,)`.
    """
    rows = []
    for ends in [*band_bounds(systems).values(), (0, systems)]:
        within = (wrong >= ends[0]) & (wrong <= ends[1])
        shares = [f"{100 * holds[within].mean():.2f}" if within.any() else "–" for holds in flags.values()]
        rows.append([shown_band(ends), str(within.sum()), *shares])
    return Table("Flags of hard items", ["Systems wrong", "Items", *(f"{flag} (%)" for flag in flags)], rows)


def variance_tables(wrong: np.ndarray, flags: Mapping[str, np.ndarray]) -> list[Table]:
    """Return a table of the share of the variance in the number of wrong systems that each flag explains, if any."""
    found = explain_variance(wrong, flags)
    if not found:
        return []
    rows, total = [], 0.0
    for name, f, p, adds in found:
        total += 100 * adds
        rows.append([name, f"{f:.1f}", f"{p:.2g}", f"{100 * adds:.1f}", f"{total:.1f}"])
    note = (
        "F and p test each flag in a model with all others. Shares of the variance are those of a stepwise model, in "
        "which the flag that explains most enters first."
    )
    left_out = [name for name in flags if name not in {factor.name for factor in found}]
    note += f" Left out, because they add no information: {', '.join(left_out)}." if left_out else ""
    header = ["Flag", "F", "p", "adds (%)", "total (%)"]
    return [Table("Variance of the number of wrong systems", header, rows, note)]


class Factor(NamedTuple):
    """F and p of a factor given all others, and the share of the variance (0 to 1) that it adds to earlier factors."""

    name: str
    f: float
    p: float
    adds: float


def explain_variance(outcome: np.ndarray, factors: Mapping[str, np.ndarray]) -> list[Factor]:
    """Return the factors in the order in which they enter; redundant ones, such as constants, are left out.

    Parameters
    ----------
    outcome: shape=(n,).
    factors: `name -> shape=(n,)`, numbers or booleans.

    Returns
    -------
    An empty list if the outcome is constant, or if there are no more items than factors.
    """
    from statsmodels.regression.linear_model import OLS  # only the extra `research` installs it

    left = {name: np.asarray(values, dtype=np.float64) for name, values in factors.items()}
    entered = np.ones((len(outcome), 1))
    adds: dict[str, float] = {}
    while np.ptp(outcome):
        new = {name: np.column_stack([entered, values]) for name, values in left.items()}
        new = {name: each for name, each in new.items() if np.linalg.matrix_rank(each) > entered.shape[1]}
        if not new or len(outcome) <= entered.shape[1] + 1:
            break
        shares = {name: float(OLS(outcome, columns).fit().rsquared) for name, columns in new.items()}
        best = max(shares, key=lambda name: shares[name])
        adds[best], entered = shares[best] - sum(adds.values()), new[best]
        del left[best]
    fitted = OLS(outcome, entered).fit()
    tests = zip(adds, fitted.tvalues[1:] ** 2, fitted.pvalues[1:], adds.values(), strict=True)
    return [Factor(name, float(f), float(p), share) for name, f, p, share in tests]
