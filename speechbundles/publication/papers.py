"""Tables of the challenges' papers, computed from scoring outputs in order of rank.

Table 1 of the overview of Spoken CALL's third edition (2019) has the rates of every system. Its Table 2 counts
responses by the number of systems that judge them wrongly. Tables 1 and 2 of the Caller Experience paper have linearly
weighted kappas of listeners and systems.
"""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from speechbundles.publication.flags import band_bounds, shown_band, systems_wrong
from speechbundles.publication.outputs import ScoringOutput
from spokeneval.challenges.caller_experience import LISTENERS, PAIRS
from spokeneval.challenges.caller_experience import kappas as pair_kappas
from spokeneval.challenges.spoken_call import RULE, TASK
from spokeneval.formats.problems import count_of
from spokeneval.ranking.values import Table

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
    systems = [output.statistics for output in outputs if output.statistics is not None]
    decisions = [system.rows[1]["decisions"] for system in systems]
    if len(systems) < len(outputs) or not all((sum(vars(rows).values()) == 1).all() for rows in decisions):
        return None
    wrong = systems_wrong(TASK, systems)
    correct = decisions[0].correct_accepts + decisions[0].false_rejects > 0
    rows = []
    for band, ends in [*band_bounds(len(systems)).items(), ("all", (0, len(systems)))]:
        within = (wrong >= ends[0]) & (wrong <= ends[1])
        rows.append([band, shown_band(ends), str(np.sum(within & correct)), str(np.sum(within & ~correct))])
    scaled = (
        f"The paper's bands (0–2, 3–9, 10–18 of 18 systems), scaled to {count_of(len(systems), 'system')}."
    )
    header = ["Band", "Systems wrong", "Correct responses", "Incorrect responses"]
    title = "Difficulty of the responses (Table 2 of the third edition)"
    return Table(title, header, rows, "" if len(systems) == 18 else scaled)


def listeners_agreement(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Return Table 1: kappas between the listeners. They do not depend on the system, so any statistics can be used."""
    counted = next((output.statistics for output in outputs if output.statistics is not None), None)
    if counted is None:
        return None
    kappas = pair_kappas(counted.total("pairs")).tolist()
    rows = [
        [f"{first} vs. {second}", f"{kappa:.2f}"]
        for (first, second), kappa in zip(PAIRS[3:], kappas[3:], strict=True)
    ]
    return Table("Agreement among the listeners (Table 1 of the paper)", ["Raters compared", "κ"], rows)


def systems_agreement(outputs: Sequence[ScoringOutput]) -> Table | None:
    """Return Table 2: for each system, kappas with each listener, their mean, and the mean among the listeners."""
    keys = [*(f"kappa_{listener}" for listener in LISTENERS), "kappa_mean", "human_kappa_mean"]
    if not all(set(keys) <= set(output.scores) for output in outputs):
        return None
    rows = [[output.name, *(f"{output.scores[key]:.2f}" for key in keys)] for output in outputs]
    header = ["System", *(f"{listener} vs. auto" for listener in LISTENERS), "mean", "among listeners"]
    return Table("Agreement of listeners and systems, κ (Table 2 of the paper)", header, rows)


TABLES: Mapping[str, Sequence[Callable[[Sequence[ScoringOutput]], Table | None]]] = {
    "spoken_call": (rates_of_systems, difficulty_bands),
    "caller_experience": (listeners_agreement, systems_agreement),
}


def task_tables(task: str, outputs: Sequence[ScoringOutput]) -> list[Table]:
    """Return the tables of the task's paper; there are none for other tasks, or if scores or statistics are missing."""
    return [table for make in TABLES.get(task, ()) if (table := make(outputs)) is not None]
