"""Spoken CALL metrics against the published numbers."""

import math

import numpy as np
import pytest

from spokeneval.metrics import accept_reject as metrics
from spokeneval.metrics.accept_reject import Decisions

# Overview of the third edition of the Spoken CALL Shared Task, Table 1. The paper prints the nine rates; the five
# counts CA, FR, CR, PFA, GFA are the only ones, of 740 correct and 260 incorrect responses, that give all nine.
TABLE_1 = {
    "BaselinePerfectRec": ((671, 69, 250, 7, 3), "0.977 0.907 0.940 0.916 0.940 0.093 10.080 15.075 12.327"),
    "GGG": ((692, 48, 212, 34, 14), "0.901 0.935 0.918 0.879 0.736 0.065 11.348 3.544 6.342"),
    "III": ((699, 41, 205, 36, 19), "0.883 0.945 0.913 0.871 0.688 0.055 12.416 3.027 6.130"),
    "CCC": ((690, 50, 203, 38, 19), "0.879 0.932 0.905 0.860 0.681 0.068 10.082 2.925 5.430"),
    "BBB": ((670, 70, 209, 35, 16), "0.890 0.905 0.898 0.852 0.716 0.095 7.567 3.185 4.909"),
    "DDD": ((656, 84, 211, 31, 18), "0.885 0.886 0.886 0.837 0.713 0.114 6.280 3.087 4.403"),
    "Baseline": ((635, 105, 213, 32, 15), "0.892 0.858 0.875 0.823 0.734 0.142 5.176 3.232 4.090"),
    "KKK": ((627, 113, 215, 29, 16), "0.891 0.847 0.868 0.816 0.736 0.153 4.822 3.213 3.936"),
    "JJJ": ((666, 74, 106, 59, 95), "0.659 0.900 0.761 0.649 0.236 0.100 2.356 1.177 1.665"),
}
COLUMNS = ("precision", "recall", "f_measure", "scoring_accuracy", "rcr", "rfr", "d", "d_a", "d_full")


def decided(counts: tuple[int, int, int, int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gold labels and decisions with the given counts: correct, meaningful, accepted."""
    rows = [(1, 1, 1), (1, 1, 0), (0, 1, 0), (0, 1, 1), (0, 0, 1)]
    table = np.repeat(np.array(rows, dtype=bool), counts, axis=0)
    return table[:, 0], table[:, 1], table[:, 2]


@pytest.mark.parametrize(("counts", "published"), TABLE_1.values(), ids=TABLE_1)
def test_table_1_of_the_third_edition(counts, published):
    found = metrics.count_decisions(*decided(counts))
    assert found == Decisions(*counts)
    row = (
        metrics.precision(found),
        metrics.recall(found),
        metrics.f_measure(found),
        metrics.scoring_accuracy(found),
        metrics.relative_correct_reject_rate(found),
        metrics.relative_false_reject_rate(found),
        metrics.d(found),
        metrics.d_a(found),
        metrics.d_full(found),
    )
    assert " ".join(f"{value:.3f}" for value in row) == published


def test_the_first_editions_training_data():
    # What the first edition's script printed: CR 891, GFA 99 (297 weighted), PFA 363, rejection rate 0.57;
    # CA 2645, FR 1266, rejection rate 0.32; D 1.77.
    counts = Decisions(2645, 1266, 891, 363, 99)
    assert counts.false_accepts() == 363 + 297
    assert f"{metrics.relative_correct_reject_rate(counts):.2f}" == "0.57"
    assert f"{metrics.relative_false_reject_rate(counts):.2f}" == "0.32"
    assert f"{metrics.d(counts):.2f}" == "1.77"


def test_d_full_is_the_geometric_mean_of_d_and_d_a():
    counts = Decisions(635, 105, 213, 32, 15)
    assert metrics.d_full(counts) == pytest.approx(
        math.sqrt(metrics.d(counts) * metrics.d_a(counts)), abs=1e-12
    )
    # By hand: sqrt(635 * 213 / ((32 + 3 * 15) * 105)) = sqrt(135255 / 8085).
    assert metrics.d_full(counts) == pytest.approx(math.sqrt(135255 / 8085), rel=0, abs=1e-12)


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        # A faultless system: FR = FA = 1/2, so sqrt(740 * 260 / (1/2 * 1/2)).
        (Decisions(740, 0, 260, 0, 0), 2 * math.sqrt(740 * 260)),
        (Decisions(739, 1, 260, 0, 0), math.sqrt(739 * 260 / 0.5)),
        (Decisions(740, 0, 259, 1, 0), math.sqrt(740 * 259 / 0.5)),
        (Decisions(740, 0, 259, 0, 1), math.sqrt(740 * 259 / 1.5)),
    ],
)
def test_a_zero_counts_as_one_half(counts, expected):
    assert metrics.d_full(counts) == pytest.approx(expected, rel=0, abs=1e-12)
    assert metrics.d(counts) * metrics.d_a(counts) == pytest.approx(expected**2, rel=1e-14)


def test_a_faultless_system_ranks_above_every_faulty_one():
    faultless = metrics.d_full(Decisions(740, 0, 260, 0, 0))
    for missed in range(0, 741, 20):
        for accepted in range(0, 261, 20):
            counts = Decisions(740 - missed, missed, 260 - accepted, accepted, 0)
            assert metrics.d_full(counts) < faultless or counts == Decisions(740, 0, 260, 0, 0)


def test_the_fifty_percent_rule_counts_heads_not_weights():
    assert metrics.meets_fifty_percent_rule(Decisions(370, 370, 130, 0, 130))
    assert not metrics.meets_fifty_percent_rule(Decisions(369, 371, 130, 0, 130))
    assert not metrics.meets_fifty_percent_rule(Decisions(740, 0, 129, 131, 0))
    assert not metrics.meets_fifty_percent_rule(Decisions(666, 74, 106, 59, 95))  # JJJ rejects 40.8 %


def test_counts_pool_by_addition():
    rng = np.random.default_rng(5)
    correct = rng.random(200) < 0.7
    meaningful = correct | (rng.random(200) < 0.6)
    accepted = rng.random(200) < 0.5
    parts = [metrics.count_decisions(correct[i::3], meaningful[i::3], accepted[i::3]) for i in range(3)]
    assert parts[0] + parts[1] + parts[2] == metrics.count_decisions(correct, meaningful, accepted)


@pytest.mark.parametrize(
    "arrays",
    [
        ([True], [True], [True, False]),
        ([1], [1], [1]),
        ([], [], []),
        ([[True]], [[True]], [[True]]),
        ([True], [False], [True]),
    ],
    ids=["lengths", "not boolean", "empty", "shape", "correct but meaningless"],
)
def test_unusable_arrays_are_refused(arrays):
    dtype = None if arrays[0] == [1] else bool
    with pytest.raises(ValueError):
        metrics.count_decisions(*(np.array(array, dtype=dtype) for array in arrays))


@pytest.mark.parametrize("metric", [metrics.d, metrics.d_a, metrics.d_full, metrics.meets_fifty_percent_rule])
@pytest.mark.parametrize("counts", [Decisions(3, 1, 0, 0, 0), Decisions(0, 0, 2, 1, 1)])
def test_one_kind_of_responses_alone_is_undefined(metric, counts):
    with pytest.raises(ValueError, match="expected some of each"):
        metric(counts)


def test_precision_without_an_accept_is_undefined():
    with pytest.raises(ValueError, match="precision"):
        metrics.precision(Decisions(0, 3, 3, 0, 0))


def test_a_negative_or_undefined_count_is_refused():
    for count in (-1, math.nan):
        with pytest.raises(ValueError, match="0 or more"):
            Decisions(count, 0, 0, 0, 0)
