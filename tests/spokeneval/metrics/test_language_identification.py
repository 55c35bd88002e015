"""Tests of decisions and trials of segments, against hand calculations and scikit-learn."""

from __future__ import annotations

from dataclasses import astuple
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from spokeneval.metrics.counts import taken, total
from spokeneval.metrics.equal_error_rate import rocch_eer
from spokeneval.metrics.language_identification import (
    LanguageDecisions,
    balanced_accuracy,
    balanced_accuracy_per_recording,
    decisions_per_recording,
    difference_histograms,
    difference_trials,
    english_recall,
    mandarin_recall,
    pooled_histograms,
    pooled_trials,
)

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


@pytest.mark.thorough
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
    decisions = total(decisions_per_recording(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES, [0, 0, 1, 1]))
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
        recording = np.arange(200) % 7
        decisions = total(decisions_per_recording(is_english, english, mandarin, recording))
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


def test_without_a_recording_of_both_languages_balanced_accuracy_is_pooled():
    rows = decisions_per_recording(np.array([True, False, False]), [1, 1, 0], [0, 0, 1], [0, 1, 1])
    assert total(rows) == LanguageDecisions(1, 2, 1, 1)
    assert balanced_accuracy_per_recording(total(rows)) == balanced_accuracy(total(rows)) == 0.75


def test_a_recording_number_without_segments_has_a_row_of_zeros():
    rows = decisions_per_recording(np.array([True, False]), [1, 1], [0, 0], [0, 2])
    assert astuple(taken(rows, np.array([1])))[:4] == ([0], [0], [0], [0])
    assert total(rows) == LanguageDecisions(1, 1, 1, 0)


def test_counts_that_cannot_be_are_refused():
    with pytest.raises(ValueError, match="more correct decisions"):
        LanguageDecisions(english=3, mandarin=1, english_correct=4, mandarin_correct=0)
    with pytest.raises(ValueError, match="more correct decisions"):
        LanguageDecisions(*np.array([[3, 3], [2, 1], [1, 1], [2, 2]]))


@pytest.mark.parametrize("metric", [decisions_per_recording, pooled_histograms, difference_histograms])
@pytest.mark.parametrize(
    "recording",
    [[0], [[0, 1, 0, 1]], [0, 1, -1, 0], [0.0, 1.0, 0.0, 1.0], [*"aabb"], [True, False, True, False]],
)
def test_a_recording_number_for_each_segment_is_required(metric, recording):
    with pytest.raises(ValueError, match="recordings must be 4 whole numbers from 0"):
        metric(IS_ENGLISH, ENGLISH_SCORES, MANDARIN_SCORES, recording)


def test_one_language_has_no_difference_eer():
    with pytest.raises(ValueError, match="nontarget scores"):
        rocch_eer(*difference_trials(np.array([True, True]), [1, 2], [0, 0]))
    with pytest.raises(ValueError, match="nontarget scores"):
        difference_histograms(np.array([True, True]), [1, 2], [0, 0], [0, 1])
