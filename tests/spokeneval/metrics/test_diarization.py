"""Counts of turns by hand and millisecond by millisecond; the tests of the kind of turns have the other software."""

import numpy as np
import pytest

from spokeneval.metrics.counts import total
from spokeneval.metrics.diarization import (
    errors_per_recording,
    jaccard_error_rate,
    label_times_per_recording,
    overlaps,
)
from spokeneval.metrics.sweeps import Recording, Turns


def recorded(reference, hypothesis, regions, excluded=()):
    """A recording from the turns of each of two labels on both sides."""
    return Recording(Turns.of_labels(*reference), Turns.of_labels(*hypothesis), regions, excluded)


def counted(*recordings):
    found = list(map(overlaps, recordings))
    errors = total(errors_per_recording(found, mapped=False))
    return errors, total(label_times_per_recording(found, labels=2))


def random_recording(rng, length=40):
    def spans(most, length):
        start = rng.integers(0, length, rng.integers(0, most + 1))
        return np.stack([start, start + rng.integers(1, length // 2, len(start))], axis=1)

    sides = [[spans(4, length), spans(3, length)] for _ in range(2)]
    regions = np.concatenate([[[3, length - 5]], spans(2, length)])[-2:]
    return recorded(*sides, regions, spans(2, length // 4) + rng.integers(length))


@pytest.mark.parametrize("shift", [0, 0.25])
def test_counts_are_those_of_every_millisecond(shift):
    rng = np.random.default_rng(12)
    for _ in range(50):
        recording = random_recording(rng)
        times, wrong = np.zeros(4), np.zeros((3, 2))
        for frame in range(120):
            active = [[start <= frame < end for start, end in side] for side in recording[2:]]
            if not any(active[0]) or any(active[1]):
                continue
            r, h = (
                {int(label) for (start, end), label in zip(*turns) if start <= frame < end}
                for turns in recording[:2]
            )
            common = len(r & h)
            times += [
                len(r),
                max(0, len(r) - len(h)),
                max(0, len(h) - len(r)),
                min(len(r), len(h)) - common,
            ]
            wrong += [[label in side for label in (0, 1)] for side in (r, r - h, h - r)]
        moved = [Turns(spans + shift, labels) for spans, labels in recording[:2]]
        errors, labels = counted(Recording(*moved, *(side + shift for side in recording[2:])))
        assert [errors.reference, errors.miss, errors.false_alarm, errors.confusion] == times.tolist()
        assert [
            labels.reference.tolist(),
            labels.missed.tolist(),
            labels.false_alarm.tolist(),
        ] == wrong.tolist()


def test_fractions_of_a_millisecond_are_kept():
    errors, _ = counted(recorded(([(0.25, 1.5)], []), ([(0.75, 1.625)], []), [(0.0, 2.0)]))
    assert (errors.reference, errors.miss, errors.false_alarm, errors.confusion) == (1.25, 0.5, 0.125, 0)
    assert errors.jaccard == pytest.approx(1 - 0.75 / 1.375)


def test_jaccard_error_rate_by_hand_and_as_dscore_has_it():
    # Label 0 is active 0-4 and 6-8 s, claimed 1-5 s: 3 in common of 7. Label 1 4-6 s, claimed 5-8 s: 1 of 4. In the
    # second recording label 0 0-2 s, claimed never; label 1, claimed there, counts nothing, as it is never active.
    # dscore's jer (commit f41bd1bc), given these durations and what a label has in common with itself: 77.38095.
    first = recorded(
        *(([(0, 4000), (6000, 8000)], [(4000, 6000)]), ([(1000, 5000)], [(5000, 8000)]), [(0, 8000)])
    )
    second = recorded(([(0, 2000)], []), ([], [(0, 1000)]), [(0, 8000)])
    errors, _ = counted(first, second)
    assert (errors.labels, errors.jaccard) == (3, pytest.approx(4 / 7 + 3 / 4 + 1, rel=0, abs=1e-12))
    assert round(100 * jaccard_error_rate(errors), 5) == 77.38095


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        (Turns([(1, 2, 3)], [0]), "reference: expected numbers"),
        (Turns([("1", "2")], [0]), "reference: expected numbers"),
        *(
            (Turns([span], [0]), "reference: expected 0 <= start < end")
            for span in ((5, 5), (-1, 3), (0, np.inf), (0.0, np.nan))
        ),
        *((Turns([(0, 1)], labels), "reference: expected 1 label numbers") for labels in ([-1], [], [0.5])),
    ],
)
def test_overlaps_refuse_what_are_no_turns(turns, message):
    with pytest.raises(ValueError, match=message):
        overlaps(Recording(turns, turns, [(0, 9)]))
    with pytest.raises(ValueError, match="0 recordings"):
        errors_per_recording([], mapped=False)
