"""Sentences that explain figures that seem to contradict each other appear where they do, and only there."""

from dataclasses import replace

from speechbundles.publication.contradictions import (
    intervals_beside_tests,
    overlaps_beside_tests,
    ranges_beside_tests,
)
from tests.samples.boards import pair, ranking, rows


def test_an_interval_that_disagrees_with_p_is_explained_where_it_occurs():
    def explained(*more):
        return intervals_beside_tests(ranking([*agree, *more], rows(*[(1, 4)] * 4)))

    agree = [
        pair(0, 1),
        pair(0, 2, p=0.001, adjusted=0.003, low=0.1),
        pair(1, 2, p=0.05, adjusted=0.05, low=0.1),
    ]
    assert explained() == []
    (found,) = explained(pair(1, 3, p=0.0008, adjusted=0.005))
    assert found.startswith(
        "For s2 – s4, the interval and p disagree: the first interval includes 0, and p is 0.0008."
    )
    (found,) = intervals_beside_tests(
        ranking([*agree, pair(1, 3, p=0.06, low=0.1), pair(2, 3, p=0.001)], rows(*[(1, 4)] * 4))
    )
    assert found.startswith(
        "For s2 – s4 and 1 other pair, the interval and p disagree: the first interval does not"
    )
    (found,) = intervals_beside_tests(
        ranking([*agree, pair(0, 3, p=0.02, adjusted=0.12, low=0.1)], rows(*[(1, 4)] * 4))
    )
    assert found == (
        "For s1 – s4, the interval does not include 0, but the difference is not significant: an interval is for one "
        "pair alone, and p after Holm's correction allows for all 4 pairs."
    )


def test_a_range_of_ranks_that_disagrees_with_the_map_is_explained_where_it_occurs():
    significant = [pair(0, place, p=0.001, adjusted=0.01) for place in (1, 2)]
    assert ranges_beside_tests(ranking(significant, rows((1, 1), (2, 3), (2, 3)))) == []
    assert ranges_beside_tests(ranking([], rows((1, 3), (1, 3), (1, 3)))) == []
    (found,) = ranges_beside_tests(ranking(significant, rows((1, 3), (2, 3), (2, 3))))
    assert found.startswith(
        "The ranges of ranks of 1 system are wider than the significant differences suggest. s1 is significantly "
        "better than 2 and worse than 0 of the other 2 systems, which leaves 1; its range is 1–3. "
    )
    (found,) = ranges_beside_tests(ranking(significant, rows((1, 1), (2, 2), (3, 3))))
    assert found.startswith(
        "The ranges of ranks of 2 systems are narrower than the significant differences suggest. s2 is significantly "
        "better than 0 and worse than 1 of the other 2 systems, which leaves 2–3; its range is 2. "
    )


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
