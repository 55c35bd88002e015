"""Tables of the overview of Spoken CALL's third edition (2019).

Table 1 has the rates of every system. The first two columns of Table 2 count responses by the number of systems that
judged them wrongly; `explained` adds the other columns.
"""

from collections.abc import Sequence

import numpy as np

from speechbundles.publication.outputs import ScoringOutput
from spokeneval.challenges.spoken_call import RULE
from spokeneval.formats.problems import count_of
from spokeneval.ranking.tables import Table

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
"""The paper's bands: the largest number of wrong systems, of eighteen."""


def rates_of_systems(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Return Table 1, best Dfull first. As in the paper, Dfull is not set to 0 for systems that break the 50 % rule."""
    if not all({*_RATES.values(), "eligible"} <= set(output.scores) for output in outputs):
        return None
    ordered = sorted(outputs, key=lambda output: -output.scores["d_full_raw"])
    rows = [[output.name, *(f"{output.scores[key]:.3f}" for key in _RATES.values())] for output in ordered]
    broken = [output.name for output in ordered if not output.scores["eligible"]]
    note = f"Systems that break {RULE} and have 0 on the leaderboard: {', '.join(broken)}." if broken else ""
    return Table("Rates of the systems (Table 1 of the third edition)", ["Id", *_RATES], rows, note)


def difficulty_bands(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Return the bands of Table 2: responses by the number of systems that judge them wrongly."""
    if not are_by_response(outputs):
        return None
    wrong, correct = systems_wrong(outputs)
    systems = len(outputs)
    rows = []
    for band, (low, high) in [*band_bounds(systems).items(), ("all", (0, systems))]:
        within = (wrong >= low) & (wrong <= high)
        bounds = "none" if low > high else str(low) if low == high else f"{low}–{high}"
        rows.append([band, bounds, str(np.sum(within & correct)), str(np.sum(within & ~correct))])
    note = (
        ""
        if systems == 18
        else f"The paper's bands (0–2, 3–9, 10–18 of 18 systems), scaled to {count_of(systems, 'system')}."
    )
    header = ["Band", "Systems wrong", "Correct responses", "Incorrect responses"]
    return Table("Difficulty of the responses (Table 2 of the third edition)", header, rows, note)


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


def systems_wrong(outputs: Sequence[ScoringOutput]) -> tuple[np.ndarray, np.ndarray]:
    """Return for each response the number of systems that judge it wrongly, and whether it is correct; shape=(n,)."""
    rows_of = [output.statistics.rows[1]["decisions"] for output in outputs if output.statistics is not None]
    wrong = sum(rows.false_rejects + rows.plain_false_accepts + rows.gross_false_accepts for rows in rows_of)
    return np.asarray(wrong).astype(np.int64), rows_of[0].correct_accepts + rows_of[0].false_rejects > 0


def are_by_response(outputs: Sequence[ScoringOutput]) -> bool:
    """Return whether the statistics of every system have one row for each response."""
    return all(
        output.statistics is not None
        and bool((sum(vars(output.statistics.rows[1]["decisions"]).values()) == 1).all())
        for output in outputs
    )


TABLES = (rates_of_systems, difficulty_bands)
