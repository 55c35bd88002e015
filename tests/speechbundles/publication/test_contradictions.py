"""Sentences that explain figures that seem to contradict each other appear where they do, and only there."""

from dataclasses import replace

import pytest

from speechbundles.publication.contradictions import (
    intervals_beside_tests,
    overlaps_beside_tests,
    ranges_beside_tests,
)
from tests.samples.boards import pair, ranking, rows


@pytest.mark.parametrize(
    ("more", "begins"),
    [
        ([], []),
        ([pair(1, 3, p=0.0008, adjusted=0.005)], ["For s2 – s4, the interval and p disagree"]),
        ([pair(1, 3, p=0.06, low=0.1), pair(2, 3, p=0.001)], ["For s2 – s4 and 1 other pair, the interval"]),
        ([pair(0, 3, p=0.02, adjusted=0.12, low=0.1)], ["For s1 – s4, the interval does not include 0, but"]),
    ],
)
def test_an_interval_that_disagrees_with_p_is_explained_where_it_occurs(more, begins):
    agree = [pair(0, 1), pair(0, 2, p=0.001, adjusted=0.003, low=0.1)]
    agree.append(pair(1, 2, p=0.05, adjusted=0.05, low=0.1))
    found = intervals_beside_tests(ranking([*agree, *more], rows(*[(1, 4)] * 4)))
    assert [text[: len(begin)] for text, begin in zip(found, begins, strict=True)] == begins


@pytest.mark.parametrize(
    ("differ", "ranges", "words"),
    [
        ((1, 2), [(1, 1), (2, 3), (2, 3)], None),
        ((), [(1, 3)] * 3, None),
        (
            (1, 2),
            [(1, 3), (2, 3), (2, 3)],
            ("For 1 system, the range of ranks is wider", "the tests leave 1; its range is 1–3."),
        ),
        (
            (1, 2),
            [(1, 1), (2, 2), (3, 3)],
            ("For 2 systems, the range of ranks is narrower", "the tests leave 2–3; its range is 2."),
        ),
    ],
)
def test_a_range_of_ranks_that_disagrees_with_the_map_is_explained_where_it_occurs(differ, ranges, words):
    significant = [pair(0, place, p=0.001, adjusted=0.01) for place in differ]
    found = ranges_beside_tests(ranking(significant, rows(*ranges)))
    assert len(found) == bool(words)
    assert all(word in found[0] for word in words or ())


def test_intervals_that_overlap_although_systems_differ_are_explained_where_it_occurs():
    apart, touching = rows((1, 2)) + rows((1, 2), interval=(2.0, 3.0)), rows((1, 2), (1, 2))
    differ, alike = pair(0, 1, p=0.001, adjusted=0.001), pair(0, 1)
    for board, found, expected in (
        (apart, differ, 0),
        (touching, alike, 0),
        (touching, differ, 1),
        ([replace(touching[0], interval=None), touching[1]], differ, 0),
    ):
        assert len(overlaps_beside_tests(ranking([found], board))) == expected
