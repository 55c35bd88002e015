"""Flips: one answer or a group is changed, and the adversary observes whether the board changes.

Blind flips start from any answers. With steps, a flip is visible only if the score is at the edge of a step. An
adversary with two sets of answers on the two sides of an edge finds it by bisection, and then learns one label in each
attempt. With a good system, one attempt asks about a group of answers, and if none is wrong, all of them are certain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from .boards import Board

Give = Callable[[np.ndarray], Any]


class Flips(NamedTuple):
    """Result of single flips: how many were visible, how many of these in the right direction, and the answers."""

    asked: int
    shown: int
    right: int
    answers: np.ndarray


def flip_each(board: Board, answers: np.ndarray, places: np.ndarray, attempts: int) -> Flips:
    """Flip one binary answer after the other, and keep each flip that raises the primary score."""
    labels, give = board.case.labels, board.case.give
    answers = answers.copy()
    start = board.ask(give(answers))
    shown = right = asked = 0
    kept = answers.copy()
    for place in places.tolist():
        if board.attempts >= attempts:
            break
        changed = answers.copy()
        changed[place] = 1 - changed[place]
        line = board.ask(give(changed))
        asked += 1
        shown += line != start
        better = board.signed(line) - board.signed(start)
        right += better != 0 and (better > 0) == (changed[place] == labels[place])
        if better > 0:
            kept[place] = changed[place]
    return Flips(asked, shown, right, kept)


class Certain(NamedTuple):
    """Labels that an adversary knows for certain, shape=(n,): 0 or 1, and the attempt since when; 0 is never."""

    labels: np.ndarray
    since: np.ndarray

    def share(self, attempts: int) -> float:
        """Return the share of the labels that are certain after some attempts."""
        return float(((self.since > 0) & (self.since <= attempts)).mean())


def climb_edge(
    board: Board,
    submit: Give,
    baseline: np.ndarray,
    tried: np.ndarray,
    attempts: int,
    rng: np.random.Generator,
    *,
    rate: float = 0.5,
    alike: bool = False,
) -> Certain:
    """Find the edge of a step near the baseline, then flip one answer after the other there.

    Random flips are asked until the line changes; bisection then gives two submissions on the two sides of an edge,
    which differ in one answer. If the better one becomes worse by a flip, the flipped answer was right; if the worse
    one becomes better, it was wrong, because no score becomes worse if an answer is corrected. If labels are not
    certain after that, another edge is looked for.

    Parameters
    ----------
    submit: makes a submission from flips, bool, shape=(n,): the baseline with these answers flipped.
    baseline: shape=(n,), 0 or 1: its answers.
    tried: indexes of the answers that are flipped at random, and later asked first.
    rate: the share of them that is flipped in an attempt.
    alike: whether the score depends only on the number of right and wrong answers of each value. A flip from the value
        that the answer at the edge had is then visible if and only if that label is the same, so that one attempt is
        enough for each label.
    """
    certain = Certain(np.full(len(baseline), -1), np.zeros(len(baseline), dtype=int))
    while board.attempts < attempts and not certain.since.all():
        sides = _edge(board, submit, np.zeros(len(baseline), dtype=bool), tried, rate, attempts, rng)
        if sides is None:
            break
        _ask_at(sides, board, submit, baseline, tried, attempts, rng, alike, certain)
    return certain


class Sides(NamedTuple):
    """Flips on the two sides of an edge, which differ in one answer, and the scores that they get."""

    last: int
    below: np.ndarray
    low: float
    above: np.ndarray
    high: float


def _edge(
    board: Board,
    submit: Give,
    nothing: np.ndarray,
    tried: np.ndarray,
    rate: float,
    attempts: int,
    rng: np.random.Generator,
) -> Sides | None:
    """Return the sides of an edge near the baseline, or None if the attempts are used up before."""

    def score(flips: np.ndarray) -> float:
        return board.signed(board.ask(submit(flips)))

    start = found = score(nothing)
    flips = nothing
    while found == start:
        if board.attempts >= attempts:
            return None
        flips = nothing.copy()
        flips[tried] = rng.random(len(tried)) < rate
        found = score(flips)
    differing = rng.permutation(np.flatnonzero(flips))

    def between(size: int) -> np.ndarray:
        part = nothing.copy()
        part[differing[:size]] = True
        return part

    near, far, far_score = 0, len(differing), found
    while far - near > 1 and board.attempts < attempts:
        middle = (near + far) // 2
        at = score(between(middle))
        near, far, far_score = (middle, far, far_score) if at == start else (near, middle, at)
    if far - near > 1:
        return None
    (low, below), (high, above) = sorted([(start, near), (far_score, far)])
    return Sides(int(differing[far - 1]), between(below), low, between(above), high)


def _ask_at(
    sides: Sides,
    board: Board,
    submit: Give,
    baseline: np.ndarray,
    tried: np.ndarray,
    attempts: int,
    rng: np.random.Generator,
    alike: bool,
    certain: Certain,
) -> None:
    """Flip each answer at the edge whose label is not certain yet."""
    last, below, low, above, high = sides

    def learn(place: int, label: bool) -> None:
        certain.labels[place], certain.since[place] = label, board.attempts

    at_edge = bool(baseline[last]) ^ bool(above[last])
    if not certain.since[last]:
        learn(last, at_edge)
    rest = np.setdiff1d(np.arange(len(baseline)), tried)
    for place in (*rng.permutation(tried).tolist(), *rng.permutation(rest).tolist()):
        answer = bool(baseline[place]) ^ bool(above[place])
        for state, edge, improved in ((below, low, True), (above, high, False)):
            if certain.since[place] or board.attempts >= attempts:
                break
            if alike and improved == (answer == at_edge):
                continue  # the flip at the edge was from the other value
            changed = state.copy()
            changed[place] = not changed[place]
            found = board.signed(board.ask(submit(changed)))
            crossed = found > edge if improved else found < edge
            if crossed:
                learn(place, answer ^ improved)
            elif alike:
                learn(place, answer ^ (not improved))


RESERVE = 16
"""Answers of a good system that `group_tests` flips before it looks for an edge, to balance the groups."""


def group_tests(
    board: Board, submit: Give, system: np.ndarray, wrong: float, attempts: int, rng: np.random.Generator
) -> Certain:
    """Ask about groups of a good system's answers at the edge of a step, one class after the other.

    A group is flipped together with as many answers the other way, whose labels are certain and those that the group
    should have. If the group is as expected, the counts and the line stay the same, so one attempt makes all its labels
    certain. If not, bisection finds one unexpected label (Hwang, A method for detecting all defective members in a
    population by group testing, 1972). The score must depend only on the number of right and wrong answers of each
    value.

    Parameters
    ----------
    submit: makes a submission from flips of the system's answers, bool, shape=(n,).
    system: shape=(n,), 0 or 1: its answers.
    wrong: the share of wrong ones, which decides the size of the groups.
    """
    certain = Certain(np.full(len(system), -1), np.zeros(len(system), dtype=int))
    size = 2 ** int(np.log2(max(1.0, np.log(2) / wrong)))
    for value in (1, 0):
        members = np.flatnonzero(system == value)
        while board.attempts < attempts and not certain.since[members].all():
            members = rng.permutation(members)
            reserve = np.isin(np.arange(len(system)), members[:RESERVE])
            sides = _edge(board, submit, reserve, members[RESERVE:], 0.1, attempts, rng)
            if sides is not None:
                _ask_groups(sides, board, submit, system, members, size, attempts, rng, certain)
    return certain


def _ask_groups(
    sides: Sides,
    board: Board,
    submit: Give,
    system: np.ndarray,
    members: np.ndarray,
    size: int,
    attempts: int,
    rng: np.random.Generator,
    certain: Certain,
) -> None:
    """Ask about groups until the labels of all these answers are certain."""
    last, below, low, above, high = sides
    value = system[last]

    def learn(places: np.ndarray, label: int) -> None:
        certain.labels[places], certain.since[places] = label, board.attempts

    def balance(flipped: bool) -> np.ndarray:
        """Return the certain answers that balance a group of flipped or of other answers."""
        state = above if flipped else below
        return members[(certain.labels[members] == value) & (state[members] != flipped)]

    def is_expected(group: np.ndarray, flipped: bool) -> bool:
        state = (above if flipped else below).copy()
        state[group] = not flipped
        state[rng.permutation(balance(flipped))[: len(group)]] = flipped
        return board.signed(board.ask(submit(state))) == (high if flipped else low)

    learn(np.array([last]), int(value ^ above[last]))
    while board.attempts < attempts:
        open_ = members[certain.since[members] == 0]
        choices = {flipped: open_[below[open_] == flipped] for flipped in (False, True)}
        room = {each: min(size, len(choices[each]), len(balance(each))) for each in choices}
        flipped = max(room, key=lambda each: room[each])
        group = choices[flipped][: room[flipped]]
        if not len(group):
            return
        expected = is_expected(group, flipped)
        while not expected and len(group) > 1 and board.attempts < attempts:
            half = group[: len(group) // 2]
            if is_expected(half, flipped):
                learn(half, value)
                group = group[len(half) :]
            else:
                group = half
        if expected or len(group) == 1:
            learn(group, value if expected else 1 - value)
