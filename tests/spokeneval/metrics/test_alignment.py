"""Alignments with weighted errors, and the partners of symbols."""

from __future__ import annotations

import numpy as np

from spokeneval.metrics.alignment import cheapest_path, partners
from spokeneval.metrics.edit_distance import encode
from spokeneval.metrics.phoneme_recognition import FeatureTable, feature_error_rate


def test_savings_are_counted_beyond_every_size_of_number():
    # A pair of one feature saves 8 quarters: 16 of them 2**7, 32 of them 2**8.
    table = FeatureTable(("A",), ("high",), (("+",),))
    for number in (15, 16, 31, 32):
        phones = [["A"] * number]
        assert feature_error_rate(phones, phones, table=table) == 0


def test_partners_are_those_of_the_cheapest_path() -> None:
    rng = np.random.default_rng(3)
    sides = [["".join(rng.choice([*"abc"], rng.integers(9))) for _ in range(300)] for _ in range(2)]
    sides[0][0], sides[1][0] = "ab" * 300, "ba" * 310 + "c"
    reference, hypothesis = encode(*([list(text) for text in side] for side in sides))
    found = partners(reference, hypothesis).tolist()
    error = 2000  # outweighs any number of insertions and deletions
    costs = error * (1 - np.eye(3, dtype=int)), np.full(3, error + 1)
    expected = []
    for row in range(300):
        codes = (side.codes[side.starts[row] :][: side.lengths[row]] for side in (reference, hypothesis))
        place = 0
        for a, b in cheapest_path(*codes, *costs):
            expected += [] if a is None else [-1 if b is None else place]
            place += b is not None
    assert found == expected
