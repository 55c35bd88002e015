"""Edit distances of long sequences, and in parts."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from spokeneval.metrics import edit_distance
from spokeneval.metrics import transcript_errors as metrics
from spokeneval.metrics.phoneme_recognition import FeatureTable, feature_error_rate
from tests.samples.texts import WORDS, random_texts


def test_savings_are_counted_beyond_every_size_of_number():
    # A pair of one feature saves 8 quarters: 16 of them 2**7, 32 of them 2**8.
    table = FeatureTable(("A",), ("high",), (("+",),))
    for number in (15, 16, 31, 32):
        phones = [["A"] * number]
        assert feature_error_rate(phones, phones, table=table) == 0


def by_recursion(reference: tuple[str, ...], hypothesis: tuple[str, ...]) -> tuple[int, int, int]:
    """Substitutions, insertions and deletions of all alignments, compared one by one."""

    @cache
    def best(m: int, n: int) -> tuple[int, int, int, int, int]:
        """Errors, minus substitutions (the order of preference), then S, I, D, of the first m and n symbols."""
        if not m or not n:
            return (m + n, 0, 0, n, m)
        (_, _, s0, i0, d0), (_, _, s1, i1, d1), (_, _, s2, i2, d2) = (
            best(m - 1, n - 1),
            best(m, n - 1),
            best(m - 1, n),
        )
        s0 += reference[m - 1] != hypothesis[n - 1]
        ways = [(s0, i0, d0), (s1, i1 + 1, d1), (s2, i2, d2 + 1)]
        return min((s + i + d, -s, s, i, d) for s, i, d in ways)

    return best(len(reference), len(hypothesis))[2:]


@pytest.mark.parametrize("symbols", [1, 50, 1 << 22])
def test_substitutions_insertions_and_deletions_are_those_of_a_recursion(
    monkeypatch: pytest.MonkeyPatch, symbols: int
) -> None:
    monkeypatch.setattr(edit_distance, "_PART_SYMBOLS", symbols)
    reference, hypothesis = ([text.split() for text in side] for side in random_texts(1, 300))
    rows = metrics.errors_per_utterance(reference, hypothesis)
    expected = [by_recursion(tuple(r), tuple(h)) for r, h in zip(reference, hypothesis, strict=True)]
    assert list(zip(rows.substitutions, rows.insertions, rows.deletions, strict=True)) == expected


def test_long_sequences_of_different_lengths() -> None:
    rng = np.random.default_rng(2)
    lengths = [(1, 200), (200, 1), (180, 220), (37, 64), (64, 65), (300, 290)]
    pairs = [tuple(tuple(rng.choice(WORDS, n)) for n in pair) for pair in lengths]
    rows = metrics.errors_per_utterance(*map(list, zip(*pairs, strict=True)))
    found = list(zip(rows.substitutions, rows.insertions, rows.deletions, strict=True))
    assert found == [by_recursion(*pair) for pair in pairs]


def test_partners_are_those_of_the_cheapest_path() -> None:
    rng = np.random.default_rng(3)
    sides = [["".join(rng.choice([*"abc"], rng.integers(9))) for _ in range(300)] for _ in range(2)]
    sides[0][0], sides[1][0] = "ab" * 300, "ba" * 310 + "c"
    reference, hypothesis = edit_distance.encode(*sides)
    found = edit_distance.partners(reference, hypothesis).tolist()
    error = 2000  # outweighs any number of insertions and deletions
    costs = error * (1 - np.eye(3, dtype=int)), np.full(3, error + 1)
    expected = []
    for row in range(300):
        codes = (side.codes[side.starts[row] :][: side.lengths[row]] for side in (reference, hypothesis))
        place = 0
        for a, b in edit_distance.cheapest_path(*codes, *costs):
            expected += [] if a is None else [-1 if b is None else place]
            place += b is not None
    assert found == expected
