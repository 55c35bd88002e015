"""Tests of Holm's correction and of clusters, against hand calculations."""

from __future__ import annotations

import numpy as np

from spokeneval.ranking.multiple_comparisons import clusters, holm


def test_holm_by_hand():
    # p .01, .04, .03 of three pairs: sorted .01 * 3 = .03, .03 * 2 = .06, .04 * 1 = .04 raised to .06.
    p = np.ones((3, 3))
    p[0, 1] = p[1, 0] = 0.01
    p[0, 2] = p[2, 0] = 0.04
    p[1, 2] = p[2, 1] = 0.03
    expected = [[1, 0.03, 0.06], [0.03, 1, 0.06], [0.06, 0.06, 1]]
    np.testing.assert_allclose(holm(p), expected, rtol=0, atol=1e-12)
    assert holm(np.full((3, 3), 0.5)).max() == 1


def differing(systems, *pairs):
    matrix = np.zeros((systems, systems), dtype=bool)
    for a, b in pairs:
        matrix[a, b] = matrix[b, a] = True
    return matrix


def test_a_cluster_begins_where_a_system_differs_from_the_first_of_the_one_above():
    # Ranks 1-4; the first differs from the third; the third does not differ from the fourth, the second does.
    places = np.array([1, 2, 3, 4])
    assert clusters(places, differing(4, (0, 2), (0, 3), (1, 3))) == [1, 1, 2, 2]
    assert clusters(places, differing(4, (1, 2), (1, 3))) == [1, 1, 1, 1]
    assert clusters(places[::-1], differing(4, (3, 1), (3, 0), (1, 0))) == [3, 2, 1, 1]


def test_systems_that_tie_are_in_one_cluster():
    assert clusters(np.array([1, 2, 2]), differing(3, (0, 2))) == [1, 2, 2]
    assert clusters(np.array([1, 2, 2]), differing(3, (0, 1))) == [1, 2, 2]
