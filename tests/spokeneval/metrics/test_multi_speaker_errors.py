"""Errors of meetings against all assignments and alignments, and those that MeetEval gave."""

from __future__ import annotations

import random
from functools import cache
from itertools import permutations

import numpy as np
import pytest

from spokeneval.metrics import multi_speaker_errors
from spokeneval.metrics.multi_speaker_errors import MeetingErrors, Stream, errors_per_meeting
from spokeneval.metrics.transcript_errors import errors
from tests.samples.meetings import Meeting, Segment, random_meeting, streams

NOBODY = Stream((), np.zeros((0, 2), dtype=np.int64))


def by_recursion(said: Stream, heard: Stream, timed: bool) -> tuple[int, int]:
    """Errors and deletions of the best alignment of two streams."""

    @cache
    def best(m: int, n: int) -> tuple[int, int]:
        if not m or not n:
            return m + n, m
        ways = [(errors + 1, deleted) for errors, deleted in [best(m, n - 1)]]
        ways += [(errors + 1, deleted + 1) for errors, deleted in [best(m - 1, n)]]
        (start, end), (other, last) = said.times[m - 1], heard.times[n - 1]
        if not timed or (start < last and other < end):
            pair, deleted = best(m - 1, n - 1)
            ways.append((pair + (said.symbols[m - 1] != heard.symbols[n - 1]), deleted))
        return min(ways)

    return best(len(said.symbols), len(heard.symbols))


def by_hand(said: list[Stream], heard: list[Stream], timed: bool) -> tuple[int, int]:
    """Errors and deletions of the best of all assignments."""
    most = max(len(said), len(heard))
    said, heard = ([*side, *[NOBODY] * (most - len(side))] for side in (said, heard))
    found = [[by_recursion(a, b, timed) for b in heard] for a in said]
    orders = permutations(range(most))
    return min(tuple(sum(found[a][b][k] for a, b in enumerate(order)) for k in (0, 1)) for order in orders)


@pytest.mark.parametrize(("timed", "long"), [(False, 1000), (False, 0), (True, 1000)])
def test_errors_are_those_of_the_best_of_all_assignments(monkeypatch, timed: bool, long: int) -> None:
    monkeypatch.setattr(multi_speaker_errors, "_LONG", long)
    rng = random.Random(1)
    meetings = [random_meeting(rng, speakers=4, most=2) for _ in range(60)]
    sides = [streams(said) for said, _ in meetings], [streams(heard, 2) for _, heard in meetings]
    rows = errors_per_meeting(*sides, timed=timed)
    assert list(zip(errors(rows), rows.deletions)) == [by_hand(*pair, timed) for pair in zip(*sides)]
    speakers = np.array([[len(said), len(heard)] for said, heard in zip(*sides)])
    assert rows.missed_speakers.tolist() == np.maximum(speakers[:, 0] - speakers[:, 1], 0).tolist()
    assert rows.added_speakers.tolist() == np.maximum(speakers[:, 1] - speakers[:, 0], 0).tolist()


def counted(meetings: list[Meeting], collar: float | None) -> MeetingErrors:
    sides = [streams(said) for said, _ in meetings], [streams(heard, collar or 0) for _, heard in meetings]
    return errors_per_meeting(*sides, timed=collar is not None)


# Errors of MeetEval 0.4.3 (cp_word_error_rate, tcp_word_error_rate), with times as `decimal.Decimal`.
RECORDED: dict[float | None, tuple[int, list[int]]] = {
    None: (4795, [2, 0, 15, 32, 4, 1, 20, 10, 52, 6, 5, 58]),
    5: (5651, [2, 0, 16, 35, 4, 1, 21, 10, 75, 12, 5, 58]),
    0.5: (7512, [6, 0, 30, 45, 13, 1, 37, 10, 89, 24, 7, 58]),
}


def test_errors_are_those_that_meeteval_gives() -> None:
    rng = random.Random(2027)
    meetings = [random_meeting(rng) for _ in range(200)]
    for collar, (total, first) in RECORDED.items():
        found = errors(counted(meetings, collar))
        assert (int(found.sum()), found[:12].tolist()) == (total, first)


def test_streams_without_a_time_for_each_symbol_are_refused() -> None:
    with pytest.raises(ValueError, match="0 times of 1 symbols"):
        errors_per_meeting([[Stream("a")]], [[Stream("b")]], timed=True)
    with pytest.raises(ValueError, match="0 and 1 meetings"):
        errors_per_meeting([], [[]], timed=False)


def test_words_pair_only_if_they_overlap_for_more_than_an_instant() -> None:
    # The word lasts from 1 to 2 s; its centre, with the collar of 0.5 s, touches it from 2.5 s on.
    said = [[Segment("A", 100, 200, ["yes"])]]
    for start, wrong in ((249, 0), (250, 2)):
        rows = errors_per_meeting(
            [streams(side) for side in said],
            [streams([Segment("x", start, start, ["yes"])], 0.5)],
            timed=True,
        )
        assert errors(rows).tolist() == [wrong]
