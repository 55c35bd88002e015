"""Feedback on hidden labels: scores on a coarse grid, so that labels cannot be inferred from them.

An exact score answers a question about the labels, and participants may submit every day. On a grid of about one
standard error, honest systems are still ranked, but a single changed answer, and most crafted submissions, have no
visible effect. The step of each score is fixed when the bundle is built and is the same for all submissions, so the
step itself reveals nothing. Only scores with a step are written; other scores cannot leak. No interval is written: the
submission's own would reveal as much again as its score, and another one would not be true.

A grid alone does not stop random answers: the sum of many coarse scores reveals nearly as much as exact scores. For
this reason there is a floor, the scores of the best among the baseline and the trivial baselines. A submission that is
not better is shown with the scores of the floor (`SetFeedback`). Random answers are worse, so they reveal nothing:
only a system that is better than the floor gets scores of its own.

Source: Blum and Hardt, The Ladder: a reliable leaderboard for machine learning competitions (arXiv 1502.04585), for
feedback below the standard error. docs/explanation/leaderboard.md in the repository: what a board still reveals.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Optional

from ..task import HIGHER, Number, Score

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


def as_shown(score: Number) -> str:
    """A score in steps as Codabench shows it: 4.0, not 4."""
    return str(float(score))


def coarse_scores(scores: Mapping[str, Number], steps: Mapping[str, float]) -> dict[str, Number]:
    """Round the scores that have a step to the grid. Others are left out, and so are the ends of intervals."""
    return {key: on_grid(value, steps[key]) for key, value in scores.items() if key in steps}


@dataclass(frozen=True)
class SetFeedback:
    """Coarse feedback on one set.

    Attributes
    ----------
    steps
        The steps of the scores to show, `key -> step`.
    floor
        The scores to show for a submission that is not better; None if they are not known.
    trivial
        The primary scores of the trivial baselines, `baseline -> score`.
    best
        The trivial baseline whose score is the floor; empty if it is that of the baseline.
    """

    steps: Mapping[str, float]
    floor: Optional[Mapping[str, Number]] = None
    trivial: Mapping[str, Number] = field(default_factory=dict)
    best: str = ""

    def shown(self, scores: Mapping[str, Number], primary: Score) -> dict[str, Number]:
        """The scores on a leaderboard: rounded to steps, and those of the floor if the primary score is not better."""
        line = coarse_scores(scores, self.steps)
        least = coarse_scores(self.floor or {}, self.steps)
        return least if self._at_floor(line, primary.key, primary.direction) else line

    def bound(self, line: Mapping[str, Number], key: str, direction: str) -> str:
        """What the primary score on a leaderboard says of a submission that is not better than the floor.

        Parameters
        ----------
        line
            The scores that the leaderboard shows.
        key, direction
            The primary score, and whether `higher` or `lower` is better.

        Returns
        -------
        `≤ baseline` or `≤ trivial baseline`; with `≥` where lower is better. Empty for a submission that is better
        than the floor.
        """
        if not self._at_floor(line, key, direction):
            return ""
        return f"{'≤' if direction == HIGHER else '≥'} {'trivial ' if self.best else ''}baseline"

    @property
    def best_system(self) -> str:
        """The system whose scores are the floor."""
        return f"the trivial baseline “{self.best}”" if self.best else "the baseline"

    def _at_floor(self, line: Mapping[str, Number], key: str, direction: str) -> bool:
        if not all(key in scores for scores in (line, self.steps, self.floor or {})):
            return False
        above = line[key] - coarse_scores(self.floor or {}, self.steps)[key]
        return (above if direction == HIGHER else -above) <= 0


def describe_line(line: Mapping[str, Number], feedback: SetFeedback, primary: Score) -> str:
    """What a leaderboard on hidden labels shows of the primary score, and what the number is.

    Parameters
    ----------
    line
        The scores that the leaderboard shows.
    """
    number, step = as_shown(line[primary.key]), f"{feedback.steps[primary.key]:g}"
    bound = feedback.bound(line, primary.key, primary.direction)
    if not bound:
        return f"{primary.heading} {number}, shown in steps of {step}."
    return (
        f"{primary.heading} {number}, which means {bound}: it is the score of {feedback.best_system}, shown "
        f"in steps of {step} for every submission that is not better."
    )
