"""What is said below a board: ties, what could not be tested and why, how systems were compared."""

from collections.abc import Sequence

import numpy as np

from speechbundles.board.comparison import CONFIDENCE, RISK
from speechbundles.board.outputs import ScoringOutput
from speechbundles.platforms.keys import MOST_DECIMALS
from spokeneval.compare.randomisation import MOST_SWAPPED, least_p, units_needed
from spokeneval.formats.problems import count_of
from spokeneval.run.interval import RESAMPLES

CLOSE = 1e-3
"""What a score of statistics may be off by: histograms and rounded moments give it to about 0.01 points."""


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
    """What a score is worth: what systems get that know nothing, of a hidden set in the steps of its board."""
    if not output.trivial:
        return []
    hidden = bool(output.signature.items)
    number = "g" if hidden else f".{digits}f"
    known = ", ".join(f"{answer} {score:{number}}" for answer, score in output.trivial.items())
    return [f"Answers that know nothing get{', in steps of the board' if hidden else ''}: {known}."]


def without_score(names: Sequence[str]) -> list[str]:
    return [f"Without a score, and so without a rank: {', '.join(names)}."] if names else []


def without_statistics(outputs: Sequence[ScoringOutput]) -> list[str]:
    missing = [output.name for output in outputs if output.statistics is None]
    coarse = outputs[0].signature.coarse
    who = "no output has" if len(missing) == len(outputs) else f"{_first_names(missing)} came without"
    return [
        f"{_IN_STEPS if coarse else ''}Scores only: {who} statistics.json, so it is not tested whether systems differ. "
        "Platforms withhold it where the labels are hidden, because it would spell them out. Get it at home: download "
        "the submissions, `build_bundle.py rehearse BUNDLE.zip TEAM.zip --statistics --keep DIR/TEAM` for each, then "
        "`rank DIR/*`."
    ]


_IN_STEPS = "Scores in the steps of a hidden set's board; the final ranking needs exact ones. "


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - 5
    return ", ".join(names[:5]) + (f" and {more} more" if more > 0 else "")


def disagreements(names: Sequence[str], stored: np.ndarray, summed: np.ndarray) -> list[str]:
    """Where statistics do not give the score they came with."""
    differing = [
        f"{name} {of_statistics:.6g} for {score:.6g}"
        for name, score, of_statistics in zip(names, stored, summed, strict=True)
        if not abs(score - of_statistics) <= CLOSE * max(1, abs(score))
    ]
    if not differing:
        return []
    return [f"The statistics give another score than the one they came with: {_first_names(differing)}."]


def how_compared(units: str, unit: str, systems: int, number: int) -> list[str]:
    """How systems were compared over so many units, and where that can tell nothing, from how many on it could."""
    pairs = systems * (systems - 1) // 2
    if systems > MOST_SWAPPED:
        how = f"the tail bound of paired randomisation by {unit}, on the conservative side"
        ranks = (
            "Ranks: the best and worst that these differences allow, all at once with "
            f"{CONFIDENCE} confidence."
        )
    else:
        how = f"paired randomisation by {unit}"
        ranks = (
            f"Ranks: with {CONFIDENCE} confidence every system's true rank is within its range, all of them "
            f"at once (differences in {RESAMPLES} bootstrap resamples of {units}, the same for all systems, stepwise)."
        )
    remarks = [
        ranks,
        f"Clusters: a new one begins where a system differs from the first of the cluster above it ({how}, "
        f"Holm's correction over {count_of(pairs, 'pair')}, {RISK}). Within a cluster no system is shown to "
        "differ from its first; that they are equal is not shown either.",
    ]
    needed = units_needed(systems)
    if number < needed:
        least = least_p(number, systems)
        remarks.append(
            f"{units} cannot tell {systems} systems apart; {needed} could. The smallest p that a test over {units} "
            f"can have is {least:.2g}, times {count_of(pairs, 'pair')} {min(1, pairs * least):.2g}: whatever "
            "the scores, all systems are in one cluster. The ranks, which take the size of differences into account "
            "and assume that they are nearly normal, may tell more."
        )
    return remarks
