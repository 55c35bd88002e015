"""Notes below a board: ties, why systems were not tested, how systems were compared."""

from collections.abc import Sequence

import numpy as np

from speechbundles.board.comparison import CONFIDENCE, RISK
from speechbundles.board.outputs import ScoringOutput
from speechbundles.model.text import PROGRAM
from speechbundles.platforms.keys import MOST_DECIMALS
from spokeneval.compare.multiple_comparisons import SIGNIFICANCE, holm_level
from spokeneval.compare.randomisation import MOST_SWAPPED, least_p, units_needed
from spokeneval.formats.problems import count_of
from spokeneval.run.interval import RESAMPLES

CLOSE = 1e-3
"""Tolerance of a score computed from statistics: histograms and rounded moments give it to about 0.01 points."""


def ties(places: np.ndarray, names: Sequence[str]) -> list[str]:
    notes = []
    for rank in sorted(set(places.tolist())):
        tied = sorted(name for name, place in zip(names, places, strict=True) if place == rank)
        if len(tied) > 1:
            notes.append(
                f"Tie at rank {rank}: {', '.join(tied)} have the same score to {MOST_DECIMALS} decimals."
            )
    return notes


def beside_trivial(output: ScoringOutput, digits: int) -> list[str]:
    """Return the scores of the trivial baselines, to compare with; for a hidden set, in the steps of its board."""
    if not output.trivial:
        return []
    hidden = bool(output.signature.items)
    number = "g" if hidden else f".{digits}f"
    known = ", ".join(f"{answer} {score:{number}}" for answer, score in output.trivial.items())
    return [f"Trivial baselines{', rounded as on the leaderboard' if hidden else ''}: {known}."]


def without_score(names: Sequence[str]) -> list[str]:
    return [f"Without a score and therefore without a rank: {', '.join(names)}."] if names else []


def without_statistics(outputs: Sequence[ScoringOutput]) -> list[str]:
    missing = [output.name for output in outputs if output.statistics is None]
    coarse = outputs[0].signature.coarse
    where = "all outputs" if len(missing) == len(outputs) else _first_names(missing)
    return [
        f"{_IN_STEPS if coarse else ''}Differences between systems were not tested, because statistics.json is "
        f"missing in {where}. This file reveals hidden labels, so it is not written on the platform for a hidden set. "
        "To test the differences, download the submissions, run "
        f"`{PROGRAM} rehearse BUNDLE.zip TEAM.zip --statistics --keep DIR/TEAM` for each, then `rank DIR/*`."
    ]


_IN_STEPS = (
    "The scores are rounded, as on the leaderboard of a hidden set; the final ranking needs exact scores. "
)


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")


def disagreements(names: Sequence[str], stored: np.ndarray, summed: np.ndarray) -> list[str]:
    """Return a note on systems whose statistics do not give the score in the same output."""
    differing = [
        f"{name} {of_statistics:.6g} instead of {score:.6g}"
        for name, score, of_statistics in zip(names, stored, summed, strict=True)
        if not abs(score - of_statistics) <= CLOSE * max(1, abs(score))
    ]
    if not differing:
        return []
    return [f"The statistics give a different score from scores.json: {_first_names(differing)}."]


def how_compared(units: str, unit: str, systems: int, number: int) -> list[str]:
    """Return how systems were compared and, if there are too few units to separate them, how many are needed."""
    pairs = systems * (systems - 1) // 2
    if systems > MOST_SWAPPED:
        how = f"a conservative tail bound of paired randomisation by {unit}"
        ranks = (
            "Ranks: the best and worst rank that these differences allow, with "
            f"{CONFIDENCE} confidence for all systems together."
        )
    else:
        how = f"paired randomisation by {unit}"
        ranks = (
            f"Ranks: with {CONFIDENCE} confidence, all ranges contain the true ranks of their systems "
            f"(stepwise method on differences in {RESAMPLES} bootstrap resamples of {units}, the same for all systems)."
        )
    remarks = [
        ranks,
        "Clusters: a new cluster begins at a system that differs significantly from the first system of the cluster "
        f"above ({how}, Holm's correction over {count_of(pairs, 'pair')}, {RISK} level). Within a cluster, no "
        "system differs significantly from the first; this does not show that they are equal.",
    ]
    needed = units_needed(systems)
    if number < needed:
        least = least_p(number, systems)
        corrected = min(1, least * SIGNIFICANCE / holm_level(systems))
        remarks.append(
            f"{units} are too few to separate {systems} systems; at least {needed} are needed. The smallest p that a "
            f"test on {units} can give is {least:.2g}; after correction for {count_of(pairs, 'pair')} it is "
            f"{corrected:.2g}. All systems are therefore in one cluster, whatever their scores. The ranks "
            "may separate more systems: they use the size of the differences, and assume that these are nearly normal."
        )
    return remarks
