"""Rules that make one score of a system's scores in several tasks.

- *mean rank*: the mean of the ranks in the tasks, among the systems of the joint ranking.
- *normalised sum*: over the tasks, the sum of score / total if higher scores are better, and of 1 - score / total if
  lower ones are. The total is that of all systems of the joint ranking.
- *macro mean*: the mean of one score over tasks, such as languages or conditions.
- *weighted sum*: the weighted sum of the scores. If lower scores are better in some of the tasks only, these are
  subtracted.

The organiser's baseline is not a system of the ranking: it counts in no rank, total or worst score.

Source of the normalised sum: PROCESS signal processing grand challenge (ICASSP 2025), instructions, combined ranking.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Optional

import numpy as np

from ..task import HIGHER, LOWER, Column, Score

MEAN_RANK, NORMALISED_SUM, MACRO_MEAN, WEIGHTED_SUM = (
    "mean_rank",
    "normalised_sum",
    "macro_mean",
    "weighted_sum",
)
RULES = {
    MEAN_RANK: "Mean rank",
    NORMALISED_SUM: "Sum of normalised scores",
    MACRO_MEAN: "Mean over tasks",
    WEIGHTED_SUM: "Weighted sum",
}
"""The rules with their titles."""

EXCLUDED, WORST, BASELINE, ZERO = "excluded", "worst", "baseline", "zero"
MISSING = {
    EXCLUDED: "is not ranked",
    WORST: "has the worst of the others' scores there, or for the mean rank the last rank",
    BASELINE: "has the score of the baseline there",
    ZERO: "has 0 for this task in the sum",
}
"""What happens to a system without a score in a task that is not compulsory."""

_FOR_ALL = f"{MEAN_RANK} and {WEIGHTED_SUM} are for all scores"
_AT_A_TIME = 1 << 24


@dataclass(frozen=True)
class JointRule:
    """How the scores of several tasks become one.

    Attributes
    ----------
    rule
        A key of `RULES`.
    missing
        A key of `MISSING`; `zero` is for the normalised sum only.
    compulsory
        The tasks without which no system is ranked.
    weights
        For the weighted sum, the weight of each task, above 0.
    baseline
        The name of the organiser's baseline, which is shown without a rank. For `missing="baseline"`, it has a score in
        every task.
    """

    rule: str = MEAN_RANK
    missing: str = EXCLUDED
    compulsory: Sequence[str] = ()
    weights: Mapping[str, float] = field(default_factory=dict)
    baseline: str = ""

    def problems(self, tasks: Mapping[str, Score]) -> list[str]:
        """What is wrong with the rule for tasks with these primary scores; each begins with an attribute's name."""
        found = [
            f"{name}: {value!r:.60} is unknown; expected one of {', '.join(known)}"
            for name, value, known in (("rule", self.rule, RULES), ("missing", self.missing, MISSING))
            if value not in known
        ]
        named = (("compulsory", self.compulsory), ("weights", self.weights))
        found += [
            f"{name}: there is no task {task!r:.60}; expected one of {', '.join(tasks)}"
            for name, listed in named
            for task in listed
            if task not in tasks
        ]
        if len(tasks) < 2:
            found.append(f"expected two tasks or more; found {', '.join(tasks) or 'none'}")
        if self.rule == WEIGHTED_SUM:
            lacking = [task for task in tasks if not 0 < self.weights.get(task, 0) < math.inf]
            found += [f"weights: {' and '.join(lacking)} without a weight above 0"] if lacking else []
        elif self.weights:
            found.append(f"weights: only the rule {WEIGHTED_SUM} has weights")
        if self.missing == ZERO and self.rule != NORMALISED_SUM:
            found.append(f"missing: {ZERO} is for the rule {NORMALISED_SUM} only")
        if self.missing == BASELINE and not self.baseline:
            found.append(f"baseline: name the baseline if missing is {BASELINE}")
        if self.rule == MACRO_MEAN and len({(score.direction, score.limits) for score in tasks.values()}) > 1:
            scores = ", ".join(f"{score.heading} in {task}" for task, score in tasks.items())
            found.append(f"rule: {MACRO_MEAN} is for scores of one scale; found {scores}; {_FOR_ALL}")
        if self.rule == NORMALISED_SUM:
            signed = [task for task, score in tasks.items() if (score.limits or (-1,))[0] < 0]
            what = f"rule: {NORMALISED_SUM} is for scores from 0 on; {{}} in {{}} may be negative; {_FOR_ALL}"
            found += [what.format(tasks[task].title, task) for task in signed]
        return found

    def column(self, columns: Sequence[Column]) -> Column:
        """The column of the joint score, from the columns of the tasks' primary scores."""
        directions = {column.direction for column in columns}
        kept = self.rule in (MACRO_MEAN, WEIGHTED_SUM) and len(directions) == 1
        direction = directions.pop() if kept else LOWER if self.rule == MEAN_RANK else HIGHER
        digits = {MEAN_RANK: 2, MACRO_MEAN: max(column.precision for column in columns)}
        return Column(self.rule, RULES[self.rule], direction, digits.get(self.rule, 4))


def joint_scores_of(
    rule: JointRule,
    tasks: Sequence[str],
    higher: Sequence[bool],
    scores: np.ndarray,
    present: np.ndarray,
    baseline: int,
    ranked: Optional[int] = None,
) -> np.ndarray:
    """The joint scores of s systems in each of r sets.

    Parameters
    ----------
    tasks, higher
        The names of the t tasks, and whether higher scores are better in each.
    scores : ndarray, shape (r, s, t)
        The scores in the tasks.
    present : ndarray of bool, shape (s, t)
        Which systems have a score in which tasks.
    baseline
        The position of the baseline, for `missing="baseline"`.
    ranked
        The number of systems in the ranking, which come first, if the baseline comes after them; None: all.

    Returns
    -------
    ndarray, shape (r, s)
        The joint scores; NaN in sets in which the score of any system of the ranking is undefined.

    Examples
    --------
    The second system has no score in the second task, in which lower scores are better.

    >>> scores = np.array([[[0.6, 3.0], [0.4, 0.0], [1.0, 1.0]]])
    >>> present = np.array([[True, True], [True, False], [True, True]])
    >>> joint_scores_of(JointRule(missing="worst"), ["a", "b"], [True, False], scores, present, 0).tolist()
    [[2.0, 3.0, 1.0]]
    >>> rule = JointRule("normalised_sum", "zero")  # 0.6 / 2 + 1 - 3 / 4, 0.4 / 2, 1 / 2 + 1 - 1 / 4
    >>> joint_scores_of(rule, ["a", "b"], [True, False], scores, present, 0).round(6).tolist()
    [[0.55, 0.2, 1.25]]
    """
    undefined = np.isnan(scores) & present
    defined = ~undefined[:, : None if rule.missing == BASELINE else ranked].any(axis=(1, 2))
    joint = np.full(scores.shape[:2], np.nan)
    known = np.where(present, scores[defined], np.nan)
    if rule.missing == BASELINE:
        known = np.where(present, known, known[:, [baseline]])
    joint[defined] = _combined(rule, tasks, np.asarray(higher), known, slice(ranked))
    return joint


def _combined(
    rule: JointRule, tasks: Sequence[str], higher: np.ndarray, scores: np.ndarray, ranked: slice
) -> np.ndarray:
    """The joint scores, shape (r, s), from scores of shape (r, s, t) that are NaN where a system has none."""
    if rule.rule == MEAN_RANK:
        places = np.stack([_ranks(scores[..., task], up, ranked) for task, up in enumerate(higher)], axis=2)
        return np.asarray(np.where(np.isnan(scores), scores[:, ranked].shape[1], places).mean(axis=2))
    signs = np.where(higher, 1.0, -1.0)
    if rule.missing == WORST:
        worst = signs * np.nanmin(signs * scores[:, ranked], axis=1, keepdims=True)
        scores = np.where(np.isnan(scores), worst, scores)
    if rule.rule == NORMALISED_SUM:
        totals = np.nansum(scores[:, ranked], axis=1, keepdims=True)
        shares = scores / np.where(totals > 0, totals, np.nan)
        return np.asarray(np.where(np.isnan(scores), 0.0, np.where(higher, shares, 1 - shares)).sum(axis=2))
    if rule.rule == MACRO_MEAN:
        return np.asarray(scores.mean(axis=2))
    weights = np.array([rule.weights[task] for task in tasks])
    return np.asarray(scores @ (weights if len(set(higher.tolist())) == 1 else weights * signs))


def _ranks(scores: np.ndarray, higher: bool, ranked: slice) -> np.ndarray:
    """Ranks along the last axis, computed in parts that fit into memory; a system after the ranked ones is not counted
    in theirs."""
    from .ranks import ranks

    parts = np.array_split(scores, 1 + scores.size * scores.shape[1] // _AT_A_TIME)
    places = np.concatenate([ranks(part, higher=bool(higher)) for part in parts])
    if (others := scores[:, ranked]).shape != scores.shape:
        places[:, ranked] = _ranks(others, higher, slice(None))
    return places
