"""Tests of the alternative annotator test, against its authors' code, scipy and hand calculations."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.metrics.alternative_annotator import (
    AnnotatorComparisons,
    advantage,
    annotator_comparisons,
    winning_rate,
)
from spokeneval.metrics.counts import total
from tests.samples.raters import RATERS, SYSTEM, digits

EXACT = {"rtol": 0, "atol": 1e-12}


def test_the_alternative_annotator_test_is_that_of_its_authors():
    comparisons = total(annotator_comparisons(digits(*RATERS), digits(SYSTEM)[0]))
    found = winning_rate(comparisons), advantage(comparisons)
    np.testing.assert_allclose(found, [2 / 3, 0.8666666666666666], **EXACT)


def test_the_winning_rate_is_that_of_scipys_tests():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(20250701)
    seen = set()
    for items in [*range(2, 40), 201]:
        common = rng.integers(1, 6, items)
        noise = rng.integers(1, 3, 3)[:, np.newaxis]
        raters = np.clip(common + rng.integers(-noise, noise + 1, (3, items)), 1, 5)
        system = np.clip(common + rng.integers(-1, 2, items), 1, 5)
        tails, shares = [], []
        for rater in range(3):
            others = np.delete(raters, rater, axis=0)
            own, its = (((others - ratings) ** 2).sum(axis=0) for ratings in (raters[rater], system))
            gains = (own <= its).astype(int) - (its <= own)
            if np.ptp(gains):
                tails.append(stats.ttest_1samp(gains, 0.2, alternative="less").pvalue)
            else:
                tails.append(float(gains[0] >= 0.2))
            shares.append((its <= own).mean())
        replaced = stats.false_discovery_control(tails, method="by") <= 0.05
        comparisons = total(annotator_comparisons(raters, system))
        assert winning_rate(comparisons) == pytest.approx(replaced.mean(), rel=0, abs=1e-12)
        assert advantage(comparisons) == pytest.approx(np.mean(shares), rel=0, abs=1e-12)
        seen.add(round(3 * replaced.mean()))
    assert seen == {0, 1, 2, 3}


def test_a_rater_is_replaced_at_a_level_from_the_p_of_scipys_test_on():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(4)
    rows = rng.integers(0, 9, (60, 3))
    rows = rows[(rows > 0).sum(axis=1) > 1]
    one_rater = AnnotatorComparisons(*rows.T[:, :, np.newaxis])
    for row, counts in enumerate(rows):
        gains = np.repeat([-1, 0, 1], counts)
        p = stats.ttest_1samp(gains, 0.1, alternative="less").pvalue
        for level, replaced in ((p * (1 - 1e-9), 0), (p * (1 + 1e-9), 1)):
            assert winning_rate(one_rater, margin=0.1, level=level)[row] == replaced


def test_with_a_single_item_no_rater_is_replaced():
    ones = np.ones(3, dtype=int)
    for level in (0.05, 1):
        assert winning_rate(AnnotatorComparisons(ones[:1], 0 * ones[:1], 0 * ones[:1]), level=level) == 0
    # Two items do: the system is closer both times, so that nothing varies and p is 0.
    for level in (0.05, 0):
        assert winning_rate(AnnotatorComparisons(2 * ones, 0 * ones, 0 * ones), level=level) == 1
    assert winning_rate(AnnotatorComparisons(0 * ones, 0 * ones, 2 * ones)) == 0
    # As close as a rater on both items: not less than the rater without a margin.
    assert winning_rate(AnnotatorComparisons(0 * ones, 2 * ones, 0 * ones)) == 1
    assert winning_rate(AnnotatorComparisons(0 * ones, 2 * ones, 0 * ones), margin=0) == 0


def test_two_raters_are_compared_by_how_close_the_system_is_to_the_other():
    rows = annotator_comparisons([[1], [2]], [2])
    assert (rows.system_closer.tolist(), rows.equal.tolist()) == ([[1, 0]], [[0, 1]])


def test_a_comparison_needs_two_raters_of_integers():
    with pytest.raises(ValueError, match="1 raters; expected at least 2"):
        annotator_comparisons([[1, 2]], [1, 2])
    for raters in ([[1, 2], [1, 2.5]], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="expected 2 integers of every rater"):
            annotator_comparisons(raters, [1, 2])
