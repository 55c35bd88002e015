import math
from dataclasses import astuple
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spokeneval.metrics.counts import taken, total
from spokeneval.metrics.language_identification import (
    BINS,
    LanguageDecisions,
    LikelihoodRatioCosts,
    ScoreHistograms,
    _diagonal_step,
    balanced_accuracy,
    balanced_accuracy_per_recording,
    cllr,
    count_decisions,
    decisions_per_recording,
    detection_cost,
    difference_histograms,
    difference_trials,
    english_recall,
    histogram_eer,
    histogram_interpolated_eer,
    hull_points,
    interpolated_eer,
    likelihood_ratio_costs,
    mandarin_recall,
    minimum_cllr,
    minimum_detection_cost,
    operating_points,
    pooled_histograms,
    pooled_trials,
    rocch_eer,
    score_bins,
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
    for score in sorted({*targets, *nontargets}):
        bins.append((sum(t == score for t in targets), sum(n == score for n in nontargets)))
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


few_values = st.lists(st.integers(0, 6), min_size=1, max_size=25)
any_doubles = st.lists(
    st.sampled_from([0.0, -0.0, 5e-324, 1e-300, -1e-300, 1.0, 1e300, -1e300, 1.7e308])
    | st.floats(allow_nan=False, allow_infinity=False),
    min_size=1,
    max_size=15,
)


@settings(max_examples=300, deadline=None)
@given(few_values | any_doubles, few_values | any_doubles)
def test_rocch_eer_is_that_of_pooled_adjacent_violators(targets, nontargets):
    expected = textbook_rocch_eer(targets, nontargets)
    np.testing.assert_allclose(rocch_eer(targets, nontargets), expected, rtol=0, atol=1e-12)


def full_hull_eer(targets, nontargets):
    """The lower hull of all operating points by Andrew's monotone chain, interpolated on the diagonal."""
    points = operating_points(targets, nontargets)
    misses = np.rint(points.miss_rate * len(targets)).astype(int)
    false_alarms = np.rint(points.false_alarm_rate * len(nontargets)).astype(int)
    hull = []
    for x, y in np.transpose([misses, false_alarms]).tolist():
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (x1 - x0) * (y - y0) > (y1 - y0) * (x - x0):
                break
            hull.pop()
        hull.append((x, y))
    miss, false_alarm = (np.array(hull) / [len(targets), len(nontargets)]).T
    return float(np.interp(0, miss - false_alarm, miss))


@pytest.mark.default_cases("1.0")
@pytest.mark.parametrize("shift", [-1.0, 0.0, 0.01, 1.0, 3.0, 9.0])
@pytest.mark.parametrize(("n_targets", "n_nontargets"), [(20_000, 30_000), (300, 50_000), (50_000, 2)])
@pytest.mark.parametrize("decimals", [None, 1])
def test_rocch_eer_of_many_scores_is_that_of_the_full_hull(shift, n_targets, n_nontargets, decimals):
    rng = np.random.default_rng(5)
    targets, nontargets = rng.normal(shift, 1, n_targets), rng.normal(0, 1, n_nontargets)
    if decimals is not None:
        targets, nontargets = targets.round(decimals), nontargets.round(decimals)
    expected = full_hull_eer(targets, nontargets)
    np.testing.assert_allclose(rocch_eer(targets, nontargets), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(60))
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


@pytest.mark.parametrize("eer", [rocch_eer, interpolated_eer])
@pytest.mark.parametrize("transform", [np.exp, np.cbrt, lambda x: 3 * x - 7, lambda x: x**3])
def test_eer_sees_only_the_order_of_scores(eer, transform):
    rng = np.random.default_rng(2)
    targets, nontargets = rng.normal(1, 1, 900).round(2), rng.normal(0, 1, 700).round(2)
    expected = eer(targets, nontargets)
    assert 0.2 < expected < 0.4
    assert eer(transform(targets), transform(nontargets)) == expected
    assert eer(rng.permutation(targets), rng.permutation(nontargets)) == expected


def test_eer_is_exact_over_the_range_of_doubles():
    # Points (miss, false alarm): (0, 1/3) at 5e-324, (1/3, 1/3) at 1e-300, (2/3, 0) at 1e300. The hull's edge from
    # (0, 1/3) to (2/3, 0) is 1/3 - m/2 = m at m = 2/9. Adding or scaling would merge 0, 5e-324 and 1e-300.
    targets, nontargets = [5e-324, 1e-300, 1e300], [-1e300, 0.0, 1e-299]
    assert interpolated_eer(targets, nontargets) == 1 / 3
    np.testing.assert_allclose(rocch_eer(targets, nontargets), 2 / 9, rtol=0, atol=1e-12)


@pytest.mark.parametrize("eer", [rocch_eer, interpolated_eer])
def test_negative_zero_ties_with_zero(eer):
    assert eer([0.0], [-0.0]) == eer([-0.0], [0.0]) == 0.5


def test_rocch_eer_never_exceeds_one_half_or_the_interpolated_one():
    rng = np.random.default_rng(3)
    for _ in range(200):
        targets, nontargets = rng.normal(0.5, 1, rng.integers(1, 60)), rng.normal(0, 1, rng.integers(1, 60))
        assert rocch_eer(targets, nontargets) <= min(0.5, interpolated_eer(targets, nontargets)) + 1e-12


def test_operating_points_by_definition():
    targets, nontargets = np.array([0.6, 0.2, 0.5]), np.array([0.5, 0.4, 0.1, -0.0, 0.0])
    points = operating_points(targets, nontargets)
    assert points.threshold.tolist() == [0.0, 0.1, 0.2, 0.4, 0.5, 0.6, np.inf]
    assert points.miss_rate.tolist() == [np.mean(targets < t) for t in points.threshold]
    assert points.false_alarm_rate.tolist() == [np.mean(nontargets >= t) for t in points.threshold]


# Four segments: English, English, Mandarin, Mandarin.
IS_ENGLISH = np.array([True, True, False, False])
ENGLISH_SCORES = [2.0, 0.5, 1.0, -1.0]
MANDARIN_SCORES = [-2.0, 0.5, 3.0, -2.0]


def test_pooled_trials_are_two_a_segment():
    targets, nontargets = pooled_trials(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES)
    assert targets.tolist() == [2.0, 0.5, 3.0, -2.0]
    assert nontargets.tolist() == [-2.0, 0.5, 1.0, -1.0]


def test_difference_trials_have_english_as_the_target():
    targets, nontargets = difference_trials(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES)
    assert targets.tolist() == [4.0, 0.0]
    assert nontargets.tolist() == [-2.0, 1.0]


def test_constant_scores_have_the_share_of_mandarin_as_their_pooled_eer():
    # English always 1, Mandarin always 0, one segment in five Mandarin: at threshold 1, 1/5 of the targets is
    # missed and 1/5 of the nontargets accepted. The difference says nothing: one half.
    is_english, ones, zeros = np.arange(5) > 0, np.ones(5), np.zeros(5)
    pooled = rocch_eer(*pooled_trials(is_english, ones, zeros))
    np.testing.assert_allclose(pooled, 0.2, rtol=0, atol=1e-12)
    assert rocch_eer(*difference_trials(is_english, ones, zeros)) == 0.5


huge_or_tiny = st.sampled_from([1.7e308, 1e308, 9e307, 5e-324, 0.0, -5e-324, -9e307, -1e308, -1.7e308])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(st.booleans(), huge_or_tiny, huge_or_tiny), min_size=1, max_size=12))
def test_differences_keep_their_order_when_they_overflow(segments):
    is_english = np.array([segment[0] for segment in segments])
    english, mandarin = np.array([segment[1:] for segment in segments]).T
    trial = np.empty(len(segments))
    trial[is_english], trial[~is_english] = difference_trials(is_english, english, mandarin)
    assert np.isfinite(trial).all()
    exact = [Fraction(e) - Fraction(m) for _, e, m in segments]
    for i in range(len(exact)):
        for j in range(len(exact)):
            if exact[i] == exact[j]:
                assert trial[i] == trial[j]
            elif exact[i] < exact[j]:
                assert trial[i] <= trial[j]
                if exact[j] - exact[i] > 1e300 or max(abs(exact[i]), abs(exact[j])) < 1:
                    assert trial[i] < trial[j]  # too far apart for rounding to tie them


def test_differences_that_overflow_are_ranked_by_hand():
    huge = [(1.7e308, -1.7e308), (1.7e308, -1e308), (1e308, -1.7e308)]
    small = [(5, 1), (1, 5), (2, -2)]
    english, mandarin = np.array([*huge, *small, (-1.7e308, 1.7e308), (-1e308, 1e308)]).T
    is_english = np.arange(8) != 2
    targets, nontargets = difference_trials(is_english, english, mandarin)
    assert targets.tolist() == [5, 4, 3, 2, 3, 0, 1]
    assert nontargets.tolist() == [4]


def test_the_larger_score_decides_and_ties_go_to_english():
    decisions = count_decisions(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES)
    assert decisions == LanguageDecisions(english=2, mandarin=2, english_correct=2, mandarin_correct=1)
    assert english_recall(decisions) == 1.0
    assert mandarin_recall(decisions) == 0.5
    assert balanced_accuracy(decisions) == 0.75


def test_balanced_accuracy_agrees_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(4)
    for _ in range(30):
        is_english = rng.random(200) < 0.8
        english, mandarin = rng.normal(is_english, 1).round(1), rng.normal(~is_english, 1).round(1)
        decisions = count_decisions(is_english, english, mandarin)
        expected = metrics.balanced_accuracy_score(is_english, english >= mandarin)
        np.testing.assert_allclose(balanced_accuracy(decisions), expected, rtol=0, atol=1e-12)


def test_balanced_accuracy_per_recording_leaves_out_recordings_of_one_language():
    # 0: English 1/1, Mandarin 0/1, so 1/2. 1: English 1/2, Mandarin 1/1, so 3/4. 2: English only, left out.
    recording = [1, 0, 1, 2, 1, 0]
    is_english = np.array([True, True, True, True, False, False])
    english = [1.0, 1.0, 0.0, 0.0, 0.0, 1.0]
    mandarin = [0.0, 0.0, 1.0, 1.0, 1.0, 1.0]
    rows = decisions_per_recording(is_english, english, mandarin, recording)
    assert rows.english.tolist() == [1, 2, 1]
    assert rows.mandarin.tolist() == [1, 1, 0]
    assert rows.english_correct.tolist() == [1, 1, 0]
    assert rows.mandarin_correct.tolist() == [0, 1, 0]
    assert rows.mixed_recordings.tolist() == [1, 1, 0]
    assert rows.mixed_accuracy.tolist() == [0.5, 0.75, 0]
    assert total(rows) == LanguageDecisions(4, 2, 2, 1, mixed_recordings=2, mixed_accuracy=1.25)
    assert balanced_accuracy_per_recording(total(rows)) == 0.625
    assert balanced_accuracy_per_recording(taken(rows, np.array([0, 1]))).tolist() == [0.5, 0.75]
    assert balanced_accuracy_per_recording(total(taken(rows, np.array([0, 2])))) == 0.5


def test_without_a_recording_of_both_languages_the_pooled_balanced_accuracy_stands_in():
    rows = decisions_per_recording(np.array([True, False, False]), [1, 1, 0], [0, 0, 1], [0, 1, 1])
    assert total(rows) == LanguageDecisions(1, 2, 1, 1)
    assert balanced_accuracy_per_recording(total(rows)) == balanced_accuracy(total(rows)) == 0.75


def test_a_recording_number_without_segments_has_a_row_of_zeros():
    rows = decisions_per_recording(np.array([True, False]), [1, 1], [0, 0], [0, 2])
    assert astuple(taken(rows, np.array([1])))[:4] == ([0], [0], [0], [0])
    assert total(rows) == LanguageDecisions(1, 1, 1, 0)


def test_recordings_pool_to_the_whole():
    rng = np.random.default_rng(6)
    is_english, recording = rng.random(500) < 0.7, rng.integers(0, 9, 500)
    english, mandarin = rng.normal(size=500), rng.normal(size=500)
    whole = count_decisions(is_english, english, mandarin)
    pooled = total(decisions_per_recording(is_english, english, mandarin, recording))
    assert astuple(pooled)[:4] == astuple(whole)[:4]
    halves = (
        count_decisions(is_english[half], english[half], mandarin[half])
        for half in (slice(200), slice(200, None))
    )
    assert next(halves) + next(halves) == whole


def test_a_recall_without_segments_is_refused():
    english_only = LanguageDecisions(english=3, mandarin=0, english_correct=2, mandarin_correct=0)
    assert english_recall(english_only) == 2 / 3
    with pytest.raises(ValueError, match="Mandarin recall is undefined"):
        balanced_accuracy(english_only)
    with pytest.raises(ValueError, match="Mandarin recall is undefined"):
        balanced_accuracy_per_recording(english_only)
    with pytest.raises(ValueError, match="English recall is undefined"):
        english_recall(LanguageDecisions(0, 3, 0, 1))


def test_rates_of_many_sets_are_those_of_each():
    rng = np.random.default_rng(8)
    english, mandarin, mixed = rng.integers(0, 4, (3, 300))
    rows = LanguageDecisions(
        english,
        mandarin,
        rng.integers(0, english + 1),
        rng.integers(0, mandarin + 1),
        mixed,
        mixed * rng.random(300),
    )
    for rate in (english_recall, mandarin_recall, balanced_accuracy, balanced_accuracy_per_recording):
        found = rate(rows)
        assert np.isnan(found).any()
        for row in range(300):
            one = LanguageDecisions(*(field[row].item() for field in astuple(rows)))
            if np.isnan(found[row]):
                with pytest.raises(ValueError, match="undefined"):
                    rate(one)
            else:
                assert rate(one) == found[row]
                assert type(rate(one)) is float


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="4 correct decisions among 3"):
        LanguageDecisions(english=3, mandarin=1, english_correct=4, mandarin_correct=0)
    with pytest.raises(ValueError, match="2 correct decisions among 1"):
        LanguageDecisions(*np.array([[3, 3], [2, 1], [1, 1], [2, 2]]))
    with pytest.raises(ValueError, match="mandarin is -1"):
        LanguageDecisions(*np.array([[3, 3], [2, -1], [1, 1], [2, 2]]))
    with pytest.raises(ValueError, match="english is nan"):
        LanguageDecisions(math.nan, 0, 0, 0)


def histograms_of(targets, nontargets, recordings=7, seed=0):
    """The difference trials of segments with these differences, by recordings drawn at random."""
    is_english = np.repeat([True, False], [len(targets), len(nontargets)])
    scores = np.concatenate([targets, nontargets])
    recording = np.random.default_rng(seed).integers(0, recordings, len(scores))
    return difference_histograms(is_english, scores, np.zeros(len(scores)), recording)


@pytest.mark.thorough
def test_histograms_of_thousands_of_small_sets_have_the_eers_of_the_scores_to_the_last_digit():
    rng = np.random.default_rng(9)
    drawn = []
    for _ in range(2000):
        sizes, values = rng.integers(1, 40, 2), rng.integers(1, 30)
        targets, nontargets = (rng.integers(0, values, size).astype(float) for size in sizes)
        targets += rng.integers(-3, 4)
        whole = total(histograms_of(targets, nontargets))
        assert whole.targets.shape == whole.nontargets.shape == (BINS,)
        assert (whole.targets.sum(), whole.nontargets.sum()) == (len(targets), len(nontargets))
        eer, interpolated = histogram_eer(whole), histogram_interpolated_eer(whole)
        assert (eer, interpolated) == (rocch_eer(targets, nontargets), interpolated_eer(targets, nontargets))
        assert type(eer) is type(interpolated) is float
        drawn.append((whole, eer, interpolated))
    sets, eers, interpolated = zip(*drawn)
    many = ScoreHistograms(
        np.stack([each.targets for each in sets]), np.stack([each.nontargets for each in sets])
    )
    assert histogram_eer(many).tolist() == list(eers)
    assert histogram_interpolated_eer(many).tolist() == list(interpolated)


@pytest.mark.parametrize("shift", [-3.0, 0.0, 0.01, 1.5, 4.0, 20.0])
@pytest.mark.parametrize("decimals", [None, 2, 0])
def test_histograms_of_many_segments_have_the_eers_of_the_scores_to_the_last_digit(shift, decimals):
    rng = np.random.default_rng(5)
    is_english, recording = rng.random(50_000) < 0.8, rng.integers(0, 300, 50_000)
    english, mandarin = rng.normal(is_english * shift, 1), rng.normal(~is_english * shift, 1)
    if decimals is not None:
        english, mandarin = english.round(decimals), mandarin.round(decimals)
    segments = is_english, english, mandarin
    pooled, differences = pooled_trials(*segments), difference_trials(*segments)
    rows = pooled_histograms(*segments, recording)
    assert rows.targets.sum(axis=1).tolist() == np.bincount(recording).tolist()
    assert histogram_eer(total(rows)) == rocch_eer(*pooled)
    rows = difference_histograms(*segments, recording)
    assert rows.targets.sum(axis=1).tolist() == np.bincount(recording[is_english]).tolist()
    assert histogram_eer(total(rows)) == rocch_eer(*differences)
    assert histogram_interpolated_eer(total(rows)) == interpolated_eer(*differences)


def test_the_eers_of_one_histogram_are_exact_beyond_the_integers_of_doubles():
    # Bins 0 1 2 hold 1, a and b targets; a', b' and 1 nontargets: points (misses, false alarms) (1, b' + 1) and
    # (1 + a, 1), whose line meets the diagonal as worked out in fractions.
    n, m = 3_000_000, 2_999_999
    whole = ScoreHistograms(np.array([1, n - 12, 11]), np.array([m - 17, 16, 1]))
    right, left = (Fraction(1, n), Fraction(17, m)), (Fraction(n - 11, n), Fraction(1, m))
    share = (right[1] - right[0]) / ((right[1] - right[0]) + (left[0] - left[1]))
    expected = float(right[0] + share * (left[0] - right[0]))
    assert 2 * n * n * m > 2**53
    assert histogram_interpolated_eer(whole) == expected
    for n, m in zip(range(2_999_000, 3_000_000, 37), range(3_000_000, 2_990_000, -41)):
        right, left = (1, m - 19), (n - 11, 1)
        over, under = right[1] * n - right[0] * m, left[0] * m - left[1] * n
        exact = Fraction(right[0] * under + left[0] * over, n * (over + under))
        bins = ScoreHistograms(np.array([1, n - 12, 11]), np.array([19, m - 20, 1]))
        assert histogram_interpolated_eer(bins) == float(exact)
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


@pytest.mark.parametrize("eer", [histogram_eer, histogram_interpolated_eer])
def test_a_histogram_of_a_single_bin_tells_nothing(eer):
    assert eer(ScoreHistograms(np.array([2]), np.array([3]))) == 0.5


@pytest.mark.parametrize("eer", [histogram_eer, histogram_interpolated_eer])
def test_a_histogram_without_targets_or_nontargets_has_no_eer(eer):
    some, none = np.array([1, 2]), np.array([0, 0])
    assert np.isnan(eer(ScoreHistograms(np.stack([some, none, none]), np.stack([none, some, none])))).all()
    for targets, nontargets in ((some, none), (none, some)):
        with pytest.raises(ValueError, match="equal error rate is undefined"):
            eer(ScoreHistograms(targets, nontargets))


def test_score_bins_are_255_and_have_the_ends_of_the_edge_and_of_the_step():
    assert BINS == 255
    # The points of CASES["no_ties_4v4"]: the hull's edge is between the thresholds 0.3 and 0.8, the step from 0.4
    # (1 miss, 2 false alarms) to 0.5 (2 misses, 2 false alarms).
    targets, nontargets, *_ = CASES["no_ties_4v4"]
    plain, both = (score_bins(targets, nontargets, whole=added) for added in (False, True))
    assert len(plain) == len(both) == BINS - 1
    assert {0.3, 0.8} <= set(plain.tolist())
    assert {0.3, 0.4, 0.5, 0.8} <= set(both.tolist())


def test_score_bins_are_those_of_one_edge_and_step_where_two_meet_on_the_diagonal():
    # Thresholds 0 to 3 and infinity: (misses, false alarms) (0, 4), (1, 4), (1, 1), (4, 1), (4, 0) of 4 and 4. Edges
    # meet at (1, 1); the one with more misses, up to infinity, is taken, and the step that ends there.
    targets, nontargets = np.array([0, 2, 2, 2]), np.array([1, 1, 1, 3])
    assert _diagonal_step(targets, nontargets) == (1, 2)
    plain = score_bins(targets, nontargets)
    assert np.isinf(plain).tolist() == [False] * 253 + [True]
    np.testing.assert_array_equal(plain, score_bins(targets, nontargets, whole=False))
    assert plain.tolist() != score_bins(targets, nontargets, whole=True).tolist()


def test_the_edge_is_found_where_runs_of_thousands_of_scores_meet():
    # The one nontarget is above 4,096 of 10,000 targets: from (0, 1) to (4096/10000, 0), 1 - m / 0.4096 = m.
    assert rocch_eer(np.arange(10_000), [4095.5]) == 4096 / 14096


def test_score_bins_lie_close_together_at_low_rates():
    # Of 10,000 targets and as many nontargets floor(10,000 i^3 / (i^3 + (127 - i)^3)) are below a threshold.
    # i = 10: 1,000 / 1,602,613; 40: 64,000 / 722,503; 64: 262,144 / 512,191; 126: all but 1 / 2,000,377. The whole hull
    # has one vertex, as all targets are above all nontargets: with two fewer left, m is 125. 40: 64,000 / 678,125.
    targets, nontargets = np.arange(10_000), np.arange(10_000) - 10_000
    for whole, below in ((False, (6, 885, 5118, 9999)), (True, (6, 943, 5359, 9999))):
        found = set(score_bins(targets, nontargets, whole=whole).tolist())
        assert found >= {targets[number] for number in below} | {nontargets[number] for number in below}


def test_resamples_of_histograms_have_nearly_the_eers_of_resampled_scores():
    rng = np.random.default_rng(7)
    n, recordings = 24_000, 40
    recording = rng.integers(0, recordings, n)
    is_english = rng.random(n) < 0.5
    scores = (
        rng.normal(1.6 * is_english, 1)
        + rng.normal(0, 0.5, (2, recordings))[is_english.astype(int), recording]
    )
    rows = difference_histograms(is_english, scores, np.zeros(n), recording)
    for _ in range(20):
        drawn = rng.integers(0, recordings, recordings)
        whole = total(taken(rows, drawn))
        items = np.concatenate([np.flatnonzero(recording == each) for each in drawn])
        trials = scores[items][is_english[items]], scores[items][~is_english[items]]
        # Fewer points, a higher hull: by less than 0.1 points in 24, where the interval is 4 wide.
        assert rocch_eer(*trials) <= histogram_eer(whole) < rocch_eer(*trials) + 0.001
        assert abs(histogram_interpolated_eer(whole) - interpolated_eer(*trials)) < 0.001


def test_histograms_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="same number of bins"):
        ScoreHistograms(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="targets is -1"):
        ScoreHistograms(np.array([-1, 2]), np.array([1, 2]))
    first, second = (
        ScoreHistograms(np.array([1, 2]), np.array([3, 4])),
        ScoreHistograms(np.array([5, 0]), np.array([0, 1])),
    )
    assert (first + second).targets.tolist() == [6, 2]
    assert (first + second).nontargets.tolist() == [3, 5]


@pytest.mark.parametrize("metric", [rocch_eer, interpolated_eer, operating_points])
@pytest.mark.parametrize(
    ("targets", "nontargets", "message"),
    [
        ([], [1.0], r"target scores must have shape \(n,\) with n >= 1, not \(0,\)"),
        ([1.0], [], r"nontarget scores .* not \(0,\)"),
        ([[1.0]], [1.0], r"not \(1, 1\)"),
        (1.0, [1.0], r"not \(\)"),
        ([1.0, float("nan"), 2.0], [1.0], "target scores must be finite: nan"),
        ([1.0], [0.0, -float("inf")], "nontarget scores must be finite: -inf"),
        ([1.0, float("inf")], [0.0], "target scores must be finite: inf"),
        (["0.5"], [1.0], "must be numbers"),
        ([True], [1.0], "must be numbers, not bool"),
    ],
)
def test_undefined_trials_are_refused(metric, targets, nontargets, message):
    with pytest.raises(ValueError, match=message):
        metric(targets, nontargets)


@pytest.mark.parametrize("metric", [pooled_trials, difference_trials, count_decisions])
@pytest.mark.parametrize(
    ("is_english", "english", "mandarin", "message"),
    [
        ([True], [1.0, 2.0], [1.0], "lengths differ: 1 segments, 2 English scores, 1 Mandarin scores"),
        ([True, False], [1.0, 2.0], [1.0], "lengths differ"),
        ([1, 0], [1.0, 2.0], [1.0, 2.0], "is_english must be booleans"),
        ([[True]], [1.0], [1.0], r"shape \(1, 1\)"),
        ([True, False], [1.0, float("nan")], [1.0, 2.0], "English scores must be finite: nan"),
        ([True, False], [1.0, 2.0], [float("inf"), 2.0], "Mandarin scores must be finite: inf"),
        (np.array([], bool), [], [], r"^English scores must have shape \(n,\) with n >= 1, not \(0,\)$"),
        ([True], [1.0], ["a"], "^Mandarin scores must be numbers, not <U1: "),
    ],
)
def test_undefined_segments_are_refused(metric, is_english, english, mandarin, message):
    with pytest.raises(ValueError, match=message):
        metric(is_english, english, mandarin)


@pytest.mark.parametrize("metric", [decisions_per_recording, pooled_histograms, difference_histograms])
@pytest.mark.parametrize(
    ("recording", "message"),
    [
        ([0], r"recording has shape \(1,\), the segments \(4,\)"),
        ([[0, 1, 0, 1]], r"recording has shape \(1, 4\)"),
        ([0, 1, -1, 0], "numbered from 0, got -1"),
        ([0.0, 1.0, 0.0, 1.0], "whole numbers from 0, not float64: 0.0"),
        (["a", "a", "b", "b"], "whole numbers from 0, not <U1: 'a'"),
        ([True, False, True, False], "whole numbers from 0, not bool"),
    ],
)
def test_a_recording_number_for_each_segment_is_required(metric, recording, message):
    with pytest.raises(ValueError, match=message):
        metric(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES, recording)


def test_one_language_has_no_difference_eer():
    with pytest.raises(ValueError, match="nontarget scores"):
        rocch_eer(*difference_trials(np.array([True, True]), [1, 2], [0, 0]))
    with pytest.raises(ValueError, match="nontarget scores"):
        difference_histograms(np.array([True, True]), [1, 2], [0, 0], [0, 1])


def test_the_costs_of_log_likelihood_ratios_are_those_of_an_independent_library():
    # llreval 0.0.3, tarnon_2_eer_cllr_mincllr, gives 0.8862750440554892 and 0.6853541573750725.
    targets, nontargets = [2.5, 1.0, -0.5, 0.75, 3.0, -2.0, 1.0], [-1.5, 0.5, -3.0, 1.0, -0.25]
    is_english = np.repeat([True, False], [len(targets), len(nontargets)])
    segments = is_english, np.array(targets + nontargets), np.zeros(12), np.arange(12) % 3
    found = (
        cllr(total(likelihood_ratio_costs(*segments))),
        minimum_cllr(total(difference_histograms(*segments))),
    )
    np.testing.assert_allclose(found, [0.8862750440554892, 0.6853541573750725], rtol=0, atol=1e-12)


@pytest.mark.parametrize("shift", [0.0, 1.0, 6.0])
@pytest.mark.parametrize("decimals", [None, 1])
def test_least_costs_of_many_segments_are_those_of_the_scores_themselves(shift, decimals):
    isotonic = pytest.importorskip("sklearn.isotonic")
    rng = np.random.default_rng(23)
    is_english, recording = rng.random(20_000) < 0.8, rng.integers(0, 150, 20_000)
    scores = rng.normal(shift * is_english, 1)
    if decimals is not None:
        scores = scores.round(decimals)
    rows = difference_histograms(is_english, scores, np.zeros(len(scores)), recording)
    # With the shares of targets that isotonic regression finds, likelihood ratios follow from the prior.
    fitted = isotonic.IsotonicRegression().fit(scores, is_english.astype(float)).predict(scores)
    prior = is_english.mean()
    with np.errstate(divide="ignore"):
        odds = fitted / (1 - fitted) * (1 - prior) / prior
        expected = (np.log2(1 + 1 / odds[is_english]).mean() + np.log2(1 + odds[~is_english]).mean()) / 2
    np.testing.assert_allclose(minimum_cllr(total(rows)), expected, rtol=0, atol=1e-12)
    points = operating_points(scores[is_english], scores[~is_english])
    expected = np.mean(
        [
            (one + beta * other).min()
            for beta in (1, 9)
            for one, other in (
                (points.miss_rate, points.false_alarm_rate),
                (points.false_alarm_rate, points.miss_rate),
            )
        ]
    )
    np.testing.assert_allclose(minimum_detection_cost(total(rows)), expected, rtol=0, atol=1e-12)


def test_the_hull_by_hand():
    points = hull_points([1, 3], [2])
    assert [column.tolist() for column in points] == [[1, 3, np.inf], [0, 0.5, 1], [1, 0, 0]]


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


def test_detection_costs_by_hand():
    # log 9 is 2.197. English 3, 1, 0: missed at 1 none, at 9 two; taken for Mandarin at 1 the tie, at 9 none. Mandarin
    # -3, 2.5: missed at 1 and at 9 one; taken for English at 1 and at 9 one.
    is_english = np.array([True, True, True, False, False])
    scores = np.array([3, 1, 0, -3, 2.5])
    costs = total(likelihood_ratio_costs(is_english, scores, np.zeros(5), np.zeros(5, dtype=int)))
    assert costs.misses.tolist() == [[0, 2], [1, 1]]
    assert costs.false_alarms.tolist() == [[1, 0], [1, 1]]
    english = (0 + 1 / 2) + (2 / 3 + 9 / 2)
    mandarin = (1 / 2 + 1 / 3) + (1 / 2 + 9 * 0)
    np.testing.assert_allclose(detection_cost(costs), (english + mandarin) / 4, rtol=0, atol=1e-12)


def test_costs_of_one_language_are_counted_and_have_no_mean():
    for language in range(2):
        costs = total(likelihood_ratio_costs(np.array([not language]), [0.0], [0.0], [0]))
        assert costs.bits.round(12).tolist() == np.eye(2)[language].tolist()
        for cost, name in ((cllr, "Cllr"), (detection_cost, "the detection cost")):
            with pytest.raises(ValueError, match=f"^{name} is undefined: nothing to divide by$"):
                cost(costs)
    first, second = LikelihoodRatioCosts(1, 2, 3, 4), LikelihoodRatioCosts(10, 20, 30, 40)
    assert first + second == LikelihoodRatioCosts(11, 22, 33, 44)


def test_the_largest_scores_have_finite_costs():
    segments = (
        np.array([True, False]),
        np.array([-1e308, 1e308]),
        np.array([1e308, -1e308]),
        np.zeros(2, dtype=int),
    )
    assert cllr(total(likelihood_ratio_costs(*segments))) == pytest.approx(1e6 / math.log(2), rel=1e-12)
    assert minimum_cllr(total(difference_histograms(*segments))) == 1


@pytest.mark.parametrize(
    ("cost", "name"),
    [(minimum_cllr, "the minimum Cllr"), (minimum_detection_cost, "the minimum detection cost")],
)
def test_least_costs_of_many_histograms_are_those_of_each(cost, name):
    some, none = np.array([1, 2]), np.array([0, 0])
    assert np.isnan(cost(ScoreHistograms(np.stack([some, none, none]), np.stack([none, some, none])))).all()
    for targets, nontargets in ((some, none), (none, some)):
        with pytest.raises(ValueError, match=f"^{name} is undefined: nothing to divide by$"):
            cost(ScoreHistograms(targets, nontargets))
    assert cost(ScoreHistograms(np.array([0, 1]), np.array([1, 0]))) == 0  # one of each, told apart
    assert cost(ScoreHistograms(np.array([1, 0]), np.array([0, 1]))) == 1
    rows = np.random.default_rng(12).integers(0, 4, (2, 50, 6))
    each = [cost(ScoreHistograms(*row)) for row in rows.swapaxes(0, 1)]
    assert cost(ScoreHistograms(*rows)).tolist() == each
    assert len(set(each)) > 30


def test_a_hull_of_more_vertices_than_bins_is_nearly_met():
    # Convex operating points: block k of 400 has k targets and 401 - k nontargets.
    blocks = np.arange(1, 401)
    targets, nontargets = np.repeat(blocks, blocks), np.repeat(blocks, blocks[::-1])
    is_english = np.repeat([True, False], [len(targets), len(nontargets)])
    scores = np.concatenate([targets, nontargets]).astype(float)
    recording = np.zeros(len(scores), dtype=int)
    whole = total(difference_histograms(is_english, scores, np.zeros(len(scores)), recording))
    exact = minimum_cllr(ScoreHistograms(blocks, blocks[::-1]))
    assert exact < minimum_cllr(whole) < exact + 1e-4
