"""The decision tree of the baseline: gains, pruning and rules by hand, and beside scikit-learn and SciPy."""

import math
import sys

import pytest
from scipy.stats import beta
from sklearn.metrics import mutual_info_score

from starting_kit.caller_experience import baseline
from starting_kit.caller_experience.baseline import grow, rules, upper_limit


def calls(*groups):
    """Calls of groups: how many, exit status, recognition errors, rating."""
    return [
        {
            "classification_status": "specific",
            "exit_status": status,
            "recognition_errors": str(errors),
            "operator_requests": "0",
            "rating": str(rating),
        }
        for count, status, errors, rating in groups
        for _ in range(count)
    ]


@pytest.mark.parametrize(
    ("wrong", "number", "limit"),
    # Quinlan, C4.5 (1993), section 4.2, has the first three; the others are the interval's ends by SciPy.
    [
        (0, 6, 0.206),
        (0, 9, 0.143),
        (0, 1, 0.750),
        *((e, n, beta.ppf(0.75, e + 1, n - e)) for e, n in ((1, 16), (300, 900))),
    ],
)
def test_errors_of_a_leaf_are_the_upper_limits_of_c45(wrong, number, limit):
    assert upper_limit(wrong, number) == pytest.approx(limit, abs=5e-4)
    assert upper_limit(number, number) == 1


def test_a_tree_is_printed_as_rules_with_gains():
    # Half of the calls have rating 1, a quarter 3, a quarter 5: 1.5 bits. The exit status tells the first half, which
    # gains 1 bit; the errors tell the rest, which gains 1 bit of those.
    tree = grow(calls((8, "hung_up", 0, 1), (4, "completed", 2, 3), (4, "completed", 10, 5)))
    assert tree.gain == pytest.approx(1.0)
    assert list(rules(tree)) == [
        "exit_status = completed: a split that gains 1.000 bits",
        "    recognition_errors <= 2: rating 3 (4 calls, 0 with other ratings)",
        "    recognition_errors > 2: rating 5 (4 calls, 0 with other ratings)",
        "exit_status = hung_up: rating 1 (8 calls, 0 with other ratings)",
    ]
    (call,) = calls((1, "completed", 3, 0))
    assert tree.rate(call) == 5
    assert tree.rate({**call, "exit_status": "never heard of"}) == 1  # the most frequent rating


def test_a_split_that_does_not_pay_is_pruned():
    # A leaf of 10 calls, one of them wrong, has 10 * 0.247 = 2.5 expected errors; the branches 5 * 0.242 and 5 * 0.454.
    rated = calls((5, "completed", 0, 5), (4, "operator", 0, 5), (1, "operator", 0, 4))
    assert beta.ppf(0.75, 2, 9) * 10 < 5 * beta.ppf(0.75, 1, 5) + 5 * beta.ppf(0.75, 2, 4) + 0.1
    assert (grow(rated).branches, grow(rated).wrong) == ({}, 1)
    assert grow(calls((5, "completed", 0, 5), (5, "operator", 0, 4))).branches


def test_the_sample_tree_begins_with_the_highest_gain(monkeypatch, capsys):
    training = baseline.read_rows(baseline.HERE / "data/training_calls.csv")
    ratings = [call["rating"] for call in training]
    splits = [[call[feature] for call in training] for feature in baseline.STATUSES]
    for feature in baseline.NUMBERS:
        numbers = [int(call[feature]) for call in training]
        splits += [[number <= value for number in numbers] for value in set(numbers)]
    best = max(mutual_info_score(ratings, split) for split in splits) / math.log(2)
    monkeypatch.setattr(sys, "argv", ["baseline.py", "rules"])
    baseline.main()
    first, *lines = capsys.readouterr().out.splitlines()
    assert first == f"25 leaves; the first split gains {best:.3f} bits"
    assert sum(": rating" in line for line in lines) == 25
