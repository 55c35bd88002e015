"""Tests of equal error rates, against fractions by hand, pool-adjacent-violators and scikit-learn."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from spokeneval.metrics.counts import total
from spokeneval.metrics.equal_error_rate import (
    ScoreHistograms,
    histogram_eer,
    histogram_interpolated_eer,
    hull_points,
    interpolated_eer,
    operating_points,
    rocch_eer,
)
from spokeneval.metrics.identification import (
    detection_histograms,
    detection_trials,
    pooled_histograms,
    pooled_trials,
)

# Small score lists with both equal error rates, as fractions worked out by hand from the operating points
# (miss, false alarm). ties_6v6: the hull runs straight from (0, 3/6), threshold 0.4, to (4/6, 0), threshold
# 0.8, since (3/6, 1/6) at 0.6 lies above it; 1/2 - 3/4 m = m gives m = 2/7. The broken line goes from
# (1/6, 3/6) at 0.5 to (3/6, 1/6) at 0.6 and meets the diagonal half-way, at 1/3.
CASES = {
    "no_ties_4v4": ([0.9, 0.8, 0.4, 0.3], [0.7, 0.5, 0.2, 0.1], 1 / 4, 1 / 2),
    "ties_6v6": ([0.9, 0.8, 0.6, 0.5, 0.5, 0.4], [0.6, 0.5, 0.5, 0.3, 0.2, 0.1], 2 / 7, 1 / 3),
    "perfect": ([2, 3, 4], [-1, 0, 1], 0, 0),
    "reversed": ([-1, 0, 1], [2, 3, 4], 1 / 2, 1),
    "all_tied": ([1, 1, 1], [1, 1], 1 / 2, 1 / 2),
    "3v7": ([0.9, 0.55, 0.2], [0.8, 0.5, 0.45, 0.4, 0.3, 0.15, 0.1], 5 / 19, 1 / 3),
    "5v3_ties": ([3, 2, 2, 1, 1], [2, 1, 0], 4 / 11, 4 / 11),
    "2v3": ([0.6, 0.2], [0.5, 0.4, 0.1], 2 / 7, 1 / 2),
}


def textbook_rocch_eer(targets, nontargets):
    """Pool adjacent violators on the labels in the order of the scores, then the crossing, edge by edge.

    Tied scores start as one bin; neighbours are merged until the share of targets rises from bin to bin. The
    vertices of the ROC convex hull lie between the bins (Fawcett and Niculescu-Mizil 2007).
    """
    bins = []  # targets and nontargets of each, scores ascending
    sides = Counter(targets), Counter(nontargets)
    for score in sorted({*targets, *nontargets}):
        bins.append(tuple(side[score] for side in sides))
        while len(bins) > 1 and bins[-2][0] * sum(bins[-1]) >= bins[-1][0] * sum(bins[-2]):
            last, before = bins.pop(), bins.pop()
            bins.append((before[0] + last[0], before[1] + last[1]))
    miss, false_alarm = Fraction(0), Fraction(1)
    for t, n in bins:
        next_miss = miss + Fraction(t, len(targets))
        next_false_alarm = false_alarm - Fraction(n, len(nontargets))
        if next_miss >= next_false_alarm:
            share = (false_alarm - miss) / ((false_alarm - miss) + (next_miss - next_false_alarm))
            return float(miss + share * (next_miss - miss))
        miss, false_alarm = next_miss, next_false_alarm
    raise AssertionError("the hull ends above the diagonal")


@pytest.mark.parametrize(("targets", "nontargets", "rocch", "interpolated"), CASES.values(), ids=CASES)
def test_equal_error_rates_of_small_lists(targets, nontargets, rocch, interpolated):
    np.testing.assert_allclose(rocch_eer(targets, nontargets), rocch, rtol=0, atol=1e-12)
    np.testing.assert_allclose(textbook_rocch_eer(targets, nontargets), rocch, rtol=0, atol=1e-12)
    np.testing.assert_allclose(interpolated_eer(targets, nontargets), interpolated, rtol=0, atol=1e-12)


@pytest.mark.default_cases("1.0")
@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.01, 1.0, 3.0, 9.0])
@pytest.mark.parametrize(("n_targets", "n_nontargets"), [(20_000, 30_000), (300, 50_000), (50_000, 2)])
@pytest.mark.parametrize("decimals", [None, 1])
def test_rocch_eer_of_many_scores_is_that_of_pooled_adjacent_violators(
    shift, n_targets, n_nontargets, decimals
):
    rng = np.random.default_rng(5)
    targets, nontargets = rng.normal(shift, 1, n_targets), rng.normal(0, 1, n_nontargets)
    if decimals is not None:
        targets, nontargets = targets.round(decimals), nontargets.round(decimals)
    expected = textbook_rocch_eer(targets.tolist(), nontargets.tolist())
    np.testing.assert_allclose(rocch_eer(targets, nontargets), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_interpolated_eer_agrees_with_scikit_learn(seed):
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(seed)
    targets = rng.normal(rng.uniform(-1, 3), 1, rng.integers(1, 400))
    nontargets = rng.normal(0, 1, rng.integers(1, 400))
    if seed % 2:
        targets, nontargets = targets.round(1), nontargets.round(1)
    labels = np.repeat([1, 0], [len(targets), len(nontargets)])
    false_alarm, detection, _ = metrics.roc_curve(labels, np.concatenate([targets, nontargets]))
    excess = false_alarm - (1 - detection)  # thresholds descend: it rises from -1 to 1
    after = int(np.argmax(excess >= 0))
    share = -excess[after - 1] / (excess[after] - excess[after - 1])
    expected = false_alarm[after - 1] + share * (false_alarm[after] - false_alarm[after - 1])
    np.testing.assert_allclose(interpolated_eer(targets, nontargets), expected, rtol=0, atol=1e-9)


def test_eer_is_exact_over_the_range_of_doubles():
    # Points (miss, false alarm): (0, 1/3) at 5e-324, (1/3, 1/3) at 1e-300, (2/3, 0) at 1e300. The hull's edge from
    # (0, 1/3) to (2/3, 0) is 1/3 - m/2 = m at m = 2/9. Adding or scaling would merge 0, 5e-324 and 1e-300.
    targets, nontargets = [5e-324, 1e-300, 1e300], [-1e300, 0.0, 1e-299]
    assert interpolated_eer(targets, nontargets) == 1 / 3
    np.testing.assert_allclose(rocch_eer(targets, nontargets), 2 / 9, rtol=0, atol=1e-12)


def test_operating_points_by_definition():
    targets, nontargets = np.array([0.6, 0.2, 0.5]), np.array([0.5, 0.4, 0.1, -0.0, 0.0])
    points = operating_points(targets, nontargets)
    assert points.threshold.tolist() == [0.0, 0.1, 0.2, 0.4, 0.5, 0.6, np.inf]
    assert points.miss_rate.tolist() == [np.mean(targets < t) for t in points.threshold]
    assert points.false_alarm_rate.tolist() == [np.mean(nontargets >= t) for t in points.threshold]


@pytest.mark.parametrize("shift", [-3.0, 0.0, 0.01, 1.5, 4.0, 20.0])
@pytest.mark.parametrize("decimals", [None, 2, 0])
def test_histograms_of_many_segments_have_the_eers_of_the_scores_to_the_last_digit(shift, decimals):
    rng = np.random.default_rng(5)
    labels, recording = (rng.random(50_000) < 0.2).astype(int), rng.integers(0, 300, 50_000)
    scores = rng.normal((labels[:, np.newaxis] == (0, 1)) * shift, 1)
    if decimals is not None:
        scores = scores.round(decimals)
    segments = labels, scores
    pooled, differences = pooled_trials(*segments), detection_trials(*segments)
    rows = pooled_histograms(*segments, recording)
    assert rows.targets.sum(axis=1).tolist() == np.bincount(recording).tolist()
    assert histogram_eer(total(rows)) == rocch_eer(*pooled)
    rows = detection_histograms(*segments, recording)
    assert rows.targets.sum(axis=1).tolist() == np.bincount(recording[labels == 0]).tolist()
    assert histogram_eer(total(rows)) == rocch_eer(*differences)
    assert histogram_interpolated_eer(total(rows)) == interpolated_eer(*differences)


def test_the_eers_of_one_histogram_are_exact_beyond_the_integers_of_doubles():
    # Bins 0 1 2 hold 1, a and b targets; a', b' and 1 nontargets: points (misses, false alarms) (1, b' + 1) and
    # (1 + a, 1), whose line meets the diagonal as worked out in fractions.
    for n, m in [
        *zip(range(2_999_000, 3_000_000, 37), range(3_000_000, 2_990_000, -41)),
        (3_000_000, 2_999_999),
    ]:
        right, left = (1, m - 19), (n - 11, 1)
        over, under = right[1] * n - right[0] * m, left[0] * m - left[1] * n
        expected = float(Fraction(right[0] * under + left[0] * over, n * (over + under)))
        whole = ScoreHistograms(np.array([1, n - 12, 11]), np.array([19, m - 20, 1]))
        assert histogram_interpolated_eer(whole) == expected
    assert 2 * n * n * m > 2**53
    many = ScoreHistograms(whole.targets[np.newaxis], whole.nontargets[np.newaxis])
    np.testing.assert_allclose(histogram_interpolated_eer(many), [expected], rtol=1e-14)
    scores = np.repeat(np.arange(3), whole.targets), np.repeat(np.arange(3), whole.nontargets)
    assert histogram_eer(whole) == rocch_eer(*scores)
    assert histogram_interpolated_eer(whole) == interpolated_eer(*scores)


def test_the_eers_of_histograms_are_those_of_their_bins_taken_as_scores():
    rng = np.random.default_rng(6)
    targets, nontargets = rng.integers(0, 5, (2, 200, 9)) * rng.integers(0, 2, (2, 200, 9))
    targets[:, 4] += 1
    nontargets[:, 3] += 1
    for eer, scores_eer in ((histogram_eer, rocch_eer), (histogram_interpolated_eer, interpolated_eer)):
        expected = [
            scores_eer(*(np.repeat(np.arange(9), side) for side in row)) for row in zip(targets, nontargets)
        ]
        assert eer(ScoreHistograms(targets, nontargets)).tolist() == expected
        assert [eer(ScoreHistograms(*row)) for row in zip(targets, nontargets)] == expected


def test_the_hull_is_that_of_the_operating_points():
    rng = np.random.default_rng(31)
    for _ in range(30):
        targets, nontargets = rng.integers(0, 30, 40) / 10, rng.integers(0, 30, 25) / 10 - 0.7
        points, hull = operating_points(targets, nontargets), hull_points(targets, nontargets)
        assert (hull.miss_rate[0], hull.false_alarm_rate[0]) == (0, 1)
        assert (hull.miss_rate[-1], hull.false_alarm_rate[-1]) == (1, 0)
        # No operating point lies below the hull's edges, and its vertices are operating points.
        edge = np.interp(points.false_alarm_rate, hull.false_alarm_rate[::-1], hull.miss_rate[::-1])
        level = np.isin(points.false_alarm_rate, hull.false_alarm_rate)
        assert (points.miss_rate[~level] >= edge[~level] - 1e-12).all()
        assert set(zip(*hull[1:])) <= set(zip(*points[1:]))


def test_both_histograms_have_the_same_bins():
    with pytest.raises(ValueError, match="same number of bins"):
        ScoreHistograms(np.zeros(3), np.zeros(4))


@pytest.mark.parametrize(
    ("targets", "nontargets"),
    [([0, 1, 3], [1, 1, 3]), ([0, 1, 3, 1], [0, 2, 3, 1]), ([3, 1, 0, 2, 0], [3, 2, 1, 3, 0])],
)
def test_fractional_counts_have_the_eer_of_whole_ones(targets, nontargets):
    # Rounding made an end of the edge seem lower than the other one, and the search for the edge did not end.
    whole = ScoreHistograms(np.array([targets]), np.array([nontargets]))
    tenths = ScoreHistograms(np.array([targets]) * 0.1, np.array([nontargets]) * 0.1)
    assert histogram_eer(tenths) == pytest.approx(histogram_eer(whole), abs=1e-12)
