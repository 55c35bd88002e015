"""Tests of the bootstrap: the draws, and the sums of resamples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from spokeneval.metrics import bootstrap
from spokeneval.metrics.bootstrap import bootstrap_scores, resample_draws, resample_weights, splitmix64


@dataclass(frozen=True)
class Values:
    """Fields of arbitrary numbers, several in each row."""

    values: np.ndarray


def test_the_generator_is_splitmix64():
    # The reference implementation's first numbers for seed 1234567 (Rosetta Code, "Pseudo-random numbers/Splitmix64").
    counters = [(1234567 + n * 0x9E3779B97F4A7C15) % 2**64 for n in range(1, 6)]
    assert splitmix64(np.array(counters, dtype=np.uint64)).tolist() == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
        4593380528125082431,
        16408922859458223821,
    ]


def splitmix(number: int, seed: int) -> int:
    """A number of the generator as in the figure of its paper, with Python's unbounded integers."""
    mixed = (seed + number * 0x9E3779B97F4A7C15) % 2**64
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB % 2**64
    return mixed ^ (mixed >> 31)


@pytest.mark.parametrize(("units", "resamples", "seed"), [(5, 3, 7), (1, 1, 1979), (300, 2, 0)])
def test_draws_are_the_high_half_of_consecutive_numbers(units, resamples, seed):
    numbers = [splitmix(number, seed) for number in range(1, 1 + units * resamples)]
    expected = np.reshape([(number >> 32) * units >> 32 for number in numbers], (resamples, units))
    draws = resample_draws(units, resamples=resamples, seed=seed)
    assert (draws.tolist(), draws.dtype) == (expected.tolist(), np.int64)
    weights = resample_weights(units, resamples=resamples, seed=seed)
    assert weights.tolist() == [np.bincount(row, minlength=units).tolist() for row in expected]
    assert weights.dtype == np.float64


def test_the_seed_is_that_of_every_set():
    assert (resample_draws(4) == resample_draws(4, resamples=2000, seed=1979)).all()
    assert (resample_weights(4) == resample_weights(4, resamples=2000, seed=1979)).all()


def test_counts_that_cannot_be_summed_are_refused():
    def formula(sums):
        return sums.values[:, 0]

    with pytest.raises(ValueError, match=r"^2 rows of counts; the weights are for 3$"):
        bootstrap_scores(Values(np.ones((2, 1))), formula, np.ones((1, 3)))
    for number in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"^a count is not finite$"):
            bootstrap_scores(Values(np.array([[1.0], [number]])), formula, np.ones((1, 2)))


def test_sums_of_fractions_are_those_of_a_loop_whatever_the_order():
    values = np.random.default_rng(0).random((30, 3))
    weights = resample_weights(30, resamples=50)

    def second(sums: Values) -> np.ndarray:
        return sums.values[:, 1]

    found = bootstrap_scores(Values(values), second, weights)
    for resample in range(50):
        expected = 0.0
        for unit in range(30):
            expected += weights[resample, unit] * values[unit, 1]
        assert abs(found[resample] - expected) < 1e-13
    order = np.random.default_rng(1).permutation(30)
    assert (bootstrap_scores(Values(values[order]), second, weights[:, order]) == found).all()


@pytest.mark.parametrize("at_a_time", [1, 70, 1 << 30])
def test_resamples_are_the_same_however_many_are_worked_on_at_a_time(monkeypatch, at_a_time):
    rows = Values(np.random.default_rng(0).random((30, 7)))
    weights = resample_weights(30)

    def scores():
        return bootstrap_scores(rows, lambda sums: sums.values[:, 1] / sums.values[:, 3], weights)

    found = scores()
    monkeypatch.setattr(bootstrap, "_AT_A_TIME", at_a_time)
    assert (resample_weights(30) == weights).all()
    assert (scores() == found).all()


@pytest.mark.parametrize("draw", [resample_draws, resample_weights])
@pytest.mark.parametrize(("units", "resamples"), [(0, 1), (1, 0)])
def test_there_is_something_to_draw(draw, units, resamples):
    with pytest.raises(
        ValueError, match=f"^{units} units, {resamples} resamples; expected at least one of each$"
    ):
        draw(units, resamples=resamples)
