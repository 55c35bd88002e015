"""The tables that a challenge's paper prints, made anew from scoring outputs.

Spoken CALL (Overview of the third edition, 2019): Table 1, the rates of every system; the first two columns of
Table 2, responses by how many systems judged them wrongly. Caller Experience: Tables 1 and 2, linearly weighted
kappas between the listeners, and between each listener and the system.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bundling.scoring_outputs import ScoringOutput
from spokeneval.metrics.agreement import linear_kappa_of_cells
from spokeneval.results.uncertainty import Statistics


@dataclass(frozen=True)
class Table:
    """A table as it is shown: texts; `left` columns are names, the others numbers."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""
    left: int = 1


def task_tables(task: str, outputs: Sequence[ScoringOutput]) -> list[Table]:
    """The papers' tables for a task that has some, from outputs of one task in the order of the board."""
    makers = {
        "spoken_call": (rates_of_systems, difficulty_bands),
        "caller_experience": (listeners_agreement, systems_agreement),
    }
    tables = [make(outputs) for make in makers.get(task, ())]
    return [table for table in tables if table is not None]


# Spoken CALL

_RATES = {
    "Pr": "precision",
    "R": "recall",
    "F": "f_measure",
    "SA": "scoring_accuracy",
    "RCR": "rcr",
    "RFR": "rfr",
    "D": "d",
    "DA": "d_a",
    "Dfull": "d_full_raw",
}

BANDS = (("easy", 2), ("medium", 9), ("hard", 18))
"""The paper's bands: the largest number of systems wrong, of eighteen."""


def rates_of_systems(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Table 1, best Dfull first. As in the paper, Dfull here is not set to 0 where the 50 % rule is broken."""
    if not all({*_RATES.values(), "eligible"} <= set(output.scores) for output in outputs):
        return None
    ordered = sorted(outputs, key=lambda output: -output.scores["d_full_raw"])
    rows = [[output.name, *(f"{output.scores[key]:.3f}" for key in _RATES.values())] for output in ordered]
    broken = [output.name for output in ordered if not output.scores["eligible"]]
    note = f"Below the 50 % rule, so 0 on the board: {', '.join(broken)}." if broken else ""
    return Table("Rates of the systems (Table 1 of the third edition)", ["Id", *_RATES], rows, note)


def difficulty_bands(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Responses by how many systems judge them wrongly (rejected if correct, accepted if not): Table 2's bands.

    With n systems the bounds are 2/18 and 9/18 of n, rounded (halves to even): 0-2, 3-9, 10-18 at eighteen.
    """
    counted = [output.statistics for output in outputs if output.statistics is not None]
    if len(counted) < len(outputs) or not all(_one_response_a_row(statistics) for statistics in counted):
        return None
    column = counted[0].columns.index
    wrong = sum(
        statistics.values[:, [column("fr"), column("pfa"), column("gfa")]].sum(axis=1)
        for statistics in counted
    )
    values = counted[0].values
    correct = values[:, column("ca")] + values[:, column("fr")] > 0
    systems = len(outputs)
    rows = []
    low = 0
    for band, of_eighteen in BANDS:
        high = round(of_eighteen * systems / 18)
        within = (wrong >= low) & (wrong <= high)
        told = "none" if low > high else str(low) if low == high else f"{low}–{high}"
        rows.append([band, told, str(np.sum(within & correct)), str(np.sum(within & ~correct))])
        low = max(low, high + 1)
    rows.append(["all", f"0–{systems}", str(np.sum(correct)), str(np.sum(~correct))])
    note = "" if systems == 18 else f"The paper's bands (0–2, 3–9, 10–18 of 18 systems) scaled to {systems}."
    header = ["Band", "Systems wrong", "Correct responses", "Incorrect responses"]
    return Table("Difficulty of the responses (Table 2 of the third edition)", header, rows, note)


def _one_response_a_row(statistics: Statistics) -> bool:
    return {"ca", "fr", "cr", "pfa", "gfa"} == set(statistics.columns) and bool(
        (statistics.values.sum(axis=1) == 1).all()
    )


# Caller Experience

_LISTENERS = ("human1", "human2", "human3")


def listeners_agreement(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Table 1: kappas between the listeners; they are the same whatever the system, so any statistics will do."""
    summed = next((output.statistics for output in outputs if output.statistics is not None), None)
    if summed is None:
        return None
    rows = []
    for first, second in ((0, 1), (0, 2), (1, 2)):
        cells = _cells(summed, _LISTENERS[first], _LISTENERS[second])
        if cells is None:
            return None
        rows.append(
            [
                f"{_LISTENERS[first]} vs. {_LISTENERS[second]}",
                f"{linear_kappa_of_cells(cells[np.newaxis])[0]:.2f}",
            ]
        )
    return Table("Agreement among the listeners (Table 1 of the paper)", ["Raters compared", "κ"], rows)


def systems_agreement(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Table 2, a row a system: kappas with each listener and their mean, beside the listeners' own mean."""
    keys = [*(f"kappa_{listener}" for listener in _LISTENERS), "kappa_mean", "human_kappa_mean"]
    if not all(set(keys) <= set(output.scores) for output in outputs):
        return None
    rows = [[output.name, *(f"{output.scores[key]:.2f}" for key in keys)] for output in outputs]
    header = ["System", *(f"{listener} vs. auto" for listener in _LISTENERS), "mean", "among listeners"]
    return Table("Agreement of listeners and systems, κ (Table 2 of the paper)", header, rows)


def _cells(statistics: Statistics, first: str, second: str) -> np.ndarray | None:
    """Calls by the two raters' ratings, shape=(5, 5), from columns such as `human1_human2_3_4`."""
    totals = statistics.values.sum(axis=0)
    cells = np.zeros((5, 5))
    found = 0
    for name, total in zip(statistics.columns, totals, strict=True):
        match = re.fullmatch(rf"{first}_{second}_([1-5])_([1-5])", name)
        if match:
            cells[int(match[1]) - 1, int(match[2]) - 1] = total
            found += 1
    return cells if found == cells.size and cells.any() else None
