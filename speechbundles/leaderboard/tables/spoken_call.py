"""Tables of the overview of Spoken CALL's third edition (2019).

Table 1 has the rates of every system. Table 2 counts responses by the number of systems that judge them wrongly.
"""

from collections.abc import Sequence

import numpy as np

from speechbundles.leaderboard.difficulty import band_bounds, right_answers
from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.challenges.spoken_call import RULE, TASK
from spokeneval.formats.problems import count_of
from spokeneval.ranking.leaderboard import TextTable
from spokeneval.ranking.writers import shown_range

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


def rates_of_systems(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Table 1, best Dfull first. As in the paper, Dfull is not set to 0 for systems that break the 50 % rule."""
    if not all({*_RATES.values(), "eligible"} <= set(output.scores) for output in outputs):
        return None
    ordered = sorted(outputs, key=lambda output: -output.scores["d_full_raw"])
    rows = [[output.name, *(f"{output.scores[key]:.3f}" for key in _RATES.values())] for output in ordered]
    broken = [output.name for output in ordered if not output.scores["eligible"]]
    note = f"Systems that break {RULE} and have 0 on the leaderboard: {', '.join(broken)}." if broken else ""
    return TextTable("Rates of the systems (Table 1 of the third edition)", ["Id", *_RATES], rows, note)


def difficulty_bands(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return the bands of Table 2: responses by the number of systems that judge them wrongly."""
    systems = [output.statistics for output in outputs if output.statistics is not None]
    decisions = [system.rows[1]["decisions"] for system in systems]
    if len(systems) < len(outputs) or not all((sum(vars(rows).values()) == 1).all() for rows in decisions):
        return None
    wrong = (right_answers(TASK, systems) == 0).sum(axis=1)
    correct = decisions[0].correct_accepts + decisions[0].false_rejects > 0
    rows = []
    for band, ends in [*band_bounds(len(systems)).items(), ("all", (0, len(systems)))]:
        within = (wrong >= ends[0]) & (wrong <= ends[1])
        shown = "none" if ends[0] > ends[1] else shown_range(ends)
        rows.append([band, shown, str(np.sum(within & correct)), str(np.sum(within & ~correct))])
    number = count_of(len(systems), "system")
    scaled = f"The paper's bands (0–2, 3–9, 10–18 of 18 systems), scaled to {number}."
    header = ["Band", "Systems wrong", "Correct responses", "Incorrect responses"]
    title = "Difficulty of the responses (Table 2 of the third edition)"
    return TextTable(title, header, rows, "" if len(systems) == 18 else scaled)


TABLES = (rates_of_systems, difficulty_bands)
