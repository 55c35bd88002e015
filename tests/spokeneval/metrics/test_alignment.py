"""Alignments with weighted errors, and the partners of symbols."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pytest

from spokeneval.metrics.alignment import cheapest_path, compound_errors, compound_path, partners
from spokeneval.metrics.edit_distance import encode
from spokeneval.metrics.phoneme_recognition import FeatureTable, feature_error_rate
from spokeneval.metrics.transcript_errors import best_references, errors, errors_per_utterance
from tests.samples.texts import random_texts


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


def merged_errors(reference, hypothesis):
    """Errors of each utterance where compounds are none."""
    rows, _ = best_references(reference, hypothesis, range(len(reference)), merge_compounds=True)
    return errors(rows).tolist()


@pytest.mark.parametrize(
    ("said", "heard", "parts"),
    [
        ("white paper", "whitepaper", (0, 0, 0)),
        ("whitepaper", "white paper", (0, 0, 0)),
        ("a b c", "abc", (0, 0, 0)),
        ("the white paper is here", "the whitepaper was here", (1, 0, 0)),
        ("ice cream is cold", "icecream is very cold icecream", (0, 2, 0)),
        ("can not go", "cannot", (0, 0, 1)),
        # Both sides write a word apart, in other places: no part is a word of the other side.
        ("wh itepaper", "white paper", (2, 0, 0)),
        # The words are taken once: either the first two make "ab", or the last two "bc".
        ("a b c", "ab bc", (1, 0, 0)),
        # A compound is paired as a whole: its parts are no words of their own, which would be 3 errors.
        ("a x b a b", "ab y", (0, 1, 3)),
    ],
)
def test_words_that_are_written_together_or_apart_are_no_errors(said, heard, parts):
    assert compound_errors(said.split(), heard.split()) in (parts, None)
    assert merged_errors([said.split()], [heard.split()]) == [sum(parts)]


@cache
def fewest(said, heard):
    """Errors, then insertions and deletions, then deletions, of the best of all alignments with compounds."""
    if not (said or heard):
        return (0, 0, 0)
    ways = []
    for m in range(len(said) + 1):
        for n in range(len(heard) + 1):
            alike = m and n and min(m, n) == 1 and "".join(said[:m]) == "".join(heard[:n])
            if alike or (m, n) in ((1, 0), (0, 1), (1, 1)):
                cost = (0, 0, 0) if alike else (1, int(m != n), int(n == 0))
                rest = fewest(said[m:], heard[n:])
                ways.append(tuple(a + b for a, b in zip(cost, rest)))
    return min(ways)


def test_compounds_equal_all_alignments_and_are_along_the_path():
    rng = np.random.default_rng(5)
    different = 0
    for _ in range(400):
        said, heard = (
            ["ab"[: n % 2 + 1] * (n // 2 + 1) for n in rng.integers(5, size=rng.integers(6))] for _ in "12"
        )
        found, (total, alone, deletions) = compound_errors(said, heard), fewest(tuple(said), tuple(heard))
        plain = errors_per_utterance([said], [heard])
        expected = (total - alone, alone - deletions, deletions)
        assert (found or (*plain.substitutions, *plain.insertions, *plain.deletions)) == expected
        different += total < errors(plain)[0]
        path = compound_path(said, heard)
        assert sum(a != b for a, b in path) == total
        assert [a for a, _ in path if a is not None] == said
    assert different > 40


def test_compounds_equal_kaldialign():
    kaldialign = pytest.importorskip("kaldialign", reason="the extra [bench] is not installed")
    rng = np.random.default_rng(7)
    said, heard = (
        [re.sub(" ", lambda _: "" if rng.random() < 0.2 else " ", text).split() for text in side]
        for side in random_texts(7, 5000)
    )
    expected = [kaldialign.edit_distance(*pair, merge_compounds=True)["total"] for pair in zip(said, heard)]
    assert merged_errors(said, heard) == expected
    assert sum(expected) < errors(errors_per_utterance(said, heard)).sum() - 1000


def test_no_word_is_a_compound_beyond_the_numbers_that_costs_can_count():
    assert compound_errors(["ab"], ["a", "b"] * 1000) == (0, 1998, 0)
    assert compound_errors(["ab"], ["a", "b"] * (1 << 20)) is None
