"""Flips: one answer or a group is changed, and the adversary observes whether the board changes.

With steps, a flip is visible only if the score is at the edge of a step. An adversary with two sets of answers on the
two sides of an edge finds it by bisection, and then learns one label in each attempt. With a good system, one attempt
asks about a group of answers, and if none is wrong, all of them are certain.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from .boards import Board


class Certain(NamedTuple):
    """Labels that an adversary knows for certain, shape=(n,): 0 or 1, and the attempt since when; 0 is never."""

    labels: np.ndarray
    since: np.ndarray

    @classmethod
    def none(cls, n: int) -> Certain:
        return cls(np.full(n, -1), np.zeros(n, dtype=int))

    def learn(self, places: int | np.ndarray, label: int, attempt: int) -> None:
        self.labels[places], self.since[places] = label, attempt

    def share(self, attempts: int) -> float:
        """Return the share of the labels that are certain after some attempts."""
        return float(((self.since > 0) & (self.since <= attempts)).mean())


def climb_edge(
    board: Board, certain: Certain, tried: Any, rng: Any, rate: float = 0.5, alike: bool = False
) -> None:
    """Find the edge of a step near the baseline, then flip one answer after the other there.

    Random flips are asked until the line changes; bisection then gives two submissions on the two sides of an edge,
    which differ in one answer. If the better one becomes worse by a flip, the flipped answer was right; if the worse
    one becomes better, it was wrong, because no score becomes worse if an answer is corrected. If labels are not
    certain after that, another edge is looked for.

    Parameters
    ----------
    tried: indexes of the answers that are flipped at random, and later asked first.
    rate: the share of them that is flipped in an attempt.
    alike: whether the score depends only on the number of right and wrong answers of each value. A flip from the value
        that the answer at the edge had is then visible if and only if that label is the same, so that one attempt is
        enough for each label.
    """
    while not certain.since.all():
        sides = _edge(board, np.zeros(len(certain.since), dtype=bool), tried, rate, rng)
        rest = np.setdiff1d(np.arange(len(certain.since)), tried)
        _ask_at(sides, board, np.concatenate([rng.permutation(tried), rng.permutation(rest)]), alike, certain)


class Sides(NamedTuple):
    """Flips on the two sides of an edge, which differ in one answer, and the scores that they get."""

    last: int
    below: np.ndarray
    low: float
    above: np.ndarray
    high: float


def _edge(
    board: Board, nothing: np.ndarray, tried: np.ndarray, rate: float, rng: np.random.Generator
) -> Sides:
    """Return the sides of an edge of any column near some flips; from now on, the attack watches this column."""
    line = far_line = board.ask(board.case.flip(nothing))
    flips = nothing
    while far_line == line:
        flips = nothing.copy()
        flips[tried] = rng.random(len(tried)) < rate
        far_line = board.ask(board.case.flip(flips))
    primary = board.case.task.primary.key
    board.watched = next(key for key in (primary, *line) if line[key] != far_line[key])
    start, far_score = board.signed(line), board.signed(far_line)
    differing = rng.permutation(np.flatnonzero(flips))

    def between(size: int) -> np.ndarray:
        part = nothing.copy()
        part[differing[:size]] = True
        return part

    near, far = 0, len(differing)
    while far - near > 1:
        middle = (near + far) // 2
        at = board.score(board.case.flip(between(middle)))
        near, far, far_score = (middle, far, far_score) if at == start else (near, middle, at)
    (low, below), (high, above) = sorted([(start, near), (far_score, far)])
    return Sides(int(differing[far - 1]), between(below), low, between(above), high)


def _ask_at(sides: Sides, board: Board, places: np.ndarray, alike: bool, certain: Certain) -> None:
    """Flip each answer at the edge whose label is not certain yet."""
    last, below, low, above, high = sides
    answers = board.case.said.astype(bool) ^ above
    if not certain.since[last]:
        certain.learn(last, answers[last], board.attempts)
    for place in places.tolist():
        for state, edge, improved in ((below, low, True), (above, high, False)):
            if certain.since[place] or (alike and improved == (answers[place] == answers[last])):
                continue  # with `alike`, the flip at the edge was from the other value
            changed = state.copy()
            changed[place] = not changed[place]
            found = board.score(board.case.flip(changed))
            crossed = found > edge if improved else found < edge
            if crossed or alike:
                certain.learn(place, answers[place] ^ (crossed == improved), board.attempts)


RESERVE = 16
"""Answers of a good system that `group_tests` flips before it looks for an edge, to balance the groups."""


def group_tests(board: Board, certain: Certain, wrong: float | np.ndarray, rng: np.random.Generator) -> None:
    """Ask about groups of a good system's answers at the edge of a step, one class after the other.

    A group is flipped together with as many answers the other way, whose labels are certain and those that the group
    should have. If the group is as expected, the counts and the line stay the same, so one attempt makes all its labels
    certain. If not, bisection finds one unexpected label (Hwang, A method for detecting all defective members in a
    population by group testing, 1972). The score must depend only on the number of right and wrong answers of each
    value.

    Parameters
    ----------
    wrong: the share of the system's answers that are wrong, or the probability that each one is, shape=(n,), if the
        confidences of the system are calibrated. A group without an error is as probable as one with an error. The
        surest answers are asked about first.
    """
    system = board.case.said
    doubt = -np.log1p(-np.broadcast_to(wrong, len(system)))
    for value in (1, 0):
        members = np.flatnonzero(system == value)
        while not certain.since[members].all():
            members = rng.permutation(members)
            members = members[np.argsort(doubt[members], kind="stable")]
            reserve = np.isin(np.arange(len(system)), members[:RESERVE])
            sides = _edge(board, reserve, members[RESERVE:], 0.1, rng)
            _ask_groups(sides, board, members, doubt, rng, certain)


def _ask_groups(
    sides: Sides,
    board: Board,
    members: np.ndarray,
    doubt: np.ndarray,
    rng: np.random.Generator,
    certain: Certain,
) -> None:
    """Ask about groups until the labels of all these answers are certain."""
    last, below, low, above, high = sides
    value = board.case.said[last]

    def balance(flipped: bool) -> np.ndarray:
        """Return the certain answers that balance a group of flipped or of other answers."""
        state = above if flipped else below
        return members[(certain.labels[members] == value) & (state[members] != flipped)]

    def is_expected(group: np.ndarray, flipped: bool) -> bool:
        state = (above if flipped else below).copy()
        state[group] = not flipped
        state[rng.permutation(balance(flipped))[: len(group)]] = flipped
        return board.score(board.case.flip(state)) == (high if flipped else low)

    def size_of(choice: np.ndarray) -> int:
        """Return how many of these answers are all right half of the time, at least one if there are any."""
        return max(int((doubt[choice].cumsum() <= np.log(2)).sum()), min(1, len(choice)))

    certain.learn(last, value ^ above[last], board.attempts)
    while True:
        open_ = members[certain.since[members] == 0]
        choices = {flipped: open_[below[open_] == flipped] for flipped in (False, True)}
        room = {each: min(size_of(choices[each]), len(balance(each))) for each in choices}
        flipped = max(room, key=lambda each: room[each])
        group = choices[flipped][: room[flipped]]
        if not len(group):
            return
        expected = is_expected(group, flipped)
        while not expected and len(group) > 1:
            half = group[: len(group) // 2]
            if is_expected(half, flipped):
                certain.learn(half, value, board.attempts)
                group = group[len(half) :]
            else:
                group = half
        certain.learn(group, value if expected else 1 - value, board.attempts)
