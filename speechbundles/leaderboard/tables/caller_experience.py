"""Tables and figures of the Caller Experience paper: kappas of listeners and systems, and how far ratings differ."""

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from speechbundles.leaderboard.outputs import ScoringOutput
from spokeneval.challenges.caller_experience import LISTENERS, SCALE, listeners_kappas
from spokeneval.ranking.leaderboard import TextTable

PAIRS = [f"{first} vs. {second}" for first, second in combinations(LISTENERS, 2)]


def listeners_agreement(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Table 1: kappas between the listeners. They do not depend on the system, so any statistics can be used."""
    counted = next((output.statistics for output in outputs if output.statistics is not None), None)
    if counted is None:
        return None
    kappas = listeners_kappas(counted.total("pairs")).tolist()
    rows = [[pair, f"{kappa:.2f}"] for pair, kappa in zip(PAIRS, kappas, strict=True)]
    return TextTable("Agreement among the listeners (Table 1 of the paper)", ["Raters compared", "κ"], rows)


def systems_agreement(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Table 2: for each system, kappas with each listener, their mean, and the mean among the listeners."""
    keys = [*(f"kappa_{listener}" for listener in LISTENERS), "kappa_mean", "human_kappa_mean"]
    if not all(set(keys) <= set(output.scores) for output in outputs):
        return None
    rows = [[output.name, *(f"{output.scores[key]:.2f}" for key in keys)] for output in outputs]
    header = ["System", *(f"{listener} vs. auto" for listener in LISTENERS), "mean", "among listeners"]
    return TextTable("Agreement of listeners and systems, κ (Table 2 of the paper)", header, rows)


def rating_differences(outputs: Sequence[ScoringOutput]) -> TextTable | None:
    """Return Figures 1 and 2: how far the ratings of each pair of listeners, and of a listener and a system, differ."""
    distances = {each.name: each.statistics.rows[1]["pairs"].distance for each in outputs if each.statistics}
    if not distances:
        return None
    rows = _shares(PAIRS, next(iter(distances.values()))[:, len(LISTENERS) :])
    for name, distance in distances.items():
        rows += _shares([f"{listener} vs. {name}" for listener in LISTENERS], distance[:, : len(LISTENERS)])
    header = ["Raters compared", *(f"{each} (%)" for each in range(SCALE[1] - SCALE[0] + 1)), "0 or 1 (%)"]
    return TextTable("Calls by difference of the ratings (Figures 1 and 2 of the paper)", header, rows)


def _shares(pairs: Sequence[str], distances: np.ndarray) -> list[list[str]]:
    """Return a row for each pair of raters: the shares of the calls with each distance of the two ratings."""
    shares = 100 * (distances[:, :, np.newaxis] == np.arange(SCALE[1] - SCALE[0] + 1)).mean(axis=0)
    whole = np.column_stack([shares, shares[:, :2].sum(axis=1)]).tolist()
    return [[pair, *(f"{share:.1f}" for share in own)] for pair, own in zip(pairs, whole, strict=True)]


TABLES = (listeners_agreement, systems_agreement, rating_differences)
