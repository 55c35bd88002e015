"""Leaderboards that answer submissions: counts by the task, scores, and steps, as on the platform."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from speechbundles.bundle.build.steps import step_of
from speechbundles.competition.read import read_competitions
from speechbundles.model.sources import Sources
from spokeneval.metrics.counts import number_or_array, taken, total
from spokeneval.scoring.options import (
    SetFeedback,
    Settings,
    Signature,
    Step,
    choose_options,
    choose_step,
    coarse_scores,
)
from spokeneval.scoring.scored import score_submission
from spokeneval.task import ENDS, HIGHER

from .cases import ROOT, Case

DEFAULT, ALONE = "default", "alone"

Line = Mapping[str, float]
Learned = TypeVar("Learned")


class AttemptsUsedUp(Exception):
    """A board has answered as many submissions as the attack may make."""


@dataclass
class Board:
    """A leaderboard that answers submissions.

    Attributes
    ----------
    case: the set.
    steps: `key -> step` of the shown scores; None if all scores are shown exactly.
    watched: the key of the score that an attack reads; the primary score by default.
    floor: the baseline's line, which is shown for submissions that are not better; None for a board without a floor.
    rows: the rows of counts that the platform has; None for all.
    ends: whether the ends of intervals are computed, which takes most of the time.
    attempts, limit: the number of submissions so far, and the largest.
    """

    case: Case
    steps: Mapping[str, Step] | None = None
    floor: Line | None = None
    rows: np.ndarray | None = None
    ends: bool = False
    watched: str = ""
    attempts: int = field(default=0, init=False)
    limit: float = field(default=math.inf, init=False)

    def ask(self, submission: Any) -> Line:
        """Return the line that a participant sees."""
        if self.attempts >= self.limit:
            raise AttemptsUsedUp
        self.attempts += 1
        return self.shown(self.exact(submission))

    def score(self, submission: Any) -> float:
        """Return the primary score that a participant sees; larger is better."""
        return self.signed(self.ask(submission))

    def shown(self, scores: Line) -> Line:
        if self.steps is None:
            return scores
        return SetFeedback(self.steps, self.floor).shown(scores, self.case.task.primary)

    def exact(self, submission: Any) -> dict[str, float]:
        """Return all scores in full precision, which only the organisers see."""
        task, reference = self.case.task, self.case.reference
        if self.ends:
            options = Settings(choose_options(task, {}), False, Signature(task.name))
            return score_submission(task, reference, submission, options).scores
        counts = task.count(reference, submission)
        if self.rows is not None:
            counts = {part: taken(each, self.rows) for part, each in counts.items()}
        totals = {part: total(each) for part, each in counts.items()}
        return {score.key: number_or_array(score.value(task.part(score, totals))) for score in task.scores}

    def primary(self, submission: Any) -> float:
        """Return the exact primary score; larger is better."""
        return self.signed(self.exact(submission))

    def signed(self, line: Line) -> float:
        """Return a line's primary score, or the watched one; larger is better."""
        key = self.watched or self.case.task.primary.key
        score = next(score for score in self.case.task.scores if score.key == key)
        return line[key] if score.direction == HIGHER else -line[key]


def attack(
    board: Board, strategy: Callable[[Board, Learned], object], learned: Learned, attempts: int
) -> Learned:
    """Let a strategy ask a board until it ends or the attempts are used up; return what it learned by then."""
    board.limit = attempts
    with suppress(AttemptsUsedUp):
        strategy(board, learned)
    return learned


@cache
def table_of(task: str) -> tuple[str, ...]:
    """Return the columns that a board of a hidden set of a task shows by default."""
    competitions = read_competitions(Sources(ROOT))
    return next(
        tuple(column.key for column in each.coarse_columns) for each in competitions if each.task == task
    )


def board_of(case: Case, kind: str = DEFAULT, columns: str = "primary", *, ends: bool = False) -> Board:
    """Return a board that shows the primary score only, those of the challenge's table, or all columns.

    Parameters
    ----------
    kind: "exact", or the step in standard errors, such as "0.5", with " floor" if there is one. `DEFAULT` is the board
        that the build makes for a hidden set, with the columns of the table; `ALONE` has its primary score only.
    ends: whether the ends of each interval are shown, in the steps of their score.
    """
    board = Board(case, ends=ends)
    if kind == "exact":
        return board
    multiple, _, floored = kind.partition(" ")
    table = table_of(case.task.name)
    keys = {"primary": table[:1], "table": table}.get(columns, tuple(case.errors))
    steps: dict[str, Step] = {}
    if kind in (DEFAULT, ALONE):
        floored, scores = kind, {score.key: score for score in case.task.scores}
        for key in table if kind == DEFAULT else table[:1]:
            steps[key] = step_of(scores[key], case.errors[key], is_first=key == table[0])
    else:
        shown = [key for key in keys if case.errors[key] > 0]
        steps.update({key: choose_step(float(multiple) * case.errors[key]) for key in shown})
    if ends:
        steps.update({key + end: step for key, step in steps.items() for end in ENDS})
    floor = coarse_scores(board.exact(case.baseline), steps) if floored else None
    return replace(board, steps=steps, floor=floor)


def points_right(labels: np.ndarray, decoded: np.ndarray) -> float:
    """Return the percentage of right labels, above the mean for the same answers in random order."""
    there = labels >= 0
    labels, decoded = labels[there], decoded[there]
    chance = sum(float((labels == value).mean() * (decoded == value).mean()) for value in np.unique(labels))
    return 100 * float((labels == decoded).mean() - chance)


def entropy(lines: Sequence[Line]) -> float:
    """Return the entropy of the lines that a board showed, in bits."""
    counts = Counter(tuple(sorted(line.items())) for line in lines)
    share = np.array(list(counts.values())) / len(lines)
    return float(-(share * np.log2(share)).sum()) + 0.0
