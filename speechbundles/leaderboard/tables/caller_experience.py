"""Tables 1 and 2 of the Caller Experience paper: linearly weighted kappas of listeners and systems."""

from collections.abc import Sequence
from itertools import combinations

from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.challenges.caller_experience import LISTENERS, listeners_kappas
from spokeneval.ranking.leaderboard import TextTable


def listeners_agreement(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Table 1: kappas between the listeners. They do not depend on the system, so any statistics can be used."""
    counted = next((output.statistics for output in outputs if output.statistics is not None), None)
    if counted is None:
        return None
    kappas = listeners_kappas(counted.total("pairs")).tolist()
    rows = [
        [f"{first} vs. {second}", f"{kappa:.2f}"]
        for (first, second), kappa in zip(combinations(LISTENERS, 2), kappas, strict=True)
    ]
    return TextTable("Agreement among the listeners (Table 1 of the paper)", ["Raters compared", "κ"], rows)


def systems_agreement(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Table 2: for each system, kappas with each listener, their mean, and the mean among the listeners."""
    keys = [*(f"kappa_{listener}" for listener in LISTENERS), "kappa_mean", "human_kappa_mean"]
    if not all(set(keys) <= set(output.scores) for output in outputs):
        return None
    rows = [[output.name, *(f"{output.scores[key]:.2f}" for key in keys)] for output in outputs]
    header = ["System", *(f"{listener} vs. auto" for listener in LISTENERS), "mean", "among listeners"]
    return TextTable("Agreement of listeners and systems, κ (Table 2 of the paper)", header, rows)


TABLES = (listeners_agreement, systems_agreement)
