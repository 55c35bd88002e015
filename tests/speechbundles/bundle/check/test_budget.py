"""Bits of a score on a grid and of labels; `test_check_leaks` has the findings that follow from them."""

import math

import numpy as np
import pytest

from speechbundles.bundle.check.budget import NARROWEST, TOLERATED, Unknown, bits_of_step, entropy


@pytest.mark.parametrize("multiple", [0.25, 0.5, 1, 2, 4])
def test_bits_of_a_step_are_the_entropy_of_rounded_normal_numbers(multiple):
    drawn = np.random.default_rng(1).normal(size=200_000)
    found = []
    for offset in np.arange(8) / 8:
        _, counts = np.unique(np.floor(drawn / multiple + offset), return_counts=True)
        share = counts / len(drawn)
        found.append(-(share * np.log2(share)).sum())
    assert bits_of_step(multiple) == pytest.approx(max(found), abs=0.01)


def test_halving_a_small_step_adds_a_bit_and_an_edge_has_one():
    # log2 of sqrt(2 pi e) / step: the differential entropy of a normal variable
    for multiple in (0.1, 0.01, 0.001):
        expected = 0.5 * math.log2(2 * math.pi * math.e) - math.log2(multiple)
        assert bits_of_step(multiple) == pytest.approx(expected, abs=1e-3)
    assert bits_of_step(100) == pytest.approx(1.0, abs=1e-9)


def test_bits_of_labels():
    assert entropy([0.5, 0.5]) == 1
    assert entropy([0.25] * 4) == 2
    assert math.copysign(1, entropy([1, 0])) == 1


def test_labels_have_the_entropy_of_the_errors_of_a_good_system():
    """H(0.95) = 0.28640 bits, and 0.05 * log2(3) = 0.07925 more for each of four classes."""
    two, four = Unknown([365, 287]), Unknown([14, 72, 87, 27])
    assert (two.bits, four.bits) == pytest.approx((652 * 0.28640, 200 * 0.36565), rel=1e-4)
    assert str(two) == "187 bits = 652 * (H(0.95)), for a system that is right on 95%"
    assert Unknown([365, 287], 0.99).bits == pytest.approx(652 * 0.080793, rel=1e-4)
    rare = Unknown([990, 10])  # everybody who answers with the frequent class is right on 99 %
    assert rare.bits == pytest.approx(80.793, rel=1e-4)
    assert str(rare) == "81 bits, their entropy"
    assert Unknown([100, 0]).bits == Unknown([100]).bits == 0


def test_what_the_default_limits_allow():
    psst, content = Unknown([365, 287]).bits, Unknown([14, 72, 87, 27]).bits
    assert 17 * bits_of_step(NARROWEST) <= TOLERATED * psst < 18 * bits_of_step(NARROWEST)
    assert 6 * bits_of_step(NARROWEST) <= TOLERATED * content < 7 * bits_of_step(NARROWEST)
