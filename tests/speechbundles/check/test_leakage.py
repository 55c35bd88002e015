"""The leakage budget: bits of a grid, bits of labels, and their quotient."""

import math

import numpy as np
import pytest

from speechbundles.check.leakage import (
    EXACT_BITS,
    TOLERATED,
    Budget,
    bits_of_step,
    label_entropy,
    leakage_budget,
)


@pytest.mark.parametrize("multiple", [0.25, 0.5, 1, 2, 4])
def test_bits_of_a_step_are_the_entropy_of_rounded_normal_numbers(multiple):
    drawn = np.random.default_rng(1).normal(size=200_000)
    found = []
    for offset in np.arange(8) / 8:
        _, counts = np.unique(np.floor(drawn / multiple + offset), return_counts=True)
        share = counts / len(drawn)
        found.append(-(share * np.log2(share)).sum())
    assert bits_of_step(multiple) == pytest.approx(max(found), abs=0.01)


def test_halving_a_small_step_tells_a_bit_more():
    # log2 of sqrt(2 pi e) / step: the differential entropy of a normal variable
    for multiple in (0.1, 0.01, 0.001):
        expected = 0.5 * math.log2(2 * math.pi * math.e) - math.log2(multiple)
        assert bits_of_step(multiple) == pytest.approx(expected, abs=1e-3)


def test_a_step_of_many_standard_errors_tells_a_bit_at_its_edge():
    assert bits_of_step(100) == pytest.approx(1.0, abs=1e-9)


def test_a_step_of_nothing_is_exact():
    """From 65536 steps in nine standard errors on."""
    assert bits_of_step(1e-12) == EXACT_BITS == 53
    assert bits_of_step(9 / 65536.5) == EXACT_BITS
    assert bits_of_step(9 / 65535.5) < 15


@pytest.mark.parametrize("multiple", [0.0, -1.0, math.nan, math.inf])
def test_a_step_is_above_0(multiple):
    with pytest.raises(ValueError, match="expected a number above 0"):
        bits_of_step(multiple)


def test_bits_of_labels():
    assert label_entropy([100, 100]) == 200
    assert label_entropy([50] * 4) == 400
    assert label_entropy([7, 0]) == label_entropy([1]) == 0
    assert math.copysign(1, label_entropy([7, 0])) == 1


@pytest.mark.parametrize("counts", [[], [0, 0], [5, -1]])
def test_labels_are_some(counts):
    with pytest.raises(ValueError, match="expected some, none negative"):
        label_entropy(counts)


def test_budgets_add_up_over_attempts_and_numbers():
    one = leakage_budget(1, [1.0], 1000).told
    assert leakage_budget(30, [1.0, 1.0], 1000).told == pytest.approx(60 * one)
    assert leakage_budget(2, [None], 1000).told == 106
    assert leakage_budget(0, [None], 1000) == Budget(0.0, 1000)
    with pytest.raises(ValueError, match="-1 attempts"):
        leakage_budget(-1, [], 1000)


def test_the_share_is_all_at_most():
    assert Budget(10, 100).share == 0.1
    assert Budget(1e9, 100).share == 1
    assert Budget(0, 0).share == 1  # labels that are known already


def test_what_the_default_limits_allow():
    psst, content = label_entropy([365, 287]), label_entropy([14, 72, 87, 27])
    assert leakage_budget(30, [1.0], psst).share <= TOLERATED
    assert leakage_budget(30, [1.0] * 3, psst).share > TOLERATED  # its interval's own ends too
    assert leakage_budget(30, [1.0], content).share > TOLERATED  # 200 responses are few
    assert leakage_budget(30, [None], psst).share > TOLERATED
