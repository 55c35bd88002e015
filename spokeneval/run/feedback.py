"""Feedback on hidden labels: scores on a coarse grid, so that labels cannot be inferred from them.

An exact score answers a question about the labels, and participants may submit every day. On a grid of about one
standard error, honest systems are still ranked, but a single changed answer, and most crafted submissions, have no
visible effect. The step of each score is fixed when the bundle is built and is the same for all submissions, so the
step itself reveals nothing. Only scores with a step are written; other scores cannot leak.

A grid alone does not stop random answers: the sum of many coarse scores reveals nearly as much as exact scores. For
this reason there is a floor, the scores of the best among the baseline and the trivial baselines. A submission that is
not better is shown with the scores of the floor (`floored_scores`). Random answers are worse, so they reveal nothing:
only a system that is better than the floor gets scores of its own.

Source: Blum and Hardt, The Ladder: a reliable leaderboard for machine learning competitions (arXiv 1502.04585), for
feedback below the standard error. docs/explanation/leaderboard.md in the repository: what a board still reveals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Optional

from ..task import ENDS, HIGHER, Number, Score

EXACT, COARSE = "exact", "coarse"


def choose_step(standard_error: float) -> float:
    """The step for a standard error: 1, 2 or 5 times a power of ten, whichever is nearest in ratio.

    Raises
    ------
    ValueError
        The standard error is not above 0.
    """
    if not 0 < standard_error < math.inf:
        raise ValueError(f"a standard error is {standard_error!r}; expected a number above 0")
    power = math.floor(math.log10(standard_error))
    steps = [factor * 10.0**exponent for exponent in (power, power + 1) for factor in (1, 2, 5)]
    nearest = min(steps, key=lambda step: abs(math.log(step / standard_error)))
    return float(f"{nearest:.0e}")


def on_grid(value: Number, step: float) -> float:
    """Round a value to the nearest multiple of a step, without the rounding error of binary fractions."""
    return float(round(round(value / step) * step, -math.floor(math.log10(step))))


def coarse_scores(scores: Mapping[str, Number], steps: Mapping[str, float]) -> dict[str, Number]:
    """Round the scores that have a step, and the ends of their intervals, to the grid. Other scores are left out.

    Parameters
    ----------
    steps
        The steps, `key -> step`. The ends of an interval have the step of their score.
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
    """The scores that a leaderboard shows.

    Parameters
    ----------
    scores
        Every score, at full precision.
    steps
        The steps of the scores to show, `key -> step`; None to show all scores exactly.
    floor
        The scores to show for a submission that is not better; None if there is no floor.
    primary
        The score that must be better than the floor.
    """
    if steps is None:
        return scores
    return coarse_scores(scores, steps) if floor is None else floored_scores(scores, steps, floor, primary)


def floored_scores(
    scores: Mapping[str, Number], steps: Mapping[str, float], floor: Mapping[str, Number], primary: Score
) -> dict[str, Number]:
    """The scores of a submission on the grid if it is better than the floor, else the scores of the floor.

    The ends of an interval have the same distance from the score as in the floor, because a system's own ends would
    reveal as much again as its score. They stay within the limits of the score.

    Parameters
    ----------
    floor
        The scores of the floor on the same grid, `key -> score`.
    primary
        The score that must be better by at least one step.
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
            if score == primary.key and primary.limits is not None:
                line[key] = min(max(line[key], primary.limits[0]), primary.limits[1])
    return line


def describe_line(
    line: Mapping[str, Number],
    steps: Mapping[str, float],
    floor: Optional[Mapping[str, Number]],
    primary: Score,
) -> str:
    """A sentence for a participant who has the labels: the score that a leaderboard on hidden labels would show."""
    low, high = (line[primary.key + end] for end in ENDS)
    words = f"With hidden labels, the leaderboard would show {primary.heading} {line[primary.key]:g} "
    words += f"({low:g} to {high:g}), rounded to steps of {steps[primary.key]:g}."
    return words + ("" if floor is None else f" The worst score that it shows is {floor[primary.key]:g}.")


def interval_of(key: str) -> str:
    """The key of the score whose interval has an end of this key; the key itself if it is not such an end."""
    for end in ENDS:
        if key.endswith(end):
            return key[: -len(end)]
    return key
