"""Leaderboards that answer submissions: counts by the task, scores, and steps, as on the platform."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from spokeneval.metrics.counts import number_or_array, total
from spokeneval.metrics.jackknife import jackknife_error, leave_one_out
from spokeneval.run.feedback import SetFeedback, choose_step, coarse_scores
from spokeneval.run.options import Settings, choose_options
from spokeneval.run.scoring import score_submission
from spokeneval.run.signature import Signature
from spokeneval.run.statistics import by_unit
from spokeneval.task import ENDS, HIGHER

from .cases import Case, part_of

Line = Mapping[str, float]


@dataclass
class Board:
    """A leaderboard that answers submissions.

    Attributes
    ----------
    case: the set.
    steps: `key -> step` of the shown scores; None if all scores are shown exactly.
    floor: the baseline's line, which is shown for submissions that are not better; None for a board without a floor.
    rows: the rows of the reference that the platform has; None for all.
    ends: whether the ends of intervals are computed, which takes most of the time.
    attempts: the number of submissions so far.
    """

    case: Case
    steps: Mapping[str, float] | None = None
    floor: Line | None = None
    rows: np.ndarray | None = None
    ends: bool = False
    attempts: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._reference = self.case.reference
        if self.rows is not None:
            self._reference = part_of(self._reference, self.rows)

    def ask(self, submission: Any) -> Line:
        """Return the line that a participant sees."""
        self.attempts += 1
        return self.shown(self.exact(submission))

    def shown(self, scores: Line) -> Line:
        if self.steps is None:
            return scores
        return SetFeedback(self.steps, self.floor).shown(scores, self.case.task.primary)

    def exact(self, submission: Any) -> dict[str, float]:
        """Return all scores in full precision, which only the organisers see."""
        if self.rows is not None:
            submission = part_of(submission, self.rows)
        task = self.case.task
        if self.ends:
            options = Settings(choose_options(task, {}), False, Signature(task.name))
            return score_submission(task, self._reference, submission, options).scores
        totals = {part: total(counts) for part, counts in task.count(self._reference, submission).items()}
        return {score.key: number_or_array(score.value(task.part(score, totals))) for score in task.scores}

    def primary(self, submission: Any) -> float:
        """Return the exact primary score; larger is better."""
        return self.signed(self.exact(submission))

    def signed(self, line: Line) -> float:
        """Return a line's primary score; larger is better."""
        score = self.case.task.primary
        return line[score.key] if score.direction == HIGHER else -line[score.key]


def standard_errors(case: Case, rows: np.ndarray | None = None) -> dict[str, float]:
    """Return the standard error of each score of the baseline; 0 if it does not vary."""
    board = Board(case, rows=rows)
    submission = case.baseline if rows is None else part_of(case.baseline, rows)
    reference = board._reference
    counts = case.task.count(reference, submission)
    statistics = by_unit(case.task.units(reference), counts)
    without = {part: leave_one_out(rows) for part, rows in statistics.parts.items()}
    return {
        score.key: jackknife_error(score.value(case.task.part(score, without))) for score in case.task.scores
    }


def choose_steps(errors: Mapping[str, float], multiple: float, keys: Sequence[str]) -> dict[str, float]:
    """Return the steps that a build would choose at a multiple of the standard errors."""
    return {key: choose_step(multiple * errors[key]) for key in keys if errors[key] > 0}


def without_ends(line: Line) -> Line:
    """Return a line's scores, without the ends of their intervals."""
    return {key: value for key, value in line.items() if not key.endswith(ENDS)}


def with_ends(steps: Mapping[str, float]) -> dict[str, float]:
    """Return the steps of a board that also shows the ends of each interval, in the steps of their score."""
    return {**steps, **{key + end: step for key, step in steps.items() for end in ENDS}}


def default_board(case: Case, errors: Mapping[str, float]) -> Board:
    """Return the recommended board for a hidden set: the primary score only, in steps of its standard error, and not
    lower than the baseline's."""
    primary = case.task.primary.key
    steps = choose_steps(errors, 1, [primary])
    floor = coarse_scores(Board(case).exact(case.baseline), steps)
    return Board(case, steps, floor)


def points_right(labels: np.ndarray, decoded: np.ndarray) -> float:
    """Return the percentage of right labels, above the mean for the same answers in random order."""
    there = labels >= 0
    labels, decoded = labels[there], decoded[there]
    chance = sum(float((labels == value).mean() * (decoded == value).mean()) for value in np.unique(labels))
    return 100 * float((labels == decoded).mean() - chance)


def entropy(lines: Sequence[Line]) -> float:
    """Return the entropy of the lines that a board showed, in bits."""
    occurred: dict[tuple, int] = {}
    for line in lines:
        key = tuple(sorted(line.items()))
        occurred[key] = occurred.get(key, 0) + 1
    share = np.array(list(occurred.values())) / len(lines)
    return float(-(share * np.log2(share)).sum()) + 0.0


@cache
def errors_of(case_name: str) -> dict[str, float]:
    """Return `standard_errors` of a whole set; they are computed once."""
    from . import cases

    return standard_errors(getattr(cases, case_name)())
