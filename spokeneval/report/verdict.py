"""How a submission did, in words: against the baseline and the trivial baselines, or against the floor.

On public labels, a submission is compared with the baseline by the 95 % interval of the difference between their
scores. The interval is paired: the jackknife leaves out the same units from both. The submission is better or worse
only if the interval does not include 0. On hidden labels, the words follow from the figures of the leaderboard alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple, Optional

import numpy as np

from ..formats.problems import count_of
from ..metrics.jackknife import FEWEST_UNITS
from ..scoring.options import Settings, as_shown
from ..scoring.scored import Scored, difference_interval, ends_beyond, scores_without
from ..task import ENDS, HIGHER, Number, Task

GOOD, OPEN, BAD = "good", "", "bad"
"""Classes of the style sheet, for the colour beside a verdict."""

TIE = 2
"""Scores on hidden labels that are fewer than so many steps apart are treated as a tie."""


class Verdict(NamedTuple):
    """A verdict: its class, its first words, and the reason."""

    kind: str
    words: str
    reason: str


def public_verdict(task: Task, scored: Scored, settings: Settings, broken: str) -> Verdict:
    """Return the verdict on a submission to a set with public labels.

    Parameters
    ----------
    broken: the rule of the task that the submission breaks, with the figures; empty if it breaks none.
    """
    if broken:
        return Verdict(BAD, f"Breaks {broken}.", "")
    primary = task.primary
    score, sign = float(scored.scores[primary.key]), 1 if primary.direction == HIGHER else -1
    shown = f".{settings.decimals.get(primary.key, 4)}f"
    known = {answer: float(value) for answer, value in settings.feedback.trivial.items()}
    if known:
        best = max(known, key=lambda answer: sign * known[answer])
        if sign * (score - known[best]) <= 0:
            words = "Worse than" if score != known[best] else "No better than"
            reason = f"“{best}” needs no system and has {known[best]:{shown}}."
            return Verdict(BAD, f"{words} a trivial baseline.", reason)
    baseline = settings.baseline.get(primary.key)
    if baseline is None:
        against = "Better than every trivial baseline." if known else "Scored."
        return Verdict(OPEN, against, "The score of the baseline on this set is not known.")
    difference = score - baseline
    ends = _difference_ends(task, scored, settings, difference)
    if ends is None:
        reason = f"Difference from the baseline: {difference:+{shown}}. Its interval cannot be computed."
        return Verdict(OPEN, "Not distinguishable from the baseline.", reason)
    if ends == (0, 0):
        reason = (
            f"The scores are the same, and stay the same if any one {scored.statistics.unit} is left out."
        )
        return Verdict(OPEN, "Equal to the baseline.", reason)
    reason = (
        f"Difference from the baseline: {difference:+{shown}}, paired 95 % interval {ends[0]:+{shown}} to "
        f"{ends[1]:+{shown}} over {count_of(len(scored.statistics.units), scored.statistics.unit)}"
    )
    if ends[0] <= 0 <= ends[1]:
        return Verdict(OPEN, "Not distinguishable from the baseline.", f"{reason}, which includes 0.")
    if sign * difference > 0:
        return Verdict(GOOD, "Better than the baseline.", f"{reason}, which does not include 0.")
    return Verdict(BAD, "Worse than the baseline.", f"{reason}, which does not include 0.")


def _difference_ends(
    task: Task, scored: Scored, settings: Settings, difference: float
) -> Optional[tuple[float, float]]:
    """Return the paired interval of the difference to the baseline; None if it cannot be computed."""
    primary, baseline = task.primary, settings.baseline
    rows, value = task.part(primary, scored.statistics.parts), scored.scores[primary.key]
    without = scores_without(primary, value, rows)
    known = np.array(settings.about.baseline_without, dtype=np.float64)
    if known.shape != without.shape or len(without) < FEWEST_UNITS:
        return None
    low, high = (baseline.get(primary.key + end, baseline[primary.key]) for end in ENDS)
    own = ends_beyond(primary, value, rows)
    interval = difference_interval(
        primary, (value, baseline[primary.key]), (without, known), [own, (low, high)] if own else ()
    )
    certain = interval.low == interval.high and difference  # no unit changes the difference
    return None if certain else (interval.low, interval.high)


def hidden_verdict(task: Task, scores: Mapping[str, Number], settings: Settings) -> Verdict:
    """Return the verdict on a submission to a set with hidden labels, from the figures of the leaderboard."""
    key, feedback = task.primary.key, settings.feedback
    if not settings.coarse or feedback.floor is None:
        return Verdict(OPEN, "Scored.", "")
    floor, step = as_shown(feedback.floor[key]), feedback.steps[key]
    apart = round(abs(scores[key] - feedback.floor[key]) / step)
    if apart == 0:
        reason = (
            f"Every submission that is not better than the baseline and the trivial baselines is shown with {floor}, "
            f"the rounded score of {feedback.best_system}. The submission's own score may be worse."
        )
        return Verdict(OPEN, "Not better than the baselines.", reason)
    words = f"Better than the baselines by {count_of(apart, 'step')}."
    reason = (
        f"The best of the baseline and the trivial baselines has {floor}. A step is {step:g}, about one "
        "standard error of the baseline's score."
    )
    if apart < TIE:
        return Verdict(OPEN, words, f"{reason} So small a difference can be chance.")
    return Verdict(GOOD, words, reason)
