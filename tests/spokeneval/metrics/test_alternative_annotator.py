"""Tests of the alternative annotator test, against its authors' code, scipy and hand calculations."""

from __future__ import annotations

import numpy as np
import pytest

from spokeneval.metrics.alternative_annotator import (
    AnnotatorComparisons,
    advantage,
    annotator_comparisons,
    clustered_remark,
    clustered_winning_rate,
    winning_rate,
)
from spokeneval.metrics.counts import by_group, total
from tests.samples.raters import RATERS, SYSTEM, digits

EXACT = {"rtol": 0, "atol": 1e-12}


def test_the_alternative_annotator_test_is_that_of_its_authors():
    comparisons = total(annotator_comparisons(digits(*RATERS), digits(SYSTEM)[0]))
    found = winning_rate(comparisons), advantage(comparisons)
    np.testing.assert_allclose(found, [2 / 3, 0.8666666666666666], **EXACT)


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


def test_a_comparison_needs_two_raters_of_integers():
    with pytest.raises(ValueError, match="1 raters; expected at least 2"):
        annotator_comparisons([[1, 2]], [1, 2])
    for raters in ([[1, 2], [1, 2.5]], [[1, 2], [1, 2, 3]]):
        with pytest.raises(ValueError, match="expected 2 integers of every rater"):
            annotator_comparisons(raters, [1, 2])


def gains_of(comparisons: AnnotatorComparisons) -> np.ndarray:
    return comparisons.rater_closer - comparisons.system_closer


def drawn_calls(
    rng: np.random.Generator, means: np.ndarray, speakers: int
) -> tuple[AnnotatorComparisons, np.ndarray]:
    """Calls of speakers: each rater is closer than the system by a mean that differs strongly between speakers."""
    speaker = np.repeat(np.arange(speakers), rng.integers(4, 17, speakers))
    # Rates of 0, 1/2 or 1 for each speaker make an intraclass correlation of about a half.
    chance = (1 + means) / 2 + np.minimum((1 + means) / 2, (1 - means) / 2) * rng.choice(
        [-1, 0, 1], (speakers, 1)
    )
    closer = (rng.random((len(speaker), len(means))) < chance[speaker]).astype(int)
    return AnnotatorComparisons(1 - closer, 0 * closer, closer), speaker


@pytest.mark.thorough
def test_the_clustered_test_is_that_of_statsmodels():
    stats = pytest.importorskip("scipy.stats")
    api = pytest.importorskip("statsmodels.api")
    rng = np.random.default_rng(6)
    seen = set()
    for _ in range(60):
        means = rng.choice([-0.7, -0.3, 0.0, 0.5], 3)
        comparisons, speaker = drawn_calls(rng, means, 12)
        below = []
        for gains in gains_of(comparisons).T:
            model = api.OLS(gains - 0.2, np.ones(len(gains)))
            fit = model.fit(cov_type="cluster", cov_kwds={"groups": speaker}, use_t=True)
            below.append(stats.t.cdf(fit.tvalues[0], 11))
        rows = by_group(comparisons, speaker, 12)
        replaced = (stats.false_discovery_control(below, method="by") <= 0.05).mean()
        assert clustered_winning_rate(rows) == pytest.approx(replaced, abs=1e-12)
        score = winning_rate(total(rows))
        assert clustered_winning_rate(comparisons) == score  # each call is a unit
        assert (
            f"together, it is {replaced:.4f}." in clustered_remark(rows),
            clustered_remark(comparisons),
        ) == (True, "")
        seen.add((round(3 * score), round(3 * replaced)))
    assert len(seen) > 5


@pytest.mark.thorough
def test_a_rater_who_should_not_be_replaced_seldom_is():
    # The true means are at the margin or near it, with 12 speakers. A test of single calls is wrong too often.
    rng = np.random.default_rng(7)
    means = np.array([0.2, 0.2, 0.2])
    naive = clustered = 0
    for _ in range(400):
        comparisons, speaker = drawn_calls(rng, means, 12)
        rows = by_group(comparisons, speaker, 12)
        naive += winning_rate(total(rows)) > 0
        clustered += clustered_winning_rate(rows) > 0
    assert naive > 60
    assert clustered < 24


def test_raters_without_comparisons_and_single_units_are_not_decided():
    none, one = np.zeros((4, 2), dtype=int), np.array([[9, 0]])
    assert clustered_winning_rate(AnnotatorComparisons(one, 0 * one, 0 * one)) == 0
    # The second rater has no comparisons, and is left out.
    rows = AnnotatorComparisons(
        np.array([[3, 0]] * 9), none[:1].repeat(9, 0), np.array([[1, 0], [0, 0], [0, 0]] * 3)
    )
    assert clustered_winning_rate(rows) == 1
