"""Tests of trivial baselines: the same answer to every item, or random answers."""

from __future__ import annotations

from collections import Counter

import numpy as np

from spokeneval.formats.format import Items
from spokeneval.metrics.bootstrap import resample_draws
from spokeneval.trivial import always, at_random, random_numbers

ITEMS = Items(("a", "b", "c"))


def test_one_answer_to_every_item():
    for value, kind in ((3, "i"), (2.5, "f"), ([], "O"), (["K", "AE"], "O")):
        answers = always("rating", value)(ITEMS)
        assert answers.items is ITEMS
        assert list(answers.columns) == ["rating"]
        assert answers["rating"].dtype.kind == kind
        assert answers["rating"].tolist() == [value] * 3


def test_any_of_a_few_answers_the_same_on_every_machine():
    numbers = random_numbers(8, 3)
    assert numbers.tolist() == (resample_draws(24, resamples=1)[0, :8] % 3).tolist()
    answers = at_random("rating", ["x", "y", "z"])(Items(tuple("abcdefgh")))
    assert (answers.items.ids, list(answers.columns)) == (tuple("abcdefgh"), ["rating"])
    assert answers["rating"].tolist() == ["xyz"[number] for number in numbers]


def test_each_answer_is_as_likely_and_none_follows_from_the_one_before():
    numbers = random_numbers(9000, 3)
    assert len(numbers) == 9000
    for drawn in (Counter(numbers.tolist()), Counter(np.diff(numbers).tolist())):
        least = {3: 3000, 5: 1000}[len(drawn)]
        assert min(drawn.values()) > least - 4 * least**0.5
