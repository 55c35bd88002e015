"""Tests of randomisation tests, against plain loops, all ways to swap, and the exact binomial distribution."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from spokeneval.metrics.bootstrap import SEED
from spokeneval.ranking import randomisation
from spokeneval.ranking.randomisation import (
    ROUNDS,
    mean_of_units,
    pseudo_values,
    randomisation_tests,
    studentised_p_values,
    units_needed,
)


def ratio(sums):
    """A score for small examples: the sum of the first column divided by that of the second."""
    return sums[:, 0] / sums[:, 1]


def exhaustive_p(first, second, score):
    """The share of all 2^n ways to swap with at least the observed difference."""
    observed = abs(score(first.sum(axis=0)[None])[0] - score(second.sum(axis=0)[None])[0])
    extreme = []
    for swaps in itertools.product([False, True], repeat=len(first)):
        swap = np.array(swaps)[:, None]
        mine, theirs = np.where(swap, second, first), np.where(swap, first, second)
        gap = abs(score(mine.sum(axis=0)[None])[0] - score(theirs.sum(axis=0)[None])[0])
        extreme.append(not gap < observed - 1e-10)
    return np.mean(extreme)


def test_of_few_units_every_way_to_swap_is_taken():
    state = np.random.RandomState(2)
    values = np.stack([state.randint(0, 5, (3, 9)), state.randint(1, 6, (3, 9))], axis=2).astype(float)
    values[0, :, 0] += 5
    found = randomisation_tests(values, ratio)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert found[a, b] == found[b, a] == exhaustive_p(values[a], values[b], ratio)
    assert found.diagonal().tolist() == [1, 1, 1]
    assert found.min() < 0.05 < found[1, 2]


@pytest.mark.parametrize("units", [3, 11, 13])
def test_of_all_ways_none_is_left_out_whichever_units_come_first(units):
    """Two systems that differ by 1 in three units: two of eight choices of signs have the same difference."""
    differences = np.zeros((2, units, 1))
    differences[0, :3] = 1
    for values in (differences, differences[:, ::-1]):
        assert randomisation_tests(values, mean_of_units(units))[0, 1] == 0.25


def test_randomisation_agrees_with_a_loop_on_the_same_draws():
    state = np.random.RandomState(3)
    values = state.randint(1, 9, (2, 12, 2)).astype(float)
    values[0, :, 0] += 3
    rounds = 1000
    keep = np.random.RandomState(SEED).randint(0, 2, size=(rounds, 12)).astype(bool)
    observed = abs(np.subtract(*ratio(values.sum(axis=1))))
    extreme = 0
    for kept in keep:
        mine, theirs = values[0].copy(), values[1].copy()
        mine[~kept], theirs[~kept] = values[1][~kept], values[0][~kept]
        extreme += abs(mine[:, 0].sum() / mine[:, 1].sum() - theirs[:, 0].sum() / theirs[:, 1].sum()) >= (
            observed - 1e-10
        )
    assert randomisation_tests(values, ratio, rounds=rounds)[0, 1] == (1 + extreme) / (1 + rounds)


def test_a_round_without_a_score_counts_against_a_difference():
    values = np.array([[[1.0, 1.0], [1.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    undefined = lambda sums: np.where(sums[:, 0] == 1, np.nan, sums[:, 0])  # noqa: E731
    # Swapping both or none keeps the gap; swapping one gives each a sum of 1, which has no score.
    assert randomisation_tests(values, undefined, rounds=100)[0, 1] == 1


def test_stopping_early_never_changes_a_verdict(monkeypatch):
    state = np.random.RandomState(4)
    values = state.rand(6, 40, 2) + 0.2
    values[:, :, 0] += np.arange(6)[:, None] * 0.05
    stopped = randomisation_tests(values, ratio, rounds=4000)
    with monkeypatch.context() as patched:
        patched.setattr(randomisation, "_BATCH", 4000)
        whole = randomisation_tests(values, ratio, rounds=4000)
    assert 0 < np.sum(whole <= 0.05) < 30, "the example must have differences of both kinds"
    np.testing.assert_array_equal(stopped <= 0.05, whole <= 0.05)
    np.testing.assert_allclose(stopped[whole <= 0.05], whole[whole <= 0.05], rtol=0, atol=1e-12)


def tail_of_binomial(units, wins):
    """The exact two-sided p of a sum of signs: the probability that so many of `units` fair coins agree."""
    return 2 * sum(math.comb(units, count) for count in range(wins, units + 1)) / 2**units


def test_where_no_round_comes_as_far_p_is_a_bound_that_is_near():
    # 400 units of which the first system wins 250: p is that of 250 heads in 400 coins, 6.6e-7.
    values = np.stack([np.arange(400) < 250, np.arange(400) >= 250], axis=0)[:, :, None].astype(float)
    found = randomisation_tests(values, mean_of_units(400))[0, 1]
    exact = tail_of_binomial(400, 250)
    assert exact < found < 5 * exact < 1e-4
    # 230 heads, 0.0032: rounds can tell.
    values = np.stack([np.arange(400) < 230, np.arange(400) >= 230], axis=0)[:, :, None].astype(float)
    found = randomisation_tests(values, mean_of_units(400))[0, 1]
    exact = tail_of_binomial(400, 230)
    assert abs(found - exact) < 4 * np.sqrt(exact / ROUNDS)


def test_a_clear_difference_has_a_p_that_is_small_but_not_0():
    stats = pytest.importorskip("scipy.stats")
    values = np.repeat([1.0, 0.0], 1000).reshape(2, 1000, 1)
    p = randomisation_tests(values, mean_of_units(1000))[0, 1]
    # A difference of all 1,000 signs is as many standard deviations as their root, whatever the rounds found.
    assert np.log(p) == pytest.approx(np.log(2 * 3.178) + stats.norm.logsf(np.sqrt(1000)), abs=1e-3)


def test_the_fewest_units_for_a_significant_difference():
    # 15 pairs of 6 systems: 15 * 2 / 2**9 = 0.059, 15 * 2 / 2**10 = 0.029. One pair: 2 / 2**5 = 0.06, 2 / 2**6 = 0.03.
    assert units_needed(6) == 10
    assert units_needed(2) == 6
    assert units_needed(100) > units_needed(20) == 13


def test_pseudo_values_of_a_mean_are_the_values():
    # Tukey's pseudo-values of a mean are the observations themselves; those of a ratio by hand:
    # sums 6/4, without the first 4/3, so 2 * 6/4 - 4/3 = 5/3; without the second 2/1: 2 * 6/4 - 2 = 1.
    mean = lambda sums: sums[:, 0] / sums[:, 1]  # noqa: E731
    ones = np.ones(3)
    found = pseudo_values(np.stack([[3.0, 5.0, 10.0], ones], axis=1)[None], mean)
    np.testing.assert_allclose(found[0, :, 0], [3, 5, 10], rtol=0, atol=1e-12)
    found = pseudo_values(np.array([[[2.0, 1.0], [4.0, 3.0]]]), ratio)
    np.testing.assert_allclose(found[0, :, 0], [5 / 3, 1], rtol=0, atol=1e-12)


def test_a_system_that_fails_on_few_units_is_not_called_worse_too_often():
    # 5 % errors for all but a tenth of speakers, and 85 % there, or 13 % for all: equal means. Of 150 sets of 30
    # speakers, fewer than 6 % (plus one standard error of 1.8) are told apart.
    rng, found = np.random.default_rng(5), 0
    for _ in range(150):
        rates = np.where(rng.random(30) < 0.1, 0.85, 0.05), np.full(30, 0.13)
        parts = np.stack([rng.binomial(100, rate) for rate in rates]) / 100
        swapped = randomisation_tests(parts[:, :, np.newaxis], mean_of_units(30), rounds=2000)
        found += studentised_p_values(swapped, parts)[0, 1] <= 0.05
    assert found <= 0.078 * 150


def test_the_studentised_bootstrap_only_raises_p_values_that_would_be_significant():
    parts = np.stack([np.where(np.arange(40) < 2, 6.0, -1.0), np.zeros(40), np.arange(40) % 3 - 0.5])
    given = np.array([[1, 0.03, 0.4], [0.03, 1, 1e-6], [0.4, 1e-6, 1]])
    found = studentised_p_values(given, parts)
    assert found[0, 1] == found[1, 0] > 0.1
    assert (found[2], given[2].tolist()) == (pytest.approx(given[2]), [0.4, 1e-6, 1])
