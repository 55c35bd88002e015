"""Edit distances and errors against a recursion, in batches of all sizes."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from spokeneval.metrics import edit_distance
from spokeneval.metrics import transcript_errors as metrics
from tests.samples.texts import random_texts


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


IN_BITS = {"_LONG_CELLS": -100}


@pytest.mark.parametrize(
    "limits",
    [
        {},
        {"_PART_SYMBOLS": 1, "_BATCH_CELLS": 1, "_LEAST_CELLS": 1, "_FIRST_CELLS": 1, "_ROW_PAIRS": 1},
        {"_PART_SYMBOLS": 50, "_BATCH_CELLS": 100, "_LEAST_CELLS": 10, "_FIRST_CELLS": 2, "_ROW_PAIRS": 10},
        IN_BITS,
        {**IN_BITS, "_CUT_CELLS": 0, "_FIRST_CELLS": 2},
    ],
    ids=["default", "smallest", "small", "in bits", "not cut"],
)
def test_errors_are_those_of_a_recursion(monkeypatch: pytest.MonkeyPatch, limits: dict[str, int]) -> None:
    for name, value in limits.items():
        monkeypatch.setattr(edit_distance, name, value)
    reference, hypothesis = ([text.split() for text in side] for side in random_texts(1, 300))
    rows = metrics.errors_per_utterance(reference, hypothesis)
    expected = [by_recursion(tuple(r), tuple(h)) for r, h in zip(reference, hypothesis)]
    assert list(zip(rows.substitutions, rows.insertions, rows.deletions)) == expected
    distances = edit_distance.edit_distances(*edit_distance.encode(reference, hypothesis))
    assert distances.tolist() == [sum(each) for each in expected]


def test_errors_of_all_short_pairs_are_those_of_a_recursion(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of up to five symbols out of three; of those that differ in order or the symbols' names alone, one."""
    texts = ["".join(text) for length in range(6) for text in product("abc", repeat=length)]
    pairs = [
        (one, other)
        for one, other in combinations_with_replacement(texts, 2)
        if "abc".startswith("".join(dict.fromkeys(one + other)))
    ]
    expected = [by_recursion(tuple(r), tuple(h)) for r, h in pairs]
    sides = edit_distance.encode(*zip(*pairs))
    assert list(zip(*map(np.ndarray.tolist, edit_distance.edit_errors(*sides)))) == expected
    monkeypatch.setattr(edit_distance, "_LONG_CELLS", IN_BITS["_LONG_CELLS"])
    assert list(zip(*map(np.ndarray.tolist, edit_distance.edit_errors(*sides)))) == expected


LENGTHS = [(1, 200), (200, 1), (180, 220), (37, 64), (64, 65), (300, 290), (9, 9), (90, 30), (0, 4)]


@pytest.mark.parametrize("alphabet", ["a", "ab", "to be", "日本語話者𝄞"])
@pytest.mark.parametrize("shift", [0, 25], ids=["unlike", "shifted"])
def test_errors_of_long_sequences_are_those_of_a_recursion(alphabet: str, shift: int) -> None:
    """Shifted sequences are alike along a diagonal far from that of their ends."""
    rng = np.random.default_rng(2)
    pairs = [tuple("".join(rng.choice([*alphabet], n)) for n in pair) for pair in LENGTHS]
    if shift:
        pairs = [(long, long[shift:] + other[:shift]) for long, other in pairs]
    sides = edit_distance.encode(*zip(*pairs))
    found = np.stack(edit_distance.edit_errors(*sides))
    assert found.T.tolist() == [list(by_recursion(tuple(r), tuple(h))) for r, h in pairs]
    assert edit_distance.edit_distances(*sides).tolist() == found.sum(axis=0).tolist()


def test_the_work_for_a_far_longer_side_grows_with_the_product_of_the_lengths(monkeypatch) -> None:
    """An anti-diagonal of a matrix of 10 x 5000 has at most 11 cells; a band that holds both ends has thousands.

    16 anti-diagonals, which are 8 cells longer, are computed between the same diagonals.
    """
    compared = []

    def not_equal(one: np.ndarray, other: np.ndarray, out: np.ndarray) -> None:
        compared.append(one.size)
        np.copyto(out, one != other)

    sides = edit_distance.encode(["x" * 10], ["ab" * 2500])
    monkeypatch.setattr(np, "not_equal", not_equal)
    assert np.ravel(edit_distance.edit_errors(*sides)).tolist() == [10, 4990, 0]
    assert 10 * 5000 <= sum(compared) <= 19 * 5010
