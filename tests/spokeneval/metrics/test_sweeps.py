"""Sweeps over turns, and spans of errors."""

import numpy as np
import pytest

from spokeneval.metrics.diarization import errors_per_recording, label_pairs, overlaps
from spokeneval.metrics.sweeps import Recording, Turns, error_spans, sweep


def random_turns(rng, labels, fraction):
    starts = rng.integers(0, 60, 8)
    spans = np.stack([starts, starts + rng.integers(1, 20, 8)], axis=1)
    return Turns(spans + fraction if fraction else spans, rng.integers(0, labels, 8))


@pytest.mark.parametrize("mapped", [False, True])
def test_spans_of_errors_are_as_long_as_the_times_in_error(mapped):
    rng = np.random.default_rng(14)
    seen = 0
    for _ in range(60):
        recording = Recording(random_turns(rng, 2, 0), random_turns(rng, 2, 0), [(5, 70)], [(20, 25)])
        times = overlaps(recording, collar=1, skip_overlap=True)
        errors = errors_per_recording([times], mapped=mapped)
        swept = sweep(recording, labels=2, collar=1, skip_overlap=True)
        spans = error_spans(swept, label_pairs(times, mapped=mapped))
        found = {name: np.diff(each).sum() for name, each in spans.items()}
        # Beyond overlaps, at most one label is missed, and as many are confused.
        assert (found["miss"], found["confusion"]) == (errors.miss, errors.confusion)
        assert (found["false_alarm"] > 0) == (errors.false_alarm > 0)
        for each in spans.values():
            assert (np.diff(each) > 0).all()
            assert (each[1:, 0] > each[:-1, 1]).all()
            seen += len(each) > 1
    assert seen > 30


def test_a_sweep_of_shifted_fractions_is_that_of_whole_times():
    rng = np.random.default_rng(15)
    for _ in range(40):
        sides = [random_turns(rng, 3, 0) for _ in range(2)]
        whole = sweep(Recording(*sides, [(5, 70)]), labels=3)
        moved = [Turns(spans + 0.25, labels) for spans, labels in sides]
        fractions = sweep(Recording(*moved, [(5.25, 70.25)]), labels=3)
        assert whole.instants.dtype == np.int64
        np.testing.assert_array_equal(whole.instants + 0.25, fractions.instants)
        for one, other in zip(whole[1:], fractions[1:]):
            np.testing.assert_array_equal(one, other)
