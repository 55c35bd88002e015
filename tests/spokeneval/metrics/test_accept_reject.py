"""Spoken CALL metrics against published numbers and scikit-learn; the tests of the challenge have its Table 1."""

import math

import numpy as np
import pytest

from spokeneval.metrics import accept_reject as metrics
from spokeneval.metrics.accept_reject import Decisions
from spokeneval.metrics.jackknife import jackknife_error
from spokeneval.metrics.shares import Shares, interval_of_shares
from tests.samples.spoken_call import TABLE_1, decided


def test_the_first_editions_training_data():
    # What the first edition's script printed: CR 891, GFA 99 (297 weighted), PFA 363, rejection rate 0.57;
    # CA 2645, FR 1266, rejection rate 0.32; D 1.77.
    counts = Decisions(2645, 1266, 891, 363, 99)
    assert metrics.false_accepts(counts) == 363 + 297
    assert f"{metrics.relative_correct_reject_rate(counts):.2f}" == "0.57"
    assert f"{metrics.relative_false_reject_rate(counts):.2f}" == "0.32"
    assert f"{metrics.d(counts):.2f}" == "1.77"


def test_unweighted_rates_as_scikit_learn_computes_them():
    scikit_learn = pytest.importorskip("sklearn.metrics")
    for counts, _ in TABLE_1.values():
        found = Decisions(*counts)
        correct, _, accepted = decided(counts)
        expected = (
            scikit_learn.matthews_corrcoef(correct, accepted),
            1 - scikit_learn.recall_score(correct, accepted, pos_label=False),
            1 - scikit_learn.recall_score(correct, accepted),
        )
        assert (
            metrics.matthews_correlation(found),
            metrics.false_acceptance_rate(found),
            metrics.relative_false_reject_rate(found),
        ) == pytest.approx(expected, rel=0, abs=1e-12)


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


@pytest.mark.parametrize(
    ("accepted", "message"),
    [
        ([1, 0], r"expected booleans of shape \(n,\), found int64 of shape \(2,\)"),
        ([[True, False]], r"found bool of shape \(1, 2\)"),
        ([True], "one length above 0, found 2 and 1"),
        ([False, False], "response 1 is correct in language but"),
    ],
)
def test_arrays_that_fit_no_response_are_refused(accepted, message):
    arrays = map(np.array, ([False, True], [False, False], accepted))
    with pytest.raises(ValueError, match=message):
        metrics.decisions_per_response(*arrays)
    with pytest.raises(ValueError, match="one length above 0, found 0 and 0"):
        metrics.decisions_per_response(*[np.zeros(0, bool)] * 3)


T_OF_3 = 3.1824463053
"""The 97.5 % quantile of Student's t with 3 degrees of freedom."""


@pytest.mark.parametrize(
    ("formula", "exponents"),
    [
        (metrics.d, (1, 0)),
        (metrics.d_a, (0, 1)),
        (metrics.d_full, (0.5, 0.5)),
        (metrics.ranked_d_full, (0.5, 0.5)),
    ],
)
@pytest.mark.parametrize("none", [(), (1,), (3, 4), (1, 3, 4)])
def test_the_interval_of_d_allows_for_errors_that_did_not_happen(formula, exponents, none):
    # Without an error there is half of one. Each of the two rates is moved to its end on the logarithm of the score.
    table = np.array([[20, 1, 9, 1, 0], [25, 2, 7, 0, 1], [22, 1, 8, 1, 0], [19, 1, 6, 2, 0]])
    table[:, list(none)] = 0
    rows, shares, ends = metrics.Decisions(*table.T), [], []
    for errors, right in ((table[:, 1], table[:, 0]), (table[:, 3] + 3 * table[:, 4], table[:, 2])):
        errors = errors + (0 if errors.any() else right / right.sum() / 2)
        of_one = np.stack([errors, errors + right], axis=1)
        shares.append(of_one[:, 0].sum() / of_one[:, 1].sum())
        ends.append(interval_of_shares(Shares(lambda pairs: (pairs[:, 0], pairs[:, 1])), of_one))

    ends = [(max(low, share * np.exp(-T_OF_3 * 2**0.5)), high) for share, (low, high) in zip(shares, ends)]

    def log_score(rejects, accepts):
        ratios = (1 - accepts) / rejects, (1 - rejects) / accepts
        return np.dot(exponents, np.log(ratios))

    value = formula(metrics.Decisions(*table.sum(axis=0).tolist()))
    assert log_score(*shares) == pytest.approx(np.log(value), rel=1e-9)
    least = [log_score(ends[0][1], shares[1]), log_score(shares[0], ends[1][1])]
    most = [log_score(ends[0][0], shares[1]), log_score(shares[0], ends[1][0])]
    without = [
        formula(metrics.Decisions(*np.delete(table, unit, 0).sum(axis=0).tolist())) for unit in range(4)
    ]
    low, high, error = metrics.d_interval(rows, formula=formula, exponents=exponents)
    for found, moved in ((low, least), (high, most)):
        first, other = np.abs(moved - np.log(value))
        # The correlation of the rates over 4 units, as far as they show it, is not repeated here.
        assert max(first, other) * 0.5 < abs(np.log(found / value)) <= first + other + 1e-9
        if none:
            assert abs(np.log(found / value)) == pytest.approx(np.hypot(first, other), rel=1e-9)
    assert error == pytest.approx(jackknife_error(np.array(without)), rel=1e-12)
