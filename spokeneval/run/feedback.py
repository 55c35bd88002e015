"""What a hidden set's board tells: scores on a coarse grid, so that answers cannot be read from them.

An exact score answers a question about the labels, and a participant may ask every day. On a grid of about one
standard error, honest systems still rank, while a single changed answer, and most of what a crafted submission asks,
no longer shows. The step of each score is fixed when the bundle is built, the same for all submissions, so that it
tells nothing itself. Only scores with a step are written; what is not written cannot leak.

A grid alone does not stop random answers: many coarse scores added up tell nearly what exact ones do. So there is a
floor, the line of the best among the baseline and answers that know nothing, and a submission that is no better gets it
(`floored_scores`). Random answers are worse, and nothing of them shows; whoever asks has to ask with a system that is
better.

Source: Blum and Hardt, The Ladder: a reliable leaderboard for machine learning competitions (arXiv 1502.04585), for
feedback below the standard error; docs/trust.md for what remains, measured.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Optional

from ..task import ENDS, HIGHER, Number, Score

EXACT, COARSE = "exact", "coarse"


def choose_step(standard_error: float) -> float:
    """A standard error as a step: 1, 2 or 5 times a power of ten, the nearest in ratio; 0 has no step.

    Raises
    ------
    ValueError: a standard error that is not above 0.
    """
    if not 0 < standard_error < math.inf:
        raise ValueError(f"a standard error is {standard_error!r}; expected a number above 0")
    power = math.floor(math.log10(standard_error))
    steps = [factor * 10.0**exponent for exponent in (power, power + 1) for factor in (1, 2, 5)]
    nearest = min(steps, key=lambda step: abs(math.log(step / standard_error)))
    return float(f"{nearest:.0e}")


def on_grid(value: Number, step: float) -> float:
    """The multiple of a step that is nearest to a value, without the noise of binary fractions."""
    return float(round(round(value / step) * step, -math.floor(math.log10(step))))


def coarse_scores(scores: Mapping[str, Number], steps: Mapping[str, float]) -> dict[str, Number]:
    """The scores that have a step, and the ends of their intervals, on the grid.

    Parameters
    ----------
    steps: `key -> step`; an end of an interval has the step of its score.
    """
    coarse: dict[str, Number] = {}
    for key, value in scores.items():
        step = steps.get(interval_of(key))
        if step is not None:
            coarse[key] = on_grid(value, step)
    return coarse


def shown_scores(
    scores: Mapping[str, Number],
    steps: Optional[Mapping[str, float]],
    floor: Optional[Mapping[str, Number]],
    primary: Score,
) -> Mapping[str, Number]:
    """The scores that a board shows.

    Parameters
    ----------
    scores: every score, at full precision.
    steps: `key -> step` of what is shown; None where all is shown exactly.
    floor: the line that a submission gets which is no better; None where there is none.
    primary: the score that must be better.
    """
    if steps is None:
        return scores
    return coarse_scores(scores, steps) if floor is None else floored_scores(scores, steps, floor, primary)


def floored_scores(
    scores: Mapping[str, Number], steps: Mapping[str, float], floor: Mapping[str, Number], primary: Score
) -> dict[str, Number]:
    """The scores on the grid, of a submission that is better than the floor; else the floor's.

    The ends of an interval are as far from the score as the floor's are from its own: a system's own ends would tell
    as much again as its score does.

    Parameters
    ----------
    floor: `key -> score`, on the same grid.
    primary: the score that must be better by a step.
    """
    line = coarse_scores({key: value for key, value in scores.items() if interval_of(key) == key}, steps)
    if primary.key not in line or primary.key not in floor:
        return line
    above = line[primary.key] - floor[primary.key]
    if (above if primary.direction == HIGHER else -above) <= 0:
        return dict(floor)
    for key, end in floor.items():
        score = interval_of(key)
        if score != key and score in line:
            line[key] = on_grid(line[score] + end - floor[score], steps[score])
    return line


def describe_line(
    line: Mapping[str, Number],
    steps: Mapping[str, float],
    floor: Optional[Mapping[str, Number]],
    primary: Score,
) -> str:
    """What a board of hidden labels would show, in words for a participant who has the labels."""
    low, high = (line[primary.key + end] for end in ENDS)
    words = (
        f"A board of hidden labels would show {primary.heading} {line[primary.key]:g} ({low:g} to {high:g}): "
    )
    words += f"it goes in steps of {steps[primary.key]:g}"
    return words + ("." if floor is None else f", and shows nothing worse than {floor[primary.key]:g}.")


def interval_of(key: str) -> str:
    """The score whose interval's end has this key; the key itself where it is no such end."""
    for end in ENDS:
        if key.endswith(end):
            return key[: -len(end)]
    return key
